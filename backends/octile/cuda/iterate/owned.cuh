// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/conjugate_gradient.hpp>
#include <octile/cuda/iterate/solve.cuh>
#include <octile/cuda/iterate/team.cuh>
#include <octile/cuda/products/product.cuh>
#include <octile/cuda/start/projection.cuh>
#include <octile/pair_system.hpp>
#include <octile/solve.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

// Solves whose product says which thread has which elements of a pair's vectors. Such a product is a class with
//
//     threads, places      of a block, and elements of a thread
//     rows, columns        vertices that G and G' may have
//     slot(place)          the element that a thread has at a place
//     starts               whether a projected system is worth its while: where iterations are many or dear; if so,
//     element(i, i')       where an element is in p, i' even; the next column is beside it
//     Direction, p_floats  where p is, in shared memory, and its room
//     Solution, Residual   where x and z are, and
//     own_floats           room for z in shared memory, or 0
//     Result               where it leaves a thread's elements of N p
//     Labels, Reader       what it keeps of the vertices of G', and how its threads read vertices: `OwnLabels`, `OwnReader` or
//                          its own
//     memory()             shared memory that it takes beside, on the host
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
};

/// Where p may be: in single precision. Numbers are got and set times a factor, which elsewhere may be another: `get` gives
/// what has to be multiplied by `inverse`, `set` takes what has been multiplied by `scale`, and gives it as it is kept.
struct InSingle {
  static constexpr bool rounds = false;
  float* values;

  __device__ explicit InSingle(float* place) : values(place) {}
  __device__ float get(const OwnSlot& slot) const { return values[slot.element]; }
  __device__ float set(const OwnSlot& slot, float value) const { return values[slot.element] = value; }
  /// Two columns side by side, by any thread.
  __device__ void set_two(int element, float first, float second) const {
    *reinterpret_cast<float2*>(values + element) = float2{first, second};
  }
  __device__ static float inverse() { return 1; }
  __device__ static float scale() { return 1; }
  __device__ static float scale_inverse() { return 1; }
  /// What is set from now on is of about this size,
  __device__ void expect(float) const {}
  /// and may be got from now on.
  __device__ void turn() const {}
};

/// A thread's elements of a vector that none but it touches, some at once. Passes over them go place by place.
template <int Threads, int Places>
struct OwnPieces {
  static constexpr int width = Places % 4 == 0 ? 4 : 2;
  using Piece = std::conditional_t<width == 4, float4, float2>;

  /// Of a place's piece, counted in pieces, and of the place itself, in floats.
  __device__ static int piece(int place) { return place / width * Threads + static_cast<int>(threadIdx.x); }
  __device__ static int number(int place) { return piece(place) * width + place % width; }

  __device__ static float& part(Piece& piece, int place) {
    if constexpr (width == 4) {
      if (place % 4 >= 2) return place % 2 == 0 ? piece.z : piece.w;
    }
    return place % 2 == 0 ? piece.x : piece.y;
  }
};

/// Vectors that none but its own thread touches: in registers, with places that the compiler knows, or
template <int Threads, int Places>
class OwnInRegisters {
 public:
  __device__ explicit OwnInRegisters(float*) {}
  __device__ float get(const OwnSlot& slot) const { return values_[slot.place]; }
  __device__ void set(const OwnSlot& slot, float value) { values_[slot.place] = value; }

 private:
  float values_[Places];
};

/// in memory, shared, or global past the nearest cache, which has better use: `get` and `set` are for passes, `at` is for any place;
template <int Threads, int Places, bool Global>
class OwnInMemory {
 public:
  __device__ explicit OwnInMemory(float* place) : values_(place) {}
  __device__ float get(const OwnSlot& slot) {
    if (slot.place % Pieces::width == 0) read_ = load(pieces() + Pieces::piece(slot.place));
    return Pieces::part(read_, slot.place);
  }
  __device__ void set(const OwnSlot& slot, float value) {
    Pieces::part(written_, slot.place) = value;
    if (slot.place % Pieces::width == Pieces::width - 1) store(pieces() + Pieces::piece(slot.place), written_);
  }
  __device__ float at(const OwnSlot& slot) const { return load(values_ + Pieces::number(slot.place)); }

