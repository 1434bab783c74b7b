// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/cuda/iterate/intrinsics.cuh>
#include <octile/cuda/iterate/owned.cuh>
#include <octile/cuda/layout/set.hpp>
#include <octile/cuda/products/factored.cuh>

#include <cstddef>
#include <cstdint>

namespace octile::cuda {

/// p as sums of two numbers in half precision, 22 bits, in two matrices in shared memory. They are kept times a power of two
/// that brings them to about 8, far from both ends of half precision: numbers 8,000 times as large are cut off, and what is
/// 100,000 times smaller loses bits.
///
///     │ high   rows × pitch │ low   rows × pitch │
///
template <std::size_t Numbers>
class InHalves {
 public:
  static constexpr bool rounds = true;

  __device__ explicit InHalves(float* place) : words_(reinterpret_cast<std::uint32_t*>(place)) {}

  /// Of places in turn: with an even one comes its neighbour.
  __device__ float get(const OwnSlot& slot) {
    if (slot.place % 2 == 0) {
      high_ = words_[slot.element];
      low_ = words_[Numbers / 2 + slot.element];
      return low_half(high_) + low_half(low_);
    }
    return high_half(high_) + high_half(low_);
  }
  /// Of places in turn: with an odd one goes its neighbour.
  __device__ float set(const OwnSlot& slot, float value) {
    if (slot.place % 2 == 0) {
      waiting_ = value;
    } else {
      const std::uint32_t high = halves(waiting_, value);
      words_[slot.element] = high;
      words_[Numbers / 2 + slot.element] = halves(waiting_ - low_half(high), value - high_half(high));
    }
    const float high = half_value(half_bits(value));
    return high + half_value(half_bits(value - high));
  }
  /// Two columns side by side, by any thread.
  __device__ void set_two(int element, float first, float second) const {
    const std::uint32_t high = halves(first, second);
    words_[element] = high;
    words_[Numbers / 2 + element] = halves(first - low_half(high), second - high_half(high));
  }
  __device__ float inverse() const { return inverse_; }
  __device__ float scale() const { return scale_; }
  __device__ float scale_inverse() const { return scale_inverse_; }

  __device__ void expect(float size) {
    const int exponent = min(max(static_cast<int>(__float_as_uint(size) >> 23) - 127, -100), 100);
    scale_ = __uint_as_float(static_cast<std::uint32_t>(127 + 3 - exponent) << 23);
    scale_inverse_ = __uint_as_float(static_cast<std::uint32_t>(127 - 3 + exponent) << 23);
  }
  __device__ void turn() { inverse_ = scale_inverse_; }

  __device__ const void* high() const { return words_; }

 private:
  std::uint32_t* words_;
  std::uint32_t high_ = 0;
  std::uint32_t low_ = 0;
  float waiting_ = 0;
  float inverse_ = 1;
  float scale_ = 1;
  float scale_inverse_ = 1;
};

/// A piece of a sum, which the tensor core adds to it, or, where that has to be exact, the thread.
template <bool Exact>
struct Piece {
  float (&sum)[4];
  __device__ explicit Piece(float (&whole)[4]) : sum(whole) {}
  __device__ void add() const {}
};
template <>
struct Piece<true> {
  float (&whole)[4];
  float sum[4] = {};
  __device__ explicit Piece(float (&all)[4]) : whole(all) {}
  __device__ void add() const {
#pragma unroll
    for (int e = 0; e < 4; ++e) whole[e] += sum[e];
  }
};

/// What the dense products share: matrices of Tiles × Tiles tiles of 16 × 16 halves, in shared memory, row by row.
template <int Tiles_>
struct DenseShape {
  static constexpr int Tiles = Tiles_;
  static constexpr int rows = 16 * Tiles;
  static constexpr int columns = rows;
  static constexpr int pitch = columns + 8;  ///< of halves: eight rows of 16 bytes are in different banks
  static constexpr int numbers = rows * pitch;
  static constexpr SharedAddress bytes_a_matrix = sizeof(std::uint16_t) * numbers;

