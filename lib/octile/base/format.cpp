// SPDX-License-Identifier: BSD-3-Clause
// The functions of fmt 9 that other files call, in the namespace that octile_format names, compiled once.
#ifdef FMT_HEADER_ONLY
#include <fmt/format.h>
#else
#include <fmt/format-inl.h>

// Templates that its headers declare and do not define.
FMT_BEGIN_NAMESPACE
namespace detail {

template thousands_sep_result<char> thousands_sep_impl<char>(locale_ref);
template char decimal_point_impl<char>(locale_ref);
namespace dragonbox {

template decimal_fp<float> to_decimal(float) noexcept;
template decimal_fp<double> to_decimal(double) noexcept;

}  // namespace dragonbox
}  // namespace detail
FMT_END_NAMESPACE
#endif
