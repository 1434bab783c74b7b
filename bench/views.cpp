// SPDX-License-Identifier: BSD-3-Clause
// Measures graphs in Views that change at each step, as a molecular dynamics code has them: clusters of 16 to 40 atoms in one batch on
// the device, taken in (`assign`), and each of the first with each of the last compared, normalised (`solve`).
//
// usage: octile_bench_views [--graphs=N] [--columns=N] [...]
//
//   --graphs   clusters [64]
//   --columns  the last ones, which the others are compared with [16]
//
// κv = delta(element, 0.3), κe = gaussian(distance, 0.2), q = 0.05 as a probability, by C++ types of the library's, by one of a caller's own, and
// as text, by the automatic choice (native on a GPU) and by the portable backend, factored and on the fly, in double to 1e-8 and in float to
// 1e-6. Values are compared with those of the portable backend on the fly to 1e-10 before anything is timed.
//
// `step:set` has what to compare them with: the solve alone of the same pairs by the same text, of the same graphs prepared from the
// host, by each backend that is fit for it.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <octile/backends.hpp>
#include <octile/base_kernels.hpp>
#include <octile/error.hpp>
#include <octile/exponential.hpp>
#include <octile/graphs/views.hpp>
#include <octile/pairs/cost_model.hpp>
#include <octile/prepared_set.hpp>
#include <octile/refinement.hpp>
#include <octile/solve_graphs.hpp>
#include <octile/solvers/pair_solver.hpp>

#include <Kokkos_Core.hpp>

#include "program.hpp"

namespace octile::bench {
namespace {

using Space = Kokkos::DefaultExecutionSpace;
using Memory = Space::memory_space;
template <class T>
using List = Kokkos::View<T*, Memory>;

/// Clusters cut out of a cubic lattice, whose atoms are shaken. All within the cutoff are neighbours.
struct Clusters {
  static constexpr int least_atoms = 16;
  static constexpr int most_atoms = 40;
  static constexpr float cutoff = 2.2F;

  int count;
  int atoms = first_atom(count);
  List<float> x{"x", std::size_t(atoms)}, y{"y", std::size_t(atoms)}, z{"z", std::size_t(atoms)};
  List<int> elements{"elements", std::size_t(atoms)};
  List<int> cluster_of{"cluster_of", std::size_t(atoms)};
  List<int> offsets{"offsets", std::size_t(count) + 1};
  List<int> rows{"rows", std::size_t(atoms) + 1};
  List<int> neighbours{"neighbours", std::size_t(atoms) * most_atoms};
  List<float> weights{"weights", std::size_t(atoms) * most_atoms};
  List<float> distances{"distances", std::size_t(atoms) * most_atoms};

  KOKKOS_INLINE_FUNCTION static int first_atom(int cluster) {
    int first = 0;
    for (int before = 0; before < cluster; ++before)
      first += least_atoms + (7 * before) % (most_atoms - least_atoms + 1);
    return first;
  }
  auto batch() const {
    return GraphBatch(offsets, rows, neighbours).weights(weights).vertex_labels(elements).edge_labels(distances);
  }
};

void place(const Space& space, const Clusters& clusters) {
  Kokkos::parallel_for(
      "place", Kokkos::RangePolicy<Space>(space, 0, clusters.count), KOKKOS_LAMBDA(const int cluster) {
        const int first = Clusters::first_atom(cluster);
        clusters.offsets(cluster) = first;
        clusters.offsets(cluster + 1) = Clusters::first_atom(cluster + 1);
        for (int k = 0; first + k < clusters.offsets(cluster + 1); ++k) {
          const int atom = first + k;
          clusters.cluster_of(atom) = cluster;
          clusters.elements(atom) = (5 * atom) % 3 == 0 ? 8 : 6;
          const auto shake = [atom](std::uint32_t axis) {
            return 0.1F *
                   (static_cast<float>((static_cast<std::uint32_t>(atom) * 2654435761U + axis * 40503U) % 1000U) /
                        1000 -
                    0.5F);
          };
          const int layer = k / 16;
          clusters.x(atom) = static_cast<float>(k % 4) * 1.2F + shake(0);
          clusters.y(atom) = static_cast<float>(k / 4 % 4) * 1.2F + shake(1);
          clusters.z(atom) = static_cast<float>(layer) * 1.2F + shake(2);
        }
      });
}

void find_neighbours(const Space& space, const Clusters& clusters) {
  Kokkos::parallel_scan(
      "find_neighbours", Kokkos::RangePolicy<Space>(space, 0, clusters.atoms),
      KOKKOS_LAMBDA(const int i, int& entries, const bool final) {
        const int cluster = clusters.cluster_of(i);
        if (final && i == 0) clusters.rows(0) = 0;
        for (int j = clusters.offsets(cluster); j < clusters.offsets(cluster + 1); ++j) {
          const float dx = clusters.x(j) - clusters.x(i);
          const float dy = clusters.y(j) - clusters.y(i);
          const float dz = clusters.z(j) - clusters.z(i);
          const float square = dx * dx + dy * dy + dz * dz;
          if (j == i || square >= Clusters::cutoff * Clusters::cutoff) continue;
          if (final) {
            const float distance = Kokkos::sqrt(square);
            const float inside = 1 - distance / Clusters::cutoff;
            clusters.neighbours(entries) = j;
            clusters.distances(entries) = distance;
            clusters.weights(entries) = inside * inside;
          }
          ++entries;
        }
        if (final) clusters.rows(i + 1) = entries;
      });
}

const Stopping stopping(StoppingMeaning::probability, 0.05);

/// A Gaussian as a caller writes it.
struct OwnGaussian {
  double rate;  ///< 1 / (2 length²)

