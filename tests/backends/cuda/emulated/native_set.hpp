// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "backends/cuda/emulated/device.hpp"

#include <octile/backends.hpp>
#include <octile/cuda/iterate/owned.cuh>
#include <octile/cuda/iterate/solve.cuh>
#include <octile/cuda/layout/set.hpp>
#include <octile/cuda/start/projection.cuh>
#include <octile/plan/lowering_plan.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace octile::emulated {

/// Pairs as a launch gets them.
struct Launch {
  std::vector<Pair> pairs;
  Order order = Order::forwards;
  bool projected = false;  ///< from a projected system, not from 0
};

/// What a launch leaves.
struct Solved {
  std::vector<PairResult> results;  ///< in the order of the pairs
  std::vector<double> nodewise;     ///< x of the first pair
};

/// A set of graphs with one kernel, lowered and laid out for the native kernels, in the host's memory; and its pairs solved
/// as cuda_engine.cuh has it done, by the emulated kernel that the caller names.
template <class EdgeLabel>
class NativeSet {
 public:
  using Set = cuda::CudaSet<std::uint32_t, EdgeLabel, Kokkos::HostSpace>;

  /// `read_edge(plan, g, e)` is the label of edge e of graph g. With a chunk in `layout.factored` the plan's factors are
  /// those that are laid out. The graphs and the kernel have to stay.
  template <class ReadEdge>
  NativeSet(const std::vector<Graph>& graphs, const KernelSpec& kernel, Lowering lowering, cuda::Layout layout,
            const ReadEdge& read_edge, const SolveOptions& options)
      : setup_{graphs, kernel, Precision::float32, options, {}, default_memory, lowering},
        plan_(plan::choose_lowering(setup_, plan::AutomaticChoice::native, plan::lowering_prices(Precision::float32))),
        builder_(with_factors(layout)) {
    for (std::size_t g = 0; g < graphs.size(); ++g) {
      builder_.add(
          graphs[g], kernel.stopping, [&](std::size_t v) { return plan_.lowered.vertex.ids[g][v]; },
          [&](std::size_t e) { return read_edge(plan_, g, e); });
    }
    set_ = builder_.build(Kokkos::DefaultHostExecutionSpace());
    const LoweredKernel& vertex = plan_.lowered.vertex;
    const std::vector<double> table =
        vertex.constant() ? std::vector<double>{vertex.program[0].parameter} : vertex.table;
    for (const double value : table) {
      reciprocals_.push_back(1 / value);
      singles_.push_back({static_cast<float>(value), static_cast<float>(1 / value)});
    }
    vertex_table_ = {reciprocals_.data(), singles_.data(),
                     vertex.constant() ? 1 : static_cast<std::uint32_t>(vertex.record_count)};
  }
  NativeSet(const NativeSet&) = delete;
  NativeSet& operator=(const NativeSet&) = delete;
  NativeSet(NativeSet&&) = delete;
  NativeSet& operator=(NativeSet&&) = delete;
  ~NativeSet() = default;

  const plan::LoweringPlan& plan() const { return plan_; }

  /// By `solve_owned`.
  template <class Product, class EdgeKernel>
  Solved solve_owned(const EdgeKernel& edge_kernel, const Launch& launch) const {
    const std::size_t own = cuda::own_bytes<Product>(vertex_table_.count);
    std::size_t most = 0;
    for (const Pair& pair : all_pairs(launch)) most = std::max(most, Product::bytes(sizes(pair)));
    const Shape shape{Product::threads, own + most, vectors_in_global(cuda::VectorPlace::own),
                      std::size_t(Product::threads) * Product::places};
    return run(shape, launch, [&](const cuda::Work& work) {
      cuda::solve_owned<Product, Set, EdgeKernel>(set_, vertex_table_, edge_kernel, work);
    });
  }

