// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/base/in_library.hpp>
#include <octile/base/launch.hpp>
#include <octile/batch_fault.hpp>
#include <octile/batches/batch_rows.hpp>
#include <octile/graph_batch.hpp>
#include <octile/graphs/octile.hpp>
#include <octile/graphs/octile_set.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>

namespace octile::detail {

/// The power of two by which the weights of a graph are multiplied, so that its largest one is within the range of every precision. 1 if it
/// is between 2^-16 and 2^16, or if there is none.
KOKKOS_INLINE_FUNCTION double weight_scale(double largest) {
  if (!(largest > 0) || (largest >= 0x1p-16 && largest <= 0x1p16)) return 1;
  // 2^-e with e the exponent of `largest`, from its bits, since exp2 may round on a GPU. It is a normal number.
  const auto exponent = static_cast<std::uint64_t>(Kokkos::bit_cast<std::uint64_t>(largest) >> 52);
  return Kokkos::bit_cast<double>((2046 - Kokkos::min<std::uint64_t>(exponent, 2045)) << 52);
}

/// Finds the number of vertices of the largest graph.
struct LargestGraph {
  BatchNumbers batch;

  KOKKOS_FUNCTION void operator()(const std::size_t g, std::int64_t& largest) const {
    largest = Kokkos::max(largest, batch.graph_begin(g + 1) - batch.graph_begin(g));
  }
};

/// The graphs of a batch as compressed rows: entries begin(v) … begin(v+1) of vertex v, each with its column (a vertex of the
/// graph, from 0) and its place among the packed elements of the set.
template <class MemorySpace>
struct CompressedRows {
  Kokkos::View<std::uint32_t*, MemorySpace> begin;
  Kokkos::View<std::uint32_t*, MemorySpace> columns;
  Kokkos::View<std::uint32_t*, MemorySpace> places;
  Kokkos::View<std::uint32_t*, MemorySpace> across;  ///< the place of (j, i) where the entry is (i, j)
};

/// The kernels of `assign` that depend on no type of the batch's, and their data: one operator a kernel, in the order in which they run:
/// `Begin`, `Numbers`, `Graphs`, `Masks`, `Octiles`, `Elements`, `Sides`, `Emptied`. Labels are those of batch_labels.hpp.
template <class Scalar, class MemorySpace>
struct Packing : BatchRows<MemorySpace> {
  using Set = OctileSet<Scalar, NoLabel, NoLabel, MemorySpace>;
  using Base = BatchRows<MemorySpace>;
  using Base::blame;
  using Base::fault;
  using Base::first_element;
  using Base::graph_of_row;
  using Base::graphs;
  using Base::masks;
  using Base::most_rows;
  using Base::rows_of;
  using Base::used;
  using Base::operator();
  using typename Base::Rows;

  BatchNumbers batch;
  Set set;
  /// From `Numbers` on as the batch has them, in `Elements` as the set does.
  CompressedRows<MemorySpace> compressed;
  Kokkos::View<double*, MemorySpace> weights;  ///< of the entries of the batch
  Kokkos::View<double*, MemorySpace> largest;  ///< weight of each graph
  typename Base::template Grid<std::uint32_t> places;
  std::int64_t vertex_room;
  std::int64_t entry_room;
  std::int64_t most_vertices;  ///< of one graph

  /// The number of vertices of a graph, or 0 if its offsets are wrong.
  KOKKOS_INLINE_FUNCTION std::int64_t size_of(std::int64_t g) const {
    const std::int64_t begin = batch.graph_begin(g);
    const std::int64_t end = batch.graph_begin(g + 1);
    const bool right = begin >= 0 && end > begin && end - begin <= most_vertices && end <= vertex_room;
    return right ? end - begin : 0;
  }

  /// A number that stands for those that no offset and no column is.
  static constexpr std::uint32_t wrong = ~std::uint32_t(0);

