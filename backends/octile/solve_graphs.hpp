// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/base_kernels.hpp>
#include <octile/device_gram.hpp>
#include <octile/error.hpp>
#include <octile/lowerings.hpp>
#include <octile/portable/device_factors.hpp>
#include <octile/portable/solve.hpp>
#include <octile/portable/xmv/factored.hpp>
#include <octile/prepared_graphs.hpp>
#include <octile/solve.hpp>
#include <octile/stopping.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <type_traits>
#include <typeinfo>
#include <utility>

// Kernels of graphs that lie on a device, into Views of the caller's, without a wait:
//
//     batch ─assign→ PreparedGraphs ─solve(pairs, kernel)→ outputs
namespace octile {

/// κv, κe, as compile-time types (`BaseKernel`), and q.
template <class VertexKernel, class EdgeKernel>
struct TypedKernel {
  VertexKernel vertex;
  EdgeKernel edge;
  Stopping stopping;
};
template <class VertexKernel, class EdgeKernel>
TypedKernel(VertexKernel, EdgeKernel, Stopping) -> TypedKernel<VertexKernel, EdgeKernel>;

/// All pairs: values are N×N, each pair solved once and written twice.
struct Symmetric {};
/// Each graph with itself: values are N.
struct Diagonal {};
/// Some graphs with some others of the same set: values are rows × columns.
struct Rectangle {
  std::int32_t first_row = 0;
  std::int32_t rows = 0;
  std::int32_t first_column = 0;
  std::int32_t columns = 0;
};
/// Pairs in a View, which the execution space reads: values are one each, in this order. A pair that names no two graphs of
/// the set is a `breakdown`.
template <RankOneView PairsView>
struct PairList {
  PairsView pairs;
};
template <class PairsView>
PairList(PairsView) -> PairList<PairsView>;

/// Where the answers go: Views of the caller's, which the execution space writes. Those that are not given are not written.
/// `values` are of float or double, of any layout, of the shape that the pairs have; `results` are `PairResult`, one a pair:
///
///     Symmetric   (i, j), i ≤ j, row by row        Rectangle   (i, j), row by row        Diagonal, PairList   in order
template <class Values, class Results = NotGiven>
struct Outputs {
  Values values;
  Results results{};
};
template <class Values>
Outputs(Values) -> Outputs<Values>;
template <class Values, class Results>
Outputs(Values, Results) -> Outputs<Values, Results>;

enum class Normalize { no, yes };

struct GraphSolveOptions {
  SolveOptions solve{};
  /// Values are K(G, G') / √(K(G, G) K(G', G')); the residual of a pair bounds the relative error of that.
  Normalize normalize = Normalize::no;
  /// `automatic`: factored where that takes no more than 64 factors; or `on_the_fly`. The others throw `Error`.
  Lowering lowering = Lowering::automatic;
};

namespace detail {

struct SymmetricPairs {
  std::int32_t graphs;
  std::size_t count() const { return std::size_t(graphs) * (std::size_t(graphs) + 1) / 2; }
  KOKKOS_INLINE_FUNCTION Pair pair(std::size_t k) const {
    // Row i begins at i N − i (i − 1) / 2. The root may be off by one.
    const double n = graphs + 0.5;
    auto i = static_cast<std::int64_t>(n - Kokkos::sqrt(Kokkos::max(n * n - 2.0 * static_cast<double>(k), 0.0)));
    while (i > 0 && begin(i) > static_cast<std::int64_t>(k)) --i;
    while (begin(i + 1) <= static_cast<std::int64_t>(k)) ++i;
    return {static_cast<std::int32_t>(i), static_cast<std::int32_t>(i + static_cast<std::int64_t>(k) - begin(i))};
  }
  template <class Values>
  KOKKOS_INLINE_FUNCTION static void write(const Values& values, std::size_t, Pair pair, double value) {
    values(pair.first, pair.second) = static_cast<typename Values::value_type>(value);
    values(pair.second, pair.first) = static_cast<typename Values::value_type>(value);
  }
  template <class Values>
  bool fits(const Values& values) const {
    return values.extent(0) == std::size_t(graphs) && values.extent(1) == std::size_t(graphs);
  }
  static constexpr int rank = 2;

