// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/base/array.hpp>
#include <octile/base/launch.hpp>
#include <octile/base/to_memory.hpp>
#include <octile/certify/exact_set.hpp>
#include <octile/on_device/exact_lists.hpp>
#include <octile/on_device/pairs.hpp>
#include <octile/on_device/slope_functions.hpp>
#include <octile/on_device/sums.hpp>
#include <octile/on_device/trials.hpp>
#include <octile/on_device/walks.hpp>
#include <octile/stopping.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <type_traits>
#include <vector>

namespace octile {
namespace detail {

/// An edge as derivatives read it.
struct alignas(16) SlopeEdge {
  double weight;
  SlopeLabel label;
  std::uint32_t i;  ///< its vertices, as places in their graph
  std::uint32_t j;
};

/// Numbers of a thread that are added over a team.
template <int size>
struct SlopeSums {
  static constexpr int count = size;
  static constexpr int added = size;
  using Numbers = Kokkos::Array<double, size>;
  Numbers values{};

  KOKKOS_INLINE_FUNCTION const Numbers& numbers() const { return values; }
  KOKKOS_INLINE_FUNCTION static SlopeSums of(const Numbers& numbers) { return {numbers}; }
};

/// Adds derivatives by what κe is made of, a team a pair and a thread a pair of edges, each pair once: with e = {i, j} and e' = {i', j'}
///
///     ∂K/∂θ = Σ w w' ∂κe(e, e') (y_ii' x_jj' + y_jj' x_ii' + y_ij' x_ji' + y_ji' x_ij')
///
/// That by q has −Σ c_ii' y_ii' (N x)_ii' with c = ∂(d d')/∂q / (d d'). Where weights stop walks, c is 1/d + 1/d', and this is the same sum
/// with κe for ∂κe and c y for y. Else c is one number, and the certificate has that.
///
/// Trials of a small pair are copied to scratch, in double: each is read four times for each edge. Those of a large pair in float are brought
/// near 1, so that products of two are not too small for a float.
template <class MemorySpace, class Functions, class Scalar>
struct AddEdgeSlopes {
  static constexpr int at_once = Functions::at_once;
  CertifiedPairs<MemorySpace, Scalar> pairs;
  Functions functions;
  Array<SlopeEdge, MemorySpace> edges;
  SlopeRows rows;
  int count;        ///< of functions
  int most_copied;  ///< n·m of the largest pair that is copied

  std::size_t scratch_doubles(int threads) const {
    return room_of_numbers(at_once, threads) + 2 * static_cast<std::size_t>(most_copied);
  }

  template <class Member>
  KOKKOS_FUNCTION void operator()(const Member& member) const {
    const int number = member.league_rank();
    const CertifiedPair of = pairs.pair(number);
    const SlopeEdge* const first = edges.data() + of.first[0].first_edge;
    const SlopeEdge* const second = edges.data() + of.second[0].first_edge;
    const auto rows_of_pair = static_cast<int>(of.first[of.n].first_edge - of.first[0].first_edge);
    const auto columns = static_cast<int>(of.second[of.m].first_edge - of.second[0].first_edge);
    const std::size_t of_sums = room_of_numbers(at_once, member.team_size());
    double* const scratch = scratch_of(member, of_sums + 2 * static_cast<std::size_t>(most_copied));
    const TrialValues<Scalar>* const trials = pairs.trials.values + of.begin;
    const bool two = pairs.both();
    const int size = of.n * of.m;
    const auto walk = [&](const auto& trial_at) {
      const SharedRectangle shared(columns, member.team_size());
      const int group = member.team_rank() / shared.width;
      SlopeSums<at_once> own;
      for (int f = member.team_rank() - group * shared.width; f < columns; f += shared.width) {
        const SlopeEdge column = second[f];
        for (int e = group; e < rows_of_pair; e += shared.groups) add(own, of, first[e], column, trial_at);
      }
      sum_of_team(member, own, scratch);
    };
    double scale = of.trials.x * of.scale_y;
    if (size <= most_copied) {
      auto* const copied = reinterpret_cast<TrialValues<double>*>(scratch + of_sums);
      Kokkos::parallel_for(Kokkos::TeamThreadRange(member, size), [&](int at) {
        const TrialValues<Scalar> trial = trials[at];
        copied[at] = {static_cast<double>(trial.x), static_cast<double>(two ? trial.y : trial.x)};
      });
      member.team_barrier();
      walk([&](std::uint32_t at) { return copied[at]; });
    } else if constexpr (std::is_same_v<Scalar, float>) {
      const TrialValues<float> near_one = scales_near_one(member, trials, size, two);
      scale /= static_cast<double>(near_one.x) * static_cast<double>(near_one.y);
      walk([&](std::uint32_t at) {
        const TrialValues<float> trial = trials[at];
        return TrialValues<float>{near_one.x * trial.x, near_one.y * (two ? trial.y : trial.x)};
      });
    } else {
      walk([&](std::uint32_t at) {
        const TrialValues<Scalar> trial = trials[at];
        return TrialValues<Scalar>{trial.x, two ? trial.y : trial.x};
      });
    }
    double* const row = rows.values + static_cast<std::size_t>(number) * rows.stride;
    double* const of_edges = row + rows.vertex_parameters;
    Kokkos::parallel_for(Kokkos::TeamThreadRange(member, functions_given(functions, count)), [&](int t) {
      const int function = functions.first + t;
      const double sum = scale * function_of_sums(functions, function, scratch);
      if (function == 0) {
        row[rows.stride - 2] -= sum;
      } else {
        of_edges[function - 1] = sum;
      }
    });
  }