  struct Numbers {};
  /// Copies the first entry of vertex k, and the column and the weight of entry k. What asks for the type of each number it reads takes
  /// longer in the loops of the other kernels: 0.46 ms for 64 graphs instead of 0.28 (H200).
  KOKKOS_FUNCTION void operator()(Numbers, const std::uint32_t k) const {
    const auto checked = [](std::int64_t number) {
      return number >= 0 && number < std::int64_t(wrong) ? static_cast<std::uint32_t>(number) : wrong;
    };
    const std::int64_t vertices = batch.graph_begin(static_cast<std::size_t>(graphs));
    if (vertices < 0 || vertices > vertex_room) return;  // `Graphs` finds that
    if (k <= vertices) compressed.begin(k) = checked(batch.row_begin(k));
    if (k < Kokkos::min(batch.row_begin(static_cast<std::size_t>(vertices)), entry_room)) {
      compressed.columns(k) = checked(batch.column(k));
      weights(k) = batch.weight(k);
    }
  }

  struct Graphs {};
  /// Finds where the vertices and octile rows of a graph begin.
  KOKKOS_FUNCTION void operator()(Graphs, const std::int64_t g, std::uint32_t& row, const bool final) const {
    const std::int64_t size = size_of(g);
    const auto rows = static_cast<std::uint32_t>(octile_count(static_cast<int>(size)));
    if (final) {
      if (g == 0 && batch.graph_begin(0) != 0) blame(BatchFault::first_graph, 0);
      if (size == 0) blame(BatchFault::graph_size, g);
      largest(g) = 0;
      set.octile_row_begin(g) = row;
      set.vertex_begin(g) = static_cast<std::uint32_t>(batch.graph_begin(g));
      for (std::uint32_t k = 0; k < rows && row + k < most_rows; ++k) {
        graph_of_row(row + k) = static_cast<std::uint32_t>(g);
      }
      if (g + 1 == graphs) {
        set.octile_row_begin(graphs) = row + rows;
        set.vertex_begin(graphs) = static_cast<std::uint32_t>(batch.graph_begin(graphs));
      }
    }
    row += rows;
  }

  struct Masks {};
  /// Finds the masks of an octile row, and the largest weight. It finds the faults of entries by themselves.
  KOKKOS_FUNCTION void operator()(Masks, const std::uint32_t octile_row) const {
    for (std::size_t c = 0; c < masks.extent(1); ++c) masks(octile_row, c) = 0;
    if (!used(octile_row, BatchFault::first_row)) return;
    const Rows rows = rows_of(octile_row);
    double most = 0;
    for (std::int64_t v = rows.first; v < rows.last; ++v) {
      const std::uint32_t begin = compressed.begin(v);
      const std::uint32_t end = compressed.begin(v + 1);
      if (v == 0 && begin != 0) {
        blame(BatchFault::first_row, 0);
        continue;
      }
      if (end < begin || end > entry_room) {
        blame(BatchFault::row_size, v);
        continue;
      }
      for (std::uint32_t e = begin; e < end; ++e) {
        const std::int64_t column = compressed.columns(e);
        if (column < rows.begin || column >= rows.end || column == v) {
          blame(BatchFault::column, e);
          continue;
        }
        const std::int64_t j = column - rows.begin;
        OctileMask& mask = masks(octile_row, j / octile_size);
        const OctileMask element = octile_element(static_cast<int>(v - rows.first), static_cast<int>(j % octile_size));
        if ((mask & element) != 0) blame(BatchFault::twice, e);
        const double weight = weights(e);
        if (!(weight > 0) || !Kokkos::isfinite(weight)) blame(BatchFault::weight, e);
        most = Kokkos::max(most, weight);
        mask |= element;
      }
    }
    if (most > 0) Kokkos::atomic_max(&largest(graph_of_row(octile_row)), most);
  }

