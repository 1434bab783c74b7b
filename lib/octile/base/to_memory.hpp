// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/base/allocation.hpp>
#include <octile/base/array.hpp>

#include <Kokkos_Core.hpp>

#include <string>

namespace octile::detail {

/// A copy of a vector in the memory space, ordered on `space`. Throws `Error` where memory is short.
template <class MemorySpace, class ExecutionSpace, class Vector>
auto to_memory(const ExecutionSpace& space, const std::string& name, const Vector& values) {
  using T = typename Vector::value_type;
  Array<T, MemorySpace> view;
  allocating("what is copied to another memory", [&] {
    view = decltype(view)(Kokkos::view_alloc(space, Kokkos::WithoutInitializing, "octile::" + name), values.size());
  });
  const Kokkos::View<const T*, Kokkos::LayoutRight, Kokkos::HostSpace, Kokkos::MemoryUnmanaged> host(values.data(),
                                                                                                     values.size());
  Kokkos::deep_copy(space, view, host);
  return view;
}

/// What a View holds, on the host, which may be the View itself. Fences `space`, by this name. Throws `Error` where memory is short.
template <class ExecutionSpace, class View>
auto to_host(const ExecutionSpace& space, const std::string& fence, const View& view) {
  auto host = allocating("what is copied to the host", [&] {
    return Kokkos::create_mirror_view(Kokkos::WithoutInitializing, Kokkos::HostSpace(), view);
  });
  Kokkos::deep_copy(space, host, view);
  space.fence("octile::" + fence);
  return host;
}

}  // namespace octile::detail
