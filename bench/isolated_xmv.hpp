// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/base/to_memory.hpp>
#include <octile/pairs/system.hpp>
#include <octile/portable/iterate/solve.hpp>
#include <octile/portable/xmv/team_scratch.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "label_kernels.hpp"
#include "timed_launch.hpp"
#include "xmv_case.hpp"

namespace octile::bench {

/// x_e of every pair: between 1/2 and 1, without a pattern that matches rows or tiles.
KOKKOS_INLINE_FUNCTION double right_hand_side(std::size_t e) {
  return 0.5 + 0.5 * static_cast<double>((e * 2654435761U) % 1024U) / 1024.0;
}

/// Fills x, the same vector for every pair.
template <class Vectors>
struct FillVectors {
  Vectors x;
  KOKKOS_FUNCTION void operator()(std::size_t k) const {
    const std::size_t length = x.extent(1);
    x(k / length, k % length) = static_cast<typename Vectors::value_type>(right_hand_side(k % length));
  }
};

/// One product for each pair of a list, by one team a pair.
template <class Set, class EdgeKernel, class Xmv>
struct ApplyXmv {
  using Scalar = typename Set::scalar_type;
  using Memory = typename Set::memory_space;
  /// A row for each pair.
  using Vectors = Kokkos::View<Scalar**, Kokkos::LayoutRight, Memory>;

  Set set;
  EdgeKernel kernel;
  Xmv xmv;
  Kokkos::View<const Pair*, Memory> pairs;
  Vectors x;
  Vectors y;
  Constant vertex_kernel{};
  std::size_t scratch = 0;

  template <class Member>
  KOKKOS_FUNCTION void operator()(const Member& member) const {
    const int k = member.league_rank();
    const PairSystem<Set, Constant> system(set, vertex_kernel, pairs(k));
    xmv.apply(member, system, kernel, &x(k, 0), &y(k, 0), portable::TeamScratch::of(member, scratch));
  }
};

/// Prepares the data that a primitive keeps of each pair.
template <class Set, class EdgeKernel, class Xmv>
struct PrepareXmv {
  ApplyXmv<Set, EdgeKernel, Xmv> apply;

  template <class Member>
  KOKKOS_FUNCTION void operator()(const Member& member) const {
    const PairSystem<Set, Constant> system(apply.set, apply.vertex_kernel, apply.pairs(member.league_rank()));
    apply.xmv.prepare(member, system, apply.kernel);
  }
};

/// A primitive that is run alone, and compared with a sum in double on the host.
template <class Space, class Set, class EdgeKernel, class Xmv>
class IsolatedXmv : public XmvRun {
  using Scalar = typename Set::scalar_type;
  using Memory = typename Set::memory_space;
  using Apply = ApplyXmv<Set, EdgeKernel, Xmv>;

 public:
  /// `labels[g][e]` is the label of edge e of graph g, all of one size.
  IsolatedXmv(const Set& set, const EdgeKernel& kernel, const Xmv& xmv, std::span<const Graph> graphs,
              std::span<const std::vector<typename Set::edge_label_type>> labels, std::vector<Pair> pairs)
      : graphs_(graphs.begin(), graphs.end()),
        labels_(labels.begin(), labels.end()),
        pairs_(std::move(pairs)),
        apply_{set, kernel, xmv, {}, {}, {}},
        policy_(space_, static_cast<int>(pairs_.size()), portable::fine_grained<Space> ? xmv.threads() : 1) {
    const auto n = static_cast<std::size_t>(graphs_[0].vertex_count());
    apply_.pairs = octile::detail::to_memory<Memory>(space_, "bench_pairs", pairs_);
    apply_.x = typename Apply::Vectors("octile::bench_x", pairs_.size(), n * n);
    apply_.y = typename Apply::Vectors("octile::bench_y", pairs_.size(), n * n);
    Kokkos::parallel_for("octile::bench_fill", Kokkos::RangePolicy<Space>(space_, 0, apply_.x.size()),
                         FillVectors<typename Apply::Vectors>{apply_.x});
    policy_.set_chunk_size(1);
    apply_.scratch = xmv.scratch_bytes();
    if (apply_.scratch > 0) {
      policy_.set_scratch_size(0, Kokkos::PerTeam(static_cast<int>(apply_.scratch + portable::TeamScratch::alignment)));
    }
    if constexpr (requires { &Xmv::slot_bytes; }) {
      Kokkos::parallel_for("octile::bench_prepare", policy_, PrepareXmv<Set, EdgeKernel, Xmv>{apply_});
    }
    Kokkos::fence("octile::bench::IsolatedXmv");
  }

  double seconds() override { return timed_launch("octile::bench_xmv", policy_, apply_); }

  std::size_t pair_count() const override { return pairs_.size(); }

  std::string fault() override {
    seconds();
    // Sums of a thousand terms, each rounded a few times.
    const double allowed = std::is_same_v<Scalar, float> ? 1e-4 : 1e-12;
    for (const std::size_t k : {std::size_t(0), pairs_.size() - 1}) {
      const std::vector<double> expected = product(pairs_[k]);
      const double largest = *std::ranges::max_element(expected);
      const auto y =
          Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), Kokkos::subview(apply_.y, k, Kokkos::ALL));
      for (std::size_t e = 0; e < expected.size(); ++e) {
        const double error = std::abs(static_cast<double>(y(e)) - expected[e]);
        if (expected[e] < 0 || error <= allowed * largest) continue;
        return "wrong answer: element " + std::to_string(e) + " of pair " + std::to_string(k) + " is " +
               std::to_string(y(e)) + "; expected is " + std::to_string(expected[e]);
      }
    }
    return {};
  }

 private:
  struct Neighbour {
    std::int32_t vertex;
    double weight;
    typename Set::edge_label_type label;
  };

  std::vector<std::vector<Neighbour>> neighbours(std::int32_t graph) const {
    const auto g = static_cast<std::size_t>(graph);
    std::vector<std::vector<Neighbour>> rows(static_cast<std::size_t>(graphs_[g].vertex_count()));
    for (std::size_t e = 0; e < graphs_[g].edge_count(); ++e) {
      const Edge& edge = graphs_[g].edges()[e];
      rows[static_cast<std::size_t>(edge.i)].push_back({edge.j, edge.weight, labels_[g][e]});
      rows[static_cast<std::size_t>(edge.j)].push_back({edge.i, edge.weight, labels_[g][e]});
    }
    return rows;
  }

  /// y of a pair in every third row of both graphs, by plain sums; −1 elsewhere.
  std::vector<double> product(const Pair& pair) const {
    const auto first = neighbours(pair.first);
    const auto second = neighbours(pair.second);
    std::vector<double> y(first.size() * second.size(), 0.0);
    for (std::size_t k = 0; k < y.size(); ++k) {
      const std::size_t i = k / second.size();
      const std::size_t i_second = k % second.size();
      if (i % 3 != 0 || i_second % 3 != 0) {
        y[k] = -1;
        continue;
      }
      for (const Neighbour& a : first[i]) {
        for (const Neighbour& b : second[i_second]) {
          const auto e = static_cast<std::size_t>(a.vertex) * second.size() + static_cast<std::size_t>(b.vertex);
          y[k] += a.weight * b.weight * apply_.kernel.template evaluate<double>(a.label, b.label) * right_hand_side(e);
        }
      }
    }
    return y;
  }

  Space space_{};
  std::vector<Graph> graphs_;
  std::vector<std::vector<typename Set::edge_label_type>> labels_;
  std::vector<Pair> pairs_;
  Apply apply_;
  Kokkos::TeamPolicy<Space> policy_;
};

}  // namespace octile::bench
