// SPDX-License-Identifier: BSD-3-Clause
#include <octile/pairs/prices.hpp>
#include <octile/portable/xmv/octiles.hpp>
#include <octile/portable/xmv/rows.hpp>

#include <fmt/format.h>

#include <type_traits>

#include "isolated_xmv.hpp"
#include "synthetic.hpp"
#include "xmv_set.hpp"

namespace octile::bench {
namespace {

/// `graph_variety` graphs of each of the two populations.
std::vector<Graph> graphs_of(int population, int population_second) {
  std::vector<Graph> graphs;
  for (const int p : {population, population_second}) {
    for (int k = 0; k < graph_variety; ++k) graphs.push_back(population_graph(p, graphs.size()));
  }
  return graphs;
}

constexpr bool on_gpu = portable::fine_grained<Space>;
constexpr int threads = on_gpu ? portable::large_team : 1;

/// The octile primitives in the form that `portable` uses for large pairs.
template <class Label>
using Octiles = portable::OctileXmv<float, Label, portable::lanes_of<Space>, threads / portable::lanes_of<Space>>;

/// Adds the product of octiles of two populations. `evaluated` is the number of element pairs that it evaluates for two octiles.
template <class Label, class Xmv, class EdgeKernel>
void add(std::vector<XmvCase>& cases, PrimitiveFamily family, const Xmv& xmv, const EdgeKernel& kernel,
         const XmvSizes& sizes, std::pair<int, int> populations, double evaluated) {
  const auto [p, q] = populations;
  XmvCase entry;
  entry.element = element_cost<float, Label>(kernel);
  entry.space = Space::name();
  entry.n = population_rows * octile_size;
  entry.name =
      fmt::format("xmv/primitive:{}/population:{}/other:{}/edges:{}/scalar:f32/space:{}", primitive_info(family).name,
                  p, q, label_bytes(Label{}) > 0 ? "labelled" : "unlabelled", entry.space);
  const double octile_pairs = population_octiles * population_octiles;
  entry.useful_operations = octile_pairs * p * q * entry.element.operations;
  entry.operations = octile_pairs * evaluated * entry.element.operations;
  entry.parameters = {{"population", p}, {"other", q}, {"octile_pairs", octile_pairs}};
  entry.make = [xmv, kernel, sizes, populations]() -> std::unique_ptr<XmvRun> {
    const LabelledGraphs<Label> labelled(graphs_of(populations.first, populations.second));
    const auto set = labelled.template pack<float>();
    return std::make_unique<IsolatedXmv<Space, std::remove_const_t<decltype(set)>, EdgeKernel, Xmv>>(
        set, kernel, xmv, labelled.graphs, labelled.labels, pairs_between(pairs_of(sizes, threads), 0, graph_variety));
  };
  cases.push_back(std::move(entry));
}

template <class Label, class EdgeKernel>
void add_populations(std::vector<XmvCase>& cases, const EdgeKernel& kernel, const XmvSizes& sizes) {
  constexpr AdaptiveThresholds thresholds = adaptive_thresholds(on_gpu, !std::is_same_v<Label, NoLabel>);
  for (const int p : sizes.populations) {
    for (const int q : sizes.populations) {
      for (const PrimitiveFamily family : {PrimitiveFamily::dense_dense, PrimitiveFamily::dense_sparse,
                                           PrimitiveFamily::sparse_sparse, PrimitiveFamily::adaptive}) {
        const TakenAsDense dense = taken_as_dense(family, thresholds, p, q);
        // Empty octiles are not stored, so nothing is evaluated.
        const double evaluated = p == 0 || q == 0 ? 0 : plan::octile_operations(dense.first, dense.second, p, q, 1);
        add<Label>(cases, family, Octiles<Label>(family, thresholds), kernel, sizes, {p, q}, evaluated);
      }
      add<Label>(cases, PrimitiveFamily::rows, portable::RowsXmv(threads), kernel, sizes, {p, q}, 1.0 * p * q);
    }
  }
}

}  // namespace

void add_octiles(std::vector<XmvCase>& cases, const XmvSizes& sizes) {
  add_populations<float>(cases, SquareExponential(0.3), sizes);
  add_populations<NoLabel>(cases, Constant(), sizes);
}

}  // namespace octile::bench
