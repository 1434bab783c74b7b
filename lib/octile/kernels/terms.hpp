// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/kernels/lowering.hpp>
#include <octile/kernels/program.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace octile::detail {

/// A number in both precisions: a GPU takes longer to convert one than to multiply by it.
struct NumberInBoth {
  double in_double = 0;
  float in_float = 0;
};

/// A leaf of a term.
struct TermLeaf {
  enum class Kind : std::int32_t { none, delta, square_exponential, matern };
  Kind kind = Kind::none;
  std::int32_t degree = 0;  ///< of a matern
  NumberInBoth number;      ///< h of a delta; of others what |x − y| is multiplied by: 1 / length, √(2ν) / length
  double prepared =
      0;  ///< `LeafArguments::parameter`: of a square exponential s = 1 / (2 length²), of others the number above
};

/// What a sum over pairs of labels adds to a derivative.
struct TermShare {
  std::int32_t term = 0;
  std::int32_t place = 0;  ///< 0: the product of all leaves; l + 1: that with leaf l's derivative in its place
  double factor = 0;
};

/// A base kernel as a sum of few products, of leaves that read one number of a label each, and of a factor:
///
///     κ = Σ_t c_t Π_l κ_tl
///
/// l numbers the columns: the numbers that leaves read. A term has at most one leaf of a column.
struct KernelTerms {
  struct Term {
    double factor = 1;             ///< c_t
    std::vector<TermLeaf> leaves;  ///< one a column
  };
  std::vector<Term> terms;
  std::vector<std::int32_t> slots;  ///< of a label record, one a column
  std::vector<TermShare> shares;    ///< by function: none of κ itself, and those of ∂κ/∂θ of each parameter
  std::vector<std::int32_t> share_begin;  ///< where those of each function begin, and the end
  /// Whether no sums were multiplied: by terms κ takes the operations of the program, in another order perhaps, so that a number may be added a few times
  /// more. What bounds count for each operation of a row is several times what those of κ take.
  bool as_written = true;
};

/// The most terms that `kernel_terms` gives of one or two columns, and of more; and the most columns.
inline constexpr int most_kernel_terms = 4;
inline constexpr int few_kernel_terms = 2;
inline constexpr int most_kernel_columns = 4;

/// A program with these parameters as a sum of products of the leaves that `TermLeaf` has; none if it is another, as a power is, if it reads no
/// label, or if it has too many terms or columns.
std::optional<KernelTerms> kernel_terms(std::span<const Instruction> program,
                                        std::span<const ProgramParameter> parameters);

/// A base kernel that is a number and a sum of few square exponentials of one number of a label,
///
///     κ = c + Σ_t c_t exp(−s_t (x − y)²)
struct ExponentialSum {
  struct Term {
    double factor;  ///< c_t
    double rate;    ///< s_t
  };
  double constant = 0;  ///< c
  std::vector<Term> terms;

  /// The most terms.
  static constexpr std::size_t most = 3;
};

/// A lowered kernel's values as such a sum, whose rates float has; none if they are another, or a lone exponential or number.
std::optional<ExponentialSum> exponential_sum(const LoweredKernel& kernel);

}  // namespace octile::detail
