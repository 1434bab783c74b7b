// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include <octile/error.hpp>

namespace octile::app {

/// What is no JSON, from a position in the text on.
class JsonFault : public Error {
 public:
  JsonFault(std::size_t position, const std::string& what) : Error(what), position_(position) {}
  /// The number of bytes up to and with the one that is wrong.
  std::size_t position() const { return position_; }

 private:
  std::size_t position_;
};

/// A text that is JSON, in a time that grows with its length. Throws `Error` for what is none, and for what is JSON but would be
/// changed by reading: a key that stands twice in an object, and integers beyond 64 bits, which would become reals. Throws for
/// values that are nested deeper than 64 levels.
nlohmann::json parse_strictly(std::string_view text);

}  // namespace octile::app
