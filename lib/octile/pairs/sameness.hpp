// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/graph.hpp>
#include <octile/problem.hpp>

#include <cstddef>
#include <span>
#include <string>

namespace octile {

/// The largest number of graphs that a kernel cannot tell apart: whose starting weights have one sum, or whose values are normalised, K
/// is the same for every pair of them. In each, all walks see the same: one label of vertices, one of edges, and with a stopping weight one
/// weighted degree, with a stopping probability no isolated vertex among others. 0 for none.
std::size_t graphs_alike(std::span<const Graph* const> graphs, const KernelSpec& kernel);

/// What to say of these graphs if half of them or more are alike, and what to do: a sentence, or empty where there is nothing to say.
std::string sameness_warning(std::span<const Graph* const> graphs, const KernelSpec& kernel);

}  // namespace octile