  struct Elements {};
  /// Packs an octile row: heads, scaled weights, and the data of its vertices.
  KOKKOS_FUNCTION void operator()(Elements, const std::uint32_t octile_row) const {
    if (!used(octile_row, BatchFault::range)) return;
    const double scale = weight_scale(largest(graph_of_row(octile_row)));
    const Rows rows = rows_of(octile_row);
    const int columns = octile_count(static_cast<int>(rows.end - rows.begin));
    std::uint32_t octile = set.octile_begin(octile_row);
    std::uint32_t element = first_element(octile_row);
    for (int c = 0; c < columns; ++c) {
      const OctileMask mask = masks(octile_row, c);
      places(octile_row, c) = element;
      if (mask == 0) continue;
      set.octiles(octile++) = {mask, static_cast<std::uint32_t>(c), element};
      element += static_cast<std::uint32_t>(octile_population(mask));
    }
    for (std::int64_t v = rows.first; v < rows.last; ++v) {
      double sum = 0;
      for (std::uint32_t e = compressed.begin(v); e < compressed.begin(v + 1); ++e) {
        const std::int64_t j = compressed.columns(e) - rows.begin;
        const std::size_t place = place_of(octile_row, static_cast<int>(v - rows.first), j);
        const auto stored = static_cast<Scalar>(scale * weights(e));
        if (!(stored > 0)) blame(BatchFault::range, e);
        set.weights(place) = stored;
        sum += static_cast<double>(stored);
        compressed.columns(e) = static_cast<std::uint32_t>(j);
        compressed.places(e) = static_cast<std::uint32_t>(place);
      }
      set.degrees(v) = sum;
      set.starting(v) = 1.0 / static_cast<double>(rows.end - rows.begin);
    }
  }

  /// The place of element (i, j) among the packed ones; i counts within its octile row, j within the graph.
  KOKKOS_INLINE_FUNCTION std::size_t place_of(std::uint32_t octile_row, int i, std::int64_t j) const {
    const std::int64_t c = j / octile_size;
    return places(octile_row, c) + static_cast<std::size_t>(octile_rank(
                                       masks(octile_row, c), octile_bit(i, static_cast<int>(j % octile_size))));
  }

  struct Sides {};
  /// Compares each entry of an octile row with the one across the diagonal, and notes where that is.
  KOKKOS_FUNCTION void operator()(Sides, const std::uint32_t octile_row) const {
    if (!used(octile_row, BatchFault::one_sided)) return;
    const Rows rows = rows_of(octile_row);
    const std::uint32_t first_row = set.octile_row_begin(graph_of_row(octile_row));
    for (std::int64_t v = rows.first; v < rows.last; ++v) {
      const std::int64_t i = v - rows.begin;
      for (std::uint32_t e = compressed.begin(v); e < compressed.begin(v + 1); ++e) {
        const std::int64_t j = compressed.columns(e);
        const auto across = static_cast<std::uint32_t>(first_row + j / octile_size);
        const OctileMask element = octile_element(static_cast<int>(j % octile_size), static_cast<int>(i % octile_size));
        if ((masks(across, i / octile_size) & element) == 0) {
          blame(BatchFault::one_sided, e);
          compressed.across(e) = compressed.places(e);
          continue;
        }
        const std::size_t there = place_of(across, static_cast<int>(j % octile_size), i);
        compressed.across(e) = static_cast<std::uint32_t>(there);
        if (set.weights(there) != set.weights(compressed.places(e))) blame(BatchFault::one_sided, e);
      }
    }
  }

  struct Emptied {};
  /// If the batch has a fault: removes the vertices of all graphs, so that solvers read nothing of it, and describes the fault.
  KOKKOS_FUNCTION void operator()(Emptied, const std::int64_t g) const {
    if (fault().key == no_fault) return;
    set.vertex_begin(g) = 0;
    set.octile_row_begin(g) = 0;
    if (g == 0) fault().where = described(fault().key);
  }

