// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/hypergraph.hpp>
#include <octile/random.hpp>

#include <array>
#include <cstdint>
#include <optional>
#include <queue>
#include <vector>

namespace octile::reorder {

/// A state of two parts. It knows what moving a vertex would save and which unlocked vertex of a part saves most. A
/// moved vertex is locked until the next `unlock`.
class PartGains {
 public:
  /// All vertices in part 1, unlocked.
  explicit PartGains(const Hypergraph& hypergraph);

  const std::vector<std::uint8_t>& part() const { return part_; }
  std::int32_t left_count() const { return left_count_; }
  std::int64_t cut() const { return cut_; }

  /// Replaces the state by other parts.
  void assign(const std::vector<std::uint8_t>& part);
  /// Unlocks all vertices. The order among equal gains becomes random.
  void unlock(Random& random);
  /// The unlocked vertex of a part that saves most; nothing if all are locked.
  std::optional<std::int32_t> best(std::uint8_t part);
  std::int64_t gain(std::int32_t vertex) const { return gain_[static_cast<std::size_t>(vertex)]; }
  /// Moves a vertex to the other part and locks it.
  void move(std::int32_t vertex);
  /// Moves a vertex back without updating locks and candidates. An `unlock` must follow.
  void undo(std::int32_t vertex) { shift(vertex, false); }

 private:
  /// A vertex with its gain at the time of the last change; older entries of it are skipped.
  struct Candidate {
    std::int64_t gain;
    std::uint32_t rank;
    std::int32_t vertex;
    bool operator<(const Candidate& other) const { return gain != other.gain ? gain < other.gain : rank < other.rank; }
  };

  void shift(std::int32_t vertex, bool keep_candidates);
  void add_gain(std::int32_t vertex, std::int64_t change, bool keep_candidate);
  void compute_gains();

  const Hypergraph* hypergraph_;
  std::vector<std::size_t> net_list_begin_;  // n + 1
  std::vector<std::size_t> net_list_;        // nets of each vertex
  std::vector<std::uint8_t> part_;
  std::vector<std::array<std::int32_t, 2>> pins_in_;  // of each net, by part
  std::vector<std::int64_t> gain_;
  std::vector<bool> locked_;
  std::vector<std::uint32_t> rank_;
  std::array<std::priority_queue<Candidate>, 2> candidates_;
  std::int32_t left_count_ = 0;
  std::int64_t cut_ = 0;
};

}  // namespace octile::reorder
