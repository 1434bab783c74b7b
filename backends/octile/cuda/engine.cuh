// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/cuda/buffers.cuh>
#include <octile/cuda/certifier.cuh>
#include <octile/cuda/kernels.cuh>
#include <octile/cuda/launch.cuh>
#include <octile/cuda/layout/set.hpp>
#include <octile/cuda/pair_reciprocals.cuh>
#include <octile/cuda/plan/pairs.hpp>
#include <octile/cuda/sorted_list.cuh>
#include <octile/cuda/start/basis.cuh>
#include <octile/cuda/start/projected_solve.cuh>
#include <octile/cuda/start/projection.hpp>
#include <octile/cuda/task.cuh>
#include <octile/plan/lowered_set.hpp>
#include <octile/solve.hpp>
#include <octile/vertex_order.hpp>

#include <Kokkos_Core.hpp>
#include <Kokkos_Profiling_ScopedRegion.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace octile::cuda {

using octile::plan::pairs_that_fit;

/// Solves pairs of one set on an execution-space instance. κv and κe are compile-time types over the labels of `Set`.
/// Each pair goes to the first tier that takes it (`PairPlan`). Memory is allocated when it is first needed, and kept.
/// An engine must live until the work that it queued is done, and serves one instance at a time. The calling thread's
/// current device is unchanged on return.
template <Product Kind, class Set, class VertexKernel, class EdgeKernel>
class Engine {
 public:
  using Space = Kokkos::Cuda;

  /// `builder` holds the set's graphs; at most `memory` bytes are taken for vectors.
  template <class Builder>
  Engine(const Space& space, Builder& builder, const VertexKernel& vertex_kernel, const EdgeKernel& edge_kernel,
         const Stopping& stopping, const SolveOptions& options, std::size_t memory, const OctileChoice& choice = {})
      : space_(space),
        set_(builder.build(space)),
        vertex_kernel_(vertex_kernel),
        edge_kernel_(edge_kernel),
        options_(options),
        scale_(stopping.q() * stopping.q()),
        memory_(memory),
        choice_(choice),
        kernels_(kernels_of<Kind, Set, VertexKernel, EdgeKernel>(choice.steps)),
        plan_(Kind, kernels_.tiers, with_ids(builder.sizes(), vertex_kernel), factors_at_once<EdgeKernel>(),
              space.cuda_device_prop().sharedMemPerBlockOptin),
        orders_(builder.orders()),
        weight_scales_(builder.weight_scales()) {}

  /// From now on pairs start from projected systems. `projection` must be of the same set.
  void start_from(ProjectionSet<Space::memory_space> projection) { projection_ = std::move(projection); }

  /// From now on `by_pair`, which is null or must outlive this, forms κv of the pairs of each list. Without it κv must be given whole.
  void evaluate_by(ReciprocalsByPair* by_pair) requires std::is_same_v<VertexKernel, VertexTable> {
    by_pair_ = by_pair;
    if (by_pair != nullptr) by_pair->exchange_labels(space_, set_.vertex_begin, set_.vertex_labels);
  }

  /// Whether starts from projected systems pay for this set (`PairPlan`).
  bool has_use_for_starts() const { return plan_.has_use_for_starts(memory_, most_based); }

  /// Whether pairs start from projected systems.
  bool starts() const { return projection_.given(); }

  /// Queues the solves of `pairs` on the instance without waiting for them. Put the costliest first. Results are in the
  /// order of `sorted()`: its k-th is `pairs[order()[k]]`, perhaps with its graphs swapped. With `solutions`, the solution
  /// of each pair is kept too. `room` is of the longest of the lists that are queued one after the other: memory is taken for it at
  /// once. Throws `Error` for a pair that does not fit the memory. A further call waits until the previous list has been copied to
  /// the device. The first call also forms the bases for projected starts, and waits
  /// for them. Starts take 1 KiB a pair: if those of the list exceed a quarter of the memory, its pairs start at 0, as
  /// those of the adjoint system do.
  void enqueue(std::span<const Pair> pairs, RightHandSide right_hand_side = RightHandSide::stopping,
               bool solutions = false, const ListRoom& room = {}) {
    if (pairs.empty()) return;
    Kokkos::Profiling::ScopedRegion region("octile::cuda::solve");
    const OnDevice device(space_);
    begin_list(room);
    const bool starts = right_hand_side == RightHandSide::stopping && has_starts();
    const std::vector<Part> parts = arrange(pairs, solutions || by_pair_ != nullptr);
    timed_ = false;
    form_reciprocals(pairs.size());
    if (solutions) grow(space_, solutions_, "solutions", solutions_length_);
    const Task task{right_hand_side, solutions ? solutions_.data() : nullptr, {}, starts, options_, results_.data()};
    solve(parts, {&task, 1});
    timing().span.stop(space_.cuda_stream());
  }

