// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/base/array.hpp>
#include <octile/base/fixed_pointer.hpp>
#include <octile/base/to_memory.hpp>
#include <octile/certify/certificate.hpp>
#include <octile/certify/exact_factors.hpp>
#include <octile/certify/exact_set.hpp>
#include <octile/on_device/basis_tiles.hpp>
#include <octile/on_device/exact_lists.hpp>
#include <octile/on_device/pairs.hpp>
#include <octile/on_device/sums.hpp>
#include <octile/on_device/tiled_lists.hpp>
#include <octile/on_device/trials.hpp>
#include <octile/on_device/walks.hpp>
#include <octile/pairs/prices.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace octile::detail {

/// The shape of the tiles that a warp forms at a time: rows of G, columns of G', and factors. Each column of U is
/// followed by one number of padding, so that what lanes write and read at once lies in different banks.
struct TileShape {
  static constexpr int rows = 8;
  static constexpr int columns = 8;
  static constexpr int chunk = static_cast<int>(factors_of_tile);
  static constexpr int inner_of_column = rows * chunk + 1;

  /// Where N x of a column and a row of the 8 lies: four columns beside each other.
  KOKKOS_INLINE_FUNCTION static constexpr int place(int column, int row) {
    return column / 4 * (4 * rows) + row * 4 + column % 4;
  }
  /// Numbers of all columns, and of four that no vertex has.
  KOKKOS_INLINE_FUNCTION static constexpr int products_of(int m) { return ((m + 3) / 4 + 1) * (4 * rows); }
};

/// Doubles of scratch that a team takes by tiles, of a pair whose second graph has m vertices.
KOKKOS_INLINE_FUNCTION constexpr std::size_t doubles_of_tiles(int m, int threads) {
  return Kokkos::max(
      2 * static_cast<std::size_t>(TileShape::products_of(m) + TileShape::columns * TileShape::inner_of_column),
      room_of_sum(threads));
}

/// `TiledLists` where a device has them, and what rounds in rows that are formed with them.
template <class MemorySpace>
struct TiledEnds {
  Array<TiledVertex, MemorySpace> vertices;
  Array<std::uint32_t, MemorySpace> columns_of_fours;
  Array<std::uint32_t, MemorySpace> columns_of_eights;
  Array<double, MemorySpace> fours;
  Array<double, MemorySpace> eights;
  SystemRounding rounding;
  int chunks = 0;  ///< of 16 factors; 0: there are none

  /// Threads of a team, and what its scratch may take: a team of a GPU has 48 KiB, with what its sums take.
  static constexpr int threads = Kokkos::SpaceAccessibility<Kokkos::HostSpace, MemorySpace>::accessible ? 1 : 32;
  static constexpr std::size_t most_scratch = 47000;
  /// Bytes that tiles of a set may take.
  static constexpr std::size_t most_bytes = std::size_t(256) << 20;

  TiledEnds() = default;
  /// The tiles of a set, if these are cheaper than a walk and exact enough.
  template <class ExecutionSpace>
  static TiledEnds of(const ExecutionSpace& space, const ExactSet& set, const ExactLists& lists) {
    // Without tensor cores in double a walk takes less.
    if constexpr (requires { space.cuda_device_prop().major; }) {
      if (space.cuda_device_prop().major < 8) return {};
    }
    const double of_row = lists.ends_a_vertex() * lists.ends_a_vertex();
    const std::size_t bytes_a_tile = TiledLists::most_bytes(lists);
    const std::size_t chunks = std::min(static_cast<std::size_t>(of_row / pairs_of_tile), most_bytes / bytes_a_tile);
    const std::size_t most = chunks * factors_of_tile;
    if (sizeof(double) * doubles_of_tiles(static_cast<int>(lists.most_vertices()), threads) > most_scratch) return {};
    const std::optional<FactorsOfRows> found = set.factors_on_device(most);
    if (!found) return {};
    return TiledEnds(space, TiledLists(lists, found->factors), found->rounding);
  }
  /// Waits for the copies.
  template <class ExecutionSpace>
  TiledEnds(const ExecutionSpace& space, const TiledLists& lists, const SystemRounding& of_rows)
      : vertices(to_memory<MemorySpace>(space, "tiled_vertices", lists.vertices)),
        columns_of_fours(to_memory<MemorySpace>(space, "columns_of_fours", lists.columns_of_fours)),
        columns_of_eights(to_memory<MemorySpace>(space, "columns_of_eights", lists.columns_of_eights)),
        fours(to_memory<MemorySpace>(space, "fours", lists.fours)),
        eights(to_memory<MemorySpace>(space, "eights", lists.eights)),
        rounding(of_rows),
        chunks(static_cast<int>(lists.chunks)) {
    space.fence("octile::TiledEnds");
  }
};

