// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/base_kernels.hpp>
#include <octile/device_gram.hpp>
#include <octile/error.hpp>
#include <octile/portable/solve.hpp>
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

struct DiagonalPairs {
  std::int32_t graphs;
  std::size_t count() const { return std::size_t(graphs); }
  KOKKOS_INLINE_FUNCTION static Pair pair(std::size_t k) {
    return {static_cast<std::int32_t>(k), static_cast<std::int32_t>(k)};
  }
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
inline DiagonalPairs numbered(Diagonal, std::int32_t graphs) { return {graphs}; }
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

/// Writes down which pairs are to be solved: those asked for, then, where they are normalised, each graph with itself.
template <class Numbered, class MemorySpace>
struct ListPairs {
  Numbered asked;
  std::size_t count;
  std::int32_t graphs;
  Kokkos::View<Pair*, MemorySpace> pairs;

  KOKKOS_FUNCTION void operator()(const std::size_t k) const {
    Pair pair = k < count ? asked.pair(k) : DiagonalPairs::pair(k - count);
    const bool inside = pair.first >= 0 && pair.first < graphs && pair.second >= 0 && pair.second < graphs;
    pairs(k) = inside ? pair : Pair{0, 0};
  }
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
  Values values;
  Results results;

  KOKKOS_FUNCTION void operator()(const std::size_t k) const {
    const Pair pair = asked.pair(k);
    const bool inside = pair.first >= 0 && pair.first < graphs && pair.second >= 0 && pair.second < graphs;
    PairResult result;
    if (inside && fault(0) == no_fault) {
      result = solved(k);
      if (normalize) normalise(result, solved(count + pair.first), solved(count + pair.second));
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

  /// `memory`: bytes that vectors may take, unless one pair alone takes more.
  explicit SolveHandle(std::size_t memory = workspace_limit) : memory_(memory) {}

  /// Makes room for solves of so many pairs of graphs within `capacity`. `solve` does so itself where it is needed; after
  /// that it allocates nothing.
  void reserve(const ExecutionSpace& space, const Capacity& capacity, std::size_t pairs, int team_threads) {
    const std::size_t elements = capacity.vertices_of_largest * capacity.vertices_of_largest;
    const std::size_t all = pairs + capacity.graphs;  // with each graph's own
    if (!workspace_ || elements > workspace_->elements() || all > pairs_.extent(0)) {
      const std::size_t affordable =
          std::max<std::size_t>(memory_ / std::max<std::size_t>(portable::pair_bytes<Scalar>(elements), 1), 1);
      const std::size_t slots = std::min({portable::concurrent_teams(space, team_threads), all, affordable});
      workspace_.emplace(space, elements, slots);
    }
    const auto grow = [&space](auto& view, const char* name, std::size_t length) {
      if (length <= view.extent(0)) return;
      view = std::decay_t<decltype(view)>(
          Kokkos::view_alloc(space, Kokkos::WithoutInitializing, std::string("octile::") + name), length);
    };
    grow(pairs_, "pairs", all);
    grow(results_, "results", all);
    grow(degrees_, "degrees", capacity.vertices);
  }

  const portable::Workspace<Scalar, MemorySpace>& workspace() const { return *workspace_; }
  const Kokkos::View<Pair*, MemorySpace>& pairs() const { return pairs_; }
  const Kokkos::View<PairResult*, MemorySpace>& results() const { return results_; }
  const Kokkos::View<double*, MemorySpace>& degrees() const { return degrees_; }

 private:
  std::size_t memory_;
  std::optional<portable::Workspace<Scalar, MemorySpace>> workspace_;
  Kokkos::View<Pair*, MemorySpace> pairs_;
  Kokkos::View<PairResult*, MemorySpace> results_;
  Kokkos::View<double*, MemorySpace> degrees_;
};

/// Solves pairs of prepared graphs on `space`, and returns: no fence, and no allocation once `handle` has room for as much.
/// κv must lie in (0, 1] and κe in [0, 1] on all labels. Throws `Error`, before anything is queued, where shapes do not
/// fit; what goes wrong on the device is a status. Of a batch that is wrong every value is NaN and every pair a `breakdown`.
template <class ExecutionSpace, class Scalar, class VertexLabel, class EdgeLabel, class Pairs, class VertexKernel,
          class EdgeKernel, class Values, class Results>
void solve(const ExecutionSpace& space, SolveHandle<ExecutionSpace, Scalar>& handle,
           const PreparedGraphs<Scalar, VertexLabel, EdgeLabel, typename ExecutionSpace::memory_space>& graphs,
           const Pairs& pairs, const TypedKernel<VertexKernel, EdgeKernel>& kernel,
           const Outputs<Values, Results>& outputs, const GraphSolveOptions& options = {}) {
  using MemorySpace = typename ExecutionSpace::memory_space;
  using Prepared = PreparedGraphs<Scalar, VertexLabel, EdgeLabel, MemorySpace>;
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

  const auto xmv = portable::default_xmv<ExecutionSpace, typename Prepared::Set>();
  handle.reserve(space, graphs.capacity(), count, xmv.threads());
  typename Prepared::Set set = graphs.set();
  const double q = kernel.stopping.q();
  const bool probability = kernel.stopping.meaning() == StoppingMeaning::probability;
  Kokkos::parallel_for(
      "octile::degrees",
      Kokkos::TeamPolicy<ExecutionSpace>(space, count_of_graphs, portable::fine_grained<ExecutionSpace> ? 64 : 1),
      detail::MakeDegrees<typename Prepared::Set>{set, handle.degrees(), probability ? 1 - q : 1.0,
                                                  probability ? 0.0 : q});
  set.degrees = handle.degrees();
  set.q = q;
  Kokkos::parallel_for("octile::list_pairs", Kokkos::RangePolicy<ExecutionSpace>(space, 0, all),
                       detail::ListPairs<Numbered, MemorySpace>{asked, count, count_of_graphs, handle.pairs()});
  const Kokkos::View<const Pair*, MemorySpace> listed = Kokkos::subview(handle.pairs(), std::pair(std::size_t(0), all));
  const Kokkos::View<PairResult*, MemorySpace> results =
      Kokkos::subview(handle.results(), std::pair(std::size_t(0), all));
  portable::solve(space, set, kernel.vertex, kernel.edge, xmv, listed, results, handle.workspace(), options.solve);
  Kokkos::parallel_for(
      "octile::write_outputs", Kokkos::RangePolicy<ExecutionSpace>(space, 0, count),
      detail::WriteOutputs<Numbered, MemorySpace, Values, Results>{
          asked, count, count_of_graphs, normalize, results, graphs.fault_key(), outputs.values, outputs.results});
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
