// SPDX-License-Identifier: BSD-3-Clause
#include "tiles/journal.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <istream>
#include <iterator>
#include <span>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <octile/error.hpp>

#include "output/checksum.hpp"
#include "output/failures.hpp"
#include "output/uninterrupted.hpp"
#include "readers/system_reason.hpp"
#include "readers/text_file.hpp"

namespace octile::app {
namespace {

/// The digits of the checksum that a line begins with.
constexpr std::size_t digits = 16;

constexpr std::string_view suffix = ".journal";

OutputError journal_failure(const std::string& path, std::string_view what, int code) {
  return OutputError(fmt::format("{}: cannot be {}: {}", path, what, system_reason(code)));
}

}  // namespace

std::string journal_line(const nlohmann::json& document) {
  const std::string text = document.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  return Checksum().add(text).text() + " " + text + "\n";
}

nlohmann::json document_of_line(std::string_view line) {
  if (line.size() < digits + 2) return nlohmann::json::value_t::discarded;
  const std::string_view text = line.substr(digits + 1);
  if (Checksum().add(text).text() != line.substr(0, digits)) return nlohmann::json::value_t::discarded;
  return nlohmann::json::parse(text, nullptr, false);
}

std::optional<std::string> next_line(std::istream& file) {
  // Not by std::getline, which takes all of a file without a line's end, however large, such as a device that gives zeros.
  constexpr int end_of_file = std::istream::traits_type::eof();
  std::string line;
  int byte = file.rdbuf()->sbumpc();
  for (; byte != '\n' && byte != end_of_file && line.size() < longest_line; byte = file.rdbuf()->sbumpc()) {
    line.push_back(static_cast<char>(byte));
  }
  if (byte == end_of_file && line.empty()) return std::nullopt;
  return line;
}

bool is_unfinished_line(const std::string& path, const std::string& key) {
  std::ifstream file(path, std::ios::binary);
  const std::string example = journal_line({{key, 0}});
  const std::size_t checksum = example.find(' ');
  std::string begin(example.find(':'), '\0');
  file.read(begin.data(), static_cast<std::streamsize>(begin.size()));
  begin.resize(static_cast<std::size_t>(file.gcount()));
  for (std::size_t k = 0; k < begin.size(); ++k) {
    const bool digit = std::string_view("0123456789abcdef").find(begin[k]) != std::string_view::npos;
    if (k < checksum ? !digit : begin[k] != example[k]) return false;
  }
  return !file.ignore(longest_line, '\n') || file.eof();
}

nlohmann::json TileRecord::to_json() const {
  return {{"tile", tile}, {"checksums", checksums}, {"statistics", statistics.to_json()}};
}

TileRecord TileRecord::from_json(const nlohmann::json& document) {
  return {document.at("tile").get<std::size_t>(), document.at("checksums").get<std::vector<std::string>>(),
          Statistics::from_json(document.at("statistics"))};
}

std::optional<Journal> Journal::find(const std::string& output) {
  const std::string path = output + std::string(suffix);
  Descriptor file = open_locked(AT_FDCWD, path, O_APPEND);
  if (file.number() < 0 && errno == ENOENT) return std::nullopt;
  return Journal(path, std::move(file));
}

Journal Journal::find_or_make(const std::string& output) {
  const std::string path = output + std::string(suffix);
  return {path, open_locked(AT_FDCWD, path, O_APPEND | O_CREAT)};
}

Journal::Journal(std::string path, Descriptor file) : path_(std::move(path)), file_(std::move(file)) {
  if (file_.number() < 0) {
    const int code = errno;
    if (code != EWOULDBLOCK) throw journal_failure(path_, "opened", code);
    throw OutputError(fmt::format("{}: another run writes this output; allowed is one at a time", path_));
  }
  read();
}

std::string Journal::text_at(std::uint64_t begin, std::size_t most) const {
  std::string text(most, '\0');
  const auto done = read_at(file_.number(), std::as_writable_bytes(std::span(text)), begin);
  if (!done) throw journal_failure(path_, "read", errno);
  text.resize(*done);
  return text;
}

void Journal::read() {
  constexpr std::size_t at_once = std::size_t(1) << 20U;
  std::uint64_t begin = 0;  // of what is not read as lines yet
  std::string text;
  for (;;) {
    const std::string more = text_at(begin + text.size(), at_once);
    text += more;
    std::size_t line = 0;
    for (std::size_t end = text.find('\n'); end != std::string::npos; end = text.find('\n', line)) {
      read_line(std::string_view(text).substr(line, end - line), begin + line);
      line = end + 1;
    }
    text.erase(0, line);
    begin += line;
    if (more.empty()) break;
  }
  torn_ = !text.empty();
  // A first line without an end is what a full disk took of it: nothing was begun.
  if (torn_ && begin > 0) read_line(text, begin);
  std::ranges::stable_sort(places_, {}, &Place::tile);
}

std::optional<TileRecord> Journal::record(std::size_t tile) const {
  const auto behind = std::ranges::upper_bound(places_, tile, {}, &Place::tile);
  if (behind == places_.begin() || std::prev(behind)->tile != tile) return std::nullopt;
  const Place& place = *std::prev(behind);
  try {
    return TileRecord::from_json(document_of_line(text_at(place.begin, place.length)));
  } catch (const nlohmann::json::exception&) {
    throw journal_failure(path_, "read", EIO);
  }
}

void Journal::read_line(std::string_view line, std::uint64_t begin) {
  const nlohmann::json document = document_of_line(line);
  const bool first = begin == 0;
  try {
    if (first) {
      request_ = document.at("request");
    } else if (document.contains("renaming")) {
      renaming_ = true;
    } else {
      places_.push_back({TileRecord::from_json(document).tile, begin, line.size()});
    }
  } catch (const nlohmann::json::exception&) {
    if (first) {
      throw Error(fmt::format(
          "{}: line 1 is damaged, so that nobody knows what was begun; allowed is to remove it, and to start "
          "over",
          path_));
    }
    ++damaged_;
  }
}

void Journal::write(std::string_view text) const {
  // A file that takes a part of it only gives its reason when it is asked for the rest.
  if (!write_all(file_.number(), text)) throw journal_failure(path_, "written", errno);
}

void Journal::begin(const nlohmann::json& request) {
  if (request_.is_null()) {
    // What is there is no line.
    if (::ftruncate(file_.number(), 0) != 0) throw journal_failure(path_, "written", errno);
    request_ = request;
    write(journal_line({{"request", request}}));
  } else if (torn_) {
    // The next line must not become a part of the last one.
    write("\n");
  }
  torn_ = false;
}

void Journal::add(const TileRecord& record) const { write(journal_line(record.to_json())); }

void Journal::add_renaming() const { write(journal_line({{"renaming", true}})); }

void Journal::remove() const {
  if (::unlink(path_.c_str()) != 0 && errno != ENOENT) throw journal_failure(path_, "removed", errno);
}

}  // namespace octile::app
