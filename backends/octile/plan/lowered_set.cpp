// SPDX-License-Identifier: BSD-3-Clause
#include <octile/plan/lowered_set.hpp>

#include <cstdint>

#include <fmt/format.h>

namespace octile::plan {

void require_memory(const SolverSetup& setup, std::size_t set_bytes) {
  if (set_bytes > setup.memory) {
    throw Error(fmt::format("the set of {} graphs takes {} for primitive {}; allowed are {}", setup.graphs.size(),
                            format_bytes(set_bytes), setup.primitive.name(), format_bytes(setup.memory)));
  }
}

std::size_t pairs_that_fit(std::size_t each, std::size_t memory, std::size_t vertices, std::size_t vertices_second) {
  if (each > memory) {
    throw Error(
        fmt::format("a pair of {} and {} vertices takes {} of work space, and the set leaves {} of the "
                    "memory that is allowed",
                    vertices, vertices_second, format_bytes(each), format_bytes(memory)));
  }
  return each == 0 ? SIZE_MAX : memory / each;
}

std::string describe_method(const SolverSetup& setup, const LoweredSet& lowered, std::string_view space,
                            std::string_view method, std::size_t set_bytes) {
  return fmt::format("{}, {}, {}, vertex kernel: {}, edge kernel: {}; the set takes {} of {}", space,
                     scalar_name(setup.precision), method, lowered.vertex.description(), lowered.edge.description(),
                     format_bytes(set_bytes), format_bytes(setup.memory));
}

std::string describe(const SolverSetup& setup, const LoweredSet& lowered, std::string_view space,
                     std::string_view primitive, std::size_t set_bytes) {
  return describe_method(setup, lowered, space, fmt::format("primitive {}", primitive), set_bytes);
}

}  // namespace octile::plan
