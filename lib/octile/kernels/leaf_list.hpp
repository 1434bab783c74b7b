// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Abort.hpp>
#include <Kokkos_Macros.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace octile {

/// The elements of a list.
template <class T>
struct ListElements {
  const T* values;
  std::int32_t count;
};

namespace detail {

/// Where a type stands among others. One that does not stand there does not compile.
template <class Type, class... Types>
constexpr std::int32_t place_of() {
  constexpr std::array<bool, sizeof...(Types)> same{std::is_same_v<Type, Types>...};
  std::size_t place = 0;
  while (!same.at(place)) ++place;
  return static_cast<std::int32_t>(place);
}

}  // namespace detail

/// Leaf kernels, numbered from 0 in their order. What a device calls is a chain of comparisons with constants: no pointers to
/// functions.
template <class... Leaves>
class LeafList {
 public:
  static constexpr std::int32_t count = sizeof...(Leaves);

  /// The number of one of them.
  template <class Leaf>
  static constexpr std::int32_t number = detail::place_of<Leaf, Leaves...>();

  /// κ(x, y) of leaf kernel number `leaf`, of two labels.
  template <class T, class Arguments>
  KOKKOS_INLINE_FUNCTION static T value(std::int32_t leaf, double x, double y, const Arguments& arguments) {
    return among<T, Leaves...>(leaf, [&](auto one) { return decltype(one)::type::template value<T>(x, y, arguments); });
  }

  /// κ(x, y) of leaf kernel number `leaf`, of two lists.
  template <class T>
  KOKKOS_INLINE_FUNCTION static T of_lists(std::int32_t leaf, const ListElements<T>& x, const ListElements<T>& y) {
    return among<T, Leaves...>(leaf, [&](auto one) { return decltype(one)::type::value(x, y); });
  }

  /// ∂κ(x, y) / ∂(parameter k) of leaf kernel number `leaf`.
  template <class T, class Arguments>
  KOKKOS_INLINE_FUNCTION static T derivative(std::int32_t leaf, int k, double x, double y, const Arguments& arguments) {
    return among<T, Leaves...>(
        leaf, [&](auto one) { return decltype(one)::type::template derivative<T>(k, x, y, arguments); });
  }

  /// ∂κ(x, y) / ∂x of leaf kernel number `leaf`.
  template <class T, class Arguments>
  KOKKOS_INLINE_FUNCTION static T by_label(std::int32_t leaf, double x, double y, const Arguments& arguments) {
    return among<T, Leaves...>(leaf,
                               [&](auto one) { return decltype(one)::type::template by_label<T>(x, y, arguments); });
  }

 private:
  template <class T, class First, class... Rest, class Function>
  KOKKOS_INLINE_FUNCTION static T among(std::int32_t leaf, const Function& function) {
    if (leaf == number<First>) return function(std::type_identity<First>());
    if constexpr (sizeof...(Rest) > 0) {
      return among<T, Rest...>(leaf, function);
    } else {
      Kokkos::abort("octile: an instruction of no leaf kernel");
      return T(0);
    }
  }
};

}  // namespace octile
