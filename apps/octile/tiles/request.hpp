// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string>

#include <nlohmann/json_fwd.hpp>

#include <octile/gram.hpp>
#include <octile/graph.hpp>
#include <octile/problem.hpp>

#include "output/summary.hpp"

namespace octile::app {

/// A matrix that is asked for: K of the first `rows` graphs with the others, or where there are no others, with themselves.
struct MatrixRequest {
  std::span<const Graph> graphs;
  std::size_t rows = 0;
  const KernelSpec* kernel = nullptr;
  std::string start;                       ///< where walks start, in words
  GramOptions options;                     ///< `memory` is for the results, too, beside the graphs; `normalize` counts
  bool errors = false;                     ///< whether bounds are written, too
  Precision written = Precision::float64;  ///< of the values in a .npy file
  double read_seconds = 0;                 ///< that the graphs took

  bool symmetric() const { return rows == graphs.size(); }
  std::size_t columns() const { return symmetric() ? rows : graphs.size() - rows; }
};

/// All that values depend on, by the option that it is given with: the version, the graphs by a checksum of what they hold, the
/// kernel and the options of the solve.
nlohmann::json identity_of(const MatrixRequest& request);

/// What of an identity is known only when the set is prepared: the size of the tiles, and what the solver chose, on
/// which bits depend. It depends on the machine, and on the memory that is left.
inline constexpr const char* edge_key = "edge";
inline constexpr const char* choice_key = "the solver's choice";
inline constexpr std::array known_when_prepared = {edge_key, choice_key};

/// What the solver chose, in words, without what it predicts of the time and takes of the memory.
std::string choice_of(const SolveFacts& facts);
/// Adds what is known when the set is prepared: the size of the tiles, and what the solver chose.
void add_prepared(nlohmann::json& identity, std::size_t edge, const SolveFacts& facts);

/// Throws where `now` is another request than `before`, of which `file` has the results: `Error` for other graphs or
/// another version, else `UsageError`. The message names what differs, and ends with `allowed`.
void require_same(const nlohmann::json& before, const nlohmann::json& now, const std::string& file,
                  const std::string& allowed);

/// As `require_same`, where the set of `now` may not be prepared yet: what is known only then, and is missing, is left
/// for a later comparison.
void require_same_so_far(const nlohmann::json& before, nlohmann::json now, const std::string& file,
                         const std::string& allowed);

}  // namespace octile::app