/// Certifies pairs with N x = Σ_k (A ∘ φ_k) X (A' ∘ φ_k)ᵀ, 8 rows of G at a time, on tensor cores in double. A warp takes 8 columns and 16
/// factors at a time, and forms
///
///     U_k = (A ∘ φ_k) X                       of each row i a product of matrices: factors × edges of i times edges × columns
///     S_e = Σ_k U_k w' φ'_k                   of each column k' one: rows × factors times factors × edges of k'
///
/// and adds S_e to N x in the column to which edge e leads. A team is a warp, and several may share a pair. Where there are no such tensor
/// cores, κe is summed up for each pair of edges.
template <class MemorySpace, class Scalar>
struct CertifyByTiles : TileShape {
  CertifiedPairs<MemorySpace, Scalar, true> pairs;
  TiledEnds<MemorySpace> factors;
  SharedPairs shared;

  template <class Member>
  KOKKOS_FUNCTION void operator()(const Member& member) const {
    const CertifiedPair of = pairs.pair(shared.pair(member.league_rank()));
    const auto [first_row, end_row] = shared.rows(member.league_rank(), of.n);
    const int threads = member.team_size();
    double* const scratch = scratch_of(member, doubles_of_tiles(of.m, threads));
    auto* const products = reinterpret_cast<Product*>(scratch);
    typename decltype(pairs)::Sums own;
    int additions = levels_of_sum(threads);
    for (int row = first_row; row < end_row; row += rows) {
      const int count = Kokkos::min(+rows, end_row - row);
      multiply(member, of, row, count, products);
      Kokkos::parallel_for(Kokkos::TeamThreadRange(member, count * of.m), [&](int item) {
        const int of_row = item / of.m;
        const int column = item - of_row * of.m;
        pairs.template add<false>(own, of, of.row(row + of_row), of.column(column), products[place(column, of_row)],
                                  {0, 0});
      });
      member.team_barrier();
      additions += count * of.m / threads + 1;
    }
    shared.finish(member, pairs, of, own, scratch, additions);
  }

 private:
  using Product = TrialValues<double>;

  template <class Member>
  KOKKOS_INLINE_FUNCTION void multiply(const Member& member, const CertifiedPair& of, int row, int count,
                                       Product* products) const {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    Kokkos::parallel_for(Kokkos::TeamThreadRange(member, products_of(of.m)), [&](int item) {
      products[item] = {0, 0};
    });
    multiply_by_tiles(member.team_rank(), of, row, count, products, products + products_of(of.m));
#else
    Kokkos::parallel_for(Kokkos::TeamThreadRange(member, count * of.m), [&](int item) {
      const int of_row = item / of.m;
      const int column = item - of_row * of.m;
      products[place(column, of_row)] = product_of(of, row + of_row, column);
    });
#endif
    member.team_barrier();
  }

  /// N x in a row and column, by all pairs of their edges.
  KOKKOS_INLINE_FUNCTION Product product_of(const CertifiedPair& of, int row, int column) const {
    const TiledVertex* const first = tiled(of.first + row);
    const TiledVertex* const second = tiled(of.second + column);
    Product sum{0, 0};
    for (std::uint32_t one = 4 * first[0].four; one < 4 * first[1].four; ++one) {
      // Summed for each edge of the row apart: of so many additions one after the other the rounding is counted.
      Product of_row{0, 0};
      for (std::uint32_t other = 4 * second[0].four; other < 4 * second[1].four; ++other) {
        double kappa = 0;
        for (int k = 0; k < factors.chunks * chunk; ++k) kappa += factor(one, k) * factor(other, k);
        add_product(of_row, kappa,
                    pairs.trials.values[of.begin + of.at(static_cast<int>(factors.columns_of_fours(one)),
                                                         static_cast<int>(factors.columns_of_fours(other)))]);
      }
      sum = {sum.x + of_row.x, sum.y + of_row.y};
    }
    return sum;
  }
  KOKKOS_INLINE_FUNCTION double factor(std::uint32_t end, int k) const {
    const std::size_t fours = factors.columns_of_fours.extent(0) / 4;
    const std::size_t four = static_cast<std::size_t>(k / chunk) * fours + end / 4;
    return factors.fours(64 * four + 2 * (static_cast<std::size_t>(4 * (k % 8)) + end % 4) +
                         static_cast<std::size_t>(k % chunk / 8));
  }

