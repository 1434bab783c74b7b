// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "backends/cuda/emulated/device.hpp"

#include <octile/backends.hpp>
#include <octile/cuda/layout/first_terms.hpp>
#include <octile/cuda/layout/set_builder.hpp>
#include <octile/cuda/paper/kernels.cuh>
#include <octile/cuda/plan/pairs.hpp>
#include <octile/cuda/start/basis.cuh>
#include <octile/cuda/start/projected_solve.cuh>
#include <octile/cuda/start/projection.hpp>
#include <octile/cuda/typed/kernels.cuh>
#include <octile/pairs/attribute_kernel.hpp>
#include <octile/pairs/prices.hpp>
#include <octile/plan/lowering_plan.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string_view>
#include <type_traits>
#include <vector>

namespace octile::emulated {

/// The input of a launch.
struct Launch {
  std::vector<Pair> pairs;
  Order order = Order::forwards;
  bool projected = false;  ///< pairs start from projected systems, not from 0
  RightHandSide right_hand_side = RightHandSide::stopping;
  float estimated_error = 0;  ///< of the values; if it is not 0, no solution is kept
  bool sums_first = true;     ///< first products are formed by `FirstTerms`, where there are any
};

/// The results of a launch.
struct Solved {
  std::vector<PairResult> results;  ///< in the order of the pairs
  std::vector<double> nodewise;     ///< the solution of the first pair
};

/// A set of graphs with one kernel, lowered and laid out for the native kernels, in host memory. It solves pairs like
/// engine.cpp, by an emulated kernel that the caller names.
template <cuda::Product Kind, class EdgeLabel>
class NativeSet {
 public:
  using Set = cuda::ProductSet<Kind, std::uint32_t, EdgeLabel, Kokkos::HostSpace>;

  /// `read_edge(plan, g, e)` gives the label of edge e of graph g. With a chunk in `layout.factored` the plan's factors
  /// are laid out. The graphs and the kernel must outlive this.
  template <class ReadEdge>
  NativeSet(const std::vector<Graph>& graphs, const KernelSpec& kernel, Lowering lowering, cuda::Layout layout,
            const ReadEdge& read_edge, const SolveOptions& options)
      : setup_{graphs, kernel, Precision::float32, options, {}, default_memory, lowering},
        plan_(plan::choose_lowering(setup_, plan::AutomaticChoice::native, lowering_prices(Precision::float32))),
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
    first_of_x_ = terms_of(RightHandSide::stopping, default_memory);
    first_of_y_ = terms_of(RightHandSide::starting, default_memory);
  }
  NativeSet(const NativeSet&) = delete;
  NativeSet& operator=(const NativeSet&) = delete;
  NativeSet(NativeSet&&) = delete;
  NativeSet& operator=(NativeSet&&) = delete;
  ~NativeSet() = default;

  const plan::LoweringPlan& plan() const { return plan_; }

  /// Solves by `cuda::solve_distributed`.
  template <class Product, class EdgeKernel>
  Solved solve_distributed(const EdgeKernel& edge_kernel, const Launch& launch) const {
    using Kernel = cuda::DistributedKernel<Product, Set, cuda::VertexTable, EdgeKernel>;
    return run<EdgeKernel>({Kernel::shape()}, launch,
                           [&](const cuda::Work& work) { Kernel::function()(set_, vertex_table_, edge_kernel, work); });
  }

  /// Solves by `cuda::solve_pairs`; `choice` is for the products of octiles.
  template <int Threads, int K, cuda::VectorPlace Where, class EdgeKernel>
  Solved solve_pairs(const EdgeKernel& edge_kernel, const Launch& launch, const cuda::OctileChoice& choice) const {
    using Kernel = cuda::PairKernel<Kind, Set, cuda::VertexTable, EdgeKernel, Threads, K, Where>;
    return run<EdgeKernel>({Kernel::shape()}, launch, [&](cuda::Work work) {
      work.choice = choice;
      Kernel::function()(set_, vertex_table_, edge_kernel, work);
    });
  }

