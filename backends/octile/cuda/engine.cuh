// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/cuda/buffers.cuh>
#include <octile/cuda/edge_kernels.cuh>
#include <octile/cuda/iterate/owned.cuh>
#include <octile/cuda/iterate/solve.cuh>
#include <octile/cuda/layout/set.hpp>
#include <octile/cuda/products/dense.cuh>
#include <octile/cuda/products/owned_slices.cuh>
#include <octile/cuda/products/strips.cuh>
#include <octile/cuda/start/projection.cuh>
#include <octile/plan/lowered_set.hpp>
#include <octile/solve.hpp>

#include <Kokkos_Core.hpp>
#include <Kokkos_Profiling_ScopedRegion.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace octile::cuda {

using octile::plan::pairs_that_fit;

/// Solves pairs of one set on an execution space's instance: κv and κe are compile-time types over the labels of `Set`.
/// Each pair goes to the first of the tiers that takes it. Memory is taken when it is first needed, and kept: let an
/// engine live until the work that it queued is done, and use it from one instance at a time.
template <Product Kind, class Set, class VertexKernel, class EdgeKernel>
class Engine {
 public:
  using Space = Kokkos::Cuda;

  /// `builder` holds the set's graphs; at most `memory` bytes are taken for vectors.
  template <class Builder>
  Engine(const Space& space, Builder& builder, const VertexKernel& vertex_kernel, const EdgeKernel& edge_kernel,
         const Stopping& stopping, const SolveOptions& options, std::size_t memory, const OctileChoice& choice = {})
      : space_(space),
        set_(builder.build(space)),
        vertex_kernel_(vertex_kernel),
        edge_kernel_(edge_kernel),
        options_(options),
        scale_(stopping.q() * stopping.q()),
        memory_(memory),
        choice_(choice),
        entries_(builder.row_elements()),
        costs_(builder.costs()),
        largest_label_(builder.largest_label()),
        vertices_(builder.vertices()),
        orders_(builder.orders()) {}

  /// Lets pairs start from projected systems, from now on. `projection` is of the same set.
  void start_from(ProjectionSet<Space::memory_space> projection) { projection_ = std::move(projection); }

  /// Whether half of the graphs' pairs with themselves are in tiers that start from projected systems, and a quarter of the
  /// memory holds their solutions.
  bool has_use_for_starts() const {
    const std::size_t most_shared = space_.cuda_device_prop().sharedMemPerBlockOptin;
    std::size_t count = 0;
    std::size_t length = 0;
    for (std::size_t g = 0; g < vertices_.size(); ++g) {
      if (vertices_[g] > most_based) continue;
      Pair own{static_cast<std::int32_t>(g), static_cast<std::int32_t>(g)};
      if (tiers()[tier_of(own, most_shared).first].starts) ++count;
      length += vertices_[g] * vertices_[g];
    }
    return 2 * count >= vertices_.size() && length * sizeof(float) <= memory_ / 4;
  }

  /// Whether pairs start from projected systems.
  bool starts() const { return projection_.given(); }

  /// Queues the solves of `pairs` on the instance, without waiting for them: results in the order of `sorted()`, whose
  /// k-th is pair `order()[k]`, maybe with its graphs swapped. Put the costliest first. With `nodewise`, x of the
  /// first pair is kept too. Throws `Error` for a pair that does not fit the memory. Called again, it waits until the
  /// list of pairs before has been copied to the device. The first call forms the bases that starts take, and waits for them. A
  /// list that is too long for a quarter of the memory to hold its starts (1 KiB a pair) starts at 0.
  void enqueue(std::span<const Pair> pairs, bool nodewise = false) {
    if (pairs.empty()) return;
    Kokkos::Profiling::ScopedRegion region("octile::cuda::solve");
    if (starts() && !has_bases_) form_bases();
    Work work{};
    work.options = options_;
    if (nodewise) {
      grow(space_, nodewise_, "nodewise", vertices(pairs[0].first) * vertices(pairs[0].second));
      work.nodewise = nodewise_.data();
    }
    if (starts() && pairs.size() * coefficients_a_pair * sizeof(uint4) <= memory_ / 4) {
      grow(space_, coefficients_, "start_coefficients", pairs.size() * 4 * coefficients_a_pair);
      work.starts = {projection_.view().tile_begin, reinterpret_cast<const uint4*>(projection_.view().basis),
                     reinterpret_cast<const uint4*>(coefficients_.data())};
    }
    queue(pairs, work);
  }

