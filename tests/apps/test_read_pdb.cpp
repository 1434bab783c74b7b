// SPDX-License-Identifier: BSD-3-Clause
// PDB and mmCIF files: which atoms are taken, and the messages for invalid files.
#include <doctest/doctest.h>

#include <readers/read.hpp>

#include <filesystem>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "common/message_of.hpp"
#include "common/temporary_folder.hpp"

using namespace octile;
using test::contains;

namespace {

/// A record of an atom, by the columns of the format.
std::string atom(const char* name, char alternative, const char* residue, int number, double x, const char* element) {
  return fmt::format("HETATM    1 {:<4}{}{:<3} A{:>4}    {:8.3f}{:8.3f}{:8.3f}  1.00  0.00          {:>2}\n", name,
                     alternative, residue, number, x, 0.0, 0.0, element);
}

Graph read_one(const std::string& name, const std::string& text) {
  const test::TemporaryFolder folder;
  const std::vector<Graph> graphs = app::read_graphs(folder.write(name, text));
  REQUIRE(graphs.size() == 1);
  return graphs.front();
}

std::vector<std::string> texts(const Graph& graph, const char* attribute) {
  return std::get<std::vector<std::string>>(graph.vertex_labels().at(attribute));
}

std::string refusal(const std::string& name, const std::string& text) {
  const test::TemporaryFolder folder;
  const std::string path = folder.write(name, text);
  const std::string message = test::message_of([&] { app::read_graphs(path); });
  CHECK(message.starts_with(path));
  CHECK_FALSE(contains(message, "\n"));
  return message.substr(std::min(path.size(), message.size()));
}

using Names = std::vector<std::string>;

/// A record of an atom of a chain.
std::string atom_of(char chain, const char* residue, int number, const char* name, const char* element, double x) {
  std::string line = atom(name, ' ', residue, number, x, element);
  line[21] = chain;
  return line;
}

/// Two chains: A with ALA 1, GLY 2 and a calcium ion, B with ALA -1 and GLY 2, and a water.
const std::string two_chains = atom_of('A', "ALA", 1, " N", "N", 0) + atom_of('A', "ALA", 1, " CA", "C", 1) +
                               atom_of('A', "ALA", 1, " CB", "C", 2) + atom_of('A', "GLY", 2, " CA", "C", 3) +
                               atom_of('A', " CA", 3, "CA", "CA", 4) + atom_of('B', "ALA", -1, " CA", "C", 10) +
                               atom_of('B', "GLY", 2, " CA", "C", 11) + atom_of('B', "HOH", 9, " O", "O", 12);

app::AtomChoice choice_of(const std::string& chains, const std::string& residues, const std::string& atoms) {
  app::AtomChoice choice;
  if (!chains.empty()) choice.set_chains(chains);
  if (!residues.empty()) choice.set_residues(residues);
  if (!atoms.empty()) choice.set_atoms(atoms);
  return choice;
}

/// The coordinates x of the atoms that are taken of the two chains.
std::vector<double> taken(const std::string& chains, const std::string& residues, const std::string& atoms) {
  const test::TemporaryFolder folder;
  app::ReadOptions options;
  options.atoms = choice_of(chains, residues, atoms);
  const Graph graph = app::read_graph_file(folder.write("two.pdb", two_chains), options).graphs.at(0);
  return std::get<std::vector<double>>(graph.vertex_labels().at("x"));
}

using Xs = std::vector<double>;

}  // namespace

TEST_CASE("chains, residues by name and by number, and atoms are chosen") {
  CHECK(taken("", "", "") == Xs{0, 1, 2, 3, 4, 10, 11});
  CHECK(taken("B", "", "") == Xs{10, 11});
  CHECK(taken("B,A", "", "") == Xs{0, 1, 2, 3, 4, 10, 11});
  CHECK(taken("A,Z", "2", "") == Xs{3});
  CHECK(taken("", "GLY", "") == Xs{3, 11});
  CHECK(taken("", "-1-1", "") == Xs{0, 1, 2, 10});
  CHECK(taken("", "-5--1,GLY", "") == Xs{3, 10, 11});
  CHECK(taken("A", "1,3", "") == Xs{0, 1, 2, 4});
  CHECK(taken("", "", "N,CB") == Xs{0, 2});
  CHECK(taken("B", "HOH", "") == Xs{12});
}

