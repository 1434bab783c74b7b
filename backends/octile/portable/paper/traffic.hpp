// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Macros.hpp>

// Named functions for the moves that the paper counts for its dense primitives: between device ("global") memory and
// registers, and between team scratch ("shared") and registers. For real scalars each is a plain load or store. The
// tests use a scalar that counts its moves (see `Meter`), and compare the counts with the paper's
// formulas (docs/primitives.md).
namespace octile::portable {

/// Called for every named move of a T. Specialize it for a type that counts.
template <class T>
struct Meter {
  KOKKOS_INLINE_FUNCTION static void global_load() {}
  KOKKOS_INLINE_FUNCTION static void global_store() {}
  KOKKOS_INLINE_FUNCTION static void shared_load() {}
  KOKKOS_INLINE_FUNCTION static void shared_store() {}
  /// A read from a register of another thread of the warp: a shuffle in the paper, which does not count it.
  KOKKOS_INLINE_FUNCTION static void exchange() {}
};

template <class T>
KOKKOS_INLINE_FUNCTION T load_global(const T& from) {
  Meter<T>::global_load();
  return from;
}

template <class T>
KOKKOS_INLINE_FUNCTION void store_global(T& to, const T& value) {
  Meter<T>::global_store();
  to = value;
}

template <class T>
KOKKOS_INLINE_FUNCTION T load_shared(const T& from) {
  Meter<T>::shared_load();
  return from;
}

template <class T>
KOKKOS_INLINE_FUNCTION void store_shared(T& to, const T& value) {
  Meter<T>::shared_store();
  to = value;
}

template <class T>
KOKKOS_INLINE_FUNCTION T load_exchanged(const T& from) {
  Meter<T>::exchange();
  return from;
}

}  // namespace octile::portable
