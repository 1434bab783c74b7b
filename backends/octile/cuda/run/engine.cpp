// SPDX-License-Identifier: BSD-3-Clause
#include <octile/cuda/run/engine.cuh>

#include <octile/cuda/device/launch.cuh>
#include <octile/cuda/start/projected_solve.cuh>
#include <octile/pairs/prices.hpp>

#include <Kokkos_Profiling_ScopedRegion.hpp>

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

namespace octile::cuda {

using octile::plan::pairs_that_fit;

namespace {

/// Queues the projected systems of a launch's pairs.
void find_starts(const ProjectionView& projection, const TierLaunch& launch, bool precise, cudaStream_t stream) {
  const Work& work = launch.work;
  const auto blocks = static_cast<unsigned>((work.count + projected_warps - 1) / projected_warps);
  solve_projected<<<blocks, 32 * projected_warps, projected_warps * ProjectedSolve::bytes, stream>>>(
      projection, work.pairs, launch.coefficients, work.count, precise);
  require_success(cudaGetLastError(), "launch of octile::cuda::solve_projected");
}

}  // namespace

Engine::Engine(const Space& space, SetOnHost set, const VertexTable& vertex_table, ReciprocalsByPair* by_pair,
               const Stopping& stopping, const SolveOptions& options, std::size_t memory)
    : space_(space),
      vertex_table_(vertex_table),
      by_pair_(by_pair),
      options_(options),
      scale_(stopping.q() * stopping.q()),
      memory_(memory),
      choice_(set.choice),
      plan_(set.kind, set.tiers, std::move(set.sizes), set.factors_at_once,
            space.cuda_device_prop().sharedMemPerBlockOptin,
            static_cast<std::size_t>(space.cuda_device_prop().multiProcessorCount)),
      orders_(std::move(set.orders)),
      weight_scales_(std::move(set.weight_scales)),
      kernels_(set.to_device(space, by_pair)) {
  form_first_terms();
}

void Engine::enqueue(std::span<const Pair> pairs, RightHandSide right_hand_side, bool solutions, const ListRoom& room) {
  if (pairs.empty()) return;
  Kokkos::Profiling::ScopedRegion region("octile::cuda::solve");
  const OnDevice device(space_);
  begin_list(room);
  const bool starts = this->starts() && has_bases({&right_hand_side, 1});
  const std::vector<Part> parts = arrange(pairs, solutions || by_pair_ != nullptr);
  timed_ = false;
  form_reciprocals(pairs.size());
  if (solutions) grow(space_, solutions_, "solutions", solutions_length_);
  const Task task{right_hand_side, solutions ? solutions_.data() : nullptr, {}, starts, options_, results_.data()};
  solve(parts, {&task, 1});
  timing().span.stop(space_.cuda_stream());
}

void Engine::enqueue_certified(std::span<const Pair> pairs, Certifier& certifier, const Certified& how,
                               const ListRoom& room) {
  if (pairs.empty()) return;
  Kokkos::Profiling::ScopedRegion region("octile::cuda::solve_certified");
  const OnDevice device(space_);
  begin_list(room);
  const bool both = !certifier.x_suffices();
  const int corrections = how.corrections;
  const std::size_t slopes = how.slopes;
  const bool may_reduce =
      projects() && both && corrections == 0 && how.accuracy > 0 && certifier.reduces(projection_.weights_a_vertex());
  constexpr std::array sides{RightHandSide::stopping, RightHandSide::starting};
  const bool based = (this->starts() || may_reduce) && has_bases(std::span(sides).first(both ? 2 : 1));
  const bool starts = based && this->starts();
  const bool reduced = based && may_reduce && reduces(certifier, how);
  // Kernels that solve both systems at once leave it to the certificate to look at residuals, and put trials in float.
  const bool at_once = both && corrections == 0 && options_.judged_later;
  const Systems systems = at_once ? Systems::both : Systems::one;
  std::vector<Part> parts = arrange(pairs, true, systems);
  if (both) grow(space_, adjoint_results_, "adjoint_results", room.pairs);
  if (corrections > 0) grow(space_, correction_results_, "correction_results", room.pairs);
  make_room_for_slopes(slopes);
  const SlopeRows rows = slopes > 0 ? SlopeRows{slopes_.data(), slopes} : SlopeRows{};
  timed_ = false;
  const double* const reciprocals = form_reciprocals(pairs.size());
  if (reduced) {
    if (slopes > 0) make_room_for_trials();
    if (!timed_) timing().span.start(space_.cuda_stream());
    timed_ = true;
    certify_starts(parts, certifier, slopes);
    std::erase_if(parts, [this](const Part& part) { return plan_.tiers()[part.tier].based(); });
    if (parts.empty()) {
      timing().span.stop(space_.cuda_stream());
      return;
    }
  }
  const std::size_t count = pairs.size();
  const PairResult* const adjoints = both ? adjoint_results_.data() : nullptr;
  make_room_for_trials();
  if (corrections == 0) {
    TrialValues<float>* const values = trials_.data();
    TrialValues<double>* const scales = trial_scales_.data();
    const TrialPlace of_x{&values->x, &scales->x, nullptr};
    const TrialPlace of_y{&values->y, &scales->y, nullptr};
    solve(parts, tasks_of(both, starts, how, of_x, of_y), systems);
    const auto certify = [&](std::size_t begin, std::size_t some) {
      certifier.certify(
          space_, {pairs_.data() + begin, begins_.data() + begin, values, both, scales + begin, reciprocals}, some,
          how.left_over, results_.data() + begin, both ? adjoints + begin : nullptr, rows.from(begin));
    };
    if (reduced) {
      for (const Part& part : parts) certify(part.begin, part.count);
    } else {
      certify(0, count);
    }
  } else {
    grow(space_, corrected_, "corrected_trials", room.unknowns);
    TrialValues<double>* const values = corrected_.data();
    solve(parts, tasks_of(both, starts, how, {nullptr, nullptr, &values->x}, {nullptr, nullptr, &values->y}));
    const DeviceResiduals left_x = left_of_x_.residuals(space_, room.unknowns, room.pairs);
    const DeviceResiduals left_y = both ? left_of_y_.residuals(space_, room.unknowns, room.pairs) : DeviceResiduals{};
    const DeviceTrials<double> trials{pairs_.data(), begins_.data(), values, both, nullptr, reciprocals};
    for (int step = 0; step <= corrections; ++step) {
      const bool last = step == corrections;
      certifier.certify(space_, trials, count, how.left_over, results_.data(), step == 0 ? adjoints : nullptr,
                        last ? rows : SlopeRows{}, last ? DeviceResiduals{} : left_x,
                        last ? DeviceResiduals{} : left_y);
      if (last) break;
      correct(parts, certifier, trials, count, values, how, left_x, left_y);
    }
  }
  timing().span.stop(space_.cuda_stream());
}

std::vector<ListRoom> Engine::lists_of(std::span<const Pair> pairs, std::size_t most, std::size_t each) const {
  return plan_.lists_of(pairs, {most, each == 0 ? std::numeric_limits<std::size_t>::max() : memory_ / 2 / each});
}

SolveOptions Engine::options_for(const Certified& how) const {
  SolveOptions options = options_;
  options.tolerance *= how.share_of_tolerance;
  return options;
}

/// Tasks for the systems of x of all pairs, and if `both`, for those of y.
std::vector<Task> Engine::tasks_of(bool both, bool starts, const Certified& how, const TrialPlace& x,
                                   const TrialPlace& y) const {
  const SolveOptions options = options_for(how);
  std::vector<Task> tasks{{RightHandSide::stopping, nullptr, x, starts, options, results_.data()}};
  if (both) {
    tasks.push_back({RightHandSide::starting, nullptr, y, starts, options, adjoint_results_.data()});
    // Derivatives are as exact as the worse of both solutions. Pairs that are solved once more are few: neither of their systems waits for the other.
    if (options.judged_later && how.slopes == 0) {
      tasks.back().farther = static_cast<float>(Work::most_beside_other);
      const bool first_round = !how.left_over;
      if (first_round) {
        tasks.back().solved = results_.data();
        for (Task& task : tasks)
          task.distributed = how.corrections == 0 && how.accuracy >= least_shared ? distributed_share : 1;
      }
    }
  }
  return tasks;
}

/// Queues solves of both systems with the trials' residuals on the right, and the addition of what they give to the
/// trials.
void Engine::correct(std::span<const Part> parts, const Certifier& certifier, const DeviceTrials<double>& trials,
                     std::size_t count, TrialValues<double>* values, const Certified& how,
                     const DeviceResiduals& left_x, const DeviceResiduals& left_y) {
  TrialValues<float>* const found = trials_.data();
  TrialValues<double>* const scales = trial_scales_.data();
  const SolveOptions options = options_for(how);
  PairResult* const solved_y = trials.both ? adjoint_results_.data() : nullptr;
  std::vector<Task> tasks{{RightHandSide::stopping,
                           nullptr,
                           {&found->x, &scales->x, nullptr},
                           false,
                           options,
                           correction_results_.data(),
                           left_x}};
  if (trials.both) {
    tasks.push_back(
        {RightHandSide::stopping, nullptr, {&found->y, &scales->y, nullptr}, false, options, solved_y, left_y});
  }
  solve(parts, tasks);
  certifier.correct(space_, trials, count, values, {found, scales, correction_results_.data(), solved_y},
                    results_.data());
}

/// Makes room for the trials of a list, as solves in float32 leave them, and for their scales.
void Engine::make_room_for_trials() {
  grow(space_, trials_, "trials", std::max(room_.unknowns, solutions_length_));
  grow(space_, trial_scales_, "trial_scales", std::max(room_.pairs, list_.order.size()));
}

/// Makes room for so many numbers of derivatives of each pair of a list.
void Engine::make_room_for_slopes(std::size_t slopes) {
  if (slopes > 0) grow(space_, slopes_, "slopes", slopes * std::max(room_.pairs, list_.order.size()));
}

void Engine::begin_list(const ListRoom& room) {
  current_ = 1 - current_;
  timing().of_set = 0;
  room_ = room;
}

/// Queues 1/κv of the pairs that were arranged last, if it is formed pair by pair. Returns where it will stand, or
/// null.
const double* Engine::form_reciprocals(std::size_t count) {
  if (by_pair_ == nullptr) return nullptr;
  timing().span.start(space_.cuda_stream());
  timed_ = true;
  const std::size_t unknowns = std::max(room_.unknowns, solutions_length_);
  const double* const formed = by_pair_->form(space_, pairs_.data(), begins_.data(), count, unknowns);
  vertex_table_.reciprocals = formed;
  return formed;
}

/// Sorts pairs by tier for kernels that solve so many systems at once, and queues their copy to the device; with `solutions`, also where the
/// solution of each begins.
std::vector<Part> Engine::arrange(std::span<const Pair> pairs, bool solutions, Systems systems) {
  // Products whose tiers in registers solve one system at a time keep to the memory of one.
  const bool at_once = systems == Systems::both && kernels_->kernel(0, Systems::both) != nullptr;
  SortedPairs sorted = plan_.sort(pairs, at_once ? Systems::both : Systems::one);
  const std::size_t most = std::max(room_.pairs, pairs.size());
  list_.keep(space_, sorted, most);
  solutions_length_ = solutions ? list_.place_solutions(space_, most, [this](Pair pair) { return unknowns(pair); }) : 0;
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

/// Queues the solves of the pairs that were arranged last, for all tasks. Tiers run beside each other, and each goes on to the next task without
/// waiting for the others. With both systems the tasks are x and y, and a tier with a kernel for both has one launch for them. Tasks of which none
/// reads what another found run beside each other, too, where a tier has so few pairs that the device has room for all.
void Engine::solve(std::span<const Part> parts, std::span<const Task> tasks, Systems systems) {
  grow(space_, next_, "next_pair", tasks.size() * plan_.tiers().size());
  Kokkos::deep_copy(space_, next_, 0);
  std::vector<TierLaunch> launches;
  const bool apart = std::ranges::all_of(tasks, [](const Task& task) { return task.solved == nullptr; });
  const bool starts = tasks.front().starts;
  const std::size_t beside = apart && (!starts || room_for_coefficients(parts, tasks.size())) ? tasks.size() : 1;
  const std::array<uint4*, 2> coefficients =
      starts && room_for_coefficients(parts, beside) ? coefficients_of(parts, beside) : std::array<uint4*, 2>{};
  for (std::size_t t = 0; t < tasks.size(); ++t) {
    for (std::size_t k = 0; k < parts.size(); ++k) {
      const Part& part = parts[k];
      const bool both = systems == Systems::both && kernels_->kernel(part.tier, Systems::both) != nullptr;
      if (both && t > 0) continue;
      Work work = tasks[t].work(part, pairs_.data(), begins_.data());
      if (plan_.tiers()[part.tier].place == VectorPlace::distributed) {
        work.options.tolerance *= tasks[t].distributed;
      }
      if (both) {
        work.adjoint_results = tasks[1].results + part.begin;
        work.farther = tasks[1].farther;
        work.first_of_y = kernels_->first_terms(tasks[1].right_hand_side);
      }
      if (tasks[t].given.values == nullptr) work.first_terms = kernels_->first_terms(tasks[t].right_hand_side);
      if (choice_.steps.dynamic) work.next = next_.data() + t * plan_.tiers().size() + part.tier;
      work.choice = choice_;
      work.scale = scale_;
      uint4* const first = coefficients[t % beside];
      const bool from_projected = first != nullptr && plan_.tiers()[part.tier].starts;
      launches.push_back(prepare(part, both ? Systems::both : Systems::one, work,
                                 from_projected ? first + part.begin * coefficients_a_pair : nullptr, {t, beside}));
      launches.back().stream = k * beside + launches.back().side;
    }
  }
  const std::size_t streams = beside * parts.size();
  streams_.reserve(streams);
  // The time begins here, when all that the host prepares is ready.
  if (!timed_) timing().span.start(space_.cuda_stream());
  timed_ = true;
  streams_.fork(space_.cuda_stream(), streams);
  for (const TierLaunch& launch : launches) {
    const cudaStream_t stream = streams_[launch.stream];
    if (launch.coefficients != nullptr) {
      find_starts(projection_.view(launch.work.right_hand_side), launch, plan_.sums_factors(), stream);
    }
    kernels_->launch(launch.tier, launch.systems,
                     {launch.grid, plan_.tiers()[launch.tier].threads, launch.shared_bytes, stream}, vertex_table_,
                     launch.work);
  }
  streams_.join(space_.cuda_stream(), streams);
}

/// How many words of four numbers the coefficients C (projection.hpp) take for the longest list and one task.
std::size_t Engine::coefficients_a_task(std::span<const Part> parts) const {
  std::size_t count = 0;
  for (const Part& part : parts) count += part.count;
  return std::max(room_.pairs, count) * coefficients_a_pair;
}

/// Whether coefficients of so many tasks beside each other take no more than a quarter of the memory.
bool Engine::room_for_coefficients(std::span<const Part> parts, std::size_t beside) const {
  return beside * coefficients_a_task(parts) * sizeof(uint4) <= memory_ / 4;
}

/// Where the coefficients of the first and of the last of the tasks beside each other go.
std::array<uint4*, 2> Engine::coefficients_of(std::span<const Part> parts, std::size_t beside) {
  const std::size_t each = coefficients_a_task(parts);
  grow(space_, coefficients_, "start_coefficients", beside * each * 4);
  auto* const first = reinterpret_cast<uint4*>(coefficients_.data());
  return {first, first + (beside - 1) * each};
}

/// Prepares a launch with all memory that it takes, so that no allocation falls between the kernels that are timed. It is one of `task.beside` tasks
/// that may run beside each other.
TierLaunch Engine::prepare(const Part& part, Systems systems, Work work, uint4* coefficients, const Place& task) {
  const Tier& tier = plan_.tiers()[part.tier];
  const void* const kernel = kernels_->kernel(part.tier, systems);
  work.count = static_cast<int>(part.count);
  work.vector_length = plan_.vector_length(tier, part.largest);
  if (coefficients != nullptr) work.starts = starts_of(projection_.view(work.right_hand_side), coefficients);
  allow_shared_memory(space_, kernel, part.shared_bytes);
  const std::size_t blocks = blocks_a_multiprocessor(space_, kernel, tier.threads, part.shared_bytes);
  const auto multiprocessors = static_cast<std::size_t>(space_.cuda_device_prop().multiProcessorCount);
  const std::size_t at_once = blocks * multiprocessors;
  std::size_t grid = std::min(part.count, at_once);
  work.vector_count = plan_.vectors(tier);
  const std::size_t stride = work.vector_count * work.vector_length;
  const std::size_t fit = stride > 0 ? std::min(at_once, memory_ / (stride * sizeof(float))) : at_once;
  const std::size_t side = task.beside * part.count <= fit ? task.number % task.beside : 0;
  if (stride > 0) {
    grid = std::min(grid, pairs_that_fit(stride * sizeof(float), memory_, vertices(part.largest.first),
                                         vertices(part.largest.second)));
    Array<float>& workspace = workspaces_[side * plan_.tiers().size() + part.tier];
    grow(space_, workspace, "workspace", stride * grid);
    work.workspace = workspace.data();
  }
  return {part.tier, 0, side, systems, static_cast<unsigned>(grid), part.shared_bytes, work, coefficients};
}

}  // namespace octile::cuda
