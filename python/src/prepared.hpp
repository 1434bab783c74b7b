// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <nanobind/nanobind.h>

namespace octile::python {

/// Adds the class `PreparedSet`, the list of backends, and the parser of accuracies.
void bind_prepared(nanobind::module_& module);

}  // namespace octile::python
