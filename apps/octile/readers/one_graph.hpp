// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <exception>
#include <functional>
#include <new>
#include <string>
#include <string_view>

#include "readers/atoms.hpp"
#include "readers/read.hpp"
#include "readers/text_file.hpp"

namespace octile::app {

/// The name of a file without the suffixes of its format and its compression.
std::string stem_of(const std::string& path);

/// The graph of atoms. Those that were left out are told to `options.on_left_out`.
Graph told_graph(std::string name, const Atoms& atoms, const ReadOptions& options);

/// "PLACE: reason" with the first line of a message, unless it begins with the place, as those of gemmi's CIF reader do.
std::string placed_reason(std::string_view place, std::string_view message);

/// What `work` returns. What it throws, also a library's exception, becomes a `RefusedGraph` with `placed_reason`; a `RefusedGraph` and
/// a want of memory stay what they are.
template <class Work>
auto as_refusal(std::string_view place, const Work& work) {
  try {
    return work();
  } catch (const RefusedGraph&) {
    throw;
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& error) {
    throw RefusedGraph(placed_reason(place, error.what()));
  }
}

/// A reader of a file with the atoms of one graph, which is named after the file without its suffix. If `parse` throws, the graph is
/// refused as `as_refusal` does.
GraphReader one_graph(const std::string& path, const ReadOptions& options, std::function<Atoms(TextFile&)> parse);

}  // namespace octile::app
