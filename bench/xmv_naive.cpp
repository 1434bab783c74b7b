// SPDX-License-Identifier: BSD-3-Clause
#include <octile/portable/xmv/naive.hpp>

#include <algorithm>

#include "xmv_dense.hpp"

namespace octile::bench {
namespace {

/// The most bytes of product matrices of a launch, since those of all pairs would not fit.
constexpr std::size_t most_bytes = std::size_t(4) << 30;

template <class Scalar>
void add(std::vector<XmvCase>& cases, const XmvSizes& sizes) {
  using Naive = portable::NaiveXmv<Scalar, Memory>;
  const Polynomial<4> kernel;
  XmvCase entry = dense_case<Scalar, Features<1>>({PrimitiveFamily::naive}, kernel, sizes);
  const auto n = static_cast<std::size_t>(sizes.vertices);
  const std::size_t entries = n * (n - 1) * n * (n - 1);
  entry.ours = plan::naive_counts(static_cast<double>(entries), static_cast<double>(n * n), sizeof(Scalar));
  entry.make = [kernel, sizes, n, entries]() -> std::unique_ptr<XmvRun> {
    constexpr int threads = portable::fine_grained<Space> ? portable::large_team : 1;
    const LabelledGraphs<Features<1>> labelled(complete_graphs(sizes.vertices));
    const auto set = labelled.pack<Scalar>();
    const auto room = static_cast<int>(std::max<std::size_t>(most_bytes / Naive::slot_bytes(n * n, entries), 1));
    const int pairs = std::min(pairs_of(sizes, threads), room);
    const Naive xmv(Space(), threads, static_cast<std::size_t>(pairs), n * n, entries);
    return std::make_unique<IsolatedXmv<Space, std::remove_const_t<decltype(set)>, Polynomial<4>, Naive>>(
        set, kernel, xmv, labelled.graphs, labelled.labels, pairs_between(pairs, 0, 0));
  };
  cases.push_back(std::move(entry));
}

}  // namespace

void add_naive(std::vector<XmvCase>& cases, const XmvSizes& sizes) {
  add<float>(cases, sizes);
  add<double>(cases, sizes);
}

}  // namespace octile::bench
