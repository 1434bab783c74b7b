// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <octile/backends.hpp>
#include <octile/graph.hpp>
#include <octile/problem.hpp>
#include <octile/solve.hpp>

/// Families of graphs on which a residual, a plain sum or a plain float says little about K. All have the labels of `labelled`.
namespace octile::test {

/// Some of the vertices have no edges; the weights of the others are multiplied by `scale`.
Graph with_isolated(double scale, std::uint64_t seed);

/// A light part beside a heavy one, and vertices without edges.
Graph light_and_heavy(double light, std::int32_t isolated, std::uint64_t seed);

/// Two dense parts that one edge of this weight joins.
Graph nearly_disconnected(double bridge, std::uint64_t seed);

/// Weights from 1e-6 to 1e6, evenly in their logarithm, with isolated vertices at the end.
Graph of_twelve_orders(std::int32_t connected, std::int32_t isolated, std::uint64_t seed);

/// Two atoms whose edge has the weight (1 − r/R)^decay.
Graph dimer(double share, int decay);

/// Complete graphs whose edges have more labels `length` in all than any table has, added to `offset`.
std::vector<Graph> far_labels(double offset);

/// A graph with all of its edges' labels `order` the same.
Graph of_one_order(std::string name, std::int32_t vertices, std::vector<Edge> edges);

/// Names a pair of a set on a backend, for the message of a test that fails.
std::string pair_name(const Backend& backend, const std::string& set, Pair pair);

/// The pairs as a backend solves them with a proven accuracy of 1e-6.
std::vector<PairResult> certified_results(const Backend& backend, const std::vector<Graph>& graphs,
                                          const KernelSpec& kernel, const std::vector<Pair>& pairs);

}  // namespace octile::test
