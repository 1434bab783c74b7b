// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace octile {

/// How an XMV primitive forms the off-diagonal product
///
///     y_ii' = Σ_jj' A_ij A'_i'j' κe(E_ij, E'_i'j') x_jj'
///
/// of a pair's system (paper, line 8 of its CG listing).
enum class PrimitiveFamily : std::int32_t {
  automatic,          ///< the fastest on the execution space
  naive,              ///< the product matrix is formed, kept, and multiplied (section III, appendix)
  shared_tiling,      ///< dense: t×r tiles in team scratch (III.A)
  register_blocking,  ///< dense: length-r chunks in registers (III.B)
  tiling_blocking,    ///< dense: t×t tiles in team scratch, length-r chunks in registers (III.C)
  dense_dense,        ///< octiles, both expanded (IV.B)
  dense_sparse,       ///< octiles, the fuller one expanded, the other by its bits (IV.B)
  sparse_sparse,      ///< octiles, the bits of both (IV.B)
  adaptive,           ///< octiles, one of the three above for each pair of tiles, by their populations (IV.B)
  rows,               ///< octiles, unstaged: a thread owns an element and walks the bits of two rows
  slices,             ///< no octiles: a warp holds edges of G' in registers and walks those of G (native CUDA)
};

/// The paper's last three optimizations (its figure of incremental speedups). The native products of octiles can do
/// without each, to measure its effect.
struct TileSteps {
  bool compact = true;  ///< only an octile's non-zero elements are stored; else ("expanded") all 64
  bool block = true;    ///< a large pair gets a block of many warps; else ("warp") every pair gets one warp
  bool dynamic = true;  ///< blocks claim pairs from a counter; else ("static") pairs are assigned beforehand
  bool operator==(const TileSteps&) const = default;  ///< the same three choices
};

/// A family with its parameters: tile height t, chunk or tile width r (dense families only).
struct Primitive {
  PrimitiveFamily family = PrimitiveFamily::automatic;  ///< how the product is formed
  std::int32_t t = 0;                                   ///< 4, 8, 16 or 24; 0 unless dense
  std::int32_t r = 0;                                   ///< 4, 8, 16 or 24; 0 unless dense
  TileSteps steps{};                                    ///< those that are on: all, unless some are left out

  /// The name on the command line: "sparse-sparse", "tiling-blocking:8,8", "adaptive:warp,static".
  std::string name() const;
  bool operator==(const Primitive&) const = default;  ///< same family, t, r and steps
};

/// One entry of the list of families.
struct PrimitiveInfo {
  PrimitiveFamily family;        ///< which one, never `automatic`
  std::string_view name;         ///< as it is chosen on the command line, such as "sparse-sparse"
  std::string_view description;  ///< one line
  bool dense;                    ///< takes t and r, and reads whole matrices
  bool single_only;              ///< exists in float32 only
  bool by_octiles;               ///< works octile by octile, so that fewer octiles mean less work
};

/// The entry of a family that is not `automatic`.
const PrimitiveInfo& primitive_info(PrimitiveFamily family);

/// The one list of families, without `automatic`.
std::span<const PrimitiveInfo> primitive_families();

/// Every primitive with every (t, r) that fits: t and r in {4, 8, 16, 24}; where registers hold chunks of a
/// tile (tiling-blocking), r divides t.
std::vector<Primitive> all_primitives();

/// Splits a list of names: "a, b:8,8,c:warp" is "a", "b:8,8" and "c:warp". Parts that begin with a digit, and words of
/// steps, belong to the name before them.
std::vector<std::string> split_names(std::string_view list);

/// Reads "auto", a family ("tiling-blocking" means t = r = 8), or a family with parameters: t and r ("tiling-blocking:16,8"),
/// or the words of steps to leave out ("dense-dense:expanded,warp,static"). Throws `Error` that says what is allowed.
Primitive parse_primitive(std::string_view text);

}  // namespace octile