  template <class T>
  KOKKOS_FUNCTION T evaluate(float a, float b) const {
    const T difference = a - b;
    return exponential(-static_cast<T>(rate) * difference * difference);
  }
};

enum class KernelForm { types, own, text };
constexpr const char* name_of(KernelForm form) {
  switch (form) {
    case KernelForm::types: return "types";
    case KernelForm::own: return "own";
    case KernelForm::text: return "text";
  }
  return "";
}

/// One way to solve the rectangle.
template <class Scalar>
struct Case {
  Clusters clusters;
  int columns;
  GraphSolveOptions options;
  KernelForm form;
  Space space;
  PreparedGraphs<Scalar, int, float, Memory> prepared{space, capacity_of(space, clusters.batch())};
  SolveHandle<Space, Scalar> handle;
  Kokkos::View<double**, Memory> values{"values", std::size_t(clusters.count - columns), std::size_t(columns)};
  List<PairResult> results{"results", values.size()};

  Case(const Clusters& given, int columns_, const GraphSolveOptions& options_, KernelForm form_)
      : clusters(given), columns(columns_), options(options_), form(form_) {}

  void assign() { prepared.assign(space, clusters.batch()); }
  void solve() {
    const int rows = clusters.count - columns;
    const Rectangle pairs{0, rows, rows, columns};
    const auto solve_by = [&](const auto& vertex, const auto& edge) {
      octile::solve(space, handle, prepared, pairs, TypedKernel{vertex, edge, stopping}, Outputs{values, results},
                    options);
    };
    switch (form) {
      case KernelForm::types: return solve_by(KroneckerDelta(0.3), SquareExponential(0.2));
      case KernelForm::own: return solve_by(KroneckerDelta(0.3), OwnGaussian{0.5 / (0.2 * 0.2)});
      case KernelForm::text:
        return solve_by(Expression::parse("delta(element,0.3)"), Expression::parse("gaussian(distance,0.2)"));
    }
  }
};

template <class View>
double largest_difference(const View& values, const View& expected) {
  double largest = 0;
  Kokkos::parallel_reduce(
      "compare", Kokkos::RangePolicy<Space>(0, static_cast<int>(values.extent(0))),
      KOKKOS_LAMBDA(const int i, double& difference) {
        for (std::size_t j = 0; j < values.extent(1); ++j) {
          const double one = Kokkos::abs(values(i, j) - expected(i, j));
          difference = one <= difference ? difference : one;  // one that is not a number, too
        }
      },
      Kokkos::Max<double>(largest));
  return largest;
}

double mean_iterations(const List<PairResult>& results) {
  double sum = 0;
  Kokkos::parallel_reduce(
      "iterations", Kokkos::RangePolicy<Space>(0, static_cast<int>(results.extent(0))),
      KOKKOS_LAMBDA(const int k, double& iterations) { iterations += results(k).iterations; }, sum);
  return sum / static_cast<double>(results.extent(0));
}

template <class Scalar>
void add_case(const Clusters& clusters, int columns, const Kokkos::View<double**, Memory>& expected,
              GraphBackend backend, Lowering lowering, KernelForm form) {
  constexpr bool is_double = sizeof(Scalar) == sizeof(double);
  const auto measure = [=](bool solves) {
    return [=](benchmark::State& state) {
      Case<Scalar> one(clusters, columns, {{is_double ? 1e-8 : 1e-6, 2000}, Normalize::yes, lowering, backend}, form);
      one.assign();
      one.solve();
      require_valid(one.space, one.prepared);
      require_valid(one.space, one.handle);
      require_converged(one.space, one.results);
      if (!(largest_difference(one.values, expected) <= (is_double ? 1e-6 : 1e-4))) {
        return state.SkipWithError("the values are wrong");
      }
      for (auto _ : state) {
        if (solves) {
          one.solve();
        } else {
          one.assign();
        }
        one.space.fence();
      }
      state.counters["factors"] = static_cast<double>(one.handle.rank());
      state.counters["iterations"] = mean_iterations(one.results);
      state.counters["pairs/s"] =
          benchmark::Counter(static_cast<double>(one.values.size()), benchmark::Counter::kIsIterationInvariantRate);
    };
  };
  const char* const scalar = is_double ? "f64" : "f32";
  const auto add = [](const std::string& name, const auto& run) {
    benchmark::RegisterBenchmark(name.c_str(), run)->Unit(benchmark::kMillisecond)->UseRealTime();
  };
  const bool automatic = backend == GraphBackend::automatic;
  if (form == KernelForm::types && automatic) add(fmt::format("views/step:assign/scalar:{}", scalar), measure(false));
  add(fmt::format("views/step:solve/backend:{}/lowering:{}/kernel:{}/scalar:{}", automatic ? "auto" : "portable",
                  lowering_name(lowering), name_of(form), scalar),
      measure(true));
}

/// The clusters as graphs of the host.
std::vector<Graph> on_host(const Space& space, const Clusters& clusters) {
  const auto numbers = [&space](const auto& view) { return octile::detail::to_vector<double>(space, view); };
  const auto places = [&space](const auto& view) { return octile::detail::to_vector<std::int32_t>(space, view); };
  const auto offsets = places(clusters.offsets);
  const auto rows = places(clusters.rows);
  const auto columns = places(clusters.neighbours);
  const auto weights = numbers(clusters.weights);
  const auto distances = numbers(clusters.distances);
  const auto elements = octile::detail::to_vector<std::int64_t>(space, clusters.elements);
  std::vector<Graph> graphs;
  for (std::size_t g = 0; g < static_cast<std::size_t>(clusters.count); ++g) {
    const std::int32_t first = offsets[g];
    const std::int32_t entry = rows[static_cast<std::size_t>(first)];
    const auto part = [](const auto& all, std::int32_t begin, std::int32_t end, auto less) {
      auto some = std::vector(all.begin() + begin, all.begin() + end);
      for (auto& one : some) one -= less;
      return some;
    };
    const std::int32_t last = offsets[g + 1];
    const std::int32_t end = rows[static_cast<std::size_t>(last)];
    graphs.push_back(Graph::from_adjacency(fmt::format("cluster {}", g), part(rows, first, last + 1, entry),
                                           part(columns, entry, end, first), part(weights, entry, end, 0.0),
                                           {{"element", part(elements, first, last, std::int64_t(0))}},
                                           {{"distance", part(distances, entry, end, 0.0)}}));
  }
  return graphs;
}

/// Milliseconds on the device of the second solve of these pairs and of all graphs with themselves: to a residual, or
/// to a proven accuracy.
double device_milliseconds(const std::vector<Graph>& graphs, const KernelSpec& kernel, Precision precision,
                           const GramOptions& options, std::vector<Pair> pairs, std::string& description) {
  for (std::int32_t g = 0; g < static_cast<std::int32_t>(graphs.size()); ++g) pairs.push_back({g, g});
  const CostModel cost(graphs);
  const std::unique_ptr<PairSolver> solver =
      options.accuracy ? make_gram_solver(graphs, kernel, options, cost)
                       : make_pair_solver(options.backend, graphs, kernel, precision, options.solve);
  std::vector<PairResult> results(pairs.size());
  for (int time = 0; time < 2; ++time) solver->solve(pairs, results);
  description = solver->description();
  return 1e3 * solver->device_seconds();
}

/// Adds the rectangle of `graphs`, which are on the host, by a backend. Timed is the solve, without making the solver.
/// `device_ms` is what a GPU takes for the rectangle and for all graphs with themselves.
void add_set(const std::vector<Graph>& graphs, int columns, const Kokkos::View<double**, Memory>& expected,
             const Backend& backend, Precision precision) {
  const bool is_double = precision == Precision::float64;
  const auto run = [=, id = backend.id](benchmark::State& state) {
    GramOptions options;
    options.backend = id;
    options.solve = {is_double ? 1e-8 : 1e-6, 2000};
    if (is_double) {
      options.accuracy = Accuracy{.value = 1e-8};  // by the precision that is fastest
    } else {
      options.precision = precision;
    }
    const PreparedSet set(std::span<const Graph>(graphs), options);
    const KernelSpec kernel{Expression::parse("delta(element,0.3)"), Expression::parse("gaussian(distance,0.2)"),
                            stopping};
    std::vector<std::int32_t> all(graphs.size());
    std::iota(all.begin(), all.end(), 0);
    const std::span numbers(all);
    const auto count = static_cast<std::size_t>(columns);
    const std::vector<Pair> pairs = rectangle(numbers.first(graphs.size() - count), numbers.last(count));
    const auto exact = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), expected);
    for (auto _ : state) {
      const SetAnswer answer = set.solve(kernel, {.pairs = pairs, .normalize = true});
      state.SetIterationTime(answer.solve_seconds);
      state.counters["setup_ms"] = 1e3 * answer.setup_seconds;
      for (std::size_t k = 0; k < pairs.size(); ++k) {
        if (!(std::abs(answer.values[k] - exact(k / count, k % count)) <= (is_double ? 1e-6 : 1e-4))) {
          return state.SkipWithError("the values are wrong");
        }
      }
    }
    state.counters["pairs/s"] =
        benchmark::Counter(static_cast<double>(pairs.size()), benchmark::Counter::kIsIterationInvariantRate);
    if (find_backend(id).kind == BackendKind::native) {
      std::string description;
      state.counters["device_ms"] = device_milliseconds(graphs, kernel, precision, options, pairs, description);
      state.SetLabel(description);
    }
  };
  const std::string name = fmt::format("views/step:set/backend:{}/scalar:{}", backend.name, is_double ? "f64" : "f32");
  benchmark::RegisterBenchmark(name.c_str(), run)->Unit(benchmark::kMillisecond)->UseManualTime();
}

