// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string_view>

#include <nlohmann/json_fwd.hpp>

namespace octile::app {

/// The value of a dict as Python prints it, such as {'weight': 2.0, 'kind': "it's", 'ring': True, 'sizes': [5, 6]}; tuples are lists. Throws
/// `Error` for what is no such value, and as `parse_strictly` does.
nlohmann::json parse_python_dict(std::string_view text);

}  // namespace octile::app