  KOKKOS_INLINE_FUNCTION const TiledVertex* tiled(const ExactVertex* vertex) const {
    return factors.vertices.data() + (vertex - pairs.vertices.data());
  }

#if defined(__CUDACC__)
  /// What a lane has of a tile: the row of A and of the product, or the column of B; and the column of A, or the row of B.
  struct Lane {
    int number;
    int group;
    int within;
  };
  /// Two numbers that are read at once.
  struct alignas(2 * sizeof(double)) Two {
    double number[2];
  };

  /// The fours of two rows, or the eights of two columns: where they begin, and how many there are.
  struct Edges {
    std::uint32_t begin[2];
    int count[2];
  };
  static constexpr int steps = chunk / 4;
  static constexpr int fours_at_once = 3;
  static constexpr int eights_at_once = 2;

  __device__ void multiply_by_tiles(int lane_of_warp, const CertifiedPair& of, int row, int count, Product* products,
                                    Product* inner) const {
    const Lane lane{lane_of_warp, lane_of_warp / 4, lane_of_warp % 4};
    const std::uint32_t four_of_lane = tiled(of.first + Kokkos::min(row + lane.number, of.n))->four;
    for (int first = 0; first < of.m; first += columns) {
      const TrialValues<Scalar>* const trials =
          fixed_pointer(pairs.trials.values + of.begin + Kokkos::min(first + lane.group, of.m - 1));
      const std::uint32_t eight_of_lane = tiled(of.second + Kokkos::min(first + lane.number, of.m))->eight;
      for (int part = 0; part < factors.chunks; ++part) {
        const Two* const fours = part_of(factors.fours, factors.columns_of_fours.extent(0) / 4 * 32, lane, part);
        const Two* const eights = part_of(factors.eights, factors.columns_of_eights.extent(0) / 8 * 64, lane, part);
        Edges edges = edges_of(four_of_lane, 0, count);
#pragma unroll 1
        for (int r = 0; r < rows; r += 2) {
          const Edges next = edges_of(four_of_lane, r + 2, count);
          for (int h = 0; h < 2; ++h) fetch_early(fours + 32 * static_cast<std::size_t>(next.begin[h]));
          form_inner(lane, edges, r, static_cast<std::uint32_t>(of.m), trials, fours, inner);
          edges = next;
        }
        __syncwarp();
        edges = edges_of(eight_of_lane, 0, of.m - first);
#pragma unroll 1
        for (int c = 0; c < columns && first + c < of.m; c += 2) {
          const Edges next = edges_of(eight_of_lane, c + 2, of.m - first);
          for (int h = 0; h < 2; ++h) fetch_early(eights + 64 * static_cast<std::size_t>(next.begin[h]));
          add_columns(lane, c, edges, of.m, eights, inner, products);
          edges = next;
        }
      }
    }
  }

  /// A lane's numbers of 16 factors.
  __device__ static const Two* part_of(const Array<double, MemorySpace>& values, std::size_t of_part, const Lane& lane,
                                       int part) {
    return fixed_pointer(reinterpret_cast<const Two*>(values.data()) + of_part * static_cast<std::size_t>(part) +
                         lane.number);
  }

  /// The edges of two vertices of a tile, from number `k` on, of `left` that belong to the graph. A lane has where those of its vertex begin.
  __device__ static Edges edges_of(std::uint32_t begin_of_lane, int k, int left) {
    Edges edges;
    for (int h = 0; h < 2; ++h) {
      edges.begin[h] = __shfl_sync(0xFFFFFFFFU, begin_of_lane, k + h);
      const std::uint32_t end = __shfl_sync(0xFFFFFFFFU, begin_of_lane, k + h + 1);
      edges.count[h] = k + h < left ? static_cast<int>(end - edges.begin[h]) : 0;
    }
    return edges;
  }

  /// Where U of a column, row and factor of the tile lies.
  __device__ static int inner_place(int column, int row, int factor) {
    return column * inner_of_column + row * chunk + (factor ^ ((row & 1) << 2));
  }

