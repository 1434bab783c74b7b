// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/base/to_memory.hpp>
#include <octile/cuda/device/buffers.cuh>
#include <octile/graph.hpp>
#include <octile/graphs/rows.hpp>
#include <octile/stopping.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace octile::cuda {

/// The non-zero elements of S = D^-1/2 A D^-1/2 of every graph of a set, as kernels read them. The vertices of all
/// graphs are stored consecutively, and so are the rows.
struct ScaledSetView {
  const std::uint32_t* vertex_begin;  ///< graphs + 1
  const std::uint32_t* row_begin;     ///< vertices + 1
  const std::int32_t* columns;        ///< vertices of the same graph, from 0
  const double* entries;
  const double* root;   ///< D^1/2
  const double* start;  ///< D^-1/2 p
};

/// The host's copy of the arrays of `ScaledSetView`, filled graph by graph.
struct ScaledSet {
  std::vector<std::uint32_t> vertex_begin{0};
  std::vector<std::uint32_t> row_begin{0};
  std::vector<std::int32_t> columns;
  std::vector<double> entries;
  std::vector<double> root;
  std::vector<double> start;
  std::vector<double> stop_norm;   ///< ‖D^1/2 1‖ of each graph
  std::vector<double> start_norm;  ///< ‖D^-1/2 p‖ of each graph

  ScaledSet(std::span<const Graph> graphs, const Stopping& stopping) {
    for (const Graph& graph : graphs) add(graph, stopping);
  }

  std::size_t bytes() const {
    return (vertex_begin.size() + row_begin.size()) * sizeof(std::uint32_t) + columns.size() * sizeof(std::int32_t) +
           (entries.size() + root.size() + start.size()) * sizeof(double);
  }

 private:
  void add(const Graph& graph, const Stopping& stopping) {
    const std::size_t begin = root.size();
    double stop_squares = 0;
    double start_squares = 0;
    for (const double degree : stopping.degrees(graph.weighted_degrees(), graph.stopping_scale())) {
      root.push_back(std::sqrt(degree));
      stop_squares += degree;
    }
    for (std::size_t v = begin; v < root.size(); ++v) {
      start.push_back(graph.starting_probability()[v - begin] / root[v]);
      start_squares += start.back() * start.back();
    }
    stop_norm.push_back(std::sqrt(stop_squares));
    start_norm.push_back(std::sqrt(start_squares));
    std::size_t v = begin;
    for (const std::vector<RowElement>& row : rows_of(graph)) {
      for (const RowElement& element : row) {
        columns.push_back(static_cast<std::int32_t>(element.column));
        entries.push_back(graph.edges()[element.edge].weight / (root[v] * root[begin + element.column]));
      }
      row_begin.push_back(static_cast<std::uint32_t>(columns.size()));
      ++v;
    }
    vertex_begin.push_back(static_cast<std::uint32_t>(root.size()));
  }
};

/// The arrays of `ScaledSetView` in device memory.
class DeviceScaledSet {
 public:
  /// Queues the copies. `set` must live until they are done.
  DeviceScaledSet(const Kokkos::Cuda& space, const ScaledSet& set)
      : vertex_begin_(copied(space, "vertex_begin", set.vertex_begin)),
        row_begin_(copied(space, "row_begin", set.row_begin)),
        columns_(copied(space, "columns", set.columns)),
        entries_(copied(space, "entries", set.entries)),
        root_(copied(space, "root", set.root)),
        start_(copied(space, "start", set.start)) {}

  ScaledSetView view() const {
    return {vertex_begin_.data(), row_begin_.data(), columns_.data(), entries_.data(), root_.data(), start_.data()};
  }

 private:
  template <class T>
  static Array<T> copied(const Kokkos::Cuda& space, const char* name, const std::vector<T>& values) {
    return detail::to_memory<Kokkos::Cuda::memory_space>(space, name, values);
  }

  Array<std::uint32_t> vertex_begin_;
  Array<std::uint32_t> row_begin_;
  Array<std::int32_t> columns_;
  Array<double> entries_;
  Array<double> root_;
  Array<double> start_;
};

}  // namespace octile::cuda
