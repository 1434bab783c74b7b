// SPDX-License-Identifier: BSD-3-Clause
//
// Similarities of graphs that live in Kokkos Views and change from step to step, on an execution-space instance of the
// caller's, with base kernels as compile-time types:
//
//     κv = delta on the element, κe = a square exponential of the bond's length × a delta on its order
//
// Rings of 3 … 6 atoms with alternating elements and bonds, whose lengths vibrate. Inside the loop nothing is waited for,
// allocated or copied to the host once the first step is through.
#include <octile/base_kernels.hpp>
#include <octile/gram_in_views.hpp>
#include <octile/graph_batch.hpp>
#include <octile/prepared_graphs.hpp>
#include <octile/solve_graphs.hpp>

#include <Kokkos_Core.hpp>

#include <cstdio>
#include <tuple>

namespace {

/// An edge label is any plain struct.
struct Bond {
  int order;
  float length;
};

}  // namespace

/// For expressions: what they call its members.
template <>
struct octile::LabelAttributes<Bond> {
  static constexpr std::tuple list{Attribute{"order", &Bond::order}, Attribute{"length", &Bond::length}};
};

namespace {

using Space = Kokkos::DefaultExecutionSpace;
using Memory = Space::memory_space;

constexpr int graphs = 4;
constexpr int least_atoms = 3;
constexpr int vertices = 3 + 4 + 5 + 6;
constexpr int entries = 2 * vertices;  // two neighbours a vertex

/// The caller's own state: all rings as one adjacency matrix in compressed rows.
struct Rings {
  Kokkos::View<int*, Memory> graph_offsets{"graph_offsets", graphs + 1};
  Kokkos::View<int*, Memory> row_offsets{"row_offsets", vertices + 1};
  Kokkos::View<int*, Memory> columns{"columns", entries};
  Kokkos::View<float*, Memory> weights{"weights", entries};
  Kokkos::View<Bond*, Memory> bonds{"bonds", entries};
  Kokkos::View<int*, Memory> elements{"elements", vertices};
};

void move(const Space& space, const Rings& rings, int step) {
  Kokkos::parallel_for(
      "move", Kokkos::RangePolicy<Space>(space, 0, graphs), KOKKOS_LAMBDA(const int g) {
        const int atoms = least_atoms + g;
        int first = 0;
        for (int before = 0; before < g; ++before) first += least_atoms + before;
        rings.graph_offsets(g) = first;
        rings.graph_offsets(g + 1) = first + atoms;
        if (g == 0) rings.row_offsets(0) = 0;
        for (int i = 0; i < atoms; ++i) {
          rings.row_offsets(first + i + 1) = 2 * (first + i + 1);
          rings.elements(first + i) = i % 3 == 0 ? 7 : 6;
          for (int side = 0; side < 2; ++side) {
            const int edge = side == 0 ? (i + atoms - 1) % atoms : i;  // edge k joins atoms k and k + 1
            const int entry = 2 * (first + i) + side;
            rings.columns(entry) = first + (side == 0 ? edge : (i + 1) % atoms);
            rings.weights(entry) = 1.0F;
            const float rest = edge % 2 == 0 ? 1.5F : 1.3F;
            rings.bonds(entry) = {1 + edge % 2, rest + 0.01F * static_cast<float>((edge + step) % 5)};
          }
        }
      });
}

int run() {
  const Space space;
  const Rings rings;
  const octile::KroneckerDelta vertex_kernel(0.3);
  const octile::TensorProduct edge_kernel(octile::field<&Bond::order>(octile::KroneckerDelta(0.5)),
                                          octile::field<&Bond::length>(octile::SquareExponential(0.2)));
  const octile::TypedKernel kernel{vertex_kernel, edge_kernel,
                                   octile::Stopping(octile::StoppingMeaning::probability, 0.05)};
  const Kokkos::View<double**, Memory> values("values", graphs, graphs);
  const Kokkos::View<octile::PairResult*, Memory> results("results", graphs * (graphs + 1) / 2);

  move(space, rings, 0);
  const auto batch = octile::GraphBatch(rings.graph_offsets, rings.row_offsets, rings.columns)
                         .weights(rings.weights)
                         .vertex_labels(rings.elements)
                         .edge_labels(rings.bonds);
  auto prepared = octile::prepare(space, batch, octile::Capacity{graphs, vertices, entries, 6});
  octile::require_valid(space, prepared);                                      // says what is wrong, and waits for that
  const auto references = octile::prepare(space, batch, prepared.capacity());  // the rings of the first step
  const Kokkos::View<float**, Memory> block("block", graphs, graphs);
  const Kokkos::View<float**, Memory> atoms("atoms", vertices, graphs);
  octile::SolveHandle<Space> handle;
  octile::SolveHandle<Space> against_references;
  octile::GraphSolveOptions options;
  options.normalize = octile::Normalize::yes;
  for (int step = 0; step < 100; ++step) {
    move(space, rings, step);
    prepared.assign(space, batch);
    octile::solve(space, handle, prepared, octile::Symmetric(), kernel, octile::Outputs{values, results}, options);
    octile::solve(space, against_references, prepared, references, octile::AllPairs(), kernel,
                  octile::Outputs{block, octile::NotGiven(), octile::VerticesByGraphs{atoms}}, options);
  }
  octile::require_converged(space, handle, results);  // says what went wrong, and waits for that

  // The same kernel as text, as it may come from an input file.
  const octile::TypedKernel by_name{octile::Expression::parse("delta(element,0.3)"),
                                    octile::Expression::parse("delta(order,0.5)*gaussian(length,0.2)"),
                                    kernel.stopping};
  // In one call, which waits.
  const auto once = octile::gram(space, batch, by_name, options);
  octile::require_converged(space, once.results);

  const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), once.values);
  for (int i = 0; i < graphs; ++i) {
    std::printf("ring of %d", least_atoms + i);
    for (int j = 0; j < graphs; ++j) std::printf("  %.6f", host(i, j));
    std::printf("\n");
  }
  return 0;
}

}  // namespace

int main(int argc, char* argv[]) {
  const Kokkos::ScopeGuard kokkos(argc, argv);
  return run();
}
