// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/array.hpp>
#include <octile/device_pairs.hpp>
#include <octile/leaf_kernels.hpp>
#include <octile/runtime_kernel.hpp>

#include <Kokkos_BitManipulation.hpp>
#include <Kokkos_Core.hpp>
#include <Kokkos_MathematicalConstants.hpp>

#include <cstddef>
#include <cstdint>

namespace octile::detail {

/// κe between an edge and others: `row(end, at)` gives κ of that end with others. Ends come with their places in the list of all.
struct ConstantEdges {
  double value;
  KOKKOS_INLINE_FUNCTION auto row(const ExactEnd&, std::uint32_t) const {
    return [c = value](const ExactEnd&, std::uint32_t) { return c; };
  }
};
struct TableEdges {
  const double* table;
  std::uint32_t count;
  struct Row {
    const double* values;
    KOKKOS_INLINE_FUNCTION double operator()(const ExactEnd& other, std::uint32_t) const {
      return values[other.record];
    }
  };
  KOKKOS_INLINE_FUNCTION Row row(const ExactEnd& end, std::uint32_t) const {
    return {table + std::size_t(end.record) * count};
  }
};
template <class Leaf>
struct LeafEdges {
  LeafArguments arguments;
  const double* labels;  ///< of ends
  struct Row {
    const LeafEdges& edges;
    double label;
    KOKKOS_INLINE_FUNCTION double operator()(const ExactEnd&, std::uint32_t at) const {
      return Leaf::value(label, edges.labels[at], edges.arguments);
    }
  };
  KOKKOS_INLINE_FUNCTION Row row(const ExactEnd&, std::uint32_t at) const { return {*this, labels[at]}; }
};
/// A square exponential that is all of κe, in powers of 2. The terms of the power series are read with the launch's arguments: those
/// of `Kokkos::exp` are put together of halves each time, which takes a GPU longer than to multiply by them.
struct SquareExponentialEdges {
  static constexpr int degree = 12;  ///< leaves less than the roundoff for exponents of half a bit
  double rate;                       ///< −log2(e) / (2 length²)
  Kokkos::Array<double, degree + 1> terms;
  const double* labels;  ///< of ends

  SquareExponentialEdges(const LeafArguments& arguments, const double* of_ends)
      : rate(-arguments.parameter / Kokkos::numbers::ln2), labels(of_ends) {
    terms[0] = 1;
    for (int k = 1; k <= degree; ++k) terms[k] = terms[k - 1] * Kokkos::numbers::ln2 / k;
  }

  struct Row {
    const SquareExponentialEdges& edges;
    double label;
    KOKKOS_INLINE_FUNCTION double operator()(const ExactEnd&, std::uint32_t at) const {
      const double difference = label - edges.labels[at];
      return edges.power_of_2(edges.rate * (difference * difference));
    }
  };
  KOKKOS_INLINE_FUNCTION Row row(const ExactEnd&, std::uint32_t at) const { return {*this, labels[at]}; }

  /// 2^t for t ≤ 0, and 2^−1020 for less than that.
  KOKKOS_INLINE_FUNCTION double power_of_2(double t) const {
    constexpr double least = -1020;
    constexpr double shift =
        6755399441055744.0;  // 1.5 · 2^52: a sum with it is rounded to a whole number, its last bits
    constexpr int mantissa = 52;
    const double bounded = t > least ? t : least;
    const double shifted = bounded + shift;
    const double rest = bounded - (shifted - shift);
    double sum = terms[+degree];  // its value: a device has no static member
    for (int k = degree - 1; k >= 0; --k) sum = sum * rest + terms[k];
    const auto whole = Kokkos::bit_cast<std::uint64_t>(shifted) << mantissa;
    return Kokkos::bit_cast<double>(Kokkos::bit_cast<std::uint64_t>(sum) + whole);
  }
};
template <class MemorySpace>
struct ProgramEdges {
  RuntimeKernel<double, MemorySpace> kernel;
  struct Row {
    const RuntimeKernel<double, MemorySpace>& kernel;
    std::uint32_t first;
    KOKKOS_INLINE_FUNCTION double operator()(const ExactEnd& other, std::uint32_t) const {
      return kernel.template evaluate<double>(first, other.record);
    }
  };
  KOKKOS_INLINE_FUNCTION Row row(const ExactEnd& end, std::uint32_t) const { return {kernel, end.record}; }
};

/// Threads of a team.
template <class MemorySpace>
inline constexpr int certifying_team = Kokkos::SpaceAccessibility<Kokkos::HostSpace, MemorySpace>::accessible ? 1 : 128;

/// A team's scratch as numbers.
template <class Member>
KOKKOS_INLINE_FUNCTION double* scratch_of(const Member& member, std::size_t doubles) {
  return static_cast<double*>(member.team_scratch(0).get_shmem_aligned(sizeof(double) * doubles, 2 * sizeof(double)));
}

/// Certifies pairs, a team each and a thread an element, with κe evaluated at every pair of ends: where κe is cheap and
/// vertices have few edges.
template <class MemorySpace, class VertexKernel, class Edges>
struct CertifyByElement {
  CertifiedPairs<MemorySpace, VertexKernel> pairs;
  Edges edges;

