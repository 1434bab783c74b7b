// SPDX-License-Identifier: BSD-3-Clause
#include <octile/certify/exact_set.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

#include <octile/interruption.hpp>
#include <octile/kernels/rounding.hpp>
#include <octile/pairs/amplification.hpp>

namespace octile {
namespace {

/// p_i / d_i if it is the same for all vertices but for rounding, else 0.
double common_ratio(std::span<const double> starting, std::span<const double> degrees) {
  const double ratio = starting[0] / degrees[0];
  for (std::size_t v = 0; v < degrees.size(); ++v) {
    if (std::abs(starting[v] - ratio * degrees[v]) > 16 * unit_roundoff * starting[v]) return 0;
  }
  return ratio;
}

/// The most by which p_i / d_i of a graph's vertices differ, over all graphs: largest over least.
double spread_of_starts(const ExactGraphs& graphs) {
  double most = 1;
  for (std::size_t g = 0; g + 1 < graphs.vertex_begin.size(); ++g) {
    double largest = 0;
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t v = graphs.vertex_begin[g]; v < graphs.vertex_begin[g + 1]; ++v) {
      largest = std::max(largest, graphs.starting[v] / graphs.degrees[v]);
      least = std::min(least, graphs.starting[v] / graphs.degrees[v]);
    }
    most = std::max(most, largest / least);
  }
  return most;
}

/// As x ≤ q² κv / (1 − c) follows from S 1 ≥ d d' (1 − c) / κv (docs/lowering.md), y ≤ max(p× / D×) κv / (1 − c) does, and so
/// A× y ≤ a p× times the spread of p× / D×, the square of that of a graph's p / d.
SystemRounding system_rounding(double amplification, const LoweredKernel& vertex, const LoweredKernel& edge,
                               double spread) {
  const KernelRounding of_edges = kernel_rounding(edge, deep_exponent);
  SystemRounding rounding{of_edges.relative, kernel_rounding(vertex, deepest_exponent).all_relative()};
  if (of_edges.absolute == 0) return rounding;
  rounding.beyond_x = unit_roundoff * of_edges.absolute * amplification;
  rounding.beyond_y = rounding.beyond_x * spread;
  rounding.beyond_sums_of_y = rounding.beyond_x;
  return rounding;
}

}  // namespace

ExactSet::ExactSet(std::span<const Graph> graphs, const KernelSpec& kernel, bool gradients,
                   const UnknownByFactors& allowed)
    : vertex_(lower(graphs, kernel.vertex, LabelSite::vertex), gradients, ExactKernel::Values::by_attribute),
      edge_(lower(graphs, kernel.edge, LabelSite::edge), gradients, ExactKernel::Values::by_program),
      stopping_(kernel.stopping),
      shortest_walk_(kernel.shortest_walk),
      allowed_(allowed),
      amplification_(Amplification(graphs, kernel).factor()),
      differentiates_(gradients) {
  for (const Graph& graph : graphs) {
    stop_if_asked();
    const std::vector<double> degrees = stopping_.degrees(graph.weighted_degrees(), graph.stopping_scale());
    const std::span<const double> starting = graph.starting_probability();
    graphs_.start_over_degree.push_back(common_ratio(starting, degrees));
    graphs_.degrees.insert(graphs_.degrees.end(), degrees.begin(), degrees.end());
    graphs_.starting.insert(graphs_.starting.end(), starting.begin(), starting.end());
    for (const double degree : degrees) graphs_.inverse_degrees.push_back(1 / degree);
    for (const double start : starting) graphs_.inverse_starting.push_back(1 / start);
    graphs_.neighbours.resize(graphs_.degrees.size(), 0);
    for (const Edge& edge : graph.edges()) {
      ++graphs_.neighbours[graphs_.vertex_begin.back() + static_cast<std::size_t>(edge.i)];
      ++graphs_.neighbours[graphs_.vertex_begin.back() + static_cast<std::size_t>(edge.j)];
      graphs_.ends.push_back({edge.i, edge.j});
      graphs_.weights.push_back(edge.weight);
    }
    graphs_.vertex_begin.push_back(graphs_.degrees.size());
    graphs_.edge_begin.push_back(graphs_.ends.size());
  }
  const double spread = spread_of_starts(graphs_);
  spread_of_pairs_ = spread * spread;
  rounding_ = system_rounding(amplification_, vertex_.lowered(), edge_.lowered(), spread_of_pairs_);
  rounding_.of_diagonal += vertex_.further_roundings();
  rounding_of_steps_ = unit_roundoff * (kernel_rounding(edge_.lowered(), deepest_exponent).all_relative() +
                                        rounding_.of_diagonal + 2 * operations_of_row);
  if (allowed.on_device || !(allowed.x > 0)) return;
  factors_ = ExactFactors(graphs_, edge_.lowered(), amplification_, {rounding_, spread_of_pairs_}, allowed);
}