  /// Queues the solves of both systems of each pair, and the certification of their values, which are put into the results. The
  /// solutions are corrected `corrections` times: their residuals, formed in double, are the right-hand sides of another solve.
  /// `room` is as above. With `slopes`, which is how many numbers `SlopeRows` has for a pair, derivatives are formed too.
  void enqueue_certified(std::span<const Pair> pairs, const Certifier& certifier, int corrections, const ListRoom& room,
                         std::size_t slopes = 0) {
    if (pairs.empty()) return;
    Kokkos::Profiling::ScopedRegion region("octile::cuda::solve_certified");
    const OnDevice device(space_);
    begin_list(room);
    const bool starts = has_starts();
    const bool both = !certifier.x_suffices();
    const std::size_t count = pairs.size();
    const std::vector<Part> parts = arrange(pairs, true);
    if (both) grow(space_, adjoint_results_, "adjoint_results", room.pairs);
    if (corrections > 0) grow(space_, correction_results_, "correction_results", room.pairs);
    if (slopes > 0) grow(space_, slopes_, "slopes", slopes * room.pairs);
    const SlopeRows rows = slopes > 0 ? SlopeRows{slopes_.data(), slopes} : SlopeRows{};
    timed_ = false;
    const double* const reciprocals = form_reciprocals(count);
    const PairResult* const adjoints = both ? adjoint_results_.data() : nullptr;
    if (corrections == 0) {
      grow(space_, trials_, "trials", room.unknowns);
      grow(space_, trial_scales_, "trial_scales", room.pairs);
      TrialValues<float>* const values = trials_.data();
      TrialValues<double>* const scales = trial_scales_.data();
      solve(parts, tasks_of(both, starts, {&values->x, &scales->x, nullptr}, {&values->y, &scales->y, nullptr}));
      certifier.certify(space_, {pairs_.data(), begins_.data(), values, both, scales, reciprocals}, count,
                        results_.data(), adjoints, rows);
    } else {
      grow(space_, corrected_, "corrected_trials", room.unknowns);
      TrialValues<double>* const values = corrected_.data();
      solve(parts, tasks_of(both, starts, {nullptr, nullptr, &values->x}, {nullptr, nullptr, &values->y}));
      const DeviceResiduals left_x = left_of_x_.residuals(space_, room.unknowns, room.pairs);
      const DeviceResiduals left_y = both ? left_of_y_.residuals(space_, room.unknowns, room.pairs) : DeviceResiduals{};
      const DeviceTrials<double> trials{pairs_.data(), begins_.data(), values, both, nullptr, reciprocals};
      for (int step = 0; step <= corrections; ++step) {
        const bool last = step == corrections;
        certifier.certify(space_, trials, count, results_.data(), step == 0 ? adjoints : nullptr,
                          last ? DeviceResiduals{} : left_x, last ? DeviceResiduals{} : left_y,
                          last ? rows : SlopeRows{});
        if (last) break;
        correct(parts, certifier, trials, count, &values->x, left_x);
        if (both) correct(parts, certifier, trials, count, &values->y, left_y);
      }
    }
    timing().span.stop(space_.cuda_stream());
  }

