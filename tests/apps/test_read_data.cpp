// SPDX-License-Identifier: BSD-3-Clause
// The readers on the real data of the folder OCTILE_DATA, whose README says what it holds. Without the folder they are skipped.
#include <doctest/doctest.h>

#include <readers/read.hpp>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "apps/spatial_oracle.hpp"
#include "common/skips.hpp"

using namespace octile;

namespace {

/// The path of a file in the data. If it does not exist, reports that and returns an empty text.
std::string data_path(const std::string& name) {
  const char* folder = std::getenv("OCTILE_DATA");
  std::string path = std::string(folder != nullptr ? folder : "") + "/" + name;
  if (std::filesystem::exists(path)) return path;
  test::skip(fmt::format("there is no {}; OCTILE_DATA names the folder of the data sets", path));
  return "";
}

/// Heavy atoms of each entry, by its name in lower case.
std::map<std::string, std::int32_t> heavy_atoms_by_entry(const std::string& index) {
  std::map<std::string, std::int32_t> counts;
  std::ifstream file(index);
  std::string line;
  for (std::getline(file, line); std::getline(file, line);) {
    std::istringstream words(line);
    std::string entry;
    std::int32_t count = 0;
    words >> entry >> count;
    for (char& letter : entry) letter = letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter | 0x20) : letter;
    counts[entry] = count;
  }
  return counts;
}

std::vector<app::Place> places_of(const Graph& graph) {
  const auto column = [&graph](const char* axis) {
    return std::get<std::vector<double>>(graph.vertex_labels().at(axis));
  };
  const std::vector<double> x = column("x");
  const std::vector<double> y = column("y");
  const std::vector<double> z = column("z");
  std::vector<app::Place> places;
  for (std::size_t k = 0; k < x.size(); ++k) places.push_back({x[k], y[k], z[k]});
  return places;
}

const std::vector<double>& lengths_of(const Graph& graph) {
  return std::get<std::vector<double>>(graph.edge_labels().at("length"));
}

bool same(const Graph& a, const Graph& b) {
  return a.vertex_labels().at("element") == b.vertex_labels().at("element") && places_of(a) == places_of(b) &&
         a.edges() == b.edges() && a.edge_labels() == b.edge_labels();
}

}  // namespace

TEST_CASE("every protein has the heavy atoms that its index says, and PDB and XYZ give the same graphs") {
  const std::string folder = data_path("proteins");
  if (folder.empty()) return;
  const std::map<std::string, std::int32_t> expected = heavy_atoms_by_entry(folder + "/index.tsv");
  REQUIRE(expected.size() == 83);
  const app::SpatialRule rule{4.0, 2.0};
  const std::vector<Graph> frames = app::read_graphs(folder + "/heavy_dev.xyz", rule);
  CHECK(frames.size() == 83);
  for (const Graph& frame : frames) {
    CAPTURE(frame.name());
    std::string entry = frame.name();
    for (char& letter : entry) letter = letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter | 0x20) : letter;
    const Graph protein = app::read_graphs(fmt::format("{}/model1/{}_model1.pdb", folder, entry), rule).front();
    CHECK(protein.vertex_count() == expected.at(entry));
    CHECK(same(protein, frame));
    test::check_joined(protein.edges(), lengths_of(protein), test::all_pairs_joined(places_of(protein), rule));
  }
}

TEST_CASE("the molecules of QM7 are read from their compressed frames") {
  const std::string path = data_path("qm7/qm7_train.extxyz.gz");
  if (path.empty()) return;
  const std::vector<Graph> graphs = app::read_graphs(path);
  REQUIRE(graphs.size() == 5656);
  CHECK(graphs.front().name() == "0001.xyz");
  CHECK(graphs.front().vertex_count() == 5);
}

TEST_CASE("the molecules of all files of SMILES are read") {
  for (const auto& [name, count] : {std::pair("chembl_drugs_1203.smi", 1203), std::pair("hiv_41913.smi", 41913)}) {
    const std::string path = data_path(std::string("molecules/") + name);
    if (path.empty()) continue;
    const std::vector<Graph> graphs = app::read_graphs(path);
    CHECK(graphs.size() == static_cast<std::size_t>(count));
    const auto [fewest, most] = std::ranges::minmax(graphs, {}, &Graph::vertex_count);
    CHECK(fewest.vertex_count() == 2);
    CHECK(most.vertex_count() == (count == 1203 ? 96 : 222));
  }
}

TEST_CASE("the tables of measured properties are read with their targets") {
  struct Table {
    const char* name;
    const char* target;
    std::size_t count;
    double first;
  };
  for (const Table& table : {Table{"FreeSolv.csv", "expt", 642, -11.01},
                             {"ESOL.csv", "measured log solubility in mols per litre", 1128, -0.77},
                             {"Lipophilicity.csv", "exp", 4200, 3.54}}) {
    const std::string path = data_path(std::string("properties/") + table.name);
    if (path.empty()) continue;
    app::ReadOptions options;
    options.columns.targets = {table.target};
    const std::vector<Graph> graphs = app::read_graph_file(path, options).graphs;
    CHECK(graphs.size() == table.count);
    CHECK(std::ranges::all_of(graphs, [](const Graph& graph) { return graph.targets().size() == 1; }));
    CHECK(graphs.front().targets().at(table.target) == table.first);
  }
}

TEST_CASE("the datasets of TUDataset are read from their folders with labels and classes") {
  struct Set {
    const char* name;
    std::size_t count;
    std::int32_t fewest, most;
    std::size_t classes;
  };
  for (const Set& set : {Set{"MUTAG", 188, 10, 28, 2}, {"PTC_MR", 344, 2, 64, 2}, {"Cuneiform", 267, 8, 36, 30}}) {
    const std::string folder = data_path(std::string("tudataset/") + set.name);
    if (folder.empty()) continue;
    CAPTURE(set.name);
    const std::vector<std::string> files = app::input_files({folder});
    REQUIRE(files.size() == 1);
    const std::vector<Graph> graphs = app::read_graphs(files.front());
    CHECK(graphs.size() == set.count);
    const auto [fewest, most] = std::ranges::minmax(graphs, {}, &Graph::vertex_count);
    CHECK(fewest.vertex_count() == set.fewest);
    CHECK(most.vertex_count() == set.most);
    std::set<double> classes;
    for (const Graph& graph : graphs) classes.insert(graph.targets().at("label"));
    CHECK(classes.size() == set.classes);
    CHECK(graphs.front().vertex_labels().contains(set.classes == 30 ? "label0" : "label"));
    CHECK(graphs.front().edge_labels().contains("label"));
  }
}
