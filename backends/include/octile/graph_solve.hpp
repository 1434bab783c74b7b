// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/base/allocation.hpp>
#include <octile/base/launch.hpp>
#include <octile/base_kernels.hpp>
#include <octile/cuda/batches/solver.hpp>
#include <octile/error.hpp>
#include <octile/expression.hpp>
#include <octile/graph_factors.hpp>
#include <octile/graph_outputs.hpp>
#include <octile/graph_pairs.hpp>
#include <octile/graph_solve_options.hpp>
#include <octile/graph_system.hpp>
#include <octile/graphs/octile_set.hpp>
#include <octile/lowerings.hpp>
#include <octile/native_batches.hpp>
#include <octile/native_edges.hpp>
#include <octile/placed_reciprocals.hpp>
#include <octile/portable/device_factors.hpp>
#include <octile/portable/iterate/solve.hpp>
#include <octile/portable/xmv/factored_set.hpp>
#include <octile/prepared_graphs.hpp>
#include <octile/program_kernel.hpp>
#include <octile/residual_bound.hpp>
#include <octile/solve.hpp>
#include <octile/solve_handle.hpp>
#include <octile/stopping.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <type_traits>
#include <typeinfo>
#include <utility>

namespace octile {

/// κv and κe, each a compile-time type (`BaseKernel`) or an `Expression` over the labels (`ProgramKernel`), q, and starting
/// probabilities: a View of a number ≥ 0 a vertex, counted as in the batch; of two sets, the rows' vertices first. They usually sum
/// to 1 a graph, and are 1/n where they are not given.
template <class VertexKernel, class EdgeKernel, class Starting = NotGiven>
struct TypedKernel {
  VertexKernel vertex;  ///< κv, in (0, 1]
  EdgeKernel edge;      ///< κe, in [0, 1]
  Stopping stopping;    ///< q and its meaning
  Starting starting{};  ///< p, one a vertex, or `NotGiven`: 1/n
};
template <class VertexKernel, class EdgeKernel>
TypedKernel(VertexKernel, EdgeKernel, Stopping) -> TypedKernel<VertexKernel, EdgeKernel>;
template <class VertexKernel, class EdgeKernel, class Starting>
TypedKernel(VertexKernel, EdgeKernel, Stopping, Starting) -> TypedKernel<VertexKernel, EdgeKernel, Starting>;

/// Whether a base kernel comes as text.
template <class Kernel>
inline constexpr bool is_expression = std::is_same_v<Kernel, Expression>;

namespace detail {

/// One call of `solve`, step by step.
template <class ExecutionSpace, class Scalar>
class GraphSolve {
 public:
  using Handle = SolveHandle<ExecutionSpace, Scalar>;
  using MemorySpace = typename ExecutionSpace::memory_space;

  GraphSolve(const ExecutionSpace& space, Handle& handle, const GraphSolveOptions& options, const Capacity& capacity,
             const Stopping& stopping, std::size_t pairs, std::size_t selves)
      : space_(space),
        handle_(handle),
        options_(options),
        capacity_(capacity),
        stopping_(stopping),
        pairs_(pairs),
        selves_(options.normalize == Normalize::yes ? selves : 0) {
    iterating_.tolerance -= factor_share_;
    iterating_.estimated_error = 0;  // it would need even starts, and solutions that are not asked for
  }

  /// Takes the memory that the solve needs, as far as that is known; `takes`: solutions are asked for. Throws `Error`, and all is as it was.
  template <class Prepared, class EdgeKernel>
  void reserve(const Prepared& graphs, const EdgeKernel& kernel, int threads, bool takes) {
    detail::allocating("a solve", [&] {
      const std::size_t pairs = pairs_ + graphs.capacity().graphs;
      handle_.reserve(space_, capacity_, pairs, threads);
      with_native<Prepared>(kernel, [&]<class Solver>(Solver& solver, const auto&) {
        if (!Solver::suits(capacity_)) return;
        solver.reserve(space_, capacity_);
        handle_.native_.reserve(space_, capacity_, pairs, handle_.memory_, takes, Solver::shapes(),
                                Solver::most_elements());
        native_ = true;
        takes_ = takes;
      });
      if (native_) return handle_.reserve_factors(space_, capacity_, 0);
      if (options_.lowering == Lowering::automatic) {
        kernel_ = what_counts(kernel);
        const std::optional<std::size_t> rank = handle_.counted(kernel_);
        if (rank) return handle_.reserve_factors(space_, capacity_, *rank);
        trial_.emplace().reserve(space_, capacity_.entries, std::min(Handle::most_rank, affordable(sizeof(double))));
        trial_->rank = static_cast<int>(trial_->phi.extent(0));
      } else {
        handle_.reserve_factors(space_, capacity_, 0);
      }
    });
  }

