// SPDX-License-Identifier: BSD-3-Clause
#include <octile/cuda/run/reduced_pairs.cuh>

#include <octile/base/to_memory.hpp>
#include <octile/certify/exact_set.hpp>
#include <octile/cuda/device/launch.cuh>
#include <octile/cuda/start/projected_solve.cuh>
#include <octile/graphs/start_unit.hpp>

#include <algorithm>
#include <span>
#include <string>

namespace octile::cuda {
namespace {

/// Pairs whose coefficients are kept at a time: enough to keep a device busy, 5 KiB each.
constexpr std::size_t pairs_at_once = std::size_t(1) << 14;

constexpr int threads = 256;

unsigned blocks_of(std::size_t items) { return static_cast<unsigned>((items + threads - 1) / threads); }

/// F as numbers, of vertices that begin at vertex_begin[g] in `to`. A graph without a basis has zeros.
__global__ void read_basis(const ProjectionView projection, const std::uint32_t* vertex_begin, double* to) {
  const std::uint32_t first = vertex_begin[blockIdx.x];
  const auto n = static_cast<int>(vertex_begin[blockIdx.x + 1] - first);
  const std::uint32_t tile = projection.tile_begin[blockIdx.x];
  const bool based = projection.tile_begin[blockIdx.x + 1] > tile;
  const auto* const numbers =
      reinterpret_cast<const std::uint16_t*>(projection.basis + std::size_t(tile) * 2 * words_a_tile);
  for (int k = static_cast<int>(threadIdx.x); k < n * basis_size; k += threads) {
    const int v = k / basis_size;
    const std::uint16_t* const place =
        numbers + v / basis_size * int(4 * words_a_tile) + number_in_tile(v % basis_size, k % basis_size);
    to[std::size_t(first) * basis_size + static_cast<std::size_t>(k)] =
        based ? double(half_value(place[0])) + double(half_value(place[2 * words_a_tile])) : 0.0;
  }
}

/// What x is weighted by, as numbers, in the same way.
__global__ void read_weights(const ProjectionView projection, const std::uint32_t* vertex_begin, double* to) {
  const std::uint32_t first = vertex_begin[blockIdx.x];
  const std::uint32_t count = (vertex_begin[blockIdx.x + 1] - first) * std::uint32_t(projection.vertex_term_count);
  const bool based = projection.tile_begin[blockIdx.x + 1] > projection.tile_begin[blockIdx.x];
  const float* const from =
      projection.weights + projection.vertex_begin[blockIdx.x] * std::uint32_t(projection.vertex_term_count);
  double* const of_graph = to + std::size_t(first) * static_cast<std::size_t>(projection.vertex_term_count);
  for (std::uint32_t k = threadIdx.x; k < count; k += threads) of_graph[k] = based ? double(from[k]) : 0.0;
}

/// C of one system as numbers, times a scale. A lane's words of a pair are those of operand B: word w has rows 8 (w mod 2) +
/// 2 (lane mod 4) and the next of column 8 (w / 2) + lane / 4.
__global__ void read_coefficients(const uint4* from, const Pair* pairs, std::size_t count, const double* of_graphs,
                                  double scale, double* to) {
  const std::size_t thread = std::size_t(blockIdx.x) * threads + threadIdx.x;
  const std::size_t k = thread / 32;
  const auto lane = static_cast<int>(thread % 32);
  if (k >= count) return;
  const double by = of_graphs == nullptr ? scale : of_graphs[pairs[k].first] * of_graphs[pairs[k].second];
  const uint4* const place = from + k * coefficients_a_pair + lane;
  const TileWords high = TileWords::load(place);
  const TileWords low = TileWords::load(place + 32);
  double* const of_pair = to + 2 * k * ReducedTrials::matrix;
#pragma unroll
  for (int w = 0; w < 4; ++w) {
    const int row = 8 * (w % 2) + lane % 4 * 2;
    const int column = 8 * (w / 2) + lane / 4;
    of_pair[row * basis_size + column] = by * (double(low_half(high.words[w])) + double(low_half(low.words[w])));
    of_pair[(row + 1) * basis_size + column] =
        by * (double(high_half(high.words[w])) + double(high_half(low.words[w])));
  }
}

}  // namespace

void ReducedPairs::reserve_bases(const Space& space, const ProjectionSet<Space::memory_space>& projection,
                                 Certifier& certifier, const std::vector<double>& weight_scales) {
  static_assert(vectors_of_basis == basis_size);
  const ExactGraphs& graphs = certifier.set()->graphs();
  const std::size_t count = weight_scales.size();
  const std::vector<std::uint32_t> vertex_begin(graphs.vertex_begin.begin(), graphs.vertex_begin.end());
  std::vector<double> scales(count);
  for (std::size_t g = 0; g < count; ++g) {
    const std::span<const double> starting =
        std::span(graphs.starting).subspan(graphs.vertex_begin[g], graphs.vertex_begin[g + 1] - graphs.vertex_begin[g]);
    scales[g] = weight_scales[g] * start_unit_of(starting);
  }
  vertex_begin_ = detail::to_memory<Space::memory_space>(space, "vertex_begin", vertex_begin);
  scales_of_y_ = detail::to_memory<Space::memory_space>(space, "scales_of_y", scales);
  const std::size_t weights = projection.weights_a_vertex();
  grow(space, weights_, "basis_weights", vertex_begin.back() * weights);
  for (Array<double>& basis : bases_) grow(space, basis, "basis_read", vertex_begin.back() * std::size_t(basis_size));
  BasisWeights<Space::memory_space> of_certifier;
  of_certifier.count = static_cast<int>(weights);
  if (weights > 0) of_certifier.values = weights_;
  certifier.reserve_bases(space, of_certifier);
  space.fence("octile::cuda::ReducedPairs");  // before the host's numbers go
}

void ReducedPairs::take_bases(const Space& space, const ProjectionSet<Space::memory_space>& projection,
                              Certifier& certifier) {
  const auto graphs = static_cast<unsigned>(scales_of_y_.extent(0));
  if (projection.weights_a_vertex() > 0) {
    read_weights<<<graphs, threads, 0, space.cuda_stream()>>>(projection.view(RightHandSide::stopping),
                                                              vertex_begin_.data(), weights_.data());
    require_success(cudaGetLastError(), "launch of octile::cuda::read_weights");
  }
  for (const RightHandSide side : {RightHandSide::stopping, RightHandSide::starting}) {
    const Array<double>& basis = bases_[side == RightHandSide::stopping ? 0 : 1];
    read_basis<<<graphs, threads, 0, space.cuda_stream()>>>(projection.view(side), vertex_begin_.data(), basis.data());
    require_success(cudaGetLastError(), "launch of octile::cuda::read_basis");
    certifier.take_basis(space, side, basis);
  }
}

void ReducedPairs::forget_bases() {
  for (Array<double>& basis : bases_) basis = {};
  vertex_begin_ = {};
}

void ReducedPairs::reserve_pairs(const Space& space, std::size_t count) {
  const std::size_t most = std::min(count, pairs_at_once);
  grow(space, coefficients_, "reduced_coefficients", most * 4 * coefficients_a_pair);
  grow(space, decoded_, "reduced_numbers", most * 2 * ReducedTrials::matrix);
}

void ReducedPairs::certify(const Space& space, const ProjectionSet<Space::memory_space>& projection,
                           const Certifier& certifier, double q_squared, const Certified& of) {
  const std::size_t most = std::min(of.count, pairs_at_once);
  reserve_pairs(space, most);
  auto* const words = reinterpret_cast<uint4*>(coefficients_.data());
  for (std::size_t begin = 0; begin < of.count; begin += most) {
    const std::size_t some = std::min(most, of.count - begin);
    const Pair* const pairs = of.pairs + begin;
    for (const RightHandSide side : {RightHandSide::stopping, RightHandSide::starting}) {
      const bool of_x = side == RightHandSide::stopping;
      solve_projected<<<static_cast<unsigned>((some + projected_warps - 1) / projected_warps), 32 * projected_warps,
                        projected_warps * ProjectedSolve::bytes, space.cuda_stream()>>>(
          projection.view(side), pairs, words, static_cast<int>(some), true);
      require_success(cudaGetLastError(), "launch of octile::cuda::solve_projected");
      read_coefficients<<<blocks_of(32 * some), threads, 0, space.cuda_stream()>>>(
          words, pairs, some, of_x ? nullptr : scales_of_y_.data(), q_squared,
          decoded_.data() + (of_x ? 0 : ReducedTrials::matrix));
      require_success(cudaGetLastError(), "launch of octile::cuda::read_coefficients");
    }
    certifier.certify_reduced(space, {pairs, of.begins + begin, decoded_.data(), of.steps.from(begin)}, some,
                              of.results + begin, of.slopes.from(begin));
  }
}

}  // namespace octile::cuda