TEST_CASE("the atoms CA are the alpha carbons, without calcium, which its residue names") {
  CHECK(taken("", "", "CA") == Xs{1, 3, 10, 11});
  CHECK(taken("", "CA", "") == Xs{4});
}

TEST_CASE("atoms have their chain and the name and number of their residue") {
  const Graph graph = read_one("two.pdb", two_chains);
  CHECK(texts(graph, "chain") == Names{"A", "A", "A", "A", "A", "B", "B"});
  CHECK(texts(graph, "residue") == Names{"ALA", "ALA", "ALA", "GLY", "CA", "ALA", "GLY"});
  CHECK(std::get<std::vector<std::int64_t>>(graph.vertex_labels().at("residue_number")) ==
        std::vector<std::int64_t>{1, 1, 1, 2, 3, -1, 2});
  // The fifth digit stands where an insertion code would; and a residue without a number leaves none to any.
  std::string beyond = atom_of('A', "ALA", 1234, " CA", "C", 0);
  beyond[26] = '5';
  CHECK(std::get<std::vector<std::int64_t>>(read_one("a.pdb", beyond).vertex_labels().at("residue_number")) ==
        std::vector<std::int64_t>{12345});
  std::string blank = atom_of('A', "ALA", 1, " CA", "C", 0);
  blank.replace(22, 4, 4, ' ');
  CHECK_FALSE(read_one("a.pdb", two_chains + blank).vertex_labels().contains("residue_number"));
}

TEST_CASE("a choice that takes nothing is refused with what there is") {
  const auto refused = [](const std::string& chains, const std::string& residues, const std::string& atoms) {
    const test::TemporaryFolder folder;
    app::ReadOptions options;
    options.atoms = choice_of(chains, residues, atoms);
    const std::string path = folder.write("two.pdb", two_chains);
    const std::string message = test::message_of([&] { app::read_graph_file(path, options); });
    CHECK(message.starts_with(path));
    return message.substr(std::min(path.size(), message.size()));
  };
  CHECK(refused("C", "", "") ==
        ": --chain C takes no heavy atom; there is chain A with residues 1 to 3 (ALA, CA, GLY); chain B with residues "
        "-1 to 2 (ALA, GLY)");
  CHECK(contains(refused("B", "10-50", ""), ": --chain B --residues 10-50 takes no heavy atom; there is chain A"));
  CHECK(refused("B", "GLY", "CB") ==
        ": --chain B --residues GLY --atoms CB takes no heavy atom; there is chain A with residues 1 to 3 (ALA, CA, "
        "GLY); chain B with the atoms CA there");
  const std::string crystal = "data_a\n_atom_site_fract_x 0\n";
  app::ReadOptions options;
  options.atoms = choice_of("A", "", "");
  const test::TemporaryFolder folder;
  const std::string path = folder.write("a.cif", crystal);
  CHECK(contains(test::message_of([&] { app::read_graph_file(path, options); }),
                 "--chain A: the atoms are of a crystal"));
}

TEST_CASE("a choice that is none is refused with what is allowed") {
  app::AtomChoice choice;
  for (const char* text : {"", "A,", ",A", "A B"}) {
    CAPTURE(text);
    CHECK(contains(test::message_of([&] { choice.set_chains(text); }), "allowed are names of chains"));
    CHECK(contains(test::message_of([&] { choice.set_atoms(text); }), "allowed are names of atoms"));
  }
  for (const char* text : {"", "ALA,", "10-", "50-10", "1-2-3", "ALA-GLY", "99999999999-1"}) {
    CAPTURE(text);
    CHECK(contains(test::message_of([&] { choice.set_residues(text); }), "allowed are names of residues"));
  }
  choice.set_residues("1PE, -3 ,A10");
  CHECK(choice.takes_residue("1PE", 7));
  CHECK(choice.takes_residue("X", -3));
  CHECK_FALSE(choice.takes_residue("X", 10));
  CHECK_FALSE(choice.takes_residue("X", std::nullopt));
}

