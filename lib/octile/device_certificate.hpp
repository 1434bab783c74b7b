// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/certificate.hpp>
#include <octile/device_trials.hpp>
#include <octile/exact_set.hpp>
#include <octile/factors.hpp>
#include <octile/launch.hpp>
#include <octile/leaf_kernels.hpp>
#include <octile/octile_set.hpp>
#include <octile/runtime_kernel.hpp>
#include <octile/solve.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace octile::detail {

/// What a team sums over a pair.
struct DeviceSums {
  CertificateSums sums;
  double most_r = 0;  ///< max |r| / D×
  double most_s = 0;

  KOKKOS_INLINE_FUNCTION DeviceSums& operator+=(const DeviceSums& other) {
    sums += other.sums;
    most_r = Kokkos::max(most_r, other.most_r);
    most_s = Kokkos::max(most_s, other.most_s);
    return *this;
  }
};

}  // namespace octile::detail

template <>
struct Kokkos::reduction_identity<octile::detail::DeviceSums> {
  KOKKOS_FORCEINLINE_FUNCTION static octile::detail::DeviceSums sum() { return {}; }
};

namespace octile {

namespace detail {

struct ExactVertex {
  double degree;
  double inverse_degree;
  double start;
  double inverse_start;
  std::uint32_t record;
  std::uint32_t first_end;  ///< of its edges; they end where the next vertex' begin
};
/// An edge from one of its vertices.
struct ExactEnd {
  double weight;
  std::uint32_t column;  ///< the other vertex, in its graph
  std::uint32_t record;
};

/// κe between an edge and others: `row(record)` gives κ of that record with others.
struct ConstantEdges {
  double value;
  KOKKOS_INLINE_FUNCTION auto row(std::uint32_t) const {
    return [c = value](std::uint32_t) { return c; };
  }
};
struct TableEdges {
  const double* table;
  std::uint32_t count;
  struct Row {
    const double* values;
    KOKKOS_INLINE_FUNCTION double operator()(std::uint32_t record) const { return values[record]; }
  };
  KOKKOS_INLINE_FUNCTION Row row(std::uint32_t record) const { return {table + std::size_t(record) * count}; }
};
template <class Leaf>
struct LeafEdges {
  LeafArguments arguments;
  const double* labels;
  struct Row {
    const LeafEdges& edges;
    double label;
    KOKKOS_INLINE_FUNCTION double operator()(std::uint32_t record) const {
      return Leaf::value(label, edges.labels[record], edges.arguments);
    }
  };
  KOKKOS_INLINE_FUNCTION Row row(std::uint32_t record) const { return {*this, labels[record]}; }
};
template <class MemorySpace>
struct ProgramEdges {
  RuntimeKernel<double, MemorySpace> kernel;
  struct Row {
    const RuntimeKernel<double, MemorySpace>& kernel;
    std::uint32_t first;
    KOKKOS_INLINE_FUNCTION double operator()(std::uint32_t record) const {
      return kernel.template evaluate<double>(first, record);
    }
  };
  KOKKOS_INLINE_FUNCTION Row row(std::uint32_t record) const { return {kernel, record}; }
};

/// Threads of a team.
template <class MemorySpace>
inline constexpr int certifying_team = Kokkos::SpaceAccessibility<Kokkos::HostSpace, MemorySpace>::accessible ? 1 : 128;

/// 1 / κv over records by a table of it, or by the kernel's program.
struct InverseTable {
  const double* table;
  std::uint32_t count;
  KOKKOS_INLINE_FUNCTION double operator()(std::uint32_t a, std::uint32_t b) const {
    return table[std::size_t(a) * count + b];
  }
};
template <class MemorySpace>
struct InverseProgram {
  RuntimeKernel<double, MemorySpace> kernel;
  KOKKOS_INLINE_FUNCTION double operator()(std::uint32_t a, std::uint32_t b) const {
    return 1 / kernel.template evaluate<double>(a, b);
  }
};

KOKKOS_INLINE_FUNCTION double at_least_0(double value) { return value > 0 ? value : 0.0; }

/// A pair as a team reads it.
struct CertifiedPair {
  const ExactVertex* first;
  const ExactVertex* second;
  int n;
  int m;
  std::size_t begin;  ///< of its trials
  double factor;      ///< by which x is multiplied where there is no y
  double scale;       ///< of the solver's weights
};

/// What the certification of pairs reads and writes, whatever way it has to form N x.
template <class MemorySpace, class VertexKernel>
struct CertifiedPairs {
  template <class T>
  using Array = Kokkos::View<T*, Kokkos::LayoutRight, MemorySpace>;

