// SPDX-License-Identifier: BSD-3-Clause
// What atoms and bonds are labelled with, on molecules that are looked up by hand.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include <readers/attributes.hpp>
#include <readers/molecule_features.hpp>
#include <readers/read.hpp>

#include "apps/reading.hpp"
#include "common/message_of.hpp"

using namespace octile;

namespace {

using Integers = std::vector<std::int64_t>;
using Reals = std::vector<double>;
using Texts = std::vector<std::string>;
using Lists = std::vector<TextList>;

Graph read(const std::string& smiles, const std::string& features, bool hydrogens = false) {
  return app::smiles_parser(app::default_max_vertices, {features, hydrogens})(smiles, "molecule");
}

template <class Column>
Column labels(const Graph& graph, const std::string& name) {
  return std::get<Column>(graph.vertex_labels().at(name));
}

Integers morgan(const std::string& smiles, int radius) {
  const std::string name = "morgan" + std::to_string(radius);
  return labels<Integers>(read(smiles, name), name);
}

Texts names(const LabelColumns& columns) {
  Texts found;
  for (const auto& [name, column] : columns) found.push_back(name);
  return found;
}

}  // namespace

TEST_CASE("rings are counted and measured") {
  // A three-ring and a five-ring that share the bond of atoms 1 and 2.
  const Graph graph = read("C1C2C1CCC2", "ring_size,rings,degree");
  CHECK(labels<Integers>(graph, "ring_size") == Integers{3, 3, 3, 5, 5, 5});
  CHECK(labels<Integers>(graph, "rings") == Integers{1, 2, 2, 1, 1, 1});
  CHECK(labels<Integers>(graph, "degree") == Integers{2, 3, 3, 2, 2, 2});
  CHECK(names(graph.vertex_labels()) == Texts{"degree", "ring_size", "rings"});
  CHECK(graph.edge_labels().empty());
  CHECK(labels<Integers>(read("CCO", "ring_size"), "ring_size") == Integers{0, 0, 0});
}

TEST_CASE("masses are those of isotopes where they are given") {
  const Reals masses = labels<Reals>(read("C[13CH3]", "mass"), "mass");
  CHECK(masses[0] == doctest::Approx(12.011));
  CHECK(masses[1] == doctest::Approx(13.00335484));
}

TEST_CASE("the elements around an atom are listed by their distance") {
  const Graph graph = read("CCO.N", "all");
  CHECK(labels<Lists>(graph, "neighbors1") == Lists{{"C"}, {"C", "O"}, {"C"}, {"none"}});
  CHECK(labels<Lists>(graph, "neighbors2") == Lists{{"O"}, {"none"}, {"C"}, {"none"}});
  CHECK(labels<Lists>(graph, "neighbors3") == Lists(4, {"none"}));
  // In a ring of four the opposite atom is met from both sides.
  CHECK(labels<Lists>(read("C1CCO1", "neighbors2"), "neighbors2") == Lists{{"C"}, {"O"}, {"C"}, {"C"}});
  CHECK(labels<Lists>(read("CCCCN", "neighbors4"), "neighbors4")[0] == TextList{"N"});
}

