// SPDX-License-Identifier: BSD-3-Clause
// No more memory is taken than is allowed, also if pairs are solved again in float64.
#include <doctest/doctest.h>

#include <octile/gram.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <string_view>
#include <vector>

#include "common/graphs.hpp"
#include "common/kernels.hpp"
#include "common/settings.hpp"

using namespace octile;
using namespace octile::test;

namespace {

/// Tracks the bytes of our live Views, and their maximum, during its lifetime.
class Watch {
 public:
  Watch() {
    alive().clear();
    now() = most() = 0;
    Kokkos::Tools::Experimental::set_allocate_data_callback(allocated);
    Kokkos::Tools::Experimental::set_deallocate_data_callback(deallocated);
  }
  ~Watch() {
    Kokkos::Tools::Experimental::set_allocate_data_callback(nullptr);
    Kokkos::Tools::Experimental::set_deallocate_data_callback(nullptr);
  }
  Watch& operator=(Watch&&) = delete;  // neither copied nor moved

  static std::uint64_t& most() {
    static std::uint64_t value = 0;
    return value;
  }

 private:
  static std::map<const void*, std::uint64_t>& alive() {
    static std::map<const void*, std::uint64_t> sizes;
    return sizes;
  }
  static std::uint64_t& now() {
    static std::uint64_t value = 0;
    return value;
  }

  static void allocated(Kokkos_Profiling_SpaceHandle, const char* label, const void* pointer, std::uint64_t size) {
    if (!std::string_view(label).starts_with("octile::")) return;
    alive()[pointer] = size;
    now() += size;
    if (now() > most()) most() = now();
  }
  static void deallocated(Kokkos_Profiling_SpaceHandle, const char*, const void* pointer, std::uint64_t) {
    const auto found = alive().find(pointer);
    if (found == alive().end()) return;
    now() -= found->second;
    alive().erase(found);
  }
};

}  // namespace

TEST_CASE("solving again in float64 takes no more than the memory that is allowed") {
  // Two threads take 2 × 1.6 MB for vectors in float64, and half of it in float32: together more than 4 MB.
  const std::vector<Graph> graphs{bare("cycle", 200, cycle_edges(200)), bare("path", 200, path_edges(200))};
  const KernelSpec kernel = unlabelled().spec({StoppingMeaning::weight, 0.0005});
  GramOptions options;
  options.backend = BackendId::portable_openmp;
  options.precision = Precision::float32;
  options.primitive = {PrimitiveFamily::sparse_sparse};
  options.solve.tolerance = tolerance::solve(Precision::float32);
  options.memory = 4'000'000;
  {
    const Watch watch;
    REQUIRE(gram(graphs, kernel, options).refined > 0);
    CHECK(Watch::most() > options.memory / 4);
    CHECK(Watch::most() <= options.memory);
  }
  const Watch watch;
  REQUIRE(nodewise(graphs[0], graphs[1], kernel, options).pair.status == Status::converged);
  CHECK(Watch::most() > options.memory / 4);
  CHECK(Watch::most() <= options.memory);
}
