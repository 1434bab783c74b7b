// SPDX-License-Identifier: BSD-3-Clause
// SMILES of polymers with as many atoms as a protein. The time to read them must not grow with the cube of that number.
#include <doctest/doctest.h>

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include <readers/read.hpp>
#include <readers/ring_systems.hpp>

#include "apps/reading.hpp"
#include "common/message_of.hpp"

using namespace octile;

namespace {

struct Polymer {
  const char* unit;
  std::size_t atoms;  ///< of a unit
};

const Polymer polymers[] = {{"CCO", 3}, {"C1=CC=C(C=C1)", 6}, {"NC(C)C(=O)", 5}, {"C1CC2CC(C1)CC2O", 9}};

std::string smiles(const Polymer& polymer, std::size_t units) {
  std::string text;
  for (std::size_t k = 0; k < units; ++k) text += polymer.unit;
  return text;
}

Graph read(const std::string& smiles) { return app::smiles_parser()(smiles, "polymer"); }

/// The labels of one unit's atoms.
LabelColumns labels_of_unit(const Graph& graph, const Polymer& polymer, std::size_t unit) {
  LabelColumns labels;
  for (const auto& entry : graph.vertex_labels()) {
    const std::string& attribute = entry.first;  // a lambda cannot take a structured binding
    const LabelColumn& column = entry.second;
    std::visit(
        [&](const auto& values) {
          const auto first = values.begin() + static_cast<std::ptrdiff_t>(unit * polymer.atoms);
          using Column = std::decay_t<decltype(values)>;
          labels.emplace(attribute, Column(first, first + static_cast<std::ptrdiff_t>(polymer.atoms)));
        },
        column);
  }
  return labels;
}

}  // namespace

TEST_CASE("a SMILES of 20,000 atoms is read within seconds") {
  for (const Polymer& polymer : polymers) {
    CAPTURE(polymer.unit);
    const std::string text = smiles(polymer, 20000 / polymer.atoms);

    const auto start = std::chrono::steady_clock::now();
    const Graph graph = read(text);
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;

    CHECK(graph.vertex_count() == static_cast<std::int32_t>(20000 / polymer.atoms * polymer.atoms));
    // 0.1 to 3 s on a busy machine. Ranking all atoms, or all rings at once, takes minutes to hours.
    CHECK(taken.count() < 30);
  }
}

TEST_CASE("a SMILES that states stereochemistry is refused at once beyond 4,000 atoms") {
  const auto parse = app::smiles_parser();
  const std::string chain(3998, 'C');
  for (const std::string start : {"C[C@H](F)", "FC/C=C/", "F\\C=C/"}) {
    CAPTURE(start);
    const auto began = std::chrono::steady_clock::now();
    const std::string message = test::message_of([&] { parse(start + chain, "long"); });
    CHECK(test::contains(message,
                         "atoms and states stereochemistry, which would take minutes to perceive; allowed are 4,000"));
    // Parsing alone: 0.1 s.
    CHECK(std::chrono::steady_clock::now() - began < std::chrono::seconds(30));
  }
  CHECK(parse("CC(F)" + chain, "long").vertex_count() == 4001);
}

TEST_CASE("a unit of a long polymer has the labels of a unit of a short one") {
  for (const Polymer& polymer : polymers) {
    CAPTURE(polymer.unit);

    const Graph small = read(smiles(polymer, 7));
    const Graph large = read(smiles(polymer, 500));

    CHECK(labels_of_unit(large, polymer, 0) == labels_of_unit(small, polymer, 0));
    CHECK(labels_of_unit(large, polymer, 250) == labels_of_unit(small, polymer, 3));
    CHECK(labels_of_unit(large, polymer, 499) == labels_of_unit(small, polymer, 6));
  }
}

TEST_CASE("ring systems are what is left of a molecule without its bridges") {
  // 0-1-2 a ring, 2-3 a bridge, 3-4-5-6 a ring with the diagonal 3-5, 7 on its own, 8-9 a chain.
  const std::vector<std::pair<int, int>> bonds = {{0, 1}, {1, 2}, {2, 3}, {3, 4}, {4, 5},
                                                  {5, 6}, {6, 3}, {0, 2}, {5, 3}, {9, 8}};

  const std::vector<app::RingSystem> systems = app::ring_systems(10, bonds);

  REQUIRE(systems.size() == 2);
  CHECK(systems[0].atoms == std::vector<int>{0, 1, 2});
  CHECK(systems[0].bonds == std::vector<int>{0, 1, 7});
  CHECK(systems[1].atoms == std::vector<int>{3, 4, 5, 6});
  CHECK(systems[1].bonds == std::vector<int>{3, 4, 5, 6, 8});
}

TEST_CASE("a molecule that is one chain, or has no bonds, has no ring system") {
  std::vector<std::pair<int, int>> chain;
  for (int k = 1; k < 100000; ++k) chain.emplace_back(k - 1, k);

  CHECK(app::ring_systems(100000, chain).empty());
  CHECK(app::ring_systems(3, {}).empty());
  CHECK(app::ring_systems(0, {}).empty());
}

TEST_CASE("many lines, parsed by several threads, come in their order, and each fault with its line and its reason") {
  // Lines of different lengths, so that threads end out of order; every 97th is wrong, in one of four ways.
  const char* const faults[] = {"C1CC", "CC(", "C[Xx]C", "F(C)(C)C"};
  std::vector<std::string> reasons;
  for (const char* fault : faults) reasons.push_back(test::message_of([&] { app::smiles_parser()(fault, "alone"); }));
  std::string text = "# a comment\nsmiles name\n";
  std::vector<std::string> names;
  std::vector<std::string> skipped;
  for (std::size_t k = 0; k < 3000; ++k) {
    const std::size_t line = k + 3;
    if (k % 97 == 13) {
      text += std::string(faults[k % 4]) + "\n";
      skipped.push_back("lines.smi:" + std::to_string(line) + ": " + reasons[k % 4]);
    } else {
      names.push_back("name" + std::to_string(k));
      text += std::string(1 + k * 7 % 40, 'C') + " " + names.back() + "\n";
    }
  }
  const test::TemporaryFolder folder;
  app::ReadOptions options;
  options.skip_invalid = true;
  const app::GraphFile file = app::read_graph_file(folder.write("lines.smi", text), options);
  CHECK(test::names_of(file.graphs) == names);
  REQUIRE(file.skipped.size() == skipped.size());
  for (std::size_t k = 0; k < skipped.size(); ++k) CHECK(file.skipped[k].ends_with(skipped[k]));
}
