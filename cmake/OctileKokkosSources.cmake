# SPDX-License-Identifier: BSD-3-Clause
# octile_kokkos_sources(<target> <file>...)
# Adds files that include Kokkos, directly or not, to a target. Where Kokkos was built with CUDA they go through nvcc, for the GPU
# that Kokkos is for; all other files stay with the C++ compiler. Installed with the package, because a user's own files have the
# same need.
function(octile_kokkos_sources target)
  target_sources(${target} PRIVATE ${ARGN})
  # Not Kokkos' own variables: those of a Kokkos found elsewhere in the tree are not seen from here.
  get_target_property(language octile::octile OCTILE_KOKKOS_LANGUAGE)
  if(NOT language STREQUAL "CUDA")
    return()
  endif()
  # CMake 3.31 and newer would compile them together, too.
  set_source_files_properties(${ARGN} TARGET_DIRECTORY ${target} PROPERTIES LANGUAGE CUDA SKIP_UNITY_BUILD_INCLUSION ON)
  # A project that enabled CUDA before it found Octile has CMake's default there, for which Kokkos has no code.
  get_target_property(wanted octile::octile OCTILE_CUDA_ARCHITECTURES)
  get_target_property(chosen ${target} CUDA_ARCHITECTURES)
  if(wanted AND NOT "${chosen}" MATCHES "${wanted}")
    set_target_properties(${target} PROPERTIES CUDA_ARCHITECTURES "${wanted}")
  endif()
endfunction()