  __device__ static int lane() { return static_cast<int>(threadIdx.x) % 32; }

  /// Where in p the word is of two columns side by side.
  __device__ static int element(int i, int j) { return i * (pitch / 2) + j / 2; }

  /// From a matrix's beginning to the tile in a row and a column of tiles.
  __device__ static constexpr SharedAddress tile(int row, int column) {
    return SharedAddress(sizeof(std::uint16_t)) * SharedAddress(16 * (row * pitch + column));
  }
  /// Where the lane's row of a tile's four 8 × 8 matrices begins, the second of which is below the first (as `multiply_add`
  /// wants A, and B transposed), or beside it.
  __device__ static SharedAddress down_first() {
    return SharedAddress(sizeof(std::uint16_t)) * SharedAddress(lane() % 16 * pitch + lane() / 16 * 8);
  }
  __device__ static SharedAddress right_first() {
    return SharedAddress(sizeof(std::uint16_t)) *
           SharedAddress((lane() % 8 + lane() / 16 * 8) * pitch + lane() / 8 % 2 * 8);
  }

  /// Zeros to whole matrices, by the block.
  __device__ static void clear(unsigned char* place, int matrices) {
    auto* const words = reinterpret_cast<uint4*>(place);
    const int count = matrices * numbers * int(sizeof(std::uint16_t)) / int(sizeof(uint4));
    for (int k = static_cast<int>(threadIdx.x); k < count; k += static_cast<int>(blockDim.x)) {
      words[k] = uint4{0, 0, 0, 0};
    }
  }

  /// sums += A B, B of two times 8 columns.
  template <bool Exact>
  __device__ __forceinline__ static void add(float (&sums)[2][4], const std::uint32_t (&a)[4],
                                             const std::uint32_t (&b)[4]) {
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      Piece<Exact> piece(sums[half]);
      multiply_add(piece.sum, a, b[2 * half], b[2 * half + 1]);
      piece.add();
    }
  }
};

/// 16 × 16 numbers that a warp has in `multiply_add`'s sums, as A of the next product: in one half each, and what it leaves.
struct SplitTile {
  std::uint32_t high[4];
  std::uint32_t low[4];

  __device__ SplitTile(const float (&sums)[2][4], const float (&lesser)[2][4], float scale) {
#pragma unroll
    for (int word = 0; word < 4; ++word) {
      const int half = word / 2;
      const int e = word % 2 * 2;
      const float one = (sums[half][e] + lesser[half][e]) * scale;
      const float two = (sums[half][e + 1] + lesser[half][e + 1]) * scale;
      high[word] = halves(one, two);
      low[word] = halves(one - low_half(high[word]), two - high_half(high[word]));
    }
  }
};

/// Ids of the vertices of G', by four in a word, in the order of a thread's places. (Ids beyond a byte would have no room for
/// their κv in shared memory either.) Two threads an element of a column: what is beyond has the second half of the columns.
///
///     lanes of a quarter, l mod 4 = 0 … 3      columns 2 (l mod 4) and the next of every 8
///     │ 0: columns 0, 1, 8, 9 │ 16, 17, 24, 25 │ … │ 1: columns 2, 3, 10, 11 │ …
///
template <int Columns>
struct DenseLabels {
  static constexpr int a_quarter = Columns / 16;  ///< words
  std::uint32_t words[4 * a_quarter];

  __device__ void set(int column, std::uint32_t label) {
    const int number = column / 2 % 4 * (4 * a_quarter) + column / 8 * 2 + column % 2;
    reinterpret_cast<unsigned char*>(words)[number] = static_cast<unsigned char>(label);
  }
};

