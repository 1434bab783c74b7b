# SPDX-License-Identifier: BSD-3-Clause
# Finds libzstd, for which Debian ships no CMake package. Defines Zstd::Zstd. `Zstd_ROOT` points at an installation elsewhere.
find_path(Zstd_INCLUDE_DIR zstd.h DOC "The folder that holds zstd.h")
find_library(Zstd_LIBRARY NAMES zstd zstd_static DOC "libzstd")

include("${CMAKE_CURRENT_LIST_DIR}/ImportedLibrary.cmake")
octile_imported_library(Zstd "reads files compressed with zstd" libzstd-dev HEADERS Zstd_INCLUDE_DIR LIBRARIES Zstd_LIBRARY)
