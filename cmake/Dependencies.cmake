# SPDX-License-Identifier: BSD-3-Clause
# Finds Kokkos and Kokkos Kernels. A Kokkos that the parent project has is taken, or else the one that CMake finds: as it is, with the
# execution spaces that it has, or refused with a sentence. Only with OCTILE_BUILD_KOKKOS is one built, where none that suits
# is found, from a source folder given by the user or from the pinned sources.
# After octile_find_kokkos() the targets Kokkos::kokkos and, where it is wanted, octile_kokkos_kernels exist.
include("${CMAKE_CURRENT_LIST_DIR}/OctileKokkos.cmake")
include("${CMAKE_CURRENT_LIST_DIR}/Stamp.cmake")
include("${CMAKE_CURRENT_LIST_DIR}/PinnedSources.cmake")
include("${CMAKE_CURRENT_LIST_DIR}/BuildDependency.cmake")

set(OCTILE_KOKKOS_MINIMUM 4.7.0)
set(OCTILE_KOKKOS_KERNELS_MINIMUM 4.5.1)
set(OCTILE_DOWNLOADS_DIR "${PROJECT_BINARY_DIR}/downloads" CACHE PATH "Where pinned source archives are kept")
set(OCTILE_DEPENDENCIES_DIR "${PROJECT_BINARY_DIR}/dependencies" CACHE PATH "Where dependencies that we build are installed")
set(OCTILE_KOKKOS_SOURCE "" CACHE PATH "A source folder of Kokkos to build with OCTILE_BUILD_KOKKOS")
set(OCTILE_KOKKOS_KERNELS_SOURCE "" CACHE PATH "A source folder of Kokkos Kernels to build with OCTILE_BUILD_KOKKOS")
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

# Sets `result` to what keeps Octile from using the Kokkos that the variables Kokkos_* describe, and how to mend it; or to an
# empty string.
function(octile_judge_kokkos result)
  set(faults "")
  if(Kokkos_VERSION VERSION_LESS OCTILE_KOKKOS_MINIMUM)
    list(APPEND faults "it is older than ${OCTILE_KOKKOS_MINIMUM}")
  endif()
  if(NOT Kokkos_ENABLE_SERIAL AND NOT Kokkos_ENABLE_OPENMP)
    list(APPEND faults "it has neither Serial nor OpenMP (rebuild it with -DKokkos_ENABLE_SERIAL=ON)")
  endif()
  if(Kokkos_ENABLE_CUDA)
    # Kokkos' wrapper around nvcc would compile every file, RDKit's headers too; as a CMake language only those that we name.
    if(NOT Kokkos_ENABLE_COMPILE_AS_CMAKE_LANGUAGE)
      list(APPEND faults "it compiles CUDA through a wrapper (rebuild it with -DKokkos_ENABLE_COMPILE_AS_CMAKE_LANGUAGE=ON)")
    endif()
    # Seen with Kokkos 4.7.0, nvcc 13.0 and g++ 12.2: the first deep_copy of a View based on mdspan writes out of bounds on the GPU.
    if(NOT Kokkos_ENABLE_IMPL_VIEW_LEGACY AND Kokkos_VERSION VERSION_LESS 5)
      list(APPEND faults "with CUDA its Views based on mdspan write out of bounds (rebuild it with -DKokkos_ENABLE_IMPL_VIEW_LEGACY=ON)")
    endif()
  elseif(OCTILE_ENABLE_CUDA)
    list(APPEND faults "it has no CUDA, which OCTILE_ENABLE_CUDA asks for (rebuild it with -DKokkos_ENABLE_CUDA=ON)")
  endif()
  if(OCTILE_KOKKOS_BOUNDS_CHECK AND NOT Kokkos_ENABLE_DEBUG_BOUNDS_CHECK)
    list(APPEND faults "it does not check bounds, which OCTILE_KOKKOS_BOUNDS_CHECK asks for (rebuild it with -DKokkos_ENABLE_DEBUG_BOUNDS_CHECK=ON)")
  endif()
  list(JOIN faults ", and " faults)
  set(${result} "${faults}" PARENT_SCOPE)
