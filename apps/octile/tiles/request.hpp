// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include <nlohmann/json_fwd.hpp>

#include <octile/gram.hpp>
#include <octile/graph.hpp>
#include <octile/problem.hpp>

namespace octile::app::tiles {

/// A matrix that is asked for: K of the first `rows` graphs with the others, or where there are no others, with themselves.
struct MatrixRequest {
  std::span<const Graph> graphs;
  std::size_t rows = 0;
  const KernelSpec* kernel = nullptr;
  std::string start;    ///< where walks start, in words
  GramOptions options;  ///< `memory` is for the results, too; `normalize` counts
  bool errors = false;  ///< whether bounds are written, too

  bool symmetric() const { return rows == graphs.size(); }
  std::size_t columns() const { return symmetric() ? rows : graphs.size() - rows; }
};

/// All that values depend on, by the option that it is given with: the version, the graphs by a checksum of what they hold, the
/// kernel and the options of the solve.
nlohmann::json identity_of(const MatrixRequest& request);

/// Throws where `now` is another request than `before`, of which `file` has the results: `Error` for other graphs or
/// another version, else `UsageError`. The message names what differs, and ends with `allowed`.
void require_same(const nlohmann::json& before, const nlohmann::json& now, const std::string& file,
                  const std::string& allowed);

}  // namespace octile::app::tiles