  /// U of two rows of the strip. What is read at a time is on its way before any of it is multiplied.
  __device__ void form_inner(const Lane& lane, const Edges& edges, int r, std::uint32_t m,
                             const TrialValues<Scalar>* trials, const Two* fours, Product* inner) const {
    const std::uint32_t* const leads_to = factors.columns_of_fours.data() + lane.within;
    double x[2][2][2] = {};
    double y[2][2][2] = {};
    const auto nothing = static_cast<std::uint32_t>(factors.columns_of_fours.extent(0) / 4 - 1);
    const int most = Kokkos::max(edges.count[0], edges.count[1]);
#pragma unroll 1
    for (int from = 0; from < most; from += fours_at_once) {
      std::uint32_t column[2][fours_at_once];
      TrialValues<Scalar> b[2][fours_at_once];
      Two a[2][fours_at_once];
      const auto each = [&](const auto& use) {
#pragma unroll
        for (int u = 0; u < fours_at_once; ++u) {
#pragma unroll
          for (int h = 0; h < 2; ++h) {
            use(h, u, from + u < edges.count[h] ? edges.begin[h] + static_cast<std::uint32_t>(from + u) : nothing);
          }
        }
      };
      each([&](int h, int u, std::uint32_t four) { column[h][u] = leads_to[4 * four]; });
      each([&](int h, int u, std::uint32_t four) {
        a[h][u] = fours[32 * four];
        b[h][u] = trials[column[h][u] * m];
      });
      each([&](int h, int u, std::uint32_t) {
        for (int t = 0; t < 2; ++t) {
          multiply_tiles(x[h][t][0], x[h][t][1], a[h][u].number[t], static_cast<double>(b[h][u].x));
          multiply_tiles(y[h][t][0], y[h][t][1], a[h][u].number[t], static_cast<double>(b[h][u].y));
        }
      });
    }
    for (int h = 0; h < 2; ++h) {
      for (int t = 0; t < 2; ++t) {
        for (int k = 0; k < 2; ++k) {
          inner[inner_place(2 * lane.within + k, r + h, 8 * t + lane.group)] = {x[h][t][k], y[h][t][k]};
        }
      }
    }
  }

  /// Adds what two columns of the tile contribute to those to which their edges lead.
  __device__ void add_columns(const Lane& lane, int c, const Edges& edges, int m, const Two* eights,
                              const Product* inner, Product* products) const {
    const std::uint32_t* const leads_to = factors.columns_of_eights.data() + 2 * lane.within;
    Product a[2][steps];
    for (int h = 0; h < 2; ++h) {
      for (int s = 0; s < steps; ++s) a[h][s] = inner[inner_place(c + h, lane.group, 4 * s + lane.within)];
    }
    const auto nothing = static_cast<std::uint32_t>(factors.columns_of_eights.extent(0) / 8 - 1);
    const int most = Kokkos::max(edges.count[0], edges.count[1]);
#pragma unroll 1
    for (int from = 0; from < most; from += eights_at_once) {
      Two b[2][eights_at_once][steps / 2];
      std::uint32_t to[2][eights_at_once][2];
      const auto each = [&](int h, const auto& use) {
#pragma unroll
        for (int u = 0; u < eights_at_once; ++u) {
          use(u, from + u < edges.count[h] ? edges.begin[h] + static_cast<std::uint32_t>(from + u) : nothing);
        }
      };
#pragma unroll
      for (int h = 0; h < 2; ++h) {
        each(h, [&](int u, std::uint32_t eight) {
          for (int p = 0; p < steps / 2; ++p) {
            b[h][u][p] = eights[64 * eight + 32 * static_cast<std::uint32_t>(p)];
          }
          for (int k = 0; k < 2; ++k) to[h][u][k] = leads_to[8 * eight + static_cast<std::uint32_t>(k)];
        });
      }
      // What is too many is added to columns that no vertex has, of which each lane has a number.
      const auto beyond = static_cast<std::uint32_t>((m + 3) / 4 * 4 + lane.within);
      double x[2][eights_at_once][2] = {};
      double y[2][eights_at_once][2] = {};
#pragma unroll
      for (int s = 0; s < steps; ++s) {
#pragma unroll
        for (int h = 0; h < 2; ++h) {
          each(h, [&](int u, std::uint32_t) {
            multiply_tiles(x[h][u][0], x[h][u][1], a[h][s].x, b[h][u][s / 2].number[s % 2]);
            multiply_tiles(y[h][u][0], y[h][u][1], a[h][s].y, b[h][u][s / 2].number[s % 2]);
          });
        }
      }
#pragma unroll
      for (int h = 0; h < 2; ++h) {
        // The edges of a column lead to different ones, but not those of two.
        each(h, [&](int u, std::uint32_t) {
          for (int k = 0; k < 2; ++k) {
            Product& sum = products[place(static_cast<int>(Kokkos::min(to[h][u][k], beyond)), lane.group)];
            sum = {sum.x + x[h][u][k], sum.y + y[h][u][k]};
          }
        });
        __syncwarp();
      }
    }
  }
#endif
};

}  // namespace octile::detail
