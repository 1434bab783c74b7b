// SPDX-License-Identifier: BSD-3-Clause
#include <octile/certified_solver.hpp>

#include <octile/backends.hpp>
#include <octile/base/parallel.hpp>
#include <octile/certify/exact_set.hpp>
#include <octile/certify/normalised.hpp>
#include <octile/error.hpp>
#include <octile/result_places.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace octile {
namespace {

/// The share of the memory that solutions may take.
constexpr std::size_t solution_share = 8;
/// The most that they take where the host solves, and how much of it a thread has in a near cache: what was just solved is still there
/// when it is evaluated.
constexpr std::size_t host_solutions = std::size_t(16) << 20;
constexpr std::size_t cached_solutions = std::size_t(1) << 20;
/// So many pairs of a thread are solved together in any case, if there are several threads: they end at about the same time.
constexpr std::size_t pairs_of_thread = 64;
/// Results that a thread judges at a time.
constexpr std::size_t results_at_once = std::size_t(1) << 14;

/// As many numbers of a buffer, which grows as needed. Its memory is kept: what is given back to the system comes page by page.
std::span<double> room_in(std::vector<double>& buffer, std::size_t length) {
  if (buffer.size() < length) buffer.resize(length);
  return std::span(buffer).first(length);
}

}  // namespace

CertifiedSolver::CertifiedSolver(std::span<const Graph> graphs, const KernelSpec& kernel, const GramOptions& options,
                                 const CostModel& cost, Purpose purpose)
    : scaled_(kernel.stopping.meaning() == StoppingMeaning::probability ? scaled_graphs(graphs, kernel.stopping)
                                                                        : std::nullopt),
      graphs_(scaled_ ? std::span<const Graph>(scaled_->graphs) : graphs),
      kernel_(kernel),
      cost_(cost),
      options_(options),
      purpose_(purpose),
      accuracy_(options.normalize ? accuracy_before_normalising(options.accuracy->value) : options.accuracy->value),
      exact_(std::make_unique<ExactSet>(graphs_, kernel, differentiates(), unknown_by_factors())),
      memory_(find_backend(options.backend).on_gpu ? options.memory / solution_share
                                                   : std::min(options.memory / solution_share, host_solutions)) {
  if (purpose != Purpose::rough) options.accuracy->require_allowed();
  if (kernel.shortest_walk < 0 || kernel.shortest_walk > 1) {
    throw Error(fmt::format("the shortest walk has {} steps; allowed are 0 and 1", kernel.shortest_walk));
  }
  plan_rounds();
  const bool one_system =
      std::ranges::all_of(exact_->graphs().start_over_degree, [](double ratio) { return ratio > 0; });
  description_ = fmt::format("{}; values certified to {:g}{}, with half of the memory for pairs that take more",
                             solver_of(rounds_.front()).description(), options.accuracy->value,
                             one_system ? " by one system a pair, since walks start as degrees are" : "");
  iterates_ = rounds_.front().solver->iterates();
  if (!iterates_ && options.lowering == Lowering::automatic) {
    // What the closed form leaves too inexact is iterated.
    for (Round& round : std::span(rounds_).subspan(1)) round.lowering = Lowering::on_the_fly;
  }
}

CertifiedSolver::~CertifiedSolver() = default;

std::size_t CertifiedSolver::parameter_count() const { return differentiates() ? exact_->parameter_count() : 0; }

void CertifiedSolver::make_solver(Round& round, bool alone) {
  const BackendId backend = find_backend(options_.backend).id;
  SolveOptions solve = options_.solve;
  solve.tolerance = round.tolerance;
  solve.estimated_error = 0;
  // The rounds behind the first are for pairs with which something was amiss.
  solve.judged_later = &round == &rounds_.front();
  const bool same = find_backend(backend).has(options_.primitive, round.precision);
  for (Round& other : rounds_) {
    if (alone || other.alone) other.solver.reset();
  }
  round.solver =
      make_pair_solver(backend, graphs_, kernel_, round.precision, solve, same ? options_.primitive : Primitive{},
                       alone ? options_.memory : options_.memory / 2, round.lowering, &cost_, &vertex_tables_);
  round.alone = alone;
}

CertifiedSolver::Round& CertifiedSolver::owner_of(Round& round) {
  const auto same = [&](const Round& other) {
    return other.solver && other.precision == round.precision && other.tolerance == round.tolerance &&
           other.lowering == round.lowering;
  };
  const auto found = std::ranges::find_if(rounds_, same);
  return found != rounds_.end() ? *found : round;
}

PairSolver& CertifiedSolver::solver_of(Round& round) {
  Round& owner = owner_of(round);
  if (owner.solver) return *owner.solver;
  try {
    make_solver(owner, owner.alone);
  } catch (const Error&) {
    if (owner.alone) throw;
    make_solver(owner, true);
  }
  return *owner.solver;
}

