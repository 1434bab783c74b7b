// SPDX-License-Identifier: BSD-3-Clause
#include <octile/node_writer.hpp>

#include <numeric>
#include <utility>

namespace octile {

NodeWriter::NodeWriter(const PreparedSet& set, NodeOutput output, std::span<const Pair> pairs)
    : set_(set), output_(output) {
  const auto vertices = [&set](std::int32_t graph) {
    return static_cast<std::size_t>(set.graphs()[static_cast<std::size_t>(graph)].vertex_count());
  };
  begin_.reserve(pairs.size() + 1);
  for (const Pair pair : pairs) {
    begin_.push_back(begin_.back() + vertices(pair.first) * (output == NodeOutput::first ? 1 : vertices(pair.second)));
  }
  nodes_.resize(begin_.back());
}

void NodeWriter::write(Pair pair, std::span<const double> x, std::size_t place) {
  const Graph& second = set_.graphs()[static_cast<std::size_t>(pair.second)];
  const auto columns = static_cast<std::size_t>(second.vertex_count());
  const std::span<double> to = std::span(nodes_).subspan(begin_[place], begin_[place + 1] - begin_[place]);
  for (std::size_t i = 0; i < x.size() / columns; ++i) {
    const std::span<const double> row = x.subspan(i * columns, columns);
    const std::size_t given = set_.given_vertex(pair.first, i);
    if (output_ == NodeOutput::first) {
      to[given] = std::inner_product(row.begin(), row.end(), second.starting_probability().begin(), 0.0);
      continue;
    }
    for (std::size_t j = 0; j < columns; ++j) to[given * columns + set_.given_vertex(pair.second, j)] = row[j];
  }
}

void NodeWriter::weigh(Pair pair, std::span<const double> weights, std::size_t place,
                       std::span<double> of_solution) const {
  const Graph& second = set_.graphs()[static_cast<std::size_t>(pair.second)];
  const auto columns = static_cast<std::size_t>(second.vertex_count());
  const std::span<const double> of_pair = weights.subspan(begin_[place], begin_[place + 1] - begin_[place]);
  for (std::size_t k = 0; k < of_solution.size(); ++k) {
    const std::size_t given = set_.given_vertex(pair.first, k / columns);
    const std::size_t column = k % columns;
    of_solution[k] = output_ == NodeOutput::first ? of_pair[given] * second.starting_probability()[column]
                                                  : of_pair[given * columns + set_.given_vertex(pair.second, column)];
  }
}

void NodeWriter::give(std::vector<double>& nodes, std::vector<std::size_t>& begin) {
  nodes = std::move(nodes_);
  begin = std::move(begin_);
}

}  // namespace octile
