// SPDX-License-Identifier: BSD-3-Clause
// Compiled with leave to reorder sums, without which a compiler may not vectorise them (backends/CMakeLists.txt).
#include <octile/portable/iterate/host_vectors.hpp>

#include <octile/base/instructions.hpp>
#include <octile/base/unit_roundoff.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace octile::portable {
namespace {

/// What a pass does, for each instruction set.
template <class Scalar>
struct Plain {
  using Vectors = HostVectors<Scalar>;

  [[gnu::always_inline]] static inline bool prepare(const Vectors& v, const HostRows& rows) {
    constexpr double least = BelievedRange<Scalar>::least;
    constexpr double most = BelievedRange<Scalar>::most;
    double outside = 0;
    for (std::size_t i = 0; i < static_cast<std::size_t>(rows.n); ++i) {
      const std::size_t begin = i * static_cast<std::size_t>(rows.m);
      const double degree = rows.degrees.first[i];
      const double right = rows.right.first[i];
      double* const exact = v.exact + begin;
      for (std::size_t j = 0; j < static_cast<std::size_t>(rows.m); ++j) {
        const double of_diagonal = degree * rows.degrees.second[j] * exact[j];
        const double of_right = right * rows.right.second[j] * rows.right.scale;
        exact[j] = of_diagonal;
        v.diagonal[begin + j] = static_cast<Scalar>(of_diagonal);
        v.right[begin + j] = of_right;
        const bool usual = (of_diagonal >= least) & (of_diagonal <= most);
        const bool none = of_right == 0;
        const bool right_usual = (of_right >= least) & (of_right <= most);
        const bool quotient_usual = (of_right >= least * of_diagonal) & (of_right <= most * of_diagonal);
        outside += (usual & (none | (right_usual & quotient_usual))) ? 0.0 : 1.0;
      }
    }
    return outside == 0;
  }

  [[gnu::always_inline]] static inline double value(const Vectors& v, const HostRows& rows) {
    double all = 0;
    for (std::size_t i = 0; i < static_cast<std::size_t>(rows.n); ++i) {
      const Scalar* const x = v.x + i * static_cast<std::size_t>(rows.m);
      double row = 0;
      for (std::size_t j = 0; j < static_cast<std::size_t>(rows.m); ++j) row += rows.weight.second[j] * double(x[j]);
      all += rows.weight.first[i] * row;
    }
    return all * rows.weight.scale;
  }

  [[gnu::always_inline]] static inline void widen(const Vectors& v, double* to) {
    for (std::size_t k = 0; k < v.size; ++k) to[k] = double(v.x[k]);
  }

  [[gnu::always_inline]] static inline HostSums begin(const Vectors& v) {
    std::fill_n(v.x, v.size, Scalar(0));
    return precondition<&Vectors::p>(v, [&v](std::size_t k) { return static_cast<Scalar>(v.right[k]); });
  }

  [[gnu::always_inline]] static inline double curvature(const Vectors& v) {
    double sum = 0;
    for (std::size_t k = 0; k < v.size; ++k) {
      sum += double(v.p[k]) * double(v.diagonal[k] * v.p[k] - v.a[k]);
    }
    return sum;
  }

  [[gnu::always_inline]] static inline HostSums step(const Vectors& v, Scalar alpha) {
    return precondition<&Vectors::a>(
        v, [&v, alpha](std::size_t k) { return v.r[k] - alpha * (v.diagonal[k] * v.p[k] - v.a[k]); });
  }

  [[gnu::always_inline]] static inline void advance(const Vectors& v, Scalar alpha, Scalar beta) {
    for (std::size_t k = 0; k < v.size; ++k) {
      const Scalar p = v.p[k];
      v.x[k] += alpha * p;
      v.p[k] = v.a[k] + beta * p;
    }
  }

  [[gnu::always_inline]] static inline void settle(const Vectors& v, Scalar alpha) {
    for (std::size_t k = 0; k < v.size; ++k) {
      const Scalar x = v.x[k] + alpha * v.p[k];
      v.x[k] = x;
      v.p[k] = x;
    }
  }

  [[gnu::always_inline]] static inline HostSums recompute(const Vectors& v) {
    return precondition<&Vectors::p>(v, [&v](std::size_t k) {
      return static_cast<Scalar>(v.right[k] - (v.exact[k] * double(v.p[k]) - double(v.a[k])));
    });
  }

  [[gnu::always_inline]] static inline double norm(const Vectors& v) {
    double sum = 0;
    for (std::size_t k = 0; k < v.size; ++k) sum += double(v.x[k]) * double(v.x[k]);
    return sum;
  }

  /// Overwrites a.
  [[gnu::always_inline]] static inline double worst(const Vectors& v) {
    return largest(
        v.size, [&v](std::size_t k) { return double(v.r[k]); }, v, v.a);
  }

