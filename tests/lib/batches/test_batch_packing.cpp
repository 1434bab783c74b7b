// SPDX-License-Identifier: BSD-3-Clause
// The kernels that pack a batch, one iteration at a time: what two iterations of a kernel write, they race for.
#include <octile/base/any_numbers.hpp>
#include <octile/batches/batch_packing.hpp>
#include <octile/graph_batch.hpp>

#include <doctest/doctest.h>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <type_traits>
#include <vector>

namespace {

using namespace octile;

template <class T>
using List = Kokkos::View<T*, Kokkos::HostSpace>;
template <class T>
using Grid = Kokkos::View<T**, Kokkos::LayoutRight, Kokkos::HostSpace>;
template <class Scalar>
using Set = OctileSet<Scalar, NoLabel, NoLabel, Kokkos::HostSpace>;

/// Two paths of 9 and 17 vertices: five rows of octiles.
struct Paths {
  static constexpr std::int64_t graphs = 2;
  static constexpr std::int64_t vertices = 26;
  static constexpr std::int64_t entries = 2 * (8 + 16);
  static constexpr std::uint32_t octile_rows = 5;
  static constexpr std::int64_t largest = 17;

  List<std::int64_t> graph_offsets{"graph_offsets", graphs + 1};
  List<std::int64_t> row_offsets{"row_offsets", vertices + 1};
  List<std::int64_t> columns{"columns", entries};

  Paths() {
    graph_offsets(1) = 9;
    graph_offsets(2) = vertices;
    std::int64_t entry = 0;
    for (std::int64_t v = 0; v < vertices; ++v) {
      const std::int64_t g = v < graph_offsets(1) ? 0 : 1;
      if (v > graph_offsets(g)) columns(entry++) = v - 1;
      if (v + 1 < graph_offsets(g + 1)) columns(entry++) = v + 1;
      row_offsets(v + 1) = entry;
    }
  }

  auto batch() const { return GraphBatch(graph_offsets, row_offsets, columns); }
};

/// The packing of a batch of `Paths`, up to the step that writes elements and vertices.
template <class Scalar>
struct Steps {
  using Packing = detail::Packing<Scalar, Kokkos::HostSpace>;

  Set<Scalar> set;
  detail::CompressedRows<Kokkos::HostSpace> compressed{
      List<std::uint32_t>("begin", Paths::vertices + 1), List<std::uint32_t>("columns", Paths::entries),
      List<std::uint32_t>("places", Paths::entries), List<std::uint32_t>("across", Paths::entries)};
  Packing packing;

  template <class Batch>
  explicit Steps(const Batch& batch)
      : set(empty_set()),
        packing{{set.vertex_begin, set.octile_row_begin, set.octile_begin, List<std::uint32_t>("elements", 1),
                 Kokkos::View<detail::FaultRecord<FaultPlace>, Kokkos::HostSpace>("fault"),
                 List<std::uint32_t>("graph_of_row", Paths::octile_rows),
                 List<std::uint32_t>("first_element", Paths::octile_rows),
                 Grid<OctileMask>("masks", Paths::octile_rows, 3), Paths::graphs, Paths::octile_rows},
                batch.numbers(),
                set,
                compressed,
                List<double>("weights_of_entries", Paths::entries),
                List<double>("largest", Paths::graphs),
                Grid<std::uint32_t>("places", Paths::octile_rows, 3),
                Paths::vertices,
                Paths::entries,
                Paths::largest} {
    packing(typename Packing::Begin(), 0);
    for (std::uint32_t k = 0; k < Paths::entries; ++k) packing(typename Packing::Numbers(), k);
    std::uint32_t row = 0;
    for (std::int64_t g = 0; g < Paths::graphs; ++g) packing(typename Packing::Graphs(), g, row, true);
    for (std::uint32_t r = 0; r < Paths::octile_rows; ++r) packing(typename Packing::Masks(), r);
    detail::OctileCounts counts;
    for (std::uint32_t r = 0; r < Paths::octile_rows; ++r) packing(typename Packing::Octiles(), r, counts, true);
    REQUIRE(counts.elements == Paths::entries);
  }

  void write_elements(std::uint32_t octile_row) const { packing(typename Packing::Elements(), octile_row); }

 private:
  static Set<Scalar> empty_set() {
    Set<Scalar> set;
    set.vertex_begin = List<std::uint32_t>("vertex_begin", Paths::graphs + 1);
    set.octile_row_begin = List<std::uint32_t>("octile_row_begin", Paths::graphs + 1);
    set.octile_begin = List<std::uint32_t>("octile_begin", Paths::octile_rows + 1);
    set.octiles = decltype(set.octiles)("octiles", Paths::entries);
    set.weights = List<Scalar>("weights", Paths::entries);
    set.degrees = List<double>("degrees", Paths::vertices);
    set.starting = List<double>("starting", Paths::vertices);
    return set;
  }
};

/// Where packed data is written, and how often: a View that is overwritten by a value that no kernel writes tells it.
class Writes {
 public:
  template <class T>
  void watch(const List<T>& view) {
    const std::size_t first = counts_.size();
    counts_.resize(first + view.size());
    clear_.emplace_back([view] {
      for (std::size_t k = 0; k < view.size(); ++k) view(k) = T(12345);
    });
    count_.emplace_back([this, view, first] {
      for (std::size_t k = 0; k < view.size(); ++k) counts_[first + k] += view(k) == T(12345) ? 0 : 1;
    });
  }
  template <class Iteration>
  void of(const Iteration& iteration) {
    for (const auto& clear : clear_) clear();
    iteration();
    for (const auto& count : count_) count();
  }
  const std::vector<int>& counts() const { return counts_; }

