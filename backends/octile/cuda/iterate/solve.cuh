// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/conjugate_gradient.hpp>
#include <octile/cuda/block/shared_head.cuh>
#include <octile/cuda/block/team.cuh>
#include <octile/cuda/block/vertex_table.cuh>
#include <octile/cuda/iterate/register_steps.cuh>
#include <octile/cuda/layout/vertex_arrays.hpp>
#include <octile/cuda/products/concepts.cuh>
#include <octile/cuda/start/projected_start.cuh>
#include <octile/pair_system.hpp>
#include <octile/solve.hpp>
#include <octile/unit_roundoff.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace octile::cuda {

/// Where trial solutions of one of the two systems go, if they do: x or y of `TrialValues`, every other number. In float they are
/// those of the stored systems, with what they are to be multiplied by.
struct TrialPlace {
  float* singles;
  double* scales;   ///< of singles, every other number, one a pair
  double* doubles;  ///< if singles is null
};

/// The work of one launch, which its blocks share.
struct Work {
  const Pair* pairs;
  PairResult* results;
  int* next;  ///< the counter from which blocks claim pairs, initially 0; null: block b takes pairs b, b + blocks, …
  int count;
  float* workspace;  ///< `vector_count` vectors for each block
  std::size_t vector_count;
  std::size_t vector_length;          ///< of the largest pair
  RightHandSide right_hand_side;      ///< which system is solved, if no other right-hand side is given
  const float* given;                 ///< if not null, the right-hand sides, where the solutions go in `nodewise`
  const double* given_scale;          ///< by what that of each pair is multiplied, and its solution divided
  double* nodewise;                   ///< if not null, receives the solutions
  const std::size_t* nodewise_begin;  ///< where that of each pair begins, and what else has a number an element
  TrialPlace trials;                  ///< where they go if they are trials
  Starts starts;
  OctileChoice choice;
  double scale;  ///< q²
  SolveOptions options;

  /// By what the stored systems' x or y is multiplied, and their K (`VertexArrays`).
  template <class Set>
  __device__ double solution_scale(const Set& set, int k) const {
    if (given != nullptr) return 1 / given_scale[k];
    const Pair pair = pairs[k];
    if (right_hand_side == RightHandSide::stopping) return scale;
    const GraphScales& first = set.scales(pair.first);
    const GraphScales& second = set.scales(pair.second);
    return first.weight * first.inverse_start * (second.weight * second.inverse_start);
  }
  template <class Set>
  __device__ double value_scale(const Set& set, Pair pair) const {
    return scale * (set.scales(pair.first).inverse_start * set.scales(pair.second).inverse_start);
  }

  /// About the size of b / D×, with room above for p× / D×, which is far from even where degrees are.
  template <class Set>
  __device__ float size_beside_kappa(const Set& set, Pair pair) const {
    constexpr double room = 1.0 / 64;
    if (given != nullptr || right_hand_side == RightHandSide::stopping) return 1;
    return static_cast<float>(room * set.scales(pair.first).ratio * set.scales(pair.second).ratio);
  }

  /// Σ D× of a pair whose adjoint system has a row with p× = 0, whose residual is then judged by b; else 0.
  template <class Set>
  __device__ double judged_by_volume(const Set& set, Pair pair) const {
    if (right_hand_side == RightHandSide::stopping) return 0;
    const GraphScales& first = set.scales(pair.first);
    const GraphScales& second = set.scales(pair.second);
    return first.starts_everywhere != 0 && second.starts_everywhere != 0 ? 0.0 : first.volume * second.volume;
  }
  /// 1 / `judged_by_volume`, or 0 if that is 0.
  template <class Set>
  __device__ double inverse_volume(const Set& set, Pair pair) const {
    const double volume = judged_by_volume(set, pair);
    return volume > 0 ? 1 / volume : 0.0;
  }
};

/// Where the solution of one pair goes.
class KeptSolution {
 public:
  template <class Set>
  __device__ KeptSolution(const Work& work, const Set& set, int k) : work_(work) {
    if (!kept()) return;
    begin_ = work.nodewise_begin[k];
    scale_ = work.solution_scale(set, k);
    if (work.trials.singles != nullptr && threadIdx.x == 0)
      work.trials.scales[2 * static_cast<std::size_t>(k)] = scale_;
  }

  __device__ bool kept() const {
    return work_.nodewise != nullptr || work_.trials.singles != nullptr || work_.trials.doubles != nullptr;
  }

