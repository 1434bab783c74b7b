# SPDX-License-Identifier: BSD-3-Clause
# The headers that a user includes are those under lib/include, backends/include and reorder/include, and version.hpp, which is made.
# Each compiles by itself from an installation, which is tested. All others are installed, in a folder of their own, because these
# include them; they may change from one version to the next.
set(octile_public_headers octile/version.hpp)
set(octile_public_cuda_headers "")
foreach(root IN ITEMS lib backends reorder)
  foreach(kind IN ITEMS hpp cuh)
    file(GLOB_RECURSE headers RELATIVE "${PROJECT_SOURCE_DIR}/${root}/include" CONFIGURE_DEPENDS
         "${PROJECT_SOURCE_DIR}/${root}/include/*.${kind}")
    if(kind STREQUAL "cuh")
      # Where Kokkos has CUDA.
      list(APPEND octile_public_cuda_headers ${headers})
    else()
      list(APPEND octile_public_headers ${headers})
    endif()
  endforeach()
endforeach()
# For programs that link MPI; examples/train_gp compiles it.
list(FILTER octile_public_headers EXCLUDE REGEX "^octile/mpi/")
