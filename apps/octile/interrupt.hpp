// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace octile::app {

/// After this call the first SIGINT or SIGTERM only sets a flag, so that the work can
/// end cleanly. The second one ends the program at once.
void catch_interrupts();

/// Whether such a signal has come.
bool interrupted();

/// Throws `octile::Interrupted` if such a signal has come.
void throw_if_interrupted();

}  // namespace octile::app
