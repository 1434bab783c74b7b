// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/communicator.hpp>

#include <mpi.h>

#include <algorithm>
#include <cstddef>
#include <span>

namespace octile::mpi {

/// The processes of an MPI communicator, which must live as long as this and is used for collective calls alone. For programs that
/// link MPI: the library itself has none. The caller initialises MPI, with MPI_THREAD_FUNNELED or more.
class Communicator final : public octile::Communicator {
 public:
  /// Nothing is sent yet.
  explicit Communicator(MPI_Comm communicator) : communicator_(communicator) {
    MPI_Comm_rank(communicator_, &rank_);
    MPI_Comm_size(communicator_, &size_);
  }

  std::size_t rank() const override { return static_cast<std::size_t>(rank_); }
  std::size_t size() const override { return static_cast<std::size_t>(size_); }

  void sum(std::span<double> numbers) const override {
    // MPI counts in int.
    constexpr std::size_t at_once = std::size_t(1) << 24;
    for (std::size_t begin = 0; begin < numbers.size(); begin += at_once) {
      const std::span<double> part = numbers.subspan(begin, std::min(at_once, numbers.size() - begin));
      // Reduced at one process and sent from there: every process has the same bits.
      MPI_Reduce(rank_ == 0 ? MPI_IN_PLACE : static_cast<const void*>(part.data()), part.data(),
                 static_cast<int>(part.size()), MPI_DOUBLE, MPI_SUM, 0, communicator_);
      MPI_Bcast(part.data(), static_cast<int>(part.size()), MPI_DOUBLE, 0, communicator_);
    }
  }

  double largest(double number) const override {
    double most = number;
    MPI_Allreduce(&number, &most, 1, MPI_DOUBLE, MPI_MAX, communicator_);
    return most;
  }

 private:
  MPI_Comm communicator_;
  int rank_ = 0;
  int size_ = 1;
};

}  // namespace octile::mpi
