// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include <octile/graph.hpp>

namespace octile::app {

/// Makes label types consistent over a set whose graphs were read one by one. An attribute
/// that is integer in some graphs and real in others becomes real; one whose lists
/// are all empty takes the type of the others' lists; a graph without edges gets
/// the (empty) edge columns that the others have.
void unify_labels(std::vector<Graph>& graphs);

}  // namespace octile::app