std::optional<FactorsOfRows> ExactSet::factors_on_device(std::size_t most) const {
  if (!allowed_.on_device) return {};
  return factors_of_rows(graphs_, edge_.lowered(), amplification_, {rounding_, spread_of_pairs_}, allowed_, most,
                         false);
}

ExactSet::Part ExactSet::part(std::int32_t graph) const {
  const auto g = static_cast<std::size_t>(graph);
  return {static_cast<int>(graphs_.vertex_begin[g + 1] - graphs_.vertex_begin[g]), graphs_.vertex_begin[g],
          vertex_.ids(g), edge_.ids(g), graphs_.edge_begin[g]};
}

bool ExactSet::starts_everywhere() const {
  return std::ranges::all_of(graphs_.starting, [](double start) { return start > 0; });
}

double ExactSet::adjoint_factor(Pair pair) const {
  const double ratio = graphs_.start_over_degree[static_cast<std::size_t>(pair.first)] *
                       graphs_.start_over_degree[static_cast<std::size_t>(pair.second)];
  return ratio / (stopping_.q() * stopping_.q());
}

// With edges e = {i, j} of weight w and e' = {i', j'} of weight w', c = w w' κe(e, e') stands in four places of N, and in their
// mirror images:
//
//     (N x)_ii' += c x_jj'    (N x)_jj' += c x_ii'    (N x)_ij' += c x_ji'    (N x)_ji' += c x_ij'
//
// yᵀ N x has c times the moment y_ii' x_jj' + y_jj' x_ii' + y_ij' x_ji' + y_ji' x_ij', which takes ∂κe for κe in a derivative.
template <bool TwoSides, bool Gradient>
void ExactSet::walk(const Part& first, const Part& second, const Trial& trial, EvaluationSpace& space,
                    std::span<double> gradient) const {
  const auto m = static_cast<std::size_t>(second.n);
  const std::size_t count = second.edges.size();
  const ExactGraphs::Ends* const ends = graphs_.ends.data() + second.first_edge;
  const double* const weights = graphs_.weights.data() + second.first_edge;
  double* const kappa = space.kappa_.data();
  double* const slope = space.slope_.data();
  double* const moments = space.moments_.data();
  for (std::size_t e = 0; e < first.edges.size(); ++e) {
    const auto [i, j] = graphs_.ends[first.first_edge + e];
    const double weight = graphs_.weights[first.first_edge + e];
    const std::size_t row_i = static_cast<std::size_t>(i) * m;
    const std::size_t row_j = static_cast<std::size_t>(j) * m;
    const double* const x_i = trial.x.data() + row_i;
    const double* const x_j = trial.x.data() + row_j;
    double* const nx_i = space.product_x_.data() + row_i;
    double* const nx_j = space.product_x_.data() + row_j;
    [[maybe_unused]] const double* const y_i = TwoSides ? trial.y.data() + row_i : nullptr;
    [[maybe_unused]] const double* const y_j = TwoSides ? trial.y.data() + row_j : nullptr;
    [[maybe_unused]] double* const ny_i = space.product_y_.data() + (TwoSides ? row_i : 0);
    [[maybe_unused]] double* const ny_j = space.product_y_.data() + (TwoSides ? row_j : 0);
    edge_.values(first.edges[e], second.edges, kappa);
    for (std::size_t f = 0; f < count; ++f) {
      const auto [k, l] = ends[f];
      const double both = weight * weights[f];
      const double c = both * kappa[f];
      nx_i[k] += c * x_j[l];
      nx_j[l] += c * x_i[k];
      nx_i[l] += c * x_j[k];
      nx_j[k] += c * x_i[l];
      if constexpr (TwoSides) {
        ny_i[k] += c * y_j[l];
        ny_j[l] += c * y_i[k];
        ny_i[l] += c * y_j[k];
        ny_j[k] += c * y_i[l];
      }
      if constexpr (Gradient)
        moments[f] = both * (y_i[k] * x_j[l] + y_j[l] * x_i[k] + y_i[l] * x_j[k] + y_j[k] * x_i[l]);
    }
    if constexpr (Gradient) {
      for (std::size_t t = 0; t < gradient.size(); ++t) {
        edge_.slopes(t, first.edges[e], second.edges, slope);
        double sum = 0;
        for (std::size_t f = 0; f < count; ++f) sum += moments[f] * slope[f];
        gradient[t] += sum;
      }
    }
  }
}

