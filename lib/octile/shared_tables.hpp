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
  /// Those of the kernel, which must be the same at every call.
  std::shared_ptr<const AttributeTables> of(const LoweredKernel& kernel);

 private:
  std::shared_ptr<const AttributeTables> tables_;
};

}  // namespace octile
