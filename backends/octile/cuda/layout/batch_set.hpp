// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/base/array.hpp>
#include <octile/cuda/layout/set.hpp>
#include <octile/cuda/layout/slice_arrays.hpp>
#include <octile/cuda/layout/vertex_arrays.hpp>
#include <octile/prepared_graphs.hpp>
#include <octile/solve.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>

// Graphs that lie on a device as native kernels read them, and what is read of those that are prepared.
namespace octile::cuda {

/// A set whose graphs may change from solve to solve without the host knowing their sizes. A launch gets all pairs, and leaves out
/// those that it has no shape for, or that are solved.
template <class VertexLabel, class EdgeLabel, class MemorySpace>
struct BatchSet : ProductSet<Product::slices, VertexLabel, EdgeLabel, MemorySpace> {
  octile::Array<std::uint32_t, MemorySpace> row_entries;  ///< of each graph, with padding; 0: it is left out
  int more_than = 0;                                      ///< elements n·m that a pair of this launch has more than
  int at_most = 0;                                        ///< and the most of them
  std::uint32_t most_entries = 0;                         ///< of the rows of G, for which blocks have room
  const PairResult* found = nullptr;  ///< one a pair: those that have converged are left out; null: none is
  const double* left =
      nullptr;  ///< one a pair: those with 0 have no residual that is to be solved for; null: all are solved as they are

  KOKKOS_INLINE_FUNCTION bool leaves_out(Pair pair, int k) const {
    const int elements = this->vertices(pair.first) * this->vertices(pair.second);
    const std::uint32_t entries = row_entries(pair.first);
    const bool fits = elements > more_than && elements <= at_most && entries > 0 && entries <= most_entries &&
                      row_entries(pair.second) > 0;
    const bool solved = found != nullptr && found[k].status == Status::converged;
    return !fits || solved || (left != nullptr && !(left[k] > 0));
  }
};

/// What the native kernels multiply the weights of a graph by.
template <class MemorySpace>
struct WeightScale {
  octile::Array<GraphScales, MemorySpace> scales;
  KOKKOS_INLINE_FUNCTION double operator()(int graph) const { return scales(graph).weight; }
};

/// What is solved of pairs of a batch, in memory of the device.
struct BatchWork {
  const Pair* pairs;
  PairResult* results;
  int count;
  int* next;                  ///< a counter for each shape, all 0
  const PairResult* found;    ///< those that have converged are left out; null: none is
  double* solutions;          ///< if not null, receives x
  const std::size_t* begins;  ///< where that of each pair begins
  const float* given;         ///< if not null, the right-hand sides instead of q² D×, in the places of x
  const double* given_scale;  ///< by what that of each pair is multiplied, and its solution divided
  SolveOptions options;
};

/// What the layout reads of graphs that are prepared: all but their labels. Degrees and starting probabilities are those of a solve.
template <class Scalar, class MemorySpace>
struct BatchSource {
  template <class T>
  using List = octile::Array<T, MemorySpace>;

  List<std::uint32_t> vertex_begin;  ///< of each graph, among all vertices
  List<std::uint32_t> entry_begin;   ///< of each vertex
  List<std::uint32_t> columns;       ///< of each entry: a vertex of its graph
  List<std::uint32_t> places;        ///< of each entry, among the packed elements
  List<Scalar> weights;              ///< of each packed element
  List<double> degrees;              ///< of each vertex
  List<double> starting;             ///< of each vertex
  double q = 1;
  std::uint32_t count = 0;  ///< of graphs
  Capacity capacity{};

  template <class Prepared>
  static BatchSource of(const Prepared& prepared, const typename Prepared::Set& graphs) {
    const auto& rows = prepared.rows();
    return {graphs.vertex_begin, rows.begin,     rows.columns,
            rows.places,         graphs.weights, graphs.degrees,
            graphs.starting,     graphs.q,       static_cast<std::uint32_t>(prepared.size()),
            prepared.capacity()};
  }
};

}  // namespace octile::cuda
