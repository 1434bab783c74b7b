// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <nanobind/nanobind.h>

namespace octile::python {

/// Adds what is known of base kernels: `parse`, the table of leaf kernels, and the class `KernelSpec`.
void bind_expressions(nanobind::module_& module);

}  // namespace octile::python
