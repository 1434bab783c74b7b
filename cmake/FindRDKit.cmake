# SPDX-License-Identifier: BSD-3-Clause
# Finds RDKit, for which Debian ships no CMake package. Defines RDKit::RDKit: what reading SMILES and SDF needs.
# `RDKit_ROOT` points at an installation elsewhere.
find_path(RDKit_INCLUDE_DIR GraphMol/ROMol.h PATH_SUFFIXES rdkit DOC "The folder that holds GraphMol/ROMol.h")
set(libraries "")
foreach(library IN ITEMS RDKitFileParsers RDKitSmilesParse RDKitGraphMol RDKitRDGeneral)
  find_library(RDKit_${library}_LIBRARY NAMES ${library} ${library}_static DOC "RDKit's ${library}")
  list(APPEND libraries RDKit_${library}_LIBRARY)
endforeach()

include("${CMAKE_CURRENT_LIST_DIR}/ImportedLibrary.cmake")
octile_imported_library(RDKit "reads molecules" "librdkit-dev libboost-dev" HEADERS RDKit_INCLUDE_DIR LIBRARIES ${libraries})
unset(libraries)

if(TARGET RDKit::RDKit)
  # RDKit's headers include Boost's. Who only links needs none of them.
  find_package(Boost QUIET)
  if(TARGET Boost::headers)
    target_link_libraries(RDKit::RDKit INTERFACE Boost::headers)
  endif()
endif()
