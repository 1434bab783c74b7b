// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace octile {

/// "512 B", "1.5 MiB", "4 GiB".
std::string format_bytes(std::size_t bytes);

/// The number of bytes that a text such as "512MiB", "1.5 GiB", "4G" or "1000" means. Throws `Error` that says what is allowed.
std::size_t parse_bytes(std::string_view text);

}  // namespace octile
