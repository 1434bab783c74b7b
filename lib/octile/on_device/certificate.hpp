// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/base/array.hpp>
#include <octile/base/launch.hpp>
#include <octile/base/to_memory.hpp>
#include <octile/certify/exact_set.hpp>
#include <octile/error.hpp>
#include <octile/graphs/vertex_order.hpp>
#include <octile/kernels/factors.hpp>
#include <octile/kernels/leaf_kernels.hpp>
#include <octile/kernels/runtime_kernel.hpp>
#include <octile/on_device/basis.hpp>
#include <octile/on_device/basis_walk.hpp>
#include <octile/on_device/corrections.hpp>
#include <octile/on_device/edge_forms.hpp>
#include <octile/on_device/exact_lists.hpp>
#include <octile/on_device/factor_tiles.hpp>
#include <octile/on_device/factor_walk.hpp>
#include <octile/on_device/row_walk.hpp>
#include <octile/on_device/slopes.hpp>
#include <octile/on_device/trials.hpp>
#include <octile/on_device/walks.hpp>
#include <octile/pairs/prices.hpp>
#include <octile/pairs/reciprocal_table.hpp>
#include <octile/request.hpp>
#include <octile/solve.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

namespace octile {

/// An `ExactSet` in one memory space, in a vertex order of its own. A team forms both residuals of a pair in double, by one of
/// several walks, and certifies its value.
template <class MemorySpace>
class DeviceExactSet {
 public:
  /// `orders[g][k]` is the vertex of graph g that is at place k; an empty order keeps the graph's own. `scales` are the factors by
  /// which the solver multiplies the weights of each graph, with which residuals are left for it. `certify_reduced` may take so many bytes.
  template <class ExecutionSpace>
  DeviceExactSet(const ExecutionSpace& space, const ExactSet& set, const std::vector<VertexOrder>& orders,
                 const std::vector<double>& scales, std::size_t bytes_for_reduction = 0)
      : q_(set.stopping().q()), rounding_(set.rounding()), shortest_walk_(set.shortest_walk()) {
    const ExactLists lists(set, orders);
    const auto copy = [&](const char* name, const auto& values) {
      return detail::to_memory<MemorySpace>(space, name, values);
    };
    vertex_begin_ = copy("exact_vertex_begin", lists.vertex_begin);
    vertices_ = copy("exact_vertices", lists.vertices);
    start_over_degree_ = copy("exact_start_over_degree", set.graphs().start_over_degree);
    // Walks read ahead: one more than there are.
    std::vector<detail::ExactEnd> padded_ends = lists.ends;
    padded_ends.push_back({0, 0, 0});
    ends_ = copy("exact_ends", padded_ends);
    edges_ = copy("exact_edges", lists.edges);
    by_degree_ = copy("exact_by_degree", lists.by_degree);
    most_neighbours_ = copy("exact_most_neighbours", lists.most_neighbours);
    scales_ = copy("exact_scales", scales);
    const LoweredKernel& vertex = set.vertex_kernel().lowered();
    const std::size_t ids = vertex.table_ids();
    if (ids > 0 && ids <= vertex_table_limit) {
      inverse_kappa_ = reciprocal_table(space, RuntimeKernel<double, MemorySpace>(space, vertex), ids);
    }
    inverse_count_ = static_cast<std::uint32_t>(ids);
    mean_vertices_ =
        static_cast<double>(lists.vertices.size() - 1) / static_cast<double>(lists.vertex_begin.size() - 1);
    most_vertices_ = lists.most_vertices();
    forms_.emplace(space, set.edge_kernel().lowered(), lists);
    choose_walk(lists);
    lay_out_factors(space, set, lists);
    if (factors_.rank == 0) tiles_ = detail::TiledEnds<MemorySpace>::of(space, set, lists);
    if (inverse_kappa_.extent(0) > 0) {
      reducing_ = detail::BasisReduction<MemorySpace>(space, set.edge_kernel().lowered(), lists, bytes_for_reduction);
    }
    if (set.differentiates()) slopes_.emplace(space, set, lists);
    space.fence("octile::DeviceExactSet");  // before the padded ends go
  }

