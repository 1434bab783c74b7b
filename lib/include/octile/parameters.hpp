// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/problem.hpp>

#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace octile {

/// A number in a kernel by which K has a derivative.
struct Parameter {
  std::string name;  ///< such as `vertex.delta(element)`, `edge.rational(length).alpha`, `vertex.weight`, `q`
  double value = 0;  ///< what it is in the kernel
  double low = 0;    ///< no value is below it
  double high = std::numeric_limits<double>::infinity();  ///< no value is above it; ∞: no limit
};

/// The parameters of one base kernel, in the order of its text: each parameter of a leaf by which there is a
/// derivative, and each number that stands in a product or a sum. Exponents of powers are not among them. `1` alone,
/// the unlabelled case, has none. A name that occurs again gets a number: `edge.weight`, `edge.weight#2`.
std::vector<Parameter> parameters(const Expression& expression, std::string_view site);

/// The parameters of a kernel: those of κv, those of κe, and q.
std::vector<Parameter> parameters(const KernelSpec& kernel);

/// `kernel` with these values of its parameters. Throws `Error` for another number of values, and for a value that its
/// leaf kernel, the ranges of κv and κe or q do not allow.
KernelSpec with_parameters(const KernelSpec& kernel, std::span<const double> values);

}  // namespace octile
