# SPDX-License-Identifier: BSD-3-Clause
# Finds RDKit, for which Debian ships no CMake package. Defines RDKit::RDKit: what reading SMILES and SDF needs.
# `RDKit_ROOT` points at an installation elsewhere.
find_path(RDKit_INCLUDE_DIR GraphMol/ROMol.h PATH_SUFFIXES rdkit DOC "The folder that holds GraphMol/ROMol.h")
set(libraries "")
foreach(library IN ITEMS RDKitFileParsers RDKitSmilesParse RDKitGraphMol RDKitRDGeneral)
  find_library(RDKit_${library}_LIBRARY NAMES ${library} ${library}_static DOC "RDKit's ${library}")
  mark_as_advanced(RDKit_${library}_LIBRARY)
  list(APPEND libraries RDKit_${library}_LIBRARY)
endforeach()
mark_as_advanced(RDKit_INCLUDE_DIR)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(
  RDKit REQUIRED_VARS RDKit_INCLUDE_DIR ${libraries}
  REASON_FAILURE_MESSAGE "The command line program reads molecules with it. On Debian: apt-get install librdkit-dev libboost-dev")

if(RDKit_FOUND AND NOT TARGET RDKit::RDKit)
  # RDKit's headers include Boost's. Who only links needs none of them.
  find_package(Boost QUIET)
  add_library(RDKit::RDKit INTERFACE IMPORTED)
  target_include_directories(RDKit::RDKit SYSTEM INTERFACE "${RDKit_INCLUDE_DIR}")
  foreach(library IN LISTS libraries)
    target_link_libraries(RDKit::RDKit INTERFACE "${${library}}")
  endforeach()
  if(TARGET Boost::headers)
    target_link_libraries(RDKit::RDKit INTERFACE Boost::headers)
  endif()
endif()
unset(libraries)