  /// The set with degrees, starting probabilities and q, where the kernel has been found fit.
  template <class Prepared, class Numbered, class Kernel>
  typename Prepared::Set system(const Prepared& graphs, const Numbered& asked, const Kernel& kernel) {
    using Set = typename Prepared::Set;
    const auto count_of_graphs = static_cast<std::int32_t>(graphs.size());
    list_pairs(space_, all(),
               ListPairs<Numbered, MemorySpace>{asked, pairs_, count_of_graphs, handle_.pairs_, handle_.fault_});
    Set set = graphs.set();
    if (count_of_graphs == 0) return set;
    using Starting = std::decay_t<decltype(kernel.starting)>;
    const bool probability = stopping_.meaning() == StoppingMeaning::probability;
    const double q = stopping_.q();
    make_degrees(space_, count_of_graphs,
                 MakeDegrees<MemorySpace, Starting>{set.vertex_begin, set.degrees, graphs.largest_weights(),
                                                    handle_.degrees_, kernel.starting, handle_.starting_,
                                                    handle_.fault_, probability ? 1 - q : 1.0, probability ? 0.0 : q});
    Kokkos::parallel_for("octile::check_edges", over_entries(), checks(graphs, kernel.edge));
    set.degrees = handle_.degrees_;
    if constexpr (!std::is_same_v<Starting, NotGiven>) set.starting = handle_.starting_;
    set.q = q;
    return set;
  }

  /// Has the handle count, with a fence, how many factors the edge kernel is to get, unless it has done so before.
  template <class Prepared, class EdgeKernel>
  void count_factors(const Prepared& graphs, const typename Prepared::Set& set, const EdgeKernel& kernel) {
    if (!trial_) return;
    form_factors(graphs, set, kernel, *trial_);
    detail::allocating("a solve", [&] {
      const int needed = needed_factors(space_, *trial_, handle_.fault_, factor_share_);
      trial_.reset();
      const std::size_t rank =
          needed < 0 ? 0 : room_for(static_cast<std::size_t>(needed), Prepared::Set::has_edge_labels);
      handle_.reserve_factors(space_, capacity_, rank);
      // A wrong one is looked at as closely the next time.
      if (needed != wrong_kernel) handle_.remember(kernel_, rank);
    });
  }

  /// Has the device say where the kernel is wrong, if it is. To be called when the outputs are written.
  template <class Prepared, class Kernel>
  void describe_fault(const Prepared& graphs, const Kernel& kernel, std::size_t graphs_of_rows) {
    using Describe =
        DescribeFault<Prepared, std::decay_t<decltype(kernel.vertex)>, std::decay_t<decltype(kernel.edge)>>;
    Kokkos::parallel_for(
        "octile::describe_fault", without_waiting(Kokkos::RangePolicy<ExecutionSpace>(space_, 0, 1)),
        Describe{checks(graphs, kernel.edge), kernel.vertex, handle_.pairs_.data(), graphs.largest_weights(),
                 handle_.starting_, handle_.factors_, graphs.size(), graphs_of_rows});
  }