/// The vertices of elements of many columns: two columns come in one load for the four places that have them, and every eighth
/// place brings a word of ids. (Loads that the compiler sees it cuts into bytes.)
template <int Columns>
class DenseReader : public OwnShares {
 public:
  template <class Own>
  __device__ void begin(const Own&) {}
  template <class Own>
  __device__ float2 degree(const Own& own, const OwnSlot& slot) {
    if (slot.place % 4 == 0) two_ = load_shared_quad(shared_address(own.second.degrees + slot.j));
    return slot.place % 2 == 0 ? float2{__uint_as_float(two_.x), __uint_as_float(two_.y)}
                               : float2{__uint_as_float(two_.z), __uint_as_float(two_.w)};
  }
  template <class Own>
  __device__ std::uint32_t label(const Own& own, const OwnSlot& slot) {
    if (slot.place % 8 == 0) {
      constexpr int a_quarter = DenseLabels<Columns>::a_quarter;
      const int group = static_cast<int>(threadIdx.x) / (2 * Columns);
      const int first = static_cast<int>(threadIdx.x) % 4 * a_quarter + group * (a_quarter / 2);
      word_ = __float_as_uint(load_shared(shared_address(own.labels.words + first + slot.place / 8)));
    }
    return word_ >> (16 * (slot.place / 4 % 2) + 8 * (slot.place % 2)) & 0xFF;
  }

 private:
  uint4 two_{};
  std::uint32_t word_ = 0;
};

/// The product of an edge kernel with one factor that is alike for all edges of a graph, Y = A P A'ᵀ, A and A' of zeros and
/// ones, as two dense products in half precision on the tensor cores, for pairs of up to 16 Tiles vertices each. What lies
/// between the two stays in registers: a warp has 16 rows of A, of T and of Y.
///
///     T = A P       P is high + low, and A exact: two products keep 22 bits
///     Y = T A'ᵀ     likewise, T as a sum of two
///
///            A           P   16 columns at a time           T                A'ᵀ            Y
///         ┌───────┐     ┌──┬─────┐                        ┌──┐            ┌────────┐     ┌───────┐
///         │       │     │  │     │                        │  │            │▒▒▒▒▒▒▒▒│     │       │
///         ├───────┤     │  │     │                        ├──┤            ├────────┤     ├───────┤
///  warp → │▒▒▒▒▒▒▒│  ×  │▒▒│     │    =                   │▒▒│     ×      │        │  +→ │▒▒▒▒▒▒▒│ in registers
///         ├───────┤     │  │     │                        ├──┤            │        │     ├───────┤
///         └───────┘     └──┴─────┘                        └──┘            └────────┘     └───────┘
///
/// Sums are in single precision, but a tensor core cuts off where it should round. Where nothing may be lost (slack 0) only 16
/// terms are summed there. Where the residual is small enough (`slack`) the low parts are left out.
template <int Tiles_>
struct DenseProduct : DenseShape<Tiles_> {
  using Shape = DenseShape<Tiles_>;
  using Shape::columns, Shape::lane, Shape::numbers, Shape::pitch, Shape::rows, Shape::tile, Shape::Tiles;
  static constexpr int threads = 32 * Tiles;
  static constexpr int places = 8 * Tiles;
  static constexpr int blocks = Tiles > 6 ? 1 : Tiles > 4 ? 2 : Tiles > 3 ? 3 : 5;  ///< a multiprocessor
  using Labels = DenseLabels<columns>;
  using Reader = DenseReader<columns>;
  using Direction = InHalves<numbers>;
  static constexpr bool starts = false;
  using Solution = OwnInGlobal<threads, places>;
  using Residual = OwnInBoth<threads, places>;
  using Result = Registers<places>;
  static constexpr std::size_t p_floats = numbers;
  static constexpr std::size_t own_floats = Residual::floats;

  /// A'.
  static constexpr ProductMemory memory() { return {ProductMemory::Form::fixed, Shape::bytes_a_matrix, 0}; }

  double first_scale;
  double second_scale;