  const Space& space() const { return space_; }
  const PinnedArray<Pair>& sorted() const { return list_.pairs; }
  std::span<const std::size_t> order() const { return list_.order; }
  /// The pairs and results of the last `enqueue`, one each a pair, and the solutions if they were asked for: that of the k-th
  /// of `sorted()` begins at `begins()(k)`.
  const Array<Pair>& pairs() const { return pairs_; }
  const Array<PairResult>& results() const { return results_; }
  const Array<double>& solutions() const { return solutions_; }
  /// What certification left of derivatives, as `SlopeRows` has them.
  const Array<double>& slopes() const { return slopes_; }
  const PinnedArray<std::size_t>& begins() const { return list_.begins; }
  std::size_t vertices(std::int32_t graph) const { return plan_.vertices(graph); }
  std::size_t unknowns(Pair pair) const { return vertices(pair.first) * vertices(pair.second); }
  const std::vector<VertexOrder>& orders() const { return orders_; }
  /// The factor of each graph's weights in the set.
  const std::vector<double>& weight_scales() const { return weight_scales_; }
  /// Lists one after the other, of up to `most` pairs whose arrays fit half of the memory, of `each` bytes an unknown; at least one pair.
  std::vector<ListRoom> lists_of(std::span<const Pair> pairs, std::size_t most, std::size_t each) const {
    return plan_.lists_of(pairs, {most, each == 0 ? std::numeric_limits<std::size_t>::max() : memory_ / 2 / each});
  }
  /// The graph's own number of the vertex that is at `place` in the set's order, and so in x.
  std::size_t vertex(std::int32_t graph, std::size_t place) const {
    return vertex_at(orders_[static_cast<std::size_t>(graph)], place);
  }
  /// Device time in seconds of the last list that was queued, or of the one before it. Its work must be done. That of the first
  /// list includes the time for the set's bases, which it formed.
  double device_seconds(bool before_last = false) const {
    const Timing& timing = timings_[before_last ? 1 - current_ : current_];
    return timing.span.seconds() + timing.of_set;
  }
  /// What `order()` says, taken out, so that another list can be queued before the results of this one are sorted. `order` gives
  /// its memory for it.
  void take_order(std::vector<std::size_t>& order) { std::swap(order, list_.order); }

 private:
  using Launch = TierLaunch<Set, VertexKernel, EdgeKernel>;

  static SetSizes with_ids(SetSizes sizes, [[maybe_unused]] const VertexKernel& kernel) {
    if constexpr (std::is_same_v<VertexKernel, VertexTable>) {
      sizes.vertex_ids = kernel.count > 0 ? kernel.count : too_many_ids;
    }
    return sizes;
  }

  /// The solves of both systems of each pair, or of the first alone.
  std::vector<Task> tasks_of(bool both, bool starts, const TrialPlace& x, const TrialPlace& y) const {
    std::vector<Task> tasks{{RightHandSide::stopping, nullptr, x, starts, options_, results_.data()}};
    if (both) tasks.push_back({RightHandSide::starting, nullptr, y, false, options_, adjoint_results_.data()});
    return tasks;
  }

  /// Queues the solves of one system with its residuals on the right, and the addition of what they give to its trials.
  void correct(std::span<const Part> parts, const Certifier& certifier, const DeviceTrials<double>& trials,
               std::size_t count, double* trial, const DeviceResiduals& left) {
    grow(space_, solutions_, "solutions", solutions_length_);
    const Task task{RightHandSide::stopping, solutions_.data(), {}, false, options_, correction_results_.data(), left};
    solve(parts, {&task, 1});
    certifier.correct(space_, trials, count, trial, solutions_.data(), correction_results_.data(), results_.data());
  }

  /// Device time of a list, and that for the bases of the set if its call formed them.
  struct Timing {
    Stopwatch span;
    double of_set = 0;
  };

  void begin_list(const ListRoom& room) {
    current_ = 1 - current_;
    timing().of_set = 0;
    room_ = room;
  }
  Timing& timing() { return timings_[current_]; }

  /// Queues κv of the pairs that were arranged last, if it is formed pair by pair. Returns where it will stand, or null.
  const double* form_reciprocals(std::size_t count) {
    if (by_pair_ == nullptr) return nullptr;
    timing().span.start(space_.cuda_stream());
    timed_ = true;
    const std::size_t unknowns = std::max(room_.unknowns, solutions_length_);
    const double* const formed = by_pair_->form(space_, pairs_.data(), begins_.data(), count, unknowns);
    if constexpr (std::is_same_v<VertexKernel, VertexTable>) vertex_kernel_.reciprocals = formed;
    return formed;
  }

  /// Whether there are starts, with bases, which are formed on the first call.
  bool has_starts() {
    if (starts() && !has_bases_) form_bases();
    return starts();
  }

