// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace octile::detail {

/// The numbers of a View of rank 1, whatever their type and however far apart: a kernel that reads them depends on no type of the View's, so
/// that the library has it. They are not shared: the View must be there as long as they are read.
class AnyNumbers {
 public:
  /// Without a View every number is 1.
  AnyNumbers() = default;
  template <class View>
  explicit AnyNumbers(const View& view)
      : data_(view.data()),
        stride_(static_cast<std::ptrdiff_t>(view.stride(0))),
        type_(type_of<typename View::non_const_value_type>()) {
    static_assert(type_of<typename View::non_const_value_type>() != Type::longer ||
                      std::is_same_v<typename View::memory_space, Kokkos::HostSpace>,
                  "numbers of more than 64 bits are read on the host alone");
  }

  /// Number k, of a View of integers.
  KOKKOS_INLINE_FUNCTION std::int64_t integer(std::size_t k) const { return read<std::int64_t>(k); }
  /// Number k.
  KOKKOS_INLINE_FUNCTION double number(std::size_t k) const { return read<double>(k); }

 private:
  enum class Type : std::uint8_t {
    one,
    int8,
    int16,
    int32,
    int64,
    uint8,
    uint16,
    uint32,
    uint64,
    float32,
    float64,
    longer
  };

  template <class T>
  static constexpr Type type_of() {
    static_assert(std::is_arithmetic_v<T>, "these are no numbers");
    if (sizeof(T) > 8) return Type::longer;
    if (std::is_floating_point_v<T>) return sizeof(T) == 4 ? Type::float32 : Type::float64;
    constexpr bool below_0 = std::is_signed_v<T>;
    if (sizeof(T) == 1) return below_0 ? Type::int8 : Type::uint8;
    if (sizeof(T) == 2) return below_0 ? Type::int16 : Type::uint16;
    if (sizeof(T) == 4) return below_0 ? Type::int32 : Type::uint32;
    return below_0 ? Type::int64 : Type::uint64;
  }

  template <class T, class To>
  KOKKOS_INLINE_FUNCTION To as(std::size_t k) const {
    // `long` and `long long` are two types of one size.
    using Aliased [[gnu::may_alias]] = T;
    return static_cast<To>(static_cast<const Aliased*>(data_)[static_cast<std::ptrdiff_t>(k) * stride_]);
  }

  template <class To>
  KOKKOS_INLINE_FUNCTION To read(std::size_t k) const {
    switch (type_) {
      case Type::one: break;
      case Type::int8: return as<std::int8_t, To>(k);
      case Type::int16: return as<std::int16_t, To>(k);
      case Type::int32: return as<std::int32_t, To>(k);
      case Type::int64: return as<std::int64_t, To>(k);
      case Type::uint8: return as<std::uint8_t, To>(k);
      case Type::uint16: return as<std::uint16_t, To>(k);
      case Type::uint32: return as<std::uint32_t, To>(k);
      case Type::uint64: return as<std::uint64_t, To>(k);
      case Type::float32: return as<float, To>(k);
      case Type::float64: return as<double, To>(k);
      case Type::longer: KOKKOS_IF_ON_HOST((return as<long double, To>(k);)) break;
    }
    return 1;
  }

  const void* data_ = nullptr;
  std::ptrdiff_t stride_ = 0;
  Type type_ = Type::one;
};

}  // namespace octile::detail
