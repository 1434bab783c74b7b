// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <limits>

namespace octile::detail {

/// Views beside each other. `make<Label>(k)` is `Label{views(k)...}`, in their order.
template <class... Views>
struct ViewsOfMembers {
  std::size_t room() const { return std::numeric_limits<std::size_t>::max(); }
  template <class Label, class... Values>
  KOKKOS_INLINE_FUNCTION Label make(std::size_t, const Values&... values) const {
    return Label{values...};
  }
};
template <class First, class... Rest>
struct ViewsOfMembers<First, Rest...> {
  First first;
  ViewsOfMembers<Rest...> rest;

  explicit ViewsOfMembers(const First& of_first, const Rest&... of_rest) : first(of_first), rest{of_rest...} {}

  /// The length of the shortest View.
  std::size_t room() const { return std::min(first.extent(0), rest.room()); }
  template <class Label, class... Values>
  KOKKOS_INLINE_FUNCTION Label make(std::size_t k, const Values&... values) const {
    return rest.template make<Label>(k, values..., first(k));
  }
};

/// Labels that are structs of which each member has a View of its own, where a View of labels is expected.
template <class Label, class... Views>
class StructLabels {
 public:
  using non_const_value_type = Label;

  /// Whether code that accesses a memory space may read all Views.
  template <class MemorySpace>
  static constexpr bool readable = (Kokkos::SpaceAccessibility<MemorySpace, typename Views::memory_space>::accessible &&
                                    ...);

  explicit StructLabels(const Views&... views) : views_(views...) {}

  std::size_t extent(int) const { return views_.room(); }
  KOKKOS_INLINE_FUNCTION Label operator()(std::size_t k) const { return views_.template make<Label>(k); }

 private:
  ViewsOfMembers<Views...> views_;
};

}  // namespace octile::detail
