// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/plan/xmv_counts.hpp>

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

// XMV primitives in isolation: y = (A× ⊙ E×) x for many pairs at once, without a solve around them.
namespace octile::bench {

/// A primitive with its pairs, ready to run; as `Prepared` wants it.
class XmvRun {
 public:
  virtual ~XmvRun() = default;
  virtual std::string fault() = 0;
  /// Of one product for every pair.
  virtual double seconds() = 0;
  virtual std::size_t pair_count() const = 0;
};

/// One benchmark, and what a product of one pair in it costs.
struct XmvCase {
  std::string name;
  std::string space;
  bool double_precision = false;
  int n = 0;  ///< vertices of either graph
  ElementCost element{};
  double useful_operations = 0;                              ///< X for each pair of non-zero elements
  double operations = 0;                                     ///< X for each pair of elements that is evaluated
  std::optional<plan::XmvCounts> ours{};                     ///< where moves are counted
  std::optional<plan::XmvCounts> paper{};                    ///< where the paper has them
  std::optional<plan::PaperIntensity> paper_intensity{};     ///< likewise
  std::vector<std::pair<std::string, double>> parameters{};  ///< more counters: t and r, populations
  std::function<std::unique_ptr<XmvRun>()> make{};
};

/// How large: vertices of the graphs of the dense primitives, pairs of each launch (0: as many as keep the device
/// busy), and populations of octiles.
struct XmvSizes {
  int vertices = 48;
  int pairs = 0;
  std::vector<int> populations{};
};

/// Shared tiling, register blocking and tiling-blocking for every t and r, complete graphs, labels of 4 bytes; in the
/// paper's choice, t = r = 8, for float64, labels of other sizes and kernels of other costs too; and the naive one.
void add_shared_tiling(std::vector<XmvCase>& cases, const XmvSizes& sizes);
void add_register_blocking(std::vector<XmvCase>& cases, const XmvSizes& sizes);
void add_tiling_blocking(std::vector<XmvCase>& cases, const XmvSizes& sizes);
void add_naive(std::vector<XmvCase>& cases, const XmvSizes& sizes);

/// Products of octiles that all have one population in each graph, by family, labelled and not, and `rows` beside them.
void add_octiles(std::vector<XmvCase>& cases, const XmvSizes& sizes);

}  // namespace octile::bench
