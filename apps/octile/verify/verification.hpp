// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <octile/backends.hpp>
#include <octile/gram.hpp>

#include "exit_codes.hpp"
#include "verify/budget.hpp"

namespace octile::app {

/// A set of graphs, and how its pairs are solved in every setting.
struct VerifyTask {
  std::span<const Graph> graphs;
  const KernelSpec* kernel = nullptr;
  std::int32_t max_iterations = 0;
  std::size_t memory = 0;
};

/// One row of the table: a primitive of a backend, in a precision.
struct Setting {
  const Backend* backend = nullptr;
  Primitive primitive;
  Precision precision = Precision::float64;
  Lowering lowering = Lowering::automatic;
  /// What `octile gram` solves to, where this is the row of what it would run; none for `agreement`'s tolerance.
  std::optional<double> gram_tolerance{};

  /// "portable:serial rows float64", with the lowering behind it where one is asked for, and "octile gram: " before it
  /// where this is the row of what that would run.
  std::string name() const;
};

/// The row of what `octile gram` would run with these options.
Setting gram_setting(const GramOptions& options);

/// A pair with the value that it is held to.
struct Judgement {
  Pair pair;
  const Backend* judge = nullptr;  ///< null where none could solve it
  double value = 0;
  bool left_out = false;  ///< null as the time did not suffice
};

struct Judgements {
  std::vector<Judgement> pairs;
  double reference_milliseconds = 0;

  /// Null: those that none could judge, without those left out.
  std::size_t judged_by(const Backend* judge) const;
  std::size_t left_out() const;
};

/// The pairs by ascending work of a solve, equal ones in their order.
std::vector<Pair> cheapest_first(std::span<const Graph> graphs, std::vector<Pair> pairs);

/// The values of pairs, which come cheapest first: by the reference, which is `backends()`' first, where n·m is at most
/// `reference_limit` and half of the budget suffices, and by iterating backends in float64, the first of them first,
/// where it is more. `on_pair` is called before each pair of the reference with the number of pairs done and of all;
/// what it throws ends the work.
/// Throws `Error` for labels that the kernel needs and a graph lacks, and for kernel values out of range.
Judgements judge(const VerifyTask& task, std::span<const Pair> pairs, std::size_t reference_limit,
                 const std::function<void(std::size_t, std::size_t)>& on_pair, const Budget& budget = {});

/// What became of some pairs in a setting.
struct Solved {
  std::string refusal{};              ///< why they could not be solved; then nothing below holds
  std::vector<PairResult> results{};  ///< of the first pairs, those that the budget sufficed for
  double milliseconds = 0;            ///< solve only
  std::string description{};          ///< the solver's choices
};

/// Solves pairs, which come cheapest first, in a setting, unrefined, as far as the budget suffices: none where it ends
/// while the set is prepared.
Solved solve(const VerifyTask& task, const Setting& setting, std::span<const Pair> pairs, const Budget& budget = {});

/// Solves pairs, which come cheapest first, the way `gram` solves all pairs of the set with these options: the whole set
/// in its order, prepared by the same choices, refined. As far as the budget suffices, as above. Iterations and memory
/// are those of the options.
Solved solve_as_gram(const VerifyTask& task, const GramOptions& options, std::span<const Pair> pairs,
                     const Budget& budget = {});

/// A pair in one setting that has to be told of.
struct Finding {
  const Judgement* judgement = nullptr;
  PairResult result;
  double difference = 0;  ///< |K − expected| / expected
  double allowed = 0;
};

/// How a setting did.
struct Verdict {
  std::string refusal;  ///< why it could not solve the pairs; then nothing below holds
  std::size_t pairs = 0;
  std::size_t compared = 0;          ///< converged, and judged by another
  double largest_difference = 0;     ///< over those
  std::vector<Finding> differing;    ///< out of tolerance
  std::vector<Finding> unconverged;  ///< not converged, as they say themselves
  std::int32_t median_iterations = 0;
  std::int32_t most_iterations = 0;
  double milliseconds = 0;  ///< solve only
};

/// Holds the first pairs, as they were solved, to their judgements. Converged values are compared, and in float64
/// stagnated ones too: rounding stops them where the tolerance allows for it. A backend is not compared with itself. The
/// findings point into `judgements`.
Verdict hold(const Solved& solved, const KernelSpec& kernel, const Setting& setting, const Judgements& judgements);

/// Solves the judged pairs in a setting and holds them to their judgements.
Verdict verify(const VerifyTask& task, const Setting& setting, const Judgements& judgements, const Budget& budget = {});

/// A setting with how it did.
struct VerifiedSetting {
  Setting setting;
  Verdict verdict;
};

/// How `octile verify` ends: with `exit_disagreement` where a row has a value out of tolerance, whatever became of the
/// others; with an `Error` that names the first row that could not be solved; with `exit_unconverged` where a pair did
/// not converge in float64, or as `octile gram` solves it, or has no judge; else with `exit_success`.
ExitCode how_it_ended(std::span<const VerifiedSetting> rows, const Judgements& judgements);

/// Whether a setting's unconverged pairs are told of: float32 alone may say that rounding stops it.
bool has_to_converge(const Setting& setting);

}  // namespace octile::app
