# SPDX-License-Identifier: BSD-3-Clause
# What a Kokkos is, in the words by which two of them are told apart. Installed with the package, which compares.

# Sets `result` to the execution spaces of the Kokkos at hand, in a fixed order: "SERIAL;OPENMP".
function(octile_kokkos_devices result)
  set(devices "")
  foreach(device IN ITEMS SERIAL OPENMP THREADS HPX CUDA HIP SYCL OPENMPTARGET OPENACC)
    if(Kokkos_ENABLE_${device})
      list(APPEND devices ${device})
    endif()
  endforeach()
  set(${result} "${devices}" PARENT_SCOPE)
endfunction()

# Sets `result` to "Kokkos 4.7.0 (SERIAL, OPENMP; IMPL_VIEW_LEGACY)": version, execution spaces, and those of its options that
# change the layout of a View or how files are compiled. What was compiled with one must not be linked with another.
function(octile_kokkos_description result)
  octile_kokkos_devices(devices)
  list(JOIN devices ", " text)
  set(options "")
  foreach(option IN ITEMS IMPL_VIEW_LEGACY DEBUG_BOUNDS_CHECK COMPILE_AS_CMAKE_LANGUAGE CUDA_RELOCATABLE_DEVICE_CODE)
    if(Kokkos_ENABLE_${option})
      list(APPEND options ${option})
    endif()
  endforeach()
  if(options)
    list(JOIN options ", " options)
    string(APPEND text "; ${options}")
  endif()
  set(version "${Kokkos_VERSION}")
  if(NOT version AND Kokkos_SOURCE_DIR)
    # A Kokkos built in the same tree keeps its version to its own folder.
    get_directory_property(version DIRECTORY "${Kokkos_SOURCE_DIR}" DEFINITION Kokkos_VERSION)
  endif()
  set(${result} "Kokkos ${version} (${text})" PARENT_SCOPE)
endfunction()
