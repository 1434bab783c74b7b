// SPDX-License-Identifier: BSD-3-Clause
#include "commands/selection.hpp"

#include <charconv>
#include <map>
#include <numeric>
#include <utility>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <octile/error.hpp>
#include <octile/prepared_set.hpp>

#include "output/failures.hpp"
#include "readers/text.hpp"
#include "readers/text_file.hpp"

namespace octile::app {
namespace {

/// Finds graphs by #NUMBER, from 1, or by name.
class GraphFinder {
 public:
  explicit GraphFinder(std::span<const Graph> graphs) : count_(graphs.size()) {
    for (std::size_t k = 0; k < graphs.size(); ++k) {
      const auto [place, fresh] = places_.try_emplace(graphs[k].name(), k);
      if (!fresh) place->second = several;
    }
  }

  /// Throws `Error` that begins with `where`.
  std::int32_t find(std::string_view text, const std::string& where) const {
    if (text.starts_with('#')) return by_number(text, where);
    const auto found = places_.find(text);
    if (found == places_.end()) {
      throw Error(fmt::format("{}: no graph is named {}; allowed is a name, or a number from #1 to #{}", where,
                              in_quotes(std::string(text)), count_));
    }
    if (found->second == several) {
      throw Error(fmt::format("{}: several graphs are named {}; allowed is a number from #1 to #{}", where,
                              in_quotes(std::string(text)), count_));
    }
    return static_cast<std::int32_t>(found->second);
  }

 private:
  static constexpr std::size_t several = static_cast<std::size_t>(-1);

  std::int32_t by_number(std::string_view text, const std::string& where) const {
    std::size_t k = 0;
    const auto [end, fault] = std::from_chars(text.data() + 1, text.data() + text.size(), k);
    if (fault != std::errc() || end != text.data() + text.size() || k < 1 || k > count_) {
      throw Error(fmt::format("{}: {} is no number of a graph; allowed is #1 to #{}", where,
                              in_quotes(std::string(text)), count_));
    }
    return static_cast<std::int32_t>(k - 1);
  }

  std::size_t count_;
  std::map<std::string, std::size_t, std::less<>> places_;
};

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t\r");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t\r") - begin + 1);
}

/// The two graphs of a line: beside a tab, where there is one, else beside a space.
std::pair<std::string_view, std::string_view> split(std::string_view line, const std::string& where) {
  const bool tabs = line.find('\t') != std::string_view::npos;
  const std::size_t gap = line.find_first_of(tabs ? "\t" : " ");
  const std::string_view second = gap == std::string_view::npos ? std::string_view() : trimmed(line.substr(gap));
  if (second.empty() || second.find(tabs ? '\t' : ' ') != std::string_view::npos) {
    throw Error(
        fmt::format("{}: {} is no pair; allowed are two graphs, by name or #NUMBER, with a tab between them, or a "
                    "space if no name has one",
                    where, in_quotes(std::string(line))));
  }
  return {trimmed(line.substr(0, gap)), second};
}

std::vector<Pair> read_pairs(const std::string& path, std::span<const Graph> graphs) {
  const GraphFinder finder(graphs);
  std::vector<Pair> pairs;
  TextFile file(path);
  std::string line;
  while (file.next(line)) {
    const std::string_view text = trimmed(line);
    if (text.empty()) continue;
    const std::string where = file.place();
    const auto [first, second] = split(text, where);
    pairs.push_back({finder.find(first, where), finder.find(second, where)});
  }
  if (pairs.empty()) throw Error(fmt::format("{}: holds no pair; allowed is one or more, one a line", path));
  return pairs;
}

}  // namespace

void SelectionArguments::add_to(CLI::App& command) {
  command
      .add_option(
          "--columns", columns,
          "Compare each graph of INPUT, a row each, with each graph of these files: the matrix is rows x columns")
      ->type_name("FILE...");
  command
      .add_option("--pairs", pairs,
                  "Solve the pairs of a file alone, two graphs a line, by name or #NUMBER: a value for each")
      ->type_name("FILE");
  command.add_flag("--diagonal", diagonal, "Solve each graph with itself alone: a value for each");
}

bool SelectionArguments::all() const {
  const int given = (columns.empty() ? 0 : 1) + (pairs.empty() ? 0 : 1) + (diagonal ? 1 : 0);
  if (given > 1) throw UsageError("--columns, --pairs and --diagonal: allowed is one of them");
  return given == 0;
}

Selection SelectionArguments::select(std::span<const Graph> graphs, std::size_t rows) const {
  if (!columns.empty()) {
    std::vector<std::int32_t> all(graphs.size());
    std::iota(all.begin(), all.end(), 0);
    const std::span<const std::int32_t> numbers = all;
    return {Selection::Kind::rectangle,
            rectangle(numbers.first(rows), numbers.subspan(rows)),
            {rows, graphs.size() - rows}};
  }
  if (diagonal) {
    Selection selection{Selection::Kind::diagonal, {}, {graphs.size()}};
    for (std::int32_t k = 0; k < static_cast<std::int32_t>(graphs.size()); ++k) selection.pairs.push_back({k, k});
    return selection;
  }
  std::vector<Pair> list = read_pairs(pairs, graphs);
  const std::size_t count = list.size();
  return {Selection::Kind::list, std::move(list), {count}};
}

}  // namespace octile::app
