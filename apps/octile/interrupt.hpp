// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace octile::app {

/// After this call SIGINT, SIGTERM and SIGHUP end the program at once, wherever it is, with one line and the code
/// exit_interrupted. Temporary files are removed, and outputs are all of them written, or none is. A signal that the
/// program was started to ignore (by nohup, or in the background) stays ignored.
void catch_interrupts();

}  // namespace octile::app