  Array<std::uint32_t> vertex_begin;
  Array<ExactVertex> vertices;
  Array<double> start_over_degree;
  Array<ExactEnd> ends;
  VertexKernel vertex_kernel;
  double q;
  double inverse_square;  ///< 1 / q²
  int shortest_walk;
  Array<double> scales;
  DeviceTrials trials;
  DeviceResiduals left_x;
  DeviceResiduals left_y;
  PairResult* results;
  const PairResult* adjoints;

  KOKKOS_INLINE_FUNCTION bool both() const { return trials.y != nullptr; }

  KOKKOS_INLINE_FUNCTION CertifiedPair pair(int k) const {
    const Pair of = trials.pairs[k];
    const std::uint32_t first = vertex_begin(of.first);
    const std::uint32_t second = vertex_begin(of.second);
    return {vertices.data() + first,
            vertices.data() + second,
            static_cast<int>(vertex_begin(of.first + 1) - first),
            static_cast<int>(vertex_begin(of.second + 1) - second),
            trials.begin[k],
            both() ? 1.0 : start_over_degree(of.first) * start_over_degree(of.second) * inverse_square,
            scales(of.first) * scales(of.second)};
  }

  /// Adds row ii', i' = `k`, with the products N x and N y and how far off they may be.
  KOKKOS_INLINE_FUNCTION void add(DeviceSums& sums, const CertifiedPair& of, int i, int k, double nx, double ny,
                                  double unknown_x, double unknown_y) const {
    const ExactVertex row = of.first[i];
    const ExactVertex column = of.second[k];
    const std::size_t at =
        of.begin + static_cast<std::size_t>(i) * static_cast<std::size_t>(of.m) + static_cast<std::size_t>(k);
    const double inverse_degrees = row.inverse_degree * column.inverse_degree;
    const CertifiedRow certified{row.degree * column.degree,
                                 inverse_degrees,
                                 vertex_kernel(row.record, column.record),
                                 row.start * column.start,
                                 row.inverse_start * column.inverse_start,
                                 static_cast<int>(of.first[i + 1].first_end - row.first_end),
                                 static_cast<int>(of.second[k + 1].first_end - column.first_end)};
    const RowTrial x{at_least_0(trials.x[at]), nx, unknown_x};
    const RowTrial y = both() ? RowTrial{at_least_0(trials.y[at]), ny, unknown_y}
                              : RowTrial{of.factor * x.value, of.factor * nx, of.factor * unknown_x};
    const RowResiduals left =
        add_row(sums.sums, certified, q * q, inverse_square, shortest_walk == 1, x, of.factor > 0, y);
    if (left_x.values != nullptr) {
      left_x.values[at] = static_cast<float>(of.scale * left.r);
      sums.most_r = Kokkos::max(sums.most_r, Kokkos::abs(left.r) * inverse_degrees);
    }
    if (left_y.values != nullptr) {
      left_y.values[at] = static_cast<float>(of.scale * left.s);
      sums.most_s = Kokkos::max(sums.most_s, Kokkos::abs(left.s) * inverse_degrees);
    }
  }

