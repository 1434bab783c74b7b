// SPDX-License-Identifier: BSD-3-Clause
#include <mpi.h>

#include <cstdint>
#include <exception>
#include <limits>

#include <fmt/format.h>

#include <octile/error.hpp>

#include "output/failures.hpp"
#include "tiles/ranks.hpp"

namespace octile::app {
namespace {

/// MPI counts in int.
int count_of(std::size_t size) {
  if (size > static_cast<std::size_t>(std::numeric_limits<int>::max())) {
    throw Error("a message between ranks is larger than 2 GiB; allowed are fewer tiles, by a larger --tile-size");
  }
  return static_cast<int>(size);
}

/// MPI between its beginning and its end, with a counter in a window of rank 0.
class MpiConnection final : public Connection {
 public:
  MpiConnection() {
    // Calls come from one thread, and the solver has threads of its own.
    int provided = 0;
    MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &size_);
    const MPI_Aint bytes = rank_ == 0 ? sizeof(std::uint64_t) : 0;
    MPI_Win_allocate(bytes, sizeof(std::uint64_t), MPI_INFO_NULL, MPI_COMM_WORLD, static_cast<void*>(&counter_),
                     &window_);
    MPI_Win_lock_all(0, window_);
    if (rank_ == 0) {
      *counter_ = 0;
      MPI_Win_sync(window_);
    }
    MPI_Barrier(MPI_COMM_WORLD);
  }
  MpiConnection& operator=(MpiConnection&&) = delete;  // neither copied nor moved
  ~MpiConnection() override {
    // The other ranks are elsewhere, and would be waited for.
    if (std::uncaught_exceptions() > 0) return;
    MPI_Win_unlock_all(window_);
    MPI_Win_free(&window_);
    MPI_Finalize();
  }

  std::size_t rank() const override { return static_cast<std::size_t>(rank_); }
  std::size_t size() const override { return static_cast<std::size_t>(size_); }

  std::string broadcast(const std::string& text) override {
    std::uint64_t length = text.size();
    MPI_Bcast(&length, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD);
    std::string common = rank_ == 0 ? text : std::string(length, '\0');
    MPI_Bcast(common.data(), count_of(length), MPI_CHAR, 0, MPI_COMM_WORLD);
    return common;
  }

  std::size_t claim() override {
    const std::uint64_t one = 1;
    std::uint64_t before = 0;
    MPI_Fetch_and_op(&one, &before, MPI_UINT64_T, 0, 0, MPI_SUM, window_);
    MPI_Win_flush(0, window_);
    return before;
  }

  void send(const std::string& text) override {
    MPI_Send(text.data(), count_of(text.size()), MPI_CHAR, 0, 0, MPI_COMM_WORLD);
  }

  std::optional<RankMessage> receive(bool wait) override {
    if (size_ == 1) return std::nullopt;
    int there = 1;
    MPI_Status status;
    if (wait) {
      MPI_Probe(MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &status);
    } else {
      MPI_Iprobe(MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &there, &status);
    }
    if (there == 0) return std::nullopt;
    int count = 0;
    MPI_Get_count(&status, MPI_CHAR, &count);
    RankMessage message{static_cast<std::size_t>(status.MPI_SOURCE),
                        std::string(static_cast<std::size_t>(count), '\0')};
    MPI_Recv(message.text.data(), count, MPI_CHAR, status.MPI_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return message;
  }

 private:
  int rank_ = 0;
  int size_ = 1;
  std::uint64_t* counter_ = nullptr;
  MPI_Win window_ = MPI_WIN_NULL;
};

}  // namespace

std::unique_ptr<Connection> join_by_mpi() {
  const Launch begun = launch();
  const auto refuse = [&begun] {
    throw UsageError(fmt::format(
        "{} began several processes, and MPI does not know of the others: each would write the same output; "
        "allowed is mpirun, or srun with the --mpi that this MPI is built for",
        begun.launcher));
  };
  if (begun.several && !begun.can_meet) refuse();
  // Without a launcher there is nobody to join.
  if (!begun.several) return nullptr;
  auto connection = std::make_unique<MpiConnection>();
  if (connection->size() == 1 && begun.counted) refuse();
  return connection;
}

}  // namespace octile::app
