// SPDX-License-Identifier: BSD-3-Clause
#include "tiles/journal.hpp"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <octile/error.hpp>

#include "output/checksum.hpp"
#include "output/failures.hpp"

namespace octile::app::tiles {
namespace {

/// Of the checksum.
constexpr std::size_t digits = 16;

OutputError journal_failure(const std::string& path, std::string_view what, int code) {
  return OutputError(fmt::format("{}: cannot be {}: {}", path, what, std::strerror(code)));
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

nlohmann::json TileRecord::to_json() const {
  return {{"tile", tile}, {"checksums", checksums}, {"statistics", statistics.to_json()}};
}

TileRecord TileRecord::from_json(const nlohmann::json& document) {
  return {document.at("tile").get<std::size_t>(), document.at("checksums").get<std::vector<std::string>>(),
          Statistics::from_json(document.at("statistics"))};
}

Journal::Journal(const std::string& output) : path_(output + ".journal") { read(); }

void Journal::read() {
  std::ifstream file(path_, std::ios::binary);
  if (!file) {
    if (errno == ENOENT) return;
    throw journal_failure(path_, "read", errno);
  }
  const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  if (file.bad()) throw journal_failure(path_, "read", EIO);
  bool first = true;
  for (std::size_t begin = 0; begin < text.size();) {
    std::size_t end = text.find('\n', begin);
    torn_ = end == std::string::npos;
    if (torn_) end = text.size();
    // A first line without an end is what a full disk took of it: nothing was begun.
    if (!(first && torn_)) read_line(std::string_view(text).substr(begin, end - begin), first);
    first = false;
    begin = end + 1;
  }
}

void Journal::read_line(std::string_view line, bool first) {
  const nlohmann::json document = document_of_line(line);
  try {
    if (first) {
      request_ = document.at("request");
    } else if (document.contains("renaming")) {
      renaming_ = true;
    } else {
      TileRecord record = TileRecord::from_json(document);
      records_.insert_or_assign(record.tile, std::move(record));
    }
  } catch (const nlohmann::json::exception&) {
    if (first) {
      throw Error(fmt::format(
          "{}: line 1 is damaged, so that nobody knows what was begun; allowed is to remove it, and to begin "
          "anew",
          path_));
    }
    ++damaged_;
  }
}

void Journal::write(const nlohmann::json& document) const {
  const int file = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0666);
  if (file < 0) throw journal_failure(path_, "written", errno);
  const std::string line = journal_line(document);
  // A file that takes a part of it only gives its reason when it is asked for the rest.
  std::string_view rest = line;
  while (!rest.empty()) {
    const ssize_t count = ::write(file, rest.data(), rest.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) {
      const int code = errno;
      ::close(file);
      throw journal_failure(path_, "written", code);
    }
    rest.remove_prefix(static_cast<std::size_t>(count));
  }
  ::close(file);
}

void Journal::begin(const nlohmann::json& request) {
  if (request_.is_null()) {
    // What is there is no line.
    if (::truncate(path_.c_str(), 0) != 0 && errno != ENOENT) throw journal_failure(path_, "written", errno);
    request_ = request;
    write({{"request", request}});
  } else if (torn_) {
    // The next line must not become a part of the last one.
    std::ofstream file(path_, std::ios::binary | std::ios::app);
    if (!(file << '\n').flush()) throw journal_failure(path_, "written", errno);
  }
  torn_ = false;
}

void Journal::add(const TileRecord& record) const { write(record.to_json()); }

void Journal::add_renaming() const { write({{"renaming", true}}); }

void Journal::remove() const {
  if (::unlink(path_.c_str()) != 0 && errno != ENOENT) throw journal_failure(path_, "removed", errno);
}

}  // namespace octile::app::tiles
