// SPDX-License-Identifier: BSD-3-Clause
#include <octile/backends.hpp>

#include <octile/cuda/solvers.hpp>
#include <octile/error.hpp>
#include <octile/kernels/lowering.hpp>
#include <octile/pairs/scaled_graphs.hpp>
#include <octile/portable/instances/spaces.hpp>
#include <octile/reference/solver.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>

namespace octile {
namespace {

using Family = PrimitiveFamily;
using Kind = BackendKind;

/// Whether the paper's dense primitives are in this build.
#ifdef OCTILE_PAPER
constexpr bool has_paper = true;
#else
constexpr bool has_paper = false;
#endif

bool is_dense(Family family) { return family != Family::automatic && primitive_info(family).dense; }

bool takes_none(Family family) { return family == Family::automatic; }
[[maybe_unused]] bool takes_naive(Family family) { return family == Family::automatic || family == Family::naive; }
[[maybe_unused]] bool takes_native(Family family) {
  return family != Family::naive && (has_paper || !is_dense(family));
}
bool takes_portable(Family family) {
  return family != Family::naive && family != Family::slices && (has_paper || !is_dense(family));
}

/// The two halves of the portable backend on one execution space.
using Make = std::unique_ptr<PairSolver> (*)(const SolverSetup&);
template <Make octiles, Make dense>
std::unique_ptr<PairSolver> make_portable(const SolverSetup& setup) {
  // A build without the paper's primitives has no such function.
  if constexpr (has_paper) {
    if (is_dense(setup.primitive.family)) return dense(setup);
  }
  return octiles(setup);
}

template <Make naive>
[[maybe_unused]] std::unique_ptr<PairSolver> make_assembled(const SolverSetup& setup) {
  SolverSetup chosen = setup;
  chosen.primitive.family = Family::naive;
  return naive(chosen);
}

#ifdef KOKKOS_ENABLE_CUDA
/// The native solver, or the portable backend on the GPU for what the native one lacks.
std::unique_ptr<PairSolver> make_cuda(const SolverSetup& setup) {
  if (std::unique_ptr<PairSolver> native = cuda::make_native(setup)) return native;
  if (setup.primitive.steps != TileSteps{}) {
    throw Error(
        fmt::format("primitive '{}': only the native products of octiles go without a step; those take t = r = 8, edge "
                    "kernels that are constant, one delta or gaussian, or over up to {} labels",
                    setup.primitive.name(), table_limit));
  }
  SolverSetup chosen = setup;
  if (chosen.primitive.family == Family::slices) chosen.primitive = {};
  return make_portable<portable::make_octile_cuda, portable::make_dense_cuda>(chosen);
}
#endif

const std::vector<Backend>& table() {
  using namespace portable;
  // clang-format off
  static const std::vector<Backend> list = {
    //id                         name               description                                                    kind              on_gpu deterministic exact single available all_steps lowers by_octiles
    {BackendId::reference,       "reference",        "dense, double, textbook Kronecker matrix, factorized",        Kind::reference,  false, true,  true,  false, true, true,  false, false, takes_none, reference::make_solver},
#ifdef OCTILE_HAS_KOKKOS_KERNELS
#if defined(KOKKOS_ENABLE_CUDA)
    {BackendId::assembled,       "assembled",        "the product matrix kept, Kokkos Kernels' spmv, on the GPU",   Kind::assembled,  true,  true,  false, true,  true, true,  false, false, takes_naive, make_assembled<make_naive_cuda>},
#elif defined(KOKKOS_ENABLE_OPENMP)
    {BackendId::assembled,       "assembled",        "the product matrix kept, Kokkos Kernels' spmv",               Kind::assembled,  false, true,  false, true,  true, true,  false, false, takes_naive, make_assembled<make_naive_openmp>},
#else
    {BackendId::assembled,       "assembled",        "the product matrix kept, Kokkos Kernels' spmv, one thread",   Kind::assembled,  false, true,  false, true,  true, true,  false, false, takes_naive, make_assembled<make_naive_serial>},
#endif
#endif
#ifdef KOKKOS_ENABLE_SERIAL
    {BackendId::portable_serial, "portable:serial",  "on the fly, Kokkos, one thread",                              Kind::portable,   false, true,  false, true,  true, true,  true,  true,  takes_portable, make_portable<make_octile_serial, make_dense_serial>},
#endif
#ifdef KOKKOS_ENABLE_OPENMP
    {BackendId::portable_openmp, "portable:openmp",  "on the fly, Kokkos, a CPU thread a pair",                     Kind::portable,   false, true,  false, true,  true, true,  true,  true,  takes_portable, make_portable<make_octile_openmp, make_dense_openmp>},
#endif
#ifdef KOKKOS_ENABLE_CUDA
    {BackendId::portable_cuda,   "portable:cuda",    "on the fly, Kokkos, a warp or a block of GPU threads a pair", Kind::portable,   true,  true,  false, true,  true, true,  true,  false, takes_portable, make_portable<make_octile_cuda, make_dense_cuda>},
    {BackendId::cuda,            "cuda",             "on the fly, native CUDA in float32, portable:cuda else",      Kind::native,     true,  true,  false, true,  true, false, true,  false, takes_native, make_cuda},
#endif
  };
  // clang-format on
  return list;
}

/// Solves graphs whose weights were scaled.
class ScaledSolver final : public PairSolver {
 public:
  ScaledSolver(std::unique_ptr<PairSolver> solver, std::vector<double> factors)
      : solver_(std::move(solver)), factors_(std::move(factors)) {}

