// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/base/array.hpp>
#include <octile/base/to_memory.hpp>
#include <octile/kernels/leaf_kernels.hpp>
#include <octile/kernels/lowering.hpp>
#include <octile/kernels/runtime_kernel.hpp>
#include <octile/kernels/terms.hpp>
#include <octile/on_device/edges.hpp>
#include <octile/on_device/exact_lists.hpp>
#include <octile/on_device/term_edges.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace octile::detail {

/// κe of a set in one memory space, in the form in which walks evaluate it soonest: the one list of these forms.
template <class MemorySpace>
class EdgeForms {
 public:
  template <class ExecutionSpace>
  EdgeForms(const ExecutionSpace& space, const LoweredKernel& edge, const ExactLists& lists)
      : kernel_(space, edge), first_(edge.program[0]), form_(form_of(edge)) {
    if (form_ == Form::delta || form_ == Form::gaussian || form_ == Form::leaf) {
      label_ends(space, edge, lists, {first_.slot});
    } else if (form_ == Form::program) {
      terms_ = kernel_terms(edge.program, {});
      if (terms_ && terms_->as_written && terms_->slots.size() <= 2) {
        sum_ = exponential_sum(edge);
        form_ = sum_ ? Form::exponentials : Form::terms;
        label_ends(space, edge, lists, terms_->slots);
      }
    }
  }

  /// Whether κe takes no more than a few instructions.
  bool cheap() const { return form_ == Form::constant || form_ == Form::table || form_ == Form::delta; }

  /// Calls `visit(edges)` with the edges of edges.hpp.
  template <class Visit>
  void visit(const Visit& visit) const {
    const LeafArguments& arguments = first_;
    switch (form_) {
      case Form::constant: return visit(ConstantEdges{first_.parameter});
      case Form::table: return visit(TableEdges{kernel_.table().data(), kernel_.count()});
      case Form::delta: return visit(LeafEdges<DeltaLeaf>{arguments, labels_.data()});
      case Form::gaussian: return visit(SquareExponentialEdges(arguments, labels_.data()));
      case Form::leaf: return visit(AnyLeafEdges{first_, labels_.data()});
      case Form::exponentials: return visit(ExponentialSumEdges(*sum_, labels_.data()));
      case Form::program: return visit(ProgramEdges<MemorySpace>{kernel_});
      case Form::terms:
        if (terms_->slots.size() == 1) return visit(TermEdges<most_kernel_terms, 1>(*terms_, labels_.data()));
        return visit(TermEdges<most_kernel_terms, 2>(*terms_, labels_.data()));
    }
  }

 private:
  enum class Form { constant, table, delta, gaussian, leaf, exponentials, terms, program };

  static Form form_of(const LoweredKernel& edge) {
    if (edge.constant()) return Form::constant;
    if (edge.tabulated()) return Form::table;
    if (edge.delta()) return Form::delta;
    if (edge.square_exponential()) return Form::gaussian;
    return edge.leaf() ? Form::leaf : Form::program;
  }

  /// Puts the numbers that leaves read beside each other, end by end.
  template <class ExecutionSpace>
  void label_ends(const ExecutionSpace& space, const LoweredKernel& edge, const ExactLists& lists,
                  const std::vector<std::int32_t>& slots) {
    std::vector<double> of_ends;
    of_ends.reserve(lists.ends.size() * slots.size());
    for (const ExactEnd& end : lists.ends) {
      const std::size_t record = std::size_t(end.record) * static_cast<std::size_t>(edge.slots);
      for (const std::int32_t slot : slots) of_ends.push_back(edge.records[record + static_cast<std::size_t>(slot)]);
    }
    labels_ = to_memory<MemorySpace>(space, "exact_end_labels", of_ends);
    space.fence("octile::EdgeForms");  // before the host's labels go
  }

  RuntimeKernel<double, MemorySpace> kernel_;
  Instruction first_;  ///< of the program
  Form form_ = Form::constant;
  std::optional<KernelTerms> terms_;
  std::optional<ExponentialSum> sum_;
  Array<double, MemorySpace> labels_;  ///< of ends, one a column
};

}  // namespace octile::detail
