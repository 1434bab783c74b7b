// SPDX-License-Identifier: BSD-3-Clause
#include "tiles/result_memory.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include <octile/base/bytes.hpp>
#include <octile/error.hpp>

#include "readers/text.hpp"

namespace octile::app {
namespace {

/// The bytes of a piece of memory: a multiple of 16 with a word of the allocator, 32 at least.
std::size_t on_the_heap(std::size_t bytes) {
  constexpr std::size_t step = 16;
  if (bytes == 0) return 0;
  return std::max(2 * step, (bytes + sizeof(std::size_t) + step - 1) / step * step);
}

std::size_t beside_object(const std::string& text) {
  return text.capacity() <= std::string().capacity() ? 0 : on_the_heap(text.capacity() + 1);
}

template <class Number>
requires std::is_arithmetic_v<Number> || std::is_same_v<Number, Edge> std::size_t beside_object(
    const std::vector<Number>& numbers) {
  return on_the_heap(numbers.capacity() * sizeof(Number));
}

template <class Element>
std::size_t beside_object(const std::vector<Element>& elements) {
  std::size_t bytes = on_the_heap(elements.capacity() * sizeof(Element));
  for (const Element& element : elements) bytes += beside_object(element);
  return bytes;
}

/// The heap memory of a map by names. The head of each of its nodes has four words.
template <class Map, class BesideValue>
std::size_t beside_map(const Map& map, const BesideValue& beside_value) {
  std::size_t bytes = 0;
  for (const auto& entry : map) {
    bytes += on_the_heap(4 * sizeof(void*) + sizeof(entry)) + beside_object(entry.first) + beside_value(entry.second);
  }
  return bytes;
}

std::size_t beside_columns(const LabelColumns& columns) {
  return beside_map(columns, [](const LabelColumn& column) {
    return std::visit([](const auto& values) { return beside_object(values); }, column);
  });
}

/// The bytes that graphs take as they were read, with what the allocator adds to each piece of them.
std::size_t bytes_of_graphs(std::span<const Graph> graphs) {
  std::size_t bytes = 0;
  for (const Graph& graph : graphs) {
    bytes += sizeof(Graph) + beside_object(graph.name()) + beside_object(graph.edges()) +
             beside_columns(graph.vertex_labels()) + beside_columns(graph.edge_labels()) +
             on_the_heap(graph.starting_probability().size_bytes()) +
             beside_map(graph.targets(), [](double) { return std::size_t(0); });
  }
  return bytes;
}

/// Beside its result each pair has its numbers and its work, by which the pairs are ordered.
constexpr double bytes_of_pair = sizeof(PairResult) + sizeof(Pair) + sizeof(double);

/// In floating point, since the numbers of a set that is far too large do not fit into 64 bits.
std::string in_words(double bytes) {
  constexpr double most = 0x1p62;
  return bytes < most ? format_bytes(static_cast<std::size_t>(bytes)) : fmt::format("{:.1e} B", bytes);
}

/// The bytes of a whole matrix and its pairs.
struct MatrixBytes {
  MatrixBytes(std::size_t graphs, const ResultKinds& kinds) {
    const auto count = static_cast<double>(graphs);
    const auto derivatives = static_cast<double>(kinds.parameters);
    pairs = count * (count + 1) / 2 * (bytes_of_pair + derivatives * sizeof(double));
    matrix = count * count * sizeof(double);
    copies = matrix * ((kinds.errors ? 1 : 0) + derivatives);
  }
  double kept() const { return pairs + matrix; }
  double all() const { return kept() + copies; }

