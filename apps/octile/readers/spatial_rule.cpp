// SPDX-License-Identifier: BSD-3-Clause
#include <array>
#include <cmath>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include <octile/error.hpp>

#include "readers/spatial_adjacency.hpp"
#include "readers/text.hpp"

namespace octile::app {
namespace {

struct UnitName {
  CutoffUnit unit;
  std::string_view prefix;
};

constexpr std::array units = {UnitName{CutoffUnit::angstrom, ""}, UnitName{CutoffUnit::covalent, "covalent:"},
                              UnitName{CutoffUnit::vdw, "vdw:"}};

struct ImagesName {
  JoinedImages images;
  std::string_view name;
};

constexpr std::array images_names = {ImagesName{JoinedImages::none, "none"},
                                     ImagesName{JoinedImages::nearest, "nearest"},
                                     ImagesName{JoinedImages::all, "all"}};

/// The numbers of "name:1,2"; nothing unless the text begins so and has that many.
std::vector<double> numbers_after(std::string_view name, std::size_t count, std::string_view text) {
  if (!text.starts_with(name)) return {};
  text.remove_prefix(name.size());
  std::vector<double> numbers;
  for (std::size_t k = 0; k < count; ++k) {
    const std::size_t end = k + 1 < count ? text.find(',') : text.size();
    if (end == std::string_view::npos) return {};
    const std::optional<double> number = finite_number(trimmed(text.substr(0, end)));
    if (!number) return {};
    numbers.push_back(*number);
    text.remove_prefix(k + 1 < count ? end + 1 : end);
  }
  return numbers;
}

}  // namespace

double SpatialRule::weight(double ratio) const {
  if (width > 0) return std::exp(-ratio * ratio / (2 * width * width));
  return std::pow(1 - (power == 1 ? ratio : std::pow(ratio, power)), decay);
}

void SpatialRule::set_cutoff(std::string_view text) {
  for (const UnitName& named : units) {
    const std::vector<double> number = numbers_after(named.prefix, 1, text);
    if (number.empty() || number[0] <= 0) continue;
    cutoff = number[0];
    unit = named.unit;
    return;
  }
  throw Error(fmt::format(
      "{} is no cutoff; allowed is a finite number above 0, in Å, or covalent:ZOOM or vdw:ZOOM with such a number",
      in_quotes(text)));
}

void SpatialRule::set_adjacency(std::string_view text) {
  const std::vector<double> tent = numbers_after("tent:", 1, text);
  const std::vector<double> bell = numbers_after("bell:", 2, text);
  const std::vector<double> gaussian = numbers_after("gaussian:", 1, text);
  SpatialRule standard;
  if (!tent.empty() && tent[0] >= 0) {
    decay = tent[0];
    power = standard.power;
    width = 0;
  } else if (!bell.empty() && bell[0] > 0 && bell[1] >= 0) {
    power = bell[0];
    decay = bell[1];
    width = 0;
  } else if (!gaussian.empty() && gaussian[0] > 0) {
    width = gaussian[0];
  } else {
    throw Error(fmt::format(
        "{} is no adjacency; allowed is tent:N with N at least 0, bell:A,B with A above 0 and B at least 0, or "
        "gaussian:S with S above 0",
        in_quotes(text)));
  }
}

void SpatialRule::set_images(std::string_view text) {
  for (const ImagesName& named : images_names) {
    if (named.name != text) continue;
    images = named.images;
    return;
  }
  throw Error(fmt::format("{}: allowed is none, nearest or all", in_quotes(text)));
}

std::string SpatialRule::cutoff_text() const {
  for (const UnitName& named : units) {
    if (named.unit == unit) return fmt::format("{}{}", named.prefix, cutoff);
  }
  return {};
}

std::string SpatialRule::adjacency_text() const {
  if (width > 0) return fmt::format("gaussian:{}", width);
  return power == 1 ? fmt::format("tent:{}", decay) : fmt::format("bell:{},{}", power, decay);
}

std::string_view SpatialRule::images_text() const {
  for (const ImagesName& named : images_names) {
    if (named.images == images) return named.name;
  }
  return {};
}

}  // namespace octile::app