  /// Solves all pairs: natively as far as that goes; by factors if these suffice, else on the fly. Which it is, the device decides.
  template <class Prepared, class Kernel, class Xmv, class Solutions>
  void run(const Prepared& graphs, const typename Prepared::Set& set, const Kernel& kernel, const Xmv& xmv,
           const Solutions& solutions) {
    const auto count = all();
    const Kokkos::View<const Pair*, MemorySpace> pairs =
        Kokkos::subview(handle_.pairs_, std::pair(std::size_t(0), count));
    if (native_) {
      with_native<Prepared>(kernel.edge, [&](auto& solver, const auto& edges) {
        solver.lay_out(space_, cuda::BatchSource<Scalar, MemorySpace>::of(graphs, set));
        run_natively(graphs, set, pairs, kernel, edges.read_label, edges.exact, solver.label_places(),
                     solver.weight_scale(), solutions, [&](const cuda::BatchWork& asked, const double* reciprocals) {
                       solver.solve(space_, asked, reciprocals, edges.quick);
                     });
      });
    }
    if (handle_.rank_ > 0) {
      form_factors(graphs, set, kernel.edge, handle_.factors_);
      if constexpr (Handle::places_reciprocals) {
        solve_by_parts(graphs, set, kernel.vertex, xmv.threads(), pairs, solutions);
      } else {
        solve_by_calls(graphs, set, kernel.vertex, xmv.threads(), pairs, solutions);
      }
    }
    choose(false, count);
    portable::solve_from_next(space_, set, kernel.vertex, kernel.edge, xmv, pairs, results(), *handle_.workspace_,
                              iterating_, 0, solutions, native_);
  }

  template <class Prepared, class Numbered, class Values, class Results, class Taker>
  void write(const Prepared& graphs, const Numbered& asked, const Values& values, const Results& results_wanted,
             const Taker& taker) {
    Kokkos::parallel_for(
        "octile::write_outputs", without_waiting(Kokkos::RangePolicy<ExecutionSpace>(space_, 0, pairs_)),
        WriteOutputs<Numbered, typename Prepared::Set, Values, Results, Taker>{
            asked, pairs_, static_cast<std::int32_t>(graphs.size()), options_.normalize == Normalize::yes, results(),
            graphs.fault_record(), handle_.fault_, handle_.factors_, factor_share_, bound(), values, results_wanted,
            taker, graphs.set().vertex_begin});
  }

  /// Notes what this call is asked for, of which the handle tells later.
  template <class Prepared>
  void note(const Prepared& graphs, std::size_t graphs_of_rows) {
    handle_.asked_ = pairs_;
    handle_.graphs_ = graphs.size();
    handle_.graphs_of_rows_ = graphs_of_rows;
    handle_.batch_fault_ = graphs.fault_record();
  }
  /// Notes that nothing was asked for.
  static void note_nothing(Handle& handle) { handle.asked_ = 0; }

  /// Room for two sets as one.
  template <class Prepared>
  static Prepared& room_for_both(const ExecutionSpace& space, Handle& handle, const Capacity& capacity) {
    return handle.template joined<Prepared>(space, capacity);
  }

 private:
  /// Calls `use` with the native solver for an edge kernel, and the form in which it takes that, if there is one and it may be used.
  template <class Prepared, class EdgeKernel, class Use>
  void with_native([[maybe_unused]] const EdgeKernel& kernel, [[maybe_unused]] const Use& use) {
    if constexpr (cuda::launches_batches<ExecutionSpace>) {
      if (options_.backend != GraphBackend::automatic) return;
      with_native_edges<Scalar, typename Prepared::Set::edge_label_type>(kernel, [&]<class Edges>(const Edges& edges) {
        use(handle_.template native<cuda::BatchSolver<Scalar, typename Edges::Stored, ExecutionSpace>>(), edges);
      });
    }
  }

