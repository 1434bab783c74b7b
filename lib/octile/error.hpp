// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <stdexcept>
#include <string>

namespace octile {

/// What every wrong input throws: one line that names the graph (or file, or
/// column of an expression), the offending value, and what was allowed.
class Error : public std::runtime_error {
 public:
  explicit Error(const std::string& message) : std::runtime_error(message) {}
};

}  // namespace octile