template void ExactSet::walk<false, false>(const Part&, const Part&, const Trial&, EvaluationSpace&,
                                           std::span<double>) const;
template void ExactSet::walk<true, true>(const Part&, const Part&, const Trial&, EvaluationSpace&,
                                         std::span<double>) const;

// As M x = b + N x, x − q² κv is κv N x / (d d'), of which every entry is as exact as those of x: nothing cancels.
double ExactSet::take_walks_of_no_step(Pair pair, const EvaluationSpace& space, std::span<double> x) const {
  const Part first = part(pair.first);
  const Part second = part(pair.second);
  const auto m = static_cast<std::size_t>(second.n);
  std::vector<double> kappa(m);
  for (std::size_t i = 0; i < first.vertices.size(); ++i) {
    vertex_.values(first.vertices[i], second.vertices, kappa.data());
    for (std::size_t k = 0; k < m; ++k) {
      const double dd = graphs_.degrees[first.first + i] * graphs_.degrees[second.first + k];
      x[i * m + k] = kappa[k] * (space.product_x_[i * m + k] / dd);
    }
  }
  const auto most_neighbours = [this](const Part& of) {
    const auto begin = graphs_.neighbours.begin() + static_cast<std::ptrdiff_t>(of.first);
    return static_cast<double>(*std::max_element(begin, begin + of.n));
  };
  const double of_first = most_neighbours(first);
  const double of_second = most_neighbours(second);
  return rounding_of_steps_ + unit_roundoff * (of_first * of_second + of_first + of_second);
}

VerticesOfRows ExactSet::rows_of(const Part& part) const {
  const auto from = [&part](const auto& values) { return values.data() + part.first; };
  return {from(graphs_.degrees), from(graphs_.inverse_degrees), from(graphs_.starting), from(graphs_.inverse_starting),
          from(graphs_.neighbours)};
}

