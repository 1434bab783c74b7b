// SPDX-License-Identifier: BSD-3-Clause
// Molecules as they are found: lines of SMILES, tables of them, SDF and MOL.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include <readers/read.hpp>

#include "apps/reading.hpp"

using namespace octile;
using namespace octile::test;

namespace {

using Names = std::vector<std::string>;
using Targets = std::map<std::string, double>;

const std::string alanine_block =
    "alanine\n     RDKit          2D\n\n"
    "  6  5  0  0  0  0  0  0  0  0999 V2000\n"
    "    1.5000    1.2990    0.0000 C   0  0  0  0  0  0  0  0  0  0  0  0\n"
    "    0.7500    0.0000    0.0000 C   0  0  0  0  0  0  0  0  0  0  0  0\n"
    "    1.5000   -1.2990    0.0000 N   0  0  0  0  0  0  0  0  0  0  0  0\n"
    "   -0.7500   -0.0000    0.0000 C   0  0  0  0  0  0  0  0  0  0  0  0\n"
    "   -1.5000    1.2990    0.0000 O   0  0  0  0  0  0  0  0  0  0  0  0\n"
    "   -1.5000   -1.2990    0.0000 O   0  0  0  0  0  0  0  0  0  0  0  0\n"
    "  2  1  1  6\n  2  3  1  0\n  2  4  1  0\n  4  5  2  0\n  4  6  1  0\n"
    "M  END\n";

const std::string alanine_v3000 =
    "alanine\n     RDKit          2D\n\n"
    "  0  0  0  0  0  0  0  0  0  0999 V3000\n"
    "M  V30 BEGIN CTAB\nM  V30 COUNTS 6 5 0 0 0\nM  V30 BEGIN ATOM\n"
    "M  V30 1 C 1.500000 1.299038 0.000000 0\nM  V30 2 C 0.750000 0.000000 0.000000 0\n"
    "M  V30 3 N 1.500000 -1.299038 0.000000 0\nM  V30 4 C -0.750000 -0.000000 0.000000 0\n"
    "M  V30 5 O -1.500000 1.299038 0.000000 0\nM  V30 6 O -1.500000 -1.299038 0.000000 0\n"
    "M  V30 END ATOM\nM  V30 BEGIN BOND\nM  V30 1 1 2 1 CFG=3\nM  V30 2 1 2 3\nM  V30 3 1 2 4\n"
    "M  V30 4 2 4 5\nM  V30 5 1 4 6\nM  V30 END BOND\nM  V30 END CTAB\nM  END\n";

const std::string water_block =
    "\n\n\n  3  2  0  0  0  0            999 V2000\n"
    "    0.0000    0.0000    0.0000 O   0  0\n    1.0000    0.0000    0.0000 H   0  0\n"
    "    0.0000    1.0000    0.0000 H   0  0\n  1  2  1  0\n  1  3  1  0\nM  END\n";

Graph of_smiles(const std::string& smiles) { return app::smiles_parser()(smiles, "molecule"); }

app::ReadOptions with(app::Columns columns, bool skip_invalid = false) {
  app::ReadOptions options;
  options.columns = std::move(columns);
  options.skip_invalid = skip_invalid;
  return options;
}

std::string with_line(std::string text, const std::string& line, const std::string& other) {
  return text.replace(text.find(line), line.size(), other);
}

}  // namespace

TEST_CASE("a file of SMILES may have a header, comments, tabs, titles of several words and ends of lines with CR") {
  const std::vector<Graph> graphs =
      graphs_of("some.smi",
                "\xEF\xBB\xBF# from a database\r\n\r\nSMILES\tName\tMass\r\n"
                "CCO\tethyl alcohol\t46.07\r\n  C   methane, a gas \r\nCC\r\nO\t\t18\r\n");
  CHECK(names_of(graphs) == Names{"ethyl alcohol", "methane, a gas", "some.smi:6", "some.smi:7"});
  CHECK(names_of(graphs_of("a.smi", "canonical_smiles id\nC a")) == Names{"a"});
  CHECK(names_of(graphs_of("a.smi", "smiles\nC a")) == Names{"a"});
}

