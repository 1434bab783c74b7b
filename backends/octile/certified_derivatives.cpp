// SPDX-License-Identifier: BSD-3-Clause
// How a certified solver takes derivatives that a device forms where it solves.
#include <octile/certified_solver.hpp>

#include <octile/base/parallel.hpp>
#include <octile/certify/exact_set.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

namespace octile {
namespace {

/// Pairs that a thread takes at a time: sums of so many are added in their order, whatever number of threads there is.
constexpr std::size_t derivatives_at_once = std::size_t(1) << 12;

}  // namespace

bool CertifiedSolver::suffices(std::span<const double> derivatives, double error) const {
  return error <= most_of_derivatives() &&
         std::ranges::all_of(derivatives, [](double derivative) { return std::isfinite(derivative); });
}

void CertifiedSolver::solve_derivatives(Round& round, const Request& request, const Answer& answer,
                                        std::span<const std::size_t> places, bool by_starts) {
  while (!places.empty()) places = places.subspan(solve_some_derivatives(round, request, answer, places, by_starts));
}

std::size_t CertifiedSolver::solve_some_derivatives(Round& round, const Request& request, const Answer& answer,
                                                    std::span<const std::size_t> places, bool by_starts) {
  const std::size_t parameters = parameter_count();
  const std::size_t each = sizeof(double) * (parameters + 1) + sizeof(PairResult) + sizeof(Pair);
  const std::size_t count = std::min(places.size(), std::max<std::size_t>(memory_ / each, 1));
  const bool last = &round == &rounds_.back();
  std::vector<Pair> pairs(count);
  in_parallel(count, derivatives_at_once, [&](std::size_t begin, std::size_t end) {
    for (std::size_t k = begin; k < end; ++k) pairs[k] = request.pairs[places[k]];
  });
  std::vector<PairResult> solved(count);
  if (derivatives_.size() < count * (parameters + 1)) derivatives_.resize(count * (parameters + 1));
  const std::span<double> derivatives = std::span(derivatives_).first(count * parameters);
  const std::span<double> errors = std::span(derivatives_).subspan(count * parameters, count);

  // What a solver does not state is not exact.
  std::ranges::fill(errors, std::numeric_limits<double>::infinity());

  std::vector<double> sums(parameters);
  std::vector<double> of_parts;
  Request asked{pairs};
  ask_certified(round, asked, by_starts);
  asked.derivatives = Derivatives::each;
  asked.derivative_error = most_of_derivatives();
  Answer arriving{solved};
  arriving.derivatives = derivatives;
  arriving.derivative_errors = errors;
  arriving.arrived = [&](std::size_t begin, std::size_t end) {
    if (begin == 0) std::ranges::fill(sums, 0.0);  // a solver may begin anew
    const std::size_t parts = (end - begin + derivatives_at_once - 1) / derivatives_at_once;
    of_parts.assign(parts * parameters, 0.0);
    in_parallel(end - begin, derivatives_at_once, [&](std::size_t from, std::size_t to) {
      const std::span<double> sum = std::span(of_parts).subspan(from / derivatives_at_once * parameters, parameters);
      for (std::size_t k = begin + from; k < begin + to; ++k) {
        const std::span<const double> of_pair = derivatives.subspan(k * parameters, parameters);
        PairResult result = solved[k];
        judge(result, suffices(of_pair, errors[k]) ? result.error_bound : std::numeric_limits<double>::infinity());
        answer.results[places[k]] = result;
        if (request.derivatives == Derivatives::each) {
          std::ranges::copy(of_pair, answer.derivatives.begin() + static_cast<std::ptrdiff_t>(places[k] * parameters));
        } else if (last || result.status == Status::converged) {
          // A pair that is solved again is added then.
          for (std::size_t t = 0; t < parameters; ++t) sum[t] += request.weights[places[k]] * of_pair[t];
        }
      }
    });
    for (std::size_t k = 0; k < of_parts.size(); ++k) sums[k % parameters] += of_parts[k];
  };
  solve_by(round, asked, arriving);
  if (request.derivatives == Derivatives::weighted) {
    for (std::size_t t = 0; t < parameters; ++t) answer.derivatives[t] += sums[t];
  }
  return count;
}

}  // namespace octile
