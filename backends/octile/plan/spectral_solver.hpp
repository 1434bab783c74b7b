// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/graph.hpp>
#include <octile/pairs/spectrum.hpp>
#include <octile/plan/lowered_set.hpp>
#include <octile/plan/lowering_plan.hpp>
#include <octile/solvers/pair_solver.hpp>
#include <octile/solvers/setup.hpp>
#include <octile/stopping.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace octile::plan {

/// The closed form as a `PairSolver`, but for where spectra are formed and pairs evaluated.
class SpectralSolver : public PairSolver {
 public:
  std::size_t unknowns(Pair pair) const final {
    return static_cast<std::size_t>(vertices(pair.first)) * static_cast<std::size_t>(vertices(pair.second));
  }
  Precision precision() const final { return Precision::float64; }
  bool iterates() const final { return false; }
  std::string description() const final { return description_; }

 protected:
  /// `space` is its name in the description. Throws `Error` if the spectra do not fit the memory.
  SpectralSolver(const SolverSetup& setup, const LoweringPlan& plan, std::string_view space)
      : stopping_(setup.kernel.stopping),
        kernels_{plan.lowered.vertex.program[0].parameter, plan.lowered.edge_constant()},
        tolerance_(setup.options.tolerance),
        graphs_(setup.graphs.begin(), setup.graphs.end()),
        memory_(graphs_) {
    require_memory(setup, memory_.kept);
    description_ = describe_method(setup, plan.lowered, space, plan.report, memory_.kept);
  }

  const Stopping& stopping() const { return stopping_; }
  const ConstantKernels& kernels() const { return kernels_; }
  double tolerance() const { return tolerance_; }
  const std::vector<Graph>& graphs() const { return graphs_; }
  const SpectraMemory& memory() const { return memory_; }
  std::int32_t vertices(std::int32_t graph) const { return graphs_[static_cast<std::size_t>(graph)].vertex_count(); }

 private:
  /// Result k is that of pair k.
  virtual void evaluate(std::span<const Pair> pairs, std::span<PairResult> results) = 0;

  void answer_to(const Request& request, const Answer& answer) final {
    evaluate(request.pairs, answer.results);
    if (!request.nodewise_begin.empty()) {
      closed_form_solutions(graphs_, stopping_, kernels_, request, answer.nodewise);
    }
  }

  Stopping stopping_;
  ConstantKernels kernels_;
  double tolerance_;
  std::vector<Graph> graphs_;
  SpectraMemory memory_;
  std::string description_;
};

}  // namespace octile::plan