CertificateSums ExactSet::sums_of(const Part& first, const Part& second, const Trial& trial,
                                  const SystemRounding& rounding, EvaluationSpace& space) const {
  const auto m = static_cast<std::size_t>(second.n);
  const bool two_sides = !trial.y.empty();
  const double square = stopping_.q() * stopping_.q();
  const bool steps = shortest_walk_ == 1;
  const CommonOfRows common{square, 1 / square, rounding.of_term + operations_of_row,
                            rounding.of_diagonal + operations_of_row, steps ? 1.0 : 0.0};
  if (steps) space.counted_.resize(2 * m);
  const VerticesOfRows rows = rows_of(first);
  const VerticesOfRows columns = rows_of(second);
  SumsOfRows sums;
  for (std::size_t i = 0; i < first.vertices.size(); ++i) {
    vertex_.values(first.vertices[i], second.vertices, space.kappa_.data());
    const auto side = [&](std::span<const double> values, const std::vector<double>& products, double* counted) {
      const double* const product = products.data() + i * m;
      if (!steps) return TrialOfRow{values.data() + i * m, product, values.data() + i * m};
      for (std::size_t k = 0; k < m; ++k)
        counted[k] = product[k] * space.kappa_[k] * (rows.inverse_degrees[i] * columns.inverse_degrees[k]);
      return TrialOfRow{values.data() + i * m, product, counted};
    };
    double* const counted = space.counted_.data();
    add_rows(sums, rows, i, columns, m, space.kappa_.data(), common, side(trial.x, space.product_x_, counted),
             two_sides ? side(trial.y, space.product_y_, counted + m) : TrialOfRow{});
  }
  const auto of_side = [](const SumsOfRows::Side& of) {
    return SideSums{of.value, of.worst, of.left, of.rounding, of.squares};
  };
  return {of_side(sums.x), of_side(sums.y), sums.correction, steps ? sums.no_step : 0,
          steps,           sums.counting_x, sums.counting_y};
}

Evaluation ExactSet::evaluate(Pair pair, const Trial& trial, EvaluationSpace& space, std::span<double> gradient) const {
  const Part first = part(pair.first);
  const Part second = part(pair.second);
  const auto n = static_cast<std::size_t>(first.n);
  const auto m = static_cast<std::size_t>(second.n);
  const bool two_sides = !trial.y.empty();
  const auto clamp = [](std::span<double> values) {
    for (double& value : values) value = std::max(value, 0.0);
  };
  clamp(trial.x);
  clamp(trial.y);
  const bool by_factors = gradient.empty() && factors_.given();
  space.product_x_.resize(n * m);
  space.product_y_.resize(two_sides ? n * m : 1);
  space.kappa_.resize(std::max(second.edges.size(), m));
  space.slope_.resize(std::max(second.edges.size(), m));
  space.moments_.resize(second.edges.size());
  std::ranges::fill(gradient, 0.0);

  if (!by_factors) {
    std::ranges::fill(space.product_x_, 0.0);
    std::ranges::fill(space.product_y_, 0.0);
  }
  if (!gradient.empty()) {
    walk<true, true>(first, second, trial, space, gradient.subspan(vertex_.parameter_count(), edge_.parameter_count()));
  } else if (by_factors) {
    const auto operand = [&](std::span<const double> values, std::vector<double>& product) {
      return ExactFactors::Operand{first.first, n, second.first, m, values.data(), product.data()};
    };
    factors_.multiply_x(operand(trial.x, space.product_x_), space.work_);
    if (two_sides) factors_.multiply_y(operand(trial.y, space.product_y_), space.work_);
  } else if (two_sides) {
    walk<true, false>(first, second, trial, space, {});
  } else {
    walk<false, false>(first, second, trial, space, {});
  }
  const SystemRounding& rounding = by_factors ? factors_.rounding() : rounding_;
  const CertificateSums sums =
      gradient.empty() ? sums_of(first, second, trial, rounding, space) : sums_in_turn(first, second, trial, space);
  if (!gradient.empty()) add_row_slopes(first, second, trial, {}, space, gradient);
  const bool walks = !first.edges.empty() && !second.edges.empty();
  Evaluation evaluation =
      evaluation_of(sums, rounding, two_sides, static_cast<double>(n + m + 4), shortest_walk_, walks);
  if (!gradient.empty()) evaluation.of_slopes = error_of_slopes(sums);
  return evaluation;
}

