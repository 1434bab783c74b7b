// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <stdexcept>
#include <string>

namespace octile {

/// The exception for wrong input: one line that names the graph (or the file, or the
/// column of an expression), the offending value, and what is allowed.
class Error : public std::runtime_error {
 public:
  /// `message`: that line, without a line feed.
  explicit Error(const std::string& message) : std::runtime_error(message) {}
};

}  // namespace octile
