// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string_view>

namespace octile {

/// The scalar type of a backend's vectors, weights and kernel values.
enum class Precision { float32, float64 };

/// "float32" or "float64".
constexpr std::string_view scalar_name(Precision precision) {
  return precision == Precision::float32 ? "float32" : "float64";
}

}  // namespace octile
