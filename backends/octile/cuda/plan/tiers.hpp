// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/cuda/plan/tier.hpp>
#include <octile/pairs/prices.hpp>

#include <array>
#include <cstddef>

// The tiers of each product. A pair goes to the first tier that takes it. typed/kernels.cuh and paper/kernels.cuh have a kernel for each, in this order.
namespace octile::cuda {

/// Vertices of a graph that the tiers of dense factored products take. A graph larger than the last is not laid out for them.
inline constexpr std::array<std::size_t, 3> factored_sizes{32, 64, 96};
/// The most vertices of a graph that the product of one factor along edges takes (`StripProduct`).
inline constexpr std::size_t most_in_strips = 128;

/// The largest stored label (`FastSquareExponential`) with which the exponent may be split (`NearSquareExponential`).
inline constexpr float largest_near_label = 1.5F;

/// The product of one factor along edges (`StripProduct`), for up to 32 · `columns` vertices.
constexpr Distribution strips(int warps, int columns, bool constant_weights) {
  const std::size_t rows = std::size_t{32} * static_cast<std::size_t>(columns);
  Distribution product;
  product.threads = 32 * warps;
  product.places = static_cast<int>(rows * rows) / product.threads;
  product.rows = product.columns = rows;
  product.p_floats = (rows + 1) * rows;
  product.product = {ProductMemory::Form::strips, strip_t(rows) + strip_ranges(rows),
                     constant_weights ? 0 : sizeof(float)};
  return product;
}

/// Half-precision numbers of a matrix of 16 · `tiles` rows (`DenseShape`). Eight rows of 16 bytes lie in different banks.
constexpr std::size_t dense_numbers(int tiles) {
  const std::size_t rows = std::size_t{16} * static_cast<std::size_t>(tiles);
  return rows * (rows + 8);
}

/// What dense products of pairs of up to 16 `tiles` vertices a side have in common. `matrices` are those that it keeps in half precision.
constexpr Distribution dense_of(int tiles, int warps, std::size_t matrices) {
  constexpr std::size_t half_precision = 2;
  Distribution product;
  product.threads = 32 * warps;
  product.places = 8 * tiles * tiles / warps;
  product.rows = product.columns = std::size_t{16} * static_cast<std::size_t>(tiles);
  product.p_floats = dense_numbers(tiles);
  product.label_bytes = product.columns;
  product.product = {ProductMemory::Form::fixed, matrices * half_precision * dense_numbers(tiles), 0};
  return product;
}

/// The dense product of one factor and constant weights (`DenseProduct`). Half of z lies in registers.
constexpr Distribution dense(int tiles) {
  Distribution product = dense_of(tiles, tiles, 1);
  product.z_floats = std::size_t(product.places - product.places / 8 * 4) * std::size_t(product.threads);
  return product;
}

/// The sum of dense products of several factors (`DenseSumProduct`). It keeps the matrices of two factors, two for each graph.
constexpr Distribution dense_sum(int tiles) {
  Distribution product = dense_of(tiles, 2 * tiles, 8);
  product.starts = true;
  return product;
}

/// Slices of the largest pairs (`SliceProduct`). `element_bytes` is the size of a label and a column.
constexpr Distribution distributed_slices(int warps, int rounds, int columns, std::size_t element_bytes) {
  Distribution product;
  product.threads = 32 * warps;
  product.places = rounds * columns;
  product.rows = static_cast<std::size_t>(warps) * static_cast<std::size_t>(rounds);
  product.columns = std::size_t{32} * static_cast<std::size_t>(columns);
  product.p_floats = product.rows * product.columns;
  product.product = {ProductMemory::Form::split_slices, shared_piece(sizeof(float) * product.p_floats), element_bytes};
  product.starts = true;
  return product;
}

/// Concatenates arrays of tiers.
template <std::size_t... Counts>
constexpr auto joined(const std::array<Tier, Counts>&... lists) {
  std::array<Tier, (Counts + ...)> all{};
  std::size_t next = 0;
  const auto append = [&](const auto& list) {
    for (const Tier& tier : list) all[next++] = tier;
  };
  (append(lists), ...);
  return all;
}

/// How slices solve the largest pairs that fit on chip.
enum class LargestSlices {
  in_registers,      ///< vectors in registers: for vertex kernels that are compile-time types, not tables
  distributed,       ///< by `SliceProduct`
  distributed_near,  ///< by `SliceProduct`, with `NearSquareExponential` if labels are small
};

/// Tiers of slices. `of_product` is the shared memory of their product, `element_bytes` the size of a label and a column.
template <LargestSlices Largest>
constexpr auto slice_tiers(const ProductMemory& of_product, [[maybe_unused]] std::size_t element_bytes) {
  const auto tier = [&](int threads, int places, double least_terms = 0) {
    return Tier{in_registers(threads, places, of_product), least_terms};
  };
  const std::array first{tier(32, 8),
                         tier(32, 12),
                         tier(32, 16),
                         tier(64, 12),
                         tier(64, 16),
                         tier(128, 12),
                         tier(128, 16),
                         tier(256, 12),
                         tier(256, 16),
                         tier(512, 12),
                         tier(1024, 9, many_terms)};
  const std::array last{tier(512, 18), Tier{in_memory(VectorPlace::shared, 1024, of_product)},
                        Tier{in_memory(VectorPlace::global, 1024, of_product)}};
  if constexpr (Largest == LargestSlices::in_registers) {
    return joined(first, last);
  } else {
    const Tier any_label{distributed(distributed_slices(8, 12, 3, element_bytes))};
    if constexpr (Largest == LargestSlices::distributed) {
      return joined(first, std::array{any_label}, last);
    } else {
      Tier near = any_label;
      near.most_label = largest_near_label;
      return joined(first, std::array{near, any_label}, last);
    }
  }
}

/// Tiers of the products of octiles: a block a pair, or a warp a pair (one of the paper's steps). A warp keeps `warp_bytes`.
template <bool Block>
constexpr auto octile_tiers(std::size_t warp_bytes) {
  const auto of_warps = [&](int threads) {
    return ProductMemory{ProductMemory::Form::fixed, warp_bytes * static_cast<std::size_t>(threads / 32), 0};
  };
  if constexpr (Block) {
    return std::array{Tier{in_registers(64, 16, of_warps(64))}, Tier{in_registers(512, 18, of_warps(512))},
                      Tier{in_memory(VectorPlace::global, 1024, of_warps(1024))}};
  } else {
    return std::array{Tier{in_registers(32, 16, of_warps(32))}, Tier{in_memory(VectorPlace::global, 32, of_warps(32))}};
  }
}

/// The largest ratio of two weights of a graph for which matrices of two halves are exact enough. Halves have an absolute smallest
/// spacing, so the relative error of a light edge grows with this ratio. The residual is formed by the same matrices and does not show
/// it: values were off by 1e-5 at a ratio of 1e3, by 0.7 at 1e8, and never above 1e-5 at 1e2 (tests/backends/test_hard.cpp).
inline constexpr double most_spread_in_halves = 64;

/// Shared memory of the factored product for pairs of any size.
constexpr ProductMemory factored_memory(int chunk) {
  return {ProductMemory::Form::factored, 3 * 32 * sizeof(float), static_cast<std::size_t>(chunk)};
}

/// Tiers of the factored products, of which `Chunk` factors are taken at once. ConstantWeights: there is one factor, and in each graph
/// all edges have the same weight and factor.
template <int Chunk, bool ConstantWeights>
constexpr auto factored_tiers() {
  const std::array any_size{Tier{in_memory(VectorPlace::shared, 1024, factored_memory(Chunk))},
                            Tier{in_memory(VectorPlace::global, 1024, factored_memory(Chunk))}};
  const auto strip = [](int warps, int columns) { return Tier{distributed(strips(warps, columns, ConstantWeights))}; };
  if constexpr (Chunk > 1) {
    static_assert(dense_sum(2).rows == factored_sizes[0] && dense_sum(4).rows == factored_sizes[1] &&
                  dense_sum(6).rows == factored_sizes[2]);
    const auto sum = [](int tiles) {
      Tier tier{distributed(dense_sum(tiles))};
      tier.most_spread = most_spread_in_halves;
      return tier;
    };
    return joined(std::array{sum(2), sum(4), sum(6)}, any_size);
  } else if constexpr (ConstantWeights) {
    const auto matrices = [](int tiles) {
      Tier tier{distributed(dense(tiles)), dense_ends};
      tier.proves = true;
      return tier;
    };
    return joined(std::array{strip(4, 1), matrices(3), matrices(4), matrices(5), matrices(6), strip(8, 2), strip(8, 3),
                             strip(16, 4)},
                  any_size);
  } else {
    return joined(std::array{strip(4, 1), strip(8, 2), strip(8, 3), strip(16, 4)}, any_size);
  }
}

}  // namespace octile::cuda
