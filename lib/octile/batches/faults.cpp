// SPDX-License-Identifier: BSD-3-Clause
// What the faults of batches and kernels say. It stands here so that a user's file does not compile it.
#include <octile/batch_fault.hpp>
#include <octile/kernel_fault.hpp>

#include <string>

namespace octile {

std::string BatchFault::message() const {
  const std::string number = detail::shown(value);
  const std::string all = ": " + std::string(allowed(kind));
  if (kind == first_graph || kind == first_row) {
    const std::string what = kind == first_graph ? "graphs" : "rows";
    return "the batch is wrong: the first offset of " + what + " is " + number + all;
  }
  std::string text = "the batch is wrong at graph " + std::to_string(graph);
  if (kind != graph_size) text += ", vertex " + std::to_string(vertex);
  if (kind > row_size) text += ", entry " + std::to_string(entry);
  switch (kind) {
    case graph_size: text += ", which has " + number + " vertices" + all; break;
    case row_size: text += ", whose row ends at entry " + number + all; break;
    case column:
    case twice: text += ", whose column is " + number + all; break;
    case unlike_labels: text += " of column " + number + ", whose label is not that of the entry across" + all; break;
    default: text += ", whose weight is " + number + all; break;
  }
  if (kind == graph_size && vertices_of_largest > 0) {
    text += " (there is room for " + std::to_string(vertices_of_largest) + " of one graph and " +
            std::to_string(vertices) + " of all)";
  }
  if (kind == row_size && entries > 0) text += " (there is room for " + std::to_string(entries) + ")";
  return text;
}

std::string KernelFault::message() const {
  std::string text = "the kernel is wrong at graph " + std::to_string(graph);
  if (in_columns) text += " of the columns";
  if (kind == vertex_range) {
    return text + ", vertex " + std::to_string(vertex) + ", where its value with vertex " + std::to_string(other) +
           " of graph " + std::to_string(other_graph) + (other_in_columns ? " of the columns" : "") + " is " +
           detail::shown(value) + ": " + std::string(allowed(kind));
  }
  if (kind != stopping) text += ", vertex " + std::to_string(vertex);
  const std::string number = detail::shown(value);
  if (kind == starting) {
    text += ", whose starting probability is " + number;
  } else if (kind == stopping) {
    text += ", whose largest weight is " + number;
  } else {
    text +=
        ", entry " + std::to_string(entry) + ", where its value with entry " + std::to_string(other) + " is " + number;
  }
  return text + ": " + std::string(allowed(kind));
}

}  // namespace octile