  const Space& space() const { return space_; }
  const PinnedArray<Pair>& sorted() const { return sorted_; }
  std::span<const std::size_t> order() const { return order_; }
  /// Of the last `enqueue`: one a pair, and x, if asked for.
  const Array<Pair>& pairs() const { return pairs_; }
  const Array<PairResult>& results() const { return results_; }
  const Array<float>& nodewise() const { return nodewise_; }
  std::size_t vertices(std::int32_t graph) const { return vertices_[index(graph)]; }
  /// The vertex of a graph that stands at a place in the set, and so in x.
  std::size_t vertex(std::int32_t graph, std::size_t place) const {
    const std::vector<std::uint32_t>& order = orders_[index(graph)];
    return order.empty() ? place : order[place];
  }
  /// Seconds of the last `enqueue`, which must be done, by the device's clock; with those for the set's bases, which the first one
  /// formed: what the whole list takes.
  double device_seconds() const { return streams_.seconds() + set_seconds_; }

 private:
  using Kernel = void (*)(Set, VertexKernel, EdgeKernel, Work);

  /// What `VectorPlace::own` adds: vertices that G and G' may have, and the shared memory that the solve takes beside the
  /// product's, by the ids of vertices.
  struct OwnTier {
    std::size_t rows = 0;
    std::size_t columns = 0;
    std::size_t (*bytes)(std::size_t) = nullptr;
  };

  /// One shape of the kernel, for the pairs that fit it.
  struct Tier {
    Kernel kernel;
    std::size_t (*product_bytes)(const ProductSizes&);
    int threads;
    std::size_t most_elements;
    VectorPlace place;
    double least_terms;  ///< terms of the product an element, on average; of factors, ends a row of G and one of G'
    OwnTier own{};
    bool starts = false;  ///< from projected systems
    float most_label = std::numeric_limits<float>::infinity();
  };

  static constexpr double many_terms = 32;
  /// From which on a product with matrices costs less than one along edges: measured, 0.387 ms an iteration of 12,880 pairs for
  /// 0.325 ms of 6 ends, 0.40 for 0.59 of 25.
  static constexpr double dense_ends = 10;

  /// Pairs of one tier, in `sorted_`.
  struct Part {
    std::size_t tier = 0;
    std::size_t begin = 0;
    std::size_t count = 0;
    std::size_t shared_bytes = 0;  ///< the most that one of them takes
    Pair largest{};                ///< by its elements
  };

  template <int Threads, int K>
  static constexpr Tier in_registers(double least_terms = 0) {
    return {solve_pairs<Kind, Set, VertexKernel, EdgeKernel, Threads, K, VectorPlace::registers>,
            Xmv<Kind, Set, EdgeKernel, Threads, true>::bytes,
            Threads,
            std::size_t(Threads) * K,
            VectorPlace::registers,
            least_terms};
  }

  template <VectorPlace Where, int Threads = 1024>
  static constexpr Tier in_memory() {
    return {solve_pairs<Kind, Set, VertexKernel, EdgeKernel, Threads, 0, Where>,
            Xmv<Kind, Set, EdgeKernel, Threads, true>::bytes,
            Threads,
            SIZE_MAX,
            Where,
            0};
  }

  template <class Product>
  static constexpr Tier owned(double least_ends = 0) {
    return {solve_owned<Product, Set, EdgeKernel>,
            Product::bytes,
            Product::threads,
            std::size_t(Product::threads) * Product::places,
            VectorPlace::own,
            least_ends,
            {Product::rows, Product::columns, own_bytes<Product>},
            Product::starts};
  }

  /// Slices of the largest pairs. A vertex kernel that is a type of its own has no table to read.
  template <bool Near>
  static constexpr Tier largest_slices() {
    if constexpr (!std::is_same_v<VertexKernel, VertexTable>) {
      return in_registers<512, 18>();
    } else if constexpr (Near && std::is_same_v<EdgeKernel, FastSquareExponential>) {
      Tier tier = owned<SliceProduct<Set, NearSquareExponential, 8, 12, 3>>();
      tier.most_label = NearSquareExponential::largest_label;
      return tier;
    } else {
      return owned<SliceProduct<Set, EdgeKernel, 8, 12, 3>>();
    }
  }

