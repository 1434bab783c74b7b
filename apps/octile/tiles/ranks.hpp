// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace octile::app {

/// The processes that solve a matrix together, as mpirun began them; one process alone is rank 0 of 1. The only place that knows of
/// MPI, in ranks_mpi.cpp; a build without it takes ranks_alone.cpp. All ranks call the collective functions in one order. A program
/// that ends by an exception does not end MPI, so that mpirun ends the other ranks.
class Ranks {
 public:
  /// Joins the others, if a launcher began this process. Throws `UsageError` where it began several that cannot meet, since this
  /// build has no MPI or MPI does not know of the others: each would write the same output.
  Ranks();
  Ranks(const Ranks&) = delete;
  Ranks& operator=(const Ranks&) = delete;
  ~Ranks();

  std::size_t rank() const { return rank_; }
  std::size_t size() const { return size_; }
  bool first() const { return rank_ == 0; }

  /// The text of rank 0. Collective.
  std::string broadcast(const std::string& text);
  /// The texts of all ranks at rank 0, nothing elsewhere. Collective.
  std::vector<std::string> gather(const std::string& text);

  /// 0, 1, 2, … as ranks ask for it: each number goes to one rank, by a fetch-and-add on rank 0 that it takes no part in.
  std::size_t claim();

  /// Gives rank 0 a text.
  void send(const std::string& text);
  struct Message {
    std::size_t rank = 0;
    std::string text;
  };
  /// At rank 0: a text that was sent. Texts of one rank come in their order. Waits for one if asked to; else nothing where none is there.
  std::optional<Message> receive(bool wait) const;

 private:
  class Connection;
  std::unique_ptr<Connection> connection_;
  std::size_t rank_ = 0;
  std::size_t size_ = 1;
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