  /// Queues the certification of `count` pairs. `results` has those of the solves of x, and gets value, bound, residual
  /// and status. `adjoints` has those of the solves of y, to be added; null if there are none, or they were added
  /// before. `few` pairs do not fill a device: many threads take each. Derivatives go to `slopes`, which requires a set
  /// that differentiates and walks of any length; residuals go to `left_x` and `left_y`. If vertices have more than
  /// `vertex_table_limit` records, trials must come with reciprocals.
  template <class ExecutionSpace, class Scalar>
  void certify(const ExecutionSpace& space, const DeviceTrials<Scalar>& trials, std::size_t count, bool few,
               PairResult* results, const PairResult* adjoints, const SlopeRows& slopes = {},
               const DeviceResiduals& left_x = {}, const DeviceResiduals& left_y = {}) const {
    if (count == 0) return;
    Job<Scalar> job{trials, count, few, results, adjoints, left_x, left_y, slopes};
    if (slopes.values != nullptr) job.slopes = slopes_->rows(slopes);
    if (trials.reciprocals == nullptr && inverse_kappa_.extent(0) == 0) {
      throw Error("too many distinct vertex labels for a table, and no values of their kernel by pair");
    }
    if (factors_.rank > 0) {
      launch_factored(space, job);
    } else if (tiles_.chunks > 0) {
      launch_tiles(space, job);
    } else {
      forms_->visit([&](const auto& edges) { launch(space, job, edges); });
    }
    if (slopes.values != nullptr) slopes_->add(space, pairs_of<is_float<Scalar>>(job), count, job.slopes);
  }

  /// Whether residuals are formed by tiles of factors (`ExactSet::factors_on_device`).
  bool by_tiles() const { return tiles_.chunks > 0; }
  /// Whether residuals of solves in float32 are formed row by row.
  bool by_rows() const { return ends_by_rows_ > 0; }

  /// Whether pairs can be certified by trials that are products of bases, weighted by so many terms, and that takes less than a walk.
  bool reduces(std::size_t weights = 0) const { return reducing_.allows(weights); }

  /// Makes room for bases, and keeps the array of what trials are weighted by, the same for both systems, which must be filled on `space` before
  /// `take_basis`. `reduces` must allow as many weights.
  template <class ExecutionSpace>
  void reserve_bases(const ExecutionSpace& space, const BasisWeights<MemorySpace>& weights = {}) {
    reducing_.weights = weights;
    reducing_.reserve(space, vertices_.extent(0) - 1);
  }

  /// Queues what takes the bases of all graphs for one of the two systems: 16 numbers for each vertex, in the order of the vertices here. There
  /// must be room.
  template <class ExecutionSpace>
  void take_basis(const ExecutionSpace& space, RightHandSide side, const Array<double, MemorySpace>& basis) {
    const detail::FormBasisProducts<MemorySpace> form{
        vertex_begin_,     vertices_, ends_,        reducing_.factors,
        reducing_.weights, basis,     reducing_.of, side == RightHandSide::stopping};
    const std::size_t teams = (vertex_begin_.extent(0) - 1) * static_cast<std::size_t>(form.parts());
    Kokkos::parallel_for("octile::form_basis_products", policy_of(space, teams), form);
  }

  /// Queues the certification of `count` pairs, of which both systems have trials. Value, bound, residual and status are put into `results`;
  /// the bound is infinite where a trial has a number below 0. Derivatives go to `slopes`, as `certify` has them, and take `ReducedTrials::steps`.
  template <class ExecutionSpace>
  void certify_reduced(const ExecutionSpace& space, const ReducedTrials& trials, std::size_t count, PairResult* results,
                       const SlopeRows& slopes = {}) const {
    if (count == 0) return;
    const DeviceTrials<float> stepped{trials.pairs, trials.begin, trials.steps.values, true};
    Job<float> job{stepped, count, false, results, nullptr, {}, {}, {}};
    if (slopes.values == nullptr) {
      detail::certify_by_basis<false>(space, pairs_of<true>(job), reducing_, trials, count);
      return;
    }
    job.slopes = slopes_->rows(slopes);
    detail::certify_by_basis<true>(space, pairs_of<true>(job), reducing_, trials, count);
    job.trials.scales = trials.steps.scales;
    slopes_->add(space, pairs_of<true>(job), count, job.slopes);
  }

