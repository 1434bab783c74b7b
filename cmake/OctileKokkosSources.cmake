# SPDX-License-Identifier: BSD-3-Clause
# octile_kokkos_sources(<target> <file>...)
# Adds files that include Kokkos, directly or not, to a target. Where Kokkos was built with CUDA they go through nvcc; all other
# files stay with the C++ compiler. Installed with the package, because a user's own files have the same need.
function(octile_kokkos_sources target)
  target_sources(${target} PRIVATE ${ARGN})
  if(Kokkos_COMPILE_LANGUAGE)
    set_source_files_properties(${ARGN} TARGET_DIRECTORY ${target} PROPERTIES LANGUAGE ${Kokkos_COMPILE_LANGUAGE})
  endif()
endfunction()
