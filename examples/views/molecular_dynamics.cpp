// SPDX-License-Identifier: BSD-3-Clause
//
// Molecular dynamics of clusters of 7 atoms with the potential of Lennard and Jones, in reduced units. At each of 1,000 steps a list
// of neighbours is made on the device, and each cluster is compared with two references, which are isomers of it: a pentagonal
// bipyramid and a capped octahedron. How often it was nearer to the first is counted on the device, too. Once the first step is
// through, nothing in the loop is waited for, allocated or copied: Kokkos' tools count that here.
#include <octile/base_kernels.hpp>
#include <octile/graph_batch.hpp>
#include <octile/prepared_graphs.hpp>
#include <octile/solve_graphs.hpp>

#include <Kokkos_Core.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>

namespace {

using Space = Kokkos::DefaultExecutionSpace;
using Memory = Space::memory_space;
using Vectors = Kokkos::View<double* [3], Memory>;

constexpr int steps = 1000;
constexpr double time_step = 0.004;
constexpr int atoms_of_one = 7;
constexpr int most_neighbours = atoms_of_one - 1;
constexpr double cutoff = 1.45;  // between the first neighbours and the second

/// Clusters, and their neighbours in compressed rows as a GraphBatch takes them.
struct Clusters {
  int count;
  std::size_t atoms = std::size_t(count) * atoms_of_one;
  Vectors positions{"positions", atoms};
  Vectors velocities{"velocities", atoms};
  Vectors forces{"forces", atoms};
  Kokkos::View<int*, Memory> offsets{"offsets", std::size_t(count) + 1};
  Kokkos::View<int*, Memory> rows{"rows", atoms + 1};
  Kokkos::View<int*, Memory> neighbours{"neighbours", atoms* most_neighbours};
  Kokkos::View<double*, Memory> weights{"weights", atoms* most_neighbours};
  Kokkos::View<double*, Memory> distances{"distances", atoms* most_neighbours};
  Kokkos::View<int*, Memory> coordination{"coordination", atoms};