  /// max_k (|r_k| + u |M x|_k) / b_k. A right-hand side of 0 makes it infinite, unless the residual is 0 too. Overwrites `quotients`.
  template <class Residual>
  [[gnu::always_inline]] static inline double largest(std::size_t size, const Residual& residual_of, const Vectors& v,
                                                      Scalar* quotients) {
    using Bits = std::conditional_t<sizeof(Scalar) == sizeof(double), std::int64_t, std::int32_t>;
    constexpr double unit = unit_roundoff_of<Scalar>;
    // Beside it no right-hand side counts but 0: then a residual of 0 gives 0, and any other more than `most`.
    constexpr double least = 1e-300;
    constexpr double most = 1e30;
    for (std::size_t k = 0; k < size; ++k) {
      const double r = std::abs(residual_of(k)) + unit * std::abs(v.exact[k] * double(v.x[k]));
      quotients[k] = static_cast<Scalar>(r / (v.right[k] + least));
    }
    // Numbers that are not negative are ordered as their bits are, of which a largest one can be found by vectors.
    Bits largest = 0;
    for (std::size_t k = 0; k < size; ++k) largest = std::max(largest, std::bit_cast<Bits>(quotients[k]));
    const auto worst = double(std::bit_cast<Scalar>(largest));
    return worst < most ? worst * (1 + 2 * unit) : std::numeric_limits<double>::infinity();
  }

 private:
  /// r ← residual, z ← M⁻¹ r. `z` says which of the vectors it is.
  template <auto z, class Residual>
  [[gnu::always_inline]] static inline HostSums precondition(const Vectors& v, const Residual& residual_of) {
    double squares = 0;
    double product = 0;
    for (std::size_t k = 0; k < v.size; ++k) {
      const Scalar residual = residual_of(k);
      const Scalar quotient = residual / v.diagonal[k];
      v.r[k] = residual;
      (v.*z)[k] = quotient;
      squares += double(quotient) * double(quotient);
      product += double(residual) * double(quotient);
    }
    return {squares, product};
  }
};

struct Refining {
  [[gnu::always_inline]] static inline bool prepare(const RefinedVectors& v) {
    std::fill_n(v.fine.x, v.fine.size, 0.0);
    std::fill_n(v.product, v.fine.size, 0.0);
    double outside = 0;
    for (std::size_t k = 0; k < v.fine.size; ++k) {
      const double diagonal = v.fine.exact[k];
      v.coarse.diagonal[k] = static_cast<float>(diagonal);
      const bool usual = (diagonal >= BelievedRange<float>::least) & (diagonal <= BelievedRange<float>::most);
      outside += usual ? 0.0 : 1.0;
    }
    return outside == 0;
  }

  [[gnu::always_inline]] static inline double settle(const RefinedVectors& v, float alpha) {
    std::int32_t most = 0;  // of numbers that are not negative, whose bits have their order
    for (std::size_t k = 0; k < v.fine.size; ++k) {
      const float moved = v.coarse.x[k] + alpha * v.coarse.p[k];
      v.fine.x[k] += double(moved);
      v.coarse.p[k] = moved;
      v.coarse.x[k] = 0;
      most = std::max(most, std::bit_cast<std::int32_t>(std::abs(moved)));
    }
    return double(std::bit_cast<float>(most));
  }

  [[gnu::always_inline]] static inline void add_product(const RefinedVectors& v) {
    for (std::size_t k = 0; k < v.fine.size; ++k) v.product[k] += double(v.coarse.a[k]);
  }

  [[gnu::always_inline]] static inline HostSums recompute(const RefinedVectors& v) {
    double squares = 0;
    double product = 0;
    for (std::size_t k = 0; k < v.fine.size; ++k) {
      const double r = residual(v, k);
      const double z = r / v.fine.exact[k];
      v.coarse.r[k] = static_cast<float>(r);
      v.coarse.p[k] = static_cast<float>(z);
      squares += z * z;
      product += r * z;
    }
    return {squares, product};
  }

  [[gnu::always_inline]] static inline double worst(const RefinedVectors& v, double unsure) {
    return Plain<double>::largest(
        v.fine.size, [&v, unsure](std::size_t k) { return std::abs(residual(v, k)) + unsure * v.fine.exact[k]; },
        v.fine, v.product);
  }

 private:
  [[gnu::always_inline]] static inline double residual(const RefinedVectors& v, std::size_t k) {
    return v.fine.right[k] - (v.fine.exact[k] * v.fine.x[k] - v.product[k]);
  }
};

template <class Scalar>
HostPasses<Scalar> passes_by(Instructions instructions) {
  using Passes = Plain<Scalar>;
  return {.prepare = Compiled<Passes::prepare>::by(instructions),
          .value = Compiled<Passes::value>::by(instructions),
          .widen = Compiled<Passes::widen>::by(instructions),
          .begin = Compiled<Passes::begin>::by(instructions),
          .curvature = Compiled<Passes::curvature>::by(instructions),
          .step = Compiled<Passes::step>::by(instructions),
          .advance = Compiled<Passes::advance>::by(instructions),
          .settle = Compiled<Passes::settle>::by(instructions),
          .recompute = Compiled<Passes::recompute>::by(instructions),
          .norm = Compiled<Passes::norm>::by(instructions),
          .worst = Compiled<Passes::worst>::by(instructions)};
}

}  // namespace

template <class Scalar>
const HostPasses<Scalar>& host_passes() {
  static const HostPasses<Scalar> passes = passes_by<Scalar>(available_instructions());
  return passes;
}
template const HostPasses<float>& host_passes();
template const HostPasses<double>& host_passes();

const RefiningPasses& refining_passes() {
  static const RefiningPasses passes = [](Instructions instructions) {
    return RefiningPasses{.prepare = Compiled<Refining::prepare>::by(instructions),
                          .settle = Compiled<Refining::settle>::by(instructions),
                          .add_product = Compiled<Refining::add_product>::by(instructions),
                          .recompute = Compiled<Refining::recompute>::by(instructions),
                          .worst = Compiled<Refining::worst>::by(instructions)};
  }(available_instructions());
  return passes;
}

}  // namespace octile::portable