  /// Where the product has many terms, many warps hide its latency; where it has few, the vectors rule, and more of them
  /// in a thread's registers pay (H200: 5 terms 10.5 against 12.0 ms, 127 terms 64 against 54 ms).
  std::span<const Tier> tiers() const {
    if constexpr (Kind == Product::slices) {
      static const std::array list{in_registers<32, 8>(),
                                   in_registers<32, 12>(),
                                   in_registers<32, 16>(),
                                   in_registers<64, 12>(),
                                   in_registers<64, 16>(),
                                   in_registers<128, 12>(),
                                   in_registers<128, 16>(),
                                   in_registers<256, 12>(),
                                   in_registers<256, 16>(),
                                   in_registers<512, 12>(),
                                   in_registers<1024, 9>(many_terms),
                                   largest_slices<true>(),
                                   largest_slices<false>(),
                                   in_registers<512, 18>(),
                                   in_memory<VectorPlace::shared>(),
                                   in_memory<VectorPlace::global>()};
      return list;
    } else if constexpr (Kind == Product::factored) {
      if constexpr (EdgeKernel::chunk == 1 && EdgeKernel::alike) {
        static const std::array list{owned<StripProduct<4, 1, true>>(),  owned<DenseProduct<3>>(dense_ends),
                                     owned<DenseProduct<4>>(dense_ends), owned<DenseProduct<5>>(dense_ends),
                                     owned<DenseProduct<6>>(dense_ends), owned<StripProduct<8, 2, true>>(),
                                     owned<StripProduct<8, 3, true>>(),  owned<StripProduct<16, 4, true>>(),
                                     in_memory<VectorPlace::shared>(),   in_memory<VectorPlace::global>()};
        return list;
      } else if constexpr (EdgeKernel::chunk == 1) {
        static const std::array list{owned<StripProduct<4, 1, false>>(), owned<StripProduct<8, 2, false>>(),
                                     owned<StripProduct<8, 3, false>>(), owned<StripProduct<16, 4, false>>(),
                                     in_memory<VectorPlace::shared>(),   in_memory<VectorPlace::global>()};
        return list;
      } else {
        static_assert(DenseSumProduct<2, Set>::rows == factored_sizes[0] &&
                      DenseSumProduct<4, Set>::rows == factored_sizes[1] &&
                      DenseSumProduct<6, Set>::rows == factored_sizes[2]);
        static const std::array list{owned<DenseSumProduct<2, Set>>(), owned<DenseSumProduct<4, Set>>(),
                                     owned<DenseSumProduct<6, Set>>(), in_memory<VectorPlace::shared>(),
                                     in_memory<VectorPlace::global>()};
        return list;
      }
    } else {
      static const std::array list{in_registers<64, 16>(), in_registers<512, 18>(), in_memory<VectorPlace::global>()};
      static const std::array warps{in_registers<32, 16>(), in_memory<VectorPlace::global, 32>()};
      return choice_.steps.block ? std::span<const Tier>(list) : std::span<const Tier>(warps);
    }
  }

  /// Queues pairs, with what `work` says of all of them.
  void queue(std::span<const Pair> pairs, const Work& all) {
    const std::vector<Part> parts = sort_out(pairs);
    grow(space_, pairs_, "pairs", pairs.size());
    grow(space_, results_, "results", pairs.size());
    grow(space_, next_, "next_pair", tiers().size());
    Kokkos::deep_copy(space_, first_of(pairs_, pairs.size()), first_of(sorted_, pairs.size()));
    copied_.record(space_.cuda_stream());
    Kokkos::deep_copy(space_, next_, 0);
    std::vector<Launch> launches;
    for (const Part& part : parts) {
      Work work = all;
      work.pairs = pairs_.data() + part.begin;
      work.results = results_.data() + part.begin;
      work.next = choice_.steps.dynamic ? next_.data() + part.tier : nullptr;
      work.choice = choice_;
      work.scale = scale_;
      if (!tiers()[part.tier].starts) work.starts = {};
      if (work.starts.coefficients != nullptr) work.starts.coefficients += part.begin * coefficients_a_pair;
      launches.push_back(prepare(part, work));
    }
    streams_.fork(space_.cuda_stream(), launches.size());
    for (std::size_t k = 0; k < launches.size(); ++k) {
      const auto& [tier, grid, work] = launches[k];
      if (work.starts.coefficients != nullptr) find_starts(work, streams_[k]);
      tier->kernel<<<grid, tier->threads, work.shared_bytes, streams_[k]>>>(set_, vertex_kernel_, edge_kernel_, work);
      require_success(cudaGetLastError(), "launch of octile::cuda::solve_pairs");
    }
    streams_.join(space_.cuda_stream(), launches.size());
  }

