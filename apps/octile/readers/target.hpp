// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string_view>

namespace octile::app {

/// A target as a file states it: nothing where it is blank, NaN or NA. Throws `Error` for other text that is no finite number.
std::optional<double> target_value(std::string_view target, std::string_view text);

}  // namespace octile::app
