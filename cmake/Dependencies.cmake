# SPDX-License-Identifier: BSD-3-Clause
# Finds Kokkos and Kokkos Kernels: an installed one that suits us first, a source folder given by the user second, the pinned
# sources third. After octile_find_kokkos() the targets Kokkos::kokkos and Kokkos::kokkoskernels exist.
include("${CMAKE_CURRENT_LIST_DIR}/PinnedSources.cmake")
include("${CMAKE_CURRENT_LIST_DIR}/BuildDependency.cmake")

set(OCTILE_KOKKOS_MINIMUM 4.7.0)
set(OCTILE_KOKKOS_KERNELS_MINIMUM 4.5.1)
set(OCTILE_DOWNLOADS_DIR "${PROJECT_BINARY_DIR}/downloads" CACHE PATH "Where pinned source archives are kept")
set(OCTILE_DEPENDENCIES_DIR "${PROJECT_BINARY_DIR}/dependencies" CACHE PATH "Where dependencies that we build are installed")
set(OCTILE_KOKKOS_SOURCE "" CACHE PATH "A source folder of Kokkos to build, when none is installed")
set(OCTILE_KOKKOS_KERNELS_SOURCE "" CACHE PATH "A source folder of Kokkos Kernels to build, when none is installed")
set(OCTILE_CUDA_ARCHITECTURE HOPPER90 CACHE STRING "The GPU that a Kokkos built by us is for, by Kokkos' own name")

# Runs the probe project and leaves its findings, the variables probe_*, in the caller's scope.
macro(octile_probe_installed_kokkos)
  set(probe_report "${PROJECT_BINARY_DIR}/probe/report.cmake")
  set(probe_arguments "")
  foreach(variable IN ITEMS Kokkos_ROOT KokkosKernels_ROOT Kokkos_DIR KokkosKernels_DIR CMAKE_TOOLCHAIN_FILE)
    if(DEFINED ${variable} AND ${variable})
      list(APPEND probe_arguments "-D${variable}=${${variable}}")
    endif()
  endforeach()
  # A list of folders must reach the other process as one argument.
  string(REPLACE ";" "\\;" probe_prefix_path "${CMAKE_PREFIX_PATH}")
  execute_process(
    COMMAND
      "${CMAKE_COMMAND}" --fresh -S "${CMAKE_CURRENT_FUNCTION_LIST_DIR}/probe" -B "${PROJECT_BINARY_DIR}/probe" -G
      "${CMAKE_GENERATOR}" "-DCMAKE_CXX_COMPILER=${CMAKE_CXX_COMPILER}" "-DCMAKE_PREFIX_PATH=${probe_prefix_path}"
      "-Dreport=${probe_report}" ${probe_arguments}
    OUTPUT_QUIET ERROR_QUIET)
  include("${probe_report}" OPTIONAL)
endmacro()

# Sets `result` to what is wrong with the probed Kokkos for this build, or to an empty string.
function(octile_judge_kokkos result)
  set(missing "")
  if(probe_kokkos_version VERSION_LESS OCTILE_KOKKOS_MINIMUM)
    list(APPEND missing "version ${OCTILE_KOKKOS_MINIMUM} or newer")
  endif()
  set(devices SERIAL OPENMP)
  if(OCTILE_ENABLE_CUDA)
    list(APPEND devices CUDA)
  endif()
  foreach(device IN LISTS devices)
    if(NOT device IN_LIST probe_kokkos_devices)
      list(APPEND missing "the ${device} backend")
    endif()
  endforeach()
  if(OCTILE_ENABLE_CUDA)
    # Kokkos' wrapper around nvcc would compile every file, RDKit's headers too; as a CMake language only those that we name.
    if(NOT probe_kokkos_language STREQUAL "CUDA")
      list(APPEND missing "Kokkos_ENABLE_COMPILE_AS_CMAKE_LANGUAGE=ON")
    endif()
    # The mdspan-based View of Kokkos 4.7 writes out of bounds under nvcc 13 and g++ 12.
    if(NOT "IMPL_VIEW_LEGACY" IN_LIST probe_kokkos_options)
      list(APPEND missing "Kokkos_ENABLE_IMPL_VIEW_LEGACY=ON")
    endif()
  elseif("CUDA" IN_LIST probe_kokkos_devices)
    list(APPEND missing "a build without CUDA (OCTILE_ENABLE_CUDA, or the preset cuda, takes one with it)")
  endif()
  if(OCTILE_KOKKOS_BOUNDS_CHECK AND NOT "DEBUG_BOUNDS_CHECK" IN_LIST probe_kokkos_options)
    list(APPEND missing "Kokkos_ENABLE_DEBUG_BOUNDS_CHECK=ON")
  endif()
  list(JOIN missing ", " missing)
  set(${result} "${missing}" PARENT_SCOPE)