  /// Puts what the sums say into the pair's result. A sum was formed of `in_turn` numbers one after the other, at most.
  KOKKOS_INLINE_FUNCTION void finish(int k, const CertifiedPair& of, const DeviceSums& sums, double in_turn) const {
    const bool walks =
        of.first[0].first_end < of.first[of.n].first_end && of.second[0].first_end < of.second[of.m].first_end;
    const Evaluation found = evaluation_of(sums.sums, of.factor > 0, in_turn, shortest_walk, walks);
    PairResult& result = results[k];
    if (adjoints != nullptr) {
      result.iterations += adjoints[k].iterations;
      if (result.status == Status::converged) result.status = adjoints[k].status;
    }
    result.value = found.value.value;
    result.error_bound = found.value.bound;
    result.residual = found.worst_x;
    const auto near_one = [](double most) {
      return most > 0 && Kokkos::isfinite(most) ? Kokkos::exp2(-Kokkos::round(Kokkos::log2(most))) : 1.0;
    };
    if (left_x.scale != nullptr) left_x.scale[k] = near_one(sums.most_r);
    if (left_y.scale != nullptr) left_y.scale[k] = near_one(sums.most_s);
  }
};

/// Levels of a team's sum, with room.
inline constexpr double most_levels = 32;

/// Certifies pairs, a team each, with κe evaluated at every pair of ends.
template <class MemorySpace, class VertexKernel, class Edges>
struct CertifyByElement {
  CertifiedPairs<MemorySpace, VertexKernel> pairs;
  Edges edges;

  template <class Member>
  KOKKOS_FUNCTION void operator()(const Member& member) const {
    const int k = member.league_rank();
    const CertifiedPair of = pairs.pair(k);
    DeviceSums sums;
    Kokkos::parallel_reduce(
        Kokkos::TeamThreadRange(member, of.n * of.m),
        [&](int e, DeviceSums& mine) { add(mine, of, e / of.m, e % of.m); }, Kokkos::Sum<DeviceSums>(sums));
    Kokkos::single(Kokkos::PerTeam(member), [&] {
      const int of_thread = of.n * of.m / certifying_team<MemorySpace>;
      pairs.finish(k, of, sums, of_thread + most_levels);
    });
  }

 private:
  KOKKOS_INLINE_FUNCTION void add(DeviceSums& sums, const CertifiedPair& of, int i, int k) const {
    const ExactEnd* const ends = pairs.ends.data();
    const ExactEnd* const begin = ends + of.second[k].first_end;
    const ExactEnd* const end = ends + of.second[k + 1].first_end;
    const ExactEnd* const end_of_row = ends + of.first[i + 1].first_end;
    const bool both = pairs.both();
    double nx = 0;
    double ny = 0;
    for (const ExactEnd* one = ends + of.first[i].first_end; one != end_of_row; ++one) {
      const ExactEnd edge = *one;
      const auto kappa = edges.row(edge.record);
      const std::size_t at_row = of.begin + edge.column * static_cast<std::size_t>(of.m);
      double nx_row = 0;
      double ny_row = 0;
      for (const ExactEnd* other = begin; other != end; ++other) {
        const ExactEnd edge_second = *other;
        const double c = edge_second.weight * kappa(edge_second.record);
        nx_row += c * at_least_0(pairs.trials.x[at_row + edge_second.column]);
        if (both) ny_row += c * at_least_0(pairs.trials.y[at_row + edge_second.column]);
      }
      nx += edge.weight * nx_row;
      ny += edge.weight * ny_row;
    }
    pairs.add(sums, of, i, k, nx, ny, 0, 0);
  }
};

/// The weights of ends times the factors of κe = Σ_k φ_k φ_k', up to `error`: values[k · ends + e] = w φ_k. Of more than one
/// factor the last is the weight alone, with which errors that are not relative to κe are bounded.
template <class MemorySpace>
struct FactoredEnds {
  Kokkos::View<double*, Kokkos::LayoutRight, MemorySpace> values;
  std::size_t count = 0;  ///< ends of all graphs
  int rank = 0;           ///< 0: there are no factors
  double error = 0;
};

/// Threads of a team that certifies by factors, and the columns of a strip of the second graph at most.
inline constexpr int factored_team = 256;
inline constexpr int most_strip = 16;
/// Doubles of scratch for each row and column of a strip: a product with the second graph of x and of y, and the products with
/// both of x and y, with κe and without.
inline constexpr std::size_t strip_doubles = 6;

/// Certifies pairs, a team each, with N x = Σ_k (A ∘ φ_k) X (A' ∘ φ_k)ᵀ, strip by strip of the columns of G'.
template <class MemorySpace>
struct CertifyByFactors {
  CertifiedPairs<MemorySpace, InverseTable> pairs;
  FactoredEnds<MemorySpace> factors;
  int strip;  ///< columns at a time

