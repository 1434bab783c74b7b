// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/cuda/device/buffers.cuh>
#include <octile/cuda/plan/octile_choice.hpp>
#include <octile/cuda/plan/pairs.hpp>
#include <octile/cuda/run/certifier.cuh>
#include <octile/cuda/run/reduced_pairs.cuh>
#include <octile/cuda/run/set_kernels.cuh>
#include <octile/cuda/run/sorted_list.cuh>
#include <octile/cuda/run/task.cuh>
#include <octile/cuda/start/projection.hpp>
#include <octile/graphs/vertex_order.hpp>
#include <octile/solve.hpp>
#include <octile/stopping.hpp>

#include <Kokkos_Core.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace octile::cuda {

/// Solves pairs of one set on an execution-space instance, by the kernels that the set comes with.
/// Each pair goes to the first tier that takes it (`PairPlan`). Memory is allocated when it is first needed, and kept.
/// An engine must live until the work that it queued is done, and serves one instance at a time. The calling thread's
/// current device is unchanged on return.
class Engine {
 public:
  using Space = Kokkos::Cuda;

  /// Copies the set to the device, with a fence of `space`. `vertex_table` is κv, unless the set has a κv of a type of its own. `by_pair`,
  /// which is null or must outlive this, forms κv of the pairs of each list; without it κv must be given whole. At most `memory` bytes
  /// are taken for vectors.
  Engine(const Space& space, SetOnHost set, const VertexTable& vertex_table, ReciprocalsByPair* by_pair,
         const Stopping& stopping, const SolveOptions& options, std::size_t memory);

  /// From now on pairs have a *start*: the solution of their projected system (start/projection.hpp), at which CG
  /// begins instead of at 0. `projection` must be of the same set.
  void start_from(ProjectionSet<Space::memory_space> projection) { projection_ = std::move(projection); }

  /// Whether starts from projected systems pay for this set (`PairPlan`).
  bool has_use_for_starts() const { return plan_.has_use_for_starts(memory_, most_based); }

  /// Whether pairs start from projected systems.
  bool starts() const { return projects() && plan_.starts_solves(); }
  /// Whether there are tiers whose pairs may start from projected systems. Their starts are not weighted by κv, which would take registers.
  bool starts_solves() const { return plan_.starts_solves(); }
  /// Whether there are projected systems, from which pairs start or by which they may be proven.
  bool projects() const { return projection_.given(); }

  /// Whether pairs that their starts may prove are not solved, to the accuracy to which values were last certified.
  bool proves_by_starts() const { return reduced_; }

  /// What a certifier may take for `ReducedPairs`; 0 if pairs have no starts.
  std::size_t bytes_for_reduction() const { return projects() ? memory_ / 4 : 0; }

  /// Queues the solves of `pairs` on the instance without waiting for them. Put the costliest first. Results are in the
  /// order of `sorted()`: its k-th is `pairs[order()[k]]`, perhaps with its graphs swapped. With `solutions`, the solution
  /// of each pair is kept too. `room` is of the longest of the lists that are queued one after the other: memory is taken for it at
  /// once. Throws `Error` for a pair that does not fit the memory. A further call waits until the previous list has been copied to
  /// the device. The first call for a right-hand side also forms the bases for projected
  /// starts, and waits for them. Starts take 1 KiB a pair: if those of the list exceed a quarter of the memory, its pairs start at 0.
  void enqueue(std::span<const Pair> pairs, RightHandSide right_hand_side = RightHandSide::stopping,
               bool solutions = false, const ListRoom& room = {});

  /// How values are certified.
  struct Certified {
    int corrections;  ///< so often residuals, formed in double, are the right-hand sides of another solve
    double accuracy;  ///< this and the next two as `Request` has them
    double share_of_tolerance;
    bool left_over;
    std::size_t slopes = 0;  ///< how many numbers `SlopeRows` has for a pair, if derivatives are formed
    double slope_error = 0;  ///< what these may be off by, as `Request` has it

    /// Whether starts that prove most values, and derivatives, for one of the two do for the other.
    bool same_proof(const Certified& other) const {
      return accuracy == other.accuracy && slopes == other.slopes && slope_error == other.slope_error;
    }
  };