endfunction()

# Builds Kokkos into OCTILE_DEPENDENCIES_DIR from the user's folder or the pinned sources.
function(octile_build_kokkos)
  if(OCTILE_KOKKOS_SOURCE)
    set(source "${OCTILE_KOKKOS_SOURCE}")
    set(OCTILE_SOURCE_IDENTITY "")
  else()
    octile_pinned_source(pygenten tpls/kokkos source PATCHES "${PROJECT_SOURCE_DIR}/cmake/kokkos-4.7.0-cuda-13.patch")
  endif()
  set(options
      -DCMAKE_BUILD_TYPE=Release
      -DKokkos_ENABLE_SERIAL=ON
      -DKokkos_ENABLE_OPENMP=ON
      -DKokkos_ENABLE_IMPL_VIEW_LEGACY=ON
      -DKokkos_ENABLE_TESTS=OFF
      -DKokkos_ENABLE_EXAMPLES=OFF
      -DKokkos_ENABLE_BENCHMARKS=OFF)
  if(OCTILE_KOKKOS_BOUNDS_CHECK)
    list(APPEND options -DKokkos_ENABLE_DEBUG_BOUNDS_CHECK=ON)
  endif()
  if(OCTILE_ENABLE_CUDA)
    list(APPEND options -DKokkos_ENABLE_CUDA=ON -DKokkos_ENABLE_COMPILE_AS_CMAKE_LANGUAGE=ON
         -DKokkos_ARCH_${OCTILE_CUDA_ARCHITECTURE}=ON "-DCMAKE_CUDA_COMPILER=${CMAKE_CUDA_COMPILER}"
         "-DCMAKE_CUDA_FLAGS=${CMAKE_CUDA_FLAGS}" "-DCMAKE_CUDA_ARCHITECTURES=${CMAKE_CUDA_ARCHITECTURES}")
  endif()
  octile_build_dependency(Kokkos "${source}" "${OCTILE_DEPENDENCIES_DIR}" ${options})
endfunction()

# Builds Kokkos Kernels against the Kokkos in `kokkos_dir`. Without instantiations made in advance it is headers only.
function(octile_build_kokkos_kernels kokkos_dir)
  if(OCTILE_KOKKOS_KERNELS_SOURCE)
    set(source "${OCTILE_KOKKOS_KERNELS_SOURCE}")
    set(OCTILE_SOURCE_IDENTITY "")
  else()
    octile_pinned_source(pycompadre kokkos-kernels source)
  endif()
  set(options -DCMAKE_BUILD_TYPE=Release "-DKokkos_DIR=${kokkos_dir}" -DKokkosKernels_ADD_DEFAULT_ETI=OFF
              -DKokkosKernels_ENABLE_TESTS=OFF -DKokkosKernels_ENABLE_EXAMPLES=OFF)
  foreach(library IN ITEMS BLAS LAPACK CUBLAS CUSPARSE CUSOLVER)
    list(APPEND options "-DKokkosKernels_ENABLE_TPL_${library}=OFF")
  endforeach()
  if(OCTILE_ENABLE_CUDA)
    list(APPEND options "-DCMAKE_CUDA_COMPILER=${CMAKE_CUDA_COMPILER}" "-DCMAKE_CUDA_FLAGS=${CMAKE_CUDA_FLAGS}")
  endif()
  octile_build_dependency(KokkosKernels "${source}" "${OCTILE_DEPENDENCIES_DIR}" ${options})

  # Its configuration file remembers the folder in which it found Kokkos here. Ours travels in one prefix with it instead.
  set(config "${OCTILE_DEPENDENCIES_DIR}/lib/cmake/KokkosKernels/KokkosKernelsConfig.cmake")
  file(READ "${config}" text)
  string(REPLACE "find_dependency(Kokkos HINTS ${kokkos_dir})"
                 "find_dependency(Kokkos HINTS \"\${KokkosKernels_CMAKE_DIR}/../Kokkos\")" relocatable "${text}")
  if(NOT relocatable STREQUAL text)
    file(WRITE "${config}" "${relocatable}")
  endif()