void CertifiedSolver::solve_by(Round& round, const Request& request, const Answer& answer) {
  Round& owner = owner_of(round);
  try {
    solver_of(owner).solve(request, answer);
  } catch (const Error&) {
    if (owner.alone) throw;
    make_solver(owner, true);
    owner.solver->solve(request, answer);
  }
  device_seconds_ += owner.solver->device_seconds();
}

std::size_t CertifiedSolver::unknowns(Pair pair) const {
  return static_cast<std::size_t>(graphs_[static_cast<std::size_t>(pair.first)].vertex_count()) *
         static_cast<std::size_t>(graphs_[static_cast<std::size_t>(pair.second)].vertex_count());
}

CertifiedSolver::Sides CertifiedSolver::sides_of(const Request& request, const Answer& answer, PairSolver& solver,
                                                 bool last) const {
  const bool no_solutions = request.nodewise_begin.empty() && answer.by_graphs == nullptr;
  const bool value_alone = no_solutions && request.derivatives == Derivatives::not_asked;
  const bool bounds_itself = find_backend(options_.backend).exact || (!solver.iterates() && kernel_.shortest_walk == 0);
  if (value_alone && bounds_itself) return Sides::direct;
  const bool by_parameters =
      no_solutions && request.derivatives != Derivatives::not_asked && kernel_.shortest_walk == 0;
  // A device may subtract walks of no step from K. Where that leaves too little, the host counts the others alone (`CertificateSums`).
  const bool subtracts = kernel_.shortest_walk == 1 && last;
  if ((value_alone || by_parameters) && purpose_ != Purpose::rough && !subtracts && solver.certifies())
    return Sides::device;
  const bool nodes_alone = request.derivatives == Derivatives::not_asked || !request.node_weights.empty();
  const bool only_x = purpose_ == Purpose::rough || (!request.nodewise_begin.empty() && nodes_alone &&
                                                     request.right_hand_side == RightHandSide::stopping);
  return only_x ? Sides::first : Sides::both;
}

void CertifiedSolver::answer_to(const Request& request, const Answer& answer) {
  device_seconds_ = 0;
  if (!request.edge_attribute.empty())
    exact_->edge_kernel().slot_of(request.edge_attribute);  // or an error, before the work
  places_.resize(request.pairs.size());
  in_parallel(places_.size(), results_at_once, [this](std::size_t begin, std::size_t end) {
    for (std::size_t k = begin; k < end; ++k) places_[k] = k;
  });
  if (request.round) {
    if (*request.round > 0) solved_again_ += places_.size();
    solve_round(rounds_[*request.round], request, answer, places_);
    return;
  }
  std::vector<std::size_t> left;
  for (Round& round : rounds_) {
    if (&round == &rounds_.front()) {
      solve_round(round, request, answer, places_);
      left = places_where(answer.results, [](const PairResult& found) { return found.status != Status::converged; });
    } else if (!left.empty()) {
      solved_again_ += left.size();
      solve_round(round, request, answer, left);
      std::erase_if(left, [&](std::size_t k) { return answer.results[k].status == Status::converged; });
    }
  }
}

CertifiedSolver::Chunk CertifiedSolver::make_chunk(const Request& request, std::span<const std::size_t> places) {
  Chunk chunk;
  std::size_t length = 0;
  const auto threads = static_cast<std::size_t>(std::max(Kokkos::num_threads(), 1));
  const std::size_t least = threads > 1 ? threads * pairs_of_thread : 1;
  const std::size_t cached = find_backend(options_.backend).on_gpu ? memory_ : threads * cached_solutions;
  for (const std::size_t place : places) {
    const std::size_t size = unknowns(request.pairs[place]);
    const std::size_t bytes = 2 * sizeof(double) * (length + size);
    if (!chunk.places.empty() && bytes > memory_) break;
    if (chunk.places.size() >= least && bytes > cached) break;
    chunk.places.push_back(place);
    chunk.pairs.push_back(request.pairs[place]);
    chunk.begin.push_back(length);
    length += size;
  }
  chunk.x = room_in(x_, length);
  return chunk;
}

void CertifiedSolver::solve_round(Round& round, const Request& request, const Answer& answer,
                                  std::span<const std::size_t> places) {
  const Sides sides = sides_of(request, answer, solver_of(round), &round == &rounds_.back());
  if (sides == Sides::device && &round == rounds_.data() + 1 && solver_of(round).proves_by_starts()) {
    solve_refused(round, request, answer, places);
    return;
  }
  if (sides == Sides::device) {
    solve_on_device(round, request, answer, places);
    return;
  }
  if (sides == Sides::direct) {
    solve_values(round, sides, request, answer, places);
    return;
  }
  // Another solve on the host without corrections would be the same.
  const bool in_vain = round.precision == Precision::float32 && &round != &rounds_.front() && &round != &rounds_.back();
  while (!places.empty() && !in_vain) {
    Chunk chunk = make_chunk(request, places);
    std::vector<PairResult> solved(chunk.pairs.size());
    solve_both(round, chunk, sides == Sides::both, solved);
    evaluate(request, answer, chunk, solved, &round == &rounds_.back());
    places = places.subspan(chunk.places.size());
  }
}

