// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <span>

namespace octile {

/// The processes that work on one problem together, as far as the library needs to know them. This class is one process alone;
/// `mpi::Communicator` is those of an MPI_Comm. Every process calls the collective functions in one order.
class Communicator {
 public:
  Communicator& operator=(Communicator&&) = delete;  // neither copied nor moved
  virtual ~Communicator() = default;

  /// The number of this process, 0 to size() − 1.
  virtual std::size_t rank() const { return 0; }
  virtual std::size_t size() const { return 1; }  ///< the number of processes, ≥ 1
  /// Replaces each number by the sum of those of all processes, in every process the same bits. Collective.
  virtual void sum(std::span<double> /*numbers*/) const {}
  /// The largest of the numbers of all processes. Collective.
  virtual double largest(double number) const { return number; }
};

/// One process alone.
inline const Communicator& alone() {
  static const Communicator one;
  return one;
}

}  // namespace octile
