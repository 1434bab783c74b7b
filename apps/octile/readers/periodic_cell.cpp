// SPDX-License-Identifier: BSD-3-Clause
#include "readers/periodic_cell.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <octile/error.hpp>

namespace octile::app {
namespace {

double dot(const Place& a, const Place& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

Place cross(const Place& a, const Place& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

double norm(const Place& a) { return std::sqrt(dot(a, a)); }

Place times(const Place& a, double factor) { return {a[0] * factor, a[1] * factor, a[2] * factor}; }

/// A unit vector at right angles to a vector that is not 0.
Place normal_of(const Place& a) {
  const auto least = std::ranges::min_element(a, {}, [](double value) { return std::abs(value); }) - a.begin();
  Place axis = {};
  axis[static_cast<std::size_t>(least)] = 1;
  const Place normal = cross(a, axis);
  return times(normal, 1 / norm(normal));
}

/// The vectors of the cell, with unit vectors at right angles to the periodic ones instead of those that do not repeat.
std::array<Place, 3> basis_of(const PeriodicCell& cell) {
  std::array<Place, 3> basis = cell.vectors;
  for (std::size_t k = 0; k < 3; ++k) {
    if (cell.periodic[k]) continue;
    const std::size_t next = (k + 1) % 3;
    const std::size_t last = (k + 2) % 3;
    if (cell.periodic[next] && cell.periodic[last]) {
      const Place normal = cross(basis[next], basis[last]);
      basis[k] = times(normal, 1 / norm(normal));
    } else if (cell.periodic[next] || cell.periodic[last]) {
      const Place along = basis[cell.periodic[next] ? next : last];
      // Two vectors do not repeat. The one behind the periodic vector is found first, and the other is normal to both.
      const Place first = normal_of(along);
      const Place second = cross(along, first);
      basis[k] = cell.periodic[last] ? first : times(second, 1 / norm(second));
    }
  }
  return basis;
}

/// A periodic vector of the cell, as copies are made along it.
struct CellAxis {
  Place vector;
  Place dual;     ///< its product with a position is the coordinate along the vector
  double margin;  ///< of that coordinate, within which places are near the cell
};

std::vector<CellAxis> axes_of(const PeriodicCell& cell, double reach) {
  // Flatter cells are meant otherwise, or have lost too many digits.
  constexpr double flattest = 1e-6;
  constexpr double rounding = 1e-9;
  for (std::size_t k = 0; k < 3; ++k) {
    if (!cell.periodic[k]) continue;
    const double length = norm(cell.vectors[k]);
    // Written so that NaN is refused too.
    if (length > 0 && length <= 1e9) continue;
    throw Error(
        fmt::format("the length of cell vector {} is {:g} Å; allowed is one above 0, of at most 1e9", k + 1, length));
  }
  const std::array<Place, 3> basis = basis_of(cell);
  const double volume = dot(basis[0], cross(basis[1], basis[2]));
  if (!(std::abs(volume) > flattest * norm(basis[0]) * norm(basis[1]) * norm(basis[2]))) {
    throw Error("the vectors of the cell lie in one plane; allowed are three that span a volume");
  }
  std::vector<CellAxis> axes;
  for (std::size_t k = 0; k < 3; ++k) {
    if (!cell.periodic[k]) continue;
    const Place dual = times(cross(basis[(k + 1) % 3], basis[(k + 2) % 3]), 1 / volume);
    axes.push_back({basis[k], dual, reach * norm(dual) * (1 + rounding) + rounding});
  }
  return axes;
}

void shift_by(Place& place, const Place& vector, double factor) {
  for (std::size_t axis = 0; axis < 3; ++axis) place[axis] += factor * vector[axis];
}

}  // namespace

Images images_around(std::span<const Place> places, const PeriodicCell& cell, double reach) {
  Images images;
  images.places.assign(places.begin(), places.end());
  for (std::size_t k = 0; k < places.size(); ++k) images.owners.push_back(static_cast<std::int32_t>(k));
  const std::vector<CellAxis> axes = axes_of(cell, reach);
  double copies = static_cast<double>(places.size());
  for (const CellAxis& axis : axes) copies *= 1 + 2 * axis.margin;
  if (!(copies <= static_cast<double>(most_images))) {
    throw Error(fmt::format("the cell is so small that {:.3g} atoms are nearer to it than the cutoff; allowed are {}",
                            copies, most_images));
  }
  for (const CellAxis& axis : axes) {
    for (Place& place : images.places) shift_by(place, axis.vector, -std::floor(dot(place, axis.dual)));
    const std::size_t count = images.places.size();
    for (std::size_t k = 0; k < count; ++k) {
      const double coordinate = dot(images.places[k], axis.dual);
      const double first = std::ceil(-axis.margin - coordinate);
      const double last = std::floor(1 + axis.margin - coordinate);
      for (double shift = first; shift <= last; ++shift) {
        if (shift == 0) continue;
        Place copy = images.places[k];
        shift_by(copy, axis.vector, shift);
        images.places.push_back(copy);
        images.owners.push_back(images.owners[k]);
      }
    }
  }
  return images;
}

}  // namespace octile::app
