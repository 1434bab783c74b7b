// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <string>

#include "readers/atoms.hpp"
#include "readers/read.hpp"
#include "readers/text_file.hpp"

namespace octile::app {

/// A reader of a file with the atoms of one graph, which is named after the file without its suffix. If `parse` throws,
/// also a library's exception, the graph is refused as "FILE: reason" with the first line of the message. Atoms that were left out
/// are told to `options.on_left_out`.
GraphReader one_graph(const std::string& path, const ReadOptions& options, std::function<Atoms(TextFile&)> parse);

}  // namespace octile::app
