// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>

// `OCTILE_IN_LIBRARY template ...` names what depends on no type of the user's: the library has it for one of Kokkos' execution spaces, and a
// user's file does not compile it again. backends/octile/views_in_library.cpp leaves the word empty, which makes each such line an
// instantiation: it must read each header that has one. The word is not the user's to define.
#ifndef OCTILE_IN_LIBRARY
#define OCTILE_IN_LIBRARY extern
#endif

namespace octile::detail {

/// The execution space that the library has instantiations for, and its memory. What Kokkos takes for the default is another thing: a user's
/// file may choose that. In other spaces, such as Serial beside OpenMP, a user's file compiles what it uses.
#if defined(KOKKOS_ENABLE_CUDA)
using LibrarySpace = Kokkos::Cuda;
#elif defined(KOKKOS_ENABLE_OPENMP)
using LibrarySpace = Kokkos::OpenMP;
#else
using LibrarySpace = Kokkos::Serial;
#endif
using LibraryMemory = LibrarySpace::memory_space;

}  // namespace octile::detail