 private:
  std::vector<int> counts_;
  std::vector<std::function<void()>> clear_;
  std::vector<std::function<void()>> count_;
};

}  // namespace

TEST_CASE("each number of a batch is copied by one thread") {
  const Paths paths;
  const Steps<double> steps(paths.batch());

  Writes writes;
  writes.watch(steps.compressed.begin);
  writes.watch(steps.compressed.columns);
  writes.watch(steps.packing.weights);
  for (std::uint32_t k = 0; k < Paths::entries; ++k) {
    writes.of([&] { steps.packing(typename Steps<double>::Packing::Numbers(), k); });
  }
  CHECK(writes.counts() == std::vector<int>(writes.counts().size(), 1));
}

TEST_CASE("a row of octiles changes the columns of its own entries alone, which it reads before") {
  const Paths paths;
  const Steps<double> steps(paths.batch());
  const auto columns = [&] {
    const List<std::uint32_t>& all = steps.compressed.columns;
    return std::vector<std::int64_t>(all.data(), all.data() + all.size());
  };
  for (std::uint32_t r = 0; r < Paths::octile_rows; ++r) {
    const auto rows = steps.packing.rows_of(r);
    auto expected = columns();
    for (std::int64_t e = paths.row_offsets(rows.first); e < paths.row_offsets(rows.last); ++e) {
      expected[static_cast<std::size_t>(e)] -= rows.begin;
    }
    steps.write_elements(r);
    CHECK(columns() == expected);
  }
}

TEST_CASE("no place of a packed batch is written by two rows of octiles, which run at the same time") {
  const Paths paths;
  const Steps<double> steps(paths.batch());

  Writes writes;
  writes.watch(steps.compressed.places);
  writes.watch(List<double>(steps.set.weights));
  writes.watch(List<double>(steps.set.degrees));
  writes.watch(List<double>(steps.set.starting));
  for (std::uint32_t r = 0; r < Paths::octile_rows; ++r) {
    writes.of([&] { steps.write_elements(r); });
  }
  CHECK(writes.counts() == std::vector<int>(writes.counts().size(), 1));
}

TEST_CASE("degrees are sums of weights as they are stored, so that rows of D - A keep their sums in float32") {
  const Paths paths;
  const List<double> weights("weights", Paths::entries);
  for (std::int64_t v = 0; v < Paths::vertices; ++v) {
    for (std::int64_t e = paths.row_offsets(v); e < paths.row_offsets(v + 1); ++e) {
      weights(e) = 0.1 * static_cast<double>(1 + std::min(v, paths.columns(e)));
    }
  }
  const Steps<float> steps(paths.batch().weights(weights));
  for (std::uint32_t r = 0; r < Paths::octile_rows; ++r) steps.write_elements(r);
  for (std::int64_t v = 0; v < Paths::vertices; ++v) {
    double sum = 0;
    for (std::int64_t e = paths.row_offsets(v); e < paths.row_offsets(v + 1); ++e) {
      sum += static_cast<double>(static_cast<float>(weights(e)));
    }
    CHECK(steps.set.degrees(v) == sum);
  }
}

TEST_CASE_TEMPLATE("numbers of every type are read as they are, wherever they lie", T, char, signed char, unsigned char,
                   short, unsigned short, int, unsigned, long, long long, unsigned long, unsigned long long, float,
                   double, long double) {
  const T largest = std::numeric_limits<T>::max();
  const Kokkos::View<T**, Kokkos::LayoutRight, Kokkos::HostSpace> table("table", 3, 2);
  table(1, 1) = static_cast<T>(std::is_signed_v<T> ? -7 : 7);
  table(2, 1) = largest;
  const detail::AnyNumbers numbers(Kokkos::subview(table, Kokkos::ALL, 1));
  CHECK(numbers.number(0) == 0);
  CHECK(numbers.number(1) == (std::is_signed_v<T> ? -7 : 7));
  CHECK(numbers.number(2) == static_cast<double>(largest));
  if constexpr (std::is_integral_v<T>) {
    CHECK(numbers.integer(1) == (std::is_signed_v<T> ? -7 : 7));
    CHECK(numbers.integer(2) == static_cast<std::int64_t>(largest));
  }
}

TEST_CASE("without numbers each is 1") { CHECK(detail::AnyNumbers().number(5) == 1); }
