// SPDX-License-Identifier: BSD-3-Clause
#include "tiles/top_file.hpp"

#include <bit>
#include <cerrno>
#include <cstdint>
#include <ostream>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <octile/error.hpp>

#include "output/checksum.hpp"
#include "readers/system_reason.hpp"
#include "tiles/journal.hpp"

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

}  // namespace

TopFileReader::TopFileReader(std::string path) : path_(std::move(path)), file_(path_, std::ios::binary) {
  if (!file_) throw Error(fmt::format("{}: cannot be read: {}", path_, system_reason(errno)));
  if (is_unfinished_line(path_, std::string(top_of_file))) return;
  const nlohmann::json document = document_of_line(next_line(file_).value_or(std::string()));
  if (!document.is_object() || !document.contains(top_of_file)) {
    throw Error(fmt::format(
        "{}: is no list of neighbours that was begun; allowed is what octile gram --top --resume left; to start over, "
        "remove it",
        path_));
  }
  request_ = document.at(top_of_file);
  bytes_ = static_cast<std::size_t>(file_.tellg());
}

bool TopFileReader::read_group(Nearest& nearest, TopDone& done) {
  try {
    const std::optional<std::string> line = next_line(file_);
    if (!line) return false;
    const nlohmann::json document = document_of_line(*line);
    const auto next = document.at("next").get<std::size_t>();
    Statistics statistics = Statistics::from_json(document.at("statistics"));
    const nlohmann::json& search = document.at("search");
    const SearchCounts counts{search.at("pairs").get<std::size_t>(), search.at("finished").get<std::size_t>(),
                              search.at("rough products").get<double>(), search.at("finished products").get<double>()};
    std::vector<Written> found(document.at("neighbours").get<std::size_t>());
    const auto bytes = static_cast<std::streamsize>(found.size() * sizeof(Written));
    if (!file_.read(reinterpret_cast<char*>(found.data()), bytes)) return false;
    if (checksum_of_neighbours(found) != document.at("checksum").get<std::string>()) return false;
    for (const Written& one : found) {
      if (!nearest.restore(one.row, {static_cast<std::size_t>(one.column), one.value, one.error})) return false;
    }
    done.next = next;
    done.statistics.add(statistics);
    done.search = counts;
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
  const nlohmann::json document = {{std::string(top_of_file), request}};
  bytes_ = outputs_.append(file_, 0, [&](std::ostream& file) { file << journal_line(document); });
}

TopDone TopFile::replay(Nearest& nearest) {
  TopDone done = reader_->replay(nearest);
  bytes_ = reader_->bytes();
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
  const nlohmann::json document = {{"next", group.next},
                                   {"statistics", group.statistics.to_json()},
                                   {"search",
                                    {{"pairs", counts.pairs},
                                     {"finished", counts.finished},
                                     {"rough products", counts.rough_products},
                                     {"finished products", counts.finished_products}}},
                                   {"neighbours", found.size()},
                                   {"checksum", checksum_of_neighbours(found)}};
  bytes_ = outputs_.append(file_, bytes_, [&](std::ostream& file) {
    file << journal_line(document);
    file.write(reinterpret_cast<const char*>(found.data()),
               static_cast<std::streamsize>(found.size() * sizeof(Written)));
  });
}

}  // namespace octile::app
