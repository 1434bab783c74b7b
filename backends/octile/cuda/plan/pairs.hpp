// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/cuda/plan/tier.hpp>
#include <octile/solve.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace octile::cuda {

/// The approximate instructions of a product with a graph's slices, for each element and for each row of the other graph.
struct SliceCosts {
  std::uint64_t element = 0;
  std::uint64_t row = 0;
};

/// More vertex ids than any shared memory holds numbers of: for pairs that each have a table of their own (`VertexTable`).
inline constexpr std::size_t too_many_ids = std::size_t(1) << 32;

/// The sizes of a set that decide which tiers its pairs go to.
struct SetSizes {
  std::vector<std::size_t> vertices;      ///< of each graph
  std::vector<std::size_t> row_elements;  ///< of each graph: elements in its rows, with padding
  std::vector<SliceCosts> costs;          ///< of each graph's slices; 0 for other products
  float largest_label = 0;                ///< the largest edge label if labels are numbers
  double weight_spread = 1;               ///< the largest `weight_spread` of a graph
  std::size_t vertex_ids = 0;             ///< rows of the table of κv, or `too_many_ids`; unused if κv is a type
  std::size_t vertex_label_bytes = 0;
};

/// The pairs of one tier, which are consecutive and solved by one launch.
struct Part {
  std::size_t tier = 0;
  std::size_t begin = 0;
  std::size_t count = 0;
  std::size_t shared_bytes = 0;  ///< shared memory of the pair that takes the most
  Pair largest{};                ///< the pair with the most elements
};

/// Pairs in the order of their launches.
struct SortedPairs {
  std::vector<Part> parts;          ///< the largest tier first, none empty
  std::vector<Pair> oriented;       ///< in the given order; the first graph of each pair is G
  std::vector<std::size_t> places;  ///< the number of each in the order of launches
};

/// How long a list of pairs is: its pairs, and their unknowns.
struct ListRoom {
  std::size_t pairs = 0;
  std::size_t unknowns = 0;

  /// For either of two lists.
  ListRoom with(const ListRoom& other) const {
    return {std::max(pairs, other.pairs), std::max(unknowns, other.unknowns)};
  }
};

/// Assigns the pairs of a set to tiers, and says what memory the launch of a tier takes.
class PairPlan {
 public:
  /// `tiers` must outlive the plan. `chunk`: the vectors T that a factored product has where vectors are in global memory. For a device of so many
  /// `multiprocessors` tiers with few pairs are joined (`join_tiers`); 0: none.
  PairPlan(Product kind, std::span<const Tier> tiers, SetSizes sizes, std::size_t chunk, std::size_t most_shared,
           std::size_t multiprocessors = 0);

  const SetSizes& set() const { return set_; }
  /// Which tiers are joined to which, for a description: "7 to 10, 9 to 10", or nothing.
  std::string joined() const;
  std::span<const Tier> tiers() const { return tiers_; }
  std::size_t vertices(std::int32_t graph) const { return set_.vertices[static_cast<std::size_t>(graph)]; }

  /// The elements of one of the pair's vectors, with padding; the same if its graphs are swapped.
  std::size_t elements(Pair pair) const;

  /// Bytes of shared memory that a tier takes for a pair; may be more than the device has.
  std::size_t shared_bytes(const Tier& tier, Pair pair, Systems systems = Systems::one) const;

  /// How many vectors of CG and of the product a block has in global memory, and their length for pairs up to `largest`.
  std::size_t vectors(const Tier& tier) const;
  std::size_t vector_length(const Tier& tier, Pair largest) const;

  /// A pair, perhaps swapped, with its tier.
  struct Placed {
    Pair pair;
    std::size_t tier;
    std::size_t shared_bytes;
  };
  /// The first tier that takes a pair. The pair's graphs are swapped if that is cheaper, since K is symmetric.
  Placed place(Pair pair, Systems systems = Systems::one) const;

  /// All pairs sorted by tier, and within a tier in the given order.
  SortedPairs sort(std::span<const Pair> pairs, Systems systems = Systems::one) const;

  /// Cuts a list into lists that follow each other, each as long as `most` allows; a pair with more unknowns than that is one by itself.
  std::vector<ListRoom> lists_of(std::span<const Pair> pairs, const ListRoom& most) const;

  /// Whether projected systems pay: at least half of the graphs, paired with themselves, must be in tiers with starts or with proofs by them,
  /// and the solutions of these pairs must fit a quarter of the memory. Graphs of more than `most_based` vertices have no basis.
  bool has_use_for_starts(std::size_t memory, std::size_t most_based) const;
  /// Whether there are tiers whose pairs start from projected systems, or only such as may be proven by them.
  bool starts_solves() const { return std::ranges::any_of(tiers_, &Tier::starts); }
  /// Whether the largest graph, paired with itself, has its vectors in shared or global memory.
  bool largest_in_memory() const;
  /// Whether the product is a sum over factors, of which an iteration takes longer than a start.
  bool sums_factors() const { return kind_ == Product::factored; }

 private:
  ProductSizes sizes(Pair pair) const;
  bool better_swapped(Pair pair) const;
  std::optional<std::size_t> bytes_if_it_fits(const Tier& tier, Pair pair, Systems systems) const;
  void join_tiers(std::size_t multiprocessors);
  std::optional<std::size_t> bytes_if_taken(const Tier& tier, Pair pair, Systems systems) const;
  Placed by_elements(Pair pair, Systems systems) const;
  Placed by_vertices(Pair pair, Systems systems) const;
  void add(Part& part, const Part& more) const;

  Product kind_;
  std::span<const Tier> tiers_;
  SetSizes set_;
  std::size_t chunk_;
  std::size_t most_shared_;
  std::vector<std::size_t> joined_;  ///< of each tier, the one whose kernel its pairs go to: itself or a larger one
};

/// The pairs of graphs with themselves, whose x gives the bases of projected systems, costliest first.
struct BasisPairs {
  std::vector<Pair> pairs;
  std::vector<std::uint32_t> graphs;  ///< those that have a basis
  std::size_t length = 0;             ///< of all x together
  std::size_t most_vertices = 0;

  BasisPairs(const SetSizes& set, std::size_t most_based);
};

}  // namespace octile::cuda
