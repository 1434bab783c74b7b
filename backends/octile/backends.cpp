// SPDX-License-Identifier: BSD-3-Clause
#include <octile/backends.hpp>

#include <octile/error.hpp>
#include <octile/portable_spaces.hpp>
#include <octile/reference.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>

#include <fmt/format.h>

namespace octile {
namespace {

const std::vector<Backend>& table() {
  // clang-format off
  static const std::vector<Backend> list = {
    //name               description                                                    deterministic exact single available
    {"reference",        "dense, double, textbook Kronecker matrix, factorized",        true,  true,  false, true, make_reference_solver},
#ifdef KOKKOS_ENABLE_SERIAL
    {"portable:serial",  "octiles on the fly, Kokkos, one thread",                      true,  false, true,  true, portable::make_serial},
#endif
#ifdef KOKKOS_ENABLE_OPENMP
    {"portable:openmp",  "octiles on the fly, Kokkos, a CPU thread a pair",             true,  false, true,  true, portable::make_openmp},
#endif
#ifdef KOKKOS_ENABLE_CUDA
    {"portable:cuda",    "octiles on the fly, Kokkos, a block of GPU threads a pair",   true,  false, true,  true, portable::make_cuda},
#endif
  };
  // clang-format on
  return list;
}

}  // namespace

std::span<const Backend> backends() { return table(); }

const Backend& find_backend(std::string_view name) {
  if (name == "portable") return table().back();  // the list has the fastest space last
  const auto found = std::ranges::find(table(), name, &Backend::name);
  if (found != table().end()) return *found;
  std::string known = "portable";
  for (const Backend& backend : table()) known += fmt::format(", {}", backend.name);
  throw Error(fmt::format("backend '{}' is unknown; allowed are {}", name, known));
}

std::unique_ptr<PairSolver> make_pair_solver(std::string_view backend, std::span<const Graph> graphs,
                                             const KernelSpec& kernel, Precision precision,
                                             const SolveOptions& options) {
  const Backend& chosen = find_backend(backend);
  if (precision == Precision::float32 && !chosen.single_precision) {
    throw Error(fmt::format("backend '{}' has no float32; allowed is float64", chosen.name));
  }
  kernel.vertex.require_vertex_kernel();
  kernel.edge.require_edge_kernel();
  return chosen.make(graphs, kernel, precision, options);
}

}  // namespace octile