  /// A goes to registers by way of p's place, A' to `kept`.
  template <class Set, class EdgeKernel, class System>
  __device__ DenseProduct(const Set& set, const EdgeKernel&, const System& system, float* p, unsigned char* kept)
      : first_scale(factor_of_edges(set, system.first_vertex, system.n) * (1 / unit)),
        second_scale(factor_of_edges(set, system.second_vertex, system.m)),
        m(system.m),
        second(shared_address(kept)) {
    Shape::clear(reinterpret_cast<unsigned char*>(p), 1);
    Shape::clear(kept, 1);
    block_barrier<threads>();
    spread(set, system.first_graph, half_bits(unit), reinterpret_cast<std::uint16_t*>(p));
    spread(set, system.second_graph, half_bits(1.0F), reinterpret_cast<std::uint16_t*>(kept));
    block_barrier<threads>();
    const SharedAddress from = shared_address(p) + Shape::down_first();
#pragma unroll
    for (int k = 0; k < Tiles; ++k) load_matrices(from + tile(warp(), k), a[k]);
    block_barrier<threads>();  // p comes to its place
  }

  /// y ← N p, exact to what `slack` allows. No barrier.
  __device__ __forceinline__ void apply(const Direction& p, Result& y, float slack) const {
    if (slack == 0) {
      multiply<true, true>(p, y);
    } else if (slack < one_half) {
      multiply<true, false>(p, y);
    } else {
      multiply<false, false>(p, y);
    }
  }

  /// Where the thread's element of a place is, as i and i': of four places, two columns side by side in two rows.
  __device__ __forceinline__ static OwnSlot slot(int place) {
    const int i = 16 * warp() + lane() / 4 + 8 * (place / 2 % 2);
    const int pair = 4 * (place / 4) + lane() % 4;
    return {place, i, 2 * pair + place % 2, i * (pitch / 2) + pair};
  }

 private:
  /// A's ones: sums of 128 of them with p stay far from the end of half precision.
  static constexpr float unit = 0.0625F;
  /// The slack from which one number in half precision is as good as two: 2^-11, squared.
  static constexpr float one_half = 0x1p-22F;

  __device__ static int warp() { return static_cast<int>(threadIdx.x) / 32; }

  /// Writes `one` where a graph has edges.
  template <class Set>
  __device__ static void spread(const Set& set, int graph, std::uint16_t one, std::uint16_t* matrix) {
    const std::uint32_t end = set.spot_begin(graph + 1);
#pragma unroll 4
    for (std::uint32_t e = set.spot_begin(graph) + threadIdx.x; e < end; e += threads) {
      const std::uint32_t spot = __ldg(set.spots.data() + e);
      matrix[(spot & 0xFFFF) * pitch + (spot >> 16)] = one;
    }
  }

  /// With the low parts or without.
  template <bool Both, bool Exact>
  __device__ __forceinline__ void multiply(const Direction& p, Result& y) const {
    float sums[Tiles][2][4] = {};
    const SharedAddress from = shared_address(p.high()) + Shape::down_first();
    const SharedAddress from_second = second + Shape::right_first();
#pragma unroll 1
    for (int block = 0; 16 * block < m; ++block) {
      float t[2][4] = {};
      float lesser[2][4] = {};
      std::uint32_t words[4];
#pragma unroll
      for (int k = 0; k < Tiles; ++k) {
        load_transposed(from + tile(k, block), words);
        // Without low parts every second product is added elsewhere: one waits for the one before.
        Shape::template add<Exact>(Both || k % 2 == 0 ? t : lesser, a[k], words);
        if constexpr (Both) {
          load_transposed(from + Shape::bytes_a_matrix + tile(k, block), words);
          Shape::template add<false>(lesser, a[k], words);
        }
      }
      const SplitTile split(t, lesser, 1.0F);
#pragma unroll
      for (int k = 0; k < Tiles; ++k) {
        load_matrices(from_second + tile(k, block), words);
        if constexpr (Both) Shape::template add<Exact>(sums[k], split.low, words);
        Shape::template add<Exact>(sums[k], split.high, words);
      }
    }
#pragma unroll
    for (int place = 0; place < places; ++place) y.values[place] = sums[place / 8][place / 4 % 2][place % 4];
  }

  int m;
  SharedAddress second;       ///< of A'
  std::uint32_t a[Tiles][4];  ///< the warp's rows of A
};

