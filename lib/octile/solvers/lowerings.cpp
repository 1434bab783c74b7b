// SPDX-License-Identifier: BSD-3-Clause
#include <octile/lowerings.hpp>

#include <octile/error.hpp>

#include <algorithm>
#include <array>
#include <string>

#include <fmt/format.h>

namespace octile {
namespace {

constexpr std::array list{
    LoweringInfo{Lowering::automatic, "auto", "what the cost model expects to be fastest"},
    LoweringInfo{Lowering::closed_form, "closed-form", "constant kernels: eigenvalues of each graph, no iteration"},
    LoweringInfo{Lowering::factored, "factored", "the edge kernel as a short sum of products"},
    LoweringInfo{Lowering::table, "table", "the edge kernel of all pairs of distinct labels, looked up"},
    LoweringInfo{Lowering::on_the_fly, "on-the-fly", "the edge kernel evaluated in every product"},
};

}  // namespace

std::span<const LoweringInfo> lowerings() { return list; }

std::string_view lowering_name(Lowering lowering) {
  return std::ranges::find(list, lowering, &LoweringInfo::lowering)->name;
}

Lowering parse_lowering(std::string_view text) {
  const auto found = std::ranges::find(list, text, &LoweringInfo::name);
  if (found != list.end()) return found->lowering;
  std::string known;
  for (const LoweringInfo& entry : list) known += fmt::format("{}{}", known.empty() ? "" : ", ", entry.name);
  throw Error(fmt::format("lowering '{}' is unknown; allowed are {}", text, known));
}

}  // namespace octile
