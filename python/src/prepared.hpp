// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <nanobind/nanobind.h>

namespace octile::python {

/// Adds the classes `PreparedSet` and `Tiles`, and the list of backends.
void bind_prepared(nanobind::module_& module);

}  // namespace octile::python
