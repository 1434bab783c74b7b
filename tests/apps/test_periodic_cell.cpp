// SPDX-License-Identifier: BSD-3-Clause
// Atoms that are joined across the borders of periodic cells, against all pairs of all images, and other rules of joining.
#include <doctest/doctest.h>

#include <readers/read.hpp>
#include <readers/spatial_adjacency.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "apps/reading.hpp"
#include "common/graphs.hpp"
#include "common/message_of.hpp"

using namespace octile;
using app::CutoffUnit;
using app::JoinedImages;
using app::PeriodicCell;
using app::Place;
using app::SpatialRule;

namespace {

struct Found {
  double length = INFINITY;
  double weight = 0;
};

using Pairs = std::map<std::pair<std::int32_t, std::int32_t>, Found>;

double cutoff_of(const SpatialRule& rule, const std::vector<double>& radii, std::size_t i, std::size_t j) {
  return rule.unit == CutoffUnit::angstrom ? rule.cutoff : rule.cutoff * 3 * std::sqrt(radii[i] * radii[j]);
}

/// By looking at all images up to `far` cells away.
Pairs all_images(const std::vector<Place>& places, const SpatialRule& rule, const std::vector<double>& radii,
                 const PeriodicCell& cell, int far) {
  Pairs pairs;
  const auto range = [&](std::size_t k) { return cell.periodic[k] ? far : 0; };
  for (std::size_t i = 0; i < places.size(); ++i) {
    for (std::size_t j = i + 1; j < places.size(); ++j) {
      for (int a = -range(0); a <= range(0); ++a) {
        for (int b = -range(1); b <= range(1); ++b) {
          for (int c = -range(2); c <= range(2); ++c) {
            Place apart = {};
            for (std::size_t axis = 0; axis < 3; ++axis) {
              apart[axis] = places[i][axis] - places[j][axis] + a * cell.vectors[0][axis] + b * cell.vectors[1][axis] +
                            c * cell.vectors[2][axis];
            }
            const double length = std::hypot(apart[0], apart[1], apart[2]);
            const double cutoff = cutoff_of(rule, radii, i, j);
            if (length >= cutoff) continue;
            const double weight = std::pow(1 - std::pow(length / cutoff, rule.power), rule.decay);
            Found& found = pairs[{static_cast<std::int32_t>(i), static_cast<std::int32_t>(j)}];
            if (rule.images == JoinedImages::all) {
              found.weight += weight;
            } else if (length < found.length) {
              found.weight = weight;
            }
            found.length = std::min(found.length, length);
          }
        }
      }
    }
  }
  return pairs;
}

void check_equal(const app::SpatialAdjacency& adjacency, const Pairs& expected) {
  REQUIRE(adjacency.edges.size() == adjacency.lengths.size());
  CHECK(adjacency.edges.size() == expected.size());
  std::size_t wrong = 0;
  for (std::size_t k = 0; k < adjacency.edges.size(); ++k) {
    const Edge& edge = adjacency.edges[k];
    const auto found = expected.find({edge.i, edge.j});
    const bool right = found != expected.end() && std::abs(found->second.length - adjacency.lengths[k]) < 1e-9 &&
                       std::abs(found->second.weight - edge.weight) < 1e-9 * (1 + edge.weight);
    wrong += right ? 0 : 1;
  }
  CHECK(wrong == 0);
}

/// A cell of random vectors, none of them nearly in the plane of the others.
PeriodicCell random_cell(test::Random& random, double size, unsigned periodic) {
  PeriodicCell cell;
  for (std::size_t k = 0; k < 3; ++k) {
    for (double& value : cell.vectors[k]) value = size * 0.4 * (random.uniform() - 0.5);
    cell.vectors[k][k] += size;
    cell.periodic[k] = (periodic >> k & 1U) != 0;
  }
  return cell;
}

std::vector<Place> random_places(test::Random& random, std::size_t count, double extent) {
  std::vector<Place> places(count);
  for (Place& place : places) {
    for (double& value : place) value = extent * (random.uniform() - 0.5);
  }
  return places;
}

}  // namespace