 private:
  KOKKOS_INLINE_FUNCTION std::int64_t begin(std::int64_t i) const { return i * graphs - i * (i - 1) / 2; }
};

/// Each graph with itself, as a View of pairs would have them.
struct SelfPairs {
  std::int32_t graphs;
  std::size_t extent(int) const { return std::size_t(graphs); }
  KOKKOS_INLINE_FUNCTION Pair operator()(std::size_t k) const {
    return {static_cast<std::int32_t>(k), static_cast<std::int32_t>(k)};
  }
};

struct RectanglePairs {
  Rectangle rectangle;
  std::size_t count() const { return std::size_t(rectangle.rows) * std::size_t(rectangle.columns); }
  KOKKOS_INLINE_FUNCTION Pair pair(std::size_t k) const {
    return {static_cast<std::int32_t>(rectangle.first_row + k / rectangle.columns),
            static_cast<std::int32_t>(rectangle.first_column + k % rectangle.columns)};
  }
  template <class Values>
  KOKKOS_INLINE_FUNCTION void write(const Values& values, std::size_t, Pair pair, double value) const {
    values(pair.first - rectangle.first_row, pair.second - rectangle.first_column) =
        static_cast<typename Values::value_type>(value);
  }
  template <class Values>
  bool fits(const Values& values) const {
    return values.extent(0) == std::size_t(rectangle.rows) && values.extent(1) == std::size_t(rectangle.columns);
  }
  static constexpr int rank = 2;
};

template <class PairsView>
struct ListedPairs {
  PairsView pairs;
  std::size_t count() const { return pairs.extent(0); }
  KOKKOS_INLINE_FUNCTION Pair pair(std::size_t k) const { return pairs(k); }
  template <class Values>
  KOKKOS_INLINE_FUNCTION static void write(const Values& values, std::size_t k, Pair, double value) {
    values(k) = static_cast<typename Values::value_type>(value);
  }
  template <class Values>
  bool fits(const Values& values) const {
    return values.extent(0) == count();
  }
  static constexpr int rank = 1;
};

inline SymmetricPairs numbered(Symmetric, std::int32_t graphs) { return {graphs}; }
inline ListedPairs<SelfPairs> numbered(Diagonal, std::int32_t graphs) { return {{graphs}}; }
inline RectanglePairs numbered(const Rectangle& rectangle, std::int32_t graphs) {
  const auto inside = [graphs](std::int32_t first, std::int32_t count) {
    return first >= 0 && count >= 0 && first <= graphs && count <= graphs - first;
  };
  if (!inside(rectangle.first_row, rectangle.rows) || !inside(rectangle.first_column, rectangle.columns)) {
    throw Error("a rectangle of rows " + std::to_string(rectangle.first_row) + " + " + std::to_string(rectangle.rows) +
                " and columns " + std::to_string(rectangle.first_column) + " + " + std::to_string(rectangle.columns) +
                "; there are " + std::to_string(graphs) + " graphs");
  }
  return {rectangle};
}
template <class PairsView>
ListedPairs<PairsView> numbered(const PairList<PairsView>& list, std::int32_t) {
  return {list.pairs};
}

/// d_i = (Σ_j A_ij + addend) / divisor, of a whole graph by a team (see `Stopping::degrees`).
template <class Set>
struct MakeDegrees {
  Set set;  ///< its degrees are the sums
  Kokkos::View<double*, typename Set::memory_space> degrees;
  double divisor;
  double addend;

