// SPDX-License-Identifier: BSD-3-Clause
#include <octile/gram_operator.hpp>

#include <octile/base/parallel.hpp>
#include <octile/base/unit_roundoff.hpp>
#include <octile/batch_runner.hpp>
#include <octile/block_solver.hpp>
#include <octile/certify/certificate.hpp>
#include <octile/certify/normalised.hpp>
#include <octile/certify/tile_product.hpp>
#include <octile/error.hpp>
#include <octile/interruption.hpp>
#include <octile/refinement.hpp>
#include <octile/set_solution.hpp>
#include <octile/weighted_solution.hpp>

#include <algorithm>
#include <cmath>
#include <exception>
#include <limits>
#include <numeric>
#include <utility>

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
  double unconverged = 0;
  together([&] {
    tiles_ = own_tiles();
    const std::size_t count = tiles_.empty() ? 0 : tiles_.back().begin + tiles_.back().count();
    options_.storage == Precision::float32 ? singles_.resize(count) : values_.resize(count);
    diagonal_.resize(size());
    if (!tiles_.empty()) unconverged = static_cast<double>(solve_tiles());
  });
  ranks_.sum(diagonal_);
  ranks_.sum({&unconverged, 1});
  unconverged_ = static_cast<std::size_t>(unconverged);
  largest_error_ = ranks_.largest(largest_error_);
}

std::vector<double> GramOperator::weights_of(std::span<const Pair> pairs, std::span<const double> left,
                                             std::span<const double> right, std::size_t columns) {
  constexpr std::size_t pairs_at_once = std::size_t(1) << 14;
  std::vector<double> weights(pairs.size());
  in_parallel(pairs.size(), pairs_at_once, [&](std::size_t begin, std::size_t end) {
    for (std::size_t k = begin; k < end; ++k) {
      const auto i = static_cast<std::size_t>(pairs[k].first) * columns;
      const auto j = static_cast<std::size_t>(pairs[k].second) * columns;
      double weight = 0;
      for (std::size_t c = 0; c < columns; ++c) {
        weight += left[i + c] * right[j + c];
        if (i != j) weight += left[j + c] * right[i + c];
      }
      weights[k] = weight;
    }
  });
  return weights;
}

std::vector<Pair> GramOperator::own_pairs() const {
  if (!options_.normalize) return {};
  std::vector<bool> wanted(size());
  for (const Tile& tile : tiles_) {
    for (std::size_t g = tile.rows; g < tile.rows_end; ++g) wanted[g] = true;
    for (std::size_t g = tile.columns; g < tile.columns_end; ++g) wanted[g] = true;
  }
  std::vector<Pair> pairs;
  for (std::size_t g = 0; g < size(); ++g) {
    if (wanted[g]) pairs.push_back({static_cast<std::int32_t>(g), static_cast<std::int32_t>(g)});
  }
  return pairs;
}

std::size_t GramOperator::solve_tiles() {
  BlockSolver solver(set_, kernel_, options_.normalize);
  const std::vector<Pair> own_list = own_pairs();
  std::vector<PairResult> results(own_list.size());
  solver.expect(own_list);
  for (const Tile& tile : tiles_) {
    const auto range = [](std::size_t begin, std::size_t end) {
      return GraphRange{static_cast<std::int32_t>(begin), static_cast<std::int32_t>(end)};
    };
    solver.expect(Block{range(tile.rows, tile.rows_end), range(tile.columns, tile.columns_end)});
  }
  solver.solve(own_list, results);
  std::vector<PairResult> own(options_.normalize ? size() : 0);
  for (std::size_t k = 0; k < own_list.size(); ++k) own[static_cast<std::size_t>(own_list[k].first)] = results[k];

  std::size_t unconverged = 0;
  in_groups([&](std::span<const Tile> tiles, const std::vector<Pair>& pairs) {
    results.resize(pairs.size());
    solver.solve(pairs, results);
    std::vector<std::size_t> begin{0};
    for (const Tile& tile : tiles) begin.push_back(begin.back() + tile.pairs());
    std::vector<Kept> of_tiles(tiles.size());
    in_parallel(tiles.size(), 1, [&](std::size_t from, std::size_t to) {
      for (std::size_t t = from; t < to; ++t) {
        of_tiles[t] = keep(tiles[t], std::span(results).subspan(begin[t], tiles[t].pairs()), own);
      }
    });
    for (const Kept& kept : of_tiles) {
      unconverged += kept.unconverged;
      largest_error_ = larger(largest_error_, kept.largest_error);
    }
  });
  return unconverged;
}

