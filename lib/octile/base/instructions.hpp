// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Functions that are compiled more than once, for the vectors of several processors, and the choice among them when a program runs.
#if defined(__x86_64__)
#define OCTILE_AVX2 [[gnu::target("avx2,fma")]]
#define OCTILE_AVX512 [[gnu::target("avx2,fma,avx512f,avx512dq,avx512vl")]]
#else
#define OCTILE_AVX2
#define OCTILE_AVX512
#endif

namespace octile {

/// From the least to the most.
enum class Instructions { plain, avx2, avx512 };

/// The best that this processor has.
inline Instructions available_instructions() {
#if defined(__x86_64__)
  const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  const bool avx512 =
      __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
  if (avx2) return avx512 ? Instructions::avx512 : Instructions::avx2;
#endif
  return Instructions::plain;
}

/// A function, always inlined, as it is compiled for vectors of 32 and of 64 bytes.
template <auto Pass>
struct Compiled;
template <class Result, class... Arguments, Result (*Pass)(Arguments...)>
struct Compiled<Pass> {
  OCTILE_AVX2 static Result by_avx2(Arguments... arguments) { return Pass(arguments...); }
  OCTILE_AVX512 static Result by_avx512(Arguments... arguments) { return Pass(arguments...); }
  static auto by(Instructions instructions) -> Result (*)(Arguments...) {
    if (instructions == Instructions::avx512) return by_avx512;
    return instructions == Instructions::avx2 ? by_avx2 : Pass;
  }
};

}  // namespace octile
