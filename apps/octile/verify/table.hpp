// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "verify/verification.hpp"

namespace octile::app {

/// Prints the table of `octile verify` row by row, as the settings finish, and after it what was found.
class VerificationTable {
 public:
  /// Columns as wide as the names of the settings and of all backends need.
  explicit VerificationTable(std::span<const Setting> settings);

  /// What `octile gram` runs, the tolerances, who judges how many pairs above n·m = `reference_limit` and below, and the
  /// column heads.
  void print_head(const Judgements& judgements, std::size_t reference_limit, const Setting& gram,
                  const std::string& gram_solver) const;
  /// The reference's own row, and one for each of `unavailable`.
  void print_others(const Judgements& judgements, std::span<const Backend* const> unavailable) const;
  /// Marked where a value is out of tolerance, or where the setting could not be solved.
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

/// Prints what is out of tolerance, could not be solved, did not converge where it has to, or has no judge: by name, with
/// both values. The last line says how many values were compared.
void print_findings(const std::vector<VerifiedSetting>& rows, const Judgements& judgements,
                    std::span<const Graph> graphs);

}  // namespace octile::app