TEST_CASE("positions of atoms that are left out are counted, of those that are chosen") {
  const std::string text = atom(" N", 'A', "GLY", 1, 0, "N") + atom(" N", 'B', "GLY", 1, 0.1, "N") +
                           atom(" N", 'A', "GLY", 3, 4, "N") + atom(" N", 'B', "SER", 3, 4.1, "N") +
                           atom(" OG", 'B', "SER", 3, 5.1, "O") + atom(" HG", 'B', "SER", 3, 5.2, "H");
  const test::TemporaryFolder folder;
  const std::string path = folder.write("some.pdb", text);
  std::size_t left_out = 0;
  app::ReadOptions options;
  options.on_left_out = [&](std::size_t atoms) { left_out += atoms; };
  app::read_graph_file(path, options);
  CHECK(left_out == 3);
  left_out = 0;
  options.atoms.set_residues("1");
  app::read_graph_file(path, options);
  CHECK(left_out == 1);
}

TEST_CASE("heavy atoms are taken, and hydrogens, deuterium and waters are not") {
  const Graph graph = read_one(
      "some.pdb", "HEADER    A TEST\n" + atom(" N", ' ', "GLY", 1, 0, "N") + atom(" CA", ' ', "GLY", 1, 1.5, "C") +
                      atom(" HA2", ' ', "GLY", 1, 1.6, "H") + atom(" D", ' ', "GLY", 1, 1.7, "D") + "TER\n" +
                      atom("CA", ' ', "CA", 2, 3, "CA") + atom(" C1", ' ', "LIG", 3, 9, "C") +
                      atom(" O", ' ', "HOH", 4, 2, "O") + "END\nREMARK\n");
  CHECK(graph.name() == "some");
  CHECK(texts(graph, "element") == Names{"N", "C", "Ca", "C"});
  CHECK(texts(graph, "residue") == Names{"GLY", "GLY", "CA", "LIG"});
  CHECK(texts(graph, "atom") == Names{"N", "CA", "CA", "C1"});
  CHECK(std::get<std::vector<double>>(graph.vertex_labels().at("x")) == std::vector<double>{0, 1.5, 3, 9});
  CHECK(graph.edge_count() == 3);
}

TEST_CASE("of alternative places and residues the first is taken") {
  // Place by place, residue by residue, and a serine that shares its number with a glycine.
  const Graph graph =
      read_one("some.pdb", atom(" N", 'A', "GLY", 1, 0, "N") + atom(" N", 'B', "GLY", 1, 0.1, "N") +
                               atom(" CA", ' ', "GLY", 1, 1, "C") + atom(" N", 'A', "ALA", 2, 2, "N") +
                               atom(" CA", 'A', "ALA", 2, 3, "C") + atom(" N", 'B', "ALA", 2, 2.1, "N") +
                               atom(" CA", 'B', "ALA", 2, 3.1, "C") + atom(" N", 'A', "GLY", 3, 4, "N") +
                               atom(" N", 'B', "SER", 3, 4.1, "N") + atom(" OG", 'B', "SER", 3, 5.1, "O"));
  CHECK(std::get<std::vector<double>>(graph.vertex_labels().at("x")) == std::vector<double>{0, 1, 2, 3, 4});
}

TEST_CASE("atoms of one name or number that are no alternatives are all taken") {
  const Graph graph = read_one("some.pdb", atom(" C", ' ', "UNL", 1, 0, "C") + atom(" C", ' ', "UNL", 1, 1, "C") +
                                               atom("NA", ' ', "NA", 1, 2, "NA") + atom("CL", ' ', "CL", 1, 3, "CL"));
  CHECK(texts(graph, "element") == Names{"C", "C", "Na", "Cl"});
}

TEST_CASE("only the first model is read") {
  const std::string carbon = atom(" C", ' ', "GLY", 1, 0, "C");
  CHECK(read_one("some.pdb", "MODEL        1\n" + carbon + "ENDMDL\nMODEL        2\n" + carbon + carbon + "ENDMDL\n")
            .vertex_count() == 1);
  CHECK(read_one("some.ent", carbon + "ENDMDL\n" + carbon + "ENDMDL\n").vertex_count() == 1);
}

TEST_CASE("an element that the file does not say is that of the atom's name, and X is the unknown one") {
  CHECK(texts(read_one("some.pdb", atom(" CA", ' ', "GLY", 1, 0, "") + atom("CA", ' ', "CA", 2, 1, "") +
                                       atom(" UNK", ' ', "UNX", 3, 2, "X")),
              "element") == Names{"C", "Ca", "X"});
}

TEST_CASE("a record may end after the coordinates, and what stands in the place of the charge does not matter") {
  const std::string whole = atom(" CA", ' ', "GLY", 1, 0, "C");
  CHECK(texts(read_one("some.pdb", whole.substr(0, 54)), "element") == Names{"C"});
  CHECK(texts(read_one("some.pdb", whole.substr(0, 78) + "2?\n"), "element") == Names{"C"});
}

