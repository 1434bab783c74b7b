// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

namespace octile::app {

/// Throws `UsageError`, which lists the names, unless there is such an order.
void check_order(const std::string& name);

/// Throws `UsageError` unless the number of host threads is allowed: 0 is for all cores.
void check_threads(int threads);

/// What is wrong with an option's text as CLI11 asks it, "" for a whole number: CLI11 itself takes -1 for 2^64 - 1, and
/// what is larger for that too.
std::string whole_number(const std::string& text);

}  // namespace octile::app
