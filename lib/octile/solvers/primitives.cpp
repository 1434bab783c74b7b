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

/// The word by which a user leaves out a step.
struct StepWord {
  std::string_view word;
  bool TileSteps::*step;
};
constexpr std::array step_words{StepWord{"expanded", &TileSteps::compact}, StepWord{"warp", &TileSteps::block},
                                StepWord{"static", &TileSteps::dynamic}};
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

bool is_step(std::string_view word) { return std::ranges::find(step_words, word, &StepWord::word) != step_words.end(); }

/// The part of the list before its first comma.
std::string_view first_of(std::string_view list) { return list.substr(0, list.find(',')); }

/// Returns the part before the first comma and removes it from the list.
std::string_view next_of(std::string_view& list) {
  const std::string_view first = first_of(list);
  list.remove_prefix(std::min(first.size() + 1, list.size()));
  return first;
}

/// Reads "t,r" from the front of `left`, which is a part of `text`. Returns whether more follows.
bool parse_sizes(std::string_view text, std::string_view& left, const PrimitiveInfo& family, Primitive& primitive) {
  const std::optional<int> t = number(next_of(left));
  const bool more = left.find(',') != std::string_view::npos;
  const std::optional<int> r = number(next_of(left));
  if (!t || !r || !fits(family.family, *t, *r)) {
    throw Error(fmt::format("primitive '{}': allowed are t and r in 4, 8, 16, 24{}, such as {}:8,8", text,
                            family.family == Family::tiling_blocking ? " with r a divisor of t" : "", family.name));
  }
  primitive.t = *t;
  primitive.r = *r;
  return more;
}

}  // namespace

const PrimitiveInfo& primitive_info(Family family) {
  return *std::ranges::find(families, family, &PrimitiveInfo::family);
}

std::string Primitive::name() const {
  if (family == Family::automatic) return "auto";
  const PrimitiveInfo& entry = primitive_info(family);
  std::string name(entry.name);
  if (entry.dense) name += fmt::format(":{},{}", t, r);
  char separator = entry.dense ? ',' : ':';
  for (const auto& [word, step] : step_words) {
    if (steps.*step) continue;
    name += fmt::format("{}{}", separator, word);
    separator = ',';
  }
  return name;
}

std::span<const PrimitiveInfo> primitive_families() { return families; }

std::vector<std::string> split_names(std::string_view list) {
  std::vector<std::string> names;
  while (!list.empty()) {
    std::string_view part = next_of(list);
    while (part.starts_with(' ')) part.remove_prefix(1);
    while (part.ends_with(' ')) part.remove_suffix(1);
    const bool parameter = is_step(part) || (!part.empty() && part.front() >= '0' && part.front() <= '9');
    if (parameter && !names.empty()) {
      names.back() += fmt::format(",{}", part);
    } else {
      names.emplace_back(part);
    }
  }
  return names;
}

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
  Primitive primitive{found->family};
  if (found->dense) primitive.t = primitive.r = 8;
  if (colon == std::string_view::npos) return primitive;
  std::string_view left = text.substr(colon + 1);
  bool more = true;
  if (found->dense && !is_step(first_of(left))) more = parse_sizes(text, left, *found, primitive);
  if (!more) return primitive;
  if (!found->by_octiles && found->family != Family::tiling_blocking) {
    throw Error(
        fmt::format("primitive '{}': '{}' takes no {}parameters", text, found->name, found->dense ? "such " : ""));
  }
  while (more) {
    more = left.find(',') != std::string_view::npos;
    const std::string_view word = next_of(left);
    const auto step = std::ranges::find(step_words, word, &StepWord::word);
    if (step == step_words.end()) {
      throw Error(
          fmt::format("primitive '{}': '{}' is no step to go without; allowed are expanded, warp, static", text, word));
    }
    primitive.steps.*(step->step) = false;
  }
  return primitive;
}

}  // namespace octile
