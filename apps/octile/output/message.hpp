// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string_view>

namespace octile::app {

/// Writes to standard error. What it does not take (it is closed, its disk is full) is lost, and changes nothing else: the work
/// goes on, and the exit code is what it would be.
void say(std::string_view text);

/// From now on that is written to this descriptor, while standard error's own stands for something else.
void say_to(int descriptor);

}  // namespace octile::app