  /// By `solve_pairs`; `choice` is for the products of octiles.
  template <cuda::Product Kind, int Threads, int K, cuda::VectorPlace Where, class EdgeKernel>
  Solved solve_pairs(const EdgeKernel& edge_kernel, const Launch& launch, const cuda::OctileChoice& choice) const {
    using cuda::VectorPlace;
    using Xmv = cuda::Xmv<Kind, Set, EdgeKernel, Threads, true>;
    constexpr bool stages = Kind == cuda::Product::octiles || Where != VectorPlace::global;
    const std::size_t in_shared = vectors_in_global(VectorPlace::global) - vectors_in_global(Where);
    Shape shape{Threads, 0, vectors_in_global(Where), 0};
    if constexpr (Kind == cuda::Product::factored && Where == VectorPlace::global) shape.vectors += EdgeKernel::chunk;
    for (const Pair& pair : all_pairs(launch)) {
      const std::size_t length = Where == VectorPlace::registers ? std::size_t(Threads) * K : elements(Kind, pair);
      const std::size_t staged = cuda::stages_vertices(Where, Threads)
                                     ? cuda::StagedVertices<Set>::bytes(vertices(pair.first), vertices(pair.second))
                                     : 0;
      const std::size_t bytes = cuda::shared_piece(sizeof(cuda::SharedHead)) + staged +
                                (stages ? Xmv::bytes(sizes(pair)) : 0) +
                                std::min<std::size_t>(in_shared, 2) * cuda::shared_piece(length * sizeof(float));
      shape.shared_bytes = std::max(shape.shared_bytes, bytes);
      shape.vector_length = std::max(shape.vector_length, elements(Kind, pair));
    }
    return run(shape, launch, [&](cuda::Work work) {
      work.choice = choice;
      cuda::solve_pairs<Kind, Set, cuda::VertexTable, EdgeKernel, Threads, K, Where>(set_, vertex_table_, edge_kernel,
                                                                                     work);
    });
  }

 private:
  /// What a kernel asks of a launch.
  struct Shape {
    int threads;
    std::size_t shared_bytes;
    std::size_t vectors;  ///< a block in global memory
    std::size_t vector_length;
  };

  static constexpr int blocks = 2;

  /// Of each graph with itself.
  std::vector<Pair> own_pairs() const {
    std::vector<Pair> pairs;
    for (std::int32_t g = 0; static_cast<std::size_t>(g) < builder_.vertices().size(); ++g) pairs.push_back({g, g});
    return pairs;
  }

  /// That a launch solves: for its projections too.
  std::vector<Pair> all_pairs(const Launch& launch) const {
    std::vector<Pair> pairs = launch.projected ? own_pairs() : std::vector<Pair>();
    pairs.insert(pairs.end(), launch.pairs.begin(), launch.pairs.end());
    return pairs;
  }

  cuda::Layout with_factors(cuda::Layout layout) const {
    if (layout.factored.chunk > 0) layout.factored.factors = &*plan_.factors;
    return layout;
  }

  std::size_t vertices(std::int32_t graph) const { return builder_.vertices()[static_cast<std::size_t>(graph)]; }

  cuda::ProductSizes sizes(Pair pair) const {
    const auto first = static_cast<std::size_t>(pair.first);
    const auto second = static_cast<std::size_t>(pair.second);
    return {vertices(pair.first), vertices(pair.second), builder_.row_elements()[first],
            builder_.row_elements()[second]};
  }

  std::size_t elements(cuda::Product kind, Pair pair) const {
    const auto pitch = [&](std::int32_t graph) {
      return static_cast<std::size_t>(row_pitch(kind, static_cast<int>(vertices(graph))));
    };
    return pitch(pair.first) * pitch(pair.second);
  }

  /// Blocks claim pairs from a counter, or, backwards, have them dealt.
  template <class Kernel>
  Solved run(const Shape& shape, const Launch& launch, const Kernel& kernel) const {
    Solved solved;
    solved.results.resize(launch.pairs.size());
    const Pair first = launch.pairs[0];
    std::vector<float> nodewise(vertices(first.first) * vertices(first.second));
    std::vector<float> workspace(blocks * shape.vectors * shape.vector_length, std::numeric_limits<float>::quiet_NaN());
    int next = 0;
    cuda::Work work{};
    work.pairs = launch.pairs.data();
    work.results = solved.results.data();
    work.next = launch.order == Order::forwards ? &next : nullptr;
    work.count = static_cast<int>(launch.pairs.size());
    work.workspace = workspace.data();
    work.vector_count = shape.vectors;
    work.vector_length = shape.vector_length;
    work.shared_bytes = shape.shared_bytes;
    work.nodewise = nodewise.data();
    work.scale = setup_.kernel.stopping.q() * setup_.kernel.stopping.q();
    work.options = setup_.options;
    work.options.tolerance -= plan_.relative_error;
    const auto solve = [&] { emulate(blocks, shape.threads, shape.shared_bytes, launch.order, [&] { kernel(work); }); };
    std::vector<uint4> coefficients(launch.projected ? cuda::coefficients_a_pair * launch.pairs.size() : 0);
    if (launch.projected) {
      const Projection projection = projected(launch, work, solve, coefficients);
      work.starts = {projection.view().tile_begin, reinterpret_cast<const uint4*>(projection.view().basis),
                     coefficients.data()};
      next = 0;
      solve();
    } else {
      solve();
    }
    for (PairResult& result : solved.results) result.residual += plan_.relative_error;
    solved.nodewise = in_order_of_graphs(first, nodewise);
    return solved;
  }

