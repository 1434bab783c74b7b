// SPDX-License-Identifier: BSD-3-Clause
#include <octile/gram_operator.hpp>

#include <octile/error.hpp>
#include <octile/parallel.hpp>
#include <octile/unit_roundoff.hpp>

#include <algorithm>
#include <cmath>
#include <exception>
#include <limits>

#include <fmt/format.h>

namespace octile {
namespace {

/// Parts of a product that threads form side by side. Their number is fixed, so that sums have one order.
constexpr std::size_t parts_of_product = 16;

/// The work of a block of graphs: that of a tile is about the product of both.
std::vector<double> work_of_blocks(std::span<const Graph> graphs, std::size_t block) {
  std::vector<double> work((graphs.size() + block - 1) / block);
  for (std::size_t g = 0; g < graphs.size(); ++g) {
    work[g / block] += static_cast<double>(graphs[g].vertex_count()) + static_cast<double>(2 * graphs[g].edge_count());
  }
  return work;
}

/// The bound of a value that is rounded to float32.
double stored_bound(double value, double bound) {
  const auto stored = static_cast<float>(value);
  return stored == 0 && value == 0 ? bound
         : std::isnormal(stored)   ? bound + unit_roundoff_of<float> * (1 + bound)
                                   : std::numeric_limits<double>::infinity();
}

}  // namespace

GramOperator::GramOperator(const PreparedSet& set, const KernelSpec& kernel, const GramOperatorOptions& options,
                           const Communicator& ranks)
    : set_(set), kernel_(kernel), options_(options), ranks_(ranks) {
  if (options_.tile_size == 0 || options_.pairs_at_once == 0) {
    throw Error("a tile of no graphs, or no pair at once; allowed are 1 and more");
  }
  options_.tile_size = std::min(options_.tile_size, size());
  const bool single = options_.storage == Precision::float32;
  double unconverged = 0;
  const auto keep_values = [&](std::span<const Tile> tiles, const std::vector<Pair>& pairs) {
    const SetAnswer answer = set_.solve(kernel_, {.pairs = pairs, .normalize = options_.normalize});
    std::size_t k = 0;
    for (const Tile& tile : tiles) {
      const std::size_t width = tile.columns_end - tile.columns;
      const auto keep = [&](std::size_t place, double value) {
        single ? singles_[tile.begin + place] = static_cast<float>(value) : values_[tile.begin + place] = value;
      };
      for (std::size_t i = 0; i < tile.rows_end - tile.rows; ++i) {
        for (std::size_t j = tile.diagonal() ? i : 0; j < width; ++j, ++k) {
          keep(i * width + j, answer.values[k]);
          if (tile.diagonal()) keep(j * width + i, answer.values[k]);
          if (tile.diagonal() && i == j) diagonal_[tile.rows + i] = answer.values[k];
          if (answer.results[k].status != Status::converged) unconverged += 1;
          const double bound = answer.error_bounds[k];
          largest_error_ = std::max(largest_error_, single ? stored_bound(answer.values[k], bound) : bound);
        }
      }
    }
  };
  together([&] {
    tiles_ = own_tiles();
    const std::size_t count = tiles_.empty() ? 0 : tiles_.back().begin + tiles_.back().count();
    single ? singles_.resize(count) : values_.resize(count);
    diagonal_.resize(size());
    in_groups(keep_values);
  });
  ranks_.sum(diagonal_);
  ranks_.sum({&unconverged, 1});
  unconverged_ = static_cast<std::size_t>(unconverged);
  largest_error_ = ranks_.largest(largest_error_);
}

std::vector<GramOperator::Tile> GramOperator::own_tiles() const {
  const std::vector<double> work = work_of_blocks(set_.graphs(), options_.tile_size);
  struct Place {
    std::size_t row, column;
    double work;
  };
  std::vector<Place> places;
  for (std::size_t row = 0; row < work.size(); ++row) {
    for (std::size_t column = row; column < work.size(); ++column) {
      places.push_back({row, column, work[row] * work[column] * (row == column ? 0.5 : 1.0)});
    }
  }
  // The costliest first, each to whom has the least: all processes come to the same.
  std::ranges::stable_sort(places, std::ranges::greater(), &Place::work);
  std::vector<double> loads(ranks_.size());
  std::vector<Tile> own;
  std::size_t begin = 0;
  for (const Place& place : places) {
    const auto least = std::ranges::min_element(loads);
    *least += place.work;
    if (static_cast<std::size_t>(least - loads.begin()) != ranks_.rank()) continue;
    const auto end_of = [&](std::size_t block) { return std::min((block + 1) * options_.tile_size, size()); };
    own.push_back({place.row * options_.tile_size, end_of(place.row), place.column * options_.tile_size,
                   end_of(place.column), begin});
    begin += own.back().count();
  }
  return own;
}

void GramOperator::in_groups(const std::function<void(std::span<const Tile>, const std::vector<Pair>&)>& solve) const {
  std::vector<Pair> pairs;
  std::size_t first = 0;
  for (std::size_t t = 0; t < tiles_.size(); ++t) {
    const Tile& tile = tiles_[t];
    for (std::size_t i = tile.rows; i < tile.rows_end; ++i) {
      for (std::size_t j = tile.diagonal() ? i : tile.columns; j < tile.columns_end; ++j) {
        pairs.push_back({static_cast<std::int32_t>(i), static_cast<std::int32_t>(j)});
      }
    }
    const bool full = t + 1 == tiles_.size() || pairs.size() + tiles_[t + 1].count() > options_.pairs_at_once;
    if (!full) continue;
    solve(std::span(tiles_).subspan(first, t + 1 - first), pairs);
    pairs.clear();
    first = t + 1;
  }
}

void GramOperator::together(const std::function<void()>& part) const {
  std::exception_ptr failure;
  try {
    part();
  } catch (...) {
    failure = std::current_exception();
  }
  // The others would wait for this process in the next collective call.
  const double failed = ranks_.largest(failure ? static_cast<double>(ranks_.rank() + 1) : 0.0);
  if (failure) std::rethrow_exception(failure);
  if (failed > 0) throw Error(fmt::format("process {} of {} could not do its part", failed - 1, ranks_.size()));
}

void GramOperator::require_vectors(std::span<const double> v, std::size_t columns) const {
  if (columns > 0 && v.size() == size() * columns) return;
  throw Error(
      fmt::format("vectors of {} numbers in {} columns; allowed are {} numbers a column", v.size(), columns, size()));
}

template <class Value>
void GramOperator::multiply(const std::vector<Value>& values, const Tile& tile, std::span<const double> v,
                            std::size_t columns, std::span<double> product) const {
  const Value* value = values.data() + tile.begin;
  for (std::size_t i = tile.rows; i < tile.rows_end; ++i) {
    for (std::size_t j = tile.columns; j < tile.columns_end; ++j, ++value) {
      const auto k = static_cast<double>(*value);
      for (std::size_t c = 0; c < columns; ++c) product[i * columns + c] += k * v[j * columns + c];
      if (tile.diagonal()) continue;
      for (std::size_t c = 0; c < columns; ++c) product[j * columns + c] += k * v[i * columns + c];
    }
  }
}

std::vector<double> GramOperator::apply(std::span<const double> v, std::size_t columns) const {
  require_vectors(v, columns);
  const std::size_t each = std::max<std::size_t>((tiles_.size() + parts_of_product - 1) / parts_of_product, 1);
  std::vector<double> product;
  together([&] {
    std::vector<std::vector<double>> parts((tiles_.size() + each - 1) / each);
    in_parallel(tiles_.size(), each, [&](std::size_t begin, std::size_t end) {
      std::vector<double>& part = parts[begin / each];
      part.resize(v.size());
      for (std::size_t t = begin; t < end; ++t) {
        singles_.empty() ? multiply(values_, tiles_[t], v, columns, part)
                         : multiply(singles_, tiles_[t], v, columns, part);
      }
    });
    product.resize(v.size());
    for (const std::vector<double>& part : parts) {
      for (std::size_t k = 0; k < product.size(); ++k) product[k] += part[k];
    }
  });
  ranks_.sum(product);
  return product;
}

std::vector<double> GramOperator::bilinear_derivative(std::span<const double> left, std::span<const double> right,
                                                      std::size_t columns) const {
  require_vectors(left, columns);
  require_vectors(right, columns);
  std::vector<double> sums(parameters().size());
  const auto add = [&](std::span<const Tile>, const std::vector<Pair>& pairs) {
    std::vector<double> weights(pairs.size());
    for (std::size_t k = 0; k < pairs.size(); ++k) {
      const auto i = static_cast<std::size_t>(pairs[k].first) * columns;
      const auto j = static_cast<std::size_t>(pairs[k].second) * columns;
      for (std::size_t c = 0; c < columns; ++c) {
        weights[k] += left[i + c] * right[j + c];
        if (i != j) weights[k] += left[j + c] * right[i + c];
      }
    }
    const SetAnswer answer = set_.solve(
        kernel_,
        {.pairs = pairs, .normalize = options_.normalize, .derivatives = Derivatives::weighted, .weights = weights});
    const auto converged = [](const PairResult& result) { return result.status == Status::converged; };
    const auto own_converged = [&](const auto& own) { return converged(own.second); };
    if (!std::ranges::all_of(answer.results, converged) || !std::ranges::all_of(answer.own, own_converged)) {
      throw Error("the derivatives of some pairs did not converge; allowed are more iterations, or a larger accuracy");
    }
    for (std::size_t p = 0; p < sums.size(); ++p) sums[p] += answer.derivatives[p];
  };
  together([&] { in_groups(add); });
  ranks_.sum(sums);
  return sums;
}

std::vector<Parameter> GramOperator::parameters() const { return octile::parameters(kernel_); }

}  // namespace octile
