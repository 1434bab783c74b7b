// SPDX-License-Identifier: BSD-3-Clause
#include <octile/graphs/zeros.hpp>

#include <cstdint>

#ifdef __linux__
#include <sys/mman.h>
#endif

namespace octile {

void prefer_large_pages([[maybe_unused]] void* memory, [[maybe_unused]] std::size_t bytes) {
#ifdef __linux__
  // 2 MiB, the size of large pages on most machines. Where they are larger, the range may have no whole one.
  constexpr std::uintptr_t page = std::uintptr_t(1) << 21;
  const std::size_t before =
      (page - reinterpret_cast<std::uintptr_t>(memory) % page) % page;  // up to the first whole page
  if (bytes < before + page) return;
  const std::size_t length = (bytes - before) / page * page;
  // This is a wish: whether madvise can fulfil it does not matter.
  static_cast<void>(madvise(static_cast<char*>(memory) + before, length, MADV_HUGEPAGE));
#endif
}

}  // namespace octile