  /// Solves natively what is laid out. It depends on no type of stored labels: a program may have any of three, and this is compiled once for it.
  template <class Prepared, class Kernel, class ReadLabel, class Exact, class Taker>
  void run_natively(const Prepared& graphs, const typename Prepared::Set& set,
                    const Kokkos::View<const Pair*, MemorySpace>& pairs, const Kernel& kernel,
                    const ReadLabel& read_label, const Exact& exact, const cuda::LabelPlaces<ExecutionSpace>& places,
                    const cuda::WeightScale<MemorySpace>& scale, const Taker& taker,
                    const std::function<void(const cuda::BatchWork&, const double*)>& launch) {
    cuda::write_labels(space_, set.edge_labels, places, read_label);
    using Native = NativeBatches<ExecutionSpace, Scalar>;
    using VertexKernel = std::decay_t<decltype(kernel.vertex)>;
    handle_.native_.solve(
        space_,
        typename Native::template Asked<Prepared, VertexKernel, Exact, Taker>{
            graphs, set, pairs, results(), kernel.vertex, exact, scale, options_.solve, taker, takes_},
        launch);
  }
  using Entries = Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<std::uint32_t>>;
  auto over_entries() const {
    return without_waiting(Entries(space_, 0, static_cast<std::uint32_t>(capacity_.entries)));
  }

  /// Pairs that are solved: those asked for, and graphs with themselves to normalise them.
  std::size_t all() const { return pairs_ + selves_; }
  Kokkos::View<PairResult*, MemorySpace> results() const {
    return Kokkos::subview(handle_.results_, std::pair(std::size_t(0), all()));
  }

  /// What residuals prove, in double: products sum over the entries of two rows and over factors.
  ResidualBound bound() const {
    if (std::is_same_v<Scalar, float>) return {};
    constexpr std::size_t others = 32;
    const bool probability = stopping_.meaning() == StoppingMeaning::probability;
    return {static_cast<double>(2 * capacity_.vertices_of_largest + handle_.rank_ + others),
            probability ? 1 - stopping_.q() : 0.0};
  }

  /// Factors that there is memory for, of so many bytes an entry.
  std::size_t affordable(std::size_t bytes) const {
    return handle_.memory_ / (bytes * std::max<std::size_t>(capacity_.entries, 1));
  }

  /// Room for factors where some are needed now. It is ample, since labels change from step to step, and what does not suffice then
  /// takes many times as long; those that are not needed cost little more than a launch.
  std::size_t room_for(std::size_t needed, bool has_labels) const {
    if (!has_labels) return std::max<std::size_t>(needed, 1);
    constexpr std::size_t bytes = sizeof(double) + sizeof(Scalar) + sizeof(float);
    return std::min({Handle::most_rank, 2 * needed + 8, std::max(needed, affordable(bytes))});
  }

  template <class Prepared, class EdgeKernel>
  void form_factors(const Prepared& graphs, const typename Prepared::Set& set, const EdgeKernel& kernel,
                    portable::DeviceFactors<MemorySpace>& factors) {
    portable::form_factors(space_, set, graphs.size(), graphs.set().degrees, graphs.elements(), capacity_.entries,
                           kernel, factor_share_, factors, handle_.fault_);
  }

  template <class Prepared, class EdgeKernel>
  EdgeChecks<Prepared, EdgeKernel> checks(const Prepared& graphs, const EdgeKernel& kernel) const {
    return {graphs.set(), graphs.rows(), graphs.elements(), kernel, handle_.fault_};
  }

  /// Solves pairs by factors, as many at a time as there is room for 1/κv.
  template <class Prepared, class VertexKernel, class Solutions>
  void solve_by_parts(const Prepared& graphs, const typename Prepared::Set& set, const VertexKernel& vertex_kernel,
                      int threads, const Kokkos::View<const Pair*, MemorySpace>& pairs, const Solutions& solutions) {
    const auto factored = factored_set(graphs, set);
    const PlacedReciprocals reciprocals = handle_.placed_reciprocals();
    const std::size_t at_once = handle_.reciprocals_.extent(0) / reciprocals.stride;
    for (std::size_t begin = 0; begin < pairs.extent(0); begin += at_once) {
      const std::size_t end = std::min(begin + at_once, pairs.extent(0));
      const Kokkos::View<const Pair*, MemorySpace> part = Kokkos::subview(pairs, std::pair(begin, end));
      const Kokkos::View<PairResult*, MemorySpace> found = Kokkos::subview(handle_.results_, std::pair(begin, end));
      form_reciprocals(space_, set, vertex_kernel, part.data(), end - begin, reciprocals);
      choose(true, end - begin);
      portable::solve_from_next(space_, factored, reciprocals, Constant(), factored_product(threads), part, found,
                                *handle_.workspace_, iterating_, 0, TakePart<Solutions>(solutions, begin));
    }
  }