  template <class Member>
  KOKKOS_FUNCTION void operator()(const Member& member) const {
    const auto g = static_cast<std::size_t>(member.league_rank());
    const std::uint32_t begin = set.vertex_begin(g);
    const std::uint32_t end = set.vertex_begin(g + 1);
    double least = 0;
    Kokkos::parallel_reduce(
        Kokkos::TeamVectorRange(member, begin, end),
        [&](std::uint32_t v, double& smallest) {
          const double degree = (set.degrees(v) + addend) / divisor;
          if (degree > 0) smallest = Kokkos::min(smallest, degree);
        },
        Kokkos::Min<double>(least));
    // Of an isolated vertex, which never moves: no more than the others have, or 1.
    if (!(least < Kokkos::Experimental::finite_max_v<double>)) least = 1;
    Kokkos::parallel_for(Kokkos::TeamVectorRange(member, begin, end), [&](std::uint32_t v) {
      const double degree = (set.degrees(v) + addend) / divisor;
      degrees(v) = degree > 0 ? degree : least;
    });
  }
};

KOKKOS_INLINE_FUNCTION bool are_graphs(Pair pair, std::int32_t graphs) {
  return pair.first >= 0 && pair.first < graphs && pair.second >= 0 && pair.second < graphs;
}

/// Writes down which pairs are to be solved: those asked for, then, where they are normalised, each graph with itself.
template <class Numbered, class MemorySpace>
struct ListPairs {
  Numbered asked;
  std::size_t count;
  std::int32_t graphs;
  Kokkos::View<Pair*, MemorySpace> pairs;

  KOKKOS_FUNCTION void operator()(const std::size_t k) const {
    const Pair pair = k < count ? asked.pair(k) : SelfPairs{graphs}(k - count);
    pairs(k) = are_graphs(pair, graphs) ? pair : Pair{0, 0};
  }
};

/// How many factors are needed; 0 where those that were tried do not suffice.
template <class MemorySpace>
struct CountFactors {
  Kokkos::View<int, MemorySpace> needed;
  portable::DeviceFactors<MemorySpace> factors;
  double relative_error;

  KOKKOS_FUNCTION void operator()(const int) const { needed() = factors.suffice(relative_error) ? factors.used() : 0; }
};

/// Sends the pairs down one of two roads: from number 0 on, or from behind the last.
template <class MemorySpace>
struct ChooseRoad {
  Kokkos::View<int, MemorySpace> next;
  portable::DeviceFactors<MemorySpace> factors;
  double relative_error;
  int pairs;
  bool factored;  ///< which of the two is asked

  KOKKOS_FUNCTION void operator()(const int) const { next() = factors.suffice(relative_error) == factored ? 0 : pairs; }
};

/// Takes what was solved to where it was asked for.
template <class Numbered, class MemorySpace, class Values, class Results>
struct WriteOutputs {
  Numbered asked;
  std::size_t count;
  std::int32_t graphs;
  bool normalize;
  Kokkos::View<PairResult*, MemorySpace> solved;
  Kokkos::View<std::uint64_t*, MemorySpace> fault;
  portable::DeviceFactors<MemorySpace> factors;
  double factor_share;
  Values values;
  Results results;

  KOKKOS_FUNCTION void operator()(const std::size_t k) const {
    const Pair pair = asked.pair(k);
    const bool inside = are_graphs(pair, graphs);
    PairResult result;
    if (inside && fault(0) == no_fault) {
      result = with_factors(solved(k));
      if (normalize)
        normalise(result, with_factors(solved(count + pair.first)), with_factors(solved(count + pair.second)));
    } else {
      result.value = Kokkos::Experimental::quiet_NaN_v<double>;
      result.residual = Kokkos::Experimental::infinity_v<double>;
    }
    if constexpr (!std::is_same_v<Values, NotGiven>) {
      if (inside || Numbered::rank == 1) asked.write(values, k, pair, result.value);
    }
    if constexpr (!std::is_same_v<Results, NotGiven>) results(k) = result;
  }

