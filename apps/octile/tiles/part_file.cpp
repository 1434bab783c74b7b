// SPDX-License-Identifier: BSD-3-Clause
#include "tiles/part_file.hpp"

#include <cerrno>
#include <ios>
#include <ostream>
#include <span>

#include <fmt/format.h>

#include <octile/error.hpp>

#include "output/checksum.hpp"
#include "readers/system_reason.hpp"
#include "readers/text_file.hpp"
#include "tiles/request.hpp"

namespace octile::app {
namespace {

void write_values(std::ostream& file, std::span<const double> values) {
  file.write(reinterpret_cast<const char*>(values.data()), static_cast<std::streamsize>(values.size_bytes()));
}

std::string checksum_of_values(std::span<const double> values) { return Checksum().add(values).text(); }

}  // namespace

Tiling PartHeader::tiling() const {
  const auto rows = request.at("number of rows").get<std::size_t>();
  const auto columns = request.at("number of columns").get<std::size_t>();
  return {rows, columns, !request.contains("graphs of the columns"), request.at(edge_key).get<std::size_t>()};
}

bool PartHeader::errors() const { return request.at("--errors").get<bool>(); }

std::string names_of(std::span<const PartHeader> parts, std::span<const std::string> paths, const std::string& matrix,
                     const WrittenMatrix& written, Precision precision) {
  nlohmann::ordered_json document = nlohmann::ordered_json::parse(parts.front().names);
  document["matrix"] = file_name(matrix);
  if (const auto identity = document.find("identity"); identity != document.end() && identity->is_object()) {
    (*identity)["--errors"] = !written.bounds.empty();
    (*identity)["--out-precision"] = scalar_name(precision);
  }
  add_written(document, written);
  nlohmann::ordered_json& list = document["parts"] = nlohmann::ordered_json::array();
  for (std::size_t k = 0; k < parts.size(); ++k) {
    nlohmann::ordered_json part = {{"part", paths[k]}, {"begin", parts[k].begin}, {"end", parts[k].end}};
    // The graphs are the same; what each job was given, and where it read them, may not be.
    nlohmann::ordered_json names = nlohmann::ordered_json::parse(parts[k].names);
    for (const char* const same : {"matrix", "shape", "selection"}) names.erase(same);
    for (const char* const axis : {"rows", "columns"}) {
      if (names.contains(axis)) names[axis] = {{"files", names[axis]["files"]}};
    }
    part.update(names);
    list.push_back(std::move(part));
  }
  return document.dump(1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

void write_part_header(std::ostream& file, const PartHeader& header) {
  file << journal_line(
      {{"request", header.request}, {"names", header.names}, {"begin", header.begin}, {"end", header.end}});
}

void write_part_tile(std::ostream& file, const Tile& tile, const TileValues& formed, bool errors,
                     const Statistics& statistics) {
  TileRecord record{tile.number, {checksum_of_values(formed.values)}, statistics};
  if (errors) record.checksums.push_back(checksum_of_values(formed.errors));
  file << journal_line(record.to_json());
  write_values(file, formed.values);
  if (errors) write_values(file, formed.errors);
}

PartReader::PartReader(const std::string& path) : path_(path), file_(path, std::ios::binary) {
  if (!file_) throw Error(fmt::format("{}: cannot be read: {}", path_, system_reason(errno)));
  try {
    const nlohmann::json document = read_line();
    header_ = {document.at("request"), document.at("names").get<std::string>(), document.at("begin").get<std::size_t>(),
               document.at("end").get<std::size_t>()};
    if (header_.tiling().edge() == 0 || header_.end > header_.tiling().count() || header_.begin >= header_.end) {
      refuse("is damaged");
    }
    next_ = header_.begin;
  } catch (const nlohmann::json::exception&) {
    refuse("is no part of a matrix; allowed are files that octile gram --tiles wrote");
  }
}

void PartReader::refuse(const std::string& what) const { throw Error(fmt::format("{}: {}", path_, what)); }

nlohmann::json PartReader::read_line() {
  const std::optional<std::string> line = next_line(file_);
  if (!line) refuse("ends too early; allowed are whole parts");
  return document_of_line(*line);
}

UninitializedVector<double> PartReader::read_values(std::size_t count) {
  UninitializedVector<double> values(count);
  const auto bytes = static_cast<std::streamsize>(count * sizeof(double));
  if (!file_.read(reinterpret_cast<char*>(values.data()), bytes)) refuse("ends too early; allowed are whole parts");
  return values;
}

std::optional<PartReader::Part> PartReader::next() {
  if (next_ == header_.end) {
    if (file_.peek() != std::ifstream::traits_type::eof())
      refuse("goes on behind its last tile; allowed are whole parts");
    return std::nullopt;
  }
  Part part;
  try {
    TileRecord record = TileRecord::from_json(read_line());
    if (record.tile != next_) refuse(fmt::format("is damaged: tile {} is not where it should be", next_));
    part.tile = header_.tiling().tile(record.tile);
    part.formed.values = read_values(part.tile.size());
    std::vector<std::string> sums{checksum_of_values(part.formed.values)};
    if (header_.errors()) {
      part.formed.errors = read_values(part.tile.size());
      sums.push_back(checksum_of_values(part.formed.errors));
    }
    if (sums != record.checksums) refuse(fmt::format("is damaged: tile {} does not match its checksum", next_));
    part.statistics = std::move(record.statistics);
  } catch (const nlohmann::json::exception&) {
    refuse(fmt::format("is damaged: tile {} cannot be read", next_));
  }
  ++next_;
  return part;
}

std::size_t PartReader::position() {
  return static_cast<std::size_t>(file_.rdbuf()->pubseekoff(0, std::ios::cur, std::ios::in));
}

std::optional<BegunPart> begun_part(const std::string& path) {
  if (is_unfinished_line(path, "begin")) return std::nullopt;
  BegunPart begun;
  try {
    PartReader reader(path);
    begun = {reader.header(), reader.header().begin, {}, reader.position()};
    try {
      while (const std::optional<PartReader::Part> part = reader.next()) {
        begun.statistics.add(part->statistics);
        begun.bytes = reader.position();
        ++begun.next;
      }
    } catch (const Error&) {
      // What is behind the last whole tile is written again.
    }
  } catch (const Error& error) {
    throw Error(fmt::format("{}; to start over, remove it", error.what()));
  }
  return begun;
}

}  // namespace octile::app
