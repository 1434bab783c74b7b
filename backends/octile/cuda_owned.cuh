// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/conjugate_gradient.hpp>
#include <octile/cuda_product.cuh>
#include <octile/cuda_solve.cuh>
#include <octile/cuda_team.cuh>
#include <octile/pair_system.hpp>
#include <octile/solve.hpp>

#include <cstddef>
#include <cstdint>
#include <utility>

// Solves whose product says which thread has which elements of a pair's vectors. Such a product is a class with
//
//     threads, places      of a block, and elements of a thread
//     rows, columns        vertices that G and G' may have
//     slot(place)          the element that a thread has at a place
//     Direction, p_floats  where p is, in shared memory, and its room
//     Solution             where x is, and
//     x_floats             room for it in shared memory, or 0
//     Result               where it leaves a thread's elements of N p
//     Labels, Reader       what it keeps of the vertices of G', and how its threads read vertices: `OwnLabels`, `OwnReader` or
//                          its own
//     least_bytes(sizes)   shared memory that it takes beside, on the host
//     bytes(sizes)         and that which it has use for
//     first_scale, …       what N p lacks, of G and of G'
//     apply(p, y, slack)   y ← N p by the block (see `iterate`), times what p is kept times: no barrier before or behind
//
namespace octile::cuda {

/// An element of a pair's vectors, as its thread knows it: i and i', and where it is in p.
struct OwnSlot {
  int place;
  int i;
  int j;
  int element;
};

/// A thread's elements by the product's dealing. What lies beyond the pair is a filling, 0 in all vectors.
template <class Product>
struct OwnElements {
  static constexpr int threads = Product::threads;

  template <class Function>
  __device__ __forceinline__ static void each(int, const Function& function) {
#pragma unroll
    for (int place = 0; place < Product::places; ++place) function(Product::slot(place));
  }
  /// A loop that stays one (see `InTurns`): not for what is in registers.
  template <class Function>
  __device__ __forceinline__ static void in_turn(int count, const Function& function) {
    if constexpr (Product::Solution::in_memory) {
#pragma unroll 2
      for (int place = 0; place < Product::places; ++place) function(Product::slot(place));
    } else {
      each(count, function);
    }
  }
};

/// Where p may be: in single precision. Numbers are got and set times a factor, which elsewhere may be another: `get` gives
/// what has to be multiplied by `inverse`, `set` takes what has been multiplied by `scale`, and gives it as it is kept.
struct InSingle {
  static constexpr bool rounds = false;
  float* values;

  __device__ explicit InSingle(float* place) : values(place) {}
  __device__ float get(const OwnSlot& slot) const { return values[slot.element]; }
  __device__ float set(const OwnSlot& slot, float value) const { return values[slot.element] = value; }
  __device__ static float inverse() { return 1; }
  __device__ static float scale() { return 1; }
  __device__ static float scale_inverse() { return 1; }
  /// What is set from now on is of about this size,
  __device__ void expect(float) const {}
  /// and may be got from now on.
  __device__ void turn() const {}
};

/// Vectors that none but its own thread touches, place by place, the threads side by side: in shared memory, or in global
/// memory, past the nearest cache, which has better use.
template <int Threads>
struct OwnInShared {
  static constexpr bool in_memory = true;
  float* values;

  __device__ explicit OwnInShared(float* place) : values(place) {}
  __device__ float get(const OwnSlot& slot) const { return *at(slot); }
  __device__ void set(const OwnSlot& slot, float value) const { *at(slot) = value; }

 private:
  __device__ float* at(const OwnSlot& slot) const { return values + slot.place * Threads + threadIdx.x; }
};
template <int Threads>
struct OwnInGlobal {
  static constexpr bool in_memory = true;
  float* values;

  __device__ explicit OwnInGlobal(float* place) : values(place) {}
  __device__ float get(const OwnSlot& slot) const { return __ldcg(at(slot)); }
  __device__ void set(const OwnSlot& slot, float value) const { __stcg(at(slot), value); }

 private:
  __device__ float* at(const OwnSlot& slot) const { return values + slot.place * Threads + threadIdx.x; }
};

/// Vertices of one graph, in shared memory. A filling has degree 0, and so has its reciprocal.
template <int Count>
struct OwnVertices {
  double inverse[Count];  ///< scale / d_i
  float degree[Count];
  float rounded_inverse[Count];
  std::uint32_t label[Count];

