// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/cuda/device/buffers.cuh>
#include <octile/cuda/iterate/first_sum.cuh>
#include <octile/cuda/layout/first_terms.hpp>
#include <octile/cuda/layout/set_builder.hpp>
#include <octile/cuda/run/set_kernels.cuh>
#include <octile/cuda/typed/kernels.cuh>
#include <octile/request.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>

namespace octile::cuda {

/// The kernels of a product for one type of set, and base kernels of compile-time types over its labels. κv is a `VertexTable`, which
/// each launch is given, or a kernel of the set's own.
template <class Set, class VertexKernel, class EdgeKernel>
class TypedSet final : public SetKernels {
 public:
  using Functions = std::span<const KernelFunction<Set, VertexKernel, EdgeKernel>>;

  TypedSet(Set set, const VertexKernel& vertex_kernel, const EdgeKernel& edge_kernel, Functions functions,
           Functions of_both)
      : set_(std::move(set)),
        vertex_kernel_(vertex_kernel),
        edge_kernel_(edge_kernel),
        functions_(functions),
        of_both_(of_both) {}

  const void* kernel(std::size_t tier, Systems systems) const override {
    return reinterpret_cast<const void*>(functions(systems)[tier]);
  }

  void launch(std::size_t tier, Systems systems, const LaunchShape& shape, const VertexTable& vertex_table,
              const Work& work) const override {
    const auto kernel = functions(systems)[tier];
    const auto queue = [&](const VertexKernel& vertex_kernel) {
      kernel<<<shape.grid, shape.threads, shape.shared_bytes, shape.stream>>>(set_, vertex_kernel, edge_kernel_, work);
    };
    if constexpr (std::is_same_v<VertexKernel, VertexTable>) {
      queue(vertex_table);
    } else {
      queue(vertex_kernel_);
    }
    require_success(cudaGetLastError(), "launch of octile::cuda::solve_pairs");
  }

  std::size_t form_first_terms([[maybe_unused]] const Kokkos::Cuda& space,
                               [[maybe_unused]] const GaussianFactors& factors,
                               [[maybe_unused]] const VertexTable& vertex_table,
                               [[maybe_unused]] std::size_t most_bytes) override {
    if constexpr (has_first_terms<Set, VertexKernel, EdgeKernel>()) {
      const auto form = [&](RightHandSide which) {
        return cuda::form_first_terms(space, set_, factors, vertex_table.reciprocals, vertex_table.count, which,
                                      most_bytes / 2);
      };
      first_of_x_ = form(RightHandSide::stopping);
      first_of_y_ = form(RightHandSide::starting);
    }
    return first_of_x_.bytes() + first_of_y_.bytes();
  }
  FirstTerms first_terms(RightHandSide which) const override {
    return (which == RightHandSide::starting ? first_of_y_ : first_of_x_).terms();
  }

 private:
  Functions functions(Systems systems) const { return systems == Systems::both ? of_both_ : functions_; }

  Set set_;
  VertexKernel vertex_kernel_;
  EdgeKernel edge_kernel_;
  Functions functions_;
  Functions of_both_;
  FirstTermArrays<typename Set::memory_space> first_of_x_;
  FirstTermArrays<typename Set::memory_space> first_of_y_;
};

/// The set that a builder has, with the kernels for it. A κv that is a `VertexTable` is
/// given with each launch, and the number of its ids is not in the sizes yet.
template <Product Kind, class VertexLabel, class EdgeLabel, class VertexKernel, class EdgeKernel>
SetOnHost set_on_host(SetBuilder<Kind, VertexLabel, EdgeLabel> builder, const VertexKernel& vertex_kernel,
                      const EdgeKernel& edge_kernel, const OctileChoice& choice = {}) {
  using Builder = SetBuilder<Kind, VertexLabel, EdgeLabel>;
  using Set = ProductSet<Kind, VertexLabel, EdgeLabel, Kokkos::Cuda::memory_space>;
  const auto kernels = kernels_of<Kind, Set, VertexKernel, EdgeKernel>(choice.steps);
  SetOnHost all{Kind,
                kernels.tiers,
                factors_at_once<EdgeKernel>(),
                builder.sizes(),
                builder.orders(),
                builder.weight_scales(),
                builder.bytes(),
                choice,
                {}};
  all.to_device = [kept = std::make_shared<Builder>(std::move(builder)), vertex_kernel, edge_kernel,
                   functions = kernels.functions, of_both = kernels.of_both](
                      const Kokkos::Cuda& space, ReciprocalsByPair* by_pair) mutable -> std::unique_ptr<SetKernels> {
    Set set = kept->build(space);
    kept.reset();
    if constexpr (std::is_same_v<VertexKernel, VertexTable>) {
      if (by_pair != nullptr) by_pair->exchange_labels(space, set.vertex_begin, set.vertex_labels);
    }
    return std::make_unique<TypedSet<Set, VertexKernel, EdgeKernel>>(std::move(set), vertex_kernel, edge_kernel,
                                                                     functions, of_both);
  };
  return all;
}

}  // namespace octile::cuda
