// SPDX-License-Identifier: BSD-3-Clause
#include "hostile/judge.hpp"

#include <exception>

#include <octile/error.hpp>
#include <readers/read.hpp>
#include <readers/unify_labels.hpp>

namespace octile::test {
namespace {

/// What is wrong with a message about a file, or nothing.
std::string fault_of(const std::string& message, const std::string& path) {
  if (!message.starts_with(path)) return "does not name the file: " + message;
  if (message.find('\n') != std::string::npos) return "is not one line: " + message;
  constexpr std::size_t longest = 1000;
  if (message.size() > path.size() + longest) return "is too long: " + message.substr(0, longest);
  return "";
}

}  // namespace

std::string fault_of_reading(const std::string& path, bool skip_invalid) {
  app::ReadOptions options;
  options.skip_invalid = skip_invalid;
  try {
    app::GraphFile file = app::read_graph_file(path, options);
    if (file.graphs.empty() && file.skipped.empty()) return "nothing was read, and nothing was said";
    for (const std::string& message : file.skipped) {
      if (std::string fault = fault_of(message, path); !fault.empty()) return fault;
    }
    app::unify_labels(file.graphs);
  } catch (const Error& error) {
    return fault_of(error.what(), path);
  } catch (const std::exception& error) {
    return std::string("is no Error: ") + error.what();
  }
  return "";
}

}  // namespace octile::test