void CertifiedSolver::solve_on_device(Round& round, const Request& request, const Answer& answer,
                                      std::span<const std::size_t> places, bool by_starts) {
  if (request.derivatives != Derivatives::not_asked) {
    solve_derivatives(round, request, answer, places, by_starts);
  } else {
    solve_values(round, Sides::device, request, answer, places, by_starts);
  }
}

void CertifiedSolver::solve_refused(Round& round, const Request& request, const Answer& answer,
                                    std::span<const std::size_t> places) {
  Answer untold = answer;
  untold.arrived = {};
  solve_on_device(rounds_.front(), request, untold, places, false);
  std::vector<std::size_t> left(places.begin(), places.end());
  std::erase_if(left, [&](std::size_t k) { return answer.results[k].status == Status::converged; });
  if (!left.empty()) solve_on_device(round, request, untold, left);
}

void CertifiedSolver::ask_certified(const Round& round, Request& asked, bool by_starts) const {
  asked.certify = exact_.get();
  asked.corrections = round.corrections;
  asked.share_of_tolerance = round.share_of_tolerance;
  const bool first = &round == &rounds_.front();
  asked.left_over = !first;
  asked.accuracy = first && by_starts && !fine() ? accuracy_ : 0;
}

void CertifiedSolver::solve_values(Round& round, Sides sides, const Request& request, const Answer& answer,
                                   std::span<const std::size_t> places, bool by_starts) {
  // Millions of pairs are not copied when all are asked for.
  const bool all = places.size() == request.pairs.size();
  std::vector<Pair> pairs;
  std::vector<PairResult> solved(all ? 0 : places.size());
  if (!all) {
    pairs.reserve(places.size());
    for (const std::size_t place : places) pairs.push_back(request.pairs[place]);
  }
  Request asked{all ? request.pairs : std::span<const Pair>(pairs)};
  const std::span<PairResult> found = all ? answer.results : std::span(solved);
  if (sides == Sides::device) ask_certified(round, asked, by_starts);
  Answer arriving{found};
  arriving.arrived = [&](std::size_t begin, std::size_t end) {
    in_parallel(end - begin, results_at_once, [&](std::size_t from, std::size_t to) {
      for (std::size_t k = begin + from; k < begin + to; ++k) {
        PairResult result = found[k];
        if (sides == Sides::device) {
          judge(result, result.error_bound);
        } else if (result.status == Status::converged || result.status == Status::stagnated) {
          result.status = result.error_bound <= accuracy_ ? Status::converged : Status::stagnated;
        }
        answer.results[places[k]] = result;
      }
    });
    // Without a round that is asked for, another may follow.
    if (all && request.round && answer.arrived) answer.arrived(begin, end);
  };
  solve_by(round, asked, arriving);
}

void CertifiedSolver::judge(PairResult& result, double largest) const {
  if (largest <= accuracy_) {
    result.status = Status::converged;
  } else if (!std::isfinite(result.value)) {
    result.status = Status::breakdown;
  } else if (result.status == Status::converged) {
    result.status = Status::stagnated;
  }
}

void CertifiedSolver::solve_both(Round& round, Chunk& chunk, bool adjoint, std::span<PairResult> results) {
  solve_by(round, Request{chunk.pairs, RightHandSide::stopping, chunk.begin}, Answer{results, chunk.x});
  if (!adjoint) return;
  chunk.y = room_in(y_, chunk.x.size());
  Chunk other;  // pairs whose y is not proportional to x
  std::vector<std::size_t> numbers;
  for (std::size_t k = 0; k < chunk.pairs.size(); ++k) {
    const double factor = exact_->adjoint_factor(chunk.pairs[k]);
    if (factor > 0) {
      const std::size_t end = chunk.begin[k] + unknowns(chunk.pairs[k]);
      for (std::size_t at = chunk.begin[k]; at < end; ++at) chunk.y[at] = factor * chunk.x[at];
    } else {
      other.pairs.push_back(chunk.pairs[k]);
      other.begin.push_back(chunk.begin[k]);
      numbers.push_back(k);
    }
  }
  if (other.pairs.empty()) return;
  std::vector<PairResult> adjoints(other.pairs.size());
  solve_by(round, Request{other.pairs, RightHandSide::starting, other.begin}, Answer{adjoints, chunk.y});
  for (std::size_t k = 0; k < numbers.size(); ++k) {
    PairResult& result = results[numbers[k]];
    result.iterations += adjoints[k].iterations;
    if (result.status == Status::converged) result.status = adjoints[k].status;
  }
}

}  // namespace octile
