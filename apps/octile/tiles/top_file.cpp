// SPDX-License-Identifier: BSD-3-Clause
#include "tiles/top_file.hpp"

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstdint>
#include <filesystem>
#include <ostream>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <octile/error.hpp>

#include "output/checksum.hpp"
#include "readers/system_reason.hpp"
#include "tiles/journal.hpp"
#include "tiles/request.hpp"

namespace octile::app {
namespace {

/// A neighbour of a row as it is written.
struct Written {
  std::uint64_t row;
  std::uint64_t column;
  double value;
  double error;
};

constexpr std::string_view top_of_file = "top";

std::string checksum_of_neighbours(std::span<const Written> neighbours) {
  Checksum sum;
  for (const Written& one : neighbours) {
    sum.add(one.row)
        .add(one.column)
        .add(std::bit_cast<std::uint64_t>(one.value))
        .add(std::bit_cast<std::uint64_t>(one.error));
  }
  return sum.text();
}

/// A line with its end, and the place of the file behind it.
std::optional<std::string> whole_line(std::ifstream& file) {
  std::optional<std::string> line = next_line(file);
  if (!line || file.rdbuf()->sungetc() != '\n') return std::nullopt;
  file.rdbuf()->sbumpc();
  return line;
}

/// What a line begins with: its checksum.
std::string checksum_of_line(std::string_view line) { return std::string(line.substr(0, line.find(' '))); }

bool is_count(const nlohmann::json& document, const char* key) {
  return document.contains(key) && document.at(key).is_number_unsigned();
}

}  // namespace

TopFileReader::TopFileReader(std::string path) : path_(std::move(path)), file_(path_, std::ios::binary) {
  if (!file_) throw Error(fmt::format("{}: cannot be read: {}", path_, system_reason(errno)));
  if (is_unfinished_line(path_, std::string(top_of_file))) return;
  std::error_code ignored;
  size_ = std::filesystem::file_size(path_, ignored);
  const std::string line = whole_line(file_).value_or(std::string());
  const nlohmann::json document = document_of_line(line);
  if (document.is_object() && document.contains(top_of_file)) request_ = document.at(top_of_file);
  const bool is_list = request_.is_object() && is_count(request_, edge_key) && request_.at(edge_key) != 0 &&
                       request_.contains(stops_early_key) && request_.at(stops_early_key).is_boolean();
  if (!is_list) {
    throw Error(fmt::format(
        "{}: is no list of neighbours that was begun; allowed is what octile gram --top --resume left; to start over, "
        "remove it",
        path_));
  }
  last_ = checksum_of_line(line);
  bytes_ = static_cast<std::size_t>(file_.tellg());
}

bool TopFileReader::read_group(Nearest& nearest, TopDone& done) {
  try {
    const std::optional<std::string> line = whole_line(file_);
    if (!line) return false;
    const nlohmann::json document = document_of_line(*line);
    if (document.at("after") != last_ || !is_count(document, "next") || !is_count(document, "neighbours")) return false;
    const auto next = document.at("next").get<std::size_t>();
    if (next <= done.next || next > nearest.tiles()) return false;
    Statistics statistics = Statistics::from_json(document.at("statistics"));
    const nlohmann::json& search = document.at("search");
    const SearchCounts counts{search.at("pairs").get<std::size_t>(), search.at("finished").get<std::size_t>(),
                              search.at("rough products").get<double>(), search.at("finished products").get<double>()};
    const auto count = document.at("neighbours").get<std::size_t>();
    if (count > size_ / sizeof(Written)) return false;
    std::vector<Written> found(count);
    const auto bytes = static_cast<std::streamsize>(found.size() * sizeof(Written));
    if (!file_.read(reinterpret_cast<char*>(found.data()), bytes)) return false;
    if (checksum_of_neighbours(found) != document.at("checksum").get<std::string>()) return false;
    if (!std::ranges::all_of(found, [&](const Written& one) { return nearest.takes(one.row, one.column); }))
      return false;
    for (const Written& one : found) {
      nearest.restore(one.row, {static_cast<std::size_t>(one.column), one.value, one.error});
    }
    done.next = next;
    done.statistics.add(statistics);
    done.search = counts;
    last_ = checksum_of_line(*line);
    return true;
  } catch (const nlohmann::json::exception&) {
    return false;
  }
}

TopDone TopFileReader::replay(Nearest& nearest) {
  TopDone done;
  // What is behind the last whole group is done again.
  while (read_group(nearest, done)) bytes_ = static_cast<std::size_t>(file_.tellg());
  return done;
}

TopFile::TopFile(Outputs& outputs, const std::string& output)
    : outputs_(outputs),
      file_(outputs.open(output, std::nullopt, Outputs::Lasting::kept_before, Outputs::Purpose::scratch)) {
  reader_.emplace(outputs.opened_name(file_));
}

void TopFile::begin(const nlohmann::json& request) {
  const std::string line = journal_line({{std::string(top_of_file), request}});
  last_ = checksum_of_line(line);
  bytes_ = outputs_.append(file_, 0, [&](std::ostream& file) { file << line; });
}

TopDone TopFile::replay(Nearest& nearest) {
  TopDone done = reader_->replay(nearest);
  bytes_ = reader_->bytes();
  last_ = reader_->last();
  return done;
}

void TopFile::add(const TopDone& group, std::span<const Tile> tiles, const Nearest& nearest) {
  std::vector<Written> found;
  for (const Tile& tile : tiles) {
    nearest.visit(tile, [&found](std::size_t row, const Neighbour& neighbour) {
      found.push_back({row, neighbour.column, neighbour.value, neighbour.error});
    });
  }
  const SearchCounts& counts = group.search;
  const nlohmann::json document = {{"after", last_},
                                   {"next", group.next},
                                   {"statistics", group.statistics.to_json()},
                                   {"search",
                                    {{"pairs", counts.pairs},
                                     {"finished", counts.finished},
                                     {"rough products", counts.rough_products},
                                     {"finished products", counts.finished_products}}},
                                   {"neighbours", found.size()},
                                   {"checksum", checksum_of_neighbours(found)}};
  const std::string line = journal_line(document);
  last_ = checksum_of_line(line);
  bytes_ = outputs_.append(file_, bytes_, [&](std::ostream& file) {
    file << line;
    file.write(reinterpret_cast<const char*>(found.data()),
               static_cast<std::streamsize>(found.size() * sizeof(Written)));
  });
}

}  // namespace octile::app