  template <class Member>
  KOKKOS_FUNCTION void operator()(const Member& member) const {
    const int k = member.league_rank();
    const CertifiedPair of = pairs.pair(k);
    const int threads = member.team_size();
    DeviceSums own;
    Kokkos::parallel_for(Kokkos::TeamThreadRange(member, of.n * of.m),
                         [&](int e) { add(own, of, e / of.m, e % of.m); });
    const DeviceSums sums = sum_of_team(member, own, scratch_of(member, room_of_sum(threads)));
    const int additions = of.n * of.m / threads + 1 + levels_of_sum(threads);
    Kokkos::single(Kokkos::PerTeam(member), [&] { pairs.finish(k, of, sums, additions); });
  }

 private:
  KOKKOS_INLINE_FUNCTION void add(DeviceSums& sums, const CertifiedPair& of, int i, int k) const {
    const ExactEnd* const ends = pairs.ends.data();
    const std::uint32_t begin = of.second[k].first_end;
    const std::uint32_t end = of.second[k + 1].first_end;
    const std::uint32_t end_of_row = of.first[i + 1].first_end;
    const bool both = pairs.both();
    double nx = 0;
    double ny = 0;
    for (std::uint32_t one = of.first[i].first_end; one != end_of_row; ++one) {
      const ExactEnd edge = ends[one];
      const auto kappa = edges.row(edge, one);
      const std::size_t at_row = of.begin + edge.column * static_cast<std::size_t>(of.m);
      double nx_row = 0;
      double ny_row = 0;
      for (std::uint32_t other = begin; other != end; ++other) {
        const ExactEnd edge_second = ends[other];
        const double c = edge_second.weight * kappa(edge_second, other);
        nx_row += c * at_least_0(pairs.trials.x[at_row + edge_second.column]);
        if (both) ny_row += c * at_least_0(pairs.trials.y[at_row + edge_second.column]);
      }
      nx += edge.weight * nx_row;
      ny += edge.weight * ny_row;
    }
    pairs.add(sums, of, i, k, nx, ny, 0, 0);
  }
};

/// Certifies pairs, a team each. For some rows i a thread takes an edge of G' from one of its ends, k → l, and walks along the
/// edges of i:
///
///     product(i, k → l) = w_kl Σ_j w_ij κe(ij, kl) x_jl          N x at i, k is the sum over k's ends
///
/// Threads beside each other walk along the same edges, and read l's beside each other of the same rows of x.
template <class MemorySpace, class VertexKernel, class Edges>
struct CertifyByEnds {
  CertifiedPairs<MemorySpace, VertexKernel> pairs;
  Edges edges;
  int room;  ///< products that scratch holds, at least the most edges of a vertex

  template <class Member>
  KOKKOS_FUNCTION void operator()(const Member& member) const {
    const int number = member.league_rank();
    const CertifiedPair of = pairs.pair(number);
    const int threads = member.team_size();
    double* const scratch = scratch_of(member, doubles(room, threads));
    auto* const products = reinterpret_cast<Product*>(scratch);
    DeviceSums own;
    int additions = levels_of_sum(threads);
    for (int from = 0; from < of.m;) {
      const int to = columns_that_fit(of, from);
      const std::uint32_t begin = of.second[from].first_end;
      const auto ends = static_cast<int>(of.second[to].first_end - begin);
      const int columns = to - from;
      const int rows = ends > 0 ? Kokkos::min(of.n, room / ends) : of.n;
      for (int row = 0; row < of.n; row += rows) {
        const int count = Kokkos::min(rows, of.n - row);
        Kokkos::parallel_for(Kokkos::TeamThreadRange(member, count * ends), [&](int item) {
          const int of_row = item / ends;
          products[item] = product(of, row + of_row, begin + static_cast<std::uint32_t>(item - of_row * ends));
        });
        member.team_barrier();
        Kokkos::parallel_for(Kokkos::TeamThreadRange(member, count * columns), [&](int item) {
          const int of_row = item / columns;
          const int column = from + item - of_row * columns;
          const Product* const of_ends = products + of_row * ends;
          const std::uint32_t end = of.second[column + 1].first_end - begin;
          Product sum{0, 0};
          for (std::uint32_t at = of.second[column].first_end - begin; at < end; ++at) {
            sum.x += of_ends[at].x;
            sum.y += of_ends[at].y;
          }
          pairs.add(own, of, row + of_row, column, sum.x, sum.y, 0, 0);
        });
        member.team_barrier();
        additions += count * columns / threads + 1;
      }
      from = to;
    }
    const DeviceSums sums = sum_of_team(member, own, scratch);
    Kokkos::single(Kokkos::PerTeam(member), [&] { pairs.finish(number, of, sums, additions); });
  }

