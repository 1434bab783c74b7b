// SPDX-License-Identifier: BSD-3-Clause
#include <octile/kernels/terms.hpp>

#include <octile/kernels/leaf_kernels.hpp>

#include <algorithm>
#include <cmath>
#include <utility>

namespace octile::detail {
namespace {

/// Numbers of the instructions that a product is made of.
struct Product {
  std::vector<std::size_t> constants;
  std::vector<std::size_t> leaves;
};
using Sum = std::vector<Product>;

Product times(Product left, const Product& right) {
  left.constants.insert(left.constants.end(), right.constants.begin(), right.constants.end());
  left.leaves.insert(left.leaves.end(), right.leaves.begin(), right.leaves.end());
  return left;
}

Sum taken(std::vector<Sum>& stack) {
  Sum top = std::move(stack.back());
  stack.pop_back();
  return top;
}

/// The products that a program is the sum of; none if it is not, or of too many.
Sum products_of(std::span<const Instruction> program) {
  using Code = Instruction::Code;
  std::vector<Sum> stack;
  for (std::size_t k = 0; k < program.size(); ++k) {
    switch (program[k].code) {
      case Code::constant: stack.push_back({{{k}, {}}}); break;
      case Code::leaf: stack.push_back({{{}, {k}}}); break;
      case Code::add: {
        const Sum right = taken(stack);
        stack.back().insert(stack.back().end(), right.begin(), right.end());
        break;
      }
      case Code::multiply: {
        const Sum right = taken(stack);
        const Sum left = taken(stack);
        Sum all;
        for (const Product& one : left) {
          for (const Product& other : right) all.push_back(times(one, other));
        }
        stack.push_back(std::move(all));
        break;
      }
      case Code::power:
      case Code::list_leaf:
      case Code::scale:
      case Code::convolution:
      case Code::normalize: return {};
    }
    if (stack.back().size() > static_cast<std::size_t>(most_kernel_terms)) return {};
  }
  return stack.back();
}

/// What |x − y| may be multiplied by. Then a product that float has no number for belongs to labels that are as good as equal, or as good as
/// infinitely far.
constexpr double least_scale = 1e-30;
constexpr double most_scale = 1e30;

/// A leaf, and what its derivative is to be multiplied by: where it has a length, length · ∂κ/∂length is formed.
struct ScaledLeaf {
  TermLeaf leaf;
  double scale;
};

/// Of another kind it is `none`, and where a length is so large or small that float cannot tell distances in lengths.
ScaledLeaf term_leaf(const Instruction& instruction) {
  const auto leaf = [&](TermLeaf::Kind kind, double number) {
    const bool told = kind == TermLeaf::Kind::delta || (number >= least_scale && number <= most_scale);
    return TermLeaf{told ? kind : TermLeaf::Kind::none,
                    instruction.degree,
                    {number, static_cast<float>(number)},
                    instruction.parameter};
  };
  if (instruction.leaf == leaf_number<DeltaLeaf>) return {leaf(TermLeaf::Kind::delta, instruction.parameter), 1};
  if (instruction.leaf == leaf_number<GaussianLeaf>) {
    const double inverse_length = std::sqrt(2 * instruction.parameter);
    return {leaf(TermLeaf::Kind::square_exponential, inverse_length), inverse_length};
  }
  if (instruction.leaf == leaf_number<MaternLeaf>) {
    const double twice_nu = 2 * instruction.degree + 1;
    return {leaf(TermLeaf::Kind::matern, instruction.parameter), instruction.parameter / std::sqrt(twice_nu)};
  }
  return {};
}

}  // namespace

std::optional<KernelTerms> kernel_terms(std::span<const Instruction> program,
                                        std::span<const ProgramParameter> parameters) {
  const Sum products = products_of(program);
  if (products.empty()) return std::nullopt;
  // The function of each instruction's parameter: of these leaves none has two.
  std::vector<std::size_t> function(program.size(), 0);
  for (std::size_t t = 0; t < parameters.size(); ++t) {
    const auto at = static_cast<std::size_t>(parameters[t].instruction);
    function[at] = t + 1;
  }
  KernelTerms all;
  std::size_t taken = 0;
  std::vector<std::vector<TermShare>> shares(parameters.size() + 1);
  for (const Product& product : products) {
    const auto term = static_cast<std::int32_t>(all.terms.size());
    KernelTerms::Term& own = all.terms.emplace_back();
    taken += product.constants.size() + product.leaves.size();
    for (const std::size_t k : product.constants) own.factor *= program[k].parameter;
    for (const std::size_t k : product.constants) {
      double others = 1;
      for (const std::size_t other : product.constants) others *= other == k ? 1 : program[other].parameter;
      if (function[k] != 0) shares[function[k]].push_back({term, 0, others});
    }
    for (const std::size_t k : product.leaves) {
      const auto free = [&](std::size_t column) {
        return column >= own.leaves.size() || own.leaves[column].kind == TermLeaf::Kind::none;
      };
      std::size_t column = 0;
      while (column < all.slots.size() && !(all.slots[column] == program[k].slot && free(column))) ++column;
      if (column == static_cast<std::size_t>(most_kernel_columns)) return std::nullopt;
      if (column == all.slots.size()) all.slots.push_back(program[k].slot);
      own.leaves.resize(std::max(own.leaves.size(), column + 1));
      const auto [leaf, scale] = term_leaf(program[k]);
      if (leaf.kind == TermLeaf::Kind::none) return std::nullopt;
      own.leaves[column] = leaf;
      if (function[k] == 0) continue;
      shares[function[k]].push_back({term, static_cast<std::int32_t>(column) + 1, own.factor * scale});
    }
  }
  if (all.slots.empty()) return std::nullopt;
  const auto operand = [](const Instruction& step) {
    return step.code == Instruction::Code::constant || step.code == Instruction::Code::leaf;
  };
  all.as_written = taken == static_cast<std::size_t>(std::ranges::count_if(program, operand));
  if (all.slots.size() > 2 && all.terms.size() > static_cast<std::size_t>(few_kernel_terms)) return std::nullopt;
  for (KernelTerms::Term& term : all.terms) term.leaves.resize(all.slots.size());
  for (const std::vector<TermShare>& of_function : shares) {
    all.share_begin.push_back(static_cast<std::int32_t>(all.shares.size()));
    all.shares.insert(all.shares.end(), of_function.begin(), of_function.end());
  }
  all.share_begin.push_back(static_cast<std::int32_t>(all.shares.size()));
  return all;
}

std::optional<ExponentialSum> exponential_sum(const LoweredKernel& kernel) {
  constexpr double usual = 1e30;
  if (kernel.slots != 1 || kernel.program.size() == 1) return std::nullopt;
  const std::optional<KernelTerms> terms = kernel_terms(kernel.program, {});
  if (!terms || terms->slots.size() != 1) return std::nullopt;
  ExponentialSum sum;
  for (const KernelTerms::Term& term : terms->terms) {
    const TermLeaf& leaf = term.leaves[0];
    if (leaf.kind == TermLeaf::Kind::none) {
      sum.constant += term.factor;
    } else if (leaf.kind == TermLeaf::Kind::square_exponential && leaf.prepared > 1 / usual && leaf.prepared < usual) {
      sum.terms.push_back({term.factor, leaf.prepared});
    } else {
      return std::nullopt;
    }
  }
  if (sum.terms.size() > ExponentialSum::most) return std::nullopt;
  return sum;
}

}  // namespace octile::detail
