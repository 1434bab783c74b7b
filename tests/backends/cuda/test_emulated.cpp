// SPDX-License-Identifier: BSD-3-Clause
// The native CUDA products of factors without a GPU: on the CPU, with a fiber for each thread (emulated/device.hpp).
#include "backends/cuda/emulated/device.hpp"

#include <octile/cuda/products/dense.cuh>
#include <octile/cuda/products/dense_sum.cuh>
#include <octile/cuda/products/strips.cuh>

#include <doctest/doctest.h>

#include <cstddef>
#include <string>
#include <vector>

#include "backends/cuda/emulated/checks.hpp"
#include "common/sanitized.hpp"

using namespace octile;
using namespace octile::emulated;

namespace {

/// Checks a product of factors (iterate/distributed.cuh) on pairs up to its size. `forms`: the forms that it reads.
template <class Product, class EdgeKernel = cuda::FactoredEdges<3>>
void check_distributed(const char* edge, bool with_weights, const cuda::FactorForms& forms = {nullptr, 3, true},
                       const char* vertex = "delta(kind,0.4)", bool projected = false) {
  CAPTURE(std::string(edge));
  CAPTURE(std::string(vertex));
  const Pairs of(Product::rows, Product::columns, with_weights);
  const KernelSpec kernel = kernel_of(edge, vertex);
  cuda::Layout layout;
  layout.factored = forms;
  const NativeSet<cuda::Product::factored, std::uint32_t> set(of.graphs, kernel, Lowering::factored, layout, record_of,
                                                              options());
  CAPTURE(set.plan().report);
  const auto solve = [&](const Launch& launch) { return set.solve_distributed<Product>(EdgeKernel(), launch); };
  if (projected) {
    check_starts(of, kernel, solve);
  } else {
    check_solves(of, kernel, solve);
  }
}

template <int Warps, int Columns>
void check_strips() {
  const cuda::FactorForms forms{nullptr, 1, false, true};
  for (const char* vertex : {"delta(kind,0.4)", "1"}) {
    check_distributed<cuda::StripProduct<Warps, Columns, false>, cuda::FactoredEdges<1, false>>("0.75", true, forms,
                                                                                                vertex);
    check_distributed<cuda::StripProduct<Warps, Columns, true>, cuda::FactoredEdges<1, true>>("0.75", false, forms,
                                                                                              vertex);
  }
}

/// Checks edge kernels of few factors.
template <class Product>
void check_few_factors(const cuda::FactorForms& forms) {
  check_distributed<Product>("gaussian(length,2)", true, forms);
  check_distributed<Product>("delta(order,0.5)", false, forms, "1");
}

/// Checks edge kernels of few factors and of 3 to 33.
template <class Product>
void check_factors(const cuda::FactorForms& forms) {
  check_few_factors<Product>(forms);
  check_distributed<Product>("gaussian(length,0.3)", true, forms, "delta(kind,0.4)*delta(element,0.2)");
  check_distributed<Product>("delta(bond,0.2)*gaussian(length,0.3)", true, forms);
}

template <int Tiles>
void check_dense() {
  for (const char* vertex : {"delta(kind,0.4)", "0.9"}) {
    check_distributed<cuda::DenseProduct<Tiles>, cuda::FactoredEdges<1, true>>("0.75", false, {nullptr, 1, true},
                                                                               vertex);
  }
}

}  // namespace

TEST_CASE("a second system ends earlier by as much as the first one was solved further, four times at most") {
  cuda::Work work{};
  work.options.tolerance = 1e-3;
  CHECK(work.tolerance(0) == 1e-3);
  std::vector<PairResult> solved(5);
  const std::vector<double> residuals{1e-3, 5e-4, 1e-5, 0.0, 1.0};  // the last of a solve that broke down
  for (std::size_t k = 0; k < solved.size(); ++k) solved[k].residual = residuals[k];
  work.solved = solved.data();
  const std::vector<double> expected{1e-3, 2e-3, 4e-3, 4e-3, 1e-3};
  for (std::size_t k = 0; k < solved.size(); ++k) {
    CHECK(work.tolerance(static_cast<int>(k)) == doctest::Approx(expected[k]));
  }
}

TEST_CASE("strips agree with double, up to the largest pairs of each shape") {
  check_strips<4, 1>();
  check_strips<8, 2>();
  check_strips<8, 3>();
  check_strips<16, 4>();
}

TEST_CASE("dense products in half precision agree with double, up to the largest pairs of each shape") {
  check_dense<3>();
  if (!test::sanitized) check_dense<4>();
  if (!test::sanitized) check_dense<5>();
  check_dense<6>();
}

TEST_CASE("sums of dense products in half precision agree with double, up to the largest pairs of each shape") {
  const cuda::FactorForms spots{nullptr, 3, true};
  using Two = cuda::DenseSumProduct<2, NativeSet<cuda::Product::factored, std::uint32_t>::Set>;
  if constexpr (test::sanitized) {
    check_few_factors<Two>(spots);
  } else {
    check_factors<Two>(spots);
  }
  if (!test::sanitized)
    check_few_factors<cuda::DenseSumProduct<4, NativeSet<cuda::Product::factored, std::uint32_t>::Set>>(spots);
  check_few_factors<cuda::DenseSumProduct<6, NativeSet<cuda::Product::factored, std::uint32_t>::Set>>(spots);
}

TEST_CASE("products of factors start from projected systems") {
  const cuda::FactorForms spots{nullptr, 3, true};
  check_distributed<cuda::DenseSumProduct<2, NativeSet<cuda::Product::factored, std::uint32_t>::Set>>(
      "gaussian(length,0.3)", true, spots, "delta(kind,0.4)", true);
  check_distributed<cuda::DenseSumProduct<4, NativeSet<cuda::Product::factored, std::uint32_t>::Set>>(
      "delta(order,0.5)", true, spots, "1", true);
}