 private:
  /// Powers of two that bring the largest x and the largest y of a pair near 1.
  template <class Member>
  KOKKOS_INLINE_FUNCTION static TrialValues<float> scales_near_one(const Member& member,
                                                                   const TrialValues<float>* trials, int size,
                                                                   bool two) {
    TrialValues<float> most{0, 0};
    for (int at = member.team_rank(); at < size; at += member.team_size()) {
      const TrialValues<float> trial = trials[at];
      most = {Kokkos::max(most.x, trial.x), Kokkos::max(most.y, two ? trial.y : trial.x)};
    }
    member.team_reduce(Kokkos::Max<float>(most.x));
    member.team_reduce(Kokkos::Max<float>(most.y));
    const auto near_one = [](float largest) {
      constexpr float largest_exponent = 126;  // whose power is a number
      if (!(largest > 0 && Kokkos::isfinite(largest))) return 1.0F;
      return Kokkos::exp2(Kokkos::min(-Kokkos::round(Kokkos::log2(largest)), +largest_exponent));
    };
    return {near_one(most.x), near_one(most.y)};
  }

  template <class TrialAt>
  KOKKOS_INLINE_FUNCTION void add(SlopeSums<Functions::at_once>& sums, const CertifiedPair& of, const SlopeEdge& e,
                                  const SlopeEdge& f, const TrialAt& trial_at) const {
    const auto at = [&](std::uint32_t i, std::uint32_t k) {
      return trial_at(i * static_cast<std::uint32_t>(of.m) + k);
    };
    const auto ii = at(e.i, f.i);
    const auto jj = at(e.j, f.j);
    const auto ij = at(e.i, f.j);
    const auto ji = at(e.j, f.i);
    const double weight = e.weight * f.weight;
    double values[Functions::at_once];
    functions.template evaluate<Scalar>(e.label, f.label, values);
    const auto moment = static_cast<double>(ii.y * jj.x + jj.y * ii.x + ij.y * ji.x + ji.y * ij.x) * weight;
    for (int t = 0; t < Functions::at_once; ++t) {
      const bool of_q = t == 0 && functions.first == 0;
      sums.values[t] += values[t] * (of_q ? weight * moment_by_degrees(of, e, f, ii, jj, ij, ji) : moment);
    }
  }

  template <class Trial>
  KOKKOS_INLINE_FUNCTION static double moment_by_degrees(const CertifiedPair& of, const SlopeEdge& e,
                                                         const SlopeEdge& f, const Trial& ii, const Trial& jj,
                                                         const Trial& ij, const Trial& ji) {
    const double i = of.first[e.i].inverse_degree;
    const double j = of.first[e.j].inverse_degree;
    const double k = of.second[f.i].inverse_degree;
    const double l = of.second[f.j].inverse_degree;
    const auto both = [](const auto& y, const auto& x) { return static_cast<double>(y.y * x.x); };
    return (i + k) * both(ii, jj) + (j + l) * both(jj, ii) + (i + l) * both(ij, ji) + (j + k) * both(ji, ij);
  }
};

/// Adds derivatives by what κv is made of, Σ y x d d' / κv² ∂κv, a team a pair and a thread a pair of vertices.
template <class MemorySpace, class Functions, class Scalar>
struct AddVertexSlopes {
  static constexpr int at_once = Functions::at_once;
  CertifiedPairs<MemorySpace, Scalar> pairs;
  Functions functions;
  SlopeRows rows;
  int count;  ///< of functions