TEST_CASE("atoms in random periodic cells are joined as looking at all pairs of images joins them") {
  test::Random random(5);
  for (const double size : {3.0, 8.0, 25.0}) {
    for (unsigned periodic = 0; periodic < 8; ++periodic) {
      for (const JoinedImages images : {JoinedImages::nearest, JoinedImages::all}) {
        CAPTURE(size);
        CAPTURE(periodic);
        const PeriodicCell cell = random_cell(random, size, periodic);
        // Many of them outside of the cell.
        const std::vector<Place> places = random_places(random, size > 20 ? 40 : 12, 1.2 * size);
        const int far = size > 20 ? 4 : 6;
        SpatialRule rule{4.0, 1.5, 1.3};
        rule.images = images;
        check_equal(app::spatial_adjacency(places, rule, {}, cell), all_images(places, rule, {}, cell, far));
        const std::vector<double> radii = [&] {
          std::vector<double> all(places.size());
          for (double& radius : all) radius = 0.3 + random.uniform();
          return all;
        }();
        rule.unit = CutoffUnit::covalent;
        rule.cutoff = 1;
        check_equal(app::spatial_adjacency(places, rule, radii, cell), all_images(places, rule, radii, cell, far));
      }
    }
  }
}

TEST_CASE("atoms in cells that are slanted far are joined as looking at all pairs of images joins them") {
  test::Random random(6);
  // A cell 8 Å long along its vectors is 3.6 Å high, less than the cutoff.
  for (const std::array<Place, 3>& vectors :
       {std::array<Place, 3>{Place{8, 0, 0}, Place{16, 8, 0}, Place{0, 0, 9}},
        std::array<Place, 3>{Place{9, 0, 0}, Place{0, 9, 0}, Place{-14, 11, 7}}}) {
    const PeriodicCell cell{vectors, {true, true, true}};
    const std::vector<Place> places = random_places(random, 12, 10);
    SpatialRule rule{4.0, 1.5, 1.3};
    for (const JoinedImages images : {JoinedImages::nearest, JoinedImages::all}) {
      rule.images = images;
      check_equal(app::spatial_adjacency(places, rule, {}, cell), all_images(places, rule, {}, cell, 6));
    }
  }
}

TEST_CASE("an image of an atom is nearer than the atom itself, or is left out where it is not wanted") {
  PeriodicCell cell{{Place{10, 0, 0}, Place{0, 10, 0}, Place{0, 0, 10}}, {true, false, true}};
  const std::vector<Place> places = {{0.5, 0.5, 5}, {9.5, 9.5, 5}};
  SpatialRule rule;
  CHECK(app::spatial_adjacency(places, rule, {}, cell).edges.empty());
  cell.periodic[1] = true;
  const app::SpatialAdjacency adjacency = app::spatial_adjacency(places, rule, {}, cell);
  REQUIRE(adjacency.edges.size() == 1);
  CHECK(adjacency.lengths[0] == doctest::Approx(std::sqrt(2)));
  rule.images = JoinedImages::none;
  CHECK(app::spatial_adjacency(places, rule, {}, cell).edges.empty());
}

TEST_CASE("the six images of a neighbour in rock salt count once, or all") {
  const std::vector<Place> places = {{0, 0, 0}, {1.5, 1.5, 1.5}};
  // The cell of two atoms: the neighbour's nearest six images are 1.5 from it.
  const PeriodicCell cell{{Place{0, 1.5, 1.5}, Place{1.5, 0, 1.5}, Place{1.5, 1.5, 0}}, {true, true, true}};
  SpatialRule rule{2.0, 0.0};
  CHECK(app::spatial_adjacency(places, rule, {}, cell).edges.at(0).weight == 1);
  rule.images = JoinedImages::all;
  CHECK(app::spatial_adjacency(places, rule, {}, cell).edges.at(0).weight == 6);
}

TEST_CASE("weights fall as the rule says") {
  const std::vector<Place> places = {{0, 0, 0}, {2, 0, 0}};
  const auto weight = [&](const char* text) {
    SpatialRule rule;
    rule.set_adjacency(text);
    CHECK(rule.adjacency_text() == text);
    return app::spatial_adjacency(places, rule).edges.at(0).weight;
  };
  CHECK(weight("tent:1") == 0.5);
  CHECK(weight("tent:3") == 0.125);
  CHECK(weight("bell:2,3") == doctest::Approx(0.421875));
  CHECK(weight("gaussian:0.5") == doctest::Approx(std::exp(-0.5)));
}

