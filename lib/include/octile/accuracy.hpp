// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>

namespace octile {

/// How wrong a value may be.
struct Accuracy {
  /// What the bound of an error rests on.
  enum class Kind {
    certified,  ///< |K̂ − K| ≤ value · |K|, proven for every pair (certificate.hpp)
    estimated,  ///< the same by an estimate, which is not proven
  };

  /// What is asked for where nothing is said.
  static constexpr double standard = 1e-6;
  static constexpr double least = 1e-12;  ///< the finest that may be asked for
  static constexpr double most = 1e-3;    ///< the coarsest

  Kind kind = Kind::certified;  ///< whether the bound is proven
  double value = standard;      ///< bound of the relative error, in [least, most]

  /// Reads `1e-6` or `estimated:1e-6`. Throws `Error` that says what is allowed.
  static Accuracy parse(std::string_view text);

  /// Throws `Error` unless the value is within [least, most].
  void require_allowed() const;

  std::string to_string() const;  ///< as parse() reads it, to 6 digits: "1e-06" or "estimated:1e-06"
};

}  // namespace octile
