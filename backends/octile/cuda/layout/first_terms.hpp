// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/base/to_memory.hpp>
#include <octile/batch_fault.hpp>
#include <octile/cuda/layout/gaussian_factors.hpp>
#include <octile/request.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <string>

namespace octile::cuda {

/// The first product of a solve as a sum of few terms. CG's first direction is p = M⁻¹ b. With an edge kernel of few factors,
/// κe ≈ Σ_k φ_k φ_k (`GaussianFactors`), N p is then a sum with a term for each factor and each vertex id c, which takes less than a product that
/// evaluates κe for each edge with each:
///
///     p_jj' = κv(v_j, v_j') s_j s_j'       s_j = b_j / d_j: 1 in the system of x, p_j / d_j in that of y
///     (N p)_ii' = Σ_c Σ_k left(i, c, k) right(i', c, k)
///     right(i, c, k) = Σ_j A_ij φ_k(E_ij) s_j [v_j = c]       left(i, c, k) = Σ_c' κv(c, c') right(i, c', k)
///
/// (b = D× as sets store it.) Four factors are a quad, 0 behind the last one. Terms of an id that G' has at no edge are left out of the sum.
struct FirstTerms {
  /// For each quad of each id, and there for each vertex of the set, four numbers.
  const float* left = nullptr;
  const float* right = nullptr;
  const std::uint32_t* present = nullptr;  ///< for each graph a bit for each id: whether a number of `right` is not 0
  std::uint32_t pitch = 0;                 ///< vertices of a quad
  std::uint32_t ids = 0;                   ///< 0: there are none, and the first product is as all others
  std::uint32_t quads = 0;                 ///< of an id
};

/// The most vertices past a graph's last one that a sum reads.
inline constexpr std::size_t most_past_last = 64;

/// `FirstTerms` of a set for one system, in its memory.
template <class MemorySpace>
struct FirstTermArrays {
  /// By quad of all ids, vertex and number in the quad.
  using Numbers = Kokkos::View<float***, Kokkos::LayoutRight, MemorySpace>;

  Numbers left;
  Numbers right;
  Kokkos::View<std::uint32_t*, MemorySpace> present;
  std::uint32_t ids = 0;

  FirstTerms terms() const {
    if (ids == 0) return {};
    return {left.data(), right.data(), present.data(), static_cast<std::uint32_t>(left.extent(1)), ids, quads()};
  }
  std::size_t bytes() const { return left.size() * 2 * sizeof(float) + present.size() * sizeof(std::uint32_t); }
  KOKKOS_INLINE_FUNCTION std::uint32_t quads() const { return static_cast<std::uint32_t>(left.extent(0)) / ids; }
  KOKKOS_INLINE_FUNCTION float& at(const Numbers& numbers, std::uint32_t id, int k, std::uint32_t v) const {
    return numbers(id * quads() + static_cast<std::uint32_t>(k) / 4, v, static_cast<std::uint32_t>(k) % 4);
  }
};

/// Forms the terms of a set of slices whose labels are numbers, by three kernels; left numbers are sums of right ones as stored.
template <class Set>
struct FormFirstTerms {
  using MemorySpace = typename Set::memory_space;
  template <class T>
  using Array = Kokkos::View<T, Kokkos::LayoutRight, MemorySpace>;

  Set set;
  Array<double*> points;  ///< of the factors, and their `lower`
  Array<double*> lower;
  const double* reciprocals;  ///< 1/κv over ids
  FirstTermArrays<MemorySpace> to;
  Array<double***> sums;  ///< Σ_j A_ij κe(points[k], E_ij) s_j [v_j = c] by c, k and i
  bool of_y;

  KOKKOS_INLINE_FUNCTION int count() const { return static_cast<int>(points.extent(0)); }
  KOKKOS_INLINE_FUNCTION std::uint32_t vertices() const { return static_cast<std::uint32_t>(sums.extent(2)); }

  struct Sums {};
  KOKKOS_FUNCTION void operator()(Sums, const std::size_t number) const {
    const auto v = static_cast<std::uint32_t>(number % vertices());
    const auto k = number / vertices();
    const std::uint32_t begin = set.vertex_begin(graph_of(v));
    for (std::uint32_t e = set.row_begin(v); e < set.row_begin(v + 1); ++e) {
      const auto entry = set.rows(e);
      if (entry.weight == 0) continue;  // padding
      const std::uint32_t end = begin + entry.column;
      const double far = double(entry.label) - points(k);
      const double start = of_y ? set.starting(end) / set.degrees(end) : 1.0;
      sums(set.vertex_labels(end), k, v) += double(entry.weight) * start * Kokkos::exp2(-far * far);
    }
  }