TEST_CASE("cut-offs by radii are three times the root of their product") {
  // Covalent radii of Cordero et al.: 0.31 of hydrogen, 0.73 of carbon with a double bond.
  const std::string pair = "2\n\nC 0 0 0\nH 0 0 {}\n";
  const double border = 3 * std::sqrt(0.31 * 0.73);
  app::ReadOptions options;
  options.rule.set_cutoff("covalent:1");
  CHECK(options.rule.cutoff_text() == "covalent:1");
  CHECK(test::graphs_of("a.xyz", fmt::format(fmt::runtime(pair), border - 1e-6), options)[0].edge_count() == 1);
  CHECK(test::graphs_of("a.xyz", fmt::format(fmt::runtime(pair), border + 1e-6), options)[0].edge_count() == 0);
  options.rule.set_cutoff("vdw:0.5");
  CHECK(test::graphs_of("a.xyz", fmt::format(fmt::runtime(pair), 2.0), options)[0].edge_count() == 1);
  CHECK(test::graphs_of("a.xyz", fmt::format(fmt::runtime(pair), 2.7), options)[0].edge_count() == 0);
  const std::string unknown = "HETATM    1  X   UNK A   1       0.000   0.000   0.000  1.00  0.00           X\n";
  CHECK(
      test::contains(test::refusal("a.pdb", unknown, options), "atom 1 is of an unknown element, which has no radius"));
}

TEST_CASE("a rule that is not one is refused with what is allowed") {
  SpatialRule rule;
  for (const char* text :
       {"", "0", "-1", "nan", "inf", "4 5", "covalent", "covalent:", "covalent:0", "radius:1", "vdw:x"}) {
    CAPTURE(text);
    CHECK(test::contains(test::message_of([&] { rule.set_cutoff(text); }), "is no cutoff; allowed is"));
  }
  for (const char* text : {"", "2", "tent", "tent:", "tent:-1", "tent:1,2", "bell:1", "bell:0,1", "bell:1,2,3",
                           "gaussian:0", "gaussian:nan", "step:1"}) {
    CAPTURE(text);
    CHECK(test::contains(test::message_of([&] { rule.set_adjacency(text); }), "is no adjacency; allowed is tent:N"));
  }
  CHECK(test::contains(test::message_of([&] { rule.set_images("some"); }), "'some': allowed is none, nearest or all"));
}

TEST_CASE("cells that span nothing, or are too small, are refused") {
  const std::vector<Place> places = {{0, 0, 0}, {1, 1, 1}};
  const auto message = [&](const PeriodicCell& cell, double cutoff) {
    return test::message_of([&] { app::spatial_adjacency(places, {cutoff}, {}, cell); });
  };
  constexpr std::array all = {true, true, true};
  CHECK(test::contains(message({{Place{1, 0, 0}, Place{0, 1, 0}, Place{1, 1, 0}}, all}, 4), "lie in one plane"));
  CHECK(test::contains(message({{Place{1, 0, 0}, Place{2, 0, 0}, Place{0, 0, 1}}, {true, true, false}}, 4),
                       "lie in one plane"));
  CHECK(test::contains(message({{Place{1, 0, 0}, Place{}, Place{0, 0, 1}}, all}, 4), "cell vector 2 is 0 Å"));
  CHECK(
      test::contains(message({{Place{1, 0, 0}, Place{0, 1e-6, 0}, Place{0, 0, 1}}, all}, 100), "the cell is so small"));
  // A vector along which nothing repeats may be anything.
  CHECK(message({{Place{9, 0, 0}, Place{}, Place{}}, {true, false, false}}, 4) == "(no error)");
}