  template <class Set>
  __device__ void fill(const Set& set, std::uint32_t first_vertex, int count, double scale) {
    for (int v = static_cast<int>(threadIdx.x); v < Count; v += static_cast<int>(blockDim.x)) {
      const double d = v < count ? set.degrees(first_vertex + v) : 0.0;
      inverse[v] = v < count ? scale / d : 0.0;
      degree[v] = static_cast<float>(d);
      rounded_inverse[v] = static_cast<float>(inverse[v]);
      label[v] = v < count ? set.vertex_labels(first_vertex + v) : 0;
    }
  }
};

/// What a product keeps of the ids of the vertices of G' beside `OwnVertices`: nothing.
struct OwnLabels {
  __device__ void set(int, std::uint32_t) {}
};

/// How a thread reads the vertices of its elements, place by place: as it goes. `begin` comes before each pass over places.
struct OwnReader {
  template <class Own>
  __device__ void begin(const Own&) {}
  template <class Own>
  __device__ static float weight(const Own& own, const OwnSlot& slot) {
    return own.first.degree[slot.i] * own.second.degree[slot.j];
  }
  template <class Own>
  __device__ static float inverse_weight(const Own& own, const OwnSlot& slot) {
    return own.first.rounded_inverse[slot.i] * own.second.rounded_inverse[slot.j];
  }
  template <class Own>
  __device__ static std::uint32_t label(const Own& own, const OwnSlot& slot) {
    return own.second.label[slot.j];
  }
};

/// The beginning of a block's shared memory, which is laid out as
///
///     this │ κv(id, v_i) of each id, and 1/κv, a row each │ p │ x, if it is there │ what the product keeps
template <class Product>
struct OwnHead {
  SharedHead head;
  OwnVertices<Product::rows> first;
  OwnVertices<Product::columns> second;
  typename Product::Labels labels;
};

/// From one id's rows of κv to the next's: lanes of four columns by eight rows find them in different banks.
template <class Product>
inline constexpr int kappa_pitch = 2 * Product::rows + 8;

/// Floats of the rows of κv; a constant has none.
template <class Product>
KOKKOS_INLINE_FUNCTION constexpr std::size_t kappa_floats(std::size_t ids) {
  return ids == 1 ? 0 : ids * kappa_pitch<Product>;
}

/// Shared memory of a block without what the product keeps.
template <class Product>
KOKKOS_INLINE_FUNCTION constexpr std::size_t own_bytes(std::size_t ids) {
  return shared_piece(sizeof(OwnHead<Product>)) + shared_piece(sizeof(float) * kappa_floats<Product>(ids)) +
         shared_piece(sizeof(float) * Product::p_floats) + shared_piece(sizeof(float) * Product::x_floats);
}

/// The steps of `iterate` for (D× V×⁻¹ − N) x = D× q×, with r divided by D×: r̂ = D×⁻¹ r. M is nowhere kept; what is left of
/// it is κv, which a kernel without labels of vertices does not read either.
///
///     r̂ ← 1             ŷ = D×⁻¹ N p         q̂ = p / κ − ŷ
///     pᵀ S p = Σ d d' p q̂      r̂ ← r̂ − α q̂      p ← κ r̂ + β p      ‖r‖² = Σ (d d' r̂)²      rᵀ M⁻¹ r = Σ d d' κ r̂²
///
/// r̂ and q̂ are a thread's own, in registers; p is in shared memory, and x, which nobody waits for, there or in global
/// memory. Where p is rounded, x is so too before the residual is formed anew, which thus is that of x.
template <class Product>
class OwnSteps {
 public:
  using Direction = typename Product::Direction;
  using Team = BlockTeam<OwnElements<Product>>;
  using Part = typename Team::Partial;
  using Real = float;
  static constexpr Real unit = Direction::rounds ? 2 * roundoff<float> : roundoff<float>;

  __device__ OwnSteps(const Team& team, const Product& product, const OwnHead<Product>& own, const VertexTable& kernel,
                      const float* kappa, float* p, float* x, float* y)
      : team_(team),
        product_(product),
        own_(own),
        kernel_(kernel),
        kappa_(kappa),
        constant_(kernel.count == 1),
        p_(p),
        x_(x) {
    if constexpr (in_shared) y_.values = y;
    whole_ = kernel.single(0, 0);
  }

  __device__ __forceinline__ Sums<float> begin() {
    reader_.begin(own_);
    p_.expect(whole_.x);
    const float scale = p_.scale();
    const Sums<float> all = team_.sum_in_float(0, [&](const OwnSlot& slot, Part& sums) {
      const float weight = this->weight(slot);
      const float kappa = this->kappa(slot);
      const float r = weight > 0 ? 1.0F : 0.0F;
      x_.set(slot, 0.0F);
      r_[slot] = r;
      p_.set(slot, scale * kappa * r);
      sums += Part{weight * weight, weight * kappa};
    });
    p_.turn();
    first_rho_ = rho_ = all.second;
    return all;
  }

