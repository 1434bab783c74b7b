// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include <octile/graph.hpp>

#include "readers/read.hpp"

namespace octile::app {

/// The one graph that a text names: `FILE:NAME`, `FILE:#K` (the K-th graph of the
/// file, from 1), or `FILE` where it holds one graph. A graph without a name of its
/// own is named by its line: `FILE:LINE`. Throws `UsageError` or `Error`.
Graph choose_graph(const std::string& text, bool quiet, const ReadOptions& options);

/// The file that such a text names.
std::string chosen_file(const std::string& text);

}  // namespace octile::app
