// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/base/shared_tables.hpp>
#include <octile/kernels/lowering.hpp>
#include <octile/kernels/program.hpp>

#include <Kokkos_Macros.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace octile {

/// A factor of a kernel that is evaluated by tables: a table over the values that records have in some of their attributes, or a
/// piece of the kernel's program where they have too many.
struct TableStep {
  /// What becomes of the product so far, which begins with 1: it goes on, or is a term of the one sum that a kernel may have; after
  /// the last term it goes on with that sum.
  enum class After : std::int32_t { multiply, add, last_term };

  std::size_t begin = 0;    ///< in `values`, or in `program`
  std::int32_t count = 0;   ///< codes of the table: count² numbers by rows; 0: a piece of the program
  std::int32_t column = 0;  ///< of the table's codes; of the program, its instructions
  After after = After::multiply;
};

/// `AttributeTables` as they are read, with the records that they are of.
struct AttributePointers {
  const TableStep* steps;
  std::int32_t count;  ///< of steps
  std::int32_t columns;
  const double* values;
  const std::uint16_t* codes;
  const Instruction* program;
  RecordPointers labels;

  /// κ of two records, to the bit the same as of these in the other order.
  KOKKOS_INLINE_FUNCTION double evaluate(std::uint32_t a, std::uint32_t b) const {
    const std::uint16_t* const first = codes + static_cast<std::size_t>(a) * static_cast<std::size_t>(columns);
    const std::uint16_t* const second = codes + static_cast<std::size_t>(b) * static_cast<std::size_t>(columns);
    double sum = 0;
    double product = 1;
    for (std::int32_t k = 0; k < count; ++k) {
      const TableStep step = steps[k];
      if (step.count > 0) {
        const std::size_t row = first[step.column] * static_cast<std::size_t>(step.count);
        product *= values[step.begin + row + second[step.column]];
      } else {
        product *= run_program<double>(program + step.begin, step.column, labels, a > b ? a : b, a > b ? b : a);
      }
      if (step.after == TableStep::After::multiply) continue;
      sum += product;
      product = step.after == TableStep::After::last_term ? sum : 1.0;
    }
    return product;
  }
};

/// A lowered kernel as a product of small tables by attribute, of which one factor may be a sum of such products:
///
///     κ(a, b) = Π_k T_k(c_k(a), c_k(b)) · Σ_t Π_k T_tk(c_tk(a), c_tk(b))
///
/// c(a) are small codes of what record a has in the attributes that a table is of. So κ of any number of records takes a few reads for
/// a pair of them. Attributes share a table as long as what they have together is little. What is no such product stays a piece of the
/// program: every kernel has this form, if only as one piece.
struct AttributeTables {
  std::vector<TableStep> steps;
  std::vector<double> values;
  std::vector<std::uint16_t> codes;  ///< record_count × columns, row major
  std::size_t columns = 0;
  std::vector<Instruction> program;

  AttributeTables() = default;
  explicit AttributeTables(const LoweredKernel& kernel);

  /// The tables as they are read, with the records of `kernel`, which they must be of.
  AttributePointers pointers(const LoweredKernel& kernel) const {
    return {steps.data(),
            static_cast<std::int32_t>(steps.size()),
            static_cast<std::int32_t>(columns),
            values.data(),
            codes.data(),
            program.data(),
            {kernel.records.data(), kernel.list_begin.data(), kernel.list_values.data(), kernel.slots}};
  }
  std::size_t bytes() const;
  /// The steps in words: "3 tables" or "2 tables and 1 piece of the program".
  std::string description() const;
};

/// The tables of `kernel`: those that `shared` keeps, or new ones if `shared` is null.
std::shared_ptr<const AttributeTables> tables_of(SharedTables* shared, const LoweredKernel& kernel);

/// The most codes of a table: `shared_codes` if several attributes share it or if it is of one leaf kernel of numbers,
/// else `most_codes`, whose 4096² doubles take 128 MiB.
inline constexpr std::size_t shared_codes = 512;
inline constexpr std::size_t most_codes = 4096;

}  // namespace octile
