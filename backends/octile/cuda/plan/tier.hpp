// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/pairs/conjugate_gradient.hpp>

#include <Kokkos_Macros.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>

// Shapes of the native kernels, and the shared memory that they take. A *tier* is a shape and the conditions on its pairs. All
// this is plain host data. The kernels' types imply the same shapes, and typed/kernels.cuh compares the two at compile time.
namespace octile::cuda {

/// The kinds of products.
enum class Product { slices, octiles, factored };

/// What a kernel solves of each pair: one of its systems, or both.
enum class Systems { one, both };

/// Where a pair's vectors lie.
enum class VectorPlace {
  registers,    ///< p, a and the product's data in shared memory, the others in registers
  distributed,  ///< by the product (iterate/distributed.cuh): p in shared memory, x in global, z in global or on chip
  shared,       ///< p and the product's data in shared memory, the others in global memory
  global,       ///< all in global memory
};

/// How many vectors of a pair lie in global memory: the first ones of diagonal, x, r, a, p; or, if distributed, x, z and b.
KOKKOS_INLINE_FUNCTION constexpr std::size_t vectors_in_global(VectorPlace place) {
  switch (place) {
    case VectorPlace::registers: return 0;
    case VectorPlace::distributed: return 3;
    case VectorPlace::shared: return 4;
    default: return 5;
  }
}

/// The row pitch of a pair's vectors, for m columns. The factored product accesses columns too. An odd pitch puts the
/// elements of a column into different banks; elements past the last column are padding.
KOKKOS_INLINE_FUNCTION constexpr int row_pitch(Product kind, int m) { return kind == Product::factored ? m | 1 : m; }

/// Rounds up to 16 bytes, the alignment of all parts of shared memory.
KOKKOS_INLINE_FUNCTION constexpr std::size_t shared_piece(std::size_t bytes) { return (bytes + 15) / 16 * 16; }

/// Bytes of shared memory that a block may have on GPUs of compute capability 9.0 (H100, H200), for which prices are measured.
inline constexpr std::size_t hopper_shared_memory = 232448;

/// The sizes of a pair that decide how much shared memory a product takes: vertices, and elements in rows with padding.
struct ProductSizes {
  std::size_t n = 0;
  std::size_t m = 0;
  std::size_t entries = 0;
  std::size_t entries_second = 0;
};

/// Bytes of a copy of G's elements as an array of structures (`StagedOperands`).
KOKKOS_INLINE_FUNCTION constexpr std::size_t staged_elements(std::size_t count, std::size_t element_bytes) {
  return shared_piece(count * element_bytes);
}

/// Bytes of a copy of G's elements in three arrays, of which the first has labels and columns (`SplitOperands`).
KOKKOS_INLINE_FUNCTION constexpr std::size_t split_elements(std::size_t count, std::size_t element_bytes) {
  return shared_piece(count * element_bytes) + 2 * shared_piece(count * sizeof(float));
}

/// Bytes of the offsets of the rows of n vertices.
KOKKOS_INLINE_FUNCTION constexpr std::size_t staged_rows(std::size_t n) {
  return shared_piece((n + 1) * sizeof(std::uint32_t));
}

/// Bytes of one T of the factored product for pairs of any size (`FactoredProduct`).
KOKKOS_INLINE_FUNCTION constexpr std::size_t factored_t(std::size_t n, std::size_t m) {
  return shared_piece((n | 1) * (m | 1) * sizeof(float));
}

/// Bytes of `StripProduct`: of T for `rows` rows, of the offsets of groups of four rows, and of the ends of edges, two a word.
KOKKOS_INLINE_FUNCTION constexpr std::size_t strip_t(std::size_t rows) {
  return shared_piece(sizeof(float) * (rows + 1) * rows);
}
KOKKOS_INLINE_FUNCTION constexpr std::size_t strip_ranges(std::size_t rows) {
  return shared_piece(sizeof(std::uint32_t) * 2 * (rows / 4));
}
KOKKOS_INLINE_FUNCTION constexpr std::size_t strip_ends(std::size_t ends) {
  return shared_piece(sizeof(std::uint32_t) * (ends / 2));
}

/// Bytes of a pair's vertices (`StagedVertices`): degree, starting probability and label of each.
KOKKOS_INLINE_FUNCTION constexpr std::size_t staged_vertices(std::size_t label_bytes, std::size_t n, std::size_t m) {
  return 2 * shared_piece(sizeof(double) * (n + m)) + shared_piece(label_bytes * (n + m));
}

/// Whether a solve copies its pair's vertices to shared memory. For the pairs of one warp that does not pay.
KOKKOS_INLINE_FUNCTION constexpr bool stages_vertices(VectorPlace place, int threads) {
  return place == VectorPlace::registers && threads > 32;
}

/// Shared memory that a product takes for a pair.
struct ProductMemory {
  enum class Form {
    fixed,         ///< the same for all pairs
    slices,        ///< G's elements and rows; `unit`: bytes of an element
    split_slices,  ///< as `slices`, with elements in three arrays; `unit`: bytes of a label and a column
    factored,      ///< `unit` vectors T, and `fixed` to allow reads past the last column
    strips,        ///< ends of the edges of both graphs; `unit`: bytes of an end's factor
  };
  Form form = Form::fixed;
  std::size_t fixed = 0;  ///< bytes that do not depend on the pair
  std::size_t unit = 0;