  /// Queues the projected systems of a tier's pairs.
  void find_starts(const Work& work, cudaStream_t stream) {
    const auto blocks = static_cast<unsigned>((work.count + projected_warps - 1) / projected_warps);
    solve_projected<<<blocks, 32 * projected_warps, projected_warps * ProjectedSolve::bytes, stream>>>(
        projection_.view(), work.pairs, const_cast<uint4*>(work.starts.coefficients), work.count);
    require_success(cudaGetLastError(), "launch of octile::cuda::solve_projected");
  }

  /// What bases take: pairs of each graph with itself, roughly, and from their x the bases and projections.
  void form_bases() {
    std::vector<Pair> pairs;
    std::vector<std::uint32_t> graphs;
    std::vector<std::size_t> begins;
    std::size_t length = 0;
    std::size_t most_vertices = 0;
    for (std::size_t g = 0; g < vertices_.size(); ++g) {
      begins.push_back(length);
      if (vertices_[g] > most_based) continue;
      const auto graph = static_cast<std::int32_t>(g);
      pairs.push_back({graph, graph});
      graphs.push_back(static_cast<std::uint32_t>(g));
      length += vertices_[g] * vertices_[g];
      most_vertices = std::max(most_vertices, vertices_[g]);
    }
    has_bases_ = true;
    std::ranges::sort(pairs, std::ranges::greater(),
                      [&](Pair pair) { return vertices(pair.first) * entries_[index(pair.first)]; });
    cudaFuncAttributes loaded{};  // with the asking, not where time is taken
    require_success(cudaFuncGetAttributes(&loaded, solve_projected), "octile::cuda::solve_projected");
    const std::size_t bytes = basis_bytes(most_vertices);
    require_success(
        cudaFuncSetAttribute(form_basis, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(bytes)),
        "shared memory of octile::cuda::form_basis");
    const Array<float> snapshots(
        Kokkos::view_alloc(space_, Kokkos::WithoutInitializing, std::string("octile::snapshots")), length);
    const auto copied = [&](const char* name, const auto& values) {
      return detail::to_memory<Space::memory_space>(space_, name, values);
    };
    const auto begins_there = copied("snapshot_begin", begins);
    const auto graphs_there = copied("based_graphs", graphs);
    Work work{};
    work.nodewise = snapshots.data();
    work.nodewise_begin = begins_there.data();
    work.options = {rough_tolerance, options_.max_iterations};
    queue(pairs, work);
    basis_seconds_.start(space_.cuda_stream());
    form_basis<<<static_cast<unsigned>(graphs.size()), basis_threads, bytes, space_.cuda_stream()>>>(
        projection_.view(), graphs_there.data(), snapshots.data(), begins_there.data());
    require_success(cudaGetLastError(), "launch of octile::cuda::form_basis");
    basis_seconds_.stop(space_.cuda_stream());
    space_.fence("octile::cuda::form_bases");  // what it read goes
    set_seconds_ = streams_.seconds() + basis_seconds_.seconds();
  }

  /// Of the solutions that bases are made from: a tenth costs iterations, a hundredth saves none.
  static constexpr double rough_tolerance = 1e-3;

  static std::size_t index(std::int32_t graph) { return static_cast<std::size_t>(graph); }
  /// Of one of the pair's vectors; with fillings, either way round.
  std::size_t elements(Pair pair) const {
    const auto pitch = [&](std::int32_t graph) {
      return static_cast<std::size_t>(row_pitch(Kind, static_cast<int>(vertices(graph))));
    };
    return pitch(pair.first) * pitch(pair.second);
  }

  /// Vectors that a block has in global memory: of CG, and of the product.
  static std::size_t vectors_in_workspace(VectorPlace place) {
    std::size_t own = 0;
    if constexpr (Kind == Product::factored) own = place == VectorPlace::global ? EdgeKernel::chunk : 0;
    return vectors_in_global(place) + own;
  }

  ProductSizes sizes(Pair pair) const {
    return {vertices(pair.first), vertices(pair.second), entries_[index(pair.first)], entries_[index(pair.second)]};
  }

