// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace octile::app {

/// Prints every backend compiled in: its name, whether it can run here, exactness, determinism, precisions.
void print_backends();

/// Prints every backend with its primitives, and then each primitive with the (t, r) that it takes.
void print_backends_with_primitives();

}  // namespace octile::app
