// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "verify/verification.hpp"

namespace octile::app {

/// Prints the table of `octile verify` row by row as the settings finish, and the findings after it.
class VerificationTable {
 public:
  /// Makes columns wide enough for the names of the settings and of all backends.
  explicit VerificationTable(std::span<const Setting> settings);

  /// Prints what `octile gram` runs, the tolerances, how many pairs each backend judges above n·m = `reference_limit`
  /// and below, and the column heads.
  void print_head(const Judgements& judgements, std::size_t reference_limit, const Setting& gram,
                  const std::string& gram_solver) const;
  /// Prints the reference's own row, and one for each backend of `unavailable`.
  void print_others(const Judgements& judgements, std::span<const Backend* const> unavailable) const;
  /// Prints a row. It is marked if a value is out of tolerance or the setting could not be solved.
  void print_row(const VerifiedSetting& row) const;

 private:
  struct Cells {
    std::string backend;
    std::string primitive;
    std::string precision;
    std::string pairs{};
    std::string difference{};
    std::string unconverged{};
    std::string iterations{};
    std::string milliseconds{};
    std::string mark{};
  };

  void print_cells(const Cells& cells) const;

  std::size_t backend_width_;
  std::size_t primitive_width_;
};

/// Prints, by name and with both values, the pairs that are out of tolerance, could not be solved, did not converge
/// although they have to, or have no reference value. The last line says how many values were compared.
void print_findings(const std::vector<VerifiedSetting>& rows, const Judgements& judgements,
                    std::span<const Graph> graphs);

}  // namespace octile::app
