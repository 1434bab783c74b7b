// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/error.hpp>

namespace octile::app {

/// A command line that is wrong whatever the files contain: exit_usage.
class UsageError : public Error {
 public:
  using Error::Error;
};

/// An output that cannot be written: exit_output.
class OutputError : public Error {
 public:
  using Error::Error;
};

/// A machine that this build cannot run on: exit_internal.
class StartError : public Error {
 public:
  using Error::Error;
};

/// Runs `work` and returns its result. An `Error` becomes a `UsageError`, for
/// values that come from the command line.
template <class Work>
auto as_usage(Work&& work) {
  try {
    return work();
  } catch (const Error& error) {
    throw UsageError(error.what());
  }
}

}  // namespace octile::app
