// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/base/unit_roundoff.hpp>
#include <octile/request.hpp>
#include <octile/solve.hpp>

#include <Kokkos_Macros.hpp>
#include <Kokkos_NumericTraits.hpp>

namespace octile {

/// Whether a solve in Scalar can be believed in a row with this diagonal and right-hand side: they, their quotient, and residuals
/// far below them are normal numbers. A right-hand side may be 0.
template <class Scalar>
KOKKOS_INLINE_FUNCTION bool within_range(double diagonal, double right_hand_side) {
  constexpr double least = BelievedRange<Scalar>::least;
  constexpr double most = BelievedRange<Scalar>::most;
  const bool usual = diagonal >= least && diagonal <= most;
  return usual && (right_hand_side == 0 || (right_hand_side >= least && right_hand_side <= most &&
                                            right_hand_side >= least * diagonal && right_hand_side <= most * diagonal));
}

/// 1 / κv. Not a number where κv is not in (0, 1], which makes the pair a `breakdown`: S is no M-matrix there, and CG may converge to
/// anything.
KOKKOS_INLINE_FUNCTION double reciprocal_of_kappa(double kappa) {
  // A kernel that rounds to float may pass 1.
  constexpr double most = 1 + 1e-6;
  const double inverse = 1 / kappa;  // without a condition, so that many are formed by vectors
  return kappa > 0 && kappa <= most ? inverse : Kokkos::Experimental::quiet_NaN_v<double>;
}

/// 1 / κv of a label and `count` others. A vertex kernel may offer `reciprocals` of them, or `evaluate_many`.
template <class VertexKernel, class Label>
KOKKOS_INLINE_FUNCTION void form_reciprocals_of_row(const VertexKernel& vertex_kernel, const Label& label,
                                                    const Label* others, int count, double* to) {
  if constexpr (requires { vertex_kernel.reciprocals(label, others, count, to); }) {
    vertex_kernel.reciprocals(label, others, count, to);
  } else if constexpr (requires { vertex_kernel.evaluate_many(label, others, count, to); }) {
    vertex_kernel.evaluate_many(label, others, count, to);
    for (int j = 0; j < count; ++j) to[j] = reciprocal_of_kappa(to[j]);
  } else {
    const VertexKernel kernel = vertex_kernel;  // a copy: the compiler knows that nothing in it is written to
    for (int j = 0; j < count; ++j) to[j] = reciprocal_of_kappa(kernel.template evaluate<double>(label, others[j]));
  }
}

/// The linear systems of one pair (G, G') of a set,
///
///     (D× V×⁻¹ − A× ⊙ E×) x = D× q×,        K = p×ᵀ x
///     (D× V×⁻¹ − A× ⊙ E×) y = p×,           K = (D× q×)ᵀ y
///
/// without their off-diagonal product, which XMV primitives form. Vectors
/// have n·m elements, element ii' = i·m + i'. Diagonal and right-hand side are in
/// double for any Scalar, since they are formed only once a pair and their rounding would be amplified by 1/q.
template <class Set, class VertexKernel>
struct PairSystem {
  using Scalar = typename Set::scalar_type;
  using SetType = Set;

  Set set;
  VertexKernel vertex_kernel;
  std::uint32_t first_vertex;   ///< of G, in the set's arrays
  std::uint32_t second_vertex;  ///< of G'
  int n;                        ///< vertices of G
  int m;                        ///< vertices of G'
  int first_graph;
  int second_graph;

  KOKKOS_FUNCTION PairSystem(const Set& set_, const VertexKernel& vertex_kernel_, Pair pair)
      : set(set_),
        vertex_kernel(vertex_kernel_),
        first_vertex(set_.vertex_begin(pair.first)),
        second_vertex(set_.vertex_begin(pair.second)),
        n(set_.vertices(pair.first)),
        m(set_.vertices(pair.second)),
        first_graph(pair.first),
        second_graph(pair.second) {}

  KOKKOS_INLINE_FUNCTION int size() const { return n * m; }

  /// d_i d'_i' / κv(v_i, v'_i').
  KOKKOS_INLINE_FUNCTION double diagonal(int i, int j) const {
    return set.degrees(first_vertex + i) * set.degrees(second_vertex + j) * reciprocal(i, j);
  }

  /// 1 / κv(v_i, v'_i'). A vertex kernel may offer `reciprocal` of labels.
  KOKKOS_INLINE_FUNCTION double reciprocal(int i, int j) const { return reciprocal_by(vertex_kernel, i, j); }

  /// 1 / κv(v_i, v'_i') by `kernel`, another form of the vertex kernel. One that knows it `by_place`, or by the numbers
  /// of vertices, needs no labels.
  template <class Kernel>
  KOKKOS_INLINE_FUNCTION double reciprocal_by(const Kernel& kernel, int i, int j) const {
    if constexpr (requires { kernel.by_place(i * m + j); }) {
      return kernel.by_place(i * m + j);
    } else if constexpr (requires { kernel.by_vertices(first_vertex + i, second_vertex + j); }) {
      return kernel.by_vertices(first_vertex + i, second_vertex + j);
    } else {
      const auto label = set.vertex_labels(first_vertex + i);
      const auto label_second = set.vertex_labels(second_vertex + j);
      if constexpr (requires { kernel.reciprocal(label, label_second); }) {
        return kernel.reciprocal(label, label_second);
      } else {
        return reciprocal_of_kappa(kernel.template evaluate<double>(label, label_second));
      }
    }
  }

  /// 1 / κv(v_i, v'_i') of row i: m numbers.
  KOKKOS_INLINE_FUNCTION void reciprocals(int i, double* to) const {
    if constexpr (requires { vertex_kernel.row(first_vertex + i, second_vertex, m, to); }) {
      vertex_kernel.row(first_vertex + i, second_vertex, m, to);
    } else {
      form_reciprocals_of_row(vertex_kernel, set.vertex_labels(first_vertex + i),
                              set.vertex_labels.data() + second_vertex, m, to);
    }
  }

  /// b = d_i q d'_i' q, or p_i p'_i'.
  KOKKOS_INLINE_FUNCTION double right_hand_side(int i, int j, RightHandSide which = RightHandSide::stopping) const {
    if (which == RightHandSide::starting) return starting(i, j);
    return set.degrees(first_vertex + i) * set.degrees(second_vertex + j) * set.q * set.q;
  }

  /// K is the sum of the solution times this, which is the right-hand side of the other system.
  KOKKOS_INLINE_FUNCTION double value_weight(int i, int j, RightHandSide which) const {
    return which == RightHandSide::starting ? right_hand_side(i, j) : starting(i, j);
  }

  /// p_i p'_i'.
  KOKKOS_INLINE_FUNCTION double starting(int i, int j) const {
    return set.starting(first_vertex + i) * set.starting(second_vertex + j);
  }
};

}  // namespace octile