endfunction()

# The same of the Kokkos that the probe found.
function(octile_judge_probed_kokkos result)
  set(Kokkos_VERSION "${probe_kokkos_version}")
  foreach(device IN ITEMS SERIAL OPENMP CUDA)
    set(Kokkos_ENABLE_${device} OFF)
  endforeach()
  foreach(option IN ITEMS COMPILE_AS_CMAKE_LANGUAGE IMPL_VIEW_LEGACY DEBUG_BOUNDS_CHECK)
    set(Kokkos_ENABLE_${option} OFF)
  endforeach()
  foreach(name IN LISTS probe_kokkos_devices probe_kokkos_options)
    set(Kokkos_ENABLE_${name} ON)
  endforeach()
  octile_judge_kokkos(faults)
  if(Kokkos_ENABLE_CUDA AND NOT OCTILE_ENABLE_CUDA)
    # Presets are for one kind of machine each: that without CUDA takes no Kokkos with it.
    list(APPEND faults "it has CUDA, and OCTILE_ENABLE_CUDA is off")
  endif()
  set(${result} "${faults}" PARENT_SCOPE)
endfunction()

# Builds Kokkos into OCTILE_DEPENDENCIES_DIR from the user's folder or the pinned sources.
function(octile_build_kokkos)
  if(OCTILE_KOKKOS_SOURCE)
    set(source "${OCTILE_KOKKOS_SOURCE}")
    set(OCTILE_SOURCE_IDENTITY "")
  else()
    octile_pinned_source(
      pygenten tpls/kokkos source PATCHES "${PROJECT_SOURCE_DIR}/cmake/kokkos-4.7.0-cuda-13.patch"
      "${PROJECT_SOURCE_DIR}/cmake/kokkos-4.7.0-together.patch")
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
# Sets OCTILE_BUILT_KOKKOS to say whether it is ours, to be installed with Octile; OCTILE_KOKKOS_DESCRIPTION to what it is;
# OCTILE_KOKKOS_LANGUAGE to the language of files that include it.
macro(octile_find_kokkos)
  set(OCTILE_BUILT_KOKKOS OFF)
  if(OCTILE_ENABLE_CUDA)
    # Before Kokkos is built, which needs the compiler.
    octile_enable_cuda()
  endif()
  if(TARGET Kokkos::kokkos)
    set(octile_kokkos_place "the parent project's")
  else()
    if(OCTILE_BUILD_KOKKOS)
      octile_locate_kokkos()
    endif()
    find_package(Kokkos CONFIG QUIET)
    if(NOT Kokkos_FOUND)
      message(
        FATAL_ERROR
          "Octile needs Kokkos ${OCTILE_KOKKOS_MINIMUM} or newer and found none. There are three ways: install Kokkos and point CMAKE_PREFIX_PATH "
          "or Kokkos_DIR at it; bring it into your own project before Octile, so that the target Kokkos::kokkos is there; or have it "
          "built from pinned sources with -DOCTILE_BUILD_KOKKOS=ON.")
    endif()
    set(octile_kokkos_place "in ${Kokkos_DIR}")
  endif()
  if(NOT Kokkos_VERSION AND Kokkos_SOURCE_DIR)
    # A Kokkos built in the same tree keeps its version to its own folder.
    get_directory_property(Kokkos_VERSION DIRECTORY "${Kokkos_SOURCE_DIR}" DEFINITION Kokkos_VERSION)
  endif()
  octile_kokkos_description(OCTILE_KOKKOS_DESCRIPTION)
  octile_judge_kokkos(octile_kokkos_faults)
  if(octile_kokkos_faults)
    message(FATAL_ERROR "Octile cannot use ${OCTILE_KOKKOS_DESCRIPTION}, ${octile_kokkos_place}: ${octile_kokkos_faults}.")
  endif()
  message(STATUS "Octile: taking ${OCTILE_KOKKOS_DESCRIPTION}, ${octile_kokkos_place}")
  set(OCTILE_KOKKOS_LANGUAGE CXX)
  if(Kokkos_ENABLE_CUDA)
    set(OCTILE_KOKKOS_LANGUAGE CUDA)
    octile_enable_cuda()
  endif()
  if(OCTILE_WITH_KOKKOS_KERNELS)
    octile_find_kokkos_kernels()
  else()
    message(STATUS "Octile: without Kokkos Kernels there is no backend 'assembled' and no primitive 'naive'")
  endif()