 private:
  /// The residual of the kernel that was asked for, where a factored one was solved.
  KOKKOS_INLINE_FUNCTION PairResult with_factors(PairResult result) const {
    if (factors.suffice(factor_share)) result.residual += factors.relative_error();
    return result;
  }
  KOKKOS_INLINE_FUNCTION static void normalise(PairResult& result, const PairResult& first, const PairResult& second) {
    result.value = first.value == second.value ? result.value / first.value
                                               : result.value / Kokkos::sqrt(first.value * second.value);
    // (1 + e) / √((1 − e₁) (1 − e₂)) − 1
    const double left = (1 - first.residual) * (1 - second.residual);
    result.residual = left > 0 && first.residual < 1 ? (1 + result.residual) / Kokkos::sqrt(left) - 1
                                                     : Kokkos::Experimental::infinity_v<double>;
    const auto worse = [](Status a, Status b) { return static_cast<int>(a) > static_cast<int>(b) ? a : b; };
    result.status = worse(result.status, worse(first.status, second.status));
    result.iterations = Kokkos::max(result.iterations, Kokkos::max(first.iterations, second.iterations));
  }
};

}  // namespace detail

/// Work space of `solve`, kept from call to call. One solve at a time may use it; as many handles as you like.
template <class ExecutionSpace, class Scalar = double>
class SolveHandle {
 public:
  using MemorySpace = typename ExecutionSpace::memory_space;

  /// `memory`: bytes that vectors may take, and factors, unless one pair alone takes more.
  explicit SolveHandle(std::size_t memory = workspace_limit) : memory_(memory) {}

  /// Factors that the edge kernel gets room for; 0: it is evaluated wherever it is met.
  std::size_t rank() const { return rank_; }
  /// Has the next `solve` count anew how many factors the edge kernel needs, which takes a fence. It does so by itself for
  /// another edge kernel, q, tolerance or capacity. Where labels have changed so that more are needed than there is room for,
  /// results are as good, but slower.
  void forget() { counted_for_.clear(); }

 private:
  template <class Space, class Number, class VertexLabel, class EdgeLabel, class Pairs, class VertexKernel,
            class EdgeKernel, class Values, class Results>
  friend void solve(const Space&, SolveHandle<Space, Number>&,
                    const PreparedGraphs<Number, VertexLabel, EdgeLabel, typename Space::memory_space>&, const Pairs&,
                    const TypedKernel<VertexKernel, EdgeKernel>&, const Outputs<Values, Results>&,
                    const GraphSolveOptions&);

  using FactoredProduct = portable::FactoredXmv<Scalar, MemorySpace, portable::fine_grained<ExecutionSpace>>;
  /// Factors that are tried for at most.
  static constexpr std::size_t most_rank = 64;

  void reserve(const ExecutionSpace& space, const Capacity& capacity, std::size_t pairs, int team_threads) {
    const std::size_t elements = capacity.vertices_of_largest * capacity.vertices_of_largest;
    if (!workspace_ || elements > workspace_->elements() || pairs > pairs_.extent(0)) {
      const std::size_t affordable =
          std::max<std::size_t>(memory_ / std::max<std::size_t>(portable::pair_bytes<Scalar>(elements), 1), 1);
      workspace_.emplace(space, elements,
                         std::min({portable::concurrent_teams(space, team_threads), pairs, affordable}));
      room_ = {};
    }
    grow(space, pairs_, "pairs", pairs);
    grow(space, results_, "results", pairs);
    grow(space, degrees_, "degrees", capacity.vertices);
  }

  /// Room for so many factors of each element.
  void reserve_factors(const ExecutionSpace& space, const Capacity& capacity, std::size_t rank) {
    factors_.reserve(space, capacity.entries, rank);
    rank_ = rank;
  }
  void reserve_factored(const ExecutionSpace& space, const Capacity& capacity) {
    grow(space, values_, "factors", capacity.entries * rank_);
    const std::size_t n = capacity.vertices_of_largest;
    const std::size_t elements = FactoredProduct::elements(n, n, rank_);
    if (room_.extent(0) < workspace_->slots() || room_.extent(1) < elements) {
      room_ = decltype(room_)(Kokkos::view_alloc(space, "octile::factored_work"), workspace_->slots(), elements);
    }
  }