TEST_CASE("only the first line may be a header, and only if it names SMILES") {
  CHECK(refusal("a.smi", "C a\nsmiles name\n").starts_with("a.smi:2: 'smiles' is not a valid SMILES"));
  CHECK(refusal("a.smi", "id name\nC a\n").starts_with("a.smi:1: 'id' is not a valid SMILES"));
  CHECK(contains(refusal("a.smi", "smiles name\n"), "holds no graph"));
}

TEST_CASE("a comma, a semicolon or a tab may separate a SMILES from its name and from further columns") {
  const std::vector<Graph> graphs =
      graphs_of("a.smi", "Smiles;name\nCCO,a\nCC;b c;1.5\nC, d e ,2\nN,\nO;\tf\nCCC g,h\nCCCC\ti;j\tk\n");
  CHECK(names_of(graphs) == Names{"a", "b c", "d e", "a.smi:5", "f", "g,h", "i;j"});
  CHECK(graphs[0].vertex_count() == 3);
  CHECK(graphs[2].vertex_count() == 1);
  // What stands before is no SMILES, as in a pattern.
  CHECK(refusal("a.smi", "C\n[C,N]C x\n").starts_with("a.smi:2: '[C,N]C' is not a valid SMILES"));
  CHECK(refusal("a.smi", "C\n,CC\n").starts_with("a.smi:2: ',CC' is not a valid SMILES"));
  CHECK(refusal("a.smi", "name,smiles\nC,CC\n").starts_with("a.smi:1: 'name' is not a valid SMILES"));
  CHECK(refusal("a.smi", "structure id\nC a\n").starts_with("a.smi:1: 'structure' is not a valid SMILES"));
}

TEST_CASE("a table whose first line has semicolons and no comma is separated by semicolons") {
  app::ReadOptions options;
  options.columns.name = "name";
  options.columns.targets = {"y"};
  const std::vector<Graph> graphs = graphs_of("a.csv", "\"smiles\";name;y\nCCO;\"a;b\";1.5\nC;c, d;-2\n", options);
  CHECK(names_of(graphs) == Names{"a;b", "c, d"});
  CHECK(graphs[1].targets() == Targets{{"y", -2}});
  CHECK(refusal("a.csv", "smiles;name;y\nC;a;1,5\n", options).starts_with("a.csv:2: "));
  CHECK(refusal("a.csv", "smiles,name,y;z\nC;a;1\n", options).find("there is no column 'y'") != std::string::npos);
}

TEST_CASE("a table has its SMILES in the column of that name, and names and targets where it is told") {
  const std::string text =
      "id,\"mass, in u\",Smiles\r\n"
      "\"ethyl \"\"alcohol\"\"\",4.607e1,CCO\r\n"
      "\r\n"
      "\"two\nlines\",,\"C\"\r\n"
      " , NaN , CC ";
  CHECK(names_of(graphs_of("some.csv", text)) == Names{"some.csv:2", "some.csv:4", "some.csv:6"});

  const std::vector<Graph> graphs = graphs_of("some.csv", text, with({"", "id", {"mass, in u"}}));

  CHECK(names_of(graphs) == Names{"ethyl \"alcohol\"", "two\nlines", "some.csv:6"});
  CHECK(graphs[0].targets() == Targets{{"mass, in u", 46.07}});
  CHECK(graphs[1].targets().empty());
  CHECK(graphs[2].targets().empty());
  CHECK(equal_but_for_names(graphs[2], of_smiles("CC")));
}

TEST_CASE("a table separated by tabs reads as one separated by commas") {
  const app::ReadOptions options = with({"structure", "n, m", {"y", "z"}});
  const std::vector<Graph> graphs = graphs_of("a.tsv", "structure\tz\tn, m\ty\nCCO\t1\ta, b\t-2e-3\n", options);
  CHECK(names_of(graphs) == Names{"a, b"});
  CHECK(graphs[0].targets() == Targets{{"y", -2e-3}, {"z", 1}});
}