endmacro()

# A macro, because enable_language must not run in a function.
macro(octile_enable_cuda)
  if(NOT PROJECT_IS_TOP_LEVEL AND NOT CMAKE_CUDA_COMPILER)
    message(FATAL_ERROR "This Kokkos has CUDA, and CMake enables a language for a project and what is below it alone: say "
                        "project(... LANGUAGES CXX CUDA) in the project that adds Octile.")
  endif()
  if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES AND Kokkos_CUDA_ARCHITECTURES)
    set(CMAKE_CUDA_ARCHITECTURES ${Kokkos_CUDA_ARCHITECTURES})
  endif()
  enable_language(CUDA)
endmacro()

# Defines octile_kokkos_kernels, Kokkos Kernels' headers. One source of ours includes them, and no header that a user does.
macro(octile_find_kokkos_kernels)
  if(NOT TARGET Kokkos::kokkoskernels)
    get_target_property(octile_kokkos_imported Kokkos::kokkos IMPORTED)
    if(octile_kokkos_imported)
      find_package(KokkosKernels CONFIG QUIET)
    endif()
  endif()
  add_library(octile_kokkos_kernels INTERFACE)
  if(TARGET Kokkos::kokkoskernels)
    if(KokkosKernels_VERSION AND KokkosKernels_VERSION VERSION_LESS OCTILE_KOKKOS_KERNELS_MINIMUM)
      message(FATAL_ERROR "Octile needs Kokkos Kernels ${OCTILE_KOKKOS_KERNELS_MINIMUM} or newer; ${KokkosKernels_VERSION} in "
                          "${KokkosKernels_DIR} is older.")
    endif()
    target_link_libraries(octile_kokkos_kernels INTERFACE Kokkos::kokkoskernels)
  else()
    # Beside a Kokkos of the same tree its package would bring a second Kokkos. The headers suffice.
    find_path(OCTILE_KOKKOS_KERNELS_INCLUDE_DIR KokkosSparse_spmv_team.hpp HINTS "${KokkosKernels_DIR}/../../../include"
              DOC "The folder that holds KokkosSparse_spmv_team.hpp")
    if(NOT OCTILE_KOKKOS_KERNELS_INCLUDE_DIR)
      message(FATAL_ERROR "Octile found no Kokkos Kernels. Point CMAKE_PREFIX_PATH or KokkosKernels_DIR at it, or have Octile without "
                          "backend 'assembled' and primitive 'naive' by -DOCTILE_WITH_KOKKOS_KERNELS=OFF.")
    endif()
    target_include_directories(octile_kokkos_kernels SYSTEM INTERFACE "${OCTILE_KOKKOS_KERNELS_INCLUDE_DIR}")
  endif()
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
    octile_judge_probed_kokkos(faults)
    if(faults)
      message(STATUS "Octile: not taking the Kokkos ${probe_kokkos_version} in ${probe_kokkos_dir}: ${faults}")
    else()
      set(built_kokkos OFF)
      if(probe_kernels_dir AND probe_kernels_version VERSION_GREATER_EQUAL OCTILE_KOKKOS_KERNELS_MINIMUM)
        message(STATUS "Octile: taking the Kokkos Kernels ${probe_kernels_version} in ${probe_kernels_dir}")
        set(built_kernels OFF)
      endif()
    endif()
  endif()
  if(NOT OCTILE_WITH_KOKKOS_KERNELS)
    set(built_kernels OFF)
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
  if(kernels_dir)
    set(KokkosKernels_DIR "${kernels_dir}" CACHE PATH "The folder of KokkosKernelsConfig.cmake" FORCE)
  endif()
  set(OCTILE_BUILT_KOKKOS ${built_kokkos} PARENT_SCOPE)
endfunction()
