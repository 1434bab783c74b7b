// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>

namespace octile {

struct AttributeTables;
struct LoweredKernel;

/// The tables of a set's vertex kernel, made once for solvers that follow one another: of thousands of records they take longer to make
/// than a few pairs to solve. One solver is made at a time.
class SharedTables {
 public:
  /// The tables of `kernel`, which must be the same kernel at every call; the first call makes them.
  std::shared_ptr<const AttributeTables> of(const LoweredKernel& kernel);

 private:
  std::shared_ptr<const AttributeTables> tables_;
};

}  // namespace octile