TEST_CASE("a column that is not there is refused with those that are") {
  const std::string text = "id,smiles,y\na,C,1\n";
  CHECK(refusal("a.csv", text, with({"x", "", {}})) ==
        "a.csv:1: --smiles-column: there is no column 'x'; allowed are 'id', 'smiles', 'y'");
  CHECK(contains(refusal("a.csv", text, with({"", "Id", {}})), "--name-column: there is no column 'Id'"));
  CHECK(contains(refusal("a.csv", text, with({"", "", {"y", "mass"}})), "--target-column: there is no column 'mass'"));
  CHECK(refusal("a.csv", "id,y\na,1\n") ==
        "a.csv:1: no column is called 'smiles'; --smiles-column says which of 'id', 'y' is meant");
  CHECK(contains(refusal("a.csv", "smiles,SMILES\nC,C\n"), "several columns are called 'smiles'"));
  CHECK(contains(refusal("a.csv", "smiles,y,y\nC,1,2\n", with({"", "", {"y"}})), "'y' is the name of several columns"));
  CHECK(contains(refusal("a.csv", ""), "a.csv: is empty"));
  CHECK(contains(refusal("a.csv", "smiles\n"), "holds no graph"));
}

TEST_CASE("a record of a table that is wrong is refused with its line, or passed over") {
  const std::string text =
      "smiles,y\n"
      "C,1\n"
      "C\n"
      "C,1,2\n"
      "C1CC,1\n"
      ",1\n"
      "\"C\"C,1\n"
      "\"C\n\",high\n"
      "CC,2\n";
  const test::TemporaryFolder folder;
  const app::GraphFile file =
      app::read_graph_file(folder.write("bad.csv", text), with({"", "", {"y"}}, /* skip_invalid= */ true));
  CHECK(file.graphs.size() == 2);
  REQUIRE(file.skipped.size() == 6);
  CHECK(contains(file.skipped[0], "bad.csv:3: has 1 field; allowed are 2"));
  CHECK(contains(file.skipped[1], "bad.csv:4: has 3 fields; allowed are 2"));
  CHECK(contains(file.skipped[2], "bad.csv:5: 'C1CC' is not a valid SMILES"));
  CHECK(contains(file.skipped[3], "bad.csv:6: '' is not a valid SMILES: no atoms"));
  CHECK(contains(file.skipped[4], "bad.csv:7: 'C,1' follows a closing quote"));
  CHECK(contains(file.skipped[5], "bad.csv:8: target 'y' is 'high'; allowed is a finite number"));
  CHECK(refusal("a.csv", "smiles,y\nC,1\n\"C,1\nC,1\n") ==
        "a.csv:3: a field begins with a double quote that is not closed");
}

TEST_CASE("SDF of both versions gives the graph that SMILES gives, with its title and its data items") {
  const Graph alanine = of_smiles("C[C@H](N)C(=O)O");
  CHECK(std::get<std::vector<std::string>>(alanine.vertex_labels().at("chirality"))[1] == "S");
  const std::string sdf = alanine_block + "> <logP> (1)\n-2.96\n\n>  <id>\nA\n\n$$$$\n" + alanine_v3000 + "$$$$\r\n" +
                          water_block + "> <id>\nwater\n\n> <logP>\n\n$$$$\n\n";

  const std::vector<Graph> graphs = graphs_of("some.sdf", sdf);

  CHECK(names_of(graphs) == Names{"alanine", "alanine", "some.sdf:3"});
  CHECK(equal_but_for_names(graphs[0], alanine));
  CHECK(equal_but_for_names(graphs[1], alanine));
  CHECK(equal_but_for_names(graphs[2], of_smiles("O")));
  const std::vector<Graph> alone = graphs_of("alone.mol", alanine_block);
  CHECK(names_of(alone) == Names{"alanine"});
  CHECK(equal_but_for_names(alone[0], alanine));

  const app::ReadOptions options = with({"", "id", {"logP"}}, /* skip_invalid= */ true);
  const std::vector<Graph> chosen = graphs_of("some.sdf", sdf, options);
  CHECK(names_of(chosen) == Names{"A", "water"});  // the second has no data items
  CHECK(chosen[0].targets() == Targets{{"logP", -2.96}});
  CHECK(chosen[1].targets().empty());
}

