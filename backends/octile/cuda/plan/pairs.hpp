// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/cuda/plan/tier.hpp>
#include <octile/solve.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace octile::cuda {

/// Instructions, about, of a product with a graph's slices, for an element and for a row of the other graph.
struct SliceCosts {
  std::uint64_t element = 0;
  std::uint64_t row = 0;
};

/// What of a set decides where its pairs are solved.
struct SetSizes {
  std::vector<std::size_t> vertices;      ///< of each graph
  std::vector<std::size_t> row_elements;  ///< in its rows, padding counted
  std::vector<SliceCosts> costs;          ///< of slices; else all 0
  float largest_label = 0;                ///< of numbers as labels of edges
  double weight_spread = 1;               ///< of factors, the largest of a graph (`weight_spread`)
  std::size_t vertex_ids = 0;             ///< rows of the table that is κv; of no use where κv is none
  std::size_t vertex_label_bytes = 0;
};

/// Pairs of one tier, side by side in a launch.
struct Part {
  std::size_t tier = 0;
  std::size_t begin = 0;
  std::size_t count = 0;
  std::size_t shared_bytes = 0;  ///< the most that one of them takes
  Pair largest{};                ///< by its elements
};

/// Pairs as they are launched.
struct SortedPairs {
  std::vector<Part> parts;          ///< the largest tier first, none empty
  std::vector<Pair> oriented;       ///< in the order given, each with the graph first that is to be G
  std::vector<std::size_t> places;  ///< of each, its number in the order of launches
};

/// Which tier has which pair of a set, and what a launch of a tier takes.
class PairPlan {
 public:
  /// `tiers` stay the caller's. `chunk` is of factored products: vectors T of pairs whose vectors are in global memory.
  PairPlan(Product kind, std::span<const Tier> tiers, SetSizes sizes, std::size_t chunk, std::size_t most_shared);

  const SetSizes& set() const { return set_; }
  std::span<const Tier> tiers() const { return tiers_; }
  std::size_t vertices(std::int32_t graph) const { return set_.vertices[static_cast<std::size_t>(graph)]; }

  /// Of one of the pair's vectors; with padding, either way round.
  std::size_t elements(Pair pair) const;

  /// Bytes of shared memory that a tier takes for a pair, whether or not there are so many.
  std::size_t shared_bytes(const Tier& tier, Pair pair) const;

  /// Vectors that a block of a tier has in global memory, of CG and of the product, and how long they are for pairs up to `largest`.
  std::size_t vectors(const Tier& tier) const;
  std::size_t vector_length(const Tier& tier, Pair largest) const;

  /// A pair with its tier.
  struct Placed {
    Pair pair;
    std::size_t tier;
    std::size_t shared_bytes;
  };
  /// The first tier that takes a pair, the pair with its graphs swapped where that is better: K is symmetric.
  Placed place(Pair pair) const;

  /// All pairs by tier, and within a tier in the order given.
  SortedPairs sort(std::span<const Pair> pairs) const;

  /// Whether half of the graphs' pairs with themselves are in tiers that start from projected systems, and a quarter of the
  /// memory holds their solutions. Graphs of more than `most_based` vertices have no basis.
  bool has_use_for_starts(std::size_t memory, std::size_t most_based) const;

 private:
  ProductSizes sizes(Pair pair) const;
  bool better_swapped(Pair pair) const;
  std::optional<std::size_t> bytes_if_it_fits(const Tier& tier, Pair pair) const;
  Placed by_elements(Pair pair) const;
  Placed by_vertices(Pair pair) const;
  void add(Part& part, const Part& more) const;

  Product kind_;
  std::span<const Tier> tiers_;
  SetSizes set_;
  std::size_t chunk_;
  std::size_t most_shared_;
};

/// The pairs of graphs with themselves from whose x the bases of projected systems are made, costliest first, and where each graph's x
/// lies: one behind the other.
struct BasisPairs {
  std::vector<Pair> pairs;
  std::vector<std::uint32_t> graphs;  ///< those that have a basis
  std::vector<std::size_t> begins;    ///< of each graph of the set
  std::size_t length = 0;             ///< of all x
  std::size_t most_vertices = 0;

  BasisPairs(const SetSizes& set, std::size_t most_based);
};

}  // namespace octile::cuda
