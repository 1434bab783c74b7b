// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

#include <octile/graph.hpp>

namespace octile::app {

/// The graph of an object of node-link JSON, named by it or else `default_name`. Other formats with nodes, edges and
/// attributes by name are read by way of it. Throws `Error` that names the node or the edge, what was found and what is allowed.
Graph graph_of_node_link(const nlohmann::json& graph, const std::string& default_name);

}  // namespace octile::app
