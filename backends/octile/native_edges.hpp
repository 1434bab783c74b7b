// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/base_kernels.hpp>
#include <octile/graphs/octile_set.hpp>
#include <octile/kernels/leaf_product.hpp>
#include <octile/program_kernel.hpp>

#include <Kokkos_Macros.hpp>

#include <optional>
#include <type_traits>

// In what form native kernels take the edge kernel of a solve:
//
//     quick         what they evaluate in float: a `LeafProduct`, for which the library has them compiled, or a compile-time type
//     Stored        the type of the labels that it reads
//     read_label    stores these from labels of the caller's, and says whether they tell all that κe reads (`cuda::WriteLabels`)
//     exact         the kernel over labels of the caller's, for residuals in double
//
namespace octile::detail {

/// Whether a base kernel says that its code is long, or is made of one that does.
template <class Kernel>
struct IsLong {
  static constexpr bool value = requires { Kernel::is_long; };
};
template <auto Member, class Kernel>
struct IsLong<Field<Member, Kernel>> : IsLong<Kernel> {};
template <class Kernel>
struct IsLong<RConvolution<Kernel>> : IsLong<Kernel> {};
template <class First, class... Rest>
struct IsLong<TensorProduct<First, Rest...>> {
  static constexpr bool value = (IsLong<First>::value || ... || IsLong<Rest>::value);
};
template <class First, class Second>
struct IsLong<WeightedSum<First, Second>> {
  static constexpr bool value = IsLong<First>::value || IsLong<Second>::value;
};

/// Labels as they are.
template <class Label>
struct ReadAsIs {
  using Stored = Label;
  KOKKOS_INLINE_FUNCTION ReadAsIs beside(const Label&) const { return *this; }
  KOKKOS_INLINE_FUNCTION bool operator()(const Label& label, Stored& to) const {
    to = label;
    return true;
  }
};

/// Stores what a `LeafProduct` reads of labels. `Reader` has read(label, words).
template <class Label, class Reader>
struct ReadProduct {
  using Stored = NumberAndCode;  ///< of which the layout keeps the number alone where no code is read

  Reader reader;
  LeafProduct leaves;
  double rounding;
  double center = 0;

  /// A reader that stores numbers as differences from the number of `label`. All labels of a batch have to be read with
  /// the same one.
  KOKKOS_INLINE_FUNCTION ReadProduct beside(const Label& label) const {
    WordsOfLabel words(leaves, rounding, 0);
    reader.read(label, words);
    ReadProduct read = *this;
    read.center = static_cast<double>(words.words().number);
    return read;
  }

  KOKKOS_INLINE_FUNCTION bool operator()(const Label& label, Stored& to) const {
    WordsOfLabel words(leaves, rounding, center);
    reader.read(label, words);
    to = words.words();
    return words.fit();
  }
};

/// A kernel in that form.
template <class Stored_, class Quick, class ReadLabel, class Exact>
struct NativeEdges {
  using Stored = Stored_;
  Quick quick;
  ReadLabel read_label;
  Exact exact;
};

/// How far labels that floats round may change κe: in float by about what arithmetic does. In double, residuals see it, and it only
/// must not keep corrections from converging.
template <class Scalar>
inline constexpr double label_rounding = std::is_same_v<Scalar, double> ? 0x1p-14 : 0x1p-20;

template <class Scalar, class Stored, class Label, class Reader, class Exact>
auto product_edges(const LeafProduct& leaves, const Reader& reader, const Exact& exact) {
  using Read = ReadProduct<Label, Reader>;
  return NativeEdges<Stored, LeafProduct, Read, Exact>{leaves, Read{reader, leaves, label_rounding<Scalar>}, exact};
}

/// Calls `use` with the native form of an edge kernel over `Label` for solves in `Scalar`. Returns whether it has one: programs have it
/// where they are products of few leaves.
template <class Scalar, class Label, class EdgeKernel, class Use>
bool with_native_edges(const EdgeKernel& kernel, const Use& use) {
  if constexpr (std::is_same_v<EdgeKernel, ProgramKernel<Label>>) {
    const std::optional<ProgramProduct<Label>> product = kernel.product();
    if (!product) return false;
    const LeafProduct& leaves = product->leaves;
    if (leaves.gaussians + leaves.deltas == 0) {
      use(product_edges<Scalar, NoLabel, Label>(leaves, *product, *product));
    } else if (leaves.deltas == 0) {
      use(product_edges<Scalar, float, Label>(leaves, *product, *product));
    } else {
      use(product_edges<Scalar, NumberAndCode, Label>(leaves, *product, *product));
    }
    return true;
  } else if constexpr (is_leaf_product<EdgeKernel, Label> &&
                       (std::is_same_v<Scalar, double> || !LeavesOf<EdgeKernel, Label>::rounds)) {
    using Leaves = LeavesOf<EdgeKernel, Label>;
    using Stored = std::conditional_t<Leaves::gaussians + Leaves::deltas == 0, NoLabel,
                                      std::conditional_t<Leaves::deltas == 0, float, NumberAndCode>>;
    LeafProduct leaves;
    Leaves::collect(kernel, leaves);
    if (!leaves.suits()) return false;
    use(product_edges<Scalar, Stored, Label>(leaves, Leaves(), kernel));
    return true;
  } else if constexpr (!IsLong<EdgeKernel>::value) {
    use(NativeEdges<Label, EdgeKernel, ReadAsIs<Label>, EdgeKernel>{kernel, {}, kernel});
    return true;
  } else {
    return false;
  }
}

}  // namespace octile::detail