  /// Doubles of scratch that a team takes.
  KOKKOS_INLINE_FUNCTION static constexpr std::size_t doubles(int room, int threads) {
    return Kokkos::max(2 * static_cast<std::size_t>(room), room_of_sum(threads));
  }

 private:
  struct Product {
    double x;
    double y;
  };

  /// The end of the columns from `from` on whose edges fit the room.
  KOKKOS_INLINE_FUNCTION int columns_that_fit(const CertifiedPair& of, int from) const {
    const std::uint32_t most = of.second[from].first_end + static_cast<std::uint32_t>(room);
    if (of.second[of.m].first_end <= most) return of.m;
    int to = from + 1;
    while (to < of.m && of.second[to + 1].first_end <= most) ++to;
    return to;
  }

  KOKKOS_INLINE_FUNCTION Product product(const CertifiedPair& of, int i, std::uint32_t end) const {
    const ExactEnd* const ends = pairs.ends.data();
    const ExactEnd of_second = ends[end];
    const auto kappa = edges.row(of_second, end);
    const bool both = pairs.both();
    const std::size_t at_column = of.begin + of_second.column;
    Product sum{0, 0};
    for (std::uint32_t at = of.first[i].first_end; at < of.first[i + 1].first_end; ++at) {
      const ExactEnd edge = ends[at];
      const double c = edge.weight * kappa(edge, at);
      const std::size_t place = at_column + edge.column * static_cast<std::size_t>(of.m);
      sum.x += c * at_least_0(pairs.trials.x[place]);
      if (both) sum.y += c * at_least_0(pairs.trials.y[place]);
    }
    return {of_second.weight * sum.x, of_second.weight * sum.y};
  }
};

/// The weights of ends times the factors of κe = Σ_k φ_k φ_k', up to `error`: values[k · ends + e] = w φ_k. Unless κe is
/// constant there is one term more, the weight alone, with which errors that are not relative to κe are bounded.
template <class MemorySpace>
struct FactoredEnds {
  Array<double, MemorySpace> values;
  std::size_t count = 0;  ///< ends of all graphs
  int rank = 0;           ///< 0: there are no factors
  int terms = 0;          ///< rank, or rank + 1
  double error = 0;
};

/// Threads of a team that certifies by factors, and the columns of a strip of the second graph at most.
inline constexpr int factored_team = 256;
inline constexpr int most_strip = 16;
/// Doubles of scratch for each row and column of a strip: a product with the second graph of x and of y, and the products with
/// both of x and y, with κe and without.
inline constexpr std::size_t strip_doubles = 6;

/// Certifies pairs, a team each, with N x = Σ_k (A ∘ φ_k) X (A' ∘ φ_k)ᵀ, strip by strip of the columns of G'.
template <class MemorySpace>
struct CertifyByFactors {
  CertifiedPairs<MemorySpace, InverseTable> pairs;
  FactoredEnds<MemorySpace> factors;
  int strip;  ///< columns at a time

  template <class Member>
  KOKKOS_FUNCTION void operator()(const Member& member) const {
    const int k = member.league_rank();
    const CertifiedPair of = pairs.pair(k);
    const int size = of.n * strip;
    const Strip at{scratch_of(member, Kokkos::max(strip_doubles * static_cast<std::size_t>(size),
                                                  room_of_sum(member.team_size()))),
                   size};
    DeviceSums own;
    for (int first = 0; first < of.m; first += strip) {
      const int columns = Kokkos::min(strip, of.m - first);
      Kokkos::parallel_for(Kokkos::TeamThreadRange(member, size), [&](int e) {
        for (int part = 2; part < static_cast<int>(strip_doubles); ++part) at.part(part)[e] = 0;
      });
      for (int t = 0; t < factors.terms; ++t) {
        const double* const weights = factors.values.data() + static_cast<std::size_t>(t) * factors.count;
        Kokkos::parallel_for(Kokkos::TeamThreadRange(member, size), [&](int e) {
          if (e % strip < columns) multiply_second(of, at, weights, e, first);
        });
        member.team_barrier();
        const int to = t == factors.rank ? 4 : 2;
        Kokkos::parallel_for(Kokkos::TeamThreadRange(member, size), [&](int e) {
          if (e % strip < columns) multiply_first(of, at, weights, e, to);
        });
        member.team_barrier();
      }
      Kokkos::parallel_for(Kokkos::TeamThreadRange(member, size), [&](int e) {
        if (e % strip < columns) close(own, of, at, e, first);
      });
      member.team_barrier();
    }
    const DeviceSums sums = sum_of_team(member, own, at.values);
    Kokkos::single(Kokkos::PerTeam(member), [&] {
      const int of_thread = of.n * of.m / member.team_size();
      const int strips = (of.m + strip - 1) / strip;
      const int additions = of_thread + 2 * strips + levels_of_sum(member.team_size());
      pairs.finish(k, of, sums, additions);
    });
  }

