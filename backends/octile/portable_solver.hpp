// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/error.hpp>
#include <octile/gram.hpp>
#include <octile/lowering.hpp>
#include <octile/octile_set.hpp>
#include <octile/portable.hpp>
#include <octile/runtime_kernel.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace octile::portable {

/// The portable backend behind `PairSolver`: run-time kernels on one execution
/// space, with one of a few compile-time types for the edge kernel.
template <class ExecutionSpace, class Set, class EdgeKernel>
class Solver final : public PairSolver {
 public:
  using Scalar = typename Set::scalar_type;
  using MemorySpace = typename Set::memory_space;
  using VertexKernel = RuntimeKernel<double, MemorySpace>;

  Solver(const ExecutionSpace& space, std::span<const Graph> graphs, Set set, VertexKernel vertex_kernel,
         EdgeKernel edge_kernel, const SolveOptions& options, std::string description)
      : space_(space),
        set_(std::move(set)),
        vertex_kernel_(std::move(vertex_kernel)),
        edge_kernel_(std::move(edge_kernel)),
        options_(options),
        description_(std::move(description)) {
    for (const Graph& graph : graphs) vertices_.push_back(static_cast<std::size_t>(graph.vertex_count()));
  }

  void solve(std::span<const Pair> pairs, std::span<PairResult> results) override { run(pairs, results, nullptr); }

  PairResult solve_nodewise(Pair pair, std::vector<double>& nodewise) override {
    PairResult result;
    run({&pair, 1}, {&result, 1}, &nodewise);
    return result;
  }

  std::string description() const override { return description_; }

 private:
  void run(std::span<const Pair> pairs, std::span<PairResult> results, std::vector<double>* nodewise) {
    if (pairs.empty()) return;
    std::size_t elements = 0;
    for (const Pair& pair : pairs) elements = std::max(elements, size_of(pair));
    if (!workspace_ || workspace_->elements() < elements) {
      workspace_.reset();
      workspace_.emplace(space_, elements, std::max<std::size_t>(pairs.size(), 256));
    }
    const std::vector<Pair> pairs_host(pairs.begin(), pairs.end());
    const auto pairs_view = detail::to_memory<MemorySpace>(space_, "pairs", pairs_host);
    const Kokkos::View<PairResult*, MemorySpace> results_view(
        Kokkos::view_alloc(space_, Kokkos::WithoutInitializing, "octile::results"), pairs.size());
    Kokkos::View<Scalar*, MemorySpace> x;
    if (nodewise != nullptr) x = decltype(x)(Kokkos::view_alloc(space_, "octile::nodewise"), elements);
    portable::solve(space_, set_, vertex_kernel_, edge_kernel_, Kokkos::View<const Pair*, MemorySpace>(pairs_view),
                    results_view, *workspace_, options_, x);
    Kokkos::deep_copy(space_, Kokkos::View<PairResult*, Kokkos::HostSpace>(results.data(), results.size()),
                      results_view);
    if (nodewise != nullptr) {
      std::vector<Scalar> copy(elements);
      Kokkos::deep_copy(space_, Kokkos::View<Scalar*, Kokkos::HostSpace>(copy.data(), copy.size()), x);
      space_.fence("octile::solve_nodewise");
      nodewise->assign(copy.begin(), copy.end());
    }
    space_.fence("octile::solve");
  }

  std::size_t size_of(Pair pair) const {
    return vertices_[static_cast<std::size_t>(pair.first)] * vertices_[static_cast<std::size_t>(pair.second)];
  }

  ExecutionSpace space_;
  Set set_;
  VertexKernel vertex_kernel_;
  EdgeKernel edge_kernel_;
  SolveOptions options_;
  std::string description_;
  std::vector<std::size_t> vertices_;
  std::optional<Workspace<Scalar, MemorySpace>> workspace_;
};

template <class Scalar, class ExecutionSpace>
std::unique_ptr<PairSolver> make_solver_in(std::span<const Graph> graphs, const KernelSpec& spec,
                                           const SolveOptions& options) {
  using MemorySpace = typename ExecutionSpace::memory_space;
  using Runtime = RuntimeKernel<Scalar, MemorySpace>;
  const ExecutionSpace space;
  const LoweredKernel vertex = lower(graphs, spec.vertex, LabelSite::vertex);
  const LoweredKernel edge = lower(graphs, spec.edge, LabelSite::edge);
  const auto vertex_id = [&vertex](std::size_t g, std::size_t v) { return vertex.ids[g][v]; };
  const std::string description =
      fmt::format("{}, {}; on the fly, vertex kernel: {}, edge kernel: {}", ExecutionSpace::name(),
                  sizeof(Scalar) == 4 ? "float32" : "float64", vertex.description(), edge.description());

  const auto make = [&]<class EdgeLabel, class EdgeKernel>(std::type_identity<EdgeLabel>, const auto& read_edge,
                                                           const EdgeKernel& edge_kernel) {
    auto set = pack_octiles<Scalar, std::uint32_t, EdgeLabel>(space, graphs, spec.stopping, vertex_id, read_edge);
    return std::unique_ptr<PairSolver>(std::make_unique<Solver<ExecutionSpace, decltype(set), EdgeKernel>>(
        space, graphs, std::move(set), RuntimeKernel<double, MemorySpace>(space, vertex), edge_kernel, options,
        description));
  };
  // The types that the XMV is compiled for; each evaluates the same formulas.
  const auto edge_id = [&edge](std::size_t g, std::size_t e) { return edge.ids[g][e]; };
  if (edge.constant()) {
    return make(
        std::type_identity<NoLabel>(), [](std::size_t, std::size_t) { return NoLabel{}; },
        Constant(edge.program[0].parameter));
  }
  if (edge.tabulated()) {
    return make(std::type_identity<std::uint32_t>(), edge_id, TableKernel<Scalar, MemorySpace>(Runtime(space, edge)));
  }
  if (edge.square_exponential()) {
    const auto number = [&edge](std::size_t g, std::size_t e) {
      return static_cast<Scalar>(edge.records[edge.ids[g][e]]);
    };
    return make(std::type_identity<Scalar>(), number, SquareExponential::of_rate(edge.program[0].parameter));
  }
  return make(std::type_identity<std::uint32_t>(), edge_id, Runtime(space, edge));
}

/// A portable solver on the default instance of `ExecutionSpace`.
template <class ExecutionSpace>
std::unique_ptr<PairSolver> make_solver(std::span<const Graph> graphs, const KernelSpec& spec, Precision precision,
                                        const SolveOptions& options) {
  if (precision == Precision::float32) return make_solver_in<float, ExecutionSpace>(graphs, spec, options);
  return make_solver_in<double, ExecutionSpace>(graphs, spec, options);
}

}  // namespace octile::portable
