// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string_view>
#include <type_traits>

#include <octile/precision.hpp>

namespace octile::bench {

/// "f32" or "f64", as the names of benchmarks have it.
constexpr std::string_view precision_name(Precision precision) {
  return precision == Precision::float32 ? "f32" : "f64";
}

/// The precision of a scalar type.
template <class Scalar>
inline constexpr Precision precision_of = std::is_same_v<Scalar, float> ? Precision::float32 : Precision::float64;

}  // namespace octile::bench
