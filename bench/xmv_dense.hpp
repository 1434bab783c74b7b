// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/portable/paper/dense_set.hpp>

#include <fmt/format.h>

#include <memory>
#include <utility>
#include <vector>

#include "isolated_xmv.hpp"
#include "precision_name.hpp"
#include "xmv_set.hpp"

// Benchmarks of the dense primitives: complete graphs, t and r at compile time. Each primitive has a file of its own,
// since each (t, r) is a kernel to compile.
namespace octile::bench {

/// `graph_variety` complete graphs of n vertices.
inline std::vector<Graph> complete_graphs(int n) {
  std::vector<Edge> edges;
  edges.reserve(static_cast<std::size_t>(n) * static_cast<std::size_t>(n));
  for (int i = 0; i < n; ++i) {
    for (int j = i + 1; j < n; ++j) edges.push_back({i, j, 1.0 / n});
  }
  std::vector<Graph> graphs;
  graphs.reserve(graph_variety);
  for (int k = 0; k < graph_variety; ++k) graphs.push_back(Graph::from_edges(fmt::format("complete {}", k), n, edges));
  return graphs;
}

/// The case without `make`: its counts, and a name made from them.
template <class Scalar, class Label, class EdgeKernel>
XmvCase dense_case(const Primitive& primitive, const EdgeKernel& kernel, const XmvSizes& sizes) {
  XmvCase entry;
  entry.element = element_cost<Scalar, Label>(kernel);
  entry.space = Space::name();
  entry.name = fmt::format("xmv/primitive:{}/n:{}/E:{}/F:{}/X:{}/scalar:{}/space:{}", primitive.name(), sizes.vertices,
                           entry.element.label_bytes, entry.element.scalar_bytes, entry.element.operations,
                           precision_name(precision_of<Scalar>), entry.space);
  entry.double_precision = std::is_same_v<Scalar, double>;
  entry.n = sizes.vertices;
  entry.paper = plan::paper_counts(primitive, entry.n, entry.n, entry.element);
  entry.paper_intensity = plan::paper_intensity(primitive, entry.element);
  entry.operations = entry.useful_operations = entry.paper->operations;
  return entry;
}

/// Adds one dense primitive: `Dense` has t = T and r = R.
template <class Dense, class Scalar, class Label, class EdgeKernel>
void add_dense(std::vector<XmvCase>& cases, const Primitive& primitive, const EdgeKernel& kernel,
               const XmvSizes& sizes) {
  XmvCase entry = dense_case<Scalar, Label>(primitive, kernel, sizes);
  entry.parameters = {{"t", primitive.t}, {"r", primitive.r}};
  entry.ours = plan::dense_counts(primitive, entry.n, entry.n, entry.element);
  entry.make = [primitive, kernel, sizes]() -> std::unique_ptr<XmvRun> {
    const LabelledGraphs<Label> labelled(complete_graphs(sizes.vertices));
    const auto set = labelled.template pack<Scalar>();
    const auto matrices = portable::dense_matrices<Scalar, Label>(Space(), labelled.graphs, labelled.read_edge());
    const Dense xmv(matrices, primitive.t, primitive.r);
    return std::make_unique<IsolatedXmv<Space, std::remove_const_t<decltype(set)>, EdgeKernel, Dense>>(
        set, kernel, xmv, labelled.graphs, labelled.labels, pairs_between(pairs_of(sizes, xmv.threads()), 0, 0));
  };
  cases.push_back(std::move(entry));
}

/// Adds a family: every (t, r) in `Tiles…`, and t = r = 8 with other scalars, labels and kernels.
template <template <class, class, class, int, int, int> class Dense>
struct DenseFamily {
  static constexpr int lanes = portable::lanes_of<Space>;

  PrimitiveFamily family;
  XmvSizes sizes;
  std::vector<XmvCase>& cases;

  template <int T, int R, class Scalar, class Label, class EdgeKernel>
  void add(const EdgeKernel& kernel) const {
    add_dense<Dense<Scalar, Label, Memory, lanes, T, R>, Scalar, Label>(cases, Primitive{family, T, R}, kernel, sizes);
  }

  template <int T, int... R>
  void add_widths() const {
    (add<T, R, float, Features<1>>(Polynomial<4>()), ...);
  }

  /// Adds a primitive whose r may be any width.
  void add_any_width() const {
#ifdef OCTILE_BENCH_ALL_SIZES
    add_widths<4, 4, 8, 16, 24>();
    add_widths<8, 4, 8, 16, 24>();
    add_widths<16, 4, 8, 16, 24>();
    add_widths<24, 4, 8, 16, 24>();
#else
    add_few();
#endif
    add_labels_and_kernels();
  }

  /// The sizes that the bench's test runs.
  void add_few() const {
    add_widths<4, 4>();
    add_widths<8, 8>();
    add_widths<24, 24>();
  }

  /// Adds other scalars, labels and kernels, for the paper's choice t = r = 8.
  void add_labels_and_kernels() const {
    add<8, 8, double, Features<1>>(Polynomial<4>());
    add<8, 8, float, NoLabel>(Constant());
    add<8, 8, float, Features<2>>(Polynomial<4>());
    add<8, 8, float, Features<4>>(Polynomial<4>());
    add<8, 8, float, Features<8>>(Polynomial<4>());
    add<8, 8, float, Features<1>>(Polynomial<0>());
    add<8, 8, float, Features<1>>(Polynomial<16>());
    add<8, 8, float, Features<1>>(Polynomial<64>());
    add<8, 8, float, float>(SquareExponential(0.3));
  }
};

}  // namespace octile::bench
