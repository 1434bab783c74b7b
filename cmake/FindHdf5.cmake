# SPDX-License-Identifier: BSD-3-Clause
# Finds the C library of HDF5 that is built without MPI, from 1.10.2 on. CMake's own module would run HDF5's compiler. Defines
# Hdf5::Hdf5. `Hdf5_ROOT` points at an installation elsewhere.
find_path(Hdf5_INCLUDE_DIR hdf5.h PATH_SUFFIXES hdf5/serial DOC "The folder that holds hdf5.h")
find_library(Hdf5_LIBRARY NAMES hdf5_serial hdf5 PATH_SUFFIXES hdf5/serial DOC "libhdf5")

if(Hdf5_INCLUDE_DIR)
  file(STRINGS "${Hdf5_INCLUDE_DIR}/H5public.h" Hdf5_version_line REGEX "define H5_VERS_INFO")
  string(REGEX MATCH "[0-9]+\\.[0-9]+\\.[0-9]+" Hdf5_VERSION "${Hdf5_version_line}")
endif()

include("${CMAKE_CURRENT_LIST_DIR}/ImportedLibrary.cmake")
octile_imported_library(Hdf5 "writes matrices in HDF5" libhdf5-dev HEADERS Hdf5_INCLUDE_DIR LIBRARIES Hdf5_LIBRARY)