  template <class Member>
  KOKKOS_FUNCTION void operator()(const Member& member) const {
    const int k = member.league_rank();
    const CertifiedPair of = pairs.pair(k);
    const int size = of.n * strip;
    const Strip at{reinterpret_cast<double*>(member.team_scratch(0).get_shmem_aligned(
                       sizeof(double) * strip_doubles * static_cast<std::size_t>(size), sizeof(double))),
                   size};
    const int terms = factors.rank > 1 ? factors.rank + 1 : 1;
    DeviceSums sums;
    for (int first = 0; first < of.m; first += strip) {
      const int columns = Kokkos::min(strip, of.m - first);
      Kokkos::parallel_for(Kokkos::TeamThreadRange(member, size), [&](int e) {
        for (int part = 2; part < static_cast<int>(strip_doubles); ++part) at.part(part)[e] = 0;
      });
      for (int t = 0; t < terms; ++t) {
        const double* const weights = factors.values.data() + static_cast<std::size_t>(t) * factors.count;
        Kokkos::parallel_for(Kokkos::TeamThreadRange(member, size), [&](int e) {
          if (e % strip < columns) multiply_second(of, at, weights, e, first);
        });
        member.team_barrier();
        const int to = factors.rank > 1 && t == factors.rank ? 4 : 2;
        Kokkos::parallel_for(Kokkos::TeamThreadRange(member, size), [&](int e) {
          if (e % strip < columns) multiply_first(of, at, weights, e, to);
        });
        member.team_barrier();
      }
      DeviceSums of_strip;
      Kokkos::parallel_reduce(
          Kokkos::TeamThreadRange(member, size),
          [&](int e, DeviceSums& mine) {
            if (e % strip < columns) close(mine, of, at, e, first);
          },
          Kokkos::Sum<DeviceSums>(of_strip));
      sums += of_strip;
      member.team_barrier();
    }
    Kokkos::single(Kokkos::PerTeam(member), [&] {
      const int of_thread = of.n * of.m / member.team_size();
      const int strips = (of.m + strip - 1) / strip;
      pairs.finish(k, of, sums, of_thread + 2 * strips + most_levels);
    });
  }

 private:
  struct Strip {
    double* values;
    int size;
    KOKKOS_INLINE_FUNCTION double* part(int number) const {
      return values + static_cast<std::size_t>(number) * static_cast<std::size_t>(size);
    }
  };

  /// X (A' ∘ φ)ᵀ in row and column e of the strip.
  KOKKOS_INLINE_FUNCTION void multiply_second(const CertifiedPair& of, const Strip& at, const double* weights, int e,
                                              int first) const {
    const ExactVertex* const column = of.second + first + e % strip;
    const std::size_t row = of.begin + static_cast<std::size_t>(e / strip) * static_cast<std::size_t>(of.m);
    double x = 0;
    double y = 0;
    for (std::uint32_t end = column->first_end; end < column[1].first_end; ++end) {
      const std::size_t from = row + pairs.ends(end).column;
      x += weights[end] * at_least_0(pairs.trials.x[from]);
      if (pairs.both()) y += weights[end] * at_least_0(pairs.trials.y[from]);
    }
    at.part(0)[e] = x;
    at.part(1)[e] = y;
  }

