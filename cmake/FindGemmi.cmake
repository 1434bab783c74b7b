# SPDX-License-Identifier: BSD-3-Clause
# Finds gemmi's headers, for which Debian ships no CMake package, and PEGTL's, with which they read mmCIF. Defines
# Gemmi::Gemmi. `Gemmi_ROOT` points at an installation elsewhere.
find_path(Gemmi_INCLUDE_DIR gemmi/mmcif.hpp DOC "The folder that holds gemmi/mmcif.hpp")
# gemmi's own releases bring PEGTL along; Debian has it by itself.
find_path(Gemmi_PEGTL_INCLUDE_DIR tao/pegtl.hpp HINTS "${Gemmi_INCLUDE_DIR}/gemmi/third_party"
          DOC "The folder that holds tao/pegtl.hpp")

include("${CMAKE_CURRENT_LIST_DIR}/ImportedLibrary.cmake")
octile_imported_library(Gemmi "reads PDB and mmCIF" "gemmi-dev tao-pegtl-dev" HEADERS Gemmi_INCLUDE_DIR Gemmi_PEGTL_INCLUDE_DIR)