TEST_CASE("extended XYZ says its cell") {
  const auto edges = [](const std::string& comment, const std::string& images = "nearest") {
    app::ReadOptions options;
    options.rule.set_images(images);
    return test::graphs_of("a.extxyz", "2\n" + comment + "\nC 0.5 5 5\nO 9.5 5 5\n", options)[0].edge_count();
  };
  const std::string lattice = "Lattice=\"10 0 0 0 10 0 0 0 10\"";
  CHECK(edges("") == 0);
  CHECK(edges(lattice) == 1);
  CHECK(edges(lattice, "none") == 0);
  CHECK(edges(lattice + " pbc=\"T F F\"") == 1);
  CHECK(edges(lattice + " pbc=\"F T T\"") == 0);
  CHECK(edges("pbc=\"F F F\"") == 0);
  const auto refusal = [](const std::string& comment) {
    return test::refusal("a.extxyz", "1\n" + comment + "\nC 0 0 0\n");
  };
  CHECK(test::contains(refusal("Lattice=\"1 2 3\""),
                       "a.extxyz:2: frame 1 of 1 atom: 'Lattice' is '1 2 3'; allowed are nine"));
  CHECK(test::contains(refusal("Lattice=\"10 0 0 0 10 0 0 0 x\""), "'Lattice' is"));
  CHECK(test::contains(refusal("Lattice=\"1 0 0 0 1 0 0 0 1 1\""), "'Lattice' is"));
  CHECK(test::contains(refusal(lattice + " pbc=\"T F\""), "'pbc' is 'T F'; allowed are three of T and F"));
  CHECK(test::contains(refusal("pbc=\"T T T\""), "but there is no 'Lattice'"));
  CHECK(test::contains(refusal("Lattice=\"1 0 0 2 0 0 0 0 1\""), "lie in one plane"));
}

TEST_CASE("CIF of a crystal is read with its symmetry and its cell") {
  const std::string head =
      "data_salt\n_cell_length_a 5.64\n_cell_length_b 5.64\n_cell_length_c 5.64\n_cell_angle_alpha "
      "90\n_cell_angle_beta 90\n"
      "_cell_angle_gamma 90\n";
  const std::string sites =
      "loop_\n_atom_site_label\n_atom_site_type_symbol\n_atom_site_fract_x\n_atom_site_fract_y\n_atom_site_fract_z\n"
      "_atom_site_occupancy\nNa1 Na+ 0 0 0 1\nCl1 Cl- 0.5 0.5 0.5 1\n";
  const std::string group = "_symmetry_space_group_name_H-M 'F m -3 m'\n";
  app::ReadOptions options;
  options.rule.cutoff = 3;
  const Graph salt = test::graphs_of("salt.cif", head + group + sites, options)[0];
  CHECK(salt.name() == "salt");
  CHECK(salt.vertex_count() == 8);
  CHECK(salt.edge_count() == 12);  // 24 neighbours at 2.82 Å, two images of each
  for (const double length : std::get<std::vector<double>>(salt.edge_labels().at("length"))) {
    CHECK(length == doctest::Approx(2.82));
  }
  const std::string operations =
      "loop_\n_symmetry_equiv_pos_as_xyz\n'x,y,z'\n'x,y+1/2,z+1/2'\n'x+1/2,y,z+1/2'\n'x+1/2,y+1/2,z'\n";
  CHECK(test::equal_but_for_names(test::graphs_of("a.cif", head + operations + sites, options)[0], salt));
  CHECK(test::graphs_of("a.cif", head + sites, options)[0].vertex_count() == 2);
  CHECK(test::contains(test::refusal("a.cif", "data_a\n" + sites), "the cell is not given"));
  CHECK(test::contains(test::refusal("a.cif", head + "_symmetry_space_group_name_H-M 'no group'\n" + sites),
                       "is not known"));
  const auto with = [&](const std::string& line) { return test::refusal("a.cif", head + sites + line + "\n"); };
  CHECK(test::contains(with("C1 C 0.1 0.1 0.1 0.5"), "the site 'C1' is occupied to 0.5"));
  CHECK(test::contains(with("Q1 Qq 0.1 0.1 0.1 1"), "the site 'Q1' is of the element 'Qq'"));
  CHECK(test::contains(with("C1 C ? 0.1 0.1 1"), "allowed is a finite number"));
  CHECK(test::contains(test::refusal("a.cif", "data_a\n_cell_length_a 5\n_atom_site_fract_x ?\n"), "a.cif"));
}

namespace {

std::string cell_of(double a, double b, double c, double alpha, double beta, double gamma) {
  return fmt::format(
      "_cell_length_a {}\n_cell_length_b {}\n_cell_length_c {}\n_cell_angle_alpha {}\n_cell_angle_beta {}\n"
      "_cell_angle_gamma {}\n",
      a, b, c, alpha, beta, gamma);
}

std::string one_site(const char* element, double x, double y, double z) {
  return fmt::format(
      "loop_\n_atom_site_label\n_atom_site_type_symbol\n_atom_site_fract_x\n_atom_site_fract_y\n"
      "_atom_site_fract_z\n{}1 {} {} {} {}\n",
      element, element, x, y, z);
}

/// The atoms in the cell that the symmetry makes of one at a general position.
std::int32_t atoms_in_cell(const std::string& cell, const std::string& symmetry) {
  return test::graphs_of("a.cif", "data_a\n" + cell + symmetry + one_site("C", 0.11, 0.23, 0.33))[0].vertex_count();
}

}  // namespace