  auto batch() const {
    return octile::GraphBatch(offsets, rows, neighbours)
        .weights(weights)
        .vertex_labels(coordination)
        .edge_labels(distances);
  }
  octile::Capacity capacity() const { return {std::size_t(count), atoms, neighbours.extent(0), atoms_of_one}; }
};

KOKKOS_INLINE_FUNCTION double squared_distance(const Vectors& positions, int i, int j) {
  double sum = 0;
  for (int axis = 0; axis < 3; ++axis) {
    const double difference = positions(i, axis) - positions(j, axis);
    sum += difference * difference;
  }
  return sum;
}

/// Calls `see` with each other atom of the same cluster.
template <class See>
KOKKOS_INLINE_FUNCTION void for_others(int atom, const See& see) {
  const int first = atom / atoms_of_one * atoms_of_one;
  for (int other = first; other < first + atoms_of_one; ++other) {
    if (other != atom) see(other);
  }
}

/// Half a kick by the forces, then the drift.
void drift(const Space& space, const Clusters& clusters) {
  Kokkos::parallel_for(
      "drift", Kokkos::RangePolicy<Space>(space, 0, static_cast<int>(clusters.atoms)), KOKKOS_LAMBDA(const int i) {
        for (int axis = 0; axis < 3; ++axis) {
          clusters.velocities(i, axis) += 0.5 * time_step * clusters.forces(i, axis);
          clusters.positions(i, axis) += time_step * clusters.velocities(i, axis);
        }
      });
}

/// The forces where the atoms are, then a kick by them for so long.
void kick(const Space& space, const Clusters& clusters, double duration) {
  Kokkos::parallel_for(
      "kick", Kokkos::RangePolicy<Space>(space, 0, static_cast<int>(clusters.atoms)), KOKKOS_LAMBDA(const int i) {
        double force[3] = {0, 0, 0};
        for_others(i, [&](int j) {
          const double over_square = 1 / squared_distance(clusters.positions, i, j);
          const double sixth = over_square * over_square * over_square;
          const double strength = 24 * sixth * (2 * sixth - 1) * over_square;
          for (int axis = 0; axis < 3; ++axis) {
            force[axis] += strength * (clusters.positions(i, axis) - clusters.positions(j, axis));
          }
        });
        for (int axis = 0; axis < 3; ++axis) {
          clusters.forces(i, axis) = force[axis];
          clusters.velocities(i, axis) += duration * force[axis];
        }
      });
}

/// Who is within the cutoff of whom, with weights that vanish smoothly there: one scan over the atoms.
void find_neighbours(const Space& space, const Clusters& clusters) {
  Kokkos::parallel_scan(
      "find_neighbours", Kokkos::RangePolicy<Space>(space, 0, static_cast<int>(clusters.atoms)),
      KOKKOS_LAMBDA(const int i, int& entries, const bool final) {
        const int begin = entries;
        if (final && i % atoms_of_one == 0) clusters.offsets(i / atoms_of_one) = i;
        for_others(i, [&](int j) {
          const double square = squared_distance(clusters.positions, i, j);
          if (square >= cutoff * cutoff) return;
          if (final) {
            const double inside = 1 - square / (cutoff * cutoff);
            clusters.neighbours(entries) = j;
            clusters.weights(entries) = inside * inside;
            clusters.distances(entries) = Kokkos::sqrt(square);
          }
          ++entries;
        });
        if (!final) return;
        clusters.coordination(i) = entries - begin;
        clusters.rows(i + 1) = entries;
        if (i + 1 == static_cast<int>(clusters.atoms)) clusters.offsets(clusters.count) = i + 1;
      });
}

/// A pentagonal bipyramid, or an octahedron with a cap on one face, with neighbours at distance 1.
KOKKOS_INLINE_FUNCTION void place(double (&at)[3], bool bipyramid, int atom) {
  if (bipyramid) {
    const double angle = 0.4 * Kokkos::numbers::pi * atom;
    const double radius = atom < 5 ? 0.5 / Kokkos::sin(0.2 * Kokkos::numbers::pi) : 0;
    const double height = Kokkos::sqrt(1 - 0.25 / Kokkos::pow(Kokkos::sin(0.2 * Kokkos::numbers::pi), 2));
    at[0] = radius * Kokkos::cos(angle);
    at[1] = radius * Kokkos::sin(angle);
    at[2] = atom < 5 ? 0 : (atom == 5 ? height : -height);
  } else {
    const double corner = Kokkos::sqrt(0.5);
    for (int axis = 0; axis < 3; ++axis) {
      // Atom 6 caps the face of the corners 0, 1 and 2.
      at[axis] = atom == 6 ? corner : (atom % 3 == axis ? (atom < 3 ? corner : -corner) : 0);
    }
  }
}

/// Every other cluster is a bipyramid. Each is kicked more than the one before, and stays where it is.
void start(const Space& space, const Clusters& clusters, double largest_kick) {
  Kokkos::parallel_for(
      "start", Kokkos::RangePolicy<Space>(space, 0, static_cast<int>(clusters.atoms)), KOKKOS_LAMBDA(const int i) {
        const int cluster = i / atoms_of_one;
        const int atom = i % atoms_of_one;
        double at[3];
        place(at, cluster % 2 == 0, atom);
        for (int axis = 0; axis < 3; ++axis) {
          // Sums of cosines over all atoms are 0.
          const double phase = 2 * Kokkos::numbers::pi * (axis + 1) * atom / atoms_of_one;
          clusters.positions(i, axis) = Kokkos::pow(2.0, 1.0 / 6.0) * at[axis];
          clusters.velocities(i, axis) = largest_kick * (cluster + 1) / clusters.count * Kokkos::cos(phase + cluster);
        }
      });
  kick(space, clusters, 0);
}

double energy(const Space& space, const Clusters& clusters) {
  double sum = 0;
  Kokkos::parallel_reduce(
      "energy", Kokkos::RangePolicy<Space>(space, 0, static_cast<int>(clusters.atoms)),
      KOKKOS_LAMBDA(const int i, double& total) {
        for_others(i, [&](int j) {
          const double sixth = Kokkos::pow(squared_distance(clusters.positions, i, j), -3);
          total += 2 * sixth * (sixth - 1);  // half of it: j has the other
        });
        for (int axis = 0; axis < 3; ++axis) total += 0.5 * clusters.velocities(i, axis) * clusters.velocities(i, axis);
      },
      sum);
  return sum;
}

/// What is kept of all steps.
struct Record {
  Kokkos::View<double**, Memory> values;  ///< of this step: clusters × references
  Kokkos::View<octile::PairResult*, Memory> results;
  Kokkos::View<int*, Memory> as_bipyramid;  ///< steps in which a cluster was nearer to the first reference
  Kokkos::View<int*, Memory> failed;        ///< pairs of it that did not converge
};

void keep(const Space& space, const Record& record) {
  Kokkos::parallel_for(
      "keep", Kokkos::RangePolicy<Space>(space, 0, static_cast<int>(record.values.extent(0))),
      KOKKOS_LAMBDA(const int cluster) {
        if (record.values(cluster, 0) > record.values(cluster, 1)) ++record.as_bipyramid(cluster);
        for (int reference = 0; reference < 2; ++reference) {
          if (record.results(2 * cluster + reference).status != octile::Status::converged) ++record.failed(cluster);
        }
      });
}

int host_trips = 0;  // fences, allocations and copies since count_host_trips()

void count_host_trips() {
  namespace Tools = Kokkos::Tools::Experimental;
  host_trips = 0;
  Tools::set_begin_fence_callback([](const char* name, std::uint32_t, std::uint64_t*) {
    // Kokkos itself fences around the kernels that a tool is told of.
    if (std::strstr(name, "Tool Fence") == nullptr) ++host_trips;
  });
  Tools::set_allocate_data_callback([](Kokkos_Profiling_SpaceHandle, const char*, const void*, std::uint64_t bytes) {
    if (bytes > 0) ++host_trips;
  });
  Tools::set_begin_deep_copy_callback([](Kokkos_Profiling_SpaceHandle, const char*, const void*,
                                         Kokkos_Profiling_SpaceHandle, const char*, const void*,
                                         std::uint64_t) { ++host_trips; });
}

int run() {
  const Space space;
  const Clusters isomers{2};
  start(space, isomers, 0);
  find_neighbours(space, isomers);
  const auto references = octile::prepare(space, isomers.batch(), isomers.capacity());
  octile::require_valid(space, references);

  const Clusters clusters{6};
  start(space, clusters, 0.9);
  find_neighbours(space, clusters);
  const double energy_before = energy(space, clusters);
  auto prepared = octile::prepare(space, clusters.batch(), clusters.capacity());
  const octile::TypedKernel kernel{octile::KroneckerDelta(0.3), octile::SquareExponential(0.1),
                                   octile::Stopping(octile::StoppingMeaning::probability, 0.05)};
  octile::SolveHandle<Space> handle;
  octile::GraphSolveOptions options;
  options.normalize = octile::Normalize::yes;
  const Record record{Kokkos::View<double**, Memory>("values", clusters.count, 2),
                      Kokkos::View<octile::PairResult*, Memory>("results", 2 * std::size_t(clusters.count)),
                      Kokkos::View<int*, Memory>("as_bipyramid", clusters.count),
                      Kokkos::View<int*, Memory>("failed", clusters.count)};
  for (int step = 0; step < steps; ++step) {
    drift(space, clusters);
    kick(space, clusters, 0.5 * time_step);
    find_neighbours(space, clusters);
    prepared.assign(space, clusters.batch());
    octile::solve(space, handle, prepared, references, octile::AllPairs(), kernel,
                  octile::Outputs{record.values, record.results}, options);
    keep(space, record);
    if (step == 0) count_host_trips();
  }
  const int trips = host_trips;
  octile::require_valid(space, prepared);

  const double drifted = std::abs(energy(space, clusters) / energy_before - 1);
  const auto as_bipyramid = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), record.as_bipyramid);
  const auto failed = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), record.failed);
  int failures = 0;
  for (int cluster = 0; cluster < clusters.count; ++cluster) {
    failures += failed(cluster);
    std::printf("cluster %d: nearer to the bipyramid in %d steps\n", cluster, as_bipyramid(cluster));
  }
  const bool conserved = drifted < 1e-3;
  std::printf("%d steps, %d pairs: %d did not converge, %d host trips, the energy %s\n", steps,
              2 * steps * clusters.count, failures, trips, conserved ? "is conserved" : "drifts");
  return failures == 0 && trips == 0 && conserved ? 0 : 1;
}

}  // namespace

int main(int argc, char* argv[]) {
  const Kokkos::ScopeGuard kokkos(argc, argv);
  return run();
}