GramOperator::Kept GramOperator::keep(const Tile& tile, std::span<const PairResult> results,
                                      std::span<const PairResult> own) {
  const bool single = options_.storage == Precision::float32;
  const std::size_t width = tile.columns_end - tile.columns;
  const auto put = [&](std::size_t place, double value) {
    single ? singles_[tile.begin + place] = static_cast<float>(value) : values_[tile.begin + place] = value;
  };
  Kept kept;
  std::size_t k = 0;
  for (std::size_t i = 0; i < tile.rows_end - tile.rows; ++i) {
    for (std::size_t j = tile.diagonal() ? i : 0; j < width; ++j, ++k) {
      const Pair pair{static_cast<std::int32_t>(tile.rows + i), static_cast<std::int32_t>(tile.columns + j)};
      const PairResult found =
          options_.normalize ? normalised(pair, results[k], own[tile.rows + i], own[tile.columns + j]) : results[k];
      put(i * width + j, found.value);
      if (tile.diagonal()) put(j * width + i, found.value);
      if (tile.diagonal() && i == j) diagonal_[tile.rows + i] = found.value;
      if (found.status != Status::converged) ++kept.unconverged;
      const double bound = single ? stored_bound(found.value, found.error_bound) : found.error_bound;
      kept.largest_error = larger(kept.largest_error, bound);
    }
  }
  return kept;
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

void GramOperator::multiply(const Tile& tile, std::span<const Columns> v, std::span<Columns> products) const {
  for (std::size_t c = 0; c < v.size(); ++c) {
    const std::size_t width = v[c].width;
    const auto rows = [&](const std::vector<double>& values) { return values.data() + tile.rows * width; };
    const auto columns = [&](const std::vector<double>& values) { return values.data() + tile.columns * width; };
    std::vector<double>& product = products[c].values;
    const TileOperands operands{tile.rows_end - tile.rows,
                                tile.columns_end - tile.columns,
                                width,
                                rows(v[c].values),
                                columns(v[c].values),
                                product.data() + tile.rows * width,
                                tile.diagonal() ? nullptr : product.data() + tile.columns * width};
    singles_.empty() ? add_tile_products(values_.data() + tile.begin, operands)
                     : add_tile_products(singles_.data() + tile.begin, operands);
  }
}

std::vector<double> GramOperator::apply(std::span<const double> v, std::size_t columns) const {
  require_vectors(v, columns);
  const std::size_t each = std::max<std::size_t>((tiles_.size() + parts_of_product - 1) / parts_of_product, 1);
  std::vector<double> product(v.size());
  together([&] {
    std::vector<Columns> groups;
    for (std::size_t begin = 0; begin < columns; begin += groups.back().width) {
      const std::size_t width = columns_at_once(columns - begin);
      groups.push_back({begin, std::min(width, columns - begin), width, std::vector<double>(size() * width)});
      for (std::size_t i = 0; i < size(); ++i) {
        std::copy_n(v.begin() + static_cast<std::ptrdiff_t>(i * columns + begin), groups.back().count,
                    groups.back().values.begin() + static_cast<std::ptrdiff_t>(i * width));
      }
    }
    std::vector<std::vector<Columns>> parts((tiles_.size() + each - 1) / each);
    in_parallel(tiles_.size(), each, [&](std::size_t begin, std::size_t end) {
      std::vector<Columns>& part = parts[begin / each];
      for (const Columns& group : groups) {
        part.push_back({group.begin, group.count, group.width, std::vector<double>(group.values.size())});
      }
      for (std::size_t t = begin; t < end; ++t) multiply(tiles_[t], groups, part);
    });
    constexpr std::size_t graphs_at_once = 256;
    in_parallel(size(), graphs_at_once, [&](std::size_t begin, std::size_t end) {
      for (const std::vector<Columns>& part : parts) {
        for (const Columns& group : part) {
          for (std::size_t i = begin; i < end; ++i) {
            for (std::size_t c = 0; c < group.count; ++c) {
              product[i * columns + group.begin + c] += group.values[i * group.width + c];
            }
          }
        }
      }
    });
  });
  ranks_.sum(product);
  return product;
}

std::vector<double> GramOperator::bilinear_derivative(std::span<const double> left, std::span<const double> right,
                                                      std::size_t columns) const {
  require_vectors(left, columns);
  require_vectors(right, columns);
  std::vector<double> sums(parameters().size());
  together([&] {
    if (!tiles_.empty()) sums = own_derivative(left, right, columns);
  });
  ranks_.sum(sums);
  return sums;
}

std::vector<double> GramOperator::own_derivative(std::span<const double> left, std::span<const double> right,
                                                 std::size_t columns) const {
  const GramOptions options = options_of_derivatives(set_.options(), options_.normalize);
  const InterruptionScope interruption(options.on_prepare);
  const auto solver = make_gram_solver(set_.graphs(), kernel_, options, set_.cost(), Purpose::derivatives);
  BatchRunner runner(options.on_progress, set_.cost());
  WeightedSums sums(set_, *solver, runner, {.normalize = options_.normalize});
  const auto all_converged = [](std::span<const PairResult> results, std::span<const std::size_t> places) {
    return std::ranges::all_of(places, [&](std::size_t k) { return results[k].status == Status::converged; });
  };
  const auto solve = [&](std::span<const Pair> pairs, std::vector<std::size_t> places, const auto& add) {
    std::vector<PairResult> results(pairs.size());
    double work = 0;
    for (const std::size_t k : places) work += set_.cost()(pairs[k]);
    runner.expect(places.size(), work);
    add(places, results);
    if (!all_converged(results, places)) {
      throw Error("the derivatives of some pairs did not converge; allowed are more iterations, or a larger accuracy");
    }
  };
  const std::vector<Pair> own = own_pairs();
  std::vector<std::size_t> all(own.size());
  std::iota(all.begin(), all.end(), std::size_t(0));
  solve(own, all, [&](const std::vector<std::size_t>& places, std::span<PairResult> results) {
    sums.add_own(own, places, results);
  });
  in_groups([&](std::span<const Tile>, const std::vector<Pair>& pairs) {
    const std::vector<double> weights = weights_of(pairs, left, right, columns);
    std::vector<std::size_t> others;
    others.reserve(pairs.size());
    for (std::size_t k = 0; k < pairs.size(); ++k) {
      if (!options_.normalize || pairs[k].first != pairs[k].second) others.push_back(k);
    }
    solve(pairs, std::move(others), [&](const std::vector<std::size_t>& places, std::span<PairResult> results) {
      sums.add(pairs, places, weights, results);
    });
  });
  sums.finish();
  return sums.by_parameters();
}

std::vector<Parameter> GramOperator::parameters() const { return octile::parameters(kernel_); }

}  // namespace octile