/// The product of an edge kernel with several factors, Y = Σ_k (A ⊙ φ_k) P (A' ⊙ φ_k)ᵀ, factor after factor as `DenseProduct`
/// does it. All matrices are sums of two halves; the products of low parts with each other are left out, and of factors that
/// contribute little all low parts. A factor's matrices are written where the set has edges, while those of the one before
/// it are multiplied, from values that were asked for before; zeros stay where they are from factor to factor.
///
///     warps w and w + Tiles     16 rows of A, T and Y; the even and the odd tiles of T, for both halves of Y's columns:
///                               they add up at the end, and each keeps one half
///
///     │ A ⊙ φ high │ low │ A' ⊙ φ high │ low │      twice: k even, k odd
///
/// Factors come divided by a power of two, so that the largest is between 1/2 and 1, and T is multiplied by its square.
template <int Tiles_, class Set>
struct DenseSumProduct : DenseShape<Tiles_> {
  using Shape = DenseShape<Tiles_>;
  using Shape::columns, Shape::lane, Shape::numbers, Shape::pitch, Shape::rows, Shape::tile, Shape::Tiles;
  static constexpr int threads = 64 * Tiles;
  static constexpr int places = 4 * Tiles;
  static constexpr int blocks = Tiles > 4 ? 1 : Tiles > 2 ? 2 : 4;  ///< a multiprocessor
  static_assert(Tiles % 2 == 0, "a warp keeps half of the tiles");
  using Labels = DenseLabels<columns>;
  using Reader = DenseReader<columns>;
  using Direction = InHalves<numbers>;
  static constexpr bool starts = true;
  using Solution = OwnInGlobal<threads, places>;
  using Residual = OwnInGlobal<threads, places>;
  using Result = Registers<places>;
  static constexpr std::size_t p_floats = numbers;
  static constexpr std::size_t own_floats = 0;

  static constexpr ProductMemory memory() { return {ProductMemory::Form::fixed, 2 * bytes_a_factor, 0}; }

  double first_scale;
  double second_scale;

  /// The matrices are at `kept`: a barrier of the block has to follow.
  template <class EdgeKernel, class System>
  __device__ DenseSumProduct(const Set& set, const EdgeKernel&, const System& system, float*, unsigned char* kept)
      : first_scale(set.spot_scale(system.first_graph)),
        second_scale(set.spot_scale(system.second_graph) * set.factor_scale),
        set_(set),
        begins{set.spot_begin(system.first_graph), set.spot_begin(system.second_graph)},
        counts{set.spot_begin(system.first_graph + 1) - begins[0], set.spot_begin(system.second_graph + 1) - begins[1]},
        rank(static_cast<int>(set.factor_levels.extent(0))),
        m(system.m),
        matrices(kept),
        own_level(Shape::lane() < rank ? set.factor_levels(Shape::lane()) : 0),
        own_scale(Shape::lane() < rank ? set.factor_scales(Shape::lane()) : 0) {
    Shape::clear(kept, 8);
    block_barrier<threads>();
    if (rank == 0) return;
    for (std::uint32_t from = threadIdx.x; from < most(); from += threads) store(fetch(from, 0), matrices, true);
  }

