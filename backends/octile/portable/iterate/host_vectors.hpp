// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>

namespace octile::portable {

/// The vectors of a pair that one thread of a CPU solves, `size` elements each. Diagonal and right-hand side are kept in double
/// beside the vectors in Scalar, since forming them takes longer than reading them.
template <class Scalar>
struct HostVectors {
  std::size_t size;
  double* exact;     ///< M
  double* right;     ///< b
  Scalar* diagonal;  ///< M, rounded
  Scalar* x;
  Scalar* r;
  Scalar* p;
  Scalar* a;
};

/// Scalars that these vectors take for each element of a pair. For float, one of the ten is left over: every pair's begin
/// where a double may.
template <class Scalar>
inline constexpr std::size_t host_scalars = sizeof(Scalar) == sizeof(double) ? 6 : 10;

/// A number for each row ii' of a pair: first_i second_i' · scale.
struct HostProduct {
  const double* first;
  const double* second;
  double scale;
};

/// What the rows of a pair's system are made of beside κv.
struct HostRows {
  int n;
  int m;
  HostProduct degrees;  ///< d_i d'_i'
  HostProduct right;    ///< b
  HostProduct weight;   ///< by which an element of the solution counts in K
};

/// Two sums of one pass.
struct HostSums {
  double first;
  double second;
};

/// The passes over these vectors that CG makes, as `iterate` describes its steps. They are vectorised: sums are of several
/// partial sums, added at the end, in an order that depends on the processor's vectors.
template <class Scalar>
struct HostPasses {
  using Vectors = HostVectors<Scalar>;

  /// M and b of rows whose 1/κv are where M is to be. Returns whether all are `within_range` (pairs/system.hpp).
  bool (*prepare)(const Vectors& vectors, const HostRows& rows);
  /// Σ weight · x
  double (*value)(const Vectors& vectors, const HostRows& rows);
  /// The solution in double.
  void (*widen)(const Vectors& vectors, double* to);
  /// x ← 0, r ← b, p ← M⁻¹ r. Returns {‖M⁻¹r‖², rᵀ M⁻¹ r}, as `step` and `recompute` do.
  HostSums (*begin)(const Vectors& vectors);
  double (*curvature)(const Vectors& vectors);
  /// a ← M⁻¹ r, too.
  HostSums (*step)(const Vectors& vectors, Scalar alpha);
  /// After `step`, whose M⁻¹ r it takes.
  void (*advance)(const Vectors& vectors, Scalar alpha, Scalar beta);
  void (*settle)(const Vectors& vectors, Scalar alpha);
  HostSums (*recompute)(const Vectors& vectors);
  double (*norm)(const Vectors& vectors);
  /// Overwrites a.
  double (*worst)(const Vectors& vectors);
};

/// The passes for this processor, in float or double.
template <class Scalar>
const HostPasses<Scalar>& host_passes();

/// The vectors of a pair that is solved in float and refined in double (see `RefiningSteps`): M, b and x of `fine` are used, and all of
/// `coarse`, whose x is a correction.
struct RefinedVectors {
  HostVectors<double> fine;
  HostVectors<float> coarse;
  double* product;  ///< N x
};

/// What is done with them beside the passes in float, as `iterate` describes its steps.
struct RefiningPasses {
  /// x ← 0, N x ← 0, and M is rounded. Returns whether float can hold all of M, and N p beside them.
  bool (*prepare)(const RefinedVectors& vectors);
  /// p ← the correction + α p, x ← x + p. The correction becomes 0. Returns the largest |p_k|.
  double (*settle)(const RefinedVectors& vectors, float alpha);
  /// N x ← N x + a.
  void (*add_product)(const RefinedVectors& vectors);
  HostSums (*recompute)(const RefinedVectors& vectors);
  /// max_k (|r_k| + u |M x|_k + unsure M_k) / b_k. Overwrites the product.
  double (*worst)(const RefinedVectors& vectors, double unsure);
};

/// The passes of refined solves for this processor.
const RefiningPasses& refining_passes();

}  // namespace octile::portable
