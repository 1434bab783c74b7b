// SPDX-License-Identifier: BSD-3-Clause
#include "data_set.hpp"

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <octile/error.hpp>

#include "readers/read.hpp"
#include "readers/unify_labels.hpp"

namespace octile::bench {
namespace {

using nlohmann::json;

std::string graphs_path(const std::string& folder, const std::string& name) {
  return fmt::format("{}/{}.jsonl", folder, name);
}

std::ifstream open(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw Error(fmt::format("{}: cannot be read; bench/prepare_data writes it", path));
  return file;
}

std::string references_path(const std::string& folder, const std::string& name) {
  return fmt::format("{}/{}_references.json", folder, name);
}

}  // namespace

std::string default_folder() {
  const char* folder = std::getenv("OCTILE_BENCH_DATA");
  return folder == nullptr ? "" : folder;
}

bool has_set(const std::string& folder, const std::string& name) {
  return std::filesystem::exists(graphs_path(folder, name));
}

bool has_kind(const std::string& folder, const std::string& name, const std::string& kind) {
  std::ifstream file(references_path(folder, name));
  return file && json::parse(file, nullptr, false).contains(kind);
}

std::vector<Graph> read_set(const std::string& folder, const std::string& name) {
  const std::string path = graphs_path(folder, name);
  std::ifstream file = open(path);
  const app::LineParser parse = app::node_link_parser();
  std::vector<Graph> graphs;
  for (std::string line; std::getline(file, line);) {
    const std::string place = fmt::format("{}:{}", path, graphs.size() + 1);
    try {
      graphs.push_back(parse(line, place));
    } catch (const Error& error) {
      throw Error(fmt::format("{}: {}", place, error.what()));
    }
  }
  app::unify_labels(graphs);
  return graphs;
}

std::vector<ReferenceValue> read_references(const std::string& folder, const std::string& name, const std::string& kind,
                                            const std::string& q) {
  const std::string path = references_path(folder, name);
  std::ifstream file = open(path);
  std::vector<ReferenceValue> references;
  try {
    const json all = json::parse(file);
    for (const json& entry : all.at(kind).at(q)) {
      references.push_back(
          {{entry.at(0).get<std::int32_t>(), entry.at(1).get<std::int32_t>()}, entry.at(2).get<double>()});
    }
  } catch (const json::exception& error) {
    throw Error(fmt::format("{}: has no values for {}, q {}: {}", path, kind, q, error.what()));
  }
  if (references.empty()) throw Error(fmt::format("{}: has no values for {}, q {}", path, kind, q));
  return references;
}

}  // namespace octile::bench