TEST_CASE("the symmetry of a crystal is that of its Hall symbol, or of the number of its space group") {
  const std::string cubic = cell_of(9, 9, 9, 90, 90, 90);
  CHECK(atoms_in_cell(cubic, "_space_group_name_Hall '-F 4 2 3'\n") == 192);
  CHECK(atoms_in_cell(cubic, "_symmetry_space_group_name_Hall '-f_4_2_3'\n") == 192);
  CHECK(atoms_in_cell(cubic, "_space_group_IT_number 225\n") == 192);
  CHECK(atoms_in_cell(cubic, "_symmetry_Int_Tables_number 221\n") == 48);
  CHECK(atoms_in_cell(cubic, "_symmetry_Int_Tables_number ?\n_space_group_name_Hall .\n") == 1);
  // Operations come before the Hall symbol, that before the name, and that before the number.
  const std::string hall = "_space_group_name_Hall '-P 1'\n";
  const std::string name = "_symmetry_space_group_name_H-M 'P 2 2 2'\n";
  const std::string number = "_space_group_IT_number 225\n";
  CHECK(atoms_in_cell(cubic, hall + name + number + "loop_\n_symmetry_equiv_pos_as_xyz\n'x,y,z'\n") == 1);
  CHECK(atoms_in_cell(cubic, hall + name + number) == 2);
  CHECK(atoms_in_cell(cubic, name + number) == 4);
  // Hexagonal axes have three times as many atoms as rhombohedral ones; the angles tell which are meant.
  CHECK(atoms_in_cell(cell_of(9, 9, 20, 90, 90, 120), "_space_group_IT_number 148\n") == 18);
  CHECK(atoms_in_cell(cell_of(9, 9, 9, 70, 70, 70), "_space_group_IT_number 148\n") == 6);
}

TEST_CASE("the places that a Hall symbol makes are those of its operations") {
  const std::string cell = cell_of(5, 6, 7, 90, 100, 90);
  const std::string site = one_site("C", 0.11, 0.23, 0.37);
  // P 21/n, a setting that the number 14 would not tell.
  const std::string operations =
      "loop_\n_symmetry_equiv_pos_as_xyz\n'x,y,z'\n'1/2-x,1/2+y,1/2-z'\n'-x,-y,-z'\n'1/2+x,1/2-y,1/2+z'\n";
  const auto lengths = [&](const std::string& symmetry) {
    const Graph graph = test::graphs_of("a.cif", "data_a\n" + cell + symmetry + site)[0];
    CHECK(graph.vertex_count() == 4);
    std::vector<double> all = std::get<std::vector<double>>(graph.edge_labels().at("length"));
    std::ranges::sort(all);
    return all;
  };
  const std::vector<double> expected = lengths(operations);
  const std::vector<double> found = lengths("_space_group_name_Hall '-P 2yn'\n");
  REQUIRE(found.size() == expected.size());
  for (std::size_t k = 0; k < found.size(); ++k) CHECK(found[k] == doctest::Approx(expected[k]));
}