 private:
  struct Strip {
    double* values;
    int size;
    KOKKOS_INLINE_FUNCTION double* part(int number) const {
      return values + static_cast<std::size_t>(number) * static_cast<std::size_t>(size);
    }
  };

  /// X (A' ∘ φ)ᵀ in row and column e of the strip.
  KOKKOS_INLINE_FUNCTION void multiply_second(const CertifiedPair& of, const Strip& at, const double* weights, int e,
                                              int first) const {
    const ExactVertex* const column = of.second + first + e % strip;
    const std::size_t row = of.begin + static_cast<std::size_t>(e / strip) * static_cast<std::size_t>(of.m);
    double x = 0;
    double y = 0;
    for (std::uint32_t end = column->first_end; end < column[1].first_end; ++end) {
      const std::size_t from = row + pairs.ends(end).column;
      x += weights[end] * at_least_0(pairs.trials.x[from]);
      if (pairs.both()) y += weights[end] * at_least_0(pairs.trials.y[from]);
    }
    at.part(0)[e] = x;
    at.part(1)[e] = y;
  }

  /// Adds (A ∘ φ) times that to parts `to` and `to` + 1.
  KOKKOS_INLINE_FUNCTION void multiply_first(const CertifiedPair& of, const Strip& at, const double* weights, int e,
                                             int to) const {
    const ExactVertex* const row = of.first + e / strip;
    double x = 0;
    double y = 0;
    for (std::uint32_t end = row->first_end; end < row[1].first_end; ++end) {
      const std::size_t from = static_cast<std::size_t>(pairs.ends(end).column) * static_cast<std::size_t>(strip) +
                               static_cast<std::size_t>(e % strip);
      x += weights[end] * at.part(0)[from];
      y += weights[end] * at.part(1)[from];
    }
    at.part(to)[e] += x;
    at.part(to + 1)[e] += y;
  }

  KOKKOS_INLINE_FUNCTION void close(DeviceSums& sums, const CertifiedPair& of, const Strip& at, int e,
                                    int first) const {
    constexpr double unit = 0.5 * Kokkos::Experimental::epsilon_v<double>;
    const int i = e / strip;
    const int k = first + e % strip;
    // Each sum of a product of factors rounds by its terms, twice, and the factors by their rank; |Σ φ φ'| ≤ 1 termwise.
    const auto neighbours = [](const ExactVertex* vertex) { return vertex[1].first_end - vertex[0].first_end; };
    const double roundings = 4.0 * (neighbours(of.first + i) + neighbours(of.second + k) + 2.0 * factors.rank + 32);
    const double off = factors.terms > factors.rank ? 1.0001 * (factors.error + roundings * unit) : 0;
    pairs.add(sums, of, i, k, at.part(2)[e], at.part(3)[e], off * at.part(4)[e], off * at.part(5)[e]);
  }
};

/// Adds corrections to trial solutions, a team a pair.
template <class MemorySpace>
struct Correct {
  Array<std::uint32_t, MemorySpace> vertex_begin;
  const Pair* pairs;
  const std::size_t* begin;
  double* trial;
  const double* corrections;
  const PairResult* solved;
  PairResult* results;

  template <class Member>
  KOKKOS_FUNCTION void operator()(const Member& member) const {
    const int k = member.league_rank();
    Kokkos::single(Kokkos::PerTeam(member), [&] { results[k].iterations += solved[k].iterations; });
    const auto size = [&](std::int32_t graph) {
      return static_cast<int>(vertex_begin(graph + 1) - vertex_begin(graph));
    };
    Kokkos::parallel_for(Kokkos::TeamThreadRange(member, size(pairs[k].first) * size(pairs[k].second)), [&](int e) {
      const std::size_t at = begin[k] + static_cast<std::size_t>(e);
      trial[at] += corrections[at];
    });
  }
};

}  // namespace octile::detail
