# SPDX-License-Identifier: BSD-3-Clause
# octile_imported_library(<package> <what the program does with it> <Debian's packages> HEADERS <variable>... [LIBRARIES <variable>...])
# Ends a find module: says whether all that it looked for is there, and defines <package>::<package>. The variables hold the folders of
# headers and the files of libraries; <package>_VERSION the version where it is known. A macro, since find_package reads variables that it
# sets. Installed with the find modules of the package.
include(FindPackageHandleStandardArgs)

macro(octile_imported_library package purpose debian)
  cmake_parse_arguments(octile_imported "" "" "HEADERS;LIBRARIES" ${ARGN})
  mark_as_advanced(${octile_imported_HEADERS} ${octile_imported_LIBRARIES})
  find_package_handle_standard_args(
    ${package} REQUIRED_VARS ${octile_imported_HEADERS} ${octile_imported_LIBRARIES} VERSION_VAR ${package}_VERSION
    REASON_FAILURE_MESSAGE "The command line program ${purpose} with it. On Debian: apt-get install ${debian}")
  if(${package}_FOUND AND NOT TARGET ${package}::${package})
    add_library(${package}::${package} INTERFACE IMPORTED)
    foreach(octile_imported_variable IN LISTS octile_imported_HEADERS)
      target_include_directories(${package}::${package} SYSTEM INTERFACE "${${octile_imported_variable}}")
    endforeach()
    foreach(octile_imported_variable IN LISTS octile_imported_LIBRARIES)
      target_link_libraries(${package}::${package} INTERFACE "${${octile_imported_variable}}")
    endforeach()
  endif()
endmacro()