  /// The systems of x and of y, with values that are formed here of their trials, by the kernel that solves both where `solve_pairs` solves one.
  template <int Threads, int K, cuda::VectorPlace Where, class EdgeKernel>
  std::array<Solved, 2> solve_both(const EdgeKernel& edge_kernel, const Launch& launch) const {
    using Kernel = cuda::PairKernel<Kind, Set, cuda::VertexTable, EdgeKernel, Threads, K, Where>;
    const cuda::PairPlan plan(Kind, {}, sizes(), 0, cuda::most_shared_memory);
    const std::vector<std::size_t> begins = begins_of(plan, launch.pairs);
    std::vector<TrialValues<float>> trials(begins.back(), {nanf(""), nanf("")});
    std::vector<TrialValues<double>> scales(launch.pairs.size());
    std::vector<PairResult> adjoints(launch.pairs.size());
    std::array<Solved, 2> solved;
    solved[0] = run<EdgeKernel>(
        {Kernel::shape()}, launch,
        [&](cuda::Work work) {
          work.trials = {&trials[0].x, &scales[0].x, nullptr};
          work.adjoint_results = adjoints.data();
          work.farther = 1;
          Kernel::function_of_both()(set_, vertex_table_, edge_kernel, work);
        },
        cuda::Systems::both);
    solved[1].results = adjoints;
    const auto member = [](const auto& both, std::size_t side) { return side == 0 ? both.x : both.y; };
    for (std::size_t side = 0; side < 2; ++side) {
      for (std::size_t k = 0; k < launch.pairs.size(); ++k) {
        const Pair pair = launch.pairs[k];
        const auto& weights = side == 0 ? set_.starting : set_.degrees;
        const cuda::GraphScales& first = set_.scales(pair.first);
        const cuda::GraphScales& second = set_.scales(pair.second);
        const double q = setup_.kernel.stopping.q();
        double sum = 0;
        std::size_t at = begins[k];
        for (std::uint32_t i = set_.vertex_begin(pair.first); i < set_.vertex_begin(pair.first + 1); ++i) {
          for (std::uint32_t j = set_.vertex_begin(pair.second); j < set_.vertex_begin(pair.second + 1); ++j) {
            sum += weights(i) * weights(j) * member(trials[at++], side);
          }
        }
        solved[side].results[k].value = sum * q * q * first.inverse_start * second.inverse_start;
      }
      std::vector<double> nodewise;
      for (std::size_t at = 0; at < begins[1]; ++at) {
        nodewise.push_back(member(scales[0], side) * double(member(trials[at], side)));
      }
      solved[side].nodewise = in_order_of_graphs(launch.pairs[0], nodewise);
    }
    return solved;
  }

  /// Solves with κv formed pair by pair.
  template <int Threads, int K, cuda::VectorPlace Where, class EdgeKernel>
  Solved solve_by_pair(const EdgeKernel& edge_kernel, const Launch& launch) const {
    using Kernel = cuda::PairKernel<Kind, Set, cuda::VertexTable, EdgeKernel, Threads, K, Where>;
    const Kokkos::DefaultHostExecutionSpace space;
    const LoweredKernel& vertex = plan_.lowered.vertex;
    const AttributeKernel<Kokkos::HostSpace> kernel(space, vertex, AttributeTables(vertex));
    std::vector<std::size_t> begins{0};
    for (const Pair& pair : launch.pairs) {
      begins.push_back(begins.back() + static_cast<std::size_t>(set_.vertices(pair.first)) *
                                           static_cast<std::size_t>(set_.vertices(pair.second)));
    }
    std::vector<double> reciprocals(begins.back());
    reciprocals_of_pairs(space, kernel,
                         ListedPairs<Kokkos::HostSpace>{set_.vertex_begin, set_.vertex_labels, launch.pairs.data(),
                                                        begins.data(), launch.pairs.size()},
                         reciprocals.data());
    space.fence();
    Set by_place = set_;
    by_place.vertex_labels =
        Kokkos::View<std::uint32_t*, Kokkos::LayoutRight, Kokkos::HostSpace>("places", set_.vertex_labels.extent(0));
    for (std::size_t g = 0; g + 1 < set_.vertex_begin.extent(0); ++g) {
      for (std::uint32_t v = set_.vertex_begin(g); v < set_.vertex_begin(g + 1); ++v) {
        by_place.vertex_labels(v) = v - set_.vertex_begin(g);
      }
    }
    return run<EdgeKernel>({Kernel::shape()}, launch, [&](cuda::Work work) {
      work.first_terms = {};
      Kernel::function()(by_place, cuda::VertexTable{reciprocals.data(), nullptr, 0}, edge_kernel, work);
    });
  }

