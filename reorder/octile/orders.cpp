// SPDX-License-Identifier: BSD-3-Clause
#include <octile/orders.hpp>

#include <octile/error.hpp>

#include <algorithm>
#include <string>

namespace octile::reorder {

std::span<const Order> orders() { return all_orders; }

const Order& find_order(OrderId id) { return *std::ranges::find(all_orders, id, &Order::id); }

OrderId parse_order(std::string_view name) {
  const auto found = std::ranges::find(all_orders, name, &Order::name);
  if (found != all_orders.end()) return found->id;
  std::string known;
  for (const Order& order : all_orders) known += (known.empty() ? "" : ", ") + std::string(order.name);
  throw Error("order '" + std::string(name) + "' is unknown; allowed are " + known);
}

}  // namespace octile::reorder
