// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/base/allocation.hpp>
#include <octile/base/launch.hpp>
#include <octile/base/to_memory.hpp>
#include <octile/base_kernels.hpp>
#include <octile/batches/joined_graphs.hpp>
#include <octile/error.hpp>
#include <octile/expression.hpp>
#include <octile/graph_outputs.hpp>
#include <octile/graph_pairs.hpp>
#include <octile/graph_solve.hpp>
#include <octile/portable/iterate/solve.hpp>
#include <octile/prepared_graphs.hpp>
#include <octile/solve.hpp>
#include <octile/solve_handle.hpp>
#include <octile/solve_rules.hpp>

#include <Kokkos_Core.hpp>
#include <Kokkos_Profiling_ScopedRegion.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>

// Kernels of graphs that lie on a device, into Views of the caller's, without a wait:
//
//     batch ─assign→ PreparedGraphs ─solve(pairs, kernel)→ outputs
namespace octile {

namespace detail {

/// Whether base kernels evaluate labels of these types.
template <class VertexKernel, class VertexLabel, class EdgeKernel, class EdgeLabel>
consteval bool evaluate() {
  constexpr bool vertex = is_expression<VertexKernel> || BaseKernel<VertexKernel, VertexLabel>;
  constexpr bool edge = is_expression<EdgeKernel> || BaseKernel<EdgeKernel, EdgeLabel>;
  static_assert(vertex, "the vertex kernel has no evaluate<T>(label, label)");
  static_assert(edge, "the edge kernel has no evaluate<T>(label, label)");
  return vertex && edge;
}

/// A base kernel that a device evaluates.
template <class Label, class Kernel>
auto over_labels(const Kernel& kernel) {
  if constexpr (is_expression<Kernel>) {
    return ProgramKernel<Label>(kernel);
  } else {
    return kernel;
  }
}

/// The kernel of a solve with compile-time types, which a device evaluates. Throws `Error` for an expression that is none of such labels.
template <class VertexLabel, class EdgeLabel, class VertexKernel, class EdgeKernel, class Starting>
auto typed(const TypedKernel<VertexKernel, EdgeKernel, Starting>& kernel) {
  if constexpr (is_expression<VertexKernel>) kernel.vertex.require_vertex_kernel();
  if constexpr (is_expression<EdgeKernel>) kernel.edge.require_edge_kernel();
  return TypedKernel{over_labels<VertexLabel>(kernel.vertex), over_labels<EdgeLabel>(kernel.edge), kernel.stopping,
                     kernel.starting};
}

/// Throws `Error` unless all that a solve was given fits `graphs` graphs.
template <class Numbered, class Values, class Results, class Solutions>
void require_fit(const Numbered& asked, std::size_t graphs, const Outputs<Values, Results, Solutions>& outputs,
                 const GraphSolveOptions& options) {
  require_kokkos("solve");
  require_fit(asked, outputs.values, outputs.results, graphs, options);
  require_room(asked, outputs.solutions);
}

/// `solve` where everything has been found to fit. `ready` queues what makes the graphs, once there is memory for the solve.
template <class ExecutionSpace, class Scalar, class Prepared, class Numbered, class Kernel, class Values, class Results,
          class Solutions, class Ready>
void solve_fitting(const ExecutionSpace& space, SolveHandle<ExecutionSpace, Scalar>& handle, Prepared& graphs,
                   std::size_t graphs_of_rows, const Numbered& asked, const Kernel& kernel,
                   const Outputs<Values, Results, Solutions>& outputs, const GraphSolveOptions& options,
                   const Ready& ready) {
  using Set = typename std::decay_t<Prepared>::Set;
  Kokkos::Profiling::ScopedRegion region("octile::solve");
  const auto xmv = portable::default_xmv<ExecutionSpace, Set>();
  const Capacity capacity = graphs.capacity();
  GraphSolveOptions completed = options;
  if (options.solve.tolerance == 0) completed.solve.tolerance = usual_tolerance<Scalar>;
  GraphSolve<ExecutionSpace, Scalar> call(space, handle, completed, capacity, kernel.stopping, asked.count(),
                                          asked.selves(static_cast<std::int32_t>(graphs.size())));
  call.reserve(graphs, kernel.edge, xmv.threads(), !std::is_same_v<Solutions, NotGiven>);
  ready();
  call.note(graphs, graphs_of_rows);
  const auto solutions = taker(graphs.set(), asked, static_cast<std::int32_t>(graphs.size()), outputs.solutions);
  const auto set = call.system(graphs, asked, kernel);
  if (graphs.size() > 0) {
    call.count_factors(graphs, set, kernel.edge);
    call.run(graphs, set, kernel, xmv, solutions);
  }
  call.write(graphs, asked, outputs.values, outputs.results, solutions);
  if (graphs.size() > 0) call.describe_fault(graphs, kernel, graphs_of_rows);
}

}  // namespace detail

/// Solves pairs of prepared graphs on `space`, and returns. From the second call on for the same capacity, pairs and kernel:
/// no fence, no allocation, nothing read back. By the portable backend the first one counts, with a fence, how many factors the edge kernel
/// is to get.
///
/// κv must lie in (0, 1] and κe in [0, 1] on all labels. Throws `Error` where shapes do not fit, before anything is queued, and where
/// memory is short, before an output is written; what goes wrong on the device is a status. Of a batch that is wrong every value is
/// NaN and every pair a `breakdown`, and so it is of a kernel that is found to be wrong (`SolveHandle::fault`). κe is looked at for each
/// entry with itself, with the one across the diagonal, with two others, and with those of which the portable backend makes factors; κv
/// wherever it is used, where it makes a `breakdown` of the pair alone, and the first such pair is told by `SolveHandle::fault`.
template <class ExecutionSpace, class SpaceOfHandle, class ScalarOfHandle, class Scalar, class VertexLabel,
          class EdgeLabel, class MemorySpace, class Pairs, class VertexKernel, class EdgeKernel, class Starting,
          class Values, class Results, class Solutions>
void solve(const ExecutionSpace& space, SolveHandle<SpaceOfHandle, ScalarOfHandle>& handle,
           const PreparedGraphs<Scalar, VertexLabel, EdgeLabel, MemorySpace>& graphs, const Pairs& pairs,
           const TypedKernel<VertexKernel, EdgeKernel, Starting>& kernel,
           const Outputs<Values, Results, Solutions>& outputs, const GraphSolveOptions& options = {}) {
  if constexpr (detail::go_together<ExecutionSpace, SpaceOfHandle, ScalarOfHandle, Scalar, MemorySpace>() &&
                detail::are_pairs<Pairs, MemorySpace, false>() &&
                detail::are_usable<MemorySpace, Pairs, Starting, Values, Results, Solutions>() &&
                detail::evaluate<VertexKernel, VertexLabel, EdgeKernel, EdgeLabel>()) {
    const auto typed = detail::typed<VertexLabel, EdgeLabel>(kernel);
    const auto asked = detail::numbered(pairs, static_cast<std::int32_t>(graphs.size()));
    detail::require_fit(asked, graphs.size(), outputs, options);
    if (asked.count() == 0) return detail::GraphSolve<ExecutionSpace, Scalar>::note_nothing(handle);
    detail::solve_fitting(space, handle, graphs, graphs.size(), asked, typed, outputs, options, [] {});
  }
}

/// Solves pairs of two sets: `AllPairs`, or a `PairList`. Both sets are copied behind one another on the device, by one
/// kernel. All else is as for the pairs of one set.
template <class ExecutionSpace, class SpaceOfHandle, class ScalarOfHandle, class Scalar, class VertexLabel,
          class EdgeLabel, class MemorySpace, class Pairs, class VertexKernel, class EdgeKernel, class Starting,
          class Values, class Results, class Solutions>
void solve(const ExecutionSpace& space, SolveHandle<SpaceOfHandle, ScalarOfHandle>& handle,
           const PreparedGraphs<Scalar, VertexLabel, EdgeLabel, MemorySpace>& rows,
           const PreparedGraphs<Scalar, VertexLabel, EdgeLabel, MemorySpace>& columns, const Pairs& pairs,
           const TypedKernel<VertexKernel, EdgeKernel, Starting>& kernel,
           const Outputs<Values, Results, Solutions>& outputs, const GraphSolveOptions& options = {}) {
  if constexpr (detail::go_together<ExecutionSpace, SpaceOfHandle, ScalarOfHandle, Scalar, MemorySpace>() &&
                detail::are_pairs<Pairs, MemorySpace, true>() &&
                detail::are_usable<MemorySpace, Pairs, Starting, Values, Results, Solutions>() &&
                detail::evaluate<VertexKernel, VertexLabel, EdgeKernel, EdgeLabel>()) {
    using Prepared = PreparedGraphs<Scalar, VertexLabel, EdgeLabel, MemorySpace>;
    const auto typed = detail::typed<VertexLabel, EdgeLabel>(kernel);
    const std::size_t graphs = rows.size() + columns.size();
    const auto asked = detail::numbered(
        detail::across(pairs, static_cast<std::int32_t>(rows.size()), static_cast<std::int32_t>(columns.size())),
        static_cast<std::int32_t>(graphs));
    detail::require_fit(asked, graphs, outputs, options);
    if (asked.count() == 0) return detail::GraphSolve<ExecutionSpace, Scalar>::note_nothing(handle);
    auto& both = detail::GraphSolve<ExecutionSpace, Scalar>::template room_for_both<Prepared>(
        space, handle, joined_capacity(rows.capacity(), columns.capacity()));
    both.resize(graphs);
    detail::solve_fitting(space, handle, both, rows.size(), asked, typed, outputs, options,
                          [&] { join(space, rows, columns, both); });
  }
}

namespace detail {

template <class ExecutionSpace, class VertexBegin, class Numbered, class Begin>
void count_nodewise(const ExecutionSpace& space, const Numbered& asked, std::int32_t graphs,
                    const VerticesOfGraph<VertexBegin>& vertices_of, const Begin& begin) {
  static_assert(readable_from<Begin, typename ExecutionSpace::memory_space>() &&
                    std::is_integral_v<typename Begin::value_type> && !std::is_const_v<typename Begin::value_type>,
                "the places to begin must be integers that lie where the execution space writes, and not be const");
  static_assert(Kokkos::SpaceAccessibility<ExecutionSpace, typename VertexBegin::memory_space>::accessible,
                "the graphs lie in another memory space: count on an instance of the space they were prepared on");
  require_kokkos("nodewise_begin");
  if (begin.extent(0) < asked.count() + 1) {
    throw Error("node-wise results have " + std::to_string(begin.extent(0)) + " places to begin; allowed are " +
                std::to_string(asked.count() + 1) + " or more");
  }
  Kokkos::parallel_scan(
      "octile::nodewise_begin", without_waiting(Kokkos::RangePolicy<ExecutionSpace>(space, 0, asked.count() + 1)),
      CountNodewise<Numbered, VerticesOfGraph<VertexBegin>, Begin>{asked, vertices_of, begin, asked.count(), graphs});
}

}  // namespace detail

/// Writes down where x of each pair begins for `Nodewise`, and behind the last the length of all: `begin` has a place more than there
/// are pairs. On `space`, without a fence. A pair that names no graphs takes no room. A place that is more than `begin` can hold becomes the
/// most that it holds, so that its pair finds no room.
template <class ExecutionSpace, class Prepared, class Pairs, RankOneView Begin>
void nodewise_begin(const ExecutionSpace& space, const Prepared& graphs, const Pairs& pairs, const Begin& begin) {
  const auto count = static_cast<std::int32_t>(graphs.size());
  const auto& vertex_begin = graphs.set().vertex_begin;
  detail::count_nodewise(
      space, detail::numbered(pairs, count), count,
      detail::VerticesOfGraph<std::decay_t<decltype(vertex_begin)>>{vertex_begin, vertex_begin, count}, begin);
}

/// Writes down where x of each pair of two sets begins, as for the pairs of one set. Pairs are `AllPairs`, or a
/// `PairList`.
template <class ExecutionSpace, class Prepared, class Pairs, RankOneView Begin>
void nodewise_begin(const ExecutionSpace& space, const Prepared& rows, const Prepared& columns, const Pairs& pairs,
                    const Begin& begin) {
  const auto first = static_cast<std::int32_t>(rows.size());
  const auto second = static_cast<std::int32_t>(columns.size());
  const auto& of_rows = rows.set().vertex_begin;
  detail::count_nodewise(
      space, detail::numbered(detail::across(pairs, first, second), first + second), first + second,
      detail::VerticesOfGraph<std::decay_t<decltype(of_rows)>>{of_rows, columns.set().vertex_begin, first}, begin);
}

/// Fences `space`; throws `Error` that says where the kernel of the last solve was wrong, by which value, and what was allowed.
template <class ExecutionSpace, class Scalar>
void require_valid(const ExecutionSpace& space, const SolveHandle<ExecutionSpace, Scalar>& handle) {
  const std::optional<KernelFault> fault = handle.fault(space);
  if (!fault) return;
  throw Error(fault->message());
}

namespace detail {

/// Throws `Error` for the first of `count` results on the host that is not `converged`, and says how it ended;
/// `name(k)` says which result that is.
template <class Results, class Name>
void require_converged(const Results& results, std::size_t count, const Name& name) {
  for (std::size_t k = 0; k < count; ++k) {
    const PairResult& result = results(k);
    if (result.status == Status::converged) continue;
    throw Error(name(k) + " ended with '" + std::string(status_name(result.status)) + "' after " +
                std::to_string(result.iterations) + " iterations");
  }
}

}  // namespace detail

/// Fences `space`; throws `Error` that names the first of these results that is not `converged`. All of them are looked at, also those that
/// no solve has written.
template <class ExecutionSpace, RankOneView Results>
void require_converged(const ExecutionSpace& space, const Results& results) {
  const auto host = detail::to_host(space, "require_converged", results);
  detail::require_converged(host, host.extent(0), [](std::size_t k) { return "pair number " + std::to_string(k); });
}

/// Fences `space`; throws `Error` that says what was wrong with the last solve of a handle, which wrote these results: the first fault of its
/// batch or its kernel, or the first pair that did not converge, by its graphs. The results may be longer than the pairs that were asked for.
template <class ExecutionSpace, class Scalar, RankOneView Results>
void require_converged(const ExecutionSpace& space, const SolveHandle<ExecutionSpace, Scalar>& handle,
                       const Results& results) {
  handle.require_valid_batch(space);
  require_valid(space, handle);
  const auto host = detail::to_host(space, "require_converged", results);
  detail::require_converged(host, std::min(handle.asked(), host.extent(0)), [&](std::size_t k) {
    return handle.pair_name(space, k) + ", pair number " + std::to_string(k) + ",";
  });
}

}  // namespace octile
