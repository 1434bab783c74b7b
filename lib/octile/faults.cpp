// SPDX-License-Identifier: BSD-3-Clause
// What the faults of batches and kernels say. It stands here so that a user's file does not compile it.
#include <octile/batch_fault.hpp>
#include <octile/kernel_fault.hpp>

#include <string>

namespace octile {

std::string BatchFault::message() const {
  std::string text = "the batch is wrong at graph " + std::to_string(graph);
  if (kind != graph_size) text += ", vertex " + std::to_string(vertex);
  if (kind > row_size) text += ", entry " + std::to_string(entry);
  const auto what = [this]() -> std::string {
    switch (kind) {
      case graph_size: return ", which has " + detail::shown(value) + " vertices: ";
      case row_size: return ", whose row ends at entry " + detail::shown(value) + ": ";
      case column:
      case twice: return ", whose column is " + detail::shown(value) + ": ";
      default: return ", whose weight is " + detail::shown(value) + ": ";
    }
  };
  return text + what() + std::string(allowed(kind));
}

std::string KernelFault::message() const {
  std::string text = "the kernel is wrong at graph " + std::to_string(graph);
  if (in_columns) text += " of the columns";
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
