// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/graph.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace octile {

namespace detail {

/// Elements of a rank-1 View of any memory space and layout, converted to T. Fences `space`.
template <class T, class ExecutionSpace, class View>
std::vector<T> to_vector(const ExecutionSpace& space, const View& view) {
  static_assert(View::rank() == 1, "a View of rank 1 is needed");
  using Value = typename View::non_const_value_type;
  // A strided View cannot be copied across memory spaces, so it is first made contiguous in its own space.
  const Kokkos::View<Value*, typename View::device_type> contiguous(
      Kokkos::view_alloc(space, Kokkos::WithoutInitializing, "octile::contiguous"), view.extent(0));
  Kokkos::deep_copy(space, contiguous, view);
  const auto host = Kokkos::create_mirror_view(Kokkos::WithoutInitializing, Kokkos::HostSpace(), contiguous);
  Kokkos::deep_copy(space, host, contiguous);
  space.fence("octile::to_vector");
  return std::vector<T>(host.data(), host.data() + host.extent(0));
}

}  // namespace detail

/// A label column from a View: integers become an integer column, floating-point
/// numbers a real one. Copies on `space` and fences it.
template <class ExecutionSpace, class View>
LabelColumn label_column(const ExecutionSpace& space, const View& view) {
  using Value = typename View::non_const_value_type;
  static_assert(std::is_arithmetic_v<Value>, "labels in a View are numbers");
  using Kept = std::conditional_t<std::is_integral_v<Value>, std::int64_t, double>;
  return detail::to_vector<Kept>(space, view);
}

/// A graph whose symmetric adjacency matrix lies in Views as compressed rows, in the
/// format of Kokkos Kernels: `row_offsets` has n + 1 elements, `columns` and `weights` one
/// for each entry of both triangles. Edge label columns (see
/// `label_column`) follow `columns`. Copies on `space` and fences it, since the
/// graph is checked on the host. Throws as `Graph::from_adjacency` does.
template <class ExecutionSpace, class Offsets, class Columns, class Weights>
Graph graph_from_views(const ExecutionSpace& space, const std::string& name, const Offsets& row_offsets,
                       const Columns& columns, const Weights& weights, const LabelColumns& vertex_labels = {},
                       const LabelColumns& edge_labels = {}) {
  const auto rows = detail::to_vector<std::int32_t>(space, row_offsets);
  const auto entries = detail::to_vector<std::int32_t>(space, columns);
  const auto values = detail::to_vector<double>(space, weights);
  return Graph::from_adjacency(name, rows, entries, values, vertex_labels, edge_labels);
}

}  // namespace octile
