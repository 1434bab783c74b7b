// SPDX-License-Identifier: BSD-3-Clause
// PDB and mmCIF files: which atoms are taken, and the messages for invalid files.
#include <doctest/doctest.h>

#include <readers/read.hpp>

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

}  // namespace

TEST_CASE("heavy atoms are taken, and hydrogens, deuterium and waters are not") {
  const Graph graph = read_one(
      "some.pdb", "HEADER    A TEST\n" + atom(" N", ' ', "GLY", 1, 0, "N") + atom(" CA", ' ', "GLY", 1, 1.5, "C") +
                      atom(" HA2", ' ', "GLY", 1, 1.6, "H") + atom(" D", ' ', "GLY", 1, 1.7, "D") + "TER\n" +
                      atom("CA", ' ', "CA", 2, 3, "CA") + atom(" C1", ' ', "LIG", 3, 9, "C") +
                      atom(" O", ' ', "HOH", 4, 2, "O") + "END\n" + atom(" C", ' ', "GLY", 9, 0, "C"));
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
  CHECK(refusal("bad.pdb", "HEADER\nEND\n").starts_with(": holds no heavy atom"));
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

TEST_CASE("what is no mmCIF file is refused in one line") {
  CHECK(refusal("bad.cif", "HEADER\n").starts_with(":1:"));
  CHECK(contains(refusal("bad.cif", "data_x\n"), "holds no atoms"));
  CHECK(contains(refusal("bad.cif", cif_head + "ATOM 1 Qq N . GLY A 0 0 0 1 0 1 1\n"), "'Qq'"));
  CHECK(contains(refusal("bad.cif", cif_head + "ATOM 1 N N . GLY A 0 ? 0 1 0 1 1\n"), "atom 1: y is nan"));
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