TEST_CASE("the elements around an atom are counted by their distance") {
  //                    H  B  C  N  O  F  Si P  S  Cl Br I  others
  const RealList none = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
  const RealList carbon = {0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
  const Graph graph = read("CC([Se])(Cl)Cl", "neighbor_counts1,neighbor_counts2,neighbor_counts3");
  const std::vector<RealList> near = labels<std::vector<RealList>>(graph, "neighbor_counts1");
  CHECK(near == std::vector<RealList>{carbon, {0, 0, 1, 0, 0, 0, 0, 0, 0, 2, 0, 0, 1}, carbon, carbon, carbon});
  CHECK(labels<std::vector<RealList>>(graph, "neighbor_counts2")[0] == RealList{0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 1});
  CHECK(labels<std::vector<RealList>>(graph, "neighbor_counts3") == std::vector<RealList>(5, none));
  // All atoms of the list, in its order, and those four bonds away; hydrogens where they are vertices.
  CHECK(labels<std::vector<RealList>>(read("CCCCN", "neighbor_counts4"), "neighbor_counts4")[0][3] == 1);
  CHECK(labels<std::vector<RealList>>(read("[H][H]", "all"), "neighbor_counts1")[0][0] == 1);
  for (const std::size_t place : {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}) {
    const std::vector<std::string> symbols = {"", "B", "C", "N", "O", "F", "[SiH3]", "P", "S", "Cl", "Br", "I"};
    CAPTURE(place);
    RealList expected = none;
    expected[place] = 1;
    CHECK(labels<std::vector<RealList>>(read("C" + symbols[place], "all"), "neighbor_counts1")[0] == expected);
  }
}

TEST_CASE("Morgan's numbers tell apart what differs within their radius, whatever the order of the atoms") {
  // The methyl groups of propan-1-ol and butan-1-ol differ from 3 bonds on.
  CHECK(morgan("CCCO", 2)[0] == morgan("CCCCO", 2)[0]);
  CHECK(morgan("CCCO", 3)[0] != morgan("CCCCO", 3)[0]);
  for (const int radius : {0, 1, 2, 3}) {
    CAPTURE(radius);
    const Integers forward = morgan("CCO", radius);
    Integers backward = morgan("OCC", radius);
    std::ranges::reverse(backward);
    CHECK(forward == backward);
    for (const std::int64_t number : forward) CHECK((number >= 0 && number < std::int64_t{1} << 53U));
  }
  const auto kinds = [](const Integers& numbers) { return std::set(numbers.begin(), numbers.end()).size(); };
  CHECK(kinds(morgan("CC(C)(C)C", 0)) == 2);
  // Isotopes differ where their mass does by a unit or more from the element's, as RDKit takes it.
  CHECK(kinds(morgan("C.[14CH4].[CH3-]", 0)) == 3);
  CHECK(kinds(morgan("C.[13CH4]", 0)) == 1);
  CHECK(morgan("C=C", 1)[0] != morgan("CC", 1)[0]);
}

TEST_CASE("hydrogens become vertices where they are asked for") {
  const Graph methanol = read("CO", "default", true);
  CHECK(labels<Texts>(methanol, "element") == Texts{"C", "O", "H", "H", "H", "H"});
  CHECK(labels<Integers>(methanol, "hydrogens") == Integers{3, 1, 0, 0, 0, 0});
  CHECK(methanol.edge_count() == 5);
  const Graph benzene = read("c1ccccc1", "all", true);
  CHECK(benzene.vertex_count() == 12);
  CHECK(labels<Integers>(benzene, "ring_size") == Integers{6, 6, 6, 6, 6, 6, 0, 0, 0, 0, 0, 0});
  CHECK(labels<Texts>(read("C[C@H](N)C(=O)O", "chirality", true), "chirality")[1] == "S");
}

TEST_CASE("the usual features are those of the set default") {
  CHECK(names(read("CO", "default").vertex_labels()) == Texts{"aromatic", "atomic_number", "charge", "chirality",
                                                              "element", "hybridization", "hydrogens", "in_ring",
                                                              "ring_sizes"});
  CHECK(names(read("CO", "default").edge_labels()) == Texts{"conjugated", "in_ring", "order", "stereo"});
  const Graph graph = read("CO", " mass , default, order ");
  CHECK(graph.vertex_labels().size() == 10);
  const Graph rings = read("CO", "in_ring");
  CHECK(rings.vertex_labels().size() == 1);
  CHECK(rings.edge_labels().size() == 1);
}

TEST_CASE("an unknown feature is refused with those that are known") {
  for (const std::string bad : {"colour", "", "mass,", "Mass", "default all"}) {
    CAPTURE(bad);
    const std::string message = test::message_of([&] { app::check_features(bad); });
    CHECK(test::contains(message, "is no feature of molecules; allowed are default, all, element, "));
  }
}

TEST_CASE("every feature stands in the list of attributes with its type") {
  const std::vector<app::FormatAttributes> all = app::attributes_by_format();
  REQUIRE(all.size() == 4);
  CHECK(all[0].formats == "molecules (.smi, .csv, .tsv, .sdf, .mol)");
  CHECK(all[0].attributes.size() == app::molecule_features().size());
  const auto type = [&](const std::string& name) {
    return std::ranges::find(all[0].attributes, name, &app::AttributeInfo::name)->type;
  };
  CHECK(type("element") == "text");
  CHECK(type("morgan2") == "integer");
  CHECK(type("mass") == "real");
  CHECK(type("neighbors1") == "list of texts");
  CHECK(type("neighbor_counts1") == "list of reals");
  CHECK(type("ring_sizes") == "list of reals");
}

TEST_CASE("what the list says of atoms in space is what is read") {
  const auto list = app::attributes_by_format()[1].attributes;
  const Graph graph =
      test::graphs_of("a.pdb",
                      "HETATM    1  CA  ALA A   1       0.000   0.000   0.000  1.00  0.00           C\n"
                      "HETATM    2  CB  ALA A   1       1.500   0.000   0.000  1.00  0.00           C\n")[0];
  CHECK(list.size() == graph.vertex_labels().size() + graph.edge_labels().size());
  for (const app::AttributeInfo& attribute : list) {
    CAPTURE(attribute.name);
    const LabelColumns& columns = attribute.of_edges ? graph.edge_labels() : graph.vertex_labels();
    REQUIRE(columns.contains(attribute.name));
    CHECK(column_type_name(columns.find(attribute.name)->second) == attribute.type);
  }
}