  std::size_t unknowns(Pair pair) const override { return solver_->unknowns(pair); }
  std::size_t parameter_count() const override { return solver_->parameter_count(); }
  Precision precision() const override { return solver_->precision(); }
  bool iterates() const override { return solver_->iterates(); }
  double device_seconds() const override { return solver_->device_seconds(); }
  std::string description() const override { return solver_->description(); }

 private:
  void answer_to(const Request& request, const Answer& answer) override {
    solver_->solve(request, answer);
    if (request.right_hand_side == RightHandSide::stopping || request.nodewise_begin.empty()) return;
    for (std::size_t k = 0; k < request.pairs.size(); ++k) {
      const Pair pair = request.pairs[k];
      unscale_adjoint(factors_, pair, answer.nodewise.subspan(request.nodewise_begin[k], unknowns(pair)));
    }
  }

  std::unique_ptr<PairSolver> solver_;
  std::vector<double> factors_;
};

/// The choices besides the backends themselves.
struct Choice {
  BackendId id;
  std::string_view name;
};
constexpr std::array choices{Choice{BackendId::automatic, "auto"}, Choice{BackendId::portable, "portable"}};

std::string allowed_names() {
  std::string names;
  for (const Choice& choice : choices) names += fmt::format("{}{}", names.empty() ? "" : ", ", choice.name);
  for (const Backend& backend : table()) names += fmt::format(", {}", backend.name);
  return names;
}

/// Throws `Error` for a lowering that the backend lacks, or that has its own product although a primitive is chosen.
void require_lowering(const Backend& backend, const SolverSetup& setup) {
  if (!backend.has(setup.lowering)) {
    throw Error(fmt::format("backend '{}' has no lowering '{}'; allowed is auto there, or a portable backend",
                            backend.name, lowering_name(setup.lowering)));
  }
  const Family family = setup.primitive.family;
  const bool contradicts = has_own_product(setup.lowering) ? family != Family::automatic : is_dense(family);
  if (setup.lowering != Lowering::automatic && contradicts) {
    throw Error(fmt::format("lowering '{}' does not go with primitive '{}'; allowed is auto for one of the two",
                            lowering_name(setup.lowering), setup.primitive.name()));
  }
}

}  // namespace

bool Backend::has(const Primitive& primitive, Precision precision) const {
  if (!takes(primitive.family)) return false;
  const bool all = primitive.steps == TileSteps{};
  if (precision == Precision::float32) return single_precision && (all || !all_steps);
  return primitive.family == Family::automatic || (all && !primitive_info(primitive.family).single_only);
}

bool Backend::has(Lowering lowering) const { return lowering == Lowering::automatic || lowers; }

bool Backend::works_by_octiles(PrimitiveFamily family) const {
  return family == Family::automatic ? automatic_by_octiles : primitive_info(family).by_octiles;
}

std::span<const Backend> backends() { return table(); }

const Backend& find_backend(BackendId id) {
  // The last one of each kind in the table is the fastest.
  if (id == BackendId::automatic) return table().back();
  if (id == BackendId::portable) {
    return *std::ranges::find_if(table().rbegin(), table().rend(),
                                 [](const Backend& backend) { return backend.kind == BackendKind::portable; });
  }
  const auto found = std::ranges::find(table(), id, &Backend::id);
  if (found != table().end()) return *found;
  throw Error(fmt::format("this build does not have the backend that is asked for; allowed are {}", allowed_names()));
}

std::string_view backend_name(BackendId id) {
  const auto* const choice = std::ranges::find(choices, id, &Choice::id);
  return choice != choices.end() ? choice->name : find_backend(id).name;
}

BackendId parse_backend(std::string_view name) {
  const auto* const choice = std::ranges::find(choices, name, &Choice::name);
  if (choice != choices.end()) return choice->id;
  const auto found = std::ranges::find(table(), name, &Backend::name);
  if (found != table().end()) return found->id;
  throw Error(fmt::format("backend '{}' is unknown; allowed are {}", name, allowed_names()));
}

std::unique_ptr<PairSolver> make_pair_solver(BackendId backend, std::span<const Graph> graphs, const KernelSpec& kernel,
                                             Precision precision, const SolveOptions& options,
                                             const Primitive& primitive, std::size_t memory, Lowering lowering,
                                             const CostModel* cost, SharedTables* vertex_tables) {
  const Backend& chosen = find_backend(backend);
  if (!chosen.exact && !Kokkos::is_initialized()) {
    throw Error(fmt::format(
        "backend '{}' needs Kokkos, which is not initialised; allowed is a Kokkos::ScopeGuard that outlives the solves",
        chosen.name));
  }
  if (precision == Precision::float32 && !chosen.single_precision) {
    throw Error(fmt::format("backend '{}' has no float32; allowed is float64", chosen.name));
  }
  kernel.vertex.require_vertex_kernel();
  kernel.edge.require_edge_kernel();
  const SolverSetup setup{graphs, kernel, precision, options, primitive, memory, lowering, cost, vertex_tables};
  if (!has_paper && is_dense(primitive.family)) {
    throw Error(
        fmt::format("primitive '{}' is of the paper's experiment, which this build is without; allowed is "
                    "another one, or a build with -DOCTILE_PAPER=ON",
                    primitive.name()));
  }
  if (!chosen.has(setup.primitive, precision)) {
    std::string known = "auto";
    for (const PrimitiveInfo& info : primitive_families()) {
      if (chosen.has({info.family}, precision)) known += fmt::format(", {}{}", info.name, info.dense ? "[:t,r]" : "");
    }
    throw Error(fmt::format("backend '{}' has no primitive '{}' in {}; allowed are {}", chosen.name, primitive.name(),
                            scalar_name(precision), known));
  }
  require_lowering(chosen, setup);
  // The reference has degrees of its own, and the native products were not measured with scaled stopping weights.
  const bool scales = kernel.stopping.meaning() == StoppingMeaning::probability || !(chosen.exact || chosen.on_gpu);
  const std::optional<ScaledGraphs> scaled =
      scales ? scaled_graphs(graphs, kernel.stopping) : std::optional<ScaledGraphs>();
  if (!scaled) return chosen.make(setup);
  SolverSetup within = setup;
  within.graphs = scaled->graphs;
  return std::make_unique<ScaledSolver>(chosen.make(within), scaled->factors);
}

}  // namespace octile