  template <class View>
  static void grow(const ExecutionSpace& space, View& view, const char* name, std::size_t length) {
    if (length <= view.extent(0)) return;
    view = View(Kokkos::view_alloc(space, Kokkos::WithoutInitializing, std::string("octile::") + name), length);
  }

  /// What the count of factors depends on: bytes to be compared.
  template <class EdgeKernel>
  static std::string counted_for(const EdgeKernel& kernel, const Stopping& stopping, double tolerance,
                                 const Capacity& capacity) {
    std::string bytes = typeid(EdgeKernel).name() + stopping.to_string();
    const auto add = [&bytes](const auto& value) {
      if constexpr (std::is_trivially_copyable_v<std::decay_t<decltype(value)>>) {
        bytes.append(reinterpret_cast<const char*>(&value), sizeof(value));
      }
    };
    add(kernel);
    add(tolerance);
    add(capacity);
    return bytes;
  }

  std::size_t memory_;
  std::size_t rank_ = 0;
  std::string counted_for_;
  std::optional<portable::Workspace<Scalar, MemorySpace>> workspace_;
  portable::DeviceFactors<MemorySpace> factors_;
  Kokkos::View<Scalar*, Kokkos::LayoutRight, MemorySpace> values_;  ///< of `FactoredSet::factors`
  portable::FactoredSpace<Scalar, MemorySpace> room_;
  Kokkos::View<Pair*, MemorySpace> pairs_;
  Kokkos::View<PairResult*, MemorySpace> results_;
  Kokkos::View<double*, MemorySpace> degrees_;
};

/// Solves pairs of prepared graphs on `space`, and returns. From the second call on for the same capacity, pairs and kernel:
/// no fence, no allocation, nothing read back. The first one counts, with a fence, how many factors the edge kernel is to get.
///
/// κv must lie in (0, 1] and κe in [0, 1] on all labels. Throws `Error`, before anything is queued, where shapes do not
/// fit; what goes wrong on the device is a status. Of a batch that is wrong every value is NaN and every pair a `breakdown`.
template <class ExecutionSpace, class Scalar, class VertexLabel, class EdgeLabel, class Pairs, class VertexKernel,
          class EdgeKernel, class Values, class Results>
void solve(const ExecutionSpace& space, SolveHandle<ExecutionSpace, Scalar>& handle,
           const PreparedGraphs<Scalar, VertexLabel, EdgeLabel, typename ExecutionSpace::memory_space>& graphs,
           const Pairs& pairs, const TypedKernel<VertexKernel, EdgeKernel>& kernel,
           const Outputs<Values, Results>& outputs, const GraphSolveOptions& options) {
  using MemorySpace = typename ExecutionSpace::memory_space;
  using Prepared = PreparedGraphs<Scalar, VertexLabel, EdgeLabel, MemorySpace>;
  using Handle = SolveHandle<ExecutionSpace, Scalar>;
  using Set = typename Prepared::Set;
  static_assert(BaseKernel<VertexKernel, VertexLabel>, "the vertex kernel has no evaluate<T>(label, label)");
  static_assert(BaseKernel<EdgeKernel, EdgeLabel>, "the edge kernel has no evaluate<T>(label, label)");
  static_assert(
      detail::readable_from<Values, MemorySpace>() && detail::readable_from<Results, MemorySpace>(),
      "the output Views must lie where the execution space writes: take a View of its memory space, and copy");
  const auto count_of_graphs = static_cast<std::int32_t>(graphs.size());
  const auto asked = detail::numbered(pairs, count_of_graphs);
  using Numbered = std::decay_t<decltype(asked)>;
  const std::size_t count = asked.count();
  if constexpr (!std::is_same_v<Values, NotGiven>) {
    static_assert(Values::rank() == Numbered::rank,
                  "values are of rank 2 for a matrix or rectangle, 1 for a list or diagonal");
    if (!asked.fits(outputs.values)) throw Error("the View of the values is not of the shape of the pairs");
  }
  if constexpr (!std::is_same_v<Results, NotGiven>) {
    if (outputs.results.extent(0) < count) {
      throw Error("the View of the results has " + std::to_string(outputs.results.extent(0)) + " places; there are " +
                  std::to_string(count) + " pairs");
    }
  }
  if (count == 0 || count_of_graphs == 0) return;
  const bool normalize = options.normalize == Normalize::yes;
  const std::size_t all = count + (normalize ? graphs.size() : 0);
  if (all > std::size_t(std::numeric_limits<std::int32_t>::max())) {
    throw Error(std::to_string(all) + " pairs at once; allowed are 2147483647");
  }

  if (options.lowering != Lowering::automatic && options.lowering != Lowering::on_the_fly) {
    throw Error("lowering '" + std::string(lowering_name(options.lowering)) +
                "' of graphs in Views; allowed are auto and on-the-fly");
  }

  const Capacity& capacity = graphs.capacity();
  const auto xmv = portable::default_xmv<ExecutionSpace, Set>();
  handle.reserve(space, capacity, count + capacity.graphs, xmv.threads());
  Set set = graphs.set();
  const auto sums = set.degrees;
  const double q = kernel.stopping.q();
  const bool probability = kernel.stopping.meaning() == StoppingMeaning::probability;
  Kokkos::parallel_for(
      "octile::degrees",
      Kokkos::TeamPolicy<ExecutionSpace>(space, count_of_graphs, portable::fine_grained<ExecutionSpace> ? 64 : 1),
      detail::MakeDegrees<Set>{set, handle.degrees_, probability ? 1 - q : 1.0, probability ? 0.0 : q});
  set.degrees = handle.degrees_;
  set.q = q;
  Kokkos::parallel_for("octile::list_pairs", Kokkos::RangePolicy<ExecutionSpace>(space, 0, all),
                       detail::ListPairs<Numbered, MemorySpace>{asked, count, count_of_graphs, handle.pairs_});

  // The truncation of the factors takes a tenth of the tolerance.
  const double factor_share = 0.1 * options.solve.tolerance;
  SolveOptions iterating = options.solve;
  iterating.tolerance -= factor_share;
  const auto form = [&] {
    portable::form_factors(space, set, graphs.size(), sums, graphs.elements(), capacity.entries, kernel.edge,
                           factor_share, handle.factors_);
  };
  const bool factoring = options.lowering == Lowering::automatic;
  const std::string counted_for =
      factoring ? Handle::counted_for(kernel.edge, kernel.stopping, options.solve.tolerance, capacity) : "not at all";
  if (!factoring && counted_for != handle.counted_for_) {
    handle.reserve_factors(space, capacity, 0);
    handle.counted_for_ = counted_for;
  } else if (counted_for != handle.counted_for_) {
    const std::size_t affordable = handle.memory_ / (sizeof(double) * std::max<std::size_t>(capacity.entries, 1));
    handle.reserve_factors(space, capacity, std::min(Handle::most_rank, affordable));
    form();
    const Kokkos::View<int, MemorySpace> needed(Kokkos::view_alloc(space, "octile::factors_needed"));
    Kokkos::parallel_for("octile::count_factors", Kokkos::RangePolicy<ExecutionSpace>(space, 0, 1),
                         detail::CountFactors<MemorySpace>{needed, handle.factors_, factor_share});
    const auto host = Kokkos::create_mirror_view(Kokkos::WithoutInitializing, Kokkos::HostSpace(), needed);
    Kokkos::deep_copy(space, host, needed);
    space.fence("octile::count_factors");
    // Some more than now, for labels that change.
    const auto now = static_cast<std::size_t>(host());
    handle.reserve_factors(space, capacity, std::min(Handle::most_rank, now + (now > 1 ? 2 : 0)));
    handle.counted_for_ = counted_for;
  }

  const Kokkos::View<const Pair*, MemorySpace> listed = Kokkos::subview(handle.pairs_, std::pair(std::size_t(0), all));
  const Kokkos::View<PairResult*, MemorySpace> results =
      Kokkos::subview(handle.results_, std::pair(std::size_t(0), all));
  const auto choose = [&](bool factored) {
    Kokkos::parallel_for("octile::choose_road", Kokkos::RangePolicy<ExecutionSpace>(space, 0, 1),
                         detail::ChooseRoad<MemorySpace>{handle.workspace_->next(), handle.factors_, factor_share,
                                                         static_cast<int>(all), factored});
  };
  Kokkos::Profiling::ScopedRegion region("octile::solve");
  if (handle.rank_ > 0) {
    handle.reserve_factored(space, capacity);
    form();
    Kokkos::parallel_for("octile::fill_factors",
                         Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<std::uint32_t>>(
                             space, 0, static_cast<std::uint32_t>(capacity.entries)),
                         portable::detail::FillFactors<Scalar, MemorySpace>{
                             set.weights, graphs.rows().places, graphs.elements(), handle.factors_, handle.values_});
    portable::FactoredSet<Scalar, MemorySpace, VertexLabel> factored;
    factored.vertex_begin = set.vertex_begin;
    factored.row_begin = graphs.rows().begin;
    factored.columns = graphs.rows().columns;
    factored.factors = handle.values_;
    factored.degrees = set.degrees;
    factored.starting = set.starting;
    factored.vertex_labels = set.vertex_labels;
    factored.q = q;
    factored.rank = factored.terms = static_cast<int>(handle.rank_);
    choose(true);
    portable::solve_from_next(space, factored, kernel.vertex, Constant(),
                              typename Handle::FactoredProduct(xmv.threads(), handle.room_), listed, results,
                              *handle.workspace_, iterating);
  }
  choose(false);
  portable::solve_from_next(space, set, kernel.vertex, kernel.edge, xmv, listed, results, *handle.workspace_,
                            iterating);
  Kokkos::parallel_for("octile::write_outputs", Kokkos::RangePolicy<ExecutionSpace>(space, 0, count),
                       detail::WriteOutputs<Numbered, MemorySpace, Values, Results>{
                           asked, count, count_of_graphs, normalize, results, graphs.fault_key(), handle.factors_,
                           factor_share, outputs.values, outputs.results});
}

/// The same with default options.
template <class ExecutionSpace, class Scalar, class VertexLabel, class EdgeLabel, class Pairs, class VertexKernel,
          class EdgeKernel, class Values, class Results>
void solve(const ExecutionSpace& space, SolveHandle<ExecutionSpace, Scalar>& handle,
           const PreparedGraphs<Scalar, VertexLabel, EdgeLabel, typename ExecutionSpace::memory_space>& graphs,
           const Pairs& pairs, const TypedKernel<VertexKernel, EdgeKernel>& kernel,
           const Outputs<Values, Results>& outputs) {
  solve(space, handle, graphs, pairs, kernel, outputs, GraphSolveOptions());
}

/// Fences `space`; throws `Error` that names the first of these results that is not `converged`.
template <class ExecutionSpace, RankOneView Results>
void require_converged(const ExecutionSpace& space, const Results& results) {
  const auto host = Kokkos::create_mirror_view(Kokkos::WithoutInitializing, Kokkos::HostSpace(), results);
  Kokkos::deep_copy(space, host, results);
  space.fence("octile::require_converged");
  for (std::size_t k = 0; k < host.extent(0); ++k) {
    if (host(k).status == Status::converged) continue;
    throw Error("pair number " + std::to_string(k) + " ended with '" + std::string(status_name(host(k).status)) +
                "' after " + std::to_string(host(k).iterations) + " iterations");
  }
}

}  // namespace octile