  /// Whether there are `FirstTerms`.
  bool has_first_terms() const { return first_of_x_.terms().ids > 0; }
  /// Whether there would be, of at most so many bytes.
  bool has_first_terms_within(std::size_t bytes) const {
    return terms_of(RightHandSide::stopping, bytes).terms().ids > 0;
  }

 private:
  static constexpr int blocks = 2;

  cuda::FirstTermArrays<Kokkos::HostSpace> terms_of(RightHandSide which, std::size_t most_bytes) const {
    if constexpr (Kind == cuda::Product::slices && std::is_same_v<EdgeLabel, float>) {
      const auto factors = cuda::factors_for_first(sizes(), vertex_table_.count);
      if (factors) {
        return cuda::form_first_terms(Kokkos::DefaultHostExecutionSpace(), set_, *factors, reciprocals_.data(),
                                      vertex_table_.count, which, most_bytes);
      }
    }
    return {};
  }

  cuda::Layout with_factors(cuda::Layout layout) const {
    if (layout.factored.chunk > 0) layout.factored.factors = &*plan_.factors;
    return layout;
  }

  cuda::SetSizes sizes() const {
    cuda::SetSizes sizes = builder_.sizes();
    sizes.vertex_ids = vertex_table_.count;
    return sizes;
  }

  /// Runs the kernel, which solves so many systems at once. Blocks claim pairs from a counter, or with Order::backwards have them assigned
  /// beforehand.
  template <class EdgeKernel, class Kernel>
  Solved run(const cuda::Tier& tier, const Launch& launch, const Kernel& kernel,
             cuda::Systems systems = cuda::Systems::one) const {
    const cuda::PairPlan plan(Kind, {&tier, 1}, sizes(), cuda::factors_at_once<EdgeKernel>(), cuda::most_shared_memory);
    const cuda::BasisPairs based(plan.set(), cuda::most_based);
    std::vector<Pair> all = launch.projected ? based.pairs : std::vector<Pair>();
    all.insert(all.end(), launch.pairs.begin(), launch.pairs.end());
    std::size_t shared_bytes = 0;
    Pair largest = all[0];
    for (const Pair& pair : all) {
      shared_bytes = std::max(shared_bytes, plan.shared_bytes(tier, pair, systems));
      if (plan.elements(pair) > plan.elements(largest)) largest = pair;
    }
    Solved solved;
    solved.results.resize(launch.pairs.size());
    const Pair first = launch.pairs[0];
    const std::vector<std::size_t> begins = begins_of(plan, launch.pairs);
    std::vector<double> nodewise(begins.back());
    int next = 0;
    cuda::Work work{};
    work.pairs = launch.pairs.data();
    work.results = solved.results.data();
    work.next = launch.order == Order::forwards ? &next : nullptr;
    work.count = static_cast<int>(launch.pairs.size());
    work.vector_count = plan.vectors(tier);
    work.vector_length = plan.vector_length(tier, largest);
    std::vector<float> workspace(blocks * work.vector_count * work.vector_length,
                                 std::numeric_limits<float>::quiet_NaN());
    work.workspace = workspace.data();
    work.right_hand_side = launch.right_hand_side;
    if (launch.sums_first) {
      work.first_of_y = first_of_y_.terms();
      work.first_terms = (launch.right_hand_side == RightHandSide::starting ? first_of_y_ : first_of_x_).terms();
    }
    if (launch.estimated_error == 0 && systems == cuda::Systems::one) work.nodewise = nodewise.data();
    work.nodewise_begin = begins.data();
    work.scale = setup_.kernel.stopping.q() * setup_.kernel.stopping.q();
    SolveOptions options = setup_.options;
    options.estimated_error = launch.estimated_error;
    options.evenness = 1;
    work.options = plan_.options_left(options);
    const auto solve = [&] { emulate(blocks, tier.threads, shared_bytes, launch.order, [&] { kernel(work); }); };
    std::vector<uint4> coefficients(launch.projected ? cuda::coefficients_a_pair * launch.pairs.size() : 0);
    if (launch.projected) {
      const Projection projection = projected(launch, plan, based, work, solve, coefficients);
      work.starts = cuda::starts_of(projection.view(work.right_hand_side), coefficients.data());
      next = 0;
      solve();
    } else {
      solve();
    }
    for (PairResult& result : solved.results) result.residual += plan_.relative_error;
    nodewise.resize(begins[1]);
    solved.nodewise = in_order_of_graphs(first, nodewise);
    return solved;
  }

