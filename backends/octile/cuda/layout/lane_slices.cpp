// SPDX-License-Identifier: BSD-3-Clause
#include <octile/cuda/layout/lane_slices.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <numeric>
#include <span>

namespace octile::cuda {
namespace {

constexpr auto lanes_a_slice = static_cast<std::size_t>(slice_lanes);

/// The share of a vertex in a slice, and which vertex it is of.
struct Share : LaneShare {
  std::uint32_t vertex;

  Share(std::uint32_t number, std::size_t length, std::uint32_t most_slots)
      : LaneShare(static_cast<std::uint32_t>(length), most_slots), vertex(number) {}
};

/// Shares of up to `most_slots` elements a lane, sorted by falling length, so that a slice holds vertices of similar degrees.
std::vector<Share> shares_of(const std::vector<std::vector<RowElement>>& rows, std::uint32_t most_slots) {
  std::vector<Share> shares;
  shares.reserve(rows.size());
  for (std::uint32_t v = 0; v < rows.size(); ++v) shares.emplace_back(v, rows[v].size(), most_slots);
  std::ranges::stable_sort(shares, [](const Share& a, const Share& b) { return a.goes_before(b); });
  return shares;
}

/// Orders each lane's elements over its slots so that few columns of a slot share a bank. In each of a few passes every
/// lane takes the best of all its orders, given the other lanes.
class SlotOrder {
 public:
  SlotOrder(std::span<RowElement> slots, std::size_t count) : slots_(slots), count_(count) {}

  void improve() {
    for (std::size_t lane = 0; lane < lanes_a_slice; ++lane) add(lane, 1);
    for (int pass = 0; pass < 3; ++pass) {
      for (std::size_t lane = 0; lane < lanes_a_slice; ++lane) {
        add(lane, -1);
        choose(lane);
        add(lane, 1);
      }
    }
  }

 private:
  RowElement& at(std::size_t lane, std::size_t slot) { return slots_[slot * lanes_a_slice + lane]; }

  void add(std::size_t lane, int by) {
    for (std::size_t slot = 0; slot < count_; ++slot) {
      const RowElement element = at(lane, slot);
      if (element.edge == none) continue;
      Bank& bank = banks_[slot][element.column % lanes_a_slice];
      const auto columns = std::span(bank.columns).first(bank.size);
      const auto found = std::ranges::find(columns, element.column, &ColumnCount::column);
      if (found == columns.end()) {
        bank.columns[bank.size++] = {element.column, by};
      } else if ((found->count += by) == 0) {
        *found = bank.columns[--bank.size];
      }
    }
  }

  /// What an element costs in a slot: nothing if another lane of the slot reads its column already.
  std::size_t price(const RowElement& element, std::size_t slot) const {
    if (element.edge == none) return 0;
    const Bank& bank = banks_[slot][element.column % lanes_a_slice];
    const auto columns = std::span(bank.columns).first(bank.size);
    const bool has = std::ranges::find(columns, element.column, &ColumnCount::column) != columns.end();
    return has ? 0 : bank.size * bank.size;
  }

  void choose(std::size_t lane) {
    // prices[from][to]: the price of moving the element in slot `from` to slot `to`.
    std::array<std::array<std::size_t, slots_at_once>, slots_at_once> prices{};
    for (std::size_t from = 0; from < count_; ++from) {
      for (std::size_t to = 0; to < count_; ++to) prices[from][to] = price(at(lane, from), to);
    }
    const auto price_of = [&](const std::array<std::size_t, slots_at_once>& places) {
      std::size_t sum = 0;
      for (std::size_t slot = 0; slot < count_; ++slot) sum += prices[places[slot]][slot];
      return sum;
    };
    std::array<std::size_t, slots_at_once> order{};
    std::iota(order.begin(), order.end(), std::size_t(0));
    auto best = order;
    std::size_t least = price_of(order);
    const auto end = order.begin() + static_cast<std::ptrdiff_t>(count_);
    while (least > 0 && std::next_permutation(order.begin(), end)) {
      const std::size_t sum = price_of(order);
      if (sum < least) {
        least = sum;
        best = order;
      }
    }
    std::array<RowElement, slots_at_once> elements{};
    for (std::size_t slot = 0; slot < count_; ++slot) elements[slot] = at(lane, best[slot]);
    for (std::size_t slot = 0; slot < count_; ++slot) at(lane, slot) = elements[slot];
  }

