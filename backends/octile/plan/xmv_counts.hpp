// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/graphs/octile_size.hpp>
#include <octile/pairs/cost_model.hpp>
#include <octile/primitives.hpp>

#include <cstddef>

// Operations and moves of one product y = (A× ⊙ E×) x of a pair of n and m vertices: for our primitives, as counted by
// tests/backends/portable/test_traffic.cpp (table in docs/primitives.md), and by the paper's table. X operations an
// element make X n² m² operations for the n² m² elements of a product.
namespace octile::plan {

/// Moves between memories, in elements or in bytes (see traffic.hpp).
struct Moves {
  double global_loads = 0;
  double global_stores = 0;
  double shared_loads = 0;
  double shared_stores = 0;
  double exchanges = 0;
  bool operator==(const Moves&) const = default;

  Moves operator*(double factor) const {
    return {factor * global_loads, factor * global_stores, factor * shared_loads, factor * shared_stores,
            factor * exchanges};
  }
  Moves operator+(const Moves& other) const {
    return {global_loads + other.global_loads, global_stores + other.global_stores, shared_loads + other.shared_loads,
            shared_stores + other.shared_stores, exchanges + other.exchanges};
  }
};

/// Operations and bytes of one product.
struct XmvCounts {
  double operations = 0;
  Moves bytes{};

  /// Operations for each byte that is loaded from or stored to global memory.
  double global_intensity() const { return operations / (bytes.global_loads + bytes.global_stores); }
  /// Operations for each byte that is loaded from or stored to team scratch; infinite if a primitive keeps nothing there.
  double shared_intensity() const { return operations / (bytes.shared_loads + bytes.shared_stores); }
};

/// Moves of a dense primitive in elements, which have F bytes for weights, x and y, and E bytes for labels.
struct ElementMoves {
  Moves weights{};
  Moves labels{};
};

/// Exact moves of `shared_tiling`, `register_blocking` or `tiling_blocking` for sizes n and m that t and r divide. With
/// T(r) = n² m/t + n² m²/(r t): a tile of G is loaded once for each row of tiles of G', a tile of G' every time.
inline ElementMoves dense_moves(const Primitive& primitive, double n, double m) {
  const auto t = static_cast<double>(primitive.t);
  const auto r = static_cast<double>(primitive.r);
  const double all = n * n * m * m;
  const double outputs = n * m;
  const double block = all / (t * t);
  const auto tiles = [&](double width) { return n * n * m / t + all / (width * t); };
  switch (primitive.family) {
    case PrimitiveFamily::shared_tiling:
      return {{tiles(r) + block, outputs, all / r + 2 * all, tiles(r) + block, 0},
              {tiles(r), 0, all / r + all, tiles(r), 0}};
    case PrimitiveFamily::register_blocking:
      return {{tiles(r) + block, outputs, all, block, 0}, {tiles(r), 0, 0, 0, 0}};
    default:
      return {{tiles(t) + block, outputs, all / t + all / r, tiles(t), all},
              {tiles(t), 0, all / t + all / r, tiles(t), 0}};
  }
}

/// Operations and bytes of a dense primitive, n² m² X and `dense_moves`.
inline XmvCounts dense_counts(const Primitive& primitive, double n, double m, const ElementCost& element) {
  const ElementMoves moves = dense_moves(primitive, n, m);
  return {n * n * m * m * element.operations,
          moves.weights * element.scalar_bytes + moves.labels * element.label_bytes};
}

/// Our naive primitive, with `entries` non-zeros in `rows` compressed rows. Each product and sum loads a value, a
/// column of 4 bytes and an element of x; each row loads two bounds of 4 bytes.
inline XmvCounts naive_counts(double entries, double rows, double scalar_bytes) {
  return {2 * entries, {entries * (2 * scalar_bytes + 4) + rows * 8, rows * scalar_bytes, 0, 0, 0}};
}

/// Operations of a product of two octiles: X for each pair of elements. An octile taken as dense has 64 elements, else
/// its population.
inline double octile_operations(bool dense, bool dense_second, int population, int population_second, double x) {
  const auto elements = [](bool all, int set) { return static_cast<double>(all ? octile_area : set); };
  return elements(dense, population) * elements(dense_second, population_second) * x;
}

/// Counts by the paper's table, in bytes: the limit of many tiles a row. It leaves out the naive primitive's loads of x.
inline XmvCounts paper_counts(const Primitive& primitive, double n, double m, const ElementCost& element) {
  const auto t = static_cast<double>(primitive.t);
  const auto r = static_cast<double>(primitive.r);
  const double e = element.label_bytes;
  const double f = element.scalar_bytes;
  const double all = n * n * m * m;
  const double stores = n * m * f;
  const double operations = all * element.operations;
  switch (primitive.family) {
    case PrimitiveFamily::naive: return {2 * all, {all * f, stores, 0, 0, 0}};
    case PrimitiveFamily::shared_tiling: {
      const double staged = all * (t / r * e + (r + t) / r * f) / (t * t);
      return {operations, {staged, stores, all * ((r + 1) / r * e + (2 * r + 1) / r * f), staged, 0}};
    }
    case PrimitiveFamily::register_blocking:
      return {operations, {all * (t / r * e + (t + r) / r * f) / (t * t), stores, all * f, all * f / (t * t), 0}};
    default:
      return {operations,
              {all * (e + 2 * f) / (t * t), stores, all * (r + t) / (r * t) * (e + f), all * (e + f) / (t * t), 0}};
  }
}

/// The paper's arithmetic intensities, for large n and m.
struct PaperIntensity {
  double global = 0;
  double shared = 0;  ///< 0 if the paper gives none
};

inline PaperIntensity paper_intensity(const Primitive& primitive, const ElementCost& element) {
  const auto t = static_cast<double>(primitive.t);
  const auto r = static_cast<double>(primitive.r);
  const double e = element.label_bytes;
  const double f = element.scalar_bytes;
  const double x = element.operations;
  const double streamed = t * t * x / (t / r * e + (1 + t / r) * f);
  switch (primitive.family) {
    case PrimitiveFamily::naive: return {2 / f, 0};
    case PrimitiveFamily::shared_tiling: return {streamed, x / ((1 + 1 / r) * e + (2 + 1 / r) * f)};
    case PrimitiveFamily::register_blocking: return {streamed, x / ((1 + 1 / (t * t)) * f)};
    default: return {t * t * x / (e + 2 * f), x / ((1 / r + 1 / t) * (e + f))};
  }
}

}  // namespace octile::plan
