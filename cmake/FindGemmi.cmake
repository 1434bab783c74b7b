# SPDX-License-Identifier: BSD-3-Clause
# Finds gemmi's headers, for which Debian ships no CMake package, and PEGTL's, with which they read mmCIF. Defines
# Gemmi::Gemmi. `Gemmi_ROOT` points at an installation elsewhere.
find_path(Gemmi_INCLUDE_DIR gemmi/mmcif.hpp DOC "The folder that holds gemmi/mmcif.hpp")
# gemmi's own releases bring PEGTL along; Debian has it by itself.
find_path(Gemmi_PEGTL_INCLUDE_DIR tao/pegtl.hpp HINTS "${Gemmi_INCLUDE_DIR}/gemmi/third_party"
          DOC "The folder that holds tao/pegtl.hpp")
mark_as_advanced(Gemmi_INCLUDE_DIR Gemmi_PEGTL_INCLUDE_DIR)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(
  Gemmi REQUIRED_VARS Gemmi_INCLUDE_DIR Gemmi_PEGTL_INCLUDE_DIR
  REASON_FAILURE_MESSAGE "The command line program reads PDB and mmCIF with it. On Debian: apt-get install gemmi-dev tao-pegtl-dev")

if(Gemmi_FOUND AND NOT TARGET Gemmi::Gemmi)
  add_library(Gemmi::Gemmi INTERFACE IMPORTED)
  target_include_directories(Gemmi::Gemmi SYSTEM INTERFACE "${Gemmi_INCLUDE_DIR}" "${Gemmi_PEGTL_INCLUDE_DIR}")
endif()