  struct Factors {};
  KOKKOS_FUNCTION void operator()(Factors, const std::size_t number) const {
    const auto v = static_cast<std::uint32_t>(number % vertices());
    const auto c = static_cast<std::uint32_t>(number / vertices());
    bool any = false;
    for (int k = 0; k < count(); ++k) any = any || sums(c, k, v) != 0;
    if (!any) return;
    double values[most_series];
    for (int k = 0; k < count(); ++k) {
      const double* const row = &lower(static_cast<std::size_t>(k) * points.extent(0));
      double value = sums(c, k, v);
      for (int l = 0; l < k; ++l) value -= row[l] * values[l];
      values[k] = value / row[k];
      to.at(to.right, c, k, v) = static_cast<float>(values[k]);
    }
    Kokkos::atomic_or(&to.present(graph_of(v)), std::uint32_t(1) << c);
  }

  struct Left {};
  KOKKOS_FUNCTION void operator()(Left, const std::size_t number) const {
    const auto v = static_cast<std::uint32_t>(number % vertices());
    const auto k = static_cast<int>(number / vertices() % points.extent(0));
    const auto c = static_cast<std::uint32_t>(number / vertices() / points.extent(0));
    double sum = 0;
    for (std::uint32_t other = 0; other < to.ids; ++other) {
      sum += double(to.at(to.right, other, k, v)) / reciprocals[c * to.ids + other];
    }
    to.at(to.left, c, k, v) = static_cast<float>(sum);
  }

 private:
  KOKKOS_INLINE_FUNCTION std::size_t graph_of(std::uint32_t v) const {
    return octile::detail::holder_of(set.vertex_begin.extent(0) - 1, v,
                                     [this](std::size_t g) { return set.vertex_begin(g); });
  }
};

/// Forms the terms of a set for one system; none where they would take more than so many bytes. Returns with a fence on `space`, since
/// there is memory that only forming them takes.
template <class ExecutionSpace, class Set>
FirstTermArrays<typename Set::memory_space> form_first_terms(const ExecutionSpace& space, const Set& set,
                                                             const GaussianFactors& factors, const double* reciprocals,
                                                             std::uint32_t ids, RightHandSide which,
                                                             std::size_t most_bytes) {
  using MemorySpace = typename Set::memory_space;
  using Form = FormFirstTerms<Set>;
  FirstTermArrays<MemorySpace> arrays;
  const std::size_t vertices = set.vertex_labels.extent(0);
  const std::size_t count = factors.points.size();
  if (vertices == 0 || count == 0 || count > most_series || ids == 0 || ids > most_first_ids) return arrays;
  const std::size_t quads = ids * ((count + 3) / 4);
  const std::size_t pitch = vertices + most_past_last;
  if (quads * pitch * 8 * sizeof(float) + ids * count * vertices * sizeof(double) > most_bytes) return arrays;
  const auto named = [&](const char* name) { return Kokkos::view_alloc(space, std::string("octile::") + name); };
  arrays.ids = ids;
  arrays.left = typename FirstTermArrays<MemorySpace>::Numbers(named("first_terms_left"), quads, pitch, 4);
  arrays.right = typename FirstTermArrays<MemorySpace>::Numbers(named("first_terms_right"), quads, pitch, 4);
  arrays.present = decltype(arrays.present)(named("first_terms_present"), set.vertex_begin.extent(0) - 1);
  const Form form{set,
                  detail::to_memory<MemorySpace>(space, "gaussian_points", factors.points),
                  detail::to_memory<MemorySpace>(space, "gaussian_factors", factors.lower),
                  reciprocals,
                  arrays,
                  typename Form::template Array<double***>(named("first_term_sums"), ids, count, vertices),
                  which == RightHandSide::starting};
  const auto queue = [&]<class Tag>(const char* name, Tag, std::size_t numbers) {
    Kokkos::parallel_for(
        name, Kokkos::RangePolicy<ExecutionSpace, Tag, Kokkos::IndexType<std::size_t>>(space, 0, numbers), form);
  };
  queue("octile::first_terms_sums", typename Form::Sums(), count * vertices);
  queue("octile::first_terms_factors", typename Form::Factors(), ids * vertices);
  queue("octile::first_terms_left", typename Form::Left(), ids * count * vertices);
  space.fence("octile::cuda::form_first_terms");
  return arrays;
}

}  // namespace octile::cuda