TEST_CASE("what is no SDF is refused with file and line") {
  CHECK(contains(refusal("a.sdf", ""), "holds no graph"));
  CHECK(refusal("a.sdf", "alanine\n\n\n").starts_with("a.sdf:1: molecule 1 has no line 'M  END'"));
  CHECK(refusal("a.sdf", "$$$$\n").starts_with("a.sdf:1: molecule 1 has no line 'M  END'"));
  const std::string whole = alanine_block + "$$$$\n";
  // The line that RDKit counts in the molecule is told as the file's.
  const std::string element = with_line(alanine_block, "N   0", "Qq  0");
  CHECK(contains(refusal("a.sdf", whole + element), "a.sdf:18: molecule 2 is not valid: "));
  const std::string count = with_line(alanine_block, "  6  5", "  x  5");
  CHECK(refusal("a.sdf", whole + count).starts_with("a.sdf:21: molecule 2 is not valid: Cannot convert"));
  const std::string coordinate = with_line(alanine_block, "    1.5000   -1.2990", "    abcdef   -1.2990");
  CHECK(refusal("a.sdf", coordinate).starts_with("a.sdf:7: molecule 1 is not valid: "));
  const std::string bond = with_line(alanine_block, "  4  6  1", "  4  9  1");
  CHECK(contains(refusal("a.sdf", bond), "molecule 1 is not valid: "));
  const std::string valence = with_line(alanine_block, "  2  3  1", "  2  3  3");
  const std::string version = with_line(alanine_block, "V2000", "V9000");
  CHECK(refusal("a.sdf", version).starts_with("a.sdf:4: molecule 1 is not valid: "));
  CHECK(contains(refusal("a.sdf", valence), "molecule 1 is not valid: "));
  CHECK(contains(refusal("a.sdf", "\n\n\n  0  0  0  0  0  0            999 V2000\nM  END\n"), "no atoms"));
  CHECK(refusal("a.sdf", alanine_block + "> <b>\n1\n\n> <c>\n2\n", with({"", "", {"a"}})) ==
        "a.sdf:1: molecule 1 has no data item 'a', which --target-column names; allowed are 'b', 'c'");
  CHECK(contains(refusal("a.sdf", alanine_block + "> <b>\nhigh\n", with({"", "", {"b"}})), "target 'b' is 'high'"));
  CHECK(contains(refusal("a.sdf", alanine_block + "> <b>\n1\n2\n", with({"", "", {"b"}})),
                 "has the data item 'b', which --target-column names, of 2 lines; allowed is one line, once"));
  CHECK(contains(refusal("a.sdf", alanine_block + "> <b>\n1\n\n> <b>\n2\n", with({"", "b", {}})),
                 "has the data item 'b', which --name-column names, 2 times"));
}

TEST_CASE("a pattern, of which an atom or a bond is one of several, is refused") {
  const auto v3000 = [](const std::string& atom, const std::string& bond) {
    return "x\n\n\n  0  0  0  0  0  0            999 V3000\nM  V30 BEGIN CTAB\nM  V30 COUNTS 2 1 0 0 0\nM  V30 BEGIN "
           "ATOM\nM  V30 1 " +
           atom + " 0 0 0 0\nM  V30 2 O 1.4 0 0 0\nM  V30 END ATOM\nM  V30 BEGIN BOND\nM  V30 1 " + bond +
           " 1 2\nM  V30 END BOND\nM  V30 END CTAB\nM  END\n";
  };
  CHECK(graphs_of("a.mol", v3000("C", "1")).front().vertex_count() == 2);
  CHECK(graphs_of("a.mol", v3000("R1", "1")).front().vertex_count() == 2);
  // The library's parser crashes on an empty list.
  for (const char* list : {"[]", "[N,O]", "NOT[N,O]"}) {
    CAPTURE(list);
    CHECK(refusal("a.mol", v3000(list, "1")) ==
          "a.mol:8: molecule 1 is a pattern: an atom is one of a list of elements; allowed is one");
  }
  for (const char* any : {"A", "Q", "X", "M"}) {
    CAPTURE(any);
    CHECK(contains(refusal("a.mol", v3000(any, "1")), "molecule 1 is a pattern: atom 1 is one of several elements"));
  }
  for (const char* order : {"5", "6", "7", "8"}) {
    CAPTURE(order);
    CHECK(contains(refusal("a.mol", v3000("C", order)),
                   "is a pattern: the bond of atoms 1 and 2 is of one of several orders"));
  }
  const std::string v2000 =
      "m\n  p\n\n  2  1  0  0  0  0            999 V2000\n    0.0000    0.0000    0.0000 L   0  0\n"
      "    1.4000    0.0000    0.0000 O   0  0\n  1  2  1\nM  ALS   1  2 F N   O   \nM  END\n";
  CHECK(contains(refusal("a.mol", v2000), "is a pattern: atom 1 is one of several elements"));
}