 private:
  using Pieces = OwnPieces<Threads, Places>;
  using Piece = typename Pieces::Piece;

  template <class T>
  __device__ static T load(const T* from) {
    if constexpr (Global) {
      return __ldcg(from);
    } else {
      return *from;
    }
  }
  __device__ static void store(Piece* to, const Piece& piece) {
    if constexpr (Global) {
      __stcg(to, piece);
    } else {
      *to = piece;
    }
  }
  __device__ Piece* pieces() const { return reinterpret_cast<Piece*>(values_); }

  float* values_;
  Piece read_{};
  Piece written_{};
};
template <int Threads, int Places>
using OwnInShared = OwnInMemory<Threads, Places, false>;
template <int Threads, int Places>
using OwnInGlobal = OwnInMemory<Threads, Places, true>;
/// or in both: the first half in registers.
template <int Threads, int Places>
class OwnInBoth {
 public:
  static constexpr int in_registers = Places / 8 * 4;
  static constexpr std::size_t floats = std::size_t{Places - in_registers} * Threads;

  __device__ explicit OwnInBoth(float* place) : rest_(place) {}
  __device__ float get(const OwnSlot& slot) {
    return slot.place < in_registers ? values_[slot.place] : rest_.get(behind(slot));
  }
  __device__ void set(const OwnSlot& slot, float value) {
    if (slot.place < in_registers) {
      values_[slot.place] = value;
    } else {
      rest_.set(behind(slot), value);
    }
  }

 private:
  __device__ static OwnSlot behind(const OwnSlot& slot) {
    return {slot.place - in_registers, slot.i, slot.j, slot.element};
  }

  float values_[in_registers];
  OwnInShared<Threads, Places - in_registers> rest_;
};

/// Vertices of one graph, in shared memory. A filling has degree 0, and so has its reciprocal.
template <int Count>
struct OwnVertices {
  alignas(16) float2 degrees[Count];  ///< d_i, scale / d_i
  double inverse[Count];              ///< scale / d_i; at last, starting probabilities
  std::uint32_t label[Count];

  template <class Set>
  __device__ void fill(const Set& set, std::uint32_t first_vertex, int count, double scale) {
    for (int v = static_cast<int>(threadIdx.x); v < Count; v += static_cast<int>(blockDim.x)) {
      const double d = v < count ? set.degrees(first_vertex + v) : 0.0;
      inverse[v] = v < count ? scale / d : 0.0;
      degrees[v] = {static_cast<float>(d), static_cast<float>(inverse[v])};
      label[v] = v < count ? set.vertex_labels(first_vertex + v) : 0;
    }
  }
  template <class Set>
  __device__ void start(const Set& set, std::uint32_t first_vertex, int count) {
    for (int v = static_cast<int>(threadIdx.x); v < Count; v += static_cast<int>(blockDim.x)) {
      inverse[v] = v < count ? set.starting(first_vertex + v) : 0.0;
    }
  }
};

/// What a product keeps of the ids of the vertices of G' beside `OwnVertices`: nothing.
struct OwnLabels {
  __device__ void set(int, std::uint32_t) {}
};

/// What a row's vertices are read from: rows of pairs, an id each.
struct OwnShares {
  template <int Pitch>
  __device__ static float2 share(const float2* row, const OwnSlot& slot) {
    return row[slot.i];
  }
  template <int Pitch>
  __device__ static void set_share(float2* row, int i, float2 share) {
    row[i] = share;
  }
};

/// How a thread reads the vertices of G' of its elements, place by place: as it goes. `begin` comes before each pass.
struct OwnReader : OwnShares {
  template <class Own>
  __device__ void begin(const Own&) {}
  /// d'_i' and its reciprocal.
  template <class Own>
  __device__ static float2 degree(const Own& own, const OwnSlot& slot) {
    return own.second.degrees[slot.j];
  }
  template <class Own>
  __device__ static std::uint32_t label(const Own& own, const OwnSlot& slot) {
    return own.second.label[slot.j];
  }
};

