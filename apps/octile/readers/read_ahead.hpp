// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstddef>
#include <exception>
#include <optional>
#include <utility>
#include <vector>

#include <octile/base/parallel.hpp>

#include "readers/read.hpp"

namespace octile::app {

/// The graphs of a file's entries in their order. Entries are read some ahead of the one that is asked for, and several threads make
/// graphs of them at once.
template <class Entry>
class ReadAhead {
 public:
  /// The next graph, or nothing at the end. `read()` gives the next entry, or nothing; `size(entry)` is about its bytes;
  /// `make(entry)` makes its graph, in several threads. What `make` throws is thrown in the entry's turn, and what `read` throws after the
  /// entries before it.
  template <class Read, class Size, class Make>
  std::optional<ReadGraph> next(const Read& read, const Size& size, const Make& make) {
    if (at_ == made_.size()) {
      read_ahead(read, size);
      in_parallel(made_.size(), made_at_once, [&](std::size_t begin, std::size_t end) {
        for (std::size_t k = begin; k < end; ++k) made_[k].make(make);
      });
    }
    if (at_ == made_.size()) {
      if (fault_) std::rethrow_exception(std::exchange(fault_, nullptr));
      return std::nullopt;
    }
    Made& one = made_[at_++];
    if (one.fault) std::rethrow_exception(one.fault);
    return std::move(one.graph);
  }

 private:
  struct Made {
    Entry entry;
    std::optional<ReadGraph> graph{};
    std::exception_ptr fault{};

    template <class Make>
    void make(const Make& make_graph) {
      try {
        graph = make_graph(entry);
      } catch (...) {
        fault = std::current_exception();
      }
    }
  };
  /// Entries that are read ahead at most, and their bytes, about.
  static constexpr std::size_t most_entries = 1024;
  static constexpr std::size_t most_bytes = std::size_t(1) << 22;
  static constexpr std::size_t made_at_once = 4;

  /// Reads twice as many entries as the last time, so that the first of a slow pipe are not waited for together.
  template <class Read, class Size>
  void read_ahead(const Read& read, const Size& size) {
    made_.clear();
    at_ = 0;
    if (fault_) return;
    try {
      for (std::size_t bytes = 0; made_.size() < ahead_ && bytes < most_bytes;) {
        std::optional<Entry> entry = read();
        if (!entry) break;
        bytes += size(*entry);
        made_.push_back({*std::move(entry)});
      }
    } catch (...) {
      fault_ = std::current_exception();
    }
    ahead_ = std::min(2 * ahead_, most_entries);
  }

  std::size_t ahead_ = 1;
  std::vector<Made> made_;
  std::size_t at_ = 0;        ///< of the next of them
  std::exception_ptr fault_;  ///< with which the file ends
};

}  // namespace octile::app
