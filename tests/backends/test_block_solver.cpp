// SPDX-License-Identifier: BSD-3-Clause
// Blocks of a Gram matrix, one after the other, give the whole one to the bit.
#include <doctest/doctest.h>

#include <octile/block_solver.hpp>
#include <octile/gram.hpp>
#include <octile/prepared_set.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <set>
#include <utility>
#include <vector>

#include "common/graphs.hpp"

using namespace octile;
using namespace octile::test;

namespace {

std::vector<Graph> graphs_of_few_sizes() {
  std::vector<Graph> graphs;
  for (std::uint32_t k = 0; k < 11; ++k) graphs.push_back(random_graph(3 + static_cast<int>(k % 4), 0.5, k % 6));
  return graphs;
}

KernelSpec kernel() {
  return {Expression::parse("delta(element,0.5)"),
          Expression::parse("gaussian(length,0.4)"),
          {StoppingMeaning::probability, 0.1}};
}

/// All blocks of the upper triangle, of so many rows and columns.
std::vector<Block> blocks_of(std::int32_t size, std::int32_t edge) {
  std::vector<Block> blocks;
  for (std::int32_t i = 0; i < size; i += edge) {
    for (std::int32_t j = i; j < size; j += edge) {
      blocks.push_back({{i, std::min(i + edge, size)}, {j, std::min(j + edge, size)}});
    }
  }
  return blocks;
}

}  // namespace

TEST_CASE("A schedule of a block has each of its pairs once, costliest first, however it is cut") {
  const std::vector<Graph> graphs = graphs_of_few_sizes();
  const CostModel cost(graphs);
  for (const Block& block : {Block{{0, 11}, {0, 11}, true}, Block{{2, 9}, {2, 9}, false}, Block{{0, 4}, {5, 11}, true},
                             Block{{3, 4}, {3, 4}, false}}) {
    for (const double work : {1.0, 500.0, 1e9}) {
      BlockPairs schedule(block, cost);
      CHECK(schedule.work() == doctest::Approx(block.work(cost)));
      std::set<std::size_t> places;
      std::vector<Pair> batch;
      double last = 1e300;
      double sum = 0;
      for (sum += schedule.next(work, batch); !batch.empty(); sum += schedule.next(work, batch)) {
        for (std::size_t k = 0; k < batch.size(); ++k) {
          CHECK(cost(batch[k]) <= last);
          last = cost(batch[k]);
          CHECK(places.insert(schedule.place(batch, k)).second);
          if (block.symmetric()) CHECK((batch[k].first < batch[k].second || block.own));
        }
      }
      CHECK(places.size() == block.pairs());
      CHECK(schedule.size() == block.pairs());
      CHECK(sum == doctest::Approx(block.work(cost)));
    }
  }
}

TEST_CASE("Blocks of any size are the whole matrix to the bit") {
  const std::vector<Graph> graphs = graphs_of_few_sizes();
  const auto size = static_cast<std::int32_t>(graphs.size());
  for (const bool single : {false, true}) {
    GramOptions options;
    if (single) {
      // Rounding stops float32 before that, so that pairs are solved again.
      options.precision = Precision::float32;
      options.solve.tolerance = 1e-9;
    } else {
      options.accuracy = Accuracy{};
    }
    const GramResult whole = gram(graphs, kernel(), options);
    for (const std::int32_t edge : {1, 4, 20}) {
      const PreparedSet set(graphs, options);
      const KernelSpec spec = kernel();
      BlockSolver solver(set, spec);
      std::vector<PairResult> results;
      for (const Block& block : blocks_of(size, edge)) {
        solver.expect(block);
        results.resize(block.places());
        solver.solve(block, results);
        for (std::int32_t i = block.rows.begin; i < block.rows.end; ++i) {
          for (std::int32_t j = std::max(i, block.columns.begin); j < block.columns.end; ++j) {
            const PairResult& found = results[block.place({i, j})];
            const PairResult& expected =
                whole.pairs[pair_index(static_cast<std::size_t>(i), static_cast<std::size_t>(j), graphs.size())];
            CHECK(found.value == expected.value);
            CHECK(found.error_bound == expected.error_bound);
            CHECK(found.iterations == expected.iterations);
            CHECK(found.status == expected.status);
          }
        }
      }
      CHECK(solver.refined() == whole.refined);
      if (single) CHECK(solver.refined() > 0);
    }
  }
}

TEST_CASE("Progress of blocks counts what is expected, and an interruption ends them") {
  const std::vector<Graph> graphs = graphs_of_few_sizes();
  GramOptions options;
  Progress last;
  bool stop = false;
  options.on_progress = [&](const Progress& progress) {
    CHECK(progress.pairs_done >= last.pairs_done);
    last = progress;
    return !stop;
  };
  const PreparedSet set(graphs, options);
  const KernelSpec spec = kernel();
  BlockSolver solver(set, spec);
  const std::vector<Block> blocks = blocks_of(11, 6);
  for (const Block& block : blocks) solver.expect(block);
  std::vector<PairResult> results(36);
  for (const Block& block : blocks) solver.solve(block, results);
  CHECK(last.pairs_done == 66);
  CHECK(last.pairs_total == 66);
  CHECK(last.work_done == doctest::Approx(1));
  stop = true;
  solver.expect(blocks[0]);
  CHECK_THROWS_AS(solver.solve(blocks[0], results), Interrupted);
}