/// The beginning of a block's shared memory, which is laid out as
///
///     this │ d_i / κv(id, v_i) and κv(id, v_i) / d_i, a row an id │ p │ z, if it is there │ what the product keeps
template <class Product>
struct OwnHead {
  SharedHead head;
  alignas(16) Bounds<float> bounds[Product::threads / 32];
  float alpha[Product::threads / 32];  ///< of the step before
  float unscale;                       ///< takes from M⁻¹ what N p lacks
  OwnVertices<Product::rows> first;
  OwnVertices<Product::columns> second;
  typename Product::Labels labels;
};

/// From one id's row to the next's, of pairs of floats: lanes of four columns by eight rows find them in different banks.
template <class Product>
inline constexpr int share_pitch = static_cast<int>(share_pitch_of(Product::rows));

/// Shared memory of the rows of so many ids.
template <class Product>
KOKKOS_INLINE_FUNCTION constexpr std::size_t share_bytes(std::size_t ids) {
  return shared_piece(sizeof(float2) * ids * share_pitch<Product>);
}

/// Shared memory of a block without what the product keeps.
template <class Product>
KOKKOS_INLINE_FUNCTION constexpr std::size_t own_bytes(std::size_t ids) {
  return shared_piece(sizeof(OwnHead<Product>)) + share_bytes<Product>(ids) +
         shared_piece(sizeof(float) * Product::p_floats) + shared_piece(sizeof(float) * Product::own_floats);
}

/// The steps of `iterate` for (M − N) x = b, M = D× V×⁻¹, b = D×, in what the preconditioner makes of it:
///
///     z = M⁻¹ r      q = M⁻¹ (M − N) p = p − M⁻¹ N p      x ← x + α p      z ← z − α q      p ← z + β p
///
/// so that M⁻¹ is in the products' result alone, and M in the sums alone. Both are products of a row's share, d_i / κv or its
/// reciprocal, which is one load a row and an id, and of a column's. An iteration goes over the elements twice:
///
///     curvature    q, and all sums that z, q and p can have, pᵀ M q among them:
///                  from them follows what ‖z‖² and rᵀ z will be at any α
///     advance      x, z and p
///
/// Where little of them will be left the difference of sums is no number, and `step` forms z and the sums of it.
///
/// p is in shared memory, q in registers. x and z are a thread's own, and where there is room: z in registers,
/// shared or global memory, x, which nobody waits for, in the last.
/// Where p is rounded, x is so too before the residual is formed anew, which thus is that of x.
template <class Product>
class OwnSteps {
 public:
  using Direction = typename Product::Direction;
  using Team = BlockTeam<OwnElements<Product>>;
  using Part = typename Team::Partial;
  using Real = float;
  /// Products that lose something leave a part of the tolerance too, less of it where only steady steps are trusted.
  static constexpr Real guess_margin = !Direction::rounds ? 0.8F : Product::starts ? 0.7F : 0.4F;
  static constexpr bool starts = Product::starts;
  static constexpr bool asks_again = !std::is_same_v<typename Product::Result, InMemory>;

  __device__ OwnSteps(const Team& team, const Product& product, const ProjectedStart& start, OwnHead<Product>& own,
                      const VertexTable& kernel, const float2* shares, float* p, float* x, float* z, float* y)
      : team_(team),
        product_(product),
        start_(start),
        own_(own),
        kernel_(kernel),
        shares_(shares),
        p_(p),
        x_(x),
        z_(z) {
    if constexpr (in_shared) y_.values = y;
  }

  __device__ __forceinline__ Sums<float> begin() {
    reader_.begin(own_);
    p_.expect(largest());
    const float scale = p_.scale();
    const Sums<float> all = team_.sum_in_float(0, [&](const OwnSlot& slot, Part& sums) {
      const float weight = this->weight(slot);
      const float z = weight * inverse_share(slot);
      x_.set(slot, 0.0F);
      z_.set(slot, z);
      p_.set(slot, scale * z);
      sums += Part{z * z, weight * z};
    });
    p_.turn();
    rho_ = all.second;
    return all;
  }

