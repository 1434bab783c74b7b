// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/base/unit_roundoff.hpp>
#include <octile/cuda/block/shared_head.cuh>
#include <octile/cuda/block/team.cuh>
#include <octile/cuda/block/vertex_table.cuh>
#include <octile/cuda/iterate/first_sum.cuh>
#include <octile/cuda/iterate/register_steps.cuh>
#include <octile/cuda/iterate/work.cuh>
#include <octile/cuda/products/concepts.cuh>
#include <octile/pairs/system.hpp>
#include <octile/pairs/vector_steps.hpp>
#include <octile/solve.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace octile::cuda {

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
///     │ d of G │ of G' │ p of G │ of G' │ labels of G │ of G' │
///
template <class Set>
class StagedVertices {
 public:
  using scalar_type = float;
  using Label = typename Set::vertex_label_type;
  static constexpr double q = 1;  ///< the value in every `ProductSet`

  static KOKKOS_INLINE_FUNCTION constexpr std::size_t bytes(std::size_t n, std::size_t m) {
    return staged_vertices(sizeof(Label), n, m);
  }

  /// Copies the pair's vertices to `place`. A barrier of the block must follow.
  __device__ StagedVertices(const Set& set, Pair pair, unsigned char* place)
      : first_(pair.first), n_(set.vertices(pair.first)), m_(set.vertices(pair.second)) {
    const std::size_t piece = shared_piece(sizeof(double) * std::size_t(n_ + m_));
    auto* const degrees = reinterpret_cast<double*>(place);
    auto* const starting = reinterpret_cast<double*>(place + piece);
    auto* const labels = reinterpret_cast<Label*>(place + 2 * piece);
    for (int v = static_cast<int>(threadIdx.x); v < n_ + m_; v += static_cast<int>(blockDim.x)) {
      const std::uint32_t from = v < n_ ? set.vertex_begin(pair.first) + v : set.vertex_begin(pair.second) + (v - n_);
      degrees[v] = set.degrees(from);
      starting[v] = set.starting(from);
      labels[v] = set.vertex_labels(from);
    }
    degrees_ = degrees;
    starting_ = starting;
    labels_ = labels;
  }

  __device__ std::uint32_t vertex_begin(int graph) const { return graph == first_ ? 0 : n_; }
  __device__ int vertices(int graph) const { return graph == first_ ? n_ : m_; }
  __device__ double degrees(std::uint32_t vertex) const { return degrees_[vertex]; }
  __device__ double starting(std::uint32_t vertex) const { return starting_[vertex]; }
  __device__ Label vertex_labels(std::uint32_t vertex) const { return labels_[vertex]; }

 private:
  int first_;
  int n_;
  int m_;
  const double* degrees_;
  const double* starting_;
  const Label* labels_;
};

/// A pair's vertices as its system reads them: from the set, or if they are to be near from copies at `place`, which a barrier must follow.
template <bool Near, class Set>
__device__ __forceinline__ auto view_of_pair(const Set& set, Pair pair, unsigned char* place) {
  if constexpr (Near) {
    return StagedVertices<Set>(set, pair, place);
  } else {
    return SetView<Set>(set);
  }
}

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
    const Pair pair = work.pairs[k];
    // Read with the vertices, by all threads: a branch would wait for it, and at the end of the pair all threads would.
    const double value_scale = work.value_scale(set, pair);
    unsigned char* next = memory + shared_piece(sizeof(SharedHead));
    constexpr bool near = stages_vertices(Where, Threads);
    const auto& kernel = kernel_of_pair(head, vertex_kernel);
    using Kernel = std::remove_cvref_t<decltype(kernel)>;
    const PairSystem system(view_of_pair<near>(set, pair, next), kernel, pair);
    if (threadIdx.x == 0) {  // in registers they would be spilled
      head.value_scale = value_scale;
      head.inverse_volume = work.inverse_volume(set, pair, work.right_hand_side);
      note_kernel(head, vertex_kernel, work.nodewise_begin, k, system.m);
    }
    const int m = system.m;
    if constexpr (near) next += StagedVertices<Set>::bytes(system.n, m);
    const int pitch = row_pitch(Kind, m);
    const int size = system.n * pitch;
    const int length = in_registers ? Threads * K : size;
    const Divisor row_of(system.n, pitch);
    const PairSystem<SetView<Set>, Kernel> stored(SetView<Set>(set), kernel, pair);
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
      if constexpr (row_pitch(Kind, 2) == 2) return f(i, j);
      return j < m ? f(i, j) : padding;
    };
    // The system of y, if this block solves it too, finds the pair as it stands. There are kernels for both at once with vectors in registers.
    const auto asked = [&] {
      if constexpr (in_registers) {
        return LaunchedSystem(work);
      } else {
        if (threadIdx.x == 0) head.claimed = 0;  // all threads have read which pair it is
        Team::barrier();
        return SystemInTurn(work, head.claimed);
      }
    }();
    // Vectors in registers leave none for sums, and are of small pairs.
    constexpr bool sums_first = !in_registers && has_first_terms<Set, VertexKernel, EdgeKernel>();
    const auto first_terms = [&]() -> const FirstTerms& { return asked.behind() ? work.first_of_y : work.first_terms; };
    [[maybe_unused]] bool first_is_next = false;
    const auto apply = [&] {
      if constexpr (sums_first) {
        if (first_is_next) {
          first_is_next = false;
          const FirstSum sum(first_terms(), stored.first_vertex, stored.second_vertex);
          sum.each<Threads>(system.n, m, first_terms().present[pair.second],
                            [&](int i, int j, float value) { a[i * pitch + j] = value; });
          Team::barrier();
          return;
        }
      }
      xmv.apply(p, a);
      Team::barrier();
    };
