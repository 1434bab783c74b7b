// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/kernels/leaf_rounding.hpp>
#include <octile/kernels/leaf_table.hpp>

#include <Kokkos_Macros.hpp>

#include <array>
#include <concepts>
#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

// What a leaf kernel is, and what the leaf kernels of leaf_kernels.hpp use in common.
namespace octile {

namespace detail {

/// Whether those that may be left out come last, and have values that are allowed.
template <std::size_t Count>
constexpr bool defaults_are_last(const std::array<LeafParameter, Count>& parameters) {
  bool optional = false;
  for (const LeafParameter& parameter : parameters) {
    if (optional && !parameter.standard) return false;
    optional = parameter.standard.has_value();
    if (optional && (*parameter.standard < parameter.low || *parameter.standard > parameter.high)) return false;
  }
  return true;
}

/// −1, 0 or 1.
template <class T>
KOKKOS_INLINE_FUNCTION constexpr T sign(T value) {
  return T(value > T(0) ? 1 : 0) - T(value < T(0) ? 1 : 0);
}

/// κ times a factor, which may be infinite where κ is 0.
template <class T>
KOKKOS_INLINE_FUNCTION T times(T kappa, double factor) {
  return kappa > T(0) ? kappa * static_cast<T>(factor) : T(0);
}

}  // namespace detail

/// All parts of a leaf kernel. A leaf that lacks one does not compile. Its members are those of `LeafRow`, and for host and
/// device, in float and double:
///
///     value(x, y, arguments)                 κ(x, y)
///     derivative(k, x, y, arguments)         ∂κ(x, y) / ∂(parameter k), asked for where the parameter is `differentiable`
///     by_label(x, y, arguments)              ∂κ(x, y) / ∂x, asked for where the leaf reads numbers; 0 at a kink
///
/// For the host, `rounding(arguments, labels)` bounds what `value` rounds in double (leaf_rounding.hpp).
///
/// Labels, and what is formed of them and of parameters up to the first that is about 1, are in double in either: the difference
/// of two labels far from zero would be lost in float, and a length of 1e-30 would overflow.
template <class Leaf>
concept LeafKernel = requires(std::span<const double> parameters, const LeafArguments& arguments) {
  requires !std::string_view(Leaf::name).empty();
  { Leaf::reads } -> std::convertible_to<LeafReads>;
  requires detail::defaults_are_last(Leaf::parameters);
  requires !std::string_view(Leaf::equation).empty();
  requires !std::string_view(Leaf::values).empty();
  requires !std::string_view(Leaf::definite).empty();
  { Leaf::zero } -> std::convertible_to<std::string_view>;
  { Leaf::range(parameters) } -> std::same_as<ValueRange>;
  { Leaf::prepare(parameters) } -> std::same_as<LeafArguments>;
  { Leaf::operations(parameters) } -> std::same_as<double>;
  { Leaf::power(parameters, 2.0) } -> std::same_as<std::vector<double>>;
  { Leaf::rounding(arguments, LeafLabels{}) } -> std::same_as<KernelRounding>;
  { Leaf::template value<float>(0.0, 0.0, arguments) } -> std::same_as<float>;
  { Leaf::template value<double>(0.0, 0.0, arguments) } -> std::same_as<double>;
  { Leaf::template derivative<float>(0, 0.0, 0.0, arguments) } -> std::same_as<float>;
  { Leaf::template derivative<double>(0, 0.0, 0.0, arguments) } -> std::same_as<double>;
  { Leaf::template by_label<double>(0.0, 0.0, arguments) } -> std::same_as<double>;
};

}  // namespace octile
