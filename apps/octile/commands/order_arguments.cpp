// SPDX-License-Identifier: BSD-3-Clause
#include "commands/order_arguments.hpp"

#include <charconv>
#include <cstdint>
#include <system_error>

#include <fmt/format.h>

#include <octile/orders.hpp>

#include "commands/kokkos_scope.hpp"
#include "output/failures.hpp"
#include "readers/text.hpp"

namespace octile::app {
namespace {

std::string whole_number_from(std::uint64_t least, const std::string& text) {
  std::uint64_t number = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool whole = fault == std::errc() && end == text.data() + text.size();
  // The text is that of the number: without leading zeros, which CLI11 would read as a number of base 8.
  if (whole && number >= least && fmt::format("{}", number) == text) return "";
  return fmt::format("{} is not allowed; allowed is a whole number, {} or more", in_quotes(text), least);
}

}  // namespace

void check_order(const std::string& name) {
  as_usage([&name] { return reorder::parse_order(name); });
}

void check_threads(int threads) {
  if (threads >= 0 && threads <= most_threads) return;
  throw UsageError(fmt::format("--threads {}: allowed is 1 to {}, or 0 for all cores", threads, most_threads));
}

std::string whole_number(const std::string& text) { return whole_number_from(0, text); }

std::string positive_number(const std::string& text) { return whole_number_from(1, text); }

}  // namespace octile::app
