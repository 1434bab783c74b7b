// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace octile {

/// How the edge kernel of a set reaches the solver (docs/lowering.md).
enum class Lowering : std::int32_t {
  automatic,    ///< the one that the cost model expects to be fastest
  closed_form,  ///< for constant kernels: eigenvalues of each graph, no iteration
  factored,     ///< κe as a short sum of products
  table,        ///< κe looked up in a table over all pairs of distinct labels
  on_the_fly,   ///< κe evaluated in every product
};

/// One entry of the list of lowerings.
struct LoweringInfo {
  Lowering lowering;             ///< which one; `automatic` is one too
  std::string_view name;         ///< as it is chosen on the command line
  std::string_view description;  ///< one line
};

/// The one list of lowerings, `automatic` first.
std::span<const LoweringInfo> lowerings();

/// "auto", "closed-form", "factored", "table" or "on-the-fly".
std::string_view lowering_name(Lowering lowering);

/// The lowering of that name. Throws `Error` that says what is allowed.
Lowering parse_lowering(std::string_view text);

/// Whether a lowering has its own product, so that no XMV primitive can be chosen with it.
constexpr bool has_own_product(Lowering lowering) {
  return lowering == Lowering::closed_form || lowering == Lowering::factored;
}

}  // namespace octile
