# SPDX-License-Identifier: BSD-3-Clause
# Finds the C library of HDF5 that is built without MPI, from 1.10.2 on. CMake's own module would run HDF5's compiler. Defines
# Hdf5::Hdf5. `Hdf5_ROOT` points at an installation elsewhere.
find_path(Hdf5_INCLUDE_DIR hdf5.h PATH_SUFFIXES hdf5/serial DOC "The folder that holds hdf5.h")
find_library(Hdf5_LIBRARY NAMES hdf5_serial hdf5 PATH_SUFFIXES hdf5/serial DOC "libhdf5")
mark_as_advanced(Hdf5_INCLUDE_DIR Hdf5_LIBRARY)

if(Hdf5_INCLUDE_DIR)
  file(STRINGS "${Hdf5_INCLUDE_DIR}/H5public.h" Hdf5_version_line REGEX "define H5_VERS_INFO")
  string(REGEX MATCH "[0-9]+\\.[0-9]+\\.[0-9]+" Hdf5_VERSION "${Hdf5_version_line}")
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(
  Hdf5 REQUIRED_VARS Hdf5_INCLUDE_DIR Hdf5_LIBRARY VERSION_VAR Hdf5_VERSION
  REASON_FAILURE_MESSAGE "The command line program writes matrices in HDF5 with it. On Debian: apt-get install libhdf5-dev")

if(Hdf5_FOUND AND NOT TARGET Hdf5::Hdf5)
  add_library(Hdf5::Hdf5 INTERFACE IMPORTED)
  target_include_directories(Hdf5::Hdf5 SYSTEM INTERFACE "${Hdf5_INCLUDE_DIR}")
  target_link_libraries(Hdf5::Hdf5 INTERFACE "${Hdf5_LIBRARY}")
endif()
