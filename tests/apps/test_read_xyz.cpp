// SPDX-License-Identifier: BSD-3-Clause
// XYZ files, plain and compressed, and the messages for invalid ones.
#include <doctest/doctest.h>

#include <readers/read.hpp>

#include <map>
#include <string>
#include <vector>

#include "common/message_of.hpp"
#include "common/temporary_folder.hpp"

using namespace octile;
using test::contains;

namespace {

const std::string water_and_neon =
    "3\n"
    "water at rest\n"
    "O   0.0  0.0  0.0\n"
    "H   0.96 0.0  0.0   0.4 1 2\n"
    "h  -0.24 +0.93 0.0E0\r\n"
    "\n"
    "1\n"
    "\n"
    "10\t0 0 0";

std::string refusal(const std::string& text) {
  const test::TemporaryFolder folder;
  const std::string path = folder.write("bad.xyz", text);
  const std::string message = test::message_of([&] { app::read_graphs(path); });
  CHECK(message.starts_with(path));
  CHECK_FALSE(contains(message, "\n"));
  return message.substr(std::min(path.size(), message.size()));
}

template <class Type>
std::vector<Type> column(const LabelColumns& columns, const char* attribute) {
  return std::get<std::vector<Type>>(columns.at(attribute));
}

}  // namespace

TEST_CASE("frames become graphs with elements, places and distances") {
  const test::TemporaryFolder folder;
  const std::vector<Graph> graphs = app::read_graphs(folder.write("two.xyz", water_and_neon), {2.0, 1.0});
  REQUIRE(graphs.size() == 2);
  const Graph& water = graphs[0];
  CHECK(water.name() == "water");
  CHECK(column<std::string>(water.vertex_labels(), "element") == std::vector<std::string>{"O", "H", "H"});
  CHECK(column<std::int64_t>(water.vertex_labels(), "atomic_number") == std::vector<std::int64_t>{8, 1, 1});
  CHECK(column<double>(water.vertex_labels(), "x") == std::vector<double>{0, 0.96, -0.24});
  CHECK(column<double>(water.vertex_labels(), "y") == std::vector<double>{0, 0, 0.93});
  CHECK(column<double>(water.vertex_labels(), "z") == std::vector<double>{0, 0, 0});
  REQUIRE(water.edge_count() == 3);
  CHECK(column<double>(water.edge_labels(), "length")[0] == 0.96);
  CHECK(water.edges()[0].weight == 1 - 0.96 / 2.0);
  CHECK(graphs[1].name() == "two.xyz:2");
  CHECK(graphs[1].vertex_count() == 1);
  CHECK(column<std::string>(graphs[1].vertex_labels(), "element") == std::vector<std::string>{"Ne"});
  CHECK(graphs[1].edge_labels().contains("length"));
}

TEST_CASE("a compressed file reads as the plain one") {
  const test::TemporaryFolder folder;
  const std::vector<Graph> graphs = app::read_graphs(folder.write_compressed("two.xyz.gz", water_and_neon));
  REQUIRE(graphs.size() == 2);
  CHECK(graphs[0].edge_count() == 3);
  const std::string smiles = folder.write_compressed("drugs.smi.gz", "CCO ethanol\n");
  CHECK(app::read_graphs(smiles).front().name() == "ethanol");
}

TEST_CASE("a compressed file that is cut off is refused") {
  const test::TemporaryFolder folder;
  const std::string path = folder.write_compressed("two.xyz.gz", water_and_neon);
  std::filesystem::resize_file(path, std::filesystem::file_size(path) - 9);
  CHECK(contains(test::message_of([&] { app::read_graphs(path); }), "cut off"));
}

TEST_CASE("extended XYZ names its frame and its columns") {
  const test::TemporaryFolder folder;
  const std::vector<Graph> graphs = app::read_graphs(folder.write(
      "one.extxyz",
      "2\nLattice=\"9 0 0 0 9 0 0 0 9\" Properties=id:I:1:pos:R:3:forces:R:3:species:S:1 name=\"a b\" energy=-1\n"
      "1  0 0 0  9 9 9  C\n"
      "2  1 0 0  9 9 9  O\n"));
  REQUIRE(graphs.size() == 1);
  CHECK(graphs[0].name() == "a b");
  CHECK(column<std::string>(graphs[0].vertex_labels(), "element") == std::vector<std::string>{"C", "O"});
  CHECK(column<double>(graphs[0].edge_labels(), "length") == std::vector<double>{1});
}