  std::size_t shared_bytes(const Tier& tier, Pair pair) const {
    const std::size_t length = tier.place == VectorPlace::registers ? tier.most_elements : elements(pair);
    const std::size_t vectors = vectors_in_global(VectorPlace::global) - vectors_in_global(tier.place);
    const ProductSizes sizes = this->sizes(pair);
    const bool stages = Kind == Product::octiles || tier.place != VectorPlace::global;
    const bool near = stages_vertices(tier.place, tier.threads);
    return shared_piece(sizeof(SharedHead)) + (near ? StagedVertices<Set>::bytes(sizes.n, sizes.m) : 0) +
           (stages ? tier.product_bytes(sizes) : 0) +
           std::min<std::size_t>(vectors, 2) * shared_piece(length * sizeof(float));
  }

  /// The first tier that takes a pair, maybe with its graphs swapped, and the shared memory that the pair needs there.
  std::pair<std::size_t, std::size_t> tier_of(Pair& pair, std::size_t most_shared) const {
    const std::span<const Tier> tiers = this->tiers();
    if constexpr (Kind == Product::factored) return factored_tier(pair, most_shared);
    const double terms =
        static_cast<double>(entries_[index(pair.first)]) * static_cast<double>(entries_[index(pair.second)]);
    auto tier = std::ranges::lower_bound(tiers, elements(pair), {}, &Tier::most_elements);
    for (;; ++tier) {
      const std::size_t bytes = tier->place == VectorPlace::own
                                    ? owned_bytes(*tier, pair, most_shared).value_or(SIZE_MAX)
                                    : shared_bytes(*tier, pair);
      if (terms >= tier->least_terms * double(elements(pair)) && largest_label_ <= tier->most_label &&
          bytes <= most_shared) {
        return {static_cast<std::size_t>(tier - tiers.begin()), bytes};
      }
    }
  }

  std::pair<std::size_t, std::size_t> factored_tier(Pair& pair, std::size_t most_shared) const {
    const std::span<const Tier> tiers = this->tiers();
    const auto ends_a_row = [&](std::int32_t graph) {
      return static_cast<double>(entries_[index(graph)]) / static_cast<double>(vertices(graph));
    };
    const double ends = ends_a_row(pair.first) + ends_a_row(pair.second);
    for (std::size_t t = 0;; ++t) {
      if (ends < tiers[t].least_terms) continue;
      if (tiers[t].place != VectorPlace::own) {
        const std::size_t bytes = shared_bytes(tiers[t], pair);
        if (bytes <= most_shared) return {t, bytes};
        continue;
      }
      for (const bool swapped : {false, true}) {
        const Pair turned = swapped ? Pair{pair.second, pair.first} : pair;
        const std::optional<std::size_t> bytes = owned_bytes(tiers[t], turned, most_shared);
        if (!bytes) continue;
        pair = turned;
        return {t, *bytes};
      }
    }
  }

  /// Shared memory that a pair gets in a tier whose product deals out the elements, if it has room there.
  std::optional<std::size_t> owned_bytes(const Tier& tier, Pair pair, std::size_t most_shared) const {
    if constexpr (std::is_same_v<VertexKernel, VertexTable>) {
      const ProductSizes sizes = this->sizes(pair);
      const std::size_t bytes = tier.own.bytes(vertex_kernel_.count) + tier.product_bytes(sizes);
      if (sizes.n <= tier.own.rows && sizes.m <= tier.own.columns && bytes <= most_shared) return bytes;
    }
    return {};
  }

  /// The graph that fills lanes better goes second: K is symmetric.
  bool better_swapped(Pair pair) const {
    const auto cost = [&](std::int32_t rows, std::int32_t lanes) {
      return costs_[index(lanes)].element * entries_[index(rows)] + costs_[index(lanes)].row * vertices(rows);
    };
    return cost(pair.second, pair.first) < cost(pair.first, pair.second);
  }