  struct ColumnCount {
    std::uint32_t column;
    int count;
  };
  /// The distinct columns of one bank that a slot reads, at most one a lane.
  struct Bank {
    std::size_t size = 0;
    std::array<ColumnCount, lanes_a_slice> columns;
  };
  std::span<RowElement> slots_;
  std::size_t count_;
  std::array<std::array<Bank, lanes_a_slice>, slots_at_once> banks_;
};

/// Lets the padding of a slot read a column that another lane of the slot reads, which costs no access of its own.
void fill(std::span<RowElement> slot) {
  const auto real = std::ranges::find_if(slot, [](const RowElement& element) { return element.edge != none; });
  const std::uint32_t column = real == slot.end() ? 0 : real->column;
  for (RowElement& element : slot) {
    if (element.edge == none) element.column = column;
  }
}

/// Adds a slice of these shares. They must take 32 lanes at most.
void add_slice(SlicedGraph& sliced, const std::vector<std::vector<RowElement>>& rows, std::span<const Share> shares) {
  Slice head;
  for (const Share& share : shares) head = widened(head, share);
  sliced.slices.push_back(head);
  const std::size_t slots = head.slots;
  const std::size_t first_slot = sliced.slots.size();
  const std::size_t first_lane = sliced.lanes.size();
  sliced.slots.resize(first_slot + slots * lanes_a_slice);
  sliced.lanes.resize(first_lane + lanes_a_slice);
  std::size_t lane = 0;
  for (const Share& share : shares) {
    const std::vector<RowElement>& row = rows[share.vertex];
    for (std::uint32_t k = 0; k < share.lanes; ++k) {
      sliced.lanes[first_lane + lane + k] = {k == 0 ? share.vertex : none, share.lanes - k};
    }
    for (std::size_t e = 0; e < row.size(); ++e) {
      sliced.slots[first_slot + e / share.lanes * lanes_a_slice + lane + e % share.lanes] = row[e];
    }
    lane += share.lanes;
  }
  const std::span<RowElement> all(sliced.slots.data() + first_slot, slots * lanes_a_slice);
  if (slots > 1 && slots <= slots_at_once) SlotOrder(all, slots).improve();
  for (std::size_t slot = 0; slot < slots; ++slot) fill(all.subspan(slot * lanes_a_slice, lanes_a_slice));
}

/// Distributes shares over slices. Each slice takes, in order, every share that still fits.
std::vector<std::vector<Share>> deal(std::vector<Share> left) {
  std::vector<std::vector<Share>> slices;
  while (!left.empty()) {
    std::vector<Share> chosen;
    std::vector<Share> others;
    std::uint32_t lanes = 0;
    for (const Share& share : left) {
      if (lanes + share.lanes <= slice_lanes) {
        lanes += share.lanes;
        chosen.push_back(share);
      } else {
        others.push_back(share);
      }
    }
    slices.push_back(std::move(chosen));
    left = std::move(others);
  }
  return slices;
}

/// The cost of a product with these slices, for a graph G of `vertices` vertices and `elements` elements.
std::uint64_t price(const std::vector<std::vector<Share>>& slices, std::uint64_t vertices, std::uint64_t elements) {
  std::uint64_t sum = 0;
  for (const auto& slice : slices) {
    Slice head;
    for (const Share& share : slice) head = widened(head, share);
    sum += element_cost(head) * elements + row_cost(head) * vertices;
  }
  return sum;
}

}  // namespace

SlicedGraph slice_graph(const Graph& graph) {
  SlicedGraph sliced;
  std::vector<std::vector<RowElement>> rows = rows_of(graph);
  for (auto& row : rows) {
    if (row.empty()) row.emplace_back();
  }
  sliced.row_begin.push_back(0);
  for (const auto& row : rows) {
    sliced.rows.insert(sliced.rows.end(), row.begin(), row.end());
    sliced.row_begin.push_back(static_cast<std::uint32_t>(sliced.rows.size()));
  }
  std::vector<std::vector<Share>> best;
  std::uint64_t least = 0;
  for (std::uint32_t most_slots = slots_at_once; most_slots > 0; --most_slots) {
    auto slices = deal(shares_of(rows, most_slots));
    const std::uint64_t sum = price(slices, rows.size(), sliced.rows.size());
    if (!best.empty() && sum >= least) continue;
    least = sum;
    best = std::move(slices);
  }
  for (const auto& shares : best) add_slice(sliced, rows, shares);
  return sliced;
}

int bank_passes(const RowElement* slot) {
  std::array<std::vector<std::uint32_t>, lanes_a_slice> banks;
  for (std::size_t lane = 0; lane < lanes_a_slice; ++lane) {
    auto& bank = banks[slot[lane].column % lanes_a_slice];
    if (std::ranges::find(bank, slot[lane].column) == bank.end()) bank.push_back(slot[lane].column);
  }
  std::size_t most = 0;
  for (const auto& bank : banks) most = std::max(most, bank.size());
  return static_cast<int>(most);
}

}  // namespace octile::cuda
