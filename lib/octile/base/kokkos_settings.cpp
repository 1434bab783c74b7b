// SPDX-License-Identifier: BSD-3-Clause
#include <octile/base/kokkos_settings.hpp>

#include <octile/error.hpp>

#include <Kokkos_Core.hpp>

#ifdef _OPENMP
#include <omp.h>
#endif

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>

namespace octile {
namespace {

constexpr const char* threads_variable = "KOKKOS_NUM_THREADS";
constexpr std::size_t longest_quote = 60;

/// The number that a text begins with, spaces apart: "4,2" are the threads of nested regions too.
std::optional<long> first_number(std::string_view text) {
  constexpr std::string_view spaces = " \t";
  text = text.substr(0, text.find(','));
  text.remove_prefix(std::min(text.find_first_not_of(spaces), text.size()));
  text = text.substr(0, text.find_last_not_of(spaces) + 1);
  long number = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (fault != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

/// The beginning of a text, as far as a message may have it.
std::string printable_beginning(std::string_view text) {
  std::string made(text.substr(0, longest_quote));
  std::ranges::replace_if(
      made, [](char letter) { return letter < ' ' || letter > '~'; }, '?');
  return made;
}

/// The threads that Kokkos gets; 0: it is left to the OpenMP library, which takes no more than there is room for.
int threads_for(int asked) {
  if (asked > 0) return std::min(asked, most_threads);
  if (const char* const text = std::getenv(threads_variable)) {
    const std::optional<long> number = first_number(text);
    if (!number || *number < 1) {
      throw Error(std::string(threads_variable) + " in the environment is '" + printable_beginning(text) +
                  "'; allowed is a number of threads, 1 to " + std::to_string(most_threads));
    }
    return static_cast<int>(std::min<long>(*number, most_threads));
  }
#ifdef _OPENMP
  if (omp_get_max_threads() > most_threads) return most_threads;
#endif
  return 0;
}

}  // namespace

Kokkos::InitializationSettings kokkos_settings(int asked) {
  Kokkos::InitializationSettings settings;
  // Kokkos' warnings (OMP_PROC_BIND is unset, more threads than cores) are advice on tuning that most users do not need.
  settings.set_disable_warnings(true);
  const int threads = threads_for(asked);
  if (threads > 0) {
    settings.set_num_threads(threads);
    // Kokkos reads it first, and counts the threads of a region before it looks at the settings.
    ::unsetenv(threads_variable);
#ifdef _OPENMP
    omp_set_num_threads(threads);
#endif
  }
  return settings;
}

int host_threads(int asked) {
  if (const int threads = threads_for(asked); threads > 0) return threads;
#ifdef _OPENMP
  return omp_get_max_threads();
#else
  return std::clamp(static_cast<int>(std::thread::hardware_concurrency()), 1, most_threads);
#endif
}

}  // namespace octile
