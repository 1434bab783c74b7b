// SPDX-License-Identifier: BSD-3-Clause
#include <octile/cuda/run/solver.cuh>

#include <octile/base/parallel.hpp>
#include <octile/certify/exact_set.hpp>
#include <octile/cuda/plan/choice.hpp>
#include <octile/cuda/run/engine.cuh>
#include <octile/cuda/run/vertex_values.cuh>
#include <octile/cuda/start/projection.hpp>
#include <octile/pairs/prices.hpp>
#include <octile/plan/lowering_plan.hpp>
#include <octile/solvers/pair_solver.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace octile::cuda {

using octile::plan::require_memory;

namespace {

/// The native solver as a `PairSolver`: in float32, with κv a table over vertex ids or evaluated once a pair.
class Solver final : public PairSolver {
 public:
  using Space = Kokkos::Cuda;

  /// `method` names the product for the description.
  Solver(const Space& space, const SolverSetup& setup, const LoweringPlan& plan, const std::string& method,
         SetOnHost set)
      : set_bytes_(set.bytes),
        vertex_values_(space, plan.lowered.vertex, tabulates_vertices(plan.lowered.vertex, setup.memory),
                       setup.vertex_tables),
        engine_(space, with_ids(std::move(set), vertex_values_.kernel()), vertex_values_.kernel(),
                vertex_values_.by_pair(), setup.kernel.stopping, setup.options,
                left_by(setup, set_bytes_ + vertex_values_.bytes())) {
    if (setup.graphs.size() >= least_based && engine_.has_use_for_starts()) {
      engine_.start_from(projection(space, setup, plan));
    }
    const std::string joined = engine_.joined_tiers();
    description_ = describe_method(setup, plan.lowered, "native CUDA",
                                   method + vertex_values_.description() +
                                       (engine_.starts() ? ", started from projected systems" : "") +
                                       (engine_.sums_first() ? ", first products as sums" : "") +
                                       (joined.empty() ? "" : ", tiers joined: " + joined),
                                   set_bytes_);
  }

  std::size_t unknowns(Pair pair) const override { return engine_.unknowns(pair); }

  double device_seconds() const override { return device_seconds_; }
  Precision precision() const override { return Precision::float32; }
  std::string description() const override { return description_; }

  bool certifies() const override { return true; }
  bool proves_by_starts() const override { return engine_.proves_by_starts(); }

 private:
  void answer_to(const Request& request, const Answer& answer) override {
    device_seconds_ = 0;
    if (request.certify != nullptr) {
      if (!certifier_ || certifier_->set() != request.certify) {
        certifier_.emplace(engine_.space(), *request.certify, engine_.orders(), engine_.weight_scales(),
                           engine_.bytes_for_reduction());
      }
      // Both solutions, and with corrections these in double, and both residuals.
      const std::size_t bytes = request.corrections > 0 ? 3 * sizeof(double) + 2 * sizeof(float) : 2 * sizeof(float);
      const bool differentiates = request.derivatives == Derivatives::each;
      const std::size_t slopes = differentiates ? request.certify->parameter_count() + 1 : 0;
      const std::size_t most = differentiates ? most_pairs_with_derivatives : most_pairs_of_chunk;
      solve_in_chunks(
          chunks_of(request.pairs, bytes + vertex_values_.each(), most), request, answer,
          [&](std::span<const Pair> pairs, const ListRoom& room) {
            engine_.enqueue_certified(pairs, *certifier_,
                                      {request.corrections, request.accuracy, request.share_of_tolerance,
                                       request.left_over, slopes, request.derivative_error},
                                      room);
          },
          slopes);
    } else if (request.nodewise_begin.empty()) {
      solve_in_chunks(chunks_of(request.pairs, vertex_values_.each()), request, answer,
                      [&](std::span<const Pair> pairs, const ListRoom& room) {
                        engine_.enqueue(pairs, request.right_hand_side, false, room);
                      });
    } else {
      for (const Chunk& chunk : chunks_of(request.pairs, sizeof(double) + vertex_values_.each())) {
        const std::size_t count = chunk.room.pairs;
        engine_.enqueue(request.pairs.subspan(chunk.begin, count), request.right_hand_side, true);
        fetch_solutions(request, answer, chunk.begin, count);
        queue_results(fetched_[0], count, count);
        take_results(fetched_[0], answer.results.subspan(chunk.begin, count));
        device_seconds_ += engine_.device_seconds();
      }
    }
  }

