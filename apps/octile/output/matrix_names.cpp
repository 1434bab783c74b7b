// SPDX-License-Identifier: BSD-3-Clause
#include "output/matrix_names.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <string_view>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "output/failures.hpp"
#include "output/hdf5_matrix.hpp"
#include "readers/system_reason.hpp"
#include "readers/text.hpp"

namespace octile::app {
namespace {

constexpr std::string_view suffix_of_matrix = ".npy";

/// The graphs from `begin` to `end` of all.
nlohmann::ordered_json axis_of(const MatrixNames& names, std::size_t begin, std::size_t end) {
  nlohmann::ordered_json document;
  nlohmann::ordered_json files = nlohmann::ordered_json::array();
  for (const char* key : {"names", "vertices", "edges", "file", "number", "line"})
    document[key] = nlohmann::ordered_json::array();
  for (std::size_t g = begin; g < end; ++g) {
    const Graph& graph = names.graphs[g];
    document["names"].push_back(graph.name());
    document["vertices"].push_back(graph.vertex_count());
    document["edges"].push_back(graph.edge_count());
    // Graphs of one file follow each other.
    const GraphSource& source = names.sources[g];
    if (files.empty() || files.back() != source.file) files.push_back(source.file);
    document["file"].push_back(files.size() - 1);
    document["number"].push_back(source.number);
    document["line"].push_back(source.line);
  }
  document["files"] = std::move(files);
  const TargetTable& targets = *names.targets;
  for (std::size_t k = 0; k < targets.names.size(); ++k) {
    nlohmann::ordered_json& values = document["targets"][targets.names[k]];
    for (std::size_t g = begin; g < end; ++g) {
      const double value = targets.at(g, k);
      values.push_back(std::isfinite(value) ? nlohmann::ordered_json(value) : nlohmann::ordered_json(nullptr));
    }
  }
  return document;
}

}  // namespace

bool is_hdf5(const std::string& matrix) { return matrix.ends_with(".h5") || matrix.ends_with(".hdf5"); }

void check_matrix_outputs(const std::string& out, const std::string& errors) {
  if (!out.empty() && !is_hdf5(out) && !out.ends_with(suffix_of_matrix)) {
    throw UsageError(fmt::format("--out {}: allowed is a name that ends in .npy, .h5 or .hdf5", out));
  }
  if (!is_hdf5(out)) return;
  require_hdf5(out);
  if (!errors.empty()) {
    throw UsageError(fmt::format(
        "--errors {}: {} has the bounds of its values within; allowed is --errors with --out FILE.npy", errors, out));
  }
}

Precision written_precision(const std::string& name, const std::string& out) {
  if (name == scalar_name(Precision::float64)) return Precision::float64;
  if (name != scalar_name(Precision::float32)) {
    throw UsageError(fmt::format("--out-precision {}: allowed is float64 or float32", name));
  }
  if (!out.ends_with(suffix_of_matrix)) throw UsageError("--out-precision float32: allowed with --out FILE.npy");
  return Precision::float32;
}

std::string names_path(const std::string& matrix) {
  if (is_hdf5(matrix)) return matrix;
  const std::string_view stem = matrix.ends_with(suffix_of_matrix)
                                    ? std::string_view(matrix).substr(0, matrix.size() - suffix_of_matrix.size())
                                    : std::string_view(matrix);
  return std::string(stem) + ".json";
}

bool is_same_path(const std::string& one, const std::string& other) {
  std::error_code fault;
  const auto whole = [&fault](const std::string& path) {
    return std::filesystem::weakly_canonical(std::filesystem::absolute(path, fault), fault);
  };
  return one == other || (!one.empty() && !other.empty() && whole(one) == whole(other));
}

void check_names_path(const std::string& path) {
  std::error_code fault;
  if (!std::filesystem::is_regular_file(path, fault) || std::filesystem::file_size(path, fault) == 0) return;
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  if (!file)
    throw OutputError(fmt::format("{}: cannot be looked at before it is replaced: {}", path, system_reason(errno)));
  std::array<char, 64> buffer{};
  file.read(buffer.data(), buffer.size());
  std::string begin(buffer.data(), static_cast<std::size_t>(file.gcount()));
  std::erase_if(begin, [](char letter) { return letter == ' ' || letter == '\n' || letter == '\r' || letter == '\t'; });
  if (begin.starts_with(R"({"octile":)")) return;
  throw OutputError(
      fmt::format("{}: cannot be written: the names of the matrix belong there, and it is another file; allowed is "
                  "another name for --out, or to move it",
                  path));
}

void add_names(nlohmann::ordered_json& document, const MatrixNames& names, const SolveFacts& facts) {
  document["matrix"] = names.matrix;
  document["shape"] = names.shape;
  document["rows"] = axis_of(names, 0, names.rows);
  if (names.rows < names.graphs.size()) document["columns"] = axis_of(names, names.rows, names.graphs.size());
  if (names.identity) document["identity"] = names.identity(facts);
  if (names.written) add_written(document, *names.written);
}

void add_written(nlohmann::ordered_json& document, const WrittenMatrix& written) {
  document["checksums"] = {{"values", written.values}};
  if (!written.bounds.empty()) document["checksums"]["bounds"] = written.bounds;
  document["unconverged_pairs"] = written.unconverged;
  document["largest_error"] = nullptr;
  if (std::isfinite(written.largest_error)) document["largest_error"] = written.largest_error;
  if (!written.bounds_file.empty()) document["bounds_file"] = written.bounds_file;
}

std::string bounds_file(const std::string& matrix, const std::string& bounds) {
  if (matrix.empty() || bounds.empty()) return {};
  const std::filesystem::path folder = std::filesystem::absolute(matrix).lexically_normal().parent_path();
  return std::filesystem::absolute(bounds).lexically_normal().lexically_relative(folder).string();
}

}  // namespace octile::app
