// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/certify/certificate.hpp>
#include <octile/kernels/factors.hpp>
#include <octile/kernels/lowering.hpp>
#include <octile/problem.hpp>
#include <octile/solve.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace octile {

struct ExactGraphs;

/// How much factors of the edge kernel may leave unknown of N x, relative to b, and of N y, relative to p×. 0: there are none.
struct UnknownByFactors {
  double x = 0;
  double y = 0;
  bool on_device = false;  ///< whether a device takes them, and not the host
};

/// What of the rounding of a set's walk counts with factors too, and by how much more that of y weighs.
struct RoundingOfWalk {
  SystemRounding rounding;
  double y_over_x = 1;  ///< `rounding.beyond_y` / `rounding.beyond_x` where these are not 0
};

/// Dense factors of a set's edge kernel, with what N x by all of them rounds and leaves unknown.
struct FactorsOfRows {
  Factors factors;
  SystemRounding rounding;
  std::size_t fewer;  ///< the first ones, which are enough for N y; `rounding` of y is that of these
};

/// The factors that are allowed, at most `most` of them: none if what is allowed to be unknown takes more, or is less than they round. Fewer may do for N y if
/// `fewer_of_y`, in multiples of the length of a CPU's vectors.
std::optional<FactorsOfRows> factors_of_rows(const ExactGraphs& graphs, const LoweredKernel& edge, double amplification,
                                             const RoundingOfWalk& walk, const UnknownByFactors& allowed,
                                             std::size_t most, bool fewer_of_y);

/// The graphs of a set with factors of the edge kernel, κe ≈ Σ_k φ_k φ_k', in double on the host. They form
///
///     N x ≈ Σ_k (A ⊙ φ_k) X (A' ⊙ φ_k)ᵀ
///
/// by vectors of a CPU, where that takes less than a walk over all pairs of edges. What κe's error and the rounding of these sums make
/// of N x is not relative to it but to A× x, which is at most a b for the solution x, a being the set's `Amplification`.
class ExactFactors {
 public:
  /// No factors.
  ExactFactors() = default;
  /// None, if what is allowed to be unknown takes too many to pay, or is less than they round.
  ExactFactors(const ExactGraphs& graphs, const LoweredKernel& edge, double amplification, const RoundingOfWalk& walk,
               const UnknownByFactors& allowed);

  bool given() const { return rank_ > 0; }
  const SystemRounding& rounding() const { return rounding_; }

  /// A vector of a pair of graphs whose vertices begin at these numbers of `ExactGraphs`, and room for its product.
  struct Operand {
    std::size_t first;
    std::size_t n;
    std::size_t second;
    std::size_t m;
    const double* values;
    double* product;
  };
  /// N x. `work` grows as needed.
  void multiply_x(const Operand& x, std::vector<double>& work) const { multiply(rank_, x, work); }
  /// N y, by the first factors alone if more of it may be unknown.
  void multiply_y(const Operand& y, std::vector<double>& work) const { multiply(rank_of_y_, y, work); }

 private:
  void lay_out(const ExactGraphs& graphs, const LoweredKernel& edge, std::span<const double> factors, std::size_t rank);
  void multiply(int rank, const Operand& of, std::vector<double>& work) const;

  int rank_ = 0;  ///< with those that are 0, by which they are padded
  int rank_of_y_ = 0;
  SystemRounding rounding_;
  std::vector<std::uint32_t> row_begin_;  ///< of all vertices, and one more
  std::vector<std::uint32_t> columns_;    ///< vertices of the graph, from 0
  std::vector<double> factors_;           ///< A_ij φ_k(e_ij), at e · rank + k
};

}  // namespace octile
