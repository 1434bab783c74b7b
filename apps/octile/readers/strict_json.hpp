// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string_view>

#include <nlohmann/json_fwd.hpp>

namespace octile::app {

/// A text that is JSON, in a time that grows with its length. Throws `Error` for what is none, and for what is JSON but would be
/// changed by reading: a key that stands twice in an object, and integers beyond 64 bits, which would become reals. Throws for
/// values that are nested deeper than 64 levels.
nlohmann::json parse_strictly(std::string_view text);

}  // namespace octile::app