  /// Sorts pairs by tier, and queues their copy to the device; with `solutions`, also where the solution of each begins.
  std::vector<Part> arrange(std::span<const Pair> pairs, bool solutions) {
    SortedPairs sorted = plan_.sort(pairs);
    const std::size_t most = std::max(room_.pairs, pairs.size());
    list_.keep(space_, sorted, most);
    solutions_length_ =
        solutions ? list_.place_solutions(space_, most, [this](Pair pair) { return unknowns(pair); }) : 0;
    grow(space_, pairs_, "pairs", most);
    grow(space_, results_, "results", most);
    Kokkos::deep_copy(space_, first_of(pairs_, pairs.size()), first_of(list_.pairs, pairs.size()));
    if (solutions) {
      grow(space_, begins_, "solution_begin", most);
      Kokkos::deep_copy(space_, first_of(begins_, pairs.size()), first_of(list_.begins, pairs.size()));
    }
    list_.copied.record(space_.cuda_stream());
    return std::move(sorted.parts);
  }

  /// Queues the solves of the pairs that were arranged last, for all tasks. Tiers run beside each other, and each goes on to the
  /// next task without waiting for the others.
  void solve(std::span<const Part> parts, std::span<const Task> tasks) {
    grow(space_, next_, "next_pair", tasks.size() * kernels_.tiers.size());
    Kokkos::deep_copy(space_, next_, 0);
    std::vector<Launch> launches;
    for (std::size_t t = 0; t < tasks.size(); ++t) {
      uint4* const coefficients = tasks[t].starts ? coefficients_of(parts) : nullptr;
      for (const Part& part : parts) {
        const bool starts = coefficients != nullptr && kernels_.tiers[part.tier].starts;
        Work work = tasks[t].work(part, pairs_.data(), begins_.data());
        if (choice_.steps.dynamic) work.next = next_.data() + t * kernels_.tiers.size() + part.tier;
        work.choice = choice_;
        work.scale = scale_;
        launches.push_back(prepare(part, work, starts ? coefficients + part.begin * coefficients_a_pair : nullptr));
      }
    }
    // From here on, when all that the host prepares is ready.
    if (!timed_) timing().span.start(space_.cuda_stream());
    timed_ = true;
    streams_.fork(space_.cuda_stream(), parts.size());
    for (std::size_t k = 0; k < launches.size(); ++k) {
      const Launch& launch = launches[k];
      const cudaStream_t stream = streams_[k % parts.size()];
      if (launch.coefficients != nullptr) launch.find_starts(projection_.view(), stream);
      launch.kernel<<<launch.grid, launch.threads, launch.shared_bytes, stream>>>(set_, vertex_kernel_, edge_kernel_,
                                                                                  launch.work);
      require_success(cudaGetLastError(), "launch of octile::cuda::solve_pairs");
    }
    streams_.join(space_.cuda_stream(), parts.size());
  }

  /// Where the solutions of projected systems go; null if they took too much of the memory.
  uint4* coefficients_of(std::span<const Part> parts) {
    std::size_t count = 0;
    for (const Part& part : parts) count += part.count;
    const std::size_t most = std::max(room_.pairs, count);
    if (most * coefficients_a_pair * sizeof(uint4) > memory_ / 4) return nullptr;
    grow(space_, coefficients_, "start_coefficients", most * 4 * coefficients_a_pair);
    return reinterpret_cast<uint4*>(coefficients_.data());
  }

  /// Prepares a launch with all memory that it takes, so that no allocation falls between the kernels that are timed.
  Launch prepare(const Part& part, Work work, uint4* coefficients) {
    const Tier& tier = kernels_.tiers[part.tier];
    const auto function = kernels_.functions[part.tier];
    const auto* const kernel = reinterpret_cast<const void*>(function);
    work.count = static_cast<int>(part.count);
    work.vector_length = plan_.vector_length(tier, part.largest);
    if (coefficients != nullptr) {
      work.starts = {projection_.view().tile_begin, reinterpret_cast<const uint4*>(projection_.view().basis),
                     coefficients};
    }
    allow_shared_memory(space_, kernel, part.shared_bytes);
    const std::size_t blocks = blocks_a_multiprocessor(space_, kernel, tier.threads, part.shared_bytes);
    const auto multiprocessors = static_cast<std::size_t>(space_.cuda_device_prop().multiProcessorCount);
    std::size_t grid = std::min(part.count, blocks * multiprocessors);
    work.vector_count = plan_.vectors(tier);
    if (work.vector_count > 0) {
      const std::size_t stride = work.vector_count * work.vector_length;
      grid = std::min(grid, pairs_that_fit(stride * sizeof(float), memory_, vertices(part.largest.first),
                                           vertices(part.largest.second)));
      Array<float>& workspace = workspaces_[part.tier];
      grow(space_, workspace, "workspace", stride * grid);
      work.workspace = workspace.data();
    }
    return {function, tier.threads, static_cast<unsigned>(grid), part.shared_bytes, work, coefficients};
  }

