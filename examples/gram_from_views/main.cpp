// SPDX-License-Identifier: BSD-3-Clause
//
// A Gram matrix of graphs that live in Kokkos Views, on an execution-space
// instance of the caller's, with base kernels as compile-time types:
//
//     κv = delta on the element, κe = a square exponential of the bond's length × a delta on its order
//
// Rings of 3 … 6 atoms with alternating elements and bonds.
#include <octile/base_kernels.hpp>
#include <octile/graph_views.hpp>
#include <octile/portable/gram.hpp>

#include <Kokkos_Core.hpp>

#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

namespace {

using Space = Kokkos::DefaultExecutionSpace;

/// An edge label is any plain struct.
struct Bond {
  int order;
  float length;
};

octile::Graph ring(const Space& space, int atoms) {
  // Two neighbours a vertex; edge (i, i + 1) has number i.
  const Kokkos::View<int*, Space> row_offsets("row_offsets", atoms + 1);
  const Kokkos::View<int*, Space> columns("columns", 2 * atoms);
  const Kokkos::View<float*, Space> weights("weights", 2 * atoms);
  const Kokkos::View<int*, Space> elements("elements", atoms);
  const Kokkos::View<int*, Space> orders("orders", 2 * atoms);
  const Kokkos::View<float*, Space> lengths("lengths", 2 * atoms);
  Kokkos::parallel_for(
      "ring", Kokkos::RangePolicy<Space>(space, 0, atoms), KOKKOS_LAMBDA(const int i) {
        if (i == 0) row_offsets(0) = 0;
        row_offsets(i + 1) = 2 * (i + 1);
        elements(i) = i % 3 == 0 ? 7 : 6;
        for (const int side : {0, 1}) {
          const int edge = side == 0 ? (i + atoms - 1) % atoms : i;
          columns(2 * i + side) = side == 0 ? edge : (i + 1) % atoms;
          weights(2 * i + side) = 1.0F;
          orders(2 * i + side) = 1 + edge % 2;
          lengths(2 * i + side) = edge % 2 == 0 ? 1.5F : 1.3F;
        }
      });
  return octile::graph_from_views(
      space, "ring of " + std::to_string(atoms), row_offsets, columns, weights,
      {{"element", octile::label_column(space, elements)}},
      {{"order", octile::label_column(space, orders)}, {"length", octile::label_column(space, lengths)}});
}

int run() {
  const Space space;
  std::vector<octile::Graph> graphs;
  for (int atoms = 3; atoms <= 6; ++atoms) graphs.push_back(ring(space, atoms));

  const auto element = [&](std::size_t g, std::size_t v) {
    return static_cast<int>(std::get<std::vector<std::int64_t>>(graphs[g].vertex_labels().at("element"))[v]);
  };
  const auto bond = [&](std::size_t g, std::size_t e) {
    const octile::LabelColumns& labels = graphs[g].edge_labels();
    return Bond{static_cast<int>(std::get<std::vector<std::int64_t>>(labels.at("order"))[e]),
                static_cast<float>(std::get<std::vector<double>>(labels.at("length"))[e])};
  };
  const octile::Stopping stopping(octile::StoppingMeaning::probability, 0.05);
  const auto set = octile::pack_octiles<double, int, Bond>(space, graphs, stopping, element, bond);

  const octile::KroneckerDelta vertex_kernel(0.3);
  const octile::TensorProduct edge_kernel(octile::field<&Bond::order>(octile::KroneckerDelta(0.5)),
                                          octile::field<&Bond::length>(octile::SquareExponential(0.2)));
  const auto gram = octile::portable::gram(space, graphs, set, vertex_kernel, edge_kernel);

  const auto values = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), gram.values);
  const auto results = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), gram.results);
  for (std::size_t i = 0; i < graphs.size(); ++i) {
    std::printf("%-10s", graphs[i].name().c_str());
    for (std::size_t j = 0; j < graphs.size(); ++j) {
      std::printf("  %.6f", values(i, j) / std::sqrt(values(i, i) * values(j, j)));
    }
    std::printf("\n");
  }
  for (std::size_t k = 0; k < results.extent(0); ++k) {
    if (results(k).status != octile::Status::converged) return 1;
  }
  return 0;
}

}  // namespace

int main(int argc, char* argv[]) {
  const Kokkos::ScopeGuard kokkos(argc, argv);
  return run();
}
