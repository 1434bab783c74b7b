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

#include "output/exit_codes.hpp"
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
  /// The tolerance of `octile gram` in the row of what it would run; nothing in other rows, which have `agreement`'s.
  std::optional<double> gram_tolerance{};
  /// The accuracy of `octile gram` in that row, if it solves to one; nothing in other rows.
  std::optional<Accuracy> gram_accuracy{};

  bool is_gram() const { return gram_tolerance || gram_accuracy; }
  /// Such as "float64", or "to 1e-06".
  std::string precision_text() const;
  /// "portable:serial rows float64", followed by the lowering if one is asked for, and preceded by "octile gram: "
  /// in the row of what that would run.
  std::string name() const;
};

/// The row of what `octile gram` would run with these options.
Setting gram_setting(const GramOptions& options);

/// A pair with its reference value.
struct Judgement {
  Pair pair;
  const Backend* judge = nullptr;  ///< the backend that gave the value; null if none could solve the pair
  double value = 0;
  bool left_out = false;  ///< whether there is no judge for lack of time
};

struct Judgements {
  std::vector<Judgement> pairs;
  double reference_milliseconds = 0;

  /// How many pairs a backend judged; for null those that none could judge, without those left out.
  std::size_t judged_by(const Backend* judge) const;
  std::size_t left_out() const;
};

/// The pairs sorted by rising work of a solve; equal ones keep their order.
std::vector<Pair> cheapest_first(std::span<const Graph> graphs, std::vector<Pair> pairs);

/// The reference values of pairs, which must come cheapest first. The reference (the first of `backends()`) solves
/// pairs of n·m up to `reference_limit`, as far as half of the budget suffices. The others are solved by iterating
/// backends in float64, in the order of the list. `on_pair` is called before each pair of the reference with the number
/// of pairs done and of all; an exception from it ends the work. Throws `Error` for labels that the kernel needs and a
/// graph lacks, and for kernel values out of range.
Judgements judge(const VerifyTask& task, std::span<const Pair> pairs, std::size_t reference_limit,
                 const std::function<void(std::size_t, std::size_t)>& on_pair, const Budget& budget = {});

/// The results of some pairs in a setting.
struct Solved {
  std::string refusal{};              ///< why they could not be solved; if not empty, the rest is meaningless
  std::vector<PairResult> results{};  ///< of the first pairs, as far as the budget sufficed
  double milliseconds = 0;            ///< solve only
  std::string description{};          ///< the solver's choices
};

/// Solves pairs, which must come cheapest first, in a setting, without refinement, as far as the budget suffices: none
/// if it ends while the set is prepared.
Solved solve(const VerifyTask& task, const Setting& setting, std::span<const Pair> pairs, const Budget& budget = {});

/// Solves pairs, which must come cheapest first, by what `octile gram` solves pairs of the set with: a `PreparedSet` of the whole
/// set, and a `BlockSolver`. As far as the budget suffices, as above, which preparing counts in. Iterations and memory are those of
/// the options.
Solved solve_as_gram(const VerifyTask& task, const GramOptions& options, std::span<const Pair> pairs,
                     const Budget& budget = {});

/// A pair in one setting that has to be reported.
struct Finding {
  const Judgement* judgement = nullptr;
  PairResult result;
  double difference = 0;  ///< |K − expected| / expected
  double allowed = 0;
};

/// The verdict on a setting.
struct Verdict {
  std::string refusal;  ///< why it could not solve the pairs; if not empty, the rest is meaningless
  std::size_t pairs = 0;
  std::size_t compared = 0;          ///< pairs that converged and were judged by another backend
  double largest_difference = 0;     ///< over those
  std::vector<Finding> differing;    ///< out of tolerance
  std::vector<Finding> unconverged;  ///< pairs whose status is not `converged`
  std::int32_t median_iterations = 0;
  std::int32_t most_iterations = 0;
  double milliseconds = 0;  ///< solve only
};

/// Compares the solved pairs with their reference values: those that converged, and in float64 stagnated ones too,
/// since the tolerance allows for their rounding. A backend is not compared with itself. The findings point into
/// `judgements`.
Verdict hold(const Solved& solved, const KernelSpec& kernel, const Setting& setting, const Judgements& judgements);

/// Solves the judged pairs in a setting and compares them with their reference values.
Verdict verify(const VerifyTask& task, const Setting& setting, const Judgements& judgements, const Budget& budget = {});

/// A setting with its verdict.
struct VerifiedSetting {
  Setting setting;
  Verdict verdict;
};

/// How `octile verify` ends. `exit_disagreement` if a row has a value out of tolerance, even if others could not be
/// solved. Otherwise throws an `Error` that names the first row that could not be solved. `exit_unconverged` if a pair
/// did not converge in float64 or as `octile gram` solves it, or has no judge. Else `exit_success`.
ExitCode how_it_ended(std::span<const VerifiedSetting> rows, const Judgements& judgements);

/// Whether a setting's unconverged pairs are reported. Only plain float32 rows may be stopped by rounding.
bool has_to_converge(const Setting& setting);

}  // namespace octile::app