#pragma unroll 1
    for (;;) {
      if constexpr (sums_first) first_is_next = first_terms().ids > 0;
      const RightSide stored_right(work, k, system, asked);
      const auto right_of = [&](int i, int j) {
        return stored_right.stored() ? stored_right.value(i, j) : system.right_hand_side(i, j);
      };
      // The solution is in p by now.
      const auto kernel_value = [&] {
        return head.value_scale * team.sum_in_double(length, [&](Slot slot) {
          const auto share = [&](int i, int j) {
            return system.value_weight(i, j, asked.right_hand_side()) * static_cast<double>(p[slot.element]);
          };
          return at(slot, share, 0.0);
        });
      };
      const auto leave = [&](PairResult& result) {
        const KeptSolution solution(work, set, k, asked);
        if (!work.has_trials()) result.value = kernel_value();
        solution.each_way([&](const auto& put) {
          team.in_turn(size, [&](Slot slot) {
            const int i = row_of(slot.element);
            const int j = slot.element - i * pitch;
            if (j < m) put(i * m + j, p[slot.element]);
          });
        });
      };
      PairResult result;
      if constexpr (in_registers) {
        const auto rows = [&](auto plain) {
          return [&, table = for_a_pass(kernel)](Slot slot) {
            return at(
                slot,
                [&](int i, int j) {
                  const double degrees = system.right_hand_side(i, j);
                  SystemRow row{degrees * system.reciprocal_by(table, i, j), degrees, degrees, 0.0};
                  if constexpr (decltype(plain)::value) {
                    row.weight = system.starting(i, j);
                  } else {
                    row.right_hand_side = stored_right.value(i, j);
                    const double inverse_volume = head.inverse_volume;
                    row.judged_by = inverse_volume > 0 ? degrees * inverse_volume : row.right_hand_side;
                    row.weight = system.value_weight(i, j, asked.right_hand_side());
                  }
                  return row;
                },
                SystemRow{1.0, 0.0, 0.0, 0.0});
          };
        };
        RegisterSteps<Team, K, decltype(apply), decltype(rows)> steps(team, apply, rows, !stored_right.stored(), length,
                                                                      head.bounds, p, a);
        result = iterate<float>(steps, work.options, tolerance_of(work.options, asked.tolerance(k), system.size()));
        // K was added up with the last residual, which is that of x, or by `close`. A breakdown may come before there is one.
        if (work.keeps_solutions() || work.options.judged_later || result.status == Status::breakdown) {
          team.for_each(length, [&](Slot slot) { p[slot.element] = steps.x(slot); });
          leave(result);
        } else {
          result.value = head.value_scale * team.value();
        }
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
        result = conjugate_gradient(team, apply, diagonal, right_hand_side, length, vectors, work.options,
                                    tolerance_of(work.options, asked.tolerance(k), system.size()));
        const double inverse_volume = head.inverse_volume;
        if (inverse_volume > 0 && result.status != Status::breakdown) {
          const auto judged = [&](Slot slot) {
            const auto share = [&](int i, int j) {
              const double rounding =
                  unit_roundoff_of<float> * Kokkos::abs(system.diagonal(i, j) * double(vectors.x[slot]));
              return (Kokkos::abs(double(vectors.r[slot])) + rounding) /
                     (inverse_volume * system.right_hand_side(i, j));
            };
            return at(slot, share, 0.0);
          };
          result.residual = team.most(length, judged);
        }
        team.for_each(length, [&](Slot slot) { vectors.p[slot] = vectors.x[slot]; });
        leave(result);
      }
      if (head.inverse_volume > 0) result.error_bound = Kokkos::Experimental::infinity_v<double>;
      if (threadIdx.x == 0) asked.result(k) = result;
      const bool last = in_registers || work.adjoint_results == nullptr || asked.behind();
      Team::barrier();
      if (last) break;
      if (threadIdx.x == 0) {
        head.claimed = 1;
        head.inverse_volume = work.inverse_volume(set, pair, RightHandSide::starting);
      }
      Team::barrier();
    }
  }
}

}  // namespace octile::cuda