  constexpr std::size_t bytes(const ProductSizes& pair) const {
    switch (form) {
      case Form::slices: return fixed + staged_elements(pair.entries, unit) + staged_rows(pair.n);
      case Form::split_slices: return fixed + split_elements(pair.entries, unit) + staged_rows(pair.n);
      case Form::factored: return fixed + unit * factored_t(pair.n, pair.m);
      case Form::strips: {
        const std::size_t ends = pair.entries + pair.entries_second;
        return fixed + strip_ends(ends) + shared_piece(unit * ends);
      }
      default: return fixed;
    }
  }
  bool operator==(const ProductMemory&) const = default;
};

/// The shape of a kernel.
struct KernelShape {
  VectorPlace place = VectorPlace::global;
  int threads = 0;  ///< of a block, which solves one pair at a time
  int places = 0;   ///< elements of a thread; 0: as many as a pair has
  ProductMemory product;
  std::size_t solve_bytes = 0;  ///< shared memory besides the product's, the same for all pairs
  std::size_t id_bytes = 0;     ///< further shared memory for each vertex id
  std::size_t rows = std::numeric_limits<std::size_t>::max();  ///< vertices that G and G' may have
  std::size_t columns = std::numeric_limits<std::size_t>::max();
  bool starts = false;  ///< whether pairs start from projected systems

  constexpr std::size_t most_elements() const {
    return places == 0 ? std::numeric_limits<std::size_t>::max() : std::size_t(threads) * std::size_t(places);
  }
  bool operator==(const KernelShape&) const = default;
};

/// A shape, and limits on the pairs that are solved with it.
struct Tier : KernelShape {
  double least_terms = 0;  ///< mean terms of the product for an element; for factors, mean degree of G plus that of G'
  float most_label = std::numeric_limits<float>::infinity();
  double most_spread = std::numeric_limits<double>::infinity();  ///< of the weights of a graph (`weight_spread`)
  /// Whether projected systems may prove values of pairs that do not start from them, since an iteration is as quick as a start.
  bool proves = false;

  /// Whether the graphs of its pairs have bases.
  constexpr bool based() const { return starts || proves; }
};

/// Bytes of `SharedHead`, with which a block's shared memory begins: sums of warps, the number of the claimed pair, its table of κv
/// and two scales, bounds. Follows its layout, since the plan is compiled without CUDA.
constexpr std::size_t shared_head_bytes() {
  constexpr std::size_t most_warps = 32;
  return most_warps * (2 * sizeof(TwoSums) + sizeof(double)) + shared_piece(4 * sizeof(double)) +
         most_warps * sizeof(Bounds<float>);
}

/// A shape of `solve_pairs` with vectors in registers.
constexpr KernelShape in_registers(int threads, int places, const ProductMemory& product) {
  KernelShape shape;
  shape.place = VectorPlace::registers;
  shape.threads = threads;
  shape.places = places;
  shape.product = product;
  shape.solve_bytes = shared_head_bytes();
  return shape;
}

/// A shape of `solve_pairs` for pairs of any size, with vectors in shared or global memory.
constexpr KernelShape in_memory(VectorPlace place, int threads, const ProductMemory& product) {
  KernelShape shape = in_registers(threads, 0, product);
  shape.place = place;
  return shape;
}

/// The properties of a product that distributes the elements of vectors over threads.
struct Distribution {
  int threads = 0;
  int places = 0;
  std::size_t rows = 0;
  std::size_t columns = 0;
  std::size_t p_floats = 0;     ///< floats of p in shared memory
  std::size_t z_floats = 0;     ///< floats of z in shared memory; 0 if z is elsewhere
  std::size_t label_bytes = 1;  ///< bytes of the product's copy of the vertex ids of G'
  ProductMemory product;
  bool starts = false;
};

/// Pitch of the rows of d / κv, in pairs of floats. With it, lanes that cover four columns and eight rows read different banks.
KOKKOS_INLINE_FUNCTION constexpr std::size_t share_pitch_of(std::size_t rows) { return rows + 4; }

/// Bytes of the vertices of one graph (`DistributedVertices`): d and 1 / d in float, 1 / d in double, the id.
constexpr std::size_t distributed_vertices(std::size_t count) {
  return shared_piece(count * (2 * sizeof(float) + sizeof(double) + sizeof(std::uint32_t)));
}

/// A shape of `solve_distributed`. Its shared memory is laid out as
///
///     head │ bounds, α and what is seen, one a warp │ vertices of G │ of G' │ ids of G' │ d / κv, a row for each id │ p │ z │ the product's memory
constexpr KernelShape distributed(const Distribution& product) {
  const auto warps = static_cast<std::size_t>(product.threads) / 32;
  const std::size_t sums = warps * (sizeof(Bounds<float>) + sizeof(float) + sizeof(unsigned)) + 3 * sizeof(float);
  KernelShape shape;
  shape.place = VectorPlace::distributed;
  shape.threads = product.threads;
  shape.places = product.places;
  shape.product = product.product;
  shape.solve_bytes = shared_head_bytes() + shared_piece(sums) + distributed_vertices(product.rows) +
                      distributed_vertices(product.columns) + shared_piece(product.label_bytes) +
                      shared_piece(sizeof(float) * product.p_floats) + shared_piece(sizeof(float) * product.z_floats);
  shape.id_bytes = 2 * sizeof(float) * share_pitch_of(product.rows);
  shape.rows = product.rows;
  shape.columns = product.columns;
  shape.starts = product.starts;
  return shape;
}

/// Whether the kernel that solves both systems of a tier's pairs has them side by side, with the tier's threads and elements of a thread, and not
/// one behind the other in the memory of one.
constexpr bool solves_at_once(const Tier& tier) { return tier.place == VectorPlace::registers; }
/// Bytes of shared memory that the kernel for both systems takes for a pair that takes `bytes` for one: two numbers at
/// each place of p and of N p.
constexpr std::size_t bytes_of_both(const Tier& tier, std::size_t bytes) {
  return bytes + 2 * sizeof(float) * tier.most_elements();
}

}  // namespace octile::cuda