  __device__ __forceinline__ void apply(float slack) { product_.apply(p_, y_, slack); }

  /// p and q̂ times what p is kept times, here and in `step`.
  __device__ __forceinline__ float curvature() {
    reader_.begin(own_);
    const float inverse = p_.inverse();
    return inverse * inverse * team_.one_sum(0, [&](const OwnSlot& slot) {
      const float p = p_.get(slot);
      const float q = p * inverse_kappa(slot) - y_[slot] * inverse_weight(slot);
      y_[slot] = q;
      return weight(slot) * (p * q);
    });
  }

  __device__ __forceinline__ Sums<float> step(float alpha) {
    reader_.begin(own_);
    const float far = alpha * p_.inverse();
    const Sums<float> all = team_.sum_in_float(0, [&](const OwnSlot& slot, Part& sums) {
      const float r = r_[slot] - far * y_[slot];
      r_[slot] = r;
      const float z = kappa(slot) * r;
      if constexpr (!in_shared) y_[slot] = z;  // for `advance`
      sums += squares(slot, r, z);
    });
    rho_ = all.second;
    return all;
  }

  __device__ __forceinline__ void advance(float alpha, float beta) {
    reader_.begin(own_);
    p_.expect(size());
    const float scale = p_.scale();
    const float far = alpha * p_.inverse();
    const float part = beta * p_.inverse() * scale;
    team_.for_each(0, [&](const OwnSlot& slot) {
      const float p = p_.get(slot);
      x_.set(slot, x_.get(slot) + far * p);
      float z;
      if constexpr (in_shared) {
        z = kappa(slot) * r_[slot];
      } else {
        z = y_[slot];
      }
      p_.set(slot, scale * z + part * p);
    });
    p_.turn();
  }

  __device__ __forceinline__ void settle(float alpha) {
    const float far = alpha * p_.inverse();
    const auto moved = [&](const OwnSlot& slot) { return x_.get(slot) + far * p_.get(slot); };
    if constexpr (Direction::rounds) {
      constexpr auto elements = static_cast<float>(Product::places * Product::threads);
      const float squares = team_.one_sum(0, [&](const OwnSlot& slot) {
        const float x = moved(slot);
        return x * x;
      });
      p_.expect(sqrtf(squares / elements));
    }
    const float scale = p_.scale();
    const float inverse = p_.scale_inverse();
    team_.for_each(0, [&](const OwnSlot& slot) { x_.set(slot, inverse * p_.set(slot, scale * moved(slot))); });
    p_.turn();
  }

  /// r̂ ← 1 − x/κ + D×⁻¹ N x in double: neither M nor D is rounded to single precision in it.
  __device__ __forceinline__ Sums<float> anew() {
    Team::barrier();  // others have read p
    reader_.begin(own_);
    const double kept = p_.inverse();
    const Sums<float> all = team_.sum_in_float(0, [&](const OwnSlot& slot, Part& sums) {
      const double inverse = own_.first.inverse[slot.i] * own_.second.inverse[slot.j];
      const double applied = kept * (double(p_.get(slot)) * exact_inverse_kappa(slot) - double(y_[slot]) * inverse);
      const float r = weight(slot) > 0 ? static_cast<float>(1.0 - applied) : 0.0F;
      const float z = kappa(slot) * r;
      r_[slot] = r;
      if constexpr (!Direction::rounds) p_.set(slot, z);
      sums += squares(slot, r, z);
    });
    rho_ = all.second;
    if constexpr (Direction::rounds) {
      p_.expect(size());
      const float scale = p_.scale();
      team_.for_each(0, [&](const OwnSlot& slot) { p_.set(slot, scale * kappa(slot) * r_[slot]); });
      p_.turn();
    }
    return all;
  }

  __device__ __forceinline__ float image() const {
    reader_.begin(own_);
    return team_.one_sum(0, [&](const OwnSlot& slot) {
      const float term = weight(slot) * inverse_kappa(slot) * x_.get(slot);
      return term * term;
    });
  }

  __device__ __forceinline__ static float quotient(float a, float b) { return Team::quotient(a, b); }

  __device__ float x(const OwnSlot& slot) const { return x_.get(slot); }

 private:
  static constexpr bool in_shared = std::is_same_v<typename Product::Result, InMemory>;

  /// Of p, about.
  __device__ float size() const { return whole_.x * sqrtf(rho_ / first_rho_); }

