// SPDX-License-Identifier: BSD-3-Clause
#include <octile/start.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include <octile/error.hpp>

namespace octile {
namespace {

constexpr std::string_view by_attribute = "attribute:";

std::vector<double> numbers_of(const Graph& graph, const std::string& attribute) {
  const auto found = graph.vertex_labels().find(attribute);
  if (found == graph.vertex_labels().end()) {
    throw Error(
        fmt::format("graph '{}' has no vertex attribute '{}', by which its walks start", graph.name(), attribute));
  }
  if (const auto* reals = std::get_if<std::vector<double>>(&found->second)) return *reals;
  if (const auto* integers = std::get_if<std::vector<std::int64_t>>(&found->second)) {
    return {integers->begin(), integers->end()};
  }
  throw Error(fmt::format("graph '{}': vertex attribute '{}' is {}; where walks start takes numbers", graph.name(),
                          attribute, column_type_name(found->second)));
}

/// The degrees times a power of two by which their sum is a normal number. What vanishes by it is next to nothing, and not isolated:
/// an isolated vertex has the least degree of the others.
std::vector<double> scaled_degrees(const Graph& graph, const Stopping& stopping) {
  double largest = stopping.meaning() == StoppingMeaning::weight ? stopping.q() : 0;
  for (const Edge& edge : graph.edges()) largest = std::max(largest, edge.weight);
  constexpr int most = 1000;  // powers of two that are numbers, and their reciprocals
  const double factor = largest > 0 ? std::ldexp(1.0, std::clamp(-std::ilogb(largest), -most, most)) : 1;
  std::vector<double> sums = graph.scaled(factor).weighted_degrees();
  for (const Edge& edge : graph.edges()) {
    for (const std::int32_t end : {edge.i, edge.j}) {
      double& sum = sums[static_cast<std::size_t>(end)];
      sum = std::max(sum, std::numeric_limits<double>::denorm_min());
    }
  }
  return stopping.degrees(std::move(sums), factor);
}

}  // namespace

Start Start::parse(std::string_view text) {
  if (text == "uniform") return {Kind::uniform};
  if (text == "ones") return {Kind::ones};
  if (text == "degree") return {Kind::degree};
  if (text.starts_with(by_attribute) && text.size() > by_attribute.size()) {
    return {Kind::attribute, std::string(text.substr(by_attribute.size()))};
  }
  throw Error(fmt::format("start '{}': allowed is uniform, ones, degree, or attribute:NAME", text));
}

void Start::apply_to(std::span<Graph> graphs, const Stopping& stopping) const {
  for (Graph& graph : graphs) {
    const auto count = static_cast<std::size_t>(graph.vertex_count());
    switch (kind) {
      case Kind::uniform: graph.set_starting_weights(std::vector<double>(count, 1.0 / graph.vertex_count())); break;
      case Kind::ones: graph.set_starting_weights(std::vector<double>(count, 1.0)); break;
      case Kind::degree: {
        std::vector<double> degrees = scaled_degrees(graph, stopping);
        const double sum = std::accumulate(degrees.begin(), degrees.end(), 0.0);
        // A share that is no normal number is none: no value that is believed has so small a part.
        for (double& degree : degrees) degree = degree < sum * std::numeric_limits<double>::min() ? 0 : degree / sum;
        graph.set_starting_weights(std::move(degrees));
        break;
      }
      case Kind::attribute: graph.set_starting_weights(numbers_of(graph, attribute)); break;
    }
  }
}

std::string Start::to_string() const {
  switch (kind) {
    case Kind::uniform: return "uniform";
    case Kind::ones: return "ones";
    case Kind::degree: return "degree";
    case Kind::attribute: break;
  }
  return fmt::format("{}{}", by_attribute, attribute);
}

}  // namespace octile
