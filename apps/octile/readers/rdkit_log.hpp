// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <sstream>
#include <string>
#include <string_view>

#include <RDGeneral/RDLog.h>

namespace octile::app {

/// Redirects RDKit's messages into a string during its lifetime. RDKit reports some
/// faults only in its log, which is not part of this program's output. There is one log for all threads: while several call RDKit
/// it must be silent.
class RdkitLog {
 public:
  RdkitLog();
  RdkitLog& operator=(RdkitLog&&) = delete;  // neither copied nor moved
  ~RdkitLog();

  void clear() { stream_.str({}); }
  /// Whether messages are kept; they are at first.
  void keep(bool messages) { rdErrorLog = messages ? kept_ : nullptr; }

  /// Keeps the messages of its lifetime, and no others.
  class Kept {
   public:
    explicit Kept(RdkitLog& log) : log_(log) {
      log_.clear();
      log_.keep(true);
    }
    Kept& operator=(Kept&&) = delete;  // neither copied nor moved
    ~Kept() { log_.keep(false); }

   private:
    RdkitLog& log_;
  };

  /// The first line of the log, without RDKit's "[12:00:00] " and its own heading.
  std::string reason() const;

 private:
  std::ostringstream stream_;
  RDLogger kept_;
  RDLogger error_;
  RDLogger warning_;
  RDLogger info_;
};

/// Whether a reason of RDKit's is a want of memory, which its parsers of C put in their own words.
bool lacks_memory(std::string_view reason);

}  // namespace octile::app