  /// Adds (A ∘ φ) times that to parts `to` and `to` + 1.
  KOKKOS_INLINE_FUNCTION void multiply_first(const CertifiedPair& of, const Strip& at, const double* weights, int e,
                                             int to) const {
    const ExactVertex* const row = of.first + e / strip;
    double x = 0;
    double y = 0;
    for (std::uint32_t end = row->first_end; end < row[1].first_end; ++end) {
      const std::size_t from = static_cast<std::size_t>(pairs.ends(end).column) * static_cast<std::size_t>(strip) +
                               static_cast<std::size_t>(e % strip);
      x += weights[end] * at.part(0)[from];
      y += weights[end] * at.part(1)[from];
    }
    at.part(to)[e] += x;
    at.part(to + 1)[e] += y;
  }

  KOKKOS_INLINE_FUNCTION void close(DeviceSums& sums, const CertifiedPair& of, const Strip& at, int e,
                                    int first) const {
    constexpr double unit = 0.5 * Kokkos::Experimental::epsilon_v<double>;
    const int i = e / strip;
    const int k = first + e % strip;
    // Each sum of a product of factors rounds by its terms, twice, and the factors by their rank; |Σ φ φ'| ≤ 1 termwise.
    const auto neighbours = [](const ExactVertex* vertex) { return vertex[1].first_end - vertex[0].first_end; };
    const double roundings = 4.0 * (neighbours(of.first + i) + neighbours(of.second + k) + 2.0 * factors.rank + 32);
    const double off = factors.rank > 1 ? 1.0001 * (factors.error + roundings * unit) : 0;
    pairs.add(sums, of, i, k, at.part(2)[e], at.part(3)[e], off * at.part(4)[e], off * at.part(5)[e]);
  }
};

/// Adds corrections to trial solutions, a team a pair.
template <class MemorySpace>
struct Correct {
  Kokkos::View<std::uint32_t*, Kokkos::LayoutRight, MemorySpace> vertex_begin;
  const Pair* pairs;
  const std::size_t* begin;
  double* trial;
  const double* corrections;
  const PairResult* solved;
  PairResult* results;

  template <class Member>
  KOKKOS_FUNCTION void operator()(const Member& member) const {
    const int k = member.league_rank();
    Kokkos::single(Kokkos::PerTeam(member), [&] { results[k].iterations += solved[k].iterations; });
    const auto size = [&](std::int32_t graph) {
      return static_cast<int>(vertex_begin(graph + 1) - vertex_begin(graph));
    };
    Kokkos::parallel_for(Kokkos::TeamThreadRange(member, size(pairs[k].first) * size(pairs[k].second)), [&](int e) {
      const std::size_t at = begin[k] + static_cast<std::size_t>(e);
      trial[at] += corrections[at];
    });
  }
};

}  // namespace detail

/// An `ExactSet` in one memory space, in a vertex order of its own. A team forms both residuals of a pair in double, element by
/// element, and certifies its value.
template <class MemorySpace>
class DeviceExactSet {
 public:
  /// `orders[g][k]` is the vertex of graph g that is at place k; an empty order keeps the graph's own. `scales` are the factors by
  /// which the solver multiplies the weights of each graph, with which residuals are left for it.
  template <class ExecutionSpace>
  DeviceExactSet(const ExecutionSpace& space, const ExactSet& set,
                 const std::vector<std::vector<std::uint32_t>>& orders, const std::vector<double>& scales)
      : vertex_kernel_(space, set.vertex_kernel().lowered()),
        edge_kernel_(space, set.edge_kernel().lowered()),
        q_(set.stopping().q()),
        shortest_walk_(set.shortest_walk()),
        steps_(steps_of(set.edge_kernel().lowered())),
        first_(set.edge_kernel().lowered().program[0]) {
    Lists lists(set, orders);
    const auto copy = [&](const char* name, const auto& values) {
      return detail::to_memory<MemorySpace>(space, name, values);
    };
    vertex_begin_ = copy("exact_vertex_begin", lists.vertex_begin);
    vertices_ = copy("exact_vertices", lists.vertices);
    start_over_degree_ = copy("exact_start_over_degree", set.graphs().start_over_degree);
    ends_ = copy("exact_ends", lists.ends);
    scales_ = copy("exact_scales", scales);
    const LoweredKernel& vertex = set.vertex_kernel().lowered();
    std::vector<double> inverse = vertex.constant() ? std::vector<double>{vertex.program[0].parameter} : vertex.table;
    for (double& kappa : inverse) kappa = 1 / kappa;
    inverse_kappa_ = copy("exact_inverse_kappa", inverse);
    inverse_count_ = vertex.constant() ? 1 : static_cast<std::uint32_t>(vertex.record_count);
    if (inverse_kappa_.extent(0) > 0) lay_out_factors(space, set, lists);
    space.fence("octile::DeviceExactSet");
  }