  /// Queues the solves of both systems of each pair, and the certification of their values, which are put into the
  /// results. `room` is as for `enqueue`. Where the starts alone prove three of four values of a sample of the set, and
  /// derivatives if these are formed, pairs are not solved (`ReducedPairs`): what lacks accuracy is left to a further call.
  void enqueue_certified(std::span<const Pair> pairs, Certifier& certifier, const Certified& how, const ListRoom& room);

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
  /// Which tiers are joined (`PairPlan`).
  std::string joined_tiers() const { return plan_.joined(); }
  /// Whether the first products of pairs with vectors in memory are sums (`FirstTerms`).
  bool sums_first() const { return kernels_->first_terms(RightHandSide::stopping).ids > 0; }
  /// The factor of each graph's weights in the set.
  const std::vector<double>& weight_scales() const { return weight_scales_; }
  /// Lists one after the other, of up to `most` pairs whose arrays fit half of the memory, of `each` bytes an unknown; at least one pair.
  std::vector<ListRoom> lists_of(std::span<const Pair> pairs, std::size_t most, std::size_t each) const;
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
  /// Takes out what `order()` says, so that another list can be queued before the results of this one are sorted. The
  /// engine keeps the memory of the given `order` instead.
  void take_order(std::vector<std::size_t>& order) { std::swap(order, list_.order); }

 private:
  /// Device time of a list, and that for the bases of the set if its call formed them.
  struct Timing {
    Stopwatch span;
    double of_set = 0;
  };

  std::vector<Task> tasks_of(bool both, bool starts, const Certified& how, const TrialPlace& x,
                             const TrialPlace& y) const;
  void correct(std::span<const Part> parts, const Certifier& certifier, const DeviceTrials<double>& trials,
               std::size_t count, TrialValues<double>* values, const Certified& how, const DeviceResiduals& left_x,
               const DeviceResiduals& left_y);
  /// How the solves of certified pairs go on, and those of their corrections.
  SolveOptions options_for(const Certified& how) const;
  void form_first_terms();
  void begin_list(const ListRoom& room);
  Timing& timing() { return timings_[current_]; }
  const double* form_reciprocals(std::size_t count);
  bool reduces(Certifier& certifier, const Certified& how);
  bool proves_sample(const Certifier& certifier, const Certified& how);
  void certify_starts(std::span<const Part> parts, const Certifier& certifier, std::size_t slopes);
  void make_room_for_trials();
  void make_room_for_slopes(std::size_t slopes);
  bool has_bases(std::span<const RightHandSide> sides);
  std::vector<Part> arrange(std::span<const Pair> pairs, bool solutions, Systems systems = Systems::one);
  void solve(std::span<const Part> parts, std::span<const Task> tasks, Systems systems = Systems::one);
  std::size_t coefficients_a_task(std::span<const Part> parts) const;
  bool room_for_coefficients(std::span<const Part> parts, std::size_t beside) const;
  std::array<uint4*, 2> coefficients_of(std::span<const Part> parts, std::size_t beside);
  /// The number of a task, and how many may run beside each other.
  struct Place {
    std::size_t number;
    std::size_t beside;
  };
  TierLaunch prepare(const Part& part, Systems systems, Work work, uint4* coefficients, const Place& task);
  void form_bases(std::span<const RightHandSide> sides);

  Space space_;
  VertexTable vertex_table_;
  ReciprocalsByPair* by_pair_;
  SolveOptions options_;
  double scale_;
  std::size_t memory_;
  OctileChoice choice_;
  PairPlan plan_;
  std::vector<VertexOrder> orders_;
  std::vector<double> weight_scales_;
  std::unique_ptr<SetKernels> kernels_;
  ProjectionSet<Space::memory_space> projection_;
  bool has_bases_ = false;
  bool has_adjoint_bases_ = false;
  Array<std::uint32_t> coefficients_;
  ReducedPairs reduced_pairs_;
  std::optional<Certified> reduced_for_;  ///< for which `reduced_` holds, of the last certifier
  bool reduced_ = false;
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
  std::map<std::size_t, Array<float>> workspaces_;  ///< one a tier and side, since these run concurrently
  Streams streams_;
};

}  // namespace octile::cuda
