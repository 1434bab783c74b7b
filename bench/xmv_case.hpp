// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/plan/xmv_counts.hpp>

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

// XMV primitives in isolation: y = (A× ⊙ E×) x for many pairs at once, without a solve.
namespace octile::bench {

/// A primitive with its pairs, ready to run, as a case of `Prepared`.
class XmvRun {
 public:
  virtual ~XmvRun() = default;
  virtual std::string fault() = 0;
  /// Seconds of one product for every pair.
  virtual double seconds() = 0;
  virtual std::size_t pair_count() const = 0;
};

/// One benchmark, and the cost of a product of one pair in it.
struct XmvCase {
  std::string name;
  std::string space;
  bool double_precision = false;
  int n = 0;  ///< vertices of each graph
  ElementCost element{};
  double useful_operations = 0;                              ///< X for each pair of non-zero elements
  double operations = 0;                                     ///< X for each pair of elements that is evaluated
  std::optional<plan::XmvCounts> ours{};                     ///< if our moves are counted
  std::optional<plan::XmvCounts> paper{};                    ///< if the paper has counts
  std::optional<plan::PaperIntensity> paper_intensity{};     ///< if the paper has counts
  std::vector<std::pair<std::string, double>> parameters{};  ///< further counters: t and r, populations
  std::function<std::unique_ptr<XmvRun>()> make{};
};

/// Sizes: vertices of the graphs of the dense primitives, pairs of each launch (0: as many as keep the device
/// busy), and populations of octiles.
struct XmvSizes {
  int vertices = 48;
  int pairs = 0;
  std::vector<int> populations{};
};

/// Add shared tiling, register blocking and tiling-blocking for every t and r, on complete graphs with labels of 4 bytes; for the
/// paper's choice t = r = 8 also in float64, with labels of other sizes and kernels of other costs; and the naive primitive.
void add_shared_tiling(std::vector<XmvCase>& cases, const XmvSizes& sizes);
void add_register_blocking(std::vector<XmvCase>& cases, const XmvSizes& sizes);
void add_tiling_blocking(std::vector<XmvCase>& cases, const XmvSizes& sizes);
void add_naive(std::vector<XmvCase>& cases, const XmvSizes& sizes);

/// Adds products of graphs whose octiles all have one population, by each octile family and by `rows`, with and without labels.
void add_octiles(std::vector<XmvCase>& cases, const XmvSizes& sizes);

}  // namespace octile::bench
