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

/// Two sums of one pass.
struct HostSums {
  double first;
  double second;
};

/// The passes over these vectors that CG makes, as `iterate` describes its steps. They are vectorised: sums are of several
/// partial sums, added at the end, in an order that depends on the processor's vectors.
/// x ← 0, r ← b, p ← M⁻¹ r. Returns {‖M⁻¹r‖², rᵀ M⁻¹ r}, as `step` and `recompute` do.
HostSums host_begin(const HostVectors<float>& vectors);
HostSums host_begin(const HostVectors<double>& vectors);
double host_curvature(const HostVectors<float>& vectors);
double host_curvature(const HostVectors<double>& vectors);
HostSums host_step(const HostVectors<float>& vectors, float alpha);
HostSums host_step(const HostVectors<double>& vectors, double alpha);
void host_advance(const HostVectors<float>& vectors, float alpha, float beta);
void host_advance(const HostVectors<double>& vectors, double alpha, double beta);
void host_settle(const HostVectors<float>& vectors, float alpha);
void host_settle(const HostVectors<double>& vectors, double alpha);
HostSums host_recompute(const HostVectors<float>& vectors);
HostSums host_recompute(const HostVectors<double>& vectors);
double host_norm(const HostVectors<float>& vectors);
double host_norm(const HostVectors<double>& vectors);
/// Overwrites a.
double host_worst(const HostVectors<float>& vectors);
double host_worst(const HostVectors<double>& vectors);

}  // namespace octile::portable
