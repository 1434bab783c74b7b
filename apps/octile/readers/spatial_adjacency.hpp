// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <octile/graph.hpp>

#include "readers/periodic_cell.hpp"

namespace octile::app {

/// What the cutoff of two atoms is measured by.
enum class CutoffUnit {
  angstrom,  ///< it is a length, the same for all
  covalent,  ///< it is a factor of 3 sqrt(r_i r_j), of the elements' covalent radii
  vdw,       ///< the same with van der Waals radii
};

/// Which images of atoms in a periodic cell are joined.
enum class JoinedImages {
  none,     ///< the cell is taken as if it did not repeat
  nearest,  ///< of all images of two atoms, those that are nearest
  all,      ///< all nearer than the cutoff: the weights of one pair of atoms are added
};

/// The rule that joins places in space: two at a distance r < R, the cutoff, are joined with the weight
/// (1 - (r/R)^power)^decay, which falls from 1 to 0 at the cutoff (or is always 1 if the decay is 0); or, if there is a width, with
/// exp(-(r/R)^2 / (2 width^2)).
struct SpatialRule {
  double cutoff = 4.0;  ///< in its unit; finite, > 0
  double decay = 2.0;   ///< finite, >= 0
  double power = 1.0;   ///< finite, > 0
  double width = 0.0;   ///< finite, > 0; 0 if there is none
  CutoffUnit unit = CutoffUnit::angstrom;
  JoinedImages images = JoinedImages::nearest;

  /// The weight at r/R, which is below 1.
  double weight(double ratio) const;
  /// Reads a cutoff: "4", "covalent:1", "vdw:1". Throws `Error` that says what is allowed.
  void set_cutoff(std::string_view text);
  /// Reads the fall of the weight: "tent:N", "bell:A,B", "gaussian:S". Throws `Error` that says what is allowed.
  void set_adjacency(std::string_view text);
  /// Reads "none", "nearest" or "all". Throws `Error` that says what is allowed.
  void set_images(std::string_view text);

  /// The cutoff as a text that `set_cutoff` reads.
  std::string cutoff_text() const;
  /// The fall of the weight as a text that `set_adjacency` reads.
  std::string adjacency_text() const;
  /// The choice of images as a text that `set_images` reads.
  std::string_view images_text() const;
};

struct SpatialAdjacency {
  std::vector<Edge> edges;      ///< each once, i < j, in no particular order
  std::vector<double> lengths;  ///< Å, one an edge; of several images that of the nearest
};

/// The largest coordinate, and the most edges, that `spatial_adjacency` takes.
inline constexpr double largest_coordinate = 1e9;
inline constexpr std::size_t most_spatial_edges = std::size_t{1} << 25U;

/// Joins places by a rule, in a time linear in the numbers of places, of their images near the cell, and of edges. Places that coincide
/// are joined with weight 1 and length 0. `radii`, one a place in Å, are read if the cutoff is measured by them. An atom is not joined with
/// images of itself. Throws `Error` that names the place, the value and what is allowed, for a coordinate that is not finite or is beyond
/// `largest_coordinate`, for more edges than `most_spatial_edges`, and as `images_around` does.
SpatialAdjacency spatial_adjacency(std::span<const Place> places, const SpatialRule& rule,
                                   std::span<const double> radii = {},
                                   const std::optional<PeriodicCell>& cell = std::nullopt);

}  // namespace octile::app