  /// Solves pairs by factors on a host, where 1/κv is formed by calls.
  template <class Prepared, class VertexKernel, class Solutions>
  void solve_by_calls(const Prepared& graphs, const typename Prepared::Set& set, const VertexKernel& vertex_kernel,
                      int threads, const Kokkos::View<const Pair*, MemorySpace>& pairs, const Solutions& solutions) {
    using Label = typename Prepared::Set::vertex_label_type;
    const CalledReciprocals::Source<Label, VertexKernel> source{set.vertex_labels.data(), &vertex_kernel};
    choose(true, pairs.extent(0));
    portable::solve_from_next(space_, factored_set(graphs, set), CalledReciprocals(source), Constant(),
                              factored_product(threads), pairs, results(), *handle_.workspace_, iterating_, 0,
                              solutions);
    CalledReciprocals::wait_where_calls_outlive(space_);
  }

  void choose(bool factored, std::size_t count) {
    choose_road(space_, handle_.workspace_->next(), handle_.factors_, factor_share_, count, factored);
  }

  /// The set with factors in place of edge labels, and without vertex labels.
  template <class Prepared>
  auto factored_set(const Prepared& graphs, const typename Prepared::Set& set) {
    const auto& rows = graphs.rows();
    portable::fill_factors(space_,
                           portable::detail::FillFactors<Scalar, MemorySpace>{
                               set.weights, rows.places, graphs.elements(), handle_.factors_, handle_.values_},
                           capacity_.entries);
    if constexpr (Handle::refines) {
      portable::rotate_factors(space_,
                               {handle_.values_, rows.begin, set.vertex_begin, graphs.set().degrees, graphs.size(),
                                handle_.factors_, handle_.rotated_},
                               capacity_.vertices);
    }
    portable::FactoredSet<Scalar, MemorySpace, NoLabel> factored;
    factored.vertex_begin = set.vertex_begin;
    factored.degrees = set.degrees;
    factored.starting = set.starting;
    factored.q = set.q;
    factored.row_begin = rows.begin;
    factored.columns = rows.columns;
    factored.factors = handle_.values_;
    factored.rank = factored.terms = static_cast<int>(handle_.rank_);
    return factored;
  }

  typename Handle::FactoredProduct factored_product(int threads) const {
    if constexpr (Handle::refines) {
      return {handle_.room_, handle_.factors_, handle_.rotated_};
    } else {
      return {threads, handle_.room_, handle_.factors_.used};
    }
  }

  /// What the count of factors depends on: bytes to be compared.
  template <class EdgeKernel>
  std::string what_counts(const EdgeKernel& kernel) const {
    std::string bytes = typeid(EdgeKernel).name() + stopping_.to_string();
    const auto add = [&bytes](const auto& value) {
      if constexpr (std::is_trivially_copyable_v<std::decay_t<decltype(value)>>) {
        bytes.append(reinterpret_cast<const char*>(&value), sizeof(value));
      }
    };
    add(kernel);
    add(options_.solve.tolerance);
    add(capacity_);
    return bytes;
  }

  const ExecutionSpace& space_;
  Handle& handle_;
  const GraphSolveOptions& options_;
  const Capacity& capacity_;
  const Stopping& stopping_;
  std::size_t pairs_;   ///< that are asked for
  std::size_t selves_;  ///< graphs that are solved with themselves beside them
  /// The truncation of the factors takes a tenth of the tolerance.
  double factor_share_ = 0.1 * options_.solve.tolerance;
  SolveOptions iterating_ = options_.solve;
  std::string kernel_;                                         ///< what the count of factors depends on
  std::optional<portable::DeviceFactors<MemorySpace>> trial_;  ///< by which factors are counted
  bool native_ = false;                                        ///< whether the native kernels come first
  bool takes_ = false;                                         ///< whether solutions are asked for
};

}  // namespace detail
}  // namespace octile
