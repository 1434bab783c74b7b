// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/error.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <exception>
#include <string>

namespace octile::detail {

/// Throws `Error` unless Kokkos is initialised. `what` needs it.
inline void require_kokkos(const std::string& what) {
  if (Kokkos::is_initialized() && !Kokkos::is_finalized()) return;
  throw Error(what + " needs Kokkos, which is not initialised; allowed is a Kokkos::ScopeGuard that outlives it");
}

/// Calls `allocate`, and returns what it does. Where memory is short, throws `Error` in one line.
template <class Allocate>
auto allocating(const std::string& what, const Allocate& allocate) {
  try {
    return allocate();
  } catch (const Error&) {
    throw;
  } catch (const std::exception& failure) {
    const std::string why = failure.what();
    throw Error("there is no memory for " + what + ": " + why.substr(0, why.find('\n')));
  }
}

/// Makes a View with its values on `space`. Throws what Kokkos throws, and the View is as it was.
template <class ExecutionSpace, class View, class... Extents>
void make(const ExecutionSpace& space, View& view, const char* name, Extents... extents) {
  view = View(Kokkos::view_alloc(space, std::string("octile::") + name), extents...);
}

/// Makes a View at least `length` long on `space`, without its values. One that is long enough is kept. Throws what Kokkos throws, and the
/// View is as it was.
template <class ExecutionSpace, class View>
void grow(const ExecutionSpace& space, View& view, const char* name, std::size_t length) {
  if (length <= view.extent(0)) return;
  view = View(Kokkos::view_alloc(space, Kokkos::WithoutInitializing, std::string("octile::") + name), length);
}

}  // namespace octile::detail