  /// y ← N p, exact to what `slack` allows. Barriers inside, and none before or behind. While a factor is multiplied, the
  /// next one is written to the other matrices; behind the last comes the first, for the next product.
  __device__ __forceinline__ void apply(const Direction& p, Result& y, float slack) const {
    const float allowed = fminf(sqrtf(slack), most_allowed);
    // What one half loses, 2^-12 about, of a factor whose products are at most as large as its level says.
    const auto both = [&](int k) {
      return k == 0 || (slack == 0 ? level(k) > least_exact : level(k) * 0x1p-12F > fmaxf(allowed, lost_anyway));
    };
    const auto needed = [&](int k) { return k < rank && (slack == 0 || level(k) > allowed); };
    float sums[Tiles][2][4] = {};
    for (int k = 0; needed(k);) {
      const int next = needed(k + 1) ? k + 1 : 0;
      const Next following{next, both(next)};
      if (both(k)) {
        slack == 0 ? multiply<true, true>(k, following, p, sums) : multiply<true, false>(k, following, p, sums);
      } else {
        slack == 0 ? multiply<false, true>(k, following, p, sums) : multiply<false, false>(k, following, p, sums);
      }
      block_barrier<threads>();
      turn ^= 1;
      if (next == 0) break;
      k = next;
    }
    // Two warps have both halves of the same rows in part: each gives one away. What passes between them passes through
    // the matrices that wait for a factor, which then are zeros there anew.
    auto* const passed = reinterpret_cast<float*>(matrices + (turn ^ 1) * bytes_a_factor);
    const int other = static_cast<int>(threadIdx.x) + (group() == 0 ? 1 : -1) * (threads / 2);
#pragma unroll
    for (int place = 0; place < places; ++place) {
      const int half = place / 8;
      const float away = group() == 0 ? at(sums, half + Tiles / 2, place) : at(sums, half, place);
      passed[place * threads + other] = away;
    }
    block_barrier<threads>();
#pragma unroll
    for (int place = 0; place < places; ++place) {
      const int half = place / 8;
      const float own = group() == 0 ? at(sums, half, place) : at(sums, half + Tiles / 2, place);
      float& rest = passed[place * threads + static_cast<int>(threadIdx.x)];
      y.values[place] = own + rest;
      rest = 0;
    }
  }

  /// Where the thread's element of a place is, as i and i'.
  __device__ __forceinline__ static OwnSlot slot(int place) {
    const int i = 16 * row_of_tiles() + lane() / 4 + 8 * (place / 2 % 2);
    const int pair = 4 * Tiles * group() + 4 * (place / 4) + lane() % 4;
    return {place, i, 2 * pair + place % 2, i * (pitch / 2) + pair};
  }

 private:
  static constexpr std::size_t bytes_a_factor = 4 * Shape::bytes_a_matrix;
  /// Near the end too an eighth of the product has to be there, or the search goes astray: factors' levels are halves.
  static constexpr float most_allowed = 0.0625F;
  /// What single precision loses anyway, and the level of which one half loses less than that, whatever it rounds.
  static constexpr float lost_anyway = 1e-7F;
  static constexpr float least_exact = 2e-5F;
  static_assert(sizeof(float) * places * threads <= bytes_a_factor);

  __device__ static int row_of_tiles() { return static_cast<int>(threadIdx.x) / 32 % Tiles; }
  __device__ static int group() { return static_cast<int>(threadIdx.x) / (32 * Tiles); }
  __device__ static float at(const float (&sums)[Tiles][2][4], int tile, int place) {
    return sums[tile][place / 4 % 2][place % 4];
  }

  /// A factor to be written, with its low parts or without.
  struct Next {
    int k;
    bool both;
  };
  /// An element of G and one of G' on their way to the matrices, with their places there.
  struct Fetched {
    std::uint32_t spots[2] = {nowhere, nowhere};
    std::uint32_t words[2] = {};
  };
  static constexpr std::uint32_t nowhere = 0xFFFFFFFF;

  /// Of factor k: the first are at hand.
  __device__ float level(int k) const {
    return k < 32 ? __shfl_sync(0xFFFFFFFFU, own_level, k) : set_.factor_levels(k);
  }
  __device__ float factor_scale(int k) const {
    return k < 32 ? __shfl_sync(0xFFFFFFFFU, own_scale, k) : set_.factor_scales(k);
  }

  __device__ std::uint32_t most() const { return max(counts[0], counts[1]); }

  __device__ __forceinline__ Fetched fetch(std::uint32_t element, int k) const {
    Fetched fetched;
#pragma unroll
    for (int graph = 0; graph < 2; ++graph) {
      if (element < counts[graph]) {
        const std::size_t number = begins[graph] + element;
        fetched.spots[graph] = load_here(set_.spots.data() + number);
        fetched.words[graph] = load_here(set_.spot_words.data() + k * set_.spots.extent(0) + number);
      }
    }
    return fetched;
  }
  __device__ __forceinline__ static void store(const Fetched& fetched, unsigned char* place, bool both) {
#pragma unroll
    for (int graph = 0; graph < 2; ++graph) {
      if (fetched.spots[graph] == nowhere) continue;
      auto* const high = reinterpret_cast<std::uint16_t*>(place) + 2 * graph * numbers +
                         (fetched.spots[graph] & 0xFFFF) * pitch + (fetched.spots[graph] >> 16);
      high[0] = static_cast<std::uint16_t>(fetched.words[graph]);
      if (both) high[numbers] = static_cast<std::uint16_t>(fetched.words[graph] >> 16);
    }
  }