  __device__ __forceinline__ void start() {
    static_assert(Product::rows % basis_size == 0 && Product::columns % basis_size == 0);
    static_assert(Product::rows <= most_based && Product::columns <= most_based);
    steady(0);
    if (!start_.given()) return;
    const float scale = p_.scale();
    start_.fill([&](int i, int j, float first, float second) {
      p_.set_two(Product::element(i, j), scale * first, scale * second);
    });
    Team::barrier();
  }
  __device__ bool started() const { return start_.given(); }

  __device__ __forceinline__ void apply(float slack) { product_.apply(p_, y_, slack); }

  __device__ __forceinline__ float curvature() {
    reader_.begin(own_);
    float sums[Team::at_once] = {};
    OwnElements<Product>::each(0, [&](const OwnSlot& slot) {
      const float2 share = this->share(slot);
      const float p = p_.get(slot);
      const float z = z_.get(slot);
      const float q = p - share.y * y_[slot];
      q_[slot] = q;
      const float of_q = share.x * q;
      const float of_z = share.x * z;
      sums[p_m_q] += of_q * p;
      sums[z_m_z] += of_z * z;
      sums[z_m_q] += of_z * q;
      sums[q_m_q] += of_q * q;
      sums[z_z] += z * z;
      sums[z_q] += z * q;
      sums[q_q] += q * q;
    });
    team_.all_sums(sums);
    const float inverse = p_.inverse();  // of q's scale, which is that of p
    before_ = {sums[z_z], sums[z_m_z]};
    once_ = {inverse * sums[z_q], inverse * sums[z_m_q]};
    twice_ = {inverse * inverse * sums[q_q], inverse * inverse * sums[q_m_q]};
    return inverse * inverse * sums[p_m_q];
  }

  __device__ __forceinline__ Sums<float> step(float alpha) {
    Sums<float> all{before_.first + alpha * (alpha * twice_.first - 2 * once_.first),
                    before_.second + alpha * (alpha * twice_.second - 2 * once_.second)};
    moved_ = !(all.first > least_left * before_.first && all.second > least_left * before_.second);
    if (moved_) {
      reader_.begin(own_);
      const float far = alpha * p_.inverse();
      all = team_.sum_in_float(0, [&](const OwnSlot& slot, Part& sums) {
        const float z = z_.get(slot) - far * q_[slot];
        z_.set(slot, z);
        sums += Part{z * z, share(slot).x * z * z};
      });
    }
    rho_ = all.second;
    return all;
  }

