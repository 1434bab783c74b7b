// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/base/parallel.hpp>
#include <octile/base/uninitialized.hpp>

#include <cstddef>

namespace octile {

/// A vector of `value(0)` … `value(count - 1)`, which several threads compute, `part` at a time (`in_parallel`).
template <class T, class Value>
UninitializedVector<T> fill_in_parallel(std::size_t count, std::size_t part, const Value& value) {
  UninitializedVector<T> values(count);
  in_parallel(count, part, [&](std::size_t begin, std::size_t end) {
    for (std::size_t k = begin; k < end; ++k) values[k] = value(k);
  });
  return values;
}

}  // namespace octile
