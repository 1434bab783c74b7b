// SPDX-License-Identifier: BSD-3-Clause
//
// The normalised kernel of two molecules that are written down here. README.md shows this program from the next line on.
#include <octile/gram.hpp>

#include <Kokkos_Core.hpp>

#include <cstdio>
#include <string>
#include <vector>

int main(int argc, char* argv[]) {
  const Kokkos::ScopeGuard kokkos(argc, argv);  // the library never starts Kokkos itself
  const std::vector<octile::Edge> bonds = {{0, 1}, {1, 2}};
  const std::vector<std::string> elements = {"C", "C", "O"};
  const std::vector<double> single = {1.51, 1.43}, with_double = {1.50, 1.21};  // lengths in Å
  const std::vector<octile::Graph> graphs = {
      octile::Graph::from_edges("ethanol", 3, bonds, {{"element", elements}}, {{"length", single}}),
      octile::Graph::from_edges("acetaldehyde", 3, bonds, {{"element", elements}}, {{"length", with_double}})};
  const octile::KernelSpec kernel{octile::Expression::parse("delta(element,0.5)"),
                                  octile::Expression::parse("gaussian(length,0.1)"),
                                  octile::Stopping::parse("probability:0.05")};
  octile::GramOptions options;
  options.normalize = true;
  const octile::GramResult gram = octile::gram(graphs, kernel, options);
  std::printf("K(ethanol, acetaldehyde) = %.4f\n", gram.values[1]);  // row 0, column 1
  return gram.pairs[octile::pair_index(0, 1, gram.size)].status == octile::Status::converged ? 0 : 1;
}
