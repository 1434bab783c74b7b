// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <octile/graph.hpp>
#include <octile/solve.hpp>

#include "data_set.hpp"

namespace octile::bench {

/// `count` graphs of n ≥ 2 vertices, equal on every machine:
///
///     nws   Newman-Watts-Strogatz: a ring, and from each of its edges a shortcut with probability 0.1
///     ba    Barabási-Albert: each vertex after the first joins 6 earlier ones (or all, if there are fewer), those that
///           have many neighbours more likely
///
/// Vertices have the attribute `label`, 0 to 3, edges `mark`, in [0, 1), as the sets of bench/prepare_data. Throws
/// `Error` for another family.
std::vector<Graph> synthetic_graphs(std::string_view family, int vertices, int count);

/// Octile rows of a `population_graph`, and its octiles.
inline constexpr int population_rows = 8;
inline constexpr int population_octiles = population_rows * (population_rows - 1);

/// A graph of 64 vertices whose octiles off the diagonal have `population` elements each, at random places. Octiles on
/// the diagonal are empty. Labels are as above. Equal on every machine for equal seeds.
Graph population_graph(int population, std::uint64_t seed);

/// The kernel of a kind of these sets: "labeled" or "vlabeled".
struct SyntheticKernel {
  const char* kind;
  const char* vertex;
  const char* edge;
};

/// Throws `Error` for another kind.
const SyntheticKernel& synthetic_kernel(std::string_view kind);

/// K of pairs of the set, by the reference backend, or for graphs of more than 32 vertices, whose dense matrices would
/// be too large, by the portable backend in float64, to 1e-10.
std::vector<ReferenceValue> synthetic_references(const std::vector<Graph>& graphs, const SyntheticKernel& kernel,
                                                 const std::string& q, const std::vector<Pair>& pairs);

/// Writes the sets "nws" and "ba" of `count` graphs into a folder, as bench/prepare_data would, with reference values.
void write_synthetic_sets(const std::string& folder, int vertices, int count);

}  // namespace octile::bench