  /// Queues the addition of corrections to the trials of `count` pairs: trial ← trial + scale · correction, at least 0; `values` are those of
  /// `trials`. The iterations of the solves that gave the corrections are added to the results.
  // clang-tidy does not see into the functor, which writes to the trial. NOLINTBEGIN(readability-non-const-parameter)
  template <class ExecutionSpace>
  void correct(const ExecutionSpace& space, const DeviceTrials<double>& trials, std::size_t count,
               TrialValues<double>* values, const Corrections& corrections, PairResult* results) const {
    if (count == 0) return;
    Kokkos::parallel_for("octile::correct", policy_of(space, count),
                         detail::Correct<MemorySpace>{vertex_begin_, trials.pairs, trials.begin, values, trials.both,
                                                      corrections, results});
  }
  // NOLINTEND(readability-non-const-parameter)

 private:
  template <class Scalar>
  static constexpr bool is_float = std::is_same_v<Scalar, float>;

  template <class Scalar>
  struct Job {
    DeviceTrials<Scalar> trials;
    std::size_t count;
    bool few;
    PairResult* results;
    const PairResult* adjoints;
    DeviceResiduals left_x;
    DeviceResiduals left_y;
    SlopeRows slopes;
  };
  template <class ExecutionSpace>
  static auto policy_of(const ExecutionSpace& space, std::size_t count) {
    return without_waiting(
        Kokkos::TeamPolicy<ExecutionSpace>(space, static_cast<int>(count), detail::certifying_team<MemorySpace>));
  }

  /// A team a pair, with registers for as many teams on a multiprocessor as wait for memory in turn.
  template <class ExecutionSpace, class Scalar, class Edges>
  void launch(const ExecutionSpace& space, const Job<Scalar>& job, const Edges& edges) const {
    if (job.count == 0) return;
    constexpr int threads = detail::certifying_team<MemorySpace>;
    constexpr unsigned teams = 4;  // with more registers a thread has more reads under way
    if (room_ > 0) {
      using Walk = detail::CertifyByEnds<MemorySpace, Edges, Scalar>;
      const auto pairs = pairs_of<is_float<Scalar>>(job);
      const detail::SharedPairs shared = shared_by_teams<std::decay_t<decltype(pairs)>>(space, job.count);
      detail::launch_teams<threads, teams>(space, "octile::certify_by_ends",
                                           job.count * static_cast<std::size_t>(shared.teams),
                                           Walk::doubles(room_, threads), Walk{pairs, edges, room_, shared});
      join_teams(space, pairs, shared, job.count);
    } else {
      using Walk = detail::CertifyByColumn<MemorySpace, Edges, Scalar>;
      // A warp alone waits for no other, neither at the beginning of a pair nor at its end: a fifth to a quarter less for molecules (H200).
      // Few pairs take as long as the slowest of them.
      const int size = mean_vertices_ < shared_from && !job.few ? std::min(threads, 32) : threads;
      detail::launch_teams<threads, teams>(space, "octile::certify_by_column", job.count, detail::room_of_sum(size),
                                           Walk{pairs_of<true>(job), edges}, size);
    }
  }

  /// How many teams share a pair, with memory for what they leave, which is kept. It depends on the set alone, so that the bits of a value do not
  /// depend on how many pairs are certified together.
  template <class Pairs, class ExecutionSpace>
  detail::SharedPairs shared_by_teams(const ExecutionSpace& space, std::size_t count) const {
    if (mean_vertices_ < shared_from) return {};
    using Sums = typename Pairs::Sums;
    const std::size_t length = count * static_cast<std::size_t>(teams_a_pair) * detail::SharedPairs::stride<Sums>;
    if (length > left_by_teams_.extent(0)) {
      left_by_teams_ = Array<double, MemorySpace>(
          Kokkos::view_alloc(space, Kokkos::WithoutInitializing, "octile::left_by_teams"), length);
    }
    return {teams_a_pair, left_by_teams_.data()};
  }

