// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tiles/connection.hpp"

namespace octile::app {

/// The processes that solve a matrix together, as mpirun or --devices began them; one process alone is rank 0 of 1. All ranks call the
/// collective functions in one order.
class Ranks {
 public:
  /// Joins the others, if a launcher began this process, or else begins so many processes of this machine. Throws as `join_by_mpi` and
  /// `begin_local` do, and `UsageError` for both at once.
  explicit Ranks(std::size_t processes = 1);

  std::size_t rank() const { return connection_ ? connection_->rank() : 0; }
  std::size_t size() const { return connection_ ? connection_->size() : 1; }
  bool first() const { return rank() == 0; }

  /// The text of rank 0. Collective.
  std::string broadcast(const std::string& text);
  /// The texts of all ranks at rank 0, nothing elsewhere. Collective.
  std::vector<std::string> gather(const std::string& text);

  /// 0, 1, 2, … as ranks ask for it: each number goes to one rank. Where MPI has to ask rank 0 for it, rank 0 answers while it receives.
  std::size_t claim();

  /// Gives rank 0 a text, and does not wait for it: what it does not take yet is kept.
  void send(const std::string& text);
  /// Waits until all texts are on their way. Before that, a rank must not end.
  void deliver();
  /// At rank 0: a text that was sent. Texts of one rank come in their order. Waits for one if asked to; else nothing where none is there,
  /// and then another thread than that of all other calls may ask.
  std::optional<RankMessage> receive(bool wait);

  /// How long this rank waited for others so far, in `broadcast`, `gather` and `claim`.
  double waited_seconds() const { return waited_seconds_; }

 private:
  template <class Call>
  auto timed(const Call& call);

  std::unique_ptr<Connection> connection_;
  double waited_seconds_ = 0;
  std::size_t next_ = 0;  ///< of one process alone
};

/// What the environment says of who began this process.
struct Launch {
  std::string launcher{};  ///< in words; empty where none did
  bool several = false;    ///< whether it began others too, or may have and does not say
  bool counted = false;    ///< whether it says how many
  bool can_meet = false;   ///< whether it says how they find each other
};
Launch launch();

}  // namespace octile::app
