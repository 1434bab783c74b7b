// SPDX-License-Identifier: BSD-3-Clause
#include "commands/hdf5_contents.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace octile::app {
namespace {

/// The places of pairs that did not converge. Those that only normalise others have none, and are counted in `elsewhere`.
std::vector<Hdf5Contents::PairStatus> places_of(std::span<const Unconverged> pairs, const Selection* selection,
                                                std::size_t& elsewhere) {
  std::vector<Hdf5Contents::PairStatus> places;
  if (selection != nullptr && selection->kind != Selection::Kind::rectangle) {
    std::map<std::pair<std::size_t, std::size_t>, Status> states;
    for (const Unconverged& pair : pairs) states[{pair.first, pair.second}] = pair.result.status;
    std::set<std::pair<std::size_t, std::size_t>> placed;
    for (std::size_t k = 0; k < selection->pairs.size(); ++k) {
      const auto [first, second] = selection->pairs[k];
      const auto found = states.find({static_cast<std::size_t>(first), static_cast<std::size_t>(second)});
      if (found == states.end()) continue;
      places.push_back({k, 0, found->second});
      placed.insert(found->first);
    }
    elsewhere += states.size() - placed.size();
    return places;
  }
  const std::size_t rows = selection != nullptr ? selection->shape[0] : 0;
  for (const Unconverged& pair : pairs) {
    if (rows > 0 && (pair.first >= rows || pair.second < rows)) {
      ++elsewhere;
      continue;
    }
    places.push_back({pair.first, pair.second - rows, pair.result.status});
    if (rows == 0 && pair.first != pair.second) places.push_back({pair.second, pair.first, pair.result.status});
  }
  return places;
}

Hdf5Contents contents_of(const DescribedMatrix& matrix, Hdf5Contents::Fill values, Hdf5Contents::Fill bounds) {
  std::size_t unlisted = matrix.summary->unlisted;
  std::vector<Hdf5Contents::PairStatus> places = places_of(matrix.summary->unconverged, matrix.selection, unlisted);
  return {matrix.document, matrix.shape, std::move(values), std::move(bounds), std::move(places), unlisted};
}

}  // namespace

Hdf5Contents hdf5_contents(const DescribedMatrix& matrix, const MatrixFiles& files) {
  const auto part = [&files](std::size_t number) {
    return [&files, number](const Window& window, std::span<double> numbers) { files.read(number, window, numbers); };
  };
  return contents_of(matrix, part(0), part(1));
}

Hdf5Contents hdf5_contents(const DescribedMatrix& matrix, std::span<const double> values,
                           std::span<const double> bounds) {
  const std::size_t columns = matrix.shape.size() == 1 ? 1 : matrix.shape[1];
  const auto part = [columns](std::span<const double> whole) {
    return [columns, whole](const Window& window, std::span<double> numbers) {
      for (std::size_t i = 0; i < window.rows; ++i) {
        std::ranges::copy(whole.subspan((window.row + i) * columns + window.column, window.columns),
                          numbers.subspan(i * window.columns).begin());
      }
    };
  };
  return contents_of(matrix, part(values), part(bounds));
}

}  // namespace octile::app