  template <class ExecutionSpace, class Scalar>
  void launch_factored(const ExecutionSpace& space, const Job<Scalar>& job) const {
    if (job.count == 0) return;
    constexpr bool on_host = Kokkos::SpaceAccessibility<Kokkos::HostSpace, MemorySpace>::accessible;
    if constexpr (is_float<Scalar>) {
      if (ends_by_rows_ > 0) {
        detail::certify_by_rows(space, job.count, pairs_of<true>(job), factors_, most_vertices_, ends_by_rows_);
        return;
      }
    }
    using Walk = detail::CertifyByFactors<MemorySpace, Scalar>;
    constexpr unsigned threads = on_host ? 1 : detail::factored_team;
    constexpr unsigned teams = 4;
    const std::size_t doubles = std::max(doubles_of_rows(rows_), detail::room_of_sum(threads));
    detail::launch_teams<threads, teams>(space, "octile::certify_by_factors", job.count, doubles,
                                         Walk{pairs_of<is_float<Scalar>>(job), factors_, rows_});
  }

  template <class ExecutionSpace, class Scalar>
  void launch_tiles(const ExecutionSpace& space, const Job<Scalar>& job) const {
    using Walk = detail::CertifyByTiles<MemorySpace, Scalar>;
    auto pairs = pairs_of<true>(job);
    pairs.rounding = tiles_.rounding;
    pairs.products_apart = true;
    const detail::SharedPairs shared = shared_by_teams<std::decay_t<decltype(pairs)>>(space, job.count);
    constexpr int threads = detail::TiledEnds<MemorySpace>::threads;
    const std::size_t doubles = detail::doubles_of_tiles(static_cast<int>(most_vertices_), threads);
    detail::launch_teams<threads, 7>(space, "octile::certify_by_tiles",
                                     job.count * static_cast<std::size_t>(shared.teams), doubles,
                                     Walk{{}, pairs, tiles_, shared});
    join_teams(space, pairs, shared, job.count);
  }

  /// Joins what several teams have left of each pair.
  template <class ExecutionSpace, class Pairs>
  static void join_teams(const ExecutionSpace& space, const Pairs& pairs, const detail::SharedPairs& shared,
                         std::size_t count) {
    if (shared.teams == 1) return;
    Kokkos::parallel_for("octile::join_teams",
                         without_waiting(Kokkos::RangePolicy<ExecutionSpace>(space, 0, static_cast<int>(count))),
                         detail::JoinTeams<Pairs>{pairs, shared});
  }

  template <bool coarse, class Scalar>
  detail::CertifiedPairs<MemorySpace, Scalar, coarse> pairs_of(const Job<Scalar>& job) const {
    const double* const by_place = job.trials.reciprocals;
    const detail::InverseKappa inverse_kappa{by_place != nullptr ? by_place : inverse_kappa_.data(),
                                             by_place != nullptr ? 0 : inverse_count_};
    return {vertex_begin_, vertices_,  start_over_degree_, ends_,        edges_,         by_degree_, most_neighbours_,
            inverse_kappa, q_,         1 / (q_ * q_),      rounding_,    shortest_walk_, scales_,    job.trials,
            job.left_x,    job.left_y, job.results,        job.adjoints, job.slopes};
  }