  /// Fills `sorted_` and `order_`: pairs by tier, the largest tier first, and within a tier in the order that they came.
  std::vector<Part> sort_out(std::span<const Pair> pairs) {
    const std::size_t most_shared = space_.cuda_device_prop().sharedMemPerBlockOptin;
    const std::size_t count = tiers().size();
    std::vector<Pair> oriented(pairs.begin(), pairs.end());
    std::vector<std::size_t> tier(pairs.size());
    std::vector<Part> parts(count);
    for (std::size_t k = 0; k < pairs.size(); ++k) {
      if (Kind != Product::factored && better_swapped(oriented[k])) std::swap(oriented[k].first, oriented[k].second);
      std::size_t bytes = 0;
      std::tie(tier[k], bytes) = tier_of(oriented[k], most_shared);
      Part& part = parts[tier[k]];
      if (part.count == 0 || elements(oriented[k]) > elements(part.largest)) part.largest = oriented[k];
      part.shared_bytes = std::max(part.shared_bytes, bytes);
      ++part.count;
    }
    std::vector<std::size_t> next(count);
    for (std::size_t t = count, begin = 0; t-- > 0;) {
      parts[t].tier = t;
      parts[t].begin = next[t] = begin;
      begin += parts[t].count;
    }
    copied_.wait();
    grow(space_, sorted_, "pairs_on_host", pairs.size());
    order_.resize(pairs.size());
    for (std::size_t k = 0; k < pairs.size(); ++k) {
      const std::size_t place = next[tier[k]]++;
      sorted_(place) = oriented[k];
      order_[place] = k;
    }
    std::erase_if(parts, [](const Part& part) { return part.count == 0; });
    std::ranges::reverse(parts);
    return parts;
  }

  /// Of a multiprocessor's memory, what its blocks do not share is cache: no more than they need is asked for.
  void leave_cache(const void* kernel, std::size_t bytes) const {
    const std::size_t whole = space_.cuda_device_prop().sharedMemPerMultiprocessor;
    const std::size_t percent = std::min<std::size_t>(100, (bytes * 100 + whole - 1) / whole);
    require_success(
        cudaFuncSetAttribute(kernel, cudaFuncAttributePreferredSharedMemoryCarveout, static_cast<int>(percent)),
        "carveout of octile::cuda::solve_pairs");
  }

  /// A tier's pairs, ready to go.
  struct Launch {
    const Tier* tier;
    unsigned grid;
    Work work;
  };

  /// With all memory that a launch takes: where time is taken, nothing is in the way of the kernels.
  Launch prepare(const Part& part, Work work) {
    const Tier& tier = tiers()[part.tier];
    const auto* const kernel = reinterpret_cast<const void*>(tier.kernel);
    const std::size_t bytes = part.shared_bytes;
    const Pair largest = part.largest;
    work.count = static_cast<int>(part.count);
    work.shared_bytes = bytes;
    work.vector_length = tier.place == VectorPlace::own ? tier.most_elements : elements(largest);
    require_success(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(bytes)),
                    "shared memory of octile::cuda::solve_pairs");
    int blocks = 0;
    require_success(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, tier.threads, bytes),
                    "occupancy of octile::cuda::solve_pairs");
    leave_cache(kernel,
                (bytes + space_.cuda_device_prop().reservedSharedMemPerBlock) * static_cast<std::size_t>(blocks));
    const auto multiprocessors = static_cast<std::size_t>(space_.cuda_device_prop().multiProcessorCount);
    std::size_t grid = std::min(part.count, static_cast<std::size_t>(blocks) * multiprocessors);
    if (tier.place != VectorPlace::registers) {
      work.vector_count = vectors_in_workspace(tier.place);
      const std::size_t stride = work.vector_count * work.vector_length;
      grid = std::min(
          grid, pairs_that_fit(stride * sizeof(float), memory_, vertices(largest.first), vertices(largest.second)));
      Array<float>& workspace = workspaces_[part.tier];
      grow(space_, workspace, "workspace", stride * grid);
      work.workspace = workspace.data();
    }
    return {&tier, static_cast<unsigned>(grid), work};
  }

  Space space_;
  Set set_;
  VertexKernel vertex_kernel_;
  EdgeKernel edge_kernel_;
  SolveOptions options_;
  double scale_;
  std::size_t memory_;
  OctileChoice choice_;
  ProjectionSet<Space::memory_space> projection_;
  bool has_bases_ = false;
  Array<std::uint32_t> coefficients_;
  Stopwatch basis_seconds_;
  double set_seconds_ = 0;            ///< for the bases
  std::vector<std::size_t> entries_;  ///< elements in the rows of each graph
  std::vector<SliceCosts> costs_;
  float largest_label_;
  std::vector<std::size_t> vertices_;
  std::vector<std::vector<std::uint32_t>> orders_;
  PinnedArray<Pair> sorted_;
  Event copied_;  ///< `sorted_` has been read
  std::vector<std::size_t> order_;
  Array<Pair> pairs_;
  Array<PairResult> results_;
  Array<int> next_;  ///< a counter a tier
  Array<float> nodewise_;
  std::map<std::size_t, Array<float>> workspaces_;  ///< by tier: tiers run side by side
  Streams streams_;
};

}  // namespace octile::cuda