  /// Puts an element of the stored system's solution there, if it is kept.
  __device__ void put(int element, float x) const {
    const std::size_t at = begin_ + static_cast<std::size_t>(element);
    if (work_.nodewise != nullptr) {
      work_.nodewise[at] = scale_ * double(x);
    } else if (work_.trials.singles != nullptr) {
      work_.trials.singles[2 * at] = x > 0 ? x : 0.0F;
    } else if (work_.trials.doubles != nullptr) {
      work_.trials.doubles[2 * at] = x > 0 ? scale_ * double(x) : 0.0;
    }
  }

 private:
  const Work& work_;
  std::size_t begin_ = 0;
  double scale_ = 0;
};

/// The right-hand side of the system of one pair, where it is not D×. `System` is its `PairSystem`.
template <class System>
class RightSide {
 public:
  __device__ RightSide(const Work& work, int k, const System& system) : work_(work), k_(k), system_(system) {}

  /// Whether it is another than D×, which needs no memory.
  __device__ bool stored() const { return work_.given != nullptr || work_.right_hand_side == RightHandSide::starting; }
  /// Its element ii', if it is `stored`.
  __device__ double value(int i, int j) const {
    if (work_.given == nullptr) return system_.starting(i, j);
    return work_.given_scale[k_] * double(work_.given[work_.nodewise_begin[k_] + i * system_.m + j]);
  }

 private:
  const Work& work_;
  int k_;
  const System& system_;
};

/// What `PairSystem` reads of a set, without a copy of its Views.
template <class Set>
struct SetView {
  using scalar_type = float;
  const Set* set;
  double q;

  __device__ explicit SetView(const Set& viewed) : set(&viewed), q(viewed.q) {}
  __device__ std::uint32_t vertex_begin(int graph) const { return set->vertex_begin(graph); }
  __device__ int vertices(int graph) const { return set->vertices(graph); }
  __device__ double degrees(std::uint32_t vertex) const { return set->degrees(vertex); }
  __device__ double starting(std::uint32_t vertex) const { return set->starting(vertex); }
  __device__ typename Set::vertex_label_type vertex_labels(std::uint32_t vertex) const {
    return set->vertex_labels(vertex);
  }
};

/// The set as `PairSystem` reads it, for one pair whose vertices are copied to shared memory, since every element reads them:
///
///     │ d and p of G │ of G' │ labels of G │ of G' │
///
template <class Set>
class StagedVertices {
 public:
  using scalar_type = float;
  using Label = typename Set::vertex_label_type;
  static constexpr double q = 1;  ///< the value in every `CudaSet`

  static KOKKOS_INLINE_FUNCTION constexpr std::size_t bytes(std::size_t n, std::size_t m) {
    return staged_vertices(sizeof(Label), n, m);
  }

  /// Copies the pair's vertices to `place`. A barrier of the block must follow.
  __device__ StagedVertices(const Set& set, Pair pair, unsigned char* place)
      : first_(pair.first), n_(set.vertices(pair.first)), m_(set.vertices(pair.second)) {
    auto* const numbers = reinterpret_cast<double2*>(place);
    auto* const labels = reinterpret_cast<Label*>(place + shared_piece(sizeof(double2) * std::size_t(n_ + m_)));
    for (int v = static_cast<int>(threadIdx.x); v < n_ + m_; v += static_cast<int>(blockDim.x)) {
      const std::uint32_t from = v < n_ ? set.vertex_begin(pair.first) + v : set.vertex_begin(pair.second) + (v - n_);
      numbers[v] = {set.degrees(from), set.starting(from)};
      labels[v] = set.vertex_labels(from);
    }
    numbers_ = numbers;
    labels_ = labels;
  }

  __device__ std::uint32_t vertex_begin(int graph) const { return graph == first_ ? 0 : n_; }
  __device__ int vertices(int graph) const { return graph == first_ ? n_ : m_; }
  __device__ double degrees(std::uint32_t vertex) const { return numbers_[vertex].x; }
  __device__ double starting(std::uint32_t vertex) const { return numbers_[vertex].y; }
  __device__ Label vertex_labels(std::uint32_t vertex) const { return labels_[vertex]; }

 private:
  int first_;
  int n_;
  int m_;
  const double2* numbers_;
  const Label* labels_;
};

/// A block's pairs, one after the other. The next is claimed while one is solved, which hides the latency of the counter.
class PairQueue {
 public:
  __device__ PairQueue(const Work& work, SharedHead& head)
      : next_(work.next), head_(head), claimed_(static_cast<int>(blockIdx.x)) {
    claim();
  }