  /// Queues the certification of `count` pairs. `results` has those of the solves of x; value, bound, residual and status are
  /// put in. If there is a y, `adjoints` has the results of its solves, which are added; null: they were before. Residuals are left where
  /// `left_x` and `left_y` say.
  template <class ExecutionSpace>
  void certify(const ExecutionSpace& space, const DeviceTrials& trials, std::size_t count, PairResult* results,
               const PairResult* adjoints, const DeviceResiduals& left_x = {},
               const DeviceResiduals& left_y = {}) const {
    const Job job{trials, count, results, adjoints, left_x, left_y};
    if (factors_.rank > 0) {
      launch_factored(space, job);
    } else if (inverse_kappa_.extent(0) == 0) {
      run(space, job, detail::InverseProgram<MemorySpace>{vertex_kernel_},
          detail::ProgramEdges<MemorySpace>{edge_kernel_});
    } else if (steps_ == Steps::constant) {
      launch(space, job, detail::ConstantEdges{first_.parameter});
    } else if (steps_ == Steps::table) {
      launch(space, job, detail::TableEdges{edge_kernel_.table().data(), edge_kernel_.count()});
    } else if (steps_ == Steps::delta) {
      launch(space, job, detail::LeafEdges<DeltaLeaf>{arguments(), edge_kernel_.records()});
    } else if (steps_ == Steps::gaussian) {
      launch(space, job, detail::LeafEdges<GaussianLeaf>{arguments(), edge_kernel_.records()});
    } else {
      launch(space, job, detail::ProgramEdges<MemorySpace>{edge_kernel_});
    }
  }

  /// Queues the addition of corrections to the trials of `count` pairs: trial ← trial + corrections. The
  /// iterations of the solves that gave the corrections are added to the results.
  // clang-tidy does not see into the functor, which writes to the trial. NOLINTBEGIN(readability-non-const-parameter)
  template <class ExecutionSpace>
  void correct(const ExecutionSpace& space, const DeviceTrials& trials, std::size_t count, double* trial,
               const double* corrections, const PairResult* solved, PairResult* results) const {
    if (count == 0) return;
    Kokkos::parallel_for(
        "octile::correct", policy_of(space, count),
        detail::Correct<MemorySpace>{vertex_begin_, trials.pairs, trials.begin, trial, corrections, solved, results});
  }
  // NOLINTEND(readability-non-const-parameter)

 private:
  struct Job {
    DeviceTrials trials;
    std::size_t count;
    PairResult* results;
    const PairResult* adjoints;
    DeviceResiduals left_x;
    DeviceResiduals left_y;
  };
  /// How κe is evaluated.
  enum class Steps { constant, table, delta, gaussian, program };
  template <class T>
  using Array = Kokkos::View<T*, Kokkos::LayoutRight, MemorySpace>;

  struct Lists {
    std::vector<std::uint32_t> vertex_begin;
    std::vector<detail::ExactVertex> vertices;  ///< and one more, where ends end
    std::vector<detail::ExactEnd> ends;

