// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/cuda/block/distributed_vectors.cuh>
#include <octile/cuda/block/distributed_vertices.cuh>
#include <octile/cuda/block/team.cuh>
#include <octile/cuda/block/vertex_table.cuh>
#include <octile/cuda/block/warp.cuh>
#include <octile/cuda/start/projected_start.cuh>
#include <octile/pairs/conjugate_gradient.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <type_traits>

namespace octile::cuda {

/// The steps of `iterate` for (M − N) x = b with M = D× V×⁻¹ and b = D× 1 or another, in the preconditioned quantities:
///
///     z = M⁻¹ r      q = M⁻¹ (M − N) p = p − M⁻¹ N p      x ← x + α p      z ← z − α q      p ← z + β p
///
/// So M⁻¹ enters only the product's result, and M only the sums. M_ii' is the row's share d_i / κv times the column's d'_i', and
/// M⁻¹ likewise with reciprocals; a row's share is one load for each vertex id. An iteration makes two passes over the elements:
///
///     curvature    q, and all inner products of z and q, with M and without, and pᵀ M q:
///                  ‖z‖² and rᵀ z after the step follow from them for any α
///     advance      x, z and p
///
/// Where a step leaves little of ‖z‖² or rᵀ z, that difference of sums cancels. Then `step` forms z and sums over it.
///
/// p is in shared memory, q in registers. Each element of x and z is used by one thread only. z lies where there is
/// room, in registers, shared or global memory. x lies in global memory, since nothing waits for it. Where p is rounded
/// to its stored form, x is too before the residual is recomputed, so that this is the residual of x.
template <class Product, class Right>
class DistributedSteps {
 public:
  using Direction = typename Product::Direction;
  using Team = BlockTeam<DistributedElements<Product>>;
  using Part = typename Team::Partial;
  using Real = float;
  /// Inexact products need more margin below the tolerance, less of it where a guess must follow two similar steps (`starts`).
  static constexpr Real guess_margin = !Direction::rounds ? 0.8F : Product::starts ? 0.7F : 0.4F;
  static constexpr bool starts = Product::starts;
  static constexpr bool asks_again = !std::is_same_v<typename Product::Result, InMemory>;

  __device__ DistributedSteps(const Team& team, const Product& product, const ProjectedStart& start, const Right& right,
                              DistributedHead<Product>& head, const VertexTable& kernel, const float2* shares, float* p,
                              float* x, float* z, float* b, float* y)
      : team_(team),
        product_(product),
        start_(start),
        right_(right),
        head_(head),
        kernel_(kernel),
        shares_(shares),
        p_(p),
        x_(x),
        z_(z),
        b_(b) {
    if constexpr (in_shared) y_.values = y;
  }

  __device__ __forceinline__ Sums<float> begin() { return right_.stored() ? begin_from<true>() : begin_from<false>(); }

  __device__ __forceinline__ void start() {
    static_assert(Product::rows % basis_size == 0 && Product::columns % basis_size == 0);
    static_assert(Product::rows <= most_based && Product::columns <= most_based);
    steady(0);
    if (!start_.given()) return;
    const float scale = p_.scale();
    start_.fill([&](int i, int j, float first, float second) {
      p_.set_two(Product::element(i, j), scale * first, scale * second);
    });
    Team::barrier();
  }
  __device__ bool started() const { return start_.given(); }

  __device__ __forceinline__ void apply(float slack) { product_.apply(p_, y_, slack); }

  __device__ __forceinline__ float curvature() {
    reader_.begin(head_);
    float sums[Team::at_once] = {};
    DistributedElements<Product>::each(0, [&](const DistributedSlot& slot) {
      const float2 share = this->share(slot);
      const float p = p_.get(slot);
      const float z = z_.get(slot);
      const float q = p - share.y * y_[slot];
      q_[slot] = q;
      const float of_q = share.x * q;
      const float of_z = share.x * z;
      sums[p_m_q] += of_q * p;
      sums[z_m_z] += of_z * z;
      sums[z_m_q] += of_z * q;
      sums[q_m_q] += of_q * q;
      sums[z_z] += z * z;
      sums[z_q] += z * q;
      sums[q_q] += q * q;
    });
    team_.all_sums(sums);
    const float inverse = p_.inverse();  // q has the scale of p; this takes it off
    before_ = {sums[z_z], sums[z_m_z]};
    once_ = {inverse * sums[z_q], inverse * sums[z_m_q]};
    twice_ = {inverse * inverse * sums[q_q], inverse * inverse * sums[q_m_q]};
    return inverse * inverse * sums[p_m_q];
  }