  using Projection = cuda::ProjectionSet<Kokkos::HostSpace>;

  /// Bases of the set from pairs of its graphs with themselves, which `solve` solves by `work`, and coefficients for all pairs
  /// of the launch. Leaves `work` as it was.
  template <class Solve>
  Projection projected(const Launch& launch, cuda::Work& work, const Solve& solve,
                       std::vector<uint4>& coefficients) const {
    const cuda::Work before = work;
    const std::optional<ProjectionTerms> terms =
        projection_terms(plan_.lowered, plan_.factors ? &*plan_.factors : nullptr);
    if (!terms) throw Error("the kernels have too many terms for a projection");
    Projection projection(Kokkos::DefaultHostExecutionSpace(), setup_.graphs, setup_.kernel.stopping, plan_.lowered,
                          *terms, builder_.orders());
    const std::vector<Pair> own = own_pairs();
    std::vector<std::uint32_t> graphs;
    std::vector<std::size_t> begins;
    std::size_t length = 0;
    std::size_t most = 0;
    for (std::uint32_t g = 0; g < builder_.vertices().size(); ++g) {
      const std::size_t n = builder_.vertices()[g];
      begins.push_back(length);
      graphs.push_back(g);
      length += n * n;
      most = std::max(most, n);
    }
    std::vector<float> snapshots(length);
    std::vector<PairResult> results(own.size());
    int next = 0;
    work.pairs = own.data();
    work.results = results.data();
    work.next = work.next == nullptr ? nullptr : &next;
    work.count = static_cast<int>(own.size());
    work.nodewise = snapshots.data();
    work.nodewise_begin = begins.data();
    work.options.tolerance = 1e-3;
    solve();
    work = before;
    const cuda::ProjectionView& view = projection.view();
    emulate(static_cast<int>(graphs.size()), cuda::basis_threads, cuda::basis_bytes(most), launch.order,
            [&] { cuda::form_basis(view, graphs.data(), snapshots.data(), begins.data()); });
    const int count = static_cast<int>(launch.pairs.size());
    emulate((count + cuda::projected_warps - 1) / cuda::projected_warps, 32 * cuda::projected_warps,
            cuda::projected_warps * cuda::ProjectedSolve::bytes, launch.order,
            [&] { cuda::solve_projected(view, launch.pairs.data(), coefficients.data(), count); });
    return projection;
  }

  /// x with vertices as the graphs have them.
  std::vector<double> in_order_of_graphs(Pair pair, const std::vector<float>& x) const {
    const auto vertex = [&](std::int32_t graph, std::size_t place) {
      const std::vector<std::uint32_t>& order = builder_.orders()[static_cast<std::size_t>(graph)];
      return order.empty() ? place : order[place];
    };
    const std::size_t m = vertices(pair.second);
    std::vector<double> nodewise(x.size());
    for (std::size_t k = 0; k < x.size(); ++k)
      nodewise[vertex(pair.first, k / m) * m + vertex(pair.second, k % m)] = x[k];
    return nodewise;
  }

  SolverSetup setup_;
  plan::LoweringPlan plan_;
  cuda::CudaSetBuilder<std::uint32_t, EdgeLabel> builder_;
  Set set_;
  std::vector<double> reciprocals_;
  std::vector<float2> singles_;
  cuda::VertexTable vertex_table_{};
};

}  // namespace octile::emulated
