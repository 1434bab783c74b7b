// SPDX-License-Identifier: BSD-3-Clause
#include <octile/base/kokkos_settings.hpp>
#include <octile/error.hpp>

#include <doctest/doctest.h>

#include <Kokkos_Core.hpp>

#ifdef _OPENMP
#include <omp.h>
#endif

#include <cstdlib>
#include <string>

namespace {

constexpr const char* variable = "KOKKOS_NUM_THREADS";

/// Sets the variable, and leaves it and the OpenMP library as they were.
class Environment {
 public:
  explicit Environment(const char* value) {
    if (value != nullptr) {
      ::setenv(variable, value, 1);
    } else {
      ::unsetenv(variable);
    }
  }
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;
  ~Environment() {
    ::unsetenv(variable);
#ifdef _OPENMP
    omp_set_num_threads(threads_);
#endif
  }

 private:
#ifdef _OPENMP
  int threads_ = omp_get_max_threads();
#endif
};

/// The threads that the settings have, 0 if that is left to the OpenMP library.
int threads_of(int asked) {
  const Kokkos::InitializationSettings settings = octile::kokkos_settings(asked);
  CHECK(settings.get_disable_warnings());
  return settings.has_num_threads() ? settings.get_num_threads() : 0;
}

}  // namespace

TEST_CASE("What is asked for comes before the environment, which Kokkos then does not see") {
  const Environment environment("3");
  CHECK(threads_of(2) == 2);
  CHECK(std::getenv(variable) == nullptr);
}

TEST_CASE("The environment says the number of threads where none is asked for") {
  for (const char* const text : {"3", " 3\t", "3,2", " 3 , 2"}) {
    const Environment environment(text);
    CHECK_MESSAGE(threads_of(0) == 3, text);
    CHECK(std::getenv(variable) == nullptr);
  }
}

TEST_CASE("Without either the number is left to the OpenMP library") {
  const Environment environment(nullptr);
  CHECK(threads_of(0) == 0);
}

TEST_CASE("Work without Kokkos gets the threads that Kokkos would get") {
  {
    const Environment environment("3");
    CHECK(octile::host_threads(2) == 2);
    CHECK(octile::host_threads(0) == 3);
    CHECK(octile::host_threads(100000) == octile::most_threads);
    CHECK(std::getenv(variable) != nullptr);
  }
#ifdef _OPENMP
  const Environment environment(nullptr);
  omp_set_num_threads(5);
  CHECK(octile::host_threads(0) == 5);
#endif
}

TEST_CASE("There are at most as many threads as Kokkos has room for") {
  {
    const Environment environment("100000");
    CHECK(threads_of(0) == octile::most_threads);
  }
#ifdef _OPENMP
  const Environment environment(nullptr);
  omp_set_num_threads(octile::most_threads + 1);
  CHECK(threads_of(0) == octile::most_threads);
  CHECK(omp_get_max_threads() == octile::most_threads);
#endif
}

TEST_CASE("A variable without a number of threads is refused in one line, and stays") {
  for (const char* const text : {"", "many", "0", "-2", "2x", "1.5", "99999999999999999999", ","}) {
    const Environment environment(text);
    CHECK_THROWS_WITH_AS(octile::kokkos_settings(0),
                         (std::string("KOKKOS_NUM_THREADS in the environment is '") + text +
                          "'; allowed is a number of threads, 1 to 512")
                             .c_str(),
                         octile::Error);
    CHECK(std::getenv(variable) != nullptr);
  }
  const Environment environment(("a\n\xff" + std::string(100, 'x')).c_str());
  CHECK_THROWS_WITH_AS(octile::kokkos_settings(0),
                       ("KOKKOS_NUM_THREADS in the environment is 'a??" + std::string(57, 'x') +
                        "'; allowed is a number of threads, 1 to 512")
                           .c_str(),
                       octile::Error);
}
