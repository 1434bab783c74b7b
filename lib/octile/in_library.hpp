// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>

// `OCTILE_IN_LIBRARY template ...` names what depends on no type of the user's: the library has it for Kokkos' default execution space, and a
// user's file does not compile it again. views_in_library.cpp leaves the word empty, which makes each such line an instantiation.
#ifndef OCTILE_IN_LIBRARY
#define OCTILE_IN_LIBRARY extern
#endif

namespace octile::detail {

/// The execution space that the library has instantiations for, and its memory.
using LibrarySpace = Kokkos::DefaultExecutionSpace;
using LibraryMemory = LibrarySpace::memory_space;

}  // namespace octile::detail
