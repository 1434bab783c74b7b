# SPDX-License-Identifier: BSD-3-Clause
# Finds libzstd, for which Debian ships no CMake package. Defines Zstd::Zstd. `Zstd_ROOT` points at an installation elsewhere.
find_path(Zstd_INCLUDE_DIR zstd.h DOC "The folder that holds zstd.h")
find_library(Zstd_LIBRARY NAMES zstd zstd_static DOC "libzstd")
mark_as_advanced(Zstd_INCLUDE_DIR Zstd_LIBRARY)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(
  Zstd REQUIRED_VARS Zstd_INCLUDE_DIR Zstd_LIBRARY
  REASON_FAILURE_MESSAGE "The command line program reads files compressed with zstd with it. On Debian: apt-get install libzstd-dev")

if(Zstd_FOUND AND NOT TARGET Zstd::Zstd)
  add_library(Zstd::Zstd INTERFACE IMPORTED)
  target_include_directories(Zstd::Zstd SYSTEM INTERFACE "${Zstd_INCLUDE_DIR}")
  target_link_libraries(Zstd::Zstd INTERFACE "${Zstd_LIBRARY}")
endif()