    Lists(const ExactSet& set, const std::vector<std::vector<std::uint32_t>>& orders) {
      const ExactGraphs& graphs = set.graphs();
      ends.resize(2 * graphs.ends.size());
      std::uint32_t end = 0;
      std::vector<std::uint32_t> order;
      std::vector<std::uint32_t> place;
      std::vector<std::uint32_t> next;
      for (std::size_t g = 0; g + 1 < graphs.vertex_begin.size(); ++g) {
        const std::size_t first = graphs.vertex_begin[g];
        const std::size_t n = graphs.vertex_begin[g + 1] - first;
        order = orders[g];
        if (order.empty()) {
          order.resize(n);
          std::iota(order.begin(), order.end(), 0U);
        }
        vertex_begin.push_back(static_cast<std::uint32_t>(first));
        place.resize(n);
        next.resize(n);
        const std::span<const std::uint32_t> records = set.vertex_kernel().ids(g);
        for (std::size_t k = 0; k < n; ++k) {
          const std::size_t v = order[k];
          place[v] = static_cast<std::uint32_t>(k);
          vertices.push_back({graphs.degrees[first + v], graphs.inverse_degrees[first + v], graphs.starting[first + v],
                              graphs.inverse_starting[first + v],
                              set.vertex_kernel().lowered().constant() ? 0 : records[v], end});
          next[k] = end;
          end += static_cast<std::uint32_t>(graphs.neighbours[first + v]);
        }
        const bool labelled = !set.edge_kernel().lowered().constant();
        const std::span<const std::uint32_t> edge_records = set.edge_kernel().ids(g);
        for (std::size_t e = graphs.edge_begin[g]; e < graphs.edge_begin[g + 1]; ++e) {
          const std::uint32_t record = labelled ? edge_records[e - graphs.edge_begin[g]] : 0;
          const std::uint32_t i = place[static_cast<std::size_t>(graphs.ends[e].i)];
          const std::uint32_t j = place[static_cast<std::size_t>(graphs.ends[e].j)];
          ends[next[i]++] = {graphs.weights[e], j, record};
          ends[next[j]++] = {graphs.weights[e], i, record};
        }
      }
      vertex_begin.push_back(static_cast<std::uint32_t>(vertices.size()));
      vertices.push_back({1, 1, 0, 0, 0, end});
    }
  };

  static Steps steps_of(const LoweredKernel& edge) {
    if (edge.constant()) return Steps::constant;
    if (edge.tabulated()) return Steps::table;
    if (edge.delta()) return Steps::delta;
    return edge.square_exponential() ? Steps::gaussian : Steps::program;
  }

  template <class ExecutionSpace>
  static auto policy_of(const ExecutionSpace& space, std::size_t count) {
    return without_waiting(
        Kokkos::TeamPolicy<ExecutionSpace>(space, static_cast<int>(count), detail::certifying_team<MemorySpace>));
  }

  /// Of a leaf that is all of κe.
  const LeafArguments& arguments() const { return first_; }

  detail::InverseTable inverse_table() const { return {inverse_kappa_.data(), inverse_count_}; }

  template <class ExecutionSpace, class Edges>
  void launch(const ExecutionSpace& space, const Job& job, const Edges& edges) const {
    run(space, job, inverse_table(), edges);
  }

  /// A team a pair. Registers are limited, since most of the time is spent waiting for memory.
  template <class ExecutionSpace, class VertexKernel, class Edges>
  void run(const ExecutionSpace& space, const Job& job, const VertexKernel& vertex_kernel, const Edges& edges) const {
    if (job.count == 0) return;
    constexpr unsigned threads = detail::certifying_team<MemorySpace>;
    constexpr unsigned teams = 6;
    const Kokkos::TeamPolicy<ExecutionSpace, Kokkos::LaunchBounds<threads, teams>> policy(
        space, static_cast<int>(job.count), static_cast<int>(threads));
    Kokkos::parallel_for(
        "octile::certify", without_waiting(policy),
        detail::CertifyByElement<MemorySpace, VertexKernel, Edges>{pairs_of(job, vertex_kernel), edges});
  }

  template <class ExecutionSpace>
  void launch_factored(const ExecutionSpace& space, const Job& job) const {
    if (job.count == 0) return;
    constexpr bool on_host = Kokkos::SpaceAccessibility<Kokkos::HostSpace, MemorySpace>::accessible;
    Kokkos::TeamPolicy<ExecutionSpace> policy(space, static_cast<int>(job.count), on_host ? 1 : detail::factored_team);
    policy.set_scratch_size(0, Kokkos::PerTeam(static_cast<int>(bytes_of_strip() + 2 * sizeof(double))));
    Kokkos::parallel_for("octile::certify_by_factors", without_waiting(policy),
                         detail::CertifyByFactors<MemorySpace>{pairs_of(job, inverse_table()), factors_, strip_});
  }