CertificateSums ExactSet::sums_in_turn(const Part& first, const Part& second, const Trial& trial,
                                       EvaluationSpace& space) const {
  const auto n = static_cast<std::size_t>(first.n);
  const auto m = static_cast<std::size_t>(second.n);
  const double square = stopping_.q() * stopping_.q();
  CertificateSums sums;
  for (std::size_t i = 0; i < n; ++i) {
    const double d = graphs_.degrees[first.first + i];
    const double p = graphs_.starting[first.first + i];
    vertex_.values(first.vertices[i], second.vertices, space.kappa_.data());
    CertificateSums row;
    for (std::size_t k = 0; k < m; ++k) {
      const std::size_t at = i * m + k;
      const CertifiedRow of{d * graphs_.degrees[second.first + k],
                            graphs_.inverse_degrees[first.first + i] * graphs_.inverse_degrees[second.first + k],
                            1 / space.kappa_[k],
                            p * graphs_.starting[second.first + k],
                            graphs_.inverse_starting[first.first + i] * graphs_.inverse_starting[second.first + k],
                            graphs_.neighbours[first.first + i],
                            graphs_.neighbours[second.first + k]};
      add_row(row, of, square, 1 / square, rounding_, shortest_walk_ == 1, {trial.x[at], space.product_x_[at]}, true,
              {trial.y[at], space.product_y_[at]});
    }
    sums += row;
  }
  return sums;
}

void ExactSet::add_row_slopes(const Part& first, const Part& second, const Trial& trial,
                              std::span<const double> weights, EvaluationSpace& space,
                              std::span<double> gradient) const {
  const auto n = static_cast<std::size_t>(first.n);
  const auto m = static_cast<std::size_t>(second.n);
  const std::size_t of_vertices = vertex_.parameter_count();
  const double q = stopping_.q();
  const bool probability = stopping_.meaning() == StoppingMeaning::probability;
  // y (2 q d d' + ∂(d d')/∂q (q² − x / κv)), with 2 d d' / (1 − q) or d + d' for ∂(d d')/∂q. As M x = b + N x, the bracket is
  // −N x / (d d'): nothing cancels.
  double by_q = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const double d = graphs_.degrees[first.first + i];
    const double p = graphs_.starting[first.first + i];
    vertex_.values(first.vertices[i], second.vertices, space.kappa_.data());
    for (std::size_t k = 0; k < m; ++k) {
      const std::size_t at = i * m + k;
      const double dd = d * graphs_.degrees[second.first + k];
      const double by_degree =
          probability ? 2 / (1 - q)
                      : graphs_.inverse_degrees[first.first + i] + graphs_.inverse_degrees[second.first + k];
      // With a shortest walk of 1 without 2 q p× κv: M y = p× + N y.
      const double stopped = shortest_walk_ == 0 ? trial.y[at] * dd : space.kappa_[k] * space.product_y_[at];
      by_q += 2 * q * stopped - by_degree * trial.y[at] * space.product_x_[at];
    }
    for (std::size_t t = 0; t < of_vertices; ++t) {
      vertex_.slopes(t, first.vertices[i], second.vertices, space.slope_.data());
      double sum = 0;
      for (std::size_t k = 0; k < m; ++k) {
        const std::size_t at = i * m + k;
        const double dd = d * graphs_.degrees[second.first + k];
        const double kappa = space.kappa_[k];
        const double starting = weights.empty() ? p * graphs_.starting[second.first + k] : weights[at];
        // (M y) (M x) / (d d'), and without the walks of no step less than p× q²: M y = p× + N y, M x = b + N x.
        const double moment = shortest_walk_ == 0 ? trial.y[at] * trial.x[at] * dd / (kappa * kappa)
                                                  : space.product_y_[at] * q * q +
                                                        (starting + space.product_y_[at]) * (space.product_x_[at] / dd);
        sum += moment * space.slope_[k];
      }
      gradient[t] += sum;
    }
  }
  gradient[of_vertices + edge_.parameter_count()] = by_q;
}

}  // namespace octile