  /// A list of pairs whose arrays fit the memory together.
  struct Chunk {
    std::size_t begin;
    ListRoom room;
  };

  /// The most pairs of a chunk: enough to keep the device busy, and their starts fit the memory.
  static constexpr std::size_t most_pairs_of_chunk = std::size_t(1) << 20;
  /// The most pairs of a chunk with derivatives, of which each pair has a row that the host has twice in pinned memory.
  static constexpr std::size_t most_pairs_with_derivatives = std::size_t(1) << 17;

  /// All pairs in chunks of up to `most`, with arrays of `bytes` an unknown.
  std::vector<Chunk> chunks_of(std::span<const Pair> pairs, std::size_t bytes,
                               std::size_t most = most_pairs_of_chunk) const {
    std::vector<Chunk> chunks;
    std::size_t begin = 0;
    for (const ListRoom& room : engine_.lists_of(pairs, most, bytes)) {
      chunks.push_back({begin, room});
      begin += room.pairs;
    }
    return chunks;
  }

  /// Solves chunk after chunk, which `queue(pairs, room)` queues. While the device works on one, the host sorts the results of the
  /// one before it, which may go on from there (`Answer::arrived`), and prepares the one after it. `slopes` is how many numbers the
  /// engine leaves of the derivatives of a pair.
  template <class Queue>
  void solve_in_chunks(const std::vector<Chunk>& chunks, const Request& request, const Answer& answer,
                       const Queue& queue, std::size_t slopes = 0) {
    ListRoom room;
    for (const Chunk& chunk : chunks) room = room.with(chunk.room);
    // To free pinned memory takes the device as long as thousands of pairs: it grows by powers of two.
    const std::size_t pinned = std::bit_ceil(room.pairs);
    for (std::size_t c = 0; c <= chunks.size(); ++c) {
      if (c < chunks.size()) {
        const std::span<const Pair> pairs = request.pairs.subspan(chunks[c].begin, chunks[c].room.pairs);
        queue(pairs, room);
        queue_results(fetched_[c % 2], pairs.size(), pinned, slopes);
      }
      if (c > 0) {
        const Chunk& before = chunks[c - 1];
        take_results(fetched_[(c - 1) % 2], answer.results.subspan(before.begin, before.room.pairs));
        if (slopes > 0) take_slopes(fetched_[(c - 1) % 2], slopes, before, answer);
        device_seconds_ += engine_.device_seconds(c < chunks.size());
        if (answer.arrived) answer.arrived(before.begin, before.begin + before.room.pairs);
      }
    }
  }

  /// The results of a list, on their way to the host.
  struct Fetched {
    PinnedArray<PairResult> results;
    PinnedArray<double> slopes;
    std::vector<std::size_t> order;
    Event arrived;
  };

  /// Queues the copy of the results of the `count` pairs that were queued last, with memory for `room` of them, and of `slopes` numbers
  /// of the derivatives of each.
  void queue_results(Fetched& fetched, std::size_t count, std::size_t room, std::size_t slopes = 0) {
    grow(engine_.space(), fetched.results, "results_on_host", room);
    Kokkos::deep_copy(engine_.space(), first_of(fetched.results, count), first_of(engine_.results(), count));
    if (slopes > 0) {
      grow(engine_.space(), fetched.slopes, "slopes_on_host", slopes * room);
      Kokkos::deep_copy(engine_.space(), first_of(fetched.slopes, slopes * count),
                        first_of(engine_.slopes(), slopes * count));
    }
    fetched.arrived.record(engine_.space().cuda_stream());
    engine_.take_order(fetched.order);
  }

