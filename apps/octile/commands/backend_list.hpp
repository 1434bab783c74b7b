// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace octile::app {

/// Prints every backend compiled in: its name, whether it can run here, exactness, determinism, precisions.
void print_backends();

/// The same with the primitives of each backend, and then each primitive with the (t, r) that fit.
void print_backends_with_primitives();

}  // namespace octile::app
