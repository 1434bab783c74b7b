// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <vector>

namespace octile {

/// Asks the system for large pages in a range of memory that was not written to yet. Where it has none, nothing changes.
void prefer_large_pages(void* memory, std::size_t bytes);

/// So many zeros, `T()` each. The system clears a page when it is first written to, which for millions of results takes as long as
/// many solves; large pages are a few hundred times fewer.
template <class T>
std::vector<T> zeros(std::size_t count) {
  std::vector<T> values;
  values.reserve(count);
  prefer_large_pages(values.data(), count * sizeof(T));
  values.resize(count);
  return values;
}

}  // namespace octile
