// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Macros.hpp>

// The moves that the paper counts for its dense primitives, by name: device ("global") memory to registers and
// back, and the same for team scratch ("shared"). For every real scalar they are a load or a store and nothing
// else. The tests give a scalar that counts its own (see `Meter`), and hold the counts against the paper's
// formulas (docs/primitives.md).
namespace octile::portable {

/// Told of every move of a T that the primitives name. Specialize it for a type that counts.
template <class T>
struct Meter {
  KOKKOS_INLINE_FUNCTION static void global_load() {}
  KOKKOS_INLINE_FUNCTION static void global_store() {}
  KOKKOS_INLINE_FUNCTION static void shared_load() {}
  KOKKOS_INLINE_FUNCTION static void shared_store() {}
  /// From a register of another thread of the warp: the paper's shuffle, which it does not count.
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
