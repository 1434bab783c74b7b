// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/graph.hpp>

#include <cstddef>
#include <string>
#include <vector>

/// The first molecules of a table in CSV that have a number in the column `target`, with that number as their target.
std::vector<octile::Graph> read_molecules(const std::string& path, const std::string& target, std::size_t most);