  __device__ int label(const OwnSlot& slot) const { return static_cast<int>(reader_.label(own_, slot)); }
  __device__ float weight(const OwnSlot& slot) const { return reader_.weight(own_, slot); }
  __device__ float inverse_weight(const OwnSlot& slot) const { return reader_.inverse_weight(own_, slot); }
  __device__ float kappa(const OwnSlot& slot) const {
    return constant_ ? whole_.x : kappa_[label(slot) * kappa_pitch<Product> + slot.i];
  }
  __device__ float inverse_kappa(const OwnSlot& slot) const {
    return constant_ ? whole_.y : kappa_[label(slot) * kappa_pitch<Product> + Product::rows + slot.i];
  }
  __device__ double exact_inverse_kappa(const OwnSlot& slot) const {
    return kernel_.reciprocal(own_.first.label[slot.i], own_.second.label[slot.j]);
  }
  __device__ Part squares(const OwnSlot& slot, float r, float z) const {
    const float whole = weight(slot) * r;
    return {whole * whole, whole * z};
  }

  const Team& team_;
  const Product& product_;
  const OwnHead<Product>& own_;
  const VertexTable& kernel_;
  const float* kappa_;
  bool constant_;
  float2 whole_;  ///< κv and 1/κv of a constant kernel, or of the first id with itself
  float rho_ = 0;
  float first_rho_ = 0;
  mutable typename Product::Reader reader_;
  Direction p_;
  typename Product::Solution x_;
  Registers<Product::places> r_;
  typename Product::Result y_;
};

/// The whole CG of pair after pair, claimed from a common counter.
template <class Product, class Set, class EdgeKernel>
__global__ void __launch_bounds__(Product::threads, Product::blocks)
    solve_owned(const __grid_constant__ Set set, const VertexTable kernel, const EdgeKernel edge_kernel,
                const __grid_constant__ Work work) {
  using Team = typename OwnSteps<Product>::Team;
  extern __shared__ __align__(16) unsigned char memory[];
  auto& own = *reinterpret_cast<OwnHead<Product>*>(memory);
  auto* const kappa = reinterpret_cast<float*>(memory + shared_piece(sizeof(OwnHead<Product>)));
  auto* const p = kappa + shared_piece(sizeof(float) * kappa_floats<Product>(kernel.count)) / sizeof(float);
  unsigned char* const kept = memory + own_bytes<Product>(kernel.count);
  float* x = work.workspace + blockIdx.x * work.vector_length;
  if constexpr (Product::x_floats > 0) x = p + shared_piece(sizeof(float) * Product::p_floats) / sizeof(float);
  const Team team(own.head.partials);
  PairQueue queue(work, own.head);
  for (int k = queue.next<Team>(); k < work.count; k = queue.next<Team>()) {
    const PairSystem<SetView<Set>, VertexTable> system(SetView<Set>(set), kernel, work.pairs[k]);
    const Product product(set, edge_kernel, system, p, kept, memory + work.shared_bytes);
    own.first.fill(set, system.first_vertex, system.n, product.first_scale * product.second_scale);
    own.second.fill(set, system.second_vertex, system.m, 1);
    for (int v = static_cast<int>(threadIdx.x); v < Product::columns; v += Product::threads) {
      own.labels.set(v, v < system.m ? set.vertex_labels(system.second_vertex + v) : 0);
    }
    for (int row = 0; row < int(kappa_floats<Product>(kernel.count)) / kappa_pitch<Product>; ++row) {
      for (int i = static_cast<int>(threadIdx.x); i < Product::rows; i += Product::threads) {
        const std::uint32_t label = i < system.n ? set.vertex_labels(system.first_vertex + i) : 0;
        const float2 value = kernel.single(row * kernel.count, label);
        kappa[row * kappa_pitch<Product> + i] = value.x;
        kappa[row * kappa_pitch<Product> + Product::rows + i] = value.y;
      }
    }
    Team::barrier();
    OwnSteps<Product> steps(team, product, own, kernel, kappa, p, x, reinterpret_cast<float*>(kept));
    PairResult result = iterate<float>(steps, work.options);
    // K = q² p×ᵀ x
    const bool wanted = k == 0 && work.nodewise != nullptr;
    result.value = work.scale * team.sum_in_double(0, [&](const OwnSlot& slot) {
      if (slot.i >= system.n || slot.j >= system.m) return 0.0;
      const double x_here = steps.x(slot);
      if (wanted) work.nodewise[slot.i * system.m + slot.j] = static_cast<float>(work.scale * x_here);
      return system.starting(slot.i, slot.j) * x_here;
    });
    if (threadIdx.x == 0) work.results[k] = result;
    Team::barrier();
  }
}

}  // namespace octile::cuda