  /// sums += T (A' ⊙ φ_k)ᵀ for the warp's tiles of T = (A ⊙ φ_k) P: with the low parts, and sums that are rounded and not cut
  /// off (there are so many), or without; Exact, T's too. Between the tiles it writes `following`.
  template <bool Both, bool Exact>
  __device__ __forceinline__ void multiply(int k, const Next& following, const Direction& p,
                                           float (&sums)[Tiles][2][4]) const {
    constexpr SharedAddress to_low = Shape::bytes_a_matrix;
    const float scale = factor_scale(k);
    unsigned char* const target = matrices + (turn ^ 1) * bytes_a_factor;
    const SharedAddress first = shared_address(matrices) + turn * SharedAddress(bytes_a_factor);
    std::uint32_t next_element = threadIdx.x;
    std::uint32_t high[Tiles][4];
    std::uint32_t low[Tiles][4];
#pragma unroll
    for (int c = 0; c < Tiles; ++c) {
      load_matrices(first + Shape::down_first() + tile(row_of_tiles(), c), high[c]);
      if constexpr (Both) load_matrices(first + Shape::down_first() + to_low + tile(row_of_tiles(), c), low[c]);
    }
    const SharedAddress from = shared_address(p.high()) + Shape::down_first();
    const SharedAddress from_second = first + 2 * to_low + Shape::right_first();
#pragma unroll 1
    for (int block = group(); 16 * block < m; block += 2) {
      const Fetched fetched = fetch(next_element, following.k);
      next_element += threads;
      float t[2][4] = {};
      float lesser[2][4] = {};
      std::uint32_t words[4];
#pragma unroll
      for (int c = 0; c < Tiles; ++c) {
        load_transposed(from + tile(c, block), words);
        // Spread over two sums: a product waits for the one before.
        Shape::template add<Exact>(Both || c % 2 == 0 ? t : lesser, high[c], words);
        if constexpr (Both) {
          Shape::template add<false>(lesser, low[c], words);
          load_transposed(from + to_low + tile(c, block), words);
          Shape::template add<false>(!Exact && c % 2 == 0 ? t : lesser, high[c], words);
        }
      }
      const SplitTile split(t, lesser, scale);
      store(fetched, target, following.both);
#pragma unroll
      for (int c = 0; c < Tiles; ++c) {
        std::uint32_t lows[4];
        load_matrices(from_second + tile(c, block), words);
        if constexpr (Both) load_matrices(from_second + to_low + tile(c, block), lows);
#pragma unroll
        for (int half = 0; half < 2; ++half) {
          Piece<Both || Exact> piece(sums[c][half]);
          multiply_add(piece.sum, split.high, words[2 * half], words[2 * half + 1]);
          if constexpr (Both) {
            // Not behind the others: nobody waits so long for a sum.
            float rest[4] = {};
            multiply_add(rest, split.low, words[2 * half], words[2 * half + 1]);
            multiply_add(rest, split.high, lows[2 * half], lows[2 * half + 1]);
#pragma unroll
            for (int e = 0; e < 4; ++e) piece.sum[e] += rest[e];
          }
          piece.add();
        }
      }
    }
    for (; next_element < most(); next_element += threads) {
      store(fetch(next_element, following.k), target, following.both);
    }
  }

  const Set& set_;
  std::uint32_t begins[2];  ///< of the spots of G and G'
  std::uint32_t counts[2];
  int rank;
  int m;
  unsigned char* matrices;
  float own_level;  ///< of the factor with the lane's number
  float own_scale;
  mutable int turn = 0;  ///< which matrices have the factor that comes next
};

}  // namespace octile::cuda