 private:
  /// Where a fault is. Offsets that were checked before faults of its kind are right.
  KOKKOS_FUNCTION FaultPlace described(std::uint64_t key) const {
    const auto kind = static_cast<BatchFault::Kind>(key >> 56);
    FaultPlace where;
    std::size_t place = place_of_key(key);
    if (kind == BatchFault::first_graph || kind == BatchFault::first_row) {
      const bool of_graphs = kind == BatchFault::first_graph;
      where.value = static_cast<double>(of_graphs ? batch.graph_begin(0) : batch.row_begin(0));
      return where;
    }
    if (kind > BatchFault::row_size) {
      where.entry = place;
      const bool is_column =
          kind == BatchFault::column || kind == BatchFault::twice || kind == BatchFault::unlike_labels;
      where.value = is_column ? static_cast<double>(batch.column(place)) : batch.weight(place);
      const auto vertices = static_cast<std::size_t>(batch.graph_begin(static_cast<std::size_t>(graphs)));
      place = holder_of(vertices, place, [this](std::size_t v) { return batch.row_begin(v); });
    }
    if (kind > BatchFault::graph_size) {
      where.vertex = place;
      if (kind == BatchFault::row_size) where.value = static_cast<double>(batch.row_begin(place + 1));
      place =
          holder_of(static_cast<std::size_t>(graphs), place, [this](std::size_t g) { return batch.graph_begin(g); });
    } else {
      where.value = static_cast<double>(batch.graph_begin(place + 1) - batch.graph_begin(place));
    }
    where.graph = place;
    return where;
  }
};

/// Queues all kernels before `Emptied`.
template <class ExecutionSpace, class Scalar, class MemorySpace>
void pack(const ExecutionSpace& space, const Packing<Scalar, MemorySpace>& packing) {
  using Steps = Packing<Scalar, MemorySpace>;
  const auto over = [&space]<class Tag>(Tag, auto count) {
    return without_waiting(
        Kokkos::RangePolicy<ExecutionSpace, Tag, Kokkos::IndexType<decltype(count)>>(space, 0, count));
  };
  const std::uint32_t rows = packing.most_rows;
  const BatchRows<MemorySpace>& rows_of_all = packing;
  Kokkos::parallel_for("octile::assign", over(typename Steps::Begin(), 1), rows_of_all);
  // As many threads as there may be vertices and entries.
  const auto numbers = static_cast<std::uint32_t>(Kokkos::max(packing.vertex_room + 1, packing.entry_room));
  Kokkos::parallel_for("octile::assign_numbers", over(typename Steps::Numbers(), numbers), packing);
  Kokkos::parallel_scan("octile::assign_graphs", over(typename Steps::Graphs(), packing.graphs), packing);
  Kokkos::parallel_for("octile::assign_masks", over(typename Steps::Masks(), rows), packing);
  Kokkos::parallel_scan("octile::assign_octiles", over(typename Steps::Octiles(), rows), rows_of_all);
  Kokkos::parallel_for("octile::assign_elements", over(typename Steps::Elements(), rows), packing);
  Kokkos::parallel_for("octile::assign_sides", over(typename Steps::Sides(), rows), packing);
}
/// Queues `Emptied`.
template <class ExecutionSpace, class Scalar, class MemorySpace>
void empty_if_wrong(const ExecutionSpace& space, const Packing<Scalar, MemorySpace>& packing) {
  using Policy = Kokkos::RangePolicy<ExecutionSpace, typename Packing<Scalar, MemorySpace>::Emptied,
                                     Kokkos::IndexType<std::int64_t>>;
  Kokkos::parallel_for("octile::assign_emptied", without_waiting(Policy(space, 0, packing.graphs + 1)), packing);
}

OCTILE_IN_LIBRARY template void pack(const LibrarySpace&, const Packing<double, LibraryMemory>&);
OCTILE_IN_LIBRARY template void pack(const LibrarySpace&, const Packing<float, LibraryMemory>&);
OCTILE_IN_LIBRARY template void empty_if_wrong(const LibrarySpace&, const Packing<double, LibraryMemory>&);
OCTILE_IN_LIBRARY template void empty_if_wrong(const LibrarySpace&, const Packing<float, LibraryMemory>&);

}  // namespace octile::detail
