// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <octile/backends.hpp>
#include <octile/gram.hpp>

#include "exit_codes.hpp"

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

  /// "portable:serial rows float64", with the lowering behind it where one is asked for.
  std::string name() const;
};

/// "float64" or "float32".
std::string_view precision_name(Precision precision);

/// A pair with the value that it is held to.
struct Judgement {
  Pair pair;
  const Backend* judge = nullptr;  ///< null where none could solve it
  double value = 0;
};

struct Judgements {
  std::vector<Judgement> pairs;
  double reference_milliseconds = 0;

  std::size_t judged_by(const Backend* judge) const;
};

/// The values of the pairs: by the reference, which is `backends()`' first, where n·m is at most `reference_limit`, and
/// by the first iterating backend that can solve them in float64 where it is more. `on_pair` is called before each
/// pair of the reference with the number of pairs done and of all; what it throws ends the work.
/// Throws `Error` for labels that the kernel needs and a graph lacks, and for kernel values out of range.
Judgements judge(const VerifyTask& task, std::span<const Pair> pairs, std::size_t reference_limit,
                 const std::function<void(std::size_t, std::size_t)>& on_pair);

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

/// Solves the pairs in a setting, unrefined, and holds them to their judgements. Converged values are compared, and in
/// float64 stagnated ones too: rounding stops them where the tolerance allows for it. A backend is not compared with
/// itself. The findings point into `judgements`.
Verdict verify(const VerifyTask& task, const Setting& setting, const Judgements& judgements);

/// A setting with how it did.
struct VerifiedSetting {
  Setting setting;
  Verdict verdict;
};

/// How `octile verify` ends: with `exit_disagreement` where a row has a value out of tolerance, whatever became of the
/// others; with an `Error` that names the first row that could not be solved; with `exit_unconverged` where a pair did
/// not converge in float64 or has no judge; else with `exit_success`.
ExitCode how_it_ended(std::span<const VerifiedSetting> rows, const Judgements& judgements);

}  // namespace octile::app