  __device__ __forceinline__ void advance(float alpha, float beta) {
    const float inverse = p_.inverse();
    p_.expect(size());
    const float scale = p_.scale();
    const float far = alpha * inverse;
    const float left = moved_ ? 0.0F : far;
    const float part = beta * inverse * scale;
    team_.for_each(0, [&](const OwnSlot& slot) {
      const float p = p_.get(slot);
      x_.set(slot, x_.get(slot) + far * p);
      const float z = z_.get(slot) - left * q_[slot];
      z_.set(slot, z);
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

  /// r ← D× (1 − x/κ + D×⁻¹ N x) in double: neither M nor D is rounded to single precision in it.
  __device__ __forceinline__ Sums<float> anew() {
    Team::barrier();  // others have read p
    reader_.begin(own_);
    const double kept = p_.inverse();
    const Sums<float> all = team_.sum_in_float(0, [&](const OwnSlot& slot, Part& sums) {
      const double inverse = own_.first.inverse[slot.i] * own_.second.inverse[slot.j];
      const double applied = kept * (double(p_.get(slot)) * exact_inverse_kappa(slot) - double(y_[slot]) * inverse);
      const float weight = this->weight(slot);
      const float r = weight * static_cast<float>(1.0 - applied);
      const float z = inverse_share(slot) * r;
      z_.set(slot, z);
      if constexpr (!Direction::rounds) p_.set(slot, z);
      sums += Part{z * z, r * z};
    });
    rho_ = all.second;
    if constexpr (Direction::rounds) {
      p_.expect(size());
      const float scale = p_.scale();
      team_.for_each(0, [&](const OwnSlot& slot) { p_.set(slot, scale * z_.get(slot)); });
      p_.turn();
    }
    return all;
  }

  __device__ __forceinline__ float norm() {
    return team_.one_sum(0, [&](const OwnSlot& slot) {
      const float x = x_.get(slot);
      return x * x;
    });
  }

  /// r / b = z / κv, and M x / b = x / κv.
  __device__ __forceinline__ float worst() {
    constexpr float unit = 0.5F * Kokkos::Experimental::epsilon_v<float>;
    reader_.begin(own_);
    float worst = 0;
    OwnElements<Product>::each(0, [&](const OwnSlot& slot) {
      const float inverse_kappa = kernel_.single(own_.first.label[slot.i] * kernel_.count, label(slot)).y;
      worst = fmaxf(worst, inverse_kappa * (fabsf(z_.get(slot)) + unit * fabsf(x_.get(slot))));
    });
    return team_.most_of_block(worst);
  }

  __device__ __forceinline__ static float quotient(float a, float b) { return Team::quotient(a, b); }

  __device__ __forceinline__ bool steady(float alpha) {
    float& before = own_.alpha[threadIdx.x / 32];
    const bool alike = fabsf(alpha - before) <= 0.25F * alpha;
    __syncwarp();
    if (threadIdx.x % 32 == 0) before = alpha;
    __syncwarp();
    return alike;
  }

  /// A warp has its own, in shared memory: registers are the product's.
  __device__ __forceinline__ void keep(const Bounds<float>& bounds) {
    __syncwarp();
    if (threadIdx.x % 32 == 0) own_.bounds[threadIdx.x / 32] = bounds;
    __syncwarp();
  }
  __device__ __forceinline__ const Bounds<float>& bounds() const { return own_.bounds[threadIdx.x / 32]; }

  /// At any place, or at places in turn.
  __device__ float x(const OwnSlot& slot) const { return x_.at(slot); }
  __device__ float next_x(const OwnSlot& slot) { return x_.get(slot); }

 private:
  static constexpr bool in_shared = std::is_same_v<typename Product::Result, InMemory>;
  /// Of ‖z‖² and rᵀ z: as sums in single precision, less than this part of the one before is not known to 1e-4.
  static constexpr float least_left = 1.0F / 256;

  /// Which sum is which: p_m_q is pᵀ M q.
  enum { p_m_q, z_m_z, z_m_q, q_m_q, z_z, z_q, q_q };

  /// Of p, about.
  __device__ float size() const { return largest() * sqrtf(rho_ / bounds().rho); }
  /// κv of the first id with itself.
  __device__ float largest() const { return kernel_.single(0, 0).x; }

  /// M, and its reciprocal times what N p lacks; 0 in a filling.
  __device__ __forceinline__ float2 share(const OwnSlot& slot) const {
    constexpr int pitch = share_pitch<Product>;
    const float2 row = reader_.template share<pitch>(shares_ + label(slot) * pitch, slot);
    const float2 column = reader_.degree(own_, slot);
    return {row.x * column.x, row.y * column.y};
  }
  __device__ int label(const OwnSlot& slot) const { return static_cast<int>(reader_.label(own_, slot)); }
  __device__ float weight(const OwnSlot& slot) const {
    return own_.first.degrees[slot.i].x * reader_.degree(own_, slot).x;
  }
  /// M⁻¹.
  __device__ float inverse_share(const OwnSlot& slot) const { return own_.unscale * share(slot).y; }
  __device__ double exact_inverse_kappa(const OwnSlot& slot) const {
    return kernel_.reciprocal(own_.first.label[slot.i], own_.second.label[slot.j]);
  }

  const Team& team_;
  const Product& product_;
  const ProjectedStart& start_;
  OwnHead<Product>& own_;
  const VertexTable& kernel_;
  const float2* shares_;
  float rho_ = 0;
  Sums<float> before_{};  ///< ‖z‖² and rᵀ z, and what α and α² times of them a step adds
  Sums<float> once_{};
  Sums<float> twice_{};
  bool moved_ = false;  ///< z has been stepped already
  mutable typename Product::Reader reader_;
  Direction p_;
  typename Product::Solution x_;
  typename Product::Residual z_;
  typename Product::Result y_;
  Registers<Product::places> q_;
};

/// The whole CG of pair after pair, claimed from a common counter.
template <class Product, class Set, class EdgeKernel>
__global__ void __launch_bounds__(Product::threads, Product::blocks)
    solve_owned(const __grid_constant__ Set set, const VertexTable kernel, const EdgeKernel edge_kernel,
                const __grid_constant__ Work work) {
  using Team = typename OwnSteps<Product>::Team;
  extern __shared__ __align__(16) unsigned char memory[];
  auto& own = *reinterpret_cast<OwnHead<Product>*>(memory);
  unsigned char* next = memory + shared_piece(sizeof(OwnHead<Product>));
  auto* const shares = reinterpret_cast<float2*>(next);
  next += share_bytes<Product>(kernel.count);
  auto* const p = reinterpret_cast<float*>(next);
  unsigned char* const kept = memory + own_bytes<Product>(kernel.count);
  float* const x = work.workspace + blockIdx.x * work.vector_count * work.vector_length;
  float* z = x + work.vector_length;
  if constexpr (Product::own_floats > 0) z = p + shared_piece(sizeof(float) * Product::p_floats) / sizeof(float);
  const Team team(own.head.partials);
  PairQueue queue(work, own.head);
  for (int k = queue.next<Team>(); k < work.count; k = queue.next<Team>()) {
    const PairSystem<SetView<Set>, VertexTable> system(SetView<Set>(set), kernel, work.pairs[k]);
    const Product product(set, edge_kernel, system, p, kept);
    own.first.fill(set, system.first_vertex, system.n, product.first_scale * product.second_scale);
    own.second.fill(set, system.second_vertex, system.m, 1);
    if (threadIdx.x == 0) own.unscale = static_cast<float>(1 / (product.first_scale * product.second_scale));
    for (int v = static_cast<int>(threadIdx.x); v < Product::columns; v += Product::threads) {
      own.labels.set(v, v < system.m ? set.vertex_labels(system.second_vertex + v) : 0);
    }
    for (int i = static_cast<int>(threadIdx.x); i < Product::rows; i += Product::threads) {  // as `fill` deals them
      for (std::uint32_t id = 0; id < kernel.count; ++id) {
        const float2 kappa = kernel.single(id * kernel.count, own.first.label[i]);
        const double inverse = own.first.inverse[i];
        constexpr int pitch = share_pitch<Product>;
        const float2 share{own.first.degrees[i].x * kappa.y, static_cast<float>(inverse * kappa.x)};
        Product::Reader::template set_share<pitch>(shares + id * pitch, i, share);
      }
    }
    Team::barrier();
    const ProjectedStart start(work.starts, work.pairs[k], k);
    OwnSteps<Product> steps(team, product, start, own, kernel, shares, p, x, z, reinterpret_cast<float*>(kept));
    PairResult result = iterate<float>(steps, work.options);
    // K = q² p×ᵀ x. Nobody reads degrees any more.
    own.first.start(set, system.first_vertex, system.n);
    own.second.start(set, system.second_vertex, system.m);
    Team::barrier();
    result.value = work.scale * team.sum_all_in_double([&](const OwnSlot& slot) {
      return own.first.inverse[slot.i] * (own.second.inverse[slot.j] * double(steps.next_x(slot)));
    });
    if (float* const nodewise = work.nodewise_of(k, work.pairs[k]); nodewise != nullptr) {
#pragma unroll 1
      for (int place = 0; place < Product::places; ++place) {
        const OwnSlot slot = Product::slot(place);
        if (slot.i >= system.n || slot.j >= system.m) continue;
        nodewise[slot.i * system.m + slot.j] = static_cast<float>(work.scale * double(steps.x(slot)));
      }
    }
    if (threadIdx.x == 0) work.results[k] = result;
    Team::barrier();
  }
}

}  // namespace octile::cuda