  template <class VertexKernel>
  detail::CertifiedPairs<MemorySpace, VertexKernel> pairs_of(const Job& job, const VertexKernel& vertex_kernel) const {
    return {vertex_begin_,  vertices_, start_over_degree_, ends_,      vertex_kernel, q_,          1 / (q_ * q_),
            shortest_walk_, scales_,   job.trials,         job.left_x, job.left_y,    job.results, job.adjoints};
  }

  /// Lays factors out where they make N x cheaper: where vertices have many edges.
  template <class ExecutionSpace>
  void lay_out_factors(const ExecutionSpace& space, const ExactSet& set, const Lists& lists) {
    const auto vertices = static_cast<double>(lists.vertices.size());
    const double ends_a_vertex = static_cast<double>(lists.ends.size()) / vertices;
    // The time of a term by element, of a Gaussian or a program twice as much, in units of that of a factor's term (measured on an H200).
    const double term = steps_ == Steps::constant || steps_ == Steps::table ? 1 : 2;
    const double most = term * ends_a_vertex / 2 - 1;
    for (std::size_t g = 0; g + 1 < lists.vertex_begin.size(); ++g) {
      most_vertices_ = std::max<std::size_t>(most_vertices_, lists.vertex_begin[g + 1] - lists.vertex_begin[g]);
    }
    while (strip_ > 1 && bytes_of_strip() > most_scratch) strip_ /= 2;
    if (most < 1 || bytes_of_strip() > most_scratch) return;
    const std::optional<Factors> factors =
        factorize(set.edge_kernel().lowered(), factor_error, static_cast<std::size_t>(most));
    if (!factors || factors->sparse()) return;
    const auto rank = factors->rank;
    const std::size_t terms = rank > 1 ? rank + 1 : 1;
    std::vector<double> values(terms * lists.ends.size());
    for (std::size_t e = 0; e < lists.ends.size(); ++e) {
      for (std::size_t k = 0; k < terms; ++k) {
        const double factor = k < rank ? factors->values[lists.ends[e].record * rank + k] : 1.0;
        values[k * lists.ends.size() + e] = lists.ends[e].weight * factor;
      }
    }
    factors_.values = detail::to_memory<MemorySpace>(space, "exact_factors", values);
    factors_.count = lists.ends.size();
    factors_.rank = static_cast<int>(rank);
    factors_.error = factors->error;
    space.fence("octile::DeviceExactSet");  // before the host's values go
  }

  std::size_t bytes_of_strip() const {
    return sizeof(double) * detail::strip_doubles * most_vertices_ * static_cast<std::size_t>(strip_);
  }
  /// Of a team's scratch: Kokkos gives a team of a GPU 48 KiB at most, with what its sums take.
  static constexpr std::size_t most_scratch = 40000;
  /// What factors may leave of κe.
  static constexpr double factor_error = 1e-12;

  detail::FactoredEnds<MemorySpace> factors_;
  std::size_t most_vertices_ = 0;
  int strip_ = detail::most_strip;
  Array<std::uint32_t> vertex_begin_;
  Array<detail::ExactVertex> vertices_;
  Array<double> start_over_degree_;
  Array<detail::ExactEnd> ends_;
  Array<double> scales_;
  RuntimeKernel<double, MemorySpace> vertex_kernel_;
  Array<double> inverse_kappa_;  ///< 1 / κv over records; empty where there is no table
  std::uint32_t inverse_count_ = 0;
  RuntimeKernel<double, MemorySpace> edge_kernel_;
  double q_;
  int shortest_walk_;
  Steps steps_;
  Instruction first_;  ///< of the edge kernel's program
};

}  // namespace octile
