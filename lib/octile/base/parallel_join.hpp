// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/base/parallel.hpp>

#include <cstddef>
#include <mutex>
#include <utility>

namespace octile {

/// What `of_part(begin, end)` gives for the parts of 0 … `count`, as `in_parallel` cuts them, put together: `join(all, part)` is called once
/// a part, by one thread at a time and in no certain order. It begins with `all`, which is what no part gives.
template <class Value, class OfPart, class Join>
Value joined_in_parallel(std::size_t count, std::size_t part, Value all, const OfPart& of_part, const Join& join) {
  std::mutex mutex;
  in_parallel(count, part, [&](std::size_t begin, std::size_t end) {
    auto found = of_part(begin, end);
    const std::lock_guard lock(mutex);
    join(all, std::move(found));
  });
  return all;
}

}  // namespace octile