  /// Where the solution of each pair begins, and where the last one ends.
  static std::vector<std::size_t> begins_of(const cuda::PairPlan& plan, std::span<const Pair> pairs) {
    std::vector<std::size_t> begins{0};
    for (const Pair& pair : pairs) {
      begins.push_back(begins.back() + plan.vertices(pair.first) * plan.vertices(pair.second));
    }
    return begins;
  }

  using Projection = cuda::ProjectionSet<Kokkos::HostSpace>;

  /// Forms the bases of the set from pairs of its graphs with themselves, which `solve` solves by `work`, and the
  /// coefficients for all pairs of the launch. `work` is unchanged on return.
  template <class Solve>
  Projection projected(const Launch& launch, const cuda::PairPlan& plan, const cuda::BasisPairs& based,
                       cuda::Work& work, const Solve& solve, std::vector<uint4>& coefficients) const {
    const cuda::Work before = work;
    const std::optional<cuda::ProjectionTerms> terms =
        cuda::projection_terms(plan_.lowered, plan_.factors ? &*plan_.factors : nullptr, false);
    if (!terms) throw Error("the kernels have too many terms for a projection");
    Projection projection(Kokkos::DefaultHostExecutionSpace(), setup_.graphs, setup_.kernel.stopping, plan_.lowered,
                          *terms, builder_.orders(), builder_.weight_scales());
    const std::vector<std::size_t> begins = begins_of(plan, based.pairs);
    std::vector<std::size_t> begin_of_graph(plan.set().vertices.size());
    for (std::size_t k = 0; k < based.pairs.size(); ++k) {
      begin_of_graph[static_cast<std::size_t>(based.pairs[k].first)] = begins[k];
    }
    std::vector<double> snapshots(based.length);
    std::vector<PairResult> results(based.pairs.size());
    int next = 0;
    work.pairs = based.pairs.data();
    work.results = results.data();
    work.next = work.next == nullptr ? nullptr : &next;
    work.count = static_cast<int>(based.pairs.size());
    work.nodewise = snapshots.data();
    work.nodewise_begin = begins.data();
    work.options.tolerance = cuda::rough_tolerance;
    work.options.estimated_error = 0;
    solve();
    work = before;
    const cuda::ProjectionView& view = projection.view(work.right_hand_side);
    emulate(static_cast<int>(based.graphs.size()), cuda::basis_threads, cuda::basis_bytes(based.most_vertices),
            launch.order,
            [&] { cuda::form_basis(view, based.graphs.data(), snapshots.data(), begin_of_graph.data()); });
    const int count = static_cast<int>(launch.pairs.size());
    emulate((count + cuda::projected_warps - 1) / cuda::projected_warps, 32 * cuda::projected_warps,
            cuda::projected_warps * cuda::ProjectedSolve::bytes, launch.order,
            [&] { cuda::solve_projected(view, launch.pairs.data(), coefficients.data(), count, true); });
    return projection;
  }

  /// x in the vertex order of the graphs.
  std::vector<double> in_order_of_graphs(Pair pair, const std::vector<double>& x) const {
    const auto vertex = [&](std::int32_t graph, std::size_t place) {
      return vertex_at(builder_.orders()[static_cast<std::size_t>(graph)], place);
    };
    const std::size_t m = builder_.sizes().vertices[static_cast<std::size_t>(pair.second)];
    std::vector<double> nodewise(x.size());
    for (std::size_t k = 0; k < x.size(); ++k)
      nodewise[vertex(pair.first, k / m) * m + vertex(pair.second, k % m)] = x[k];
    return nodewise;
  }

  SolverSetup setup_;
  plan::LoweringPlan plan_;
  cuda::SetBuilder<Kind, std::uint32_t, EdgeLabel> builder_;
  Set set_;
  std::vector<double> reciprocals_;
  std::vector<float2> singles_;
  cuda::VertexTable vertex_table_{};
  cuda::FirstTermArrays<Kokkos::HostSpace> first_of_x_;
  cuda::FirstTermArrays<Kokkos::HostSpace> first_of_y_;
};

}  // namespace octile::emulated
