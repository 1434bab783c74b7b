// SPDX-License-Identifier: BSD-3-Clause
// Compiled with leave to reorder sums, without which a compiler may not vectorise them (backends/CMakeLists.txt).
#include <octile/portable/host_vectors.hpp>

#include <octile/unit_roundoff.hpp>

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
    return restart(v, [&v](std::size_t k) { return static_cast<Scalar>(v.right[k]); });
  }

  [[gnu::always_inline]] static inline double curvature(const Vectors& v) {
    double sum = 0;
    for (std::size_t k = 0; k < v.size; ++k) {
      sum += double(v.p[k]) * double(v.diagonal[k] * v.p[k] - v.a[k]);
    }
    return sum;
  }

  [[gnu::always_inline]] static inline HostSums step(const Vectors& v, Scalar alpha) {
    double squares = 0;
    double product = 0;
    for (std::size_t k = 0; k < v.size; ++k) {
      const Scalar residual = v.r[k] - alpha * (v.diagonal[k] * v.p[k] - v.a[k]);
      const Scalar z = residual / v.diagonal[k];
      v.r[k] = residual;
      squares += double(z) * double(z);
      product += double(residual) * double(z);
    }
    return {squares, product};
  }

  [[gnu::always_inline]] static inline void advance(const Vectors& v, Scalar alpha, Scalar beta) {
    for (std::size_t k = 0; k < v.size; ++k) {
      const Scalar p = v.p[k];
      v.x[k] += alpha * p;
      v.p[k] = v.r[k] / v.diagonal[k] + beta * p;
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
    return restart(v, [&v](std::size_t k) {
      return static_cast<Scalar>(v.right[k] - (v.exact[k] * double(v.p[k]) - double(v.a[k])));
    });
  }

  [[gnu::always_inline]] static inline double norm(const Vectors& v) {
    double sum = 0;
    for (std::size_t k = 0; k < v.size; ++k) sum += double(v.x[k]) * double(v.x[k]);
    return sum;
  }

  /// A right-hand side of 0 makes it infinite, unless the residual is 0 too. Overwrites a.
  [[gnu::always_inline]] static inline double worst(const Vectors& v) {
    using Bits = std::conditional_t<sizeof(Scalar) == sizeof(double), std::int64_t, std::int32_t>;
    constexpr double unit = unit_roundoff_of<Scalar>;
    // Beside it no right-hand side counts but 0: then a residual of 0 gives 0, and any other more than `most`.
    constexpr double least = 1e-300;
    constexpr double most = 1e30;
    for (std::size_t k = 0; k < v.size; ++k) {
      const double r = std::abs(double(v.r[k])) + unit * std::abs(v.exact[k] * double(v.x[k]));
      v.a[k] = static_cast<Scalar>(r / (v.right[k] + least));
    }
    // Numbers that are not negative are ordered as their bits are, of which a largest one can be found by vectors.
    Bits largest = 0;
    for (std::size_t k = 0; k < v.size; ++k) largest = std::max(largest, std::bit_cast<Bits>(v.a[k]));
    const auto worst = double(std::bit_cast<Scalar>(largest));
    return worst < most ? worst * (1 + 2 * unit) : std::numeric_limits<double>::infinity();
  }

 private:
  /// r ← residual, p ← M⁻¹ r.
  template <class Residual>
  [[gnu::always_inline]] static inline HostSums restart(const Vectors& v, const Residual& residual_of) {
    double squares = 0;
    double product = 0;
    for (std::size_t k = 0; k < v.size; ++k) {
      const Scalar residual = residual_of(k);
      const Scalar z = residual / v.diagonal[k];
      v.r[k] = residual;
      v.p[k] = z;
      squares += double(z) * double(z);
      product += double(residual) * double(z);
    }
    return {squares, product};
  }
};

#if defined(__x86_64__)
#define OCTILE_AVX2 [[gnu::target("avx2,fma")]]
bool has_avx2() {
  static const bool has = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  return has;
}
#else
#define OCTILE_AVX2
constexpr bool has_avx2() { return false; }
#endif

/// The same, compiled for vectors of 32 bytes.
template <class Scalar>
struct Avx2 {
  using Vectors = HostVectors<Scalar>;

  OCTILE_AVX2 static bool prepare(const Vectors& v, const HostRows& rows) { return Plain<Scalar>::prepare(v, rows); }
  OCTILE_AVX2 static double value(const Vectors& v, const HostRows& rows) { return Plain<Scalar>::value(v, rows); }
  OCTILE_AVX2 static void widen(const Vectors& v, double* to) { Plain<Scalar>::widen(v, to); }
  OCTILE_AVX2 static HostSums begin(const Vectors& v) { return Plain<Scalar>::begin(v); }
  OCTILE_AVX2 static double curvature(const Vectors& v) { return Plain<Scalar>::curvature(v); }
  OCTILE_AVX2 static HostSums step(const Vectors& v, Scalar alpha) { return Plain<Scalar>::step(v, alpha); }
  OCTILE_AVX2 static void advance(const Vectors& v, Scalar alpha, Scalar beta) {
    Plain<Scalar>::advance(v, alpha, beta);
  }
  OCTILE_AVX2 static void settle(const Vectors& v, Scalar alpha) { Plain<Scalar>::settle(v, alpha); }
  OCTILE_AVX2 static HostSums recompute(const Vectors& v) { return Plain<Scalar>::recompute(v); }
  OCTILE_AVX2 static double norm(const Vectors& v) { return Plain<Scalar>::norm(v); }
  OCTILE_AVX2 static double worst(const Vectors& v) { return Plain<Scalar>::worst(v); }
};

template <class Scalar, class Instructions>
constexpr HostPasses<Scalar> passes_by = {.prepare = Instructions::prepare,
                                          .value = Instructions::value,
                                          .widen = Instructions::widen,
                                          .begin = Instructions::begin,
                                          .curvature = Instructions::curvature,
                                          .step = Instructions::step,
                                          .advance = Instructions::advance,
                                          .settle = Instructions::settle,
                                          .recompute = Instructions::recompute,
                                          .norm = Instructions::norm,
                                          .worst = Instructions::worst};

}  // namespace

template <class Scalar>
const HostPasses<Scalar>& host_passes() {
  return has_avx2() ? passes_by<Scalar, Avx2<Scalar>> : passes_by<Scalar, Plain<Scalar>>;
}
template const HostPasses<float>& host_passes();
template const HostPasses<double>& host_passes();

}  // namespace octile::portable