TEST_CASE("symmetry that is not known, or not told, is refused") {
  const auto refused = [](const std::string& cell, const std::string& symmetry) {
    return test::refusal("a.cif", "data_a\n" + cell + symmetry + one_site("C", 0.1, 0.2, 0.3));
  };
  const std::string cubic = cell_of(9, 9, 9, 90, 90, 90);
  // The second is one that gemmi's parser would take, and write out of bounds.
  for (const char* hall : {"P 7", "P 3*1", "-F", "(0 0 1)"}) {
    CAPTURE(hall);
    CHECK(test::contains(refused(cubic, fmt::format("_space_group_name_Hall '{}'\n", hall)),
                         fmt::format("a.cif:8: the Hall symbol '{}' is not known; allowed is", hall)));
  }
  for (const char* number : {"0", "231", "-1", "P1", "1e2"}) {
    CAPTURE(number);
    CHECK(test::contains(refused(cubic, fmt::format("_space_group_IT_number {}\n", number)),
                         fmt::format("the number of the space group is '{}'; allowed is a whole number", number)));
  }
  CHECK(test::contains(refused(cubic, "loop_\n_symmetry_equiv_pos_as_xyz\n'x,y,w'\n"),
                       "a.cif:10: 'x,y,w' is no operation of symmetry; allowed is one such as"));
  CHECK(test::contains(refused(cubic, "_space_group_IT_number 227\n"),
                       "is given by its number 227 alone, which has two choices of the origin"));
  for (const char* name : {"F d -3 m", "Fd-3m", "F D -3 M"}) {
    CHECK(test::contains(refused(cubic, fmt::format("_space_group_name_H-M_alt '{}'\n", name)),
                         fmt::format("is given by its name '{}' alone, which has two choices of the origin", name)));
  }
  for (const char* name : {"F d -3 m:1", "F d -3 m :2"}) {
    CHECK(atoms_in_cell(cubic, fmt::format("_space_group_name_H-M_alt '{}'\n", name)) == 192);
  }
  CHECK(test::contains(refused(cell_of(5, 6, 7, 90, 90, 100), "_space_group_IT_number 14\n"),
                       "the cell does not fit the standard setting of the space group of the number 14"));
}

TEST_CASE("each data block with atoms is a graph, named by its block if there are several") {
  const std::string cell = cell_of(9, 9, 9, 90, 90, 90);
  const std::string site = one_site("C", 0.1, 0.2, 0.3);
  const std::string crystal = cell + site;
  const std::string structure =
      "loop_\n_atom_site.group_PDB\n_atom_site.id\n_atom_site.type_symbol\n_atom_site.label_atom_id\n"
      "_atom_site.label_alt_id\n_atom_site.label_comp_id\n_atom_site.label_asym_id\n_atom_site.Cartn_x\n"
      "_atom_site.Cartn_y\n_atom_site.Cartn_z\n_atom_site.occupancy\n_atom_site.B_iso_or_equiv\n"
      "_atom_site.auth_seq_id\nATOM 1 N N . GLY A 0 0 0 1 0 7\n";
  const std::string global = "data_global\n_journal_year 2026\n";
  CHECK(test::names_of(test::graphs_of("a.cif", global + "data_one\n" + crystal)) == std::vector<std::string>{"a"});
  const std::string several = global + "data_one\n" + crystal + "data_two\n" + structure + "data_three\n" + cell +
                              "_space_group_IT_number 999\n" + site + "data_four\n" + crystal;
  const auto line = std::count(several.begin(),
                               several.begin() + static_cast<std::ptrdiff_t>(several.find("_space_group_IT")), '\n') +
                    1;
  CHECK(test::contains(test::refusal("a.cif", several),
                       fmt::format("a.cif:{}: data block 'three': the number of the space group", line)));
  app::ReadOptions options;
  options.skip_invalid = true;
  const std::vector<Graph> graphs = test::graphs_of("a.cif", several, options);
  CHECK(test::names_of(graphs) == std::vector<std::string>{"one", "two", "four"});
  CHECK(std::get<std::vector<std::int64_t>>(graphs[1].vertex_labels().at("residue_number")) ==
        std::vector<std::int64_t>{7});
  // A file that cannot be read at all is one refusal.
  const test::TemporaryFolder folder;
  CHECK(app::read_graph_file(folder.write("bad.cif", "data_a\nloop_\n"), options).skipped.size() == 1);
}

TEST_CASE("20,000 atoms in a periodic cell are joined within seconds") {
  test::Random random(11);
  constexpr double size = 60;
  const PeriodicCell cell{{Place{size, 0, 0}, Place{0, size, 0}, Place{0, 0, size}}, {true, true, true}};
  const std::vector<Place> places = random_places(random, 20000, size);
  const auto start = std::chrono::steady_clock::now();
  const app::SpatialAdjacency adjacency = app::spatial_adjacency(places, SpatialRule{}, {}, cell);
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
  // Each has 4/3 pi 4^3 20000 / 60^3 neighbours, but for chance.
  CHECK(static_cast<double>(adjacency.edges.size()) == doctest::Approx(248225.0).epsilon(0.02));
  MESSAGE("20,000 atoms in a periodic cell: ", taken.count(), " s");
  CHECK(taken.count() < 30);  // under the sanitizers; else a tenth of a second
}
