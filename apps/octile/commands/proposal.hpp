// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <octile/graph.hpp>

namespace octile::app {

/// How many different vertices, or edges, a set has: by all of their attributes together. Pass `&Graph::vertex_labels` or
/// `&Graph::edge_labels`.
std::size_t distinct_records(const std::vector<Graph>& graphs, const LabelColumns& (Graph::*columns)() const);

/// The options of `octile gram` for a kernel that suits these graphs: a preset of which they have all attributes, or else one that is
/// made of their own. They are quoted for a shell.
std::string proposed_kernel(const std::vector<Graph>& graphs);

/// A word of a command, in quotes where a shell needs them.
std::string shell_word(const std::string& word);

}  // namespace octile::app
