// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>

namespace octile::app {

/// A text that rank 0 was sent.
struct RankMessage {
  std::size_t rank = 0;
  std::string text;
};

/// How the processes that solve a matrix together reach each other (`Ranks` says what each function does). A program that ends by an
/// exception ends the connection without the others, which end then too.
class Connection {
 public:
  Connection& operator=(Connection&&) = delete;  // neither copied nor moved
  virtual ~Connection() = default;

  virtual std::size_t rank() const = 0;
  virtual std::size_t size() const = 0;
  virtual std::string broadcast(const std::string& text) = 0;
  virtual std::size_t claim() = 0;
  virtual void send(const std::string& text) = 0;
  virtual void deliver() = 0;
  virtual std::optional<RankMessage> receive(bool wait) = 0;
};

/// The processes that a launcher of MPI began together with this one, or nothing where none did. Throws `UsageError` where it began
/// several that cannot meet, since this build has no MPI or MPI does not know of the others: each would write the same output.
std::unique_ptr<Connection> join_by_mpi();

/// Begins `count` − 1 processes of this machine, which go on from here as ranks 1 to `count` − 1, each with one of the GPUs that this
/// process may see. To be called before there are threads. What they say on standard error is rank 0's to tell: where one ends with an
/// error, rank 0 throws what it said. Throws `StartError` where a process cannot be begun.
std::unique_ptr<Connection> begin_local(std::size_t count);

}  // namespace octile::app