  __device__ __forceinline__ Sums<float> step(float alpha) {
    Sums<float> all{before_.first + alpha * (alpha * twice_.first - 2 * once_.first),
                    before_.second + alpha * (alpha * twice_.second - 2 * once_.second)};
    moved_ = !(all.first > least_left * before_.first && all.second > least_left * before_.second);
    if (moved_) {
      reader_.begin(head_);
      const float far = alpha * p_.inverse();
      all = team_.sum_in_float(0, [&](const DistributedSlot& slot, Part& sums) {
        const float z = z_.get(slot) - far * q_[slot];
        z_.set(slot, z);
        sums += Part{z * z, share(slot).x * z * z};
      });
    }
    rho_ = all.second;
    return all;
  }

  __device__ __forceinline__ void advance(float alpha, float beta) {
    const float inverse = p_.inverse();
    p_.expect(size());
    const float scale = p_.scale();
    const float far = alpha * inverse;
    const float left = moved_ ? 0.0F : far;
    const float part = beta * inverse * scale;
    team_.for_each(0, [&](const DistributedSlot& slot) {
      const float p = p_.get(slot);
      x_.set(slot, x_.get(slot) + far * p);
      const float z = z_.get(slot) - left * q_[slot];
      z_.set(slot, z);
      p_.set(slot, scale * z + part * p);
    });
    p_.commit_scale();
  }

  __device__ __forceinline__ void settle(float alpha) {
    const float far = alpha * p_.inverse();
    const auto moved = [&](const DistributedSlot& slot) { return x_.get(slot) + far * p_.get(slot); };
    if constexpr (Direction::rounds) {
      constexpr auto elements = static_cast<float>(Product::places * Product::threads);
      const float squares = team_.one_sum(0, [&](const DistributedSlot& slot) {
        const float x = moved(slot);
        return x * x;
      });
      p_.expect(sqrtf(squares / elements));
    }
    const float scale = p_.scale();
    const float inverse = p_.scale_inverse();
    team_.for_each(0, [&](const DistributedSlot& slot) { x_.set(slot, inverse * p_.set(slot, scale * moved(slot))); });
    p_.commit_scale();
  }

  __device__ __forceinline__ void leave(float alpha) {
    const float far = alpha * p_.inverse();
    team_.for_each(0, [&](const DistributedSlot& slot) { x_.set(slot, x_.get(slot) + far * p_.get(slot)); });
  }

  __device__ __forceinline__ void close(float alpha) {
    const float far = alpha * p_.inverse();
    team_.residual_sums(0, {}, [&](const DistributedSlot& slot, ResidualSums& mine) {
      const float x = x_.get(slot) + far * p_.get(slot);
      x_.set(slot, x);
      mine.norm += x * x;
    });
  }

  __device__ __forceinline__ Sums<float> recompute() {
    return right_.stored() ? recompute_from<true>() : recompute_from<false>();
  }

  __device__ __forceinline__ float norm() { return team_.norm(); }
  __device__ __forceinline__ float worst() { return team_.worst(); }

  __device__ __forceinline__ static float quotient(float a, float b) { return Team::quotient(a, b); }

  __device__ __forceinline__ bool steady(float alpha) {
    const bool is_steady = fabsf(alpha - head_.alpha[threadIdx.x / 32]) <= 0.25F * alpha;
    write_by_warp(head_.alpha, alpha);
    return is_steady;
  }

  /// Each warp keeps its own copy in shared memory, since the product needs the registers.
  __device__ __forceinline__ void keep(const Bounds<float>& bounds) { write_by_warp(head_.bounds, bounds); }
  __device__ __forceinline__ const Bounds<float>& bounds() const { return head_.bounds[threadIdx.x / 32]; }
  __device__ __forceinline__ auto seen() {
    if constexpr (Product::sees_apart) {
      return SeenApart();
    } else {
      return SeenByWarp<DistributedHead<Product>>{head_};
    }
  }

  /// x of a thread's element, in a pass over all places in order.
  __device__ float next_x(const DistributedSlot& slot) { return x_.get(slot); }

 private:
  static constexpr bool in_shared = std::is_same_v<typename Product::Result, InMemory>;
  /// ‖z‖² and rᵀ z are differences of sums in float. One that falls below this part of its previous value is not known to 1e-4.
  static constexpr float least_left = 1.0F / 256;

  /// Indices of the sums of `curvature`: p_m_q is pᵀ M q, z_z is zᵀ z.
  enum { p_m_q, z_m_z, z_m_q, q_m_q, z_z, z_q, q_q };

  /// Two functions a pass, with b stored and with b = D×: in one the registers of the first would make the second slower.
  template <bool Stored>
  __device__ __forceinline__ Sums<float> begin_from() {
    reader_.begin(head_);
    p_.expect(head_.size);
    const float scale = p_.scale();
    // x = 0, and r = b
    const Sums<float> all = team_.residual_sums(0, {{}, 0, 1}, [&](const DistributedSlot& slot, ResidualSums& mine) {
      const float weight = this->weight(slot);
      float b = weight;
      if constexpr (Stored) {
        b = weight > 0 ? static_cast<float>(right_.value(slot.i, slot.j)) : 0.0F;
        b_.set(slot, b);
      }
      const float z = b * inverse_share(slot);
      x_.set(slot, 0.0F);
      z_.set(slot, z);
      p_.set(slot, scale * z);
      mine.sums += Part{z * z, b * z};
    });
    p_.commit_scale();
    rho_ = all.second;
    return all;
  }