  std::size_t scratch_doubles(int threads) const { return room_of_numbers(at_once, threads); }

  template <class Member>
  KOKKOS_FUNCTION void operator()(const Member& member) const {
    const int number = member.league_rank();
    const CertifiedPair of = pairs.pair(number);
    const SharedRectangle shared(of.m, member.team_size());
    const int group = member.team_rank() / shared.width;
    SlopeSums<at_once> own;
    for (int k = member.team_rank() - group * shared.width; k < of.m; k += shared.width) {
      const ExactVertex column = of.second[k];
      for (int i = group; i < of.n; i += shared.groups) {
        const ExactVertex row = of.first[i];
        const std::size_t at = of.begin + of.at(i, k);
        const TrialValues<Scalar> trial = pairs.trials.values[at];
        const double inverse_kappa = pairs.inverse_kappa(row.record, column.record, at);
        const double moment = static_cast<double>(pairs.both() ? trial.y : trial.x) * static_cast<double>(trial.x) *
                              (row.degree * column.degree) * (inverse_kappa * inverse_kappa);
        double values[at_once];
        functions.template evaluate<Scalar>(SlopeLabel{0, row.record}, SlopeLabel{0, column.record}, values);
        for (int t = 0; t < at_once; ++t) own.values[t] += moment * values[t];
      }
    }
    double* const scratch = scratch_of(member, room_of_numbers(at_once, member.team_size()));
    sum_of_team(member, own, scratch);
    double* const row = rows.values + static_cast<std::size_t>(number) * rows.stride;
    const double scale = of.trials.x * of.scale_y;
    Kokkos::parallel_for(Kokkos::TeamThreadRange(member, functions_given(functions, count)), [&](int t) {
      const int function = functions.first + t;
      row[function - 1] = scale * function_of_sums(functions, function, scratch);
    });
  }
};

}  // namespace detail

/// Forms ∂K/∂θ of all parameters of a kernel from trial solutions, on a device and for walks of any length, as `ExactSet::evaluate` does
/// on the host (docs/mathematics.md).
template <class MemorySpace>
class DeviceSlopes {
 public:
  template <class ExecutionSpace>
  DeviceSlopes(const ExecutionSpace& space, const ExactSet& set, const ExactLists& lists)
      : vertex_(space, set.vertex_kernel()),
        edge_(space, set.edge_kernel()),
        by_degrees_(set.stopping().meaning() == StoppingMeaning::weight),
        moved_(by_degrees_ ? 0.0 : 2 / (1 - set.stopping().q())) {
    const ExactGraphs& graphs = set.graphs();
    const auto count = static_cast<double>(graphs.start_over_degree.size());
    const double edges_each = static_cast<double>(graphs.ends.size()) / count;
    const double vertices_each = static_cast<double>(graphs.degrees.size()) / count;
    constexpr int of_few_edges = 64;
    constexpr int of_few_vertices = 32;
    edge_threads_ = threads_for(edges_each, of_few_edges);
    vertex_threads_ = threads_for(vertices_each, of_few_vertices);
    // A host's cache has the trials anyway.
    constexpr int largest_copied = 1024;
    most_copied_ = on_device && vertices_each * vertices_each <= largest_copied ? largest_copied : 0;
    const LoweredKernel& lowered = set.edge_kernel().lowered();
    const auto number = [&](std::uint32_t record) {
      if (!edge_.held()) return 0.0;
      return lowered
          .records[record * static_cast<std::size_t>(lowered.slots) + static_cast<std::size_t>(*edge_.held())];
    };
    std::vector<detail::SlopeEdge> edges;
    edges.reserve(lists.edges.size());
    for (const detail::ExactEdge& edge : lists.edges) {
      const detail::ExactEnd& from = lists.ends[edge.from];
      edges.push_back({from.weight, {number(from.record), from.record}, edge.earlier, edge.later});
    }
    edges_ = detail::to_memory<MemorySpace>(space, "slope_edges", edges);
    std::vector<double> of_constant;
    if (lowered.constant() && lowered.program[0].parameter >= least_constant) {
      constant_ = lowered.program[0].parameter;
      for (int t = 0; t + 1 < edge_.count(); ++t) {
        of_constant.push_back(detail::slope_of_constant(set.edge_kernel(), static_cast<std::size_t>(t)) / *constant_);
      }
      of_constant_ = detail::to_memory<MemorySpace>(space, "slopes_of_constant", of_constant);
    }
    space.fence("octile::DeviceSlopes");  // before the host's vectors go
  }