TEST_CASE("numbers of the comment are targets, and lists, texts, unknown ones and keys of the format are none") {
  const test::TemporaryFolder folder;
  const std::vector<Graph> graphs =
      app::read_graphs(folder.write("two.xyz",
                                    "1\nfirst energy=-1.5 charge=+2 mass=\"3e0\" gap=NaN dipole=\"1 2 3\" "
                                    "config_type=bulk free=T =4 name=7 pbc=\"F F "
                                    "F\"\nC 0 0 0\n"
                                    "1\nLattice=\"9 0 0 0 9 0 0 0 9\" energy=-2\nC 0 0 0\n"));
  REQUIRE(graphs.size() == 2);
  CHECK(graphs[0].name() == "first");
  CHECK(graphs[0].targets() == std::map<std::string, double>{{"energy", -1.5}, {"charge", 2}, {"mass", 3}});
  CHECK(graphs[1].targets() == std::map<std::string, double>{{"energy", -2}});
  for (const char* value : {"inf", "-inf", "1e400"}) {
    CAPTURE(value);
    CHECK(refusal(std::string("1\nenergy=") + value + "\nC 0 0 0\n")
              .starts_with(std::string(":2: frame 1 of 1 atom: the target 'energy' is '") + value + "'; allowed is a"));
  }
  CHECK(refusal("1\nenergy=1 energy=2\nC 0 0 0\n").starts_with(":2: frame 1 of 1 atom: the target 'energy' is given"));
}

TEST_CASE("what is no XYZ is refused in one line with file, line, what was found and what is allowed") {
  CHECK(contains(refusal(""), "holds no graph"));
  for (const std::string number : {"two", "-1", "99999999999"}) {
    CAPTURE(number);
    CHECK(
        refusal(number + "\n\n")
            .starts_with(":1: '" + number + "' is no number of atoms, with which frame 1 should begin; allowed is 1"));
  }
  CHECK(refusal("0\n\n").starts_with(":1: frame 1 of 0 atoms: "));
  CHECK(refusal("1\n").starts_with(":1: the file ends in frame 1, after 0 of its 1 atom"));
  CHECK(refusal("2\n\nC 0 0 0\n").starts_with(":3: the file ends in frame 1, after 1 of its 2 atoms"));
  for (const std::string symbol : {"Qq", "C1", "119"}) {
    CAPTURE(symbol);
    CHECK(refusal("1\n\n" + symbol + " 0 0 0\n")
              .starts_with(":3: frame 1 of 1 atom: '" + symbol + "' is no element; allowed is a symbol"));
  }
  for (const std::string number : {"nan", "1e999", "1.0x"}) {
    CAPTURE(number);
    CHECK(refusal("1\n\nC 0 " + number + " 0\n")
              .starts_with(":3: frame 1 of 1 atom: '" + number + "' is no coordinate y; allowed is a finite"));
  }
  CHECK(refusal("1\n\nC 0 0 nan\n").starts_with(":3: frame 1 of 1 atom: 'nan' is no coordinate z"));
  CHECK(refusal("1\n\nC 0 0\n").starts_with(":3: frame 1 of 1 atom: 'C 0 0' has 3 columns; allowed are 4 or more"));
  // A wrong number of atoms is reported at the first line that is not what the number makes expect.
  CHECK(refusal("2\n\nC 0 0 0\n1\n\nC 0 0 0\n").starts_with(":4: frame 1 of 2 atoms: '1' has 1 column"));
  CHECK(refusal("1\n\nC 0 0 0\nC 1 0 0\n").starts_with(":4: 'C 1 0 0' is no number of atoms, with which frame 2"));
  CHECK(refusal("1\nProperties=species:S:1:pos:R:2\nC 0 0 0\n").starts_with(":2: frame 1 of 1 atom: 'Properties' is"));
}

TEST_CASE("frames that are refused can be passed over") {
  const test::TemporaryFolder folder;
  app::ReadOptions options;
  options.skip_invalid = true;
  const app::GraphFile file = app::read_graph_file(
      folder.write("some.xyz", "2\na\nC 0 0 0\nQq 1 0 0\n1\nb\nC 0 0 0\n0\nc\n1\nd\nO 0 0 0\n"), options);
  REQUIRE(file.graphs.size() == 2);
  CHECK(file.graphs[0].name() == "b");
  CHECK(file.graphs[1].name() == "d");
  REQUIRE(file.skipped.size() == 2);
  CHECK(contains(file.skipped[0], "some.xyz:4: "));
  CHECK(contains(file.skipped[1], "some.xyz:8: "));
}