  /// Returns the number of the next pair to all threads. Contains a barrier.
  template <class Team>
  __device__ int next() {
    if (threadIdx.x == 0) head_.claimed = claimed_;
    Team::barrier();
    const int k = head_.claimed;
    claimed_ += static_cast<int>(gridDim.x);
    claim();
    return k;
  }

 private:
  __device__ void claim() {
    if (threadIdx.x == 0 && next_ != nullptr) claimed_ = atomicAdd(next_, 1);
  }

  int* next_;
  SharedHead& head_;
  int claimed_;
};

/// The launch bound: blocks that a multiprocessor must hold, which limits the registers of a thread. Vectors take 4 K registers.
template <int Threads, int K>
inline constexpr int registers_at_most = K == 0    ? 65536 / Threads
                                         : K <= 8  ? 72
                                         : K <= 12 ? 84
                                         : K <= 16 ? 102
                                                   : 128;
template <int Threads, int K>
inline constexpr int blocks_at_least =
    registers_at_most<Threads, K>* Threads > 65536 ? 1 : 65536 / Threads / registers_at_most<Threads, K>;

/// Solves pair after pair, each from start to end. Pairs are claimed from a common counter or assigned beforehand (`Work::next`).
template <Product Kind, class Set, class VertexKernel, class EdgeKernel, int Threads, int K, VectorPlace Where>
__global__ void __launch_bounds__(Threads, blocks_at_least<Threads, K>)
    solve_pairs(const __grid_constant__ Set set, const VertexKernel vertex_kernel, const EdgeKernel edge_kernel,
                const __grid_constant__ Work work) {
  constexpr bool in_registers = Where == VectorPlace::registers;
  constexpr bool staged = Where != VectorPlace::global;
  using Team = BlockTeam<InTurns<Threads, K>>;
  extern __shared__ __align__(16) unsigned char memory[];
  auto& head = *reinterpret_cast<SharedHead*>(memory);
  float* const global = work.workspace + blockIdx.x * work.vector_count * work.vector_length;
  const Team team(head.partials);

  PairQueue queue(work, head);
  for (int k = queue.next<Team>(); k < work.count; k = queue.next<Team>()) {
    if constexpr (requires { set.leaves_out(work.pairs[k], k); }) {
      if (set.leaves_out(work.pairs[k], k)) {
        Team::barrier();  // all threads have read which pair it is
        continue;
      }
    }
    // Read with the vertices: at the end of the pair all threads would wait for it. In registers it would be spilled.
    if (threadIdx.x == 0) {
      head.value_scale = work.value_scale(set, work.pairs[k]);
      head.inverse_volume = work.inverse_volume(set, work.pairs[k]);
      note_kernel(head, vertex_kernel, work.nodewise_begin, k, set.vertices(work.pairs[k].second));
    }
    unsigned char* next = memory + shared_piece(sizeof(SharedHead));
    constexpr bool near = stages_vertices(Where, Threads);
    using View = std::conditional_t<near, StagedVertices<Set>, SetView<Set>>;
    const auto& kernel = kernel_of_pair(head, vertex_kernel);
    using Kernel = std::remove_cvref_t<decltype(kernel)>;
    const PairSystem<View, Kernel> system(
        [&] {
          if constexpr (near) {
            return View(set, work.pairs[k], next);
          } else {
            return View(set);
          }
        }(),
        kernel, work.pairs[k]);
    const int m = system.m;
    if constexpr (near) next += View::bytes(system.n, m);
    const int pitch = row_pitch(Kind, m);
    const int size = system.n * pitch;
    const int length = in_registers ? Threads * K : size;
    const Divisor row_of(system.n, pitch);
    const PairSystem<SetView<Set>, Kernel> stored(SetView<Set>(set), kernel, work.pairs[k]);
    static_assert(
        BlockProduct<Xmv<Kind, Set, EdgeKernel, Threads, staged>, Set, EdgeKernel, PairSystem<SetView<Set>, Kernel>>);
    const Xmv<Kind, Set, EdgeKernel, Threads, staged> xmv(set, edge_kernel, work.choice, stored, next,
                                                          global + vectors_in_global(Where) * work.vector_length);
    Team::barrier();  // the scales, and the vertices where they are copied, are in shared memory
    float* p = global + 4 * work.vector_length;
    float* a = global + 3 * work.vector_length;
    if constexpr (staged) p = reinterpret_cast<float*>(next);
    if constexpr (in_registers) {
      a = reinterpret_cast<float*>(next + shared_piece(static_cast<std::size_t>(length) * sizeof(float)));
    }
    /// f(i, i') of an element, or `padding`.
    const auto at = [&](Slot slot, const auto& f, const auto& padding) {
      if (in_registers && slot.element >= size) return padding;
      const int i = row_of(slot.element);
      const int j = slot.element - i * pitch;
      return j < m ? f(i, j) : padding;
    };
    const auto apply = [&] {
      xmv.apply(p, a);
      Team::barrier();
    };
    const RightHandSide which = work.right_hand_side;
    const RightSide stored_right(work, k, system);
    const auto right_of = [&](int i, int j) {
      return stored_right.stored() ? stored_right.value(i, j) : system.right_hand_side(i, j);
    };
    // The solution is in p by now. What is asked for most has a loop of its own, which does not look for each element where that goes.
    const auto kernel_value = [&] {
      const KeptSolution solution(work, set, k);
      if (which == RightHandSide::stopping && !solution.kept()) {
        return head.value_scale * team.sum_in_double(length, [&](Slot slot) {
          const auto share = [&](int i, int j) { return system.starting(i, j) * static_cast<double>(p[slot.element]); };
          return at(slot, share, 0.0);
        });
      }
      return head.value_scale * team.sum_in_double(length, [&](Slot slot) {
        const auto share = [&](int i, int j) {
          const float x = p[slot.element];
          solution.put(i * m + j, x);
          return system.value_weight(i, j, which) * static_cast<double>(x);
        };
        return at(slot, share, 0.0);
      });
    };
    PairResult result;
    if constexpr (in_registers) {
      const auto row = [&](Slot slot, auto plain) {
        return at(
            slot,
            [&](int i, int j) {
              const double degrees = system.right_hand_side(i, j);
              if constexpr (decltype(plain)::value) {
                return SystemRow{system.diagonal(i, j), degrees, degrees};
              } else {
                const double right = stored_right.value(i, j);
                const double inverse_volume = head.inverse_volume;
                return SystemRow{system.diagonal(i, j), right, inverse_volume > 0 ? degrees * inverse_volume : right};
              }
            },
            SystemRow{1.0, 0.0, 0.0});
      };
      RegisterSteps<Team, K, decltype(apply), decltype(row)> steps(team, apply, row, !stored_right.stored(), length,
                                                                   head.bounds, p, a);
      result = iterate<float>(steps, work.options);
      team.for_each(length, [&](Slot slot) { p[slot.element] = steps.x(slot); });
      result.value = kernel_value();
    } else {
      CgVectors<float, InMemory, InMemory> vectors{
          {global}, {global + work.vector_length}, {global + 2 * work.vector_length}, {p}, {a}};
      const auto diagonal = [&](Slot slot) {
        return at(
            slot, [&](int i, int j) { return system.diagonal(i, j); }, 0.0);
      };
      const auto right_hand_side = [&](Slot slot) {
        return at(
            slot, [&](int i, int j) { return right_of(i, j); }, 0.0);
      };
      team.for_each(length, [&](Slot slot) {
        const double value = diagonal(slot);
        vectors.diagonal[slot] = value > 0 ? static_cast<float>(value) : 1.0F;
      });
      result = conjugate_gradient(team, apply, diagonal, right_hand_side, length, vectors, work.options);
      const double inverse_volume = head.inverse_volume;
      if (inverse_volume > 0 && result.status != Status::breakdown) {
        const auto judged = [&](Slot slot) {
          const auto share = [&](int i, int j) {
            const double rounding =
                unit_roundoff_of<float> * Kokkos::abs(system.diagonal(i, j) * double(vectors.x[slot]));
            return (Kokkos::abs(double(vectors.r[slot])) + rounding) / (inverse_volume * system.right_hand_side(i, j));
          };
          return at(slot, share, 0.0);
        };
        result.residual = team.most(length, judged);
      }
      team.for_each(length, [&](Slot slot) { vectors.p[slot] = vectors.x[slot]; });
      result.value = kernel_value();
    }
    if (head.inverse_volume > 0) result.error_bound = Kokkos::Experimental::infinity_v<double>;
    if (threadIdx.x == 0) work.results[k] = result;
    Team::barrier();
  }
}

}  // namespace octile::cuda
