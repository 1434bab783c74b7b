// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <new>
#include <type_traits>
#include <utility>
#include <vector>

namespace octile {

/// Leaves elements uninitialised where a vector would set them to 0.
template <class T>
class UninitializedAllocator : public std::allocator<T> {
  static_assert(std::is_trivially_default_constructible_v<T> && std::is_trivially_destructible_v<T>);

 public:
  template <class Other>
  struct rebind {
    using other = UninitializedAllocator<Other>;
  };
  UninitializedAllocator() = default;
  template <class Other>
  explicit UninitializedAllocator(const UninitializedAllocator<Other>&) noexcept {}

  template <class Other>
  void construct(Other* place) noexcept {
    ::new (static_cast<void*>(place)) Other;
  }
  template <class Other, class... Arguments>
  void construct(Other* place, Arguments&&... arguments) {
    std::construct_at(place, std::forward<Arguments>(arguments)...);
  }
};

/// A vector for loops of several threads to fill: making it, or making it longer, touches none of its memory. To set a
/// large one to 0 first takes one thread longer than all of them take to fill it, since new memory is mapped page by page
/// where it is first touched.
template <class T>
using UninitializedVector = std::vector<T, UninitializedAllocator<T>>;

}  // namespace octile
