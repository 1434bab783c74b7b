// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cstddef>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <octile/parallel.hpp>

#include "readers/formats.hpp"
#include "readers/text.hpp"
#include "readers/text_file.hpp"

namespace octile::app {
namespace {

/// The graphs of lines, which several threads parse at once, some lines ahead of the one that is asked for.
class LineGraphs {
 public:
  LineGraphs(const std::string& path, LineParser parse, const LineRules& rules)
      : file_(path), base_(file_name(path)), parse_(std::move(parse)), rules_(rules) {}

  std::optional<Graph> next() {
    if (at_ == lines_.size()) read_ahead();
    if (at_ == lines_.size()) {
      if (fault_) std::rethrow_exception(std::exchange(fault_, nullptr));
      return std::nullopt;
    }
    Line& line = lines_[at_++];
    if (line.fault) std::rethrow_exception(line.fault);
    return std::move(line.graph);
  }

 private:
  struct Line {
    std::string text;
    std::string place;
    std::string default_name;
    std::optional<Graph> graph{};
    std::exception_ptr fault{};
  };
  /// Lines that are read ahead at most, and their bytes, about.
  static constexpr std::size_t most_lines = 1024;
  static constexpr std::size_t most_bytes = std::size_t(1) << 22;
  static constexpr std::size_t parsed_at_once = 4;

  /// Reads twice as many lines as the last time, so that the first of a slow pipe are not waited for together.
  void read_ahead() {
    lines_.clear();
    at_ = 0;
    if (fault_) return;
    try {
      std::size_t bytes = 0;
      for (std::string text; lines_.size() < ahead_ && bytes < most_bytes && file_.next(text);) {
        const std::string_view line = trimmed(text);
        if (line.empty() || (rules_.comments && line.front() == '#')) continue;
        if (std::exchange(first_, false) && rules_.is_header != nullptr && rules_.is_header(line)) continue;
        bytes += line.size();
        lines_.push_back({std::string(line), file_.place(), fmt::format("{}:{}", base_, file_.line_number())});
      }
    } catch (...) {
      fault_ = std::current_exception();  // of the file: after the lines before it
    }
    ahead_ = std::min(2 * ahead_, most_lines);
    in_parallel(lines_.size(), parsed_at_once, [this](std::size_t begin, std::size_t end) {
      for (std::size_t k = begin; k < end; ++k) parse(lines_[k]);
    });
  }

  void parse(Line& line) const {
    try {
      line.graph = parse_(line.text, line.default_name);
    } catch (const Error& error) {
      line.fault = std::make_exception_ptr(RefusedGraph(fmt::format("{}: {}", line.place, error.what())));
    } catch (...) {
      line.fault = std::current_exception();
    }
  }

  TextFile file_;
  std::string base_;
  LineParser parse_;
  LineRules rules_;
  bool first_ = true;
  std::size_t ahead_ = 1;
  std::vector<Line> lines_;
  std::size_t at_ = 0;        ///< of the next of them
  std::exception_ptr fault_;  ///< with which the file ends
};

}  // namespace

GraphReader line_reader(const std::string& path, LineParser parse, const LineRules& rules) {
  return [graphs = std::make_shared<LineGraphs>(path, std::move(parse), rules)] { return graphs->next(); };
}

}  // namespace octile::app