  /// Forms the bases: solves each graph's pair with itself to a rough tolerance, then forms bases and projections from x.
  void form_bases() {
    const BasisPairs based(plan_.set(), most_based);
    has_bases_ = true;
    cudaFuncAttributes loaded{};  // asking for it loads the kernel, so that this is not timed below
    require_success(cudaFuncGetAttributes(&loaded, solve_projected), "octile::cuda::solve_projected");
    const std::size_t bytes = basis_bytes(based.most_vertices);
    allow_shared_memory(space_, reinterpret_cast<const void*>(form_basis), bytes);
    const auto graphs = detail::to_memory<Space::memory_space>(space_, "based_graphs", based.graphs);
    const std::vector<Part> parts = arrange(based.pairs, true);
    std::vector<std::size_t> begin_of_graph(plan_.set().vertices.size());
    for (std::size_t k = 0; k < based.pairs.size(); ++k) {
      begin_of_graph[static_cast<std::size_t>(list_.pairs(k).first)] = list_.begins(k);
    }
    const auto begins = detail::to_memory<Space::memory_space>(space_, "snapshot_begin", begin_of_graph);
    timed_ = false;
    form_reciprocals(based.pairs.size());
    grow(space_, solutions_, "solutions", solutions_length_);
    const Task task{RightHandSide::stopping, solutions_.data(), {}, false, {rough_tolerance, options_.max_iterations},
                    results_.data()};
    solve(parts, {&task, 1});
    timing().span.stop(space_.cuda_stream());
    basis_seconds_.start(space_.cuda_stream());
    form_basis<<<static_cast<unsigned>(based.graphs.size()), basis_threads, bytes, space_.cuda_stream()>>>(
        projection_.view(), graphs.data(), solutions_.data(), begins.data());
    require_success(cudaGetLastError(), "launch of octile::cuda::form_basis");
    basis_seconds_.stop(space_.cuda_stream());
    space_.fence("octile::cuda::form_bases");  // the arrays that the kernels read are freed on return
    timing().of_set = timing().span.seconds() + basis_seconds_.seconds();
  }

  Space space_;
  Set set_;
  VertexKernel vertex_kernel_;
  ReciprocalsByPair* by_pair_ = nullptr;
  EdgeKernel edge_kernel_;
  SolveOptions options_;
  double scale_;
  std::size_t memory_;
  OctileChoice choice_;
  KernelTable<Set, VertexKernel, EdgeKernel> kernels_;
  PairPlan plan_;
  std::vector<VertexOrder> orders_;
  std::vector<double> weight_scales_;
  ProjectionSet<Space::memory_space> projection_;
  bool has_bases_ = false;
  Array<std::uint32_t> coefficients_;
  Stopwatch basis_seconds_;
  SortedList list_;  ///< the last that was queued
  Array<Pair> pairs_;
  Array<PairResult> results_;
  Array<PairResult> adjoint_results_;
  Array<int> next_;  ///< for each task and tier, the counter from which blocks claim pairs
  Array<double> solutions_;
  Array<TrialValues<float>> trials_;
  Array<TrialValues<double>> trial_scales_;
  Array<TrialValues<double>> corrected_;
  Array<PairResult> correction_results_;
  Array<double> slopes_;
  ResidualMemory left_of_x_;
  ResidualMemory left_of_y_;
  Array<std::size_t> begins_;  ///< of each pair's solution
  std::size_t solutions_length_ = 0;
  ListRoom room_;                                   ///< for which memory is taken
  std::array<Timing, 2> timings_;                   ///< of the last list, and of the one before it
  std::size_t current_ = 0;                         ///< that of the last list
  bool timed_ = false;                              ///< whether it has begun
  std::map<std::size_t, Array<float>> workspaces_;  ///< one a tier, since tiers run concurrently
  Streams streams_;
};

}  // namespace octile::cuda