  /// Waits for results that were queued, and puts them where their pairs stand.
  static void take_results(const Fetched& fetched, std::span<PairResult> results) {
    constexpr std::size_t taken_at_once = std::size_t(1) << 14;
    fetched.arrived.wait();
    in_parallel(results.size(), taken_at_once, [&](std::size_t begin, std::size_t end) {
      for (std::size_t k = begin; k < end; ++k) results[fetched.order[k]] = fetched.results(k);
    });
  }

  /// Puts the derivatives of a chunk, whose results have been waited for, where its pairs stand.
  static void take_slopes(const Fetched& fetched, std::size_t slopes, const Chunk& chunk, const Answer& answer) {
    constexpr std::size_t taken_at_once = std::size_t(1) << 12;
    const std::size_t parameters = slopes - 1;
    in_parallel(chunk.room.pairs, taken_at_once, [&](std::size_t begin, std::size_t end) {
      for (std::size_t k = begin; k < end; ++k) {
        const double* const row = fetched.slopes.data() + k * slopes;
        const std::size_t number = chunk.begin + fetched.order[k];
        std::copy_n(row, parameters, answer.derivatives.data() + number * parameters);
        answer.derivative_errors[number] = row[parameters];
      }
    });
  }

  /// Copies the solutions of the pairs that were solved last to where they are asked for, in the order of the graphs' vertices.
  void fetch_solutions(const Request& request, const Answer& answer, std::size_t begin, std::size_t count) {
    const std::size_t last = count - 1;
    const std::size_t length = engine_.begins()(last) + engine_.unknowns(engine_.sorted()(last));
    grow(engine_.space(), solutions_on_host_, "solutions_on_host", length);
    Kokkos::deep_copy(engine_.space(), first_of(solutions_on_host_, length), first_of(engine_.solutions(), length));
    engine_.space().fence("octile::cuda::solve");
    in_parallel(count, 1, [&](std::size_t from, std::size_t end) {
      for (std::size_t k = from; k < end; ++k) {
        const std::size_t number = begin + engine_.order()[k];
        const Pair pair = request.pairs[number];
        const std::size_t n = engine_.vertices(pair.first);
        const std::size_t m = engine_.vertices(pair.second);
        const bool swapped = engine_.sorted()(k).first != pair.first;
        const double* const solved = solutions_on_host_.data() + engine_.begins()(k);
        double* const to = answer.nodewise.data() + request.nodewise_begin[number];
        for (std::size_t i = 0; i < n; ++i) {
          for (std::size_t j = 0; j < m; ++j) {
            to[engine_.vertex(pair.first, i) * m + engine_.vertex(pair.second, j)] =
                solved[swapped ? j * n + i : i * m + j];
          }
        }
      }
    });
  }

  /// What a set of so many bytes leaves of the memory that is allowed.
  static std::size_t left_by(const SolverSetup& setup, std::size_t bytes) {
    require_memory(setup, bytes);
    return setup.memory - bytes;
  }

  /// The set with the number of rows of κv's table.
  static SetOnHost with_ids(SetOnHost set, const VertexTable& table) {
    set.sizes.vertex_ids = table.count > 0 ? table.count : too_many_ids;
    return set;
  }

  ProjectionSet<Space::memory_space> projection(const Space& space, const SolverSetup& setup,
                                                const LoweringPlan& plan) const {
    const std::optional<ProjectionTerms> terms =
        projection_terms(plan.lowered, plan.factors ? &*plan.factors : nullptr, !engine_.starts_solves());
    if (!terms) return {};
    return {space,  setup.graphs,     setup.kernel.stopping,  plan.lowered,
            *terms, engine_.orders(), engine_.weight_scales()};
  }
  std::size_t set_bytes_;
  VertexValues vertex_values_;
  Engine engine_;
  std::string description_;
  std::array<Fetched, 2> fetched_;
  PinnedArray<double> solutions_on_host_;
  std::optional<Certifier> certifier_;
  double device_seconds_ = 0;
};

}  // namespace

std::unique_ptr<PairSolver> make_solver(const SolverSetup& setup, const LoweringPlan& plan, const std::string& method,
                                        SetOnHost set) {
  return std::make_unique<Solver>(Kokkos::Cuda(), setup, plan, method, std::move(set));
}

}  // namespace octile::cuda