  /// Lays factors out where they make N x cheaper: where vertices have many edges.
  template <class ExecutionSpace>
  void lay_out_factors(const ExecutionSpace& space, const ExactSet& set, const ExactLists& lists) {
    // What is not constant takes a term for its error.
    const bool constant = set.edge_kernel().lowered().constant();
    const double terms_at_most = lists.ends_a_vertex() / edges_of_term(constant);
    if (terms_at_most < 1) return;
    const auto most = static_cast<std::size_t>(std::max(terms_at_most - 1, 1.0));
    const std::optional<Factors> factors = factorize(set.edge_kernel().lowered(), factor_error, most);
    if (!factors || factors->sparse() || factors->error > factor_error) return;
    const auto rank = factors->rank;
    const std::size_t terms = constant ? rank : rank + 1;
    factors_.rank = static_cast<int>(rank);
    factors_.terms = static_cast<int>(terms);
    while (rows_ > 1 && sizeof(double) * doubles_of_rows(rows_) > most_scratch) rows_ /= 2;
    // Graphs so large that few rows fit a team's scratch have to have more edges.
    const bool narrow = rows_ < detail::rows_a_thread && lists.ends_a_vertex() < edges_for_few_rows;
    if (narrow || sizeof(double) * doubles_of_rows(rows_) > most_scratch) {
      factors_ = {};
      return;
    }
    factors_ = detail::FactoredEnds<MemorySpace>(space, lists, *factors, terms);
    if (terms == 1 && mean_vertices_ >= shared_from) ends_by_rows_ = detail::ends_by_rows(lists);
  }

  /// Walks by ends where vertices have many edges, or where κe takes long. A single vertex of many edges makes the rounding of all rows large
  /// in walks by column.
  void choose_walk(const ExactLists& lists) {
    constexpr std::uint32_t many_of_one = 12;
    std::uint32_t most = 0;
    for (const std::uint32_t neighbours : lists.most_neighbours) most = std::max(most, neighbours);
    if (forms_->cheap() && lists.ends_a_vertex() < edges_for_walk_by_ends && most <= many_of_one) return;
    if (2 * sizeof(double) * most > most_scratch) return;
    room_ = std::max(usual_room, static_cast<int>(most));
  }

  /// Doubles of scratch that a team takes for so many rows of the largest pair, by factors.
  std::size_t doubles_of_rows(int rows) const {
    return detail::CertifyByFactors<MemorySpace, double>::doubles(rows, static_cast<int>(most_vertices_),
                                                                  factors_.parts());
  }
  /// Bytes of a team's scratch. Kokkos gives a team of a GPU 48 KiB at most, some of which its sums take.
  static constexpr std::size_t most_scratch = 40000;
  static constexpr int usual_room = 2400;  ///< products, 16 bytes each, that a team's scratch has room for by ends
  /// From this mean number of vertices on, several teams or warps share a pair: one takes milliseconds for the largest.
  static constexpr double shared_from = 64;
  static constexpr int teams_a_pair = 4;
  /// What factors may leave of κe.
  static constexpr double factor_error = 1e-12;

  detail::FactoredEnds<MemorySpace> factors_;
  detail::TiledEnds<MemorySpace> tiles_;
  detail::BasisReduction<MemorySpace> reducing_;
  std::size_t most_vertices_ = 0;
  double mean_vertices_ = 0;
  int ends_by_rows_ = 0;  ///< the most ends of edges of a graph, if solves in float32 are certified row by row; or 0
  mutable Array<double, MemorySpace> left_by_teams_;
  int rows_ = detail::most_rows_at_once;  ///< that a team takes at a time by factors
  int room_ = 0;                          ///< of walks by ends; 0: there is one by column
  Array<std::uint32_t, MemorySpace> vertex_begin_;
  Array<detail::ExactVertex, MemorySpace> vertices_;
  Array<double, MemorySpace> start_over_degree_;
  Array<detail::ExactEnd, MemorySpace> ends_;
  Array<detail::ExactEdge, MemorySpace> edges_;
  Array<std::uint32_t, MemorySpace> by_degree_;
  Array<std::uint32_t, MemorySpace> most_neighbours_;
  Array<double, MemorySpace> scales_;
  Array<double, MemorySpace> inverse_kappa_;  ///< 1 / κv over records; empty where there are too many
  std::uint32_t inverse_count_ = 0;
  std::optional<detail::EdgeForms<MemorySpace>> forms_;  ///< of κe
  double q_;
  SystemRounding rounding_;
  int shortest_walk_;
  std::optional<DeviceSlopes<MemorySpace>> slopes_;
};

}  // namespace octile
