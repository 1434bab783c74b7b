// SPDX-License-Identifier: BSD-3-Clause
#include <mpi.h>

#include <cstdint>
#include <exception>
#include <limits>
#include <list>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

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
    // Two threads call it, one at a time: that of all work, and at rank 0 that which receives.
    int provided = 0;
    MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &provided);
    if (provided < MPI_THREAD_SERIALIZED) {
      throw StartError("this MPI lets one thread alone call it; needed is one that knows MPI_THREAD_SERIALIZED");
    }
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
    // After an exception the other ranks are elsewhere, and MPI would wait for them.
    if (std::uncaught_exceptions() > 0) {
      // MPI may still read what it was given.
      static std::list<Transfer> until_the_end;
      until_the_end.splice(until_the_end.end(), sent_);
      return;
    }
    wait_for_sent();
    MPI_Win_unlock_all(window_);
    MPI_Win_free(&window_);
    MPI_Finalize();
  }

  std::size_t rank() const override { return static_cast<std::size_t>(rank_); }
  std::size_t size() const override { return static_cast<std::size_t>(size_); }

  std::string broadcast(const std::string& text) override {
    const std::lock_guard lock(mutex_);
    std::uint64_t length = text.size();
    MPI_Bcast(&length, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD);
    std::string common = rank_ == 0 ? text : std::string(length, '\0');
    MPI_Bcast(common.data(), count_of(length), MPI_CHAR, 0, MPI_COMM_WORLD);
    return common;
  }

  std::size_t claim() override {
    const std::lock_guard lock(mutex_);
    const std::uint64_t one = 1;
    std::uint64_t before = 0;
    MPI_Fetch_and_op(&one, &before, MPI_UINT64_T, 0, 0, MPI_SUM, window_);
    MPI_Win_flush(0, window_);
    return before;
  }

  void send(const std::string& text) override {
    const std::lock_guard lock(mutex_);
    std::erase_if(sent_, [](Transfer& one) { return is_done(one); });
    // A list, since MPI reads the text where it lies.
    Transfer& sent = sent_.emplace_back(text);
    MPI_Isend(sent.text.data(), count_of(sent.text.size()), MPI_CHAR, 0, 0, MPI_COMM_WORLD, &sent.request);
  }

  void deliver() override {
    const std::lock_guard lock(mutex_);
    wait_for_sent();
  }

  std::optional<RankMessage> receive(bool wait) override {
    if (size_ == 1) return std::nullopt;
    const std::lock_guard lock(mutex_);
    if (!coming_ && !begin_to_receive(wait)) return std::nullopt;
    // A long text comes only as far as its sender calls MPI, which may be after its next tile.
    if (wait) {
      MPI_Wait(&coming_->request, MPI_STATUS_IGNORE);
    } else if (!is_done(*coming_)) {
      return std::nullopt;
    }
    RankMessage message{static_cast<std::size_t>(coming_from_), std::move(coming_->text)};
    coming_.reset();
    return message;
  }

 private:
  /// A text and what MPI does with it.
  struct Transfer {
    explicit Transfer(std::string words) : text(std::move(words)) {}
    std::string text;
    MPI_Request request = MPI_REQUEST_NULL;
  };

  static bool is_done(Transfer& transfer) {
    int done = 0;
    MPI_Test(&transfer.request, &done, MPI_STATUS_IGNORE);
    return done != 0;
  }

  void wait_for_sent() {
    for (Transfer& sent : sent_) MPI_Wait(&sent.request, MPI_STATUS_IGNORE);
    sent_.clear();
  }

  /// Whether there is a text to receive.
  bool begin_to_receive(bool wait) {
    int there = 1;
    MPI_Status status;
    if (wait) {
      MPI_Probe(MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &status);
    } else {
      MPI_Iprobe(MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &there, &status);
    }
    if (there == 0) return false;
    int count = 0;
    MPI_Get_count(&status, MPI_CHAR, &count);
    coming_from_ = status.MPI_SOURCE;
    Transfer& coming = coming_.emplace(std::string(static_cast<std::size_t>(count), '\0'));
    MPI_Irecv(coming.text.data(), count, MPI_CHAR, coming_from_, 0, MPI_COMM_WORLD, &coming.request);
    return true;
  }

  int rank_ = 0;
  int size_ = 1;
  std::uint64_t* counter_ = nullptr;
  MPI_Win window_ = MPI_WIN_NULL;
  std::mutex mutex_;                ///< of all calls of MPI, once threads may call it
  std::list<Transfer> sent_;        ///< that may still be read
  std::optional<Transfer> coming_;  ///< at rank 0
  int coming_from_ = 0;
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
