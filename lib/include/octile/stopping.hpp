// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace octile {

/// The two meanings of the stopping parameter q in the literature. Both have
/// D× q× as the right-hand side; they differ in the degree d_i (docs/mathematics.md).
enum class StoppingMeaning {
  weight,       ///< the paper's text: d_i = Σ_j A_ij + q
  probability,  ///< the normalised walk: d_i = Σ_j A_ij / (1 − q); see `Stopping::degrees` where the sum is 0
};

/// The stopping parameter, the same for all vertices, with its meaning.
class Stopping {
 public:
  /// The limits of q: q² and its reciprocal are numbers of double precision with room for what they are multiplied by.
  static constexpr double least = 1e-60;
  static constexpr double most = 1e60;  ///< of a weight; a probability is below 1

  /// Throws `Error` unless `least` ≤ q ≤ `most`, and q < 1 for a probability.
  Stopping(StoppingMeaning meaning, double q);

  /// Reads `weight:Q` or `probability:Q`; throws `Error` saying what was allowed.
  static Stopping parse(std::string_view text);

  StoppingMeaning meaning() const { return meaning_; }  ///< whether q is a weight or a probability
  double q() const { return q_; }                       ///< the number, in that meaning

  /// d_i of the vertices of one graph, from their weighted degrees Σ_j A_ij. An isolated vertex never moves, so under
  /// `probability` its d_i cancels and any positive value gives the same kernel. It gets the smallest of the others',
  /// so that it dominates no sum, or 1 in a graph without edges. `scale` is the graph's `Graph::stopping_scale`.
  std::vector<double> degrees(std::vector<double> weighted_degrees, double scale = 1) const;

  std::string to_string() const;  ///< as parse() reads it, such as "weight:0.05"

 private:
  StoppingMeaning meaning_;
  double q_;
};

}  // namespace octile
