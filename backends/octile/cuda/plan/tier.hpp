// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/conjugate_gradient.hpp>

#include <Kokkos_Macros.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>

// Shapes of the native kernels, and the shared memory that they take. A *tier* is one shape with the pairs that it is for. All of
// it is plain host data; the kernels state the same of themselves, and kernels.cuh compares the two when it is compiled.
namespace octile::cuda {

/// Which products there are.
enum class Product { slices, octiles, factored };

/// Where a pair's vectors lie.
enum class VectorPlace {
  registers,    ///< p, a and what the product keeps in shared memory, the others in registers
  distributed,  ///< the product deals them (iterate/distributed.cuh): p in shared memory, x in global, z there or nearer
  shared,       ///< p and what the product keeps in shared memory, the others in global memory
  global,       ///< all in global memory
};

/// Vectors of a pair that lie in global memory: of diagonal, x, r, a and p the first so many; or room for x and z.
KOKKOS_INLINE_FUNCTION constexpr std::size_t vectors_in_global(VectorPlace place) {
  switch (place) {
    case VectorPlace::registers: return 0;
    case VectorPlace::distributed: return 2;
    case VectorPlace::shared: return 4;
    default: return 5;
  }
}

/// From row to row of a pair's vectors, for m columns. The factored product goes along columns too, and an odd pitch
/// keeps those in different banks; what is behind the last column is padding.
KOKKOS_INLINE_FUNCTION constexpr int row_pitch(Product kind, int m) { return kind == Product::factored ? m | 1 : m; }

/// Pieces of shared memory begin at multiples of 16 bytes.
KOKKOS_INLINE_FUNCTION constexpr std::size_t shared_piece(std::size_t bytes) { return (bytes + 15) / 16 * 16; }

/// Shared memory that a block may have on a GPU of compute capability 9.0 (H100, H200): what prices are for.
inline constexpr std::size_t hopper_shared_memory = 232448;

/// What of a pair decides how much shared memory a product takes: vertices, and elements in rows, padding counted.
struct ProductSizes {
  std::size_t n = 0;
  std::size_t m = 0;
  std::size_t entries = 0;
  std::size_t entries_second = 0;
};

/// Bytes of a copy of G's elements, each with all that belongs to it (`StagedOperands`).
KOKKOS_INLINE_FUNCTION constexpr std::size_t staged_elements(std::size_t count, std::size_t element_bytes) {
  return shared_piece(count * element_bytes);
}

/// The same in three arrays, of which the first has labels and columns (`SplitOperands`).
KOKKOS_INLINE_FUNCTION constexpr std::size_t split_elements(std::size_t count, std::size_t element_bytes) {
  return shared_piece(count * element_bytes) + 2 * shared_piece(count * sizeof(float));
}

/// Bytes of where the rows of n vertices begin and end.
KOKKOS_INLINE_FUNCTION constexpr std::size_t staged_rows(std::size_t n) {
  return shared_piece((n + 1) * sizeof(std::uint32_t));
}

/// Bytes of one T of the factored product for pairs of any size (`FactoredProduct`).
KOKKOS_INLINE_FUNCTION constexpr std::size_t factored_t(std::size_t n, std::size_t m) {
  return shared_piece((n | 1) * (m | 1) * sizeof(float));
}

/// Of a product along edges for so many rows (`StripProduct`): T, where fours of rows begin and end, and the ends of edges, two a word.
KOKKOS_INLINE_FUNCTION constexpr std::size_t strip_t(std::size_t rows) {
  return shared_piece(sizeof(float) * (rows + 1) * rows);
}
KOKKOS_INLINE_FUNCTION constexpr std::size_t strip_ranges(std::size_t rows) {
  return shared_piece(sizeof(std::uint32_t) * 2 * (rows / 4));
}
KOKKOS_INLINE_FUNCTION constexpr std::size_t strip_ends(std::size_t ends) {
  return shared_piece(sizeof(std::uint32_t) * (ends / 2));
}

/// Bytes of a pair's vertices (`StagedVertices`): d and p of each, and its label.
KOKKOS_INLINE_FUNCTION constexpr std::size_t staged_vertices(std::size_t label_bytes, std::size_t n, std::size_t m) {
  return shared_piece(2 * sizeof(double) * (n + m)) + shared_piece(label_bytes * (n + m));
}

/// Whether a solve copies its pair's vertices to shared memory. For the pairs of one warp that does not pay.
KOKKOS_INLINE_FUNCTION constexpr bool stages_vertices(VectorPlace place, int threads) {
  return place == VectorPlace::registers && threads > 32;
}

/// Shared memory that a product takes for a pair.
struct ProductMemory {
  enum class Form {
    fixed,         ///< whatever the pair
    slices,        ///< G's elements and rows; `unit`: bytes of an element
    split_slices,  ///< the same in three arrays; `unit`: bytes of a label and a column
    factored,      ///< T, `unit` times, and room to read past the last column of what lies last
    strips,        ///< ends of the edges of both graphs; `unit`: bytes of an end's factor
  };
  Form form = Form::fixed;
  std::size_t fixed = 0;  ///< bytes beside
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

/// A shape of a kernel: what it says of itself.
struct KernelShape {
  VectorPlace place = VectorPlace::global;
  int threads = 0;  ///< of a block, which has one pair
  int places = 0;   ///< elements of a thread; 0: as many as a pair has
  ProductMemory product;
  std::size_t solve_bytes = 0;  ///< shared memory beside the product's, whatever the pair,
  std::size_t id_bytes = 0;     ///< and a vertex id
  std::size_t rows = std::numeric_limits<std::size_t>::max();  ///< vertices that G and G' may have
  std::size_t columns = std::numeric_limits<std::size_t>::max();
  bool starts = false;  ///< from projected systems