  double pairs;
  double matrix;
  double copies;
};

double bytes_of_list(std::size_t pairs, const ResultKinds& kinds) {
  // The list twice, the order of its places, and of each pair the result, the value, its bound, and its derivatives with a copy.
  constexpr double bytes = 2 * sizeof(Pair) + sizeof(std::size_t) + sizeof(PairResult) + 2 * sizeof(double);
  return static_cast<double>(pairs) * (bytes + 2 * static_cast<double>(kinds.parameters) * sizeof(double));
}

}  // namespace

std::size_t memory_beside_graphs(std::span<const Graph> graphs, bool reordered, std::size_t memory) {
  const std::size_t bytes = bytes_of_graphs(graphs) * (reordered ? 2 : 1);
  if (bytes < memory) return memory - bytes;
  throw Error(fmt::format("{} as read take {}{}; --memory allows {}", counted(graphs.size(), "graph"),
                          format_bytes(bytes), reordered ? ", with their copies in another order" : "",
                          format_bytes(memory)));
}

std::size_t memory_beside_results(std::size_t graphs, const ResultKinds& kinds, std::size_t memory) {
  const MatrixBytes bytes(graphs, kinds);
  if (bytes.all() < static_cast<double>(memory)) return memory - static_cast<std::size_t>(bytes.kept());
  throw Error(fmt::format(
      "the results of {} take {}: the pairs {}, the matrix {}, what else is written {}; --memory leaves {} for them",
      counted(graphs, "graph"), in_words(bytes.all()), in_words(bytes.pairs), in_words(bytes.matrix),
      in_words(bytes.copies), format_bytes(memory)));
}

std::size_t memory_beside_pairs(std::size_t pairs, const ResultKinds& kinds, std::size_t memory) {
  const double kept = bytes_of_list(pairs, kinds);
  if (kept < static_cast<double>(memory)) return memory - static_cast<std::size_t>(kept);
  throw Error(fmt::format("the results of {} take {}; --memory leaves {} for them", counted(pairs, "pair"),
                          in_words(kept), format_bytes(memory)));
}

bool results_are_small(std::size_t graphs, std::optional<std::size_t> pairs, const ResultKinds& kinds,
                       std::size_t memory) {
  const double bytes = pairs ? bytes_of_list(*pairs, kinds) : MatrixBytes(graphs, kinds).all();
  return bytes <= static_cast<double>(memory) / 2;
}

std::size_t memory_beside_tile(std::size_t graphs, bool normalized, std::size_t tile, std::size_t memory) {
  const std::size_t own = normalized ? graphs * (2 * sizeof(PairResult) + sizeof(Pair)) : 0;
  if (tile + own < memory) return memory - tile - own;
  throw Error(fmt::format("the results of {} take {} in tiles; --memory leaves {} for them", counted(graphs, "graph"),
                          format_bytes(tile + own), format_bytes(memory)));
}

void check_pair(const Graph& first, const Graph& second, const KernelSpec& kernel, std::size_t memory) {
  const auto unknowns =
      static_cast<std::uint64_t>(first.vertex_count()) * static_cast<std::uint64_t>(second.vertex_count());
  const auto name = [&] {
    return fmt::format("the pair of {} and {}, of {} and {} vertices,", in_quotes(first.name()),
                       in_quotes(second.name()), with_commas(static_cast<std::size_t>(first.vertex_count())),
                       with_commas(static_cast<std::size_t>(second.vertex_count())));
  };
  constexpr std::uint64_t most = std::numeric_limits<std::int32_t>::max();
  if (unknowns > most) {
    throw Error(fmt::format("{} has {} unknowns; allowed are {}", name(), with_commas(unknowns), with_commas(most)));
  }
  // Pairs without labels may be solved in a closed form, without such vectors.
  if (kernel.vertex.attributes().empty() && kernel.edge.attributes().empty()) return;
  constexpr std::uint64_t fewest_vectors = 4;  // x, the residual, the direction and its product
  const std::uint64_t needed = unknowns * fewest_vectors * sizeof(float);
  if (needed <= memory) return;
  throw Error(fmt::format("{} takes {} or more; --memory leaves {} for it", name(), format_bytes(needed),
                          format_bytes(memory)));
}

void check_largest_pair(std::span<const Graph> graphs, const KernelSpec& kernel, std::size_t memory) {
  if (graphs.empty()) return;
  const Graph& largest = *std::ranges::max_element(graphs, {}, &Graph::vertex_count);
  check_pair(largest, largest, kernel, memory);
}

}  // namespace octile::app
