// SPDX-License-Identifier: BSD-3-Clause
#pragma once

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

/// A leaf of a term, as derivatives read it.
struct TermLeaf {
  enum class Kind : std::int32_t { none, delta, square_exponential, matern };
  Kind kind = Kind::none;
  std::int32_t degree = 0;  ///< of a matern
  NumberInBoth number;      ///< h of a delta; of others what |x − y| is multiplied by: 1 / length, √(2ν) / length
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
struct SlopeTerms {
  struct Term {
    double factor = 1;             ///< c_t
    std::vector<TermLeaf> leaves;  ///< one a column
  };
  std::vector<Term> terms;
  std::vector<std::int32_t> slots;  ///< of a label record, one a column
  std::vector<TermShare> shares;    ///< by function: none of κ itself, and those of ∂κ/∂θ of each parameter
  std::vector<std::int32_t> share_begin;  ///< where those of each function begin, and the end
};

/// The most terms that `slope_terms` gives of one or two columns, and of more; and the most columns.
inline constexpr int most_slope_terms = 4;
inline constexpr int few_slope_terms = 2;
inline constexpr int most_slope_columns = 4;

/// A program with these parameters as a sum of products of the leaves that `TermLeaf` has; none if it is another, as a power is, if it reads no
/// label, or if it has too many terms or columns.
std::optional<SlopeTerms> slope_terms(std::span<const Instruction> program,
                                      std::span<const ProgramParameter> parameters);

}  // namespace octile::detail