  /// Rows with what the set knows of derivatives.
  SlopeRows rows(SlopeRows rows) const {
    rows.moved = moved_;
    rows.of_constant = of_constant_.data();
    rows.vertex_parameters = static_cast<std::size_t>(vertex_.count() - 1);
    return rows;
  }

  /// Queues the derivatives of `count` pairs, which `DeviceExactSet::certify` has been queued for with the same rows.
  template <class ExecutionSpace, class Scalar>
  void add(const ExecutionSpace& space, const detail::CertifiedPairs<MemorySpace, Scalar>& pairs, std::size_t count,
           const SlopeRows& rows) const {
    if (count == 0) return;
    const auto add_edges = [&](const auto& functions) {
      using Functions = std::remove_cvref_t<decltype(functions)>;
      launch(space, "octile::add_edge_slopes", count, edge_threads_,
             detail::AddEdgeSlopes<MemorySpace, Functions, Scalar>{pairs, functions, edges_, rows, edge_.count(),
                                                                   most_copied_});
    };
    // Derivatives by a constant came with Σ y N x, and that by q if c is one number.
    if (!constant_) {
      edge_.for_each(by_degrees_ ? 0 : 1, add_edges);
    } else if (by_degrees_) {
      add_edges(detail::ConstantSlope{*constant_});
    }
    vertex_.for_each(1, [&](const auto& functions) {
      using Functions = std::remove_cvref_t<decltype(functions)>;
      launch(space, "octile::add_vertex_slopes", count, vertex_threads_,
             detail::AddVertexSlopes<MemorySpace, Functions, Scalar>{pairs, functions, rows, vertex_.count()});
    });
  }

 private:
  static constexpr bool on_device = detail::certifying_team<MemorySpace> > 1;
  static constexpr int most_threads = on_device ? 512 : 1;
  /// So many pairs of edges or vertices are few for a team of `threads_of_many`, and so many too many.
  static constexpr double few = 4096;
  static constexpr double many = 131072;
  static constexpr int threads_of_many = 128;
  static constexpr int few_sums = 8;
  static constexpr double least_constant = 1e-300;
  /// Bytes of scratch that every device has for a team.
  static constexpr std::size_t most_scratch = 40960;

  template <class ExecutionSpace, class Functor>
  void launch(const ExecutionSpace& space, const char* name, std::size_t count, int threads,
              const Functor& functor) const {
    // A thread that sums many numbers keeps them all in registers: half as many threads have twice as many.
    constexpr unsigned teams = Functor::at_once > few_sums ? 1 : 2;
    while (threads > 1 && sizeof(double) * functor.scratch_doubles(threads) > most_scratch) threads /= 2;
    detail::launch_teams<static_cast<unsigned>(most_threads), teams>(
        space, name, count, functor.scratch_doubles(threads), functor, threads);
  }

  /// Threads that take a pair of graphs with so many edges or vertices each: where there are few, what a team does once takes the time, and
  /// where there are very many, the last pairs do.
  static int threads_for(double each, int of_few) {
    if (!on_device) return 1;
    const double all = each * each;
    return all <= few ? of_few : all <= many ? threads_of_many : most_threads;
  }

  detail::SlopeFunctions<MemorySpace, false> vertex_;
  detail::SlopeFunctions<MemorySpace, true> edge_;
  Array<detail::SlopeEdge, MemorySpace> edges_;
  std::optional<double> constant_;          ///< κe, if that is a constant that others can be divided by
  Array<double, MemorySpace> of_constant_;  ///< `SlopeRows::of_constant`
  bool by_degrees_;
  double moved_;
  int edge_threads_;    ///< of a team
  int vertex_threads_;  ///< of a team
  int most_copied_;     ///< `AddEdgeSlopes::most_copied`
};

}  // namespace octile