  constexpr std::size_t most_elements() const {
    return places == 0 ? std::numeric_limits<std::size_t>::max() : std::size_t(threads) * std::size_t(places);
  }
  bool operator==(const KernelShape&) const = default;
};

/// A shape, and which of the pairs that fit it are for it.
struct Tier : KernelShape {
  double least_terms = 0;  ///< terms of the product an element, on average; of factors, ends a row of G and one of G'
  float most_label = std::numeric_limits<float>::infinity();
  double most_spread = std::numeric_limits<double>::infinity();  ///< of the weights of a graph (`weight_spread`)
};

/// What a block of `solve_pairs` has at the beginning of its shared memory (`SharedHead`): sums of warps, the number of a
/// claimed pair, bounds.
constexpr std::size_t shared_head_bytes() {
  constexpr std::size_t most_warps = 32;
  return 2 * most_warps * sizeof(TwoSums) + shared_piece(sizeof(int)) + most_warps * sizeof(Bounds<float>);
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

/// What a product that deals out the elements says of itself.
struct Distribution {
  int threads = 0;
  int places = 0;
  std::size_t rows = 0;
  std::size_t columns = 0;
  std::size_t p_floats = 0;     ///< room for p
  std::size_t z_floats = 0;     ///< and for z, or 0
  std::size_t label_bytes = 1;  ///< of what it keeps of the ids of G'
  ProductMemory product;
  bool starts = false;
};

/// From one id's row of d / κv to the next's, in pairs of floats: lanes of four columns by eight rows find them in different banks.
KOKKOS_INLINE_FUNCTION constexpr std::size_t share_pitch_of(std::size_t rows) { return rows + 4; }

/// Bytes of the vertices of one graph (`DistributedVertices`): d and 1 / d, 1 / d in double, the id.
constexpr std::size_t distributed_vertices(std::size_t count) {
  return shared_piece(count * (2 * sizeof(float) + sizeof(double) + sizeof(std::uint32_t)));
}

/// A shape of `solve_distributed`. In shared memory is
///
///     head │ bounds, a step length a warp │ vertices of G │ of G' │ ids of G' │ d / κv, a row an id │ p │ z │ what the product keeps
constexpr KernelShape distributed(const Distribution& product) {
  const auto warps = static_cast<std::size_t>(product.threads) / 32;
  const std::size_t sums = warps * (sizeof(Bounds<float>) + sizeof(float)) + sizeof(float);
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

}  // namespace octile::cuda
