// SPDX-License-Identifier: BSD-3-Clause
//
// New molecules against a library of them, for several kernels; then how the similarities change with each bond.
#include <octile/prepared_set.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

namespace {

/// A chain of three heavy atoms with the lengths of its two bonds in Å.
octile::Graph chain(const char* name, std::vector<std::string> elements, std::vector<double> lengths) {
  return octile::Graph::from_edges(name, 3, {{0, 1}, {1, 2}}, {{"element", std::move(elements)}},
                                   {{"length", std::move(lengths)}});
}

octile::KernelSpec kernel_of(const std::string& length) {
  return {octile::Expression::parse("delta(element,0.5)"), octile::Expression::parse("gaussian(length," + length + ")"),
          octile::Stopping::parse("probability:0.05")};
}

}  // namespace

int main(int argc, char* argv[]) {
  const Kokkos::ScopeGuard kokkos(argc, argv);
  std::vector<octile::Graph> graphs = {
      chain("ethanol", {"C", "C", "O"}, {1.51, 1.43}), chain("acetaldehyde", {"C", "C", "O"}, {1.50, 1.21}),
      chain("propane", {"C", "C", "C"}, {1.53, 1.53}), chain("ethylamine", {"C", "C", "N"}, {1.52, 1.47})};
  octile::GramOptions options;
  options.accuracy = octile::Accuracy{};
  const octile::PreparedSet set(std::move(graphs), options);

  const std::vector<std::int32_t> library = {0, 1, 2}, fresh = {3};
  const std::vector<octile::Pair> pairs = octile::rectangle(fresh, library);
  for (const char* length : {"0.05", "0.2"}) {
    const octile::SetAnswer answer = set.solve(kernel_of(length), {.pairs = pairs, .normalize = true});
    const auto nearest = std::ranges::max_element(answer.values) - answer.values.begin();
    std::printf("length %s: ethylamine is nearest to %s, %.4f\n", length,
                set.graphs()[static_cast<std::size_t>(library[static_cast<std::size_t>(nearest)])].name().c_str(),
                answer.values[static_cast<std::size_t>(nearest)]);
  }

  const std::vector<double> weights(pairs.size(), 1.0);
  const octile::SetAnswer slopes = set.solve(kernel_of("0.2"), {.pairs = pairs,
                                                                .normalize = true,
                                                                .derivatives = octile::Derivatives::weighted,
                                                                .weights = weights,
                                                                .by_graphs = true,
                                                                .edge_attribute = "length"});
  const octile::GraphDerivatives& by = slopes.by_graphs;
  std::printf("a longer C-N changes the sum by %.4f per 0.01 Å\n", 0.01 * by.edge_numbers[by.edge_begin[3] + 1]);
  return 0;
}
