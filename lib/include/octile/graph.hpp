// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <octile/labels.hpp>

namespace octile {

/// An undirected edge {i, j} of weight w = A_ij = A_ji.
struct Edge {
  std::int32_t i = 0;                            ///< one end, 0 … n−1
  std::int32_t j = 0;                            ///< the other end, not i
  double weight = 1.0;                           ///< w, finite and ≥ 0
  bool operator==(const Edge&) const = default;  ///< the same ends, in this order, and the same weight
};

/// A labelled, weighted, undirected graph on the host: the input of everything
/// else, valid by construction. It has nothing to do with tiles or devices.
///
/// Vertices are 0 … n−1. Edges are kept once each with i < j, ordered by
/// (i, j); element k of an edge label column belongs to `edges()[k]`. An edge of
/// weight zero is no edge (A_ij = 0) and is left out, with its labels.
class Graph {
 public:
  /// A graph of `vertex_count` vertices from its undirected edges, each given
  /// once, in any order and direction. Edge label columns follow `edges`.
  ///
  /// Throws `Error`, naming the graph and the value, for: no vertices; a vertex
  /// index out of range; a self-loop; an edge given twice; a weight that is
  /// negative or not finite; a label column of the wrong length; a real label
  /// that is not finite.
  static Graph from_edges(std::string name, std::int32_t vertex_count, std::vector<Edge> edges,
                          LabelColumns vertex_labels = {}, const LabelColumns& edge_labels = {});

  /// A graph from its symmetric adjacency matrix in compressed rows, both
  /// triangles present: entries of row i are `columns[row_offsets[i] …
  /// row_offsets[i+1])`. Edge label columns follow `columns`.
  ///
  /// Throws `Error` as `from_edges` does, and also if weight or label of (i, j)
  /// and (j, i) differ, if one of the two is missing, or if the row offsets are
  /// not valid.
  static Graph from_adjacency(std::string name, std::span<const std::int32_t> row_offsets,
                              std::span<const std::int32_t> columns, std::span<const double> weights,
                              LabelColumns vertex_labels = {}, const LabelColumns& edge_labels = {});

  const std::string& name() const { return name_; }                     ///< by which messages call the graph
  std::int32_t vertex_count() const { return vertex_count_; }           ///< n ≥ 1
  std::size_t edge_count() const { return edges_.size(); }              ///< undirected edges, each counted once
  const std::vector<Edge>& edges() const { return edges_; }             ///< each once, i < j, ordered by (i, j)
  const LabelColumns& vertex_labels() const { return vertex_labels_; }  ///< columns of n elements, by attribute
  const LabelColumns& edge_labels() const { return edge_labels_; }      ///< in the order of `edges()`, by attribute

  /// Σ_j A_ij for each vertex: length n.
  std::vector<double> weighted_degrees() const;

  /// Starting probability or weight p of each vertex (length n): uniform 1/n unless given.
  std::span<const double> starting_probability() const { return starting_; }

  /// Replaces p. Throws `Error` unless there is one value a vertex, each finite
  /// and not negative, with the sum 1 within 1e-6.
  void set_starting_probability(std::vector<double> probability);

  /// Replaces p by weights, which need not sum to 1: K is linear in them. Throws `Error` unless there is one a vertex, each
  /// finite and not negative, and one of them above 0.
  void set_starting_weights(std::vector<double> weights);

  /// Numbers to learn from the graph, such as a measured property or its class, by name: none unless given. No kernel
  /// reads them.
  const std::map<std::string, double>& targets() const { return targets_; }

  /// Replaces the targets. Throws `Error` unless each is finite: one that is unknown is left out.
  void set_targets(std::map<std::string, double> targets);

  /// This graph with its vertices renamed: new vertex k is old vertex `order[k]`. Throws `Error` if `order` is not a
  /// permutation.
  Graph reordered(std::span<const std::int32_t> order) const;

  /// This graph with all weights multiplied by `factor` > 0. Throws `Error` if one is not finite then.
  Graph scaled(double factor) const;

  /// This graph with all weights and its stopping weight multiplied by `factor` > 0, which changes neither K nor x.
  Graph scaled_with_stopping(double factor) const;

  /// By what a stopping weight is multiplied in this graph: 1 unless it was scaled with it.
  double stopping_scale() const { return stopping_scale_; }

  /// Connected component of each vertex, numbered from 0 in order of first
  /// appearance: length n.
  std::vector<std::int32_t> components() const;

 private:
  Graph() = default;

  std::string name_;
  std::int32_t vertex_count_ = 0;
  std::vector<Edge> edges_;
  LabelColumns vertex_labels_;
  LabelColumns edge_labels_;
  std::vector<double> starting_;
  double stopping_scale_ = 1;
  std::map<std::string, double> targets_;
};

}  // namespace octile
