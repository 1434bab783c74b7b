// SPDX-License-Identifier: BSD-3-Clause
#include <octile/primitives.hpp>

#include <octile/error.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

#include <fmt/format.h>

namespace octile {
namespace {

using Family = PrimitiveFamily;

// clang-format off
constexpr std::array families{
    PrimitiveInfo{Family::naive,             "naive",             "the product matrix formed and kept, Kokkos Kernels' spmv", false, false, false},
    PrimitiveInfo{Family::shared_tiling,     "shared-tiling",     "dense, t x r tiles in team scratch",                       true, false, false},
    PrimitiveInfo{Family::register_blocking, "register-blocking", "dense, length-r chunks in registers",                      true, false, false},
    PrimitiveInfo{Family::tiling_blocking,   "tiling-blocking",   "dense, t x t tiles in scratch, length-r chunks of them in registers", true, false, false},
    PrimitiveInfo{Family::dense_dense,       "dense-dense",       "octiles, both taken as dense",                             false, false, true},
    PrimitiveInfo{Family::dense_sparse,      "dense-sparse",      "octiles, the fuller one as dense, the bits of the other",  false, false, true},
    PrimitiveInfo{Family::sparse_sparse,     "sparse-sparse",     "octiles, the bits of both",                                false, false, true},
    PrimitiveInfo{Family::adaptive,          "adaptive",          "octiles, one of these three for each pair of tiles by population", false, false, true},
    PrimitiveInfo{Family::rows,              "rows",              "octiles, unstaged, a thread walks the bits of two rows",   false, false, false},
    PrimitiveInfo{Family::slices,            "slices",            "rows of G against edges of G' held in registers",          false, true, false},
};
// clang-format on

constexpr std::array sizes{4, 8, 16, 24};

bool fits(Family family, int t, int r) {
  const auto known = [](int size) { return std::ranges::find(sizes, size) != sizes.end(); };
  return known(t) && known(r) && (family != Family::tiling_blocking || t % r == 0);
}

std::optional<int> number(std::string_view text) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace

const PrimitiveInfo& primitive_info(Family family) {
  return *std::ranges::find(families, family, &PrimitiveInfo::family);
}

std::string Primitive::name() const {
  if (family == Family::automatic) return "auto";
  const PrimitiveInfo& entry = primitive_info(family);
  return entry.dense ? fmt::format("{}:{},{}", entry.name, t, r) : std::string(entry.name);
}

std::span<const PrimitiveInfo> primitive_families() { return families; }

std::vector<Primitive> all_primitives() {
  std::vector<Primitive> all;
  for (const PrimitiveInfo& entry : families) {
    if (!entry.dense) {
      all.push_back({entry.family});
      continue;
    }
    for (const int t : sizes) {
      for (const int r : sizes) {
        if (fits(entry.family, t, r)) all.push_back({entry.family, t, r});
      }
    }
  }
  return all;
}

Primitive parse_primitive(std::string_view text) {
  if (text == "auto") return {};
  const std::size_t colon = text.find(':');
  const auto found = std::ranges::find(families, text.substr(0, colon), &PrimitiveInfo::name);
  if (found == families.end()) {
    std::string known = "auto";
    for (const PrimitiveInfo& entry : families) known += fmt::format(", {}{}", entry.name, entry.dense ? "[:t,r]" : "");
    throw Error(fmt::format("primitive '{}' is unknown; allowed are {}", text, known));
  }
  if (!found->dense) {
    if (colon != std::string_view::npos) {
      throw Error(fmt::format("primitive '{}': '{}' takes no parameters", text, found->name));
    }
    return {found->family};
  }
  if (colon == std::string_view::npos) return {found->family, 8, 8};
  const std::string_view parameters = text.substr(colon + 1);
  const std::size_t comma = parameters.find(',');
  const std::optional<int> t = number(parameters.substr(0, comma));
  const std::optional<int> r = comma == std::string_view::npos ? std::nullopt : number(parameters.substr(comma + 1));
  if (!t || !r || !fits(found->family, *t, *r)) {
    throw Error(fmt::format("primitive '{}': allowed are t and r in 4, 8, 16, 24{}, such as {}:8,8", text,
                            found->family == Family::tiling_blocking ? " with r a divisor of t" : "", found->name));
  }
  return {found->family, *t, *r};
}

}  // namespace octile