TEST_CASE("what is no PDB file is refused in one line with file, line, what was found and what is allowed") {
  const std::string good = atom(" C", ' ', "GLY", 1, 0, "C");
  std::string bad_number = good;
  bad_number.replace(38, 8, "   1.x00");
  CHECK(refusal("bad.pdb", good + bad_number)
            .starts_with(":2: columns 39 to 46 hold '1.x00' as the coordinate y; allowed is a finite number"));
  std::string not_finite = good;
  not_finite.replace(46, 8, "     nan");
  CHECK(refusal("bad.pdb", not_finite).starts_with(":1: columns 47 to 54 hold 'nan' as the coordinate z"));
  CHECK(refusal("bad.pdb", good.substr(0, 40) + "\n").starts_with(":1: the record of an atom has 40 columns; allowed"));
  std::string blank = good;
  blank.replace(38, 8, 8, ' ');
  CHECK(refusal("bad.pdb", blank).starts_with(":1: columns 39 to 46 hold '' as the coordinate y"));
  CHECK(refusal("bad.pdb", "\n" + atom(" C", ' ', "GLY", 1, 0, "QQ"))
            .starts_with(":2: the element is 'QQ' in columns 77 and 78, and the atom 'C' in 13 to 16; allowed is"));
  CHECK(refusal("bad.pdb", atom(" Q", ' ', "GLY", 1, 0, "")).starts_with(":1: the element is ''"));
  std::string bad_residue = good;
  bad_residue.replace(22, 4, " 1.5");
  CHECK(refusal("bad.pdb", bad_residue).starts_with(":1: columns 23 to 26 hold '1.5' as the number of the residue"));
  CHECK(refusal("bad.pdb", "HEADER\nEND\n").starts_with(": holds no heavy atom"));
  CHECK(refusal("bad.pdb", good + "END\n" + good).starts_with(":3: an atom follows END in line 2"));
  CHECK(refusal("bad.pdb", atom(" O", ' ', "HOH", 1, 0, "O")).starts_with(": holds no heavy atom"));
  CHECK(refusal("bad.pdb", "data_x\nloop_\n").starts_with(": holds no heavy atom"));
}

namespace {

const std::string cif_head =
    "data_TEST\nloop_\n_atom_site.group_PDB\n_atom_site.id\n_atom_site.type_symbol\n_atom_site.label_atom_id\n"
    "_atom_site.label_alt_id\n_atom_site.label_comp_id\n_atom_site.label_asym_id\n_atom_site.Cartn_x\n"
    "_atom_site.Cartn_y\n_atom_site.Cartn_z\n_atom_site.occupancy\n_atom_site.B_iso_or_equiv\n_atom_site.auth_seq_id\n"
    "_atom_site.pdbx_PDB_model_num\n";

}  // namespace

TEST_CASE("mmCIF gives the same atoms as PDB") {
  const Graph graph = read_one("some.cif", cif_head +
                                               "ATOM 1 N N . GLY A 0 0 0 1 0 1 1\n"
                                               "ATOM 2 C CA A GLY A 1.5 0 0 1 0 1 1\n"
                                               "ATOM 3 C CA B GLY A 1.6 0 0 1 0 1 1\n"
                                               "ATOM 4 H HA . GLY A 1.7 0 0 1 0 1 1\n"
                                               "HETATM 5 O O . HOH B 2 0 0 1 0 9 1\n"
                                               "ATOM 6 N N . GLY A 0 0 0 1 0 1 2\n");
  CHECK(graph.name() == "some");
  CHECK(texts(graph, "element") == Names{"N", "C"});
  CHECK(graph.edge_count() == 1);
}