void add_sets(const std::vector<Graph>& graphs, int columns, const Kokkos::View<double**, Memory>& expected) {
  for (const Backend& backend : backends()) {
    if (!backend.available || backend.kind == BackendKind::reference || backend.kind == BackendKind::assembled)
      continue;
    for (const Precision precision : {Precision::float64, Precision::float32}) {
      if (backend.has(Primitive(), precision)) add_set(graphs, columns, expected, backend, precision);
    }
  }
}

void add_benchmarks(std::span<char* const> arguments) {
  const Options options(arguments, {{"graphs", "64"}, {"columns", "16"}});
  const int columns = options.number("columns");
  if (columns < 1 || columns >= options.number("graphs")) {
    throw Error("--columns: allowed are 1 or more, and fewer than --graphs");
  }
  const Clusters clusters{options.number("graphs")};
  const Space space;
  place(space, clusters);
  find_neighbours(space, clusters);
  Case<double> exact(clusters, columns, {{1e-10, 2000}, Normalize::yes, Lowering::on_the_fly, GraphBackend::portable},
                     KernelForm::types);
  exact.assign();
  exact.solve();
  require_valid(exact.space, exact.prepared);
  require_converged(exact.space, exact.results);
  struct Way {
    GraphBackend backend;
    Lowering lowering;
  };
  for (const auto& [backend, lowering] :
       {Way{GraphBackend::automatic, Lowering::automatic}, Way{GraphBackend::portable, Lowering::automatic},
        Way{GraphBackend::portable, Lowering::on_the_fly}}) {
    for (const KernelForm form : {KernelForm::types, KernelForm::own, KernelForm::text}) {
      add_case<double>(clusters, columns, exact.values, backend, lowering, form);
      add_case<float>(clusters, columns, exact.values, backend, lowering, form);
    }
  }
  add_sets(on_host(space, clusters), columns, exact.values);
}

}  // namespace
}  // namespace octile::bench

int main(int count, char** values) {
  return octile::bench::run_program("octile_bench_views", count, values, octile::bench::add_benchmarks);
}