endfunction()

# A macro, because find_package must leave Kokkos' variables and targets in the caller's scope.
# Sets OCTILE_BUILT_KOKKOS and OCTILE_BUILT_KOKKOS_KERNELS to say which of the two are ours, to be installed with Octile.
macro(octile_find_kokkos)
  octile_locate_kokkos()
  find_package(Kokkos ${OCTILE_KOKKOS_MINIMUM} CONFIG REQUIRED)
  find_package(KokkosKernels ${OCTILE_KOKKOS_KERNELS_MINIMUM} CONFIG REQUIRED)
endmacro()

# Decides which Kokkos is ours to use, builds what is missing, and leaves the answer in Kokkos_DIR and KokkosKernels_DIR.
function(octile_locate_kokkos)
  set(ours "${OCTILE_DEPENDENCIES_DIR}/lib/cmake")
  # Our own build is no find: were it taken for an installed one, a changed pin would never be built.
  foreach(package IN ITEMS Kokkos KokkosKernels)
    if(${package}_DIR STREQUAL "${ours}/${package}")
      unset(${package}_DIR CACHE)
    endif()
  endforeach()

  octile_probe_installed_kokkos()
  set(built_kokkos ON)
  set(built_kernels ON)
  if(probe_kokkos_dir)
    octile_judge_kokkos(missing)
    if(missing)
      message(STATUS "Octile: not taking the Kokkos ${probe_kokkos_version} in ${probe_kokkos_dir}; it lacks: ${missing}")
    else()
      message(STATUS "Octile: taking the Kokkos ${probe_kokkos_version} in ${probe_kokkos_dir}")
      set(built_kokkos OFF)
      if(probe_kernels_dir AND probe_kernels_version VERSION_GREATER_EQUAL OCTILE_KOKKOS_KERNELS_MINIMUM)
        message(STATUS "Octile: taking the Kokkos Kernels ${probe_kernels_version} in ${probe_kernels_dir}")
        set(built_kernels OFF)
      endif()
    endif()
  endif()

  set(kokkos_dir "${probe_kokkos_dir}")
  set(kernels_dir "${probe_kernels_dir}")
  if(built_kokkos)
    octile_build_kokkos()
    set(kokkos_dir "${ours}/Kokkos")
  endif()
  if(built_kernels)
    octile_build_kokkos_kernels("${kokkos_dir}")
    set(kernels_dir "${ours}/KokkosKernels")
  endif()
  set(Kokkos_DIR "${kokkos_dir}" CACHE PATH "The folder of KokkosConfig.cmake" FORCE)
  set(KokkosKernels_DIR "${kernels_dir}" CACHE PATH "The folder of KokkosKernelsConfig.cmake" FORCE)
  set(OCTILE_BUILT_KOKKOS ${built_kokkos} PARENT_SCOPE)
  set(OCTILE_BUILT_KOKKOS_KERNELS ${built_kernels} PARENT_SCOPE)
endfunction()