  /// r ← D× (b / D× − x/κv + D×⁻¹ N x), in double, with M and D as they are before rounding to single precision.
  template <bool Stored>
  __device__ __forceinline__ Sums<float> recompute_from() {
    Team::barrier();  // all threads have read p in the product
    reader_.begin(head_);
    const double kept = p_.inverse();
    constexpr float unit = 0.5F * Kokkos::Experimental::epsilon_v<float>;
    const Sums<float> all = team_.residual_sums(0, {}, [&](const DistributedSlot& slot, ResidualSums& mine) {
      const double inverse = head_.first.inverse[slot.i] * head_.second.inverse[slot.j];
      const double inverse_kappa = exact_inverse_kappa(slot);
      const float p = p_.get(slot);
      const double applied = double(p) * inverse_kappa - double(y_[slot]) * inverse;
      const float weight = this->weight(slot);
      double ratio = 1;
      float judged = 1;  // D× over what r is judged by
      if constexpr (Stored) {
        ratio = double(b_.get(slot)) * (inverse * double(head_.unscale));
        judged = head_.volume > 0 ? head_.volume : fast_reciprocal(static_cast<float>(ratio));
      }
      const float r = weight * static_cast<float>(ratio - kept * applied);
      const float z = inverse_share(slot) * r;
      z_.set(slot, z);
      if constexpr (!Direction::rounds) p_.set(slot, z);
      const float x = p_.inverse() * p;
      mine.sums += Part{z * z, r * z};
      mine.norm += x * x;
      // r / D× = z / κv, and M x / D× = x / κv. In padding both are 0, or not numbers, which fmaxf ignores.
      mine.worst = fmaxf(mine.worst, judged * (static_cast<float>(inverse_kappa) * (fabsf(z) + unit * fabsf(x))));
    });
    rho_ = all.second;
    if constexpr (Direction::rounds) {
      p_.expect(size());
      const float scale = p_.scale();
      team_.for_each(0, [&](const DistributedSlot& slot) { p_.set(slot, scale * z_.get(slot)); });
      p_.commit_scale();
    }
    return all;
  }

  /// The approximate size of p's elements.
  __device__ float size() const { return head_.size * sqrtf(rho_ / bounds().rho); }

  /// The row share {d_i / κv, scale · κv / d_i}, where `scale` is the factor that N p lacks; 0 in padding.
  __device__ __forceinline__ float2 row_share(const DistributedSlot& slot) const {
    constexpr int pitch = share_pitch<Product>;
    return reader_.template share<pitch>(shares_ + label(slot) * pitch, slot);
  }
  /// {M_ii', scale · M⁻¹_ii'}, where `scale` is the factor that N p lacks; 0 in padding.
  __device__ __forceinline__ float2 share(const DistributedSlot& slot) const {
    const float2 row = row_share(slot);
    const float2 column = reader_.degree(head_, slot);
    return {row.x * column.x, row.y * column.y};
  }
  __device__ int label(const DistributedSlot& slot) const { return static_cast<int>(reader_.label(head_, slot)); }
  __device__ float weight(const DistributedSlot& slot) const {
    return head_.first.degrees[slot.i].x * reader_.degree(head_, slot).x;
  }
  /// M⁻¹_ii', without the factor that N p lacks.
  __device__ float inverse_share(const DistributedSlot& slot) const { return head_.unscale * share(slot).y; }
  __device__ double exact_inverse_kappa(const DistributedSlot& slot) const {
    return kernel_.reciprocal(head_.first.label[slot.i], head_.second.label[slot.j]);
  }

  const Team& team_;
  const Product& product_;
  const ProjectedStart& start_;
  const Right& right_;
  DistributedHead<Product>& head_;
  const VertexTable& kernel_;
  const float2* shares_;
  float rho_ = 0;
  Sums<float> before_{};  ///< {‖z‖², rᵀ z}: a step by α makes them before_ − 2 α once_ + α² twice_
  Sums<float> once_{};
  Sums<float> twice_{};
  bool moved_ = false;  ///< `step` has updated z, so `advance` must not
  mutable typename Product::Reader reader_;
  Direction p_;
  typename Product::Solution x_;
  typename Product::Residual z_;
  ThreadGlobal<Product::threads, Product::places> b_;  ///< unless b = D×, which is formed from the degrees
  typename Product::Result y_;
  Registers<Product::places> q_;
};

}  // namespace octile::cuda
