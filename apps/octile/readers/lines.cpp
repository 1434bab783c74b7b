// SPDX-License-Identifier: BSD-3-Clause
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "readers/formats.hpp"
#include "readers/read_ahead.hpp"
#include "readers/text.hpp"
#include "readers/text_file.hpp"

namespace octile::app {
namespace {

class LineGraphs {
 public:
  LineGraphs(const std::string& path, LineParser parse, const LineRules& rules)
      : file_(path), base_(file_name(path)), parse_(std::move(parse)), rules_(rules) {}

  std::optional<ReadGraph> next() {
    return ahead_.next([this] { return read(); }, [](const Line& line) { return line.text.size(); },
                       [this](const Line& line) { return graph_of(line); });
  }

 private:
  struct Line {
    std::string text;
    std::string place;
    std::string default_name;
    std::size_t number = 0;
  };

  std::optional<Line> read() {
    for (std::string text; file_.next(text);) {
      const std::string_view line = trimmed(text);
      if (line.empty() || (rules_.comments && line.front() == '#')) continue;
      if (std::exchange(first_, false) && rules_.is_header != nullptr && rules_.is_header(line)) continue;
      const std::size_t number = file_.line_number();
      return Line{std::string(line), file_.place(), fmt::format("{}:{}", base_, number), number};
    }
    return std::nullopt;
  }

  ReadGraph graph_of(const Line& line) const {
    try {
      return {parse_(line.text, line.default_name), line.number};
    } catch (const Error& error) {
      throw RefusedGraph(fmt::format("{}: {}", line.place, error.what()));
    }
  }

  TextFile file_;
  std::string base_;
  LineParser parse_;
  LineRules rules_;
  bool first_ = true;
  ReadAhead<Line> ahead_;
};

}  // namespace

GraphReader line_reader(const std::string& path, LineParser parse, const LineRules& rules) {
  return [graphs = std::make_shared<LineGraphs>(path, std::move(parse), rules)] { return graphs->next(); };
}

}  // namespace octile::app