TEST_CASE("a model is chosen by its number in the file") {
  const auto model_of = [](const std::string& file, const std::string& text, const std::string& model) {
    const test::TemporaryFolder folder;
    app::ReadOptions options;
    options.atoms.set_model(model);
    const Graph graph = app::read_graph_file(folder.write(file, text), options).graphs.at(0);
    return std::get<std::vector<double>>(graph.vertex_labels().at("x"));
  };
  const auto refused = [&model_of](const std::string& file, const std::string& text, const std::string& model) {
    return test::message_of([&] { model_of(file, text, model); });
  };
  const auto carbon = [](double x) { return atom(" C", ' ', "GLY", 1, x, "C"); };
  // The models before the chosen one need not be readable. One without atoms does not count.
  const std::string three = "MODEL        1\n" + carbon(1).substr(0, 40) +
                            "\nENDMDL\nMODEL        2\nENDMDL\nMODEL        3\n" + carbon(2) + carbon(3) +
                            "ENDMDL\nMODEL        7\n" + carbon(4) + "ENDMDL\nEND\n";
  CHECK(contains(refused("some.pdb", three, "1"), ":2: the record of an atom has 40 columns"));
  CHECK(model_of("some.pdb", three, "2") == std::vector<double>{2, 3});
  CHECK(model_of("some.pdb", three, "3") == std::vector<double>{4});
  CHECK(contains(refused("some.pdb", three, "4"), "some.pdb: --model 4: there are 3 models"));
  CHECK(contains(refused("some.pdb", "MODEL        1\n" + carbon(1) + "MODEL        2\n" + carbon(2), "2"),
                 ":3: a model begins before"));
  CHECK(contains(refused("some.pdb", carbon(1) + "ENDMDL\n" + carbon(2).substr(0, 40) + "\nENDMDL\n", "2"),
                 ":3: the record"));
  const std::string blocks = cif_head + "ATOM 1 N N . GLY A 0 0 0 1 0 1 1\nATOM 2 N N . GLY A 5 0 0 1 0 1 2\n";
  CHECK(model_of("some.cif", blocks, "2") == std::vector<double>{5});
  CHECK(contains(refused("some.cif", blocks, "3"), "--model 3: there are 2 models"));
  for (const char* wrong : {"0", "-1", "1.5", "all", ""}) {
    CHECK(contains(test::message_of([wrong] { app::AtomChoice().set_model(wrong); }),
                   "allowed is a whole number, 1 for the first"));
  }
}

TEST_CASE("what is no mmCIF file is refused in one line") {
  CHECK(refusal("bad.cif", "HEADER\n").starts_with(":1:"));
  CHECK(contains(refusal("bad.cif", "data_x\n"), "holds no atoms"));
  CHECK(contains(refusal("bad.cif", cif_head + "ATOM 1 Qq N . GLY A 0 0 0 1 0 1 1\n"), "'Qq'"));
  CHECK(contains(refusal("bad.cif", cif_head + "ATOM 1 N N . GLY A 0 0 0 1 0 12345678901 1\n"),
                 "_atom_site.auth_seq_id is '12345678901'"));
  CHECK(
      contains(refusal("bad.cif", cif_head + "ATOM 1 N N . GLY A 0 ? 0 1 0 1 1\n"), ":17: _atom_site.Cartn_y is '?'"));
}

TEST_CASE("a folder stands for its files that are read, by name") {
  const test::TemporaryFolder folder;
  folder.write("b.pdb", "");
  folder.write("a.xyz", "");
  folder.write("c.pdb.gz", "");
  folder.write(".hidden.pdb", "");
  folder.write("notes.txt", "");
  CHECK(app::input_files({folder.path(), "other.smi"}) ==
        Names{folder.path("a.xyz"), folder.path("b.pdb"), folder.path("c.pdb.gz"), "other.smi"});
}

TEST_CASE("a pattern stands for the files and folders that it matches, by name") {
  const test::TemporaryFolder folder;
  for (const char* name : {"b2.pdb", "b10.pdb", "a1.xyz", ".b3.pdb", "b[1].pdb"}) folder.write(name, "");
  std::filesystem::create_directory(folder.path("set"));
  folder.write("set/c.pdb", "");
  CHECK(app::input_files({folder.path("b*.pdb")}) ==
        Names{folder.path("b10.pdb"), folder.path("b2.pdb"), folder.path("b[1].pdb")});
  CHECK(app::input_files({folder.path("?1.xyz"), folder.path("s[ef]t")}) ==
        Names{folder.path("a1.xyz"), folder.path("set/c.pdb")});
  CHECK(app::input_files({folder.path("*/*.pdb")}) == Names{folder.path("set/c.pdb")});
  // A file of this very name is no pattern.
  CHECK(app::input_files({folder.path("b[1].pdb")}) == Names{folder.path("b[1].pdb")});
  CHECK(contains(test::message_of([&] { app::input_files({folder.path("*.smi")}); }),
                 "*.smi: no file matches this pattern; allowed is"));
}
