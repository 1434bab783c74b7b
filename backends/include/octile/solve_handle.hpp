// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/base/allocation.hpp>
#include <octile/base/in_library.hpp>
#include <octile/base/to_memory.hpp>
#include <octile/batch_fault.hpp>
#include <octile/cuda/batches/solver.hpp>
#include <octile/error.hpp>
#include <octile/graph_system.hpp>
#include <octile/kernel_fault.hpp>
#include <octile/native_batches.hpp>
#include <octile/placed_reciprocals.hpp>
#include <octile/portable/device_factors.hpp>
#include <octile/portable/iterate/solve.hpp>
#include <octile/portable/refined.hpp>
#include <octile/portable/xmv/factored.hpp>
#include <octile/prepared_graphs.hpp>
#include <octile/solve.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <any>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <type_traits>
#include <typeindex>
#include <typeinfo>
#include <utility>
#include <vector>

namespace octile {
namespace detail {
template <class ExecutionSpace, class Scalar>
class GraphSolve;
}

/// Work space of `solve`, kept from call to call, for any number of prepared sets and kernels one after the other. One solve at a time
/// may use it; as many handles as you like. It only grows. Where memory is short, `solve` throws `Error`, and the handle is as before.
template <class ExecutionSpace, class Scalar = double>
class SolveHandle {
 public:
  using MemorySpace = typename ExecutionSpace::memory_space;  ///< where the work space lies

  /// `memory`: bytes that vectors may take, and factors, unless one pair alone takes more; of the native and of the portable backend each.
  /// On a GPU the portable one takes a quarter of it more for 1/κv, where it solves by factors.
  explicit SolveHandle(std::size_t memory = workspace_limit);
  ~SolveHandle();
  /// Takes over what the other keeps.
  SolveHandle(SolveHandle&& other) noexcept;
  /// Takes over what the other keeps, in place of its own.
  SolveHandle& operator=(SolveHandle&& other) noexcept;
  SolveHandle(const SolveHandle&) = delete;
  SolveHandle& operator=(const SolveHandle&) = delete;

  /// Factors that the edge kernel gets room for; 0: it is evaluated wherever it is met.
  std::size_t rank() const { return rank_; }
  /// Has every next `solve` count again how many factors its edge kernel needs, which takes a fence. It does so by itself for
  /// another edge kernel, q, tolerance or capacity than those of the last 16 that it has counted for. Where labels have changed so
  /// that more are needed than there is room for, results are as good, but slower.
  void forget();
  /// What was wrong with the kernel of the last solve, if anything was. Fences `space`.
  std::optional<KernelFault> fault(const ExecutionSpace& space) const;
  /// How many pairs the last solve was asked for.
  std::size_t asked() const { return asked_; }
  /// Fences `space`; throws `Error` that says what is wrong with the batch of the last solve, if anything is.
  void require_valid_batch(const ExecutionSpace& space) const;
  /// Which graphs pair k of the last solve is of, such as "graphs 3 and 7". Fences `space`.
  std::string pair_name(const ExecutionSpace& space, std::size_t k) const;

 private:
  friend class detail::GraphSolve<ExecutionSpace, Scalar>;

  template <class T>
  using Array = Kokkos::View<T*, MemorySpace>;
  /// On a CPU, float does most of the work of double.
  static constexpr bool refines = !portable::fine_grained<ExecutionSpace> && std::is_same_v<Scalar, double>;
  using FactoredProduct =
      std::conditional_t<refines, portable::RefinedXmv<MemorySpace>,
                         portable::FactoredXmv<Scalar, MemorySpace, portable::fine_grained<ExecutionSpace>>>;
  /// Solves by factors depend on no type of the user's: on a GPU they read 1/κv, on a host they have it by calls.
  static constexpr bool places_reciprocals = portable::fine_grained<ExecutionSpace>;
  /// Factors that are tried for at most.
  static constexpr std::size_t most_rank = most_rotated;
  /// Kernels whose number of factors is remembered.
  static constexpr std::size_t most_counted = 16;

  /// Room for all but the factors. As all that reserves, it throws before anything has changed.
  void reserve(const ExecutionSpace& space, const Capacity& capacity, std::size_t pairs, int team_threads);

  /// Room for so many factors of each element, and for products with them.
  void reserve_factors(const ExecutionSpace& space, const Capacity& capacity, std::size_t rank);

  detail::PlacedReciprocals placed_reciprocals() const { return {reciprocals_.data(), stride_}; }

  /// The number of factors of an edge kernel, if it has been counted.
  std::optional<std::size_t> counted(const std::string& kernel) const;
  void remember(const std::string& kernel, std::size_t rank);

  /// Room for two sets as one, kept from call to call. It only grows, and sets of several types have one each, so that all may take turns.
  template <class Prepared>
  Prepared& joined(const ExecutionSpace& space, const Capacity& capacity) {
    std::any& kept = joined_[typeid(Prepared)];
    Capacity room = capacity;
    if (auto* there = std::any_cast<Prepared>(&kept)) {
      const Capacity& had = there->capacity();
      room = {std::max(had.graphs, room.graphs), std::max(had.vertices, room.vertices),
              std::max(had.entries, room.entries), std::max(had.vertices_of_largest, room.vertices_of_largest)};
      if (room == had) return *there;
    }
    kept = Prepared(space, room);
    return *std::any_cast<Prepared>(&kept);
  }

  /// The native solver for graphs of a type, kept from call to call.
  template <class Native>
  Native& native();

  std::size_t memory_;
  std::size_t rank_ = 0;
  std::vector<std::pair<std::string, std::size_t>>
      counted_;  ///< what ranks depend on, and the ranks; the last are the newest
  std::optional<portable::Workspace<Scalar, MemorySpace>> workspace_;
  portable::DeviceFactors<MemorySpace> factors_;
  Kokkos::View<Scalar*, Kokkos::LayoutRight, MemorySpace> values_;  ///< of `FactoredSet::factors`
  portable::RotatedFactors<MemorySpace> rotated_;                   ///< where double is refined
  portable::FactoredSpace<Scalar, MemorySpace> room_;
  Array<double> reciprocals_;  ///< 1/κv of as many pairs as are solved together by factors, if they read it
  std::size_t stride_ = 1;     ///< of a pair's in it
  Array<Pair> pairs_;
  Array<PairResult> results_;
  Array<double> degrees_;
  Array<double> starting_;
  Kokkos::View<detail::KernelRecord, MemorySpace> fault_;
  Kokkos::View<detail::FaultRecord<FaultPlace>, MemorySpace> batch_fault_;  ///< of the graphs of the last solve
  std::size_t asked_ = 0;                                                   ///< pairs of the last solve
  std::size_t graphs_ = 0;                      ///< graphs of the last solve, of two sets together
  std::size_t graphs_of_rows_ = 0;              ///< of one set all
  std::map<std::type_index, std::any> joined_;  ///< `PreparedGraphs` of two sets, by their types
  detail::NativeBatches<ExecutionSpace, Scalar> native_;
  std::map<std::type_index, std::any> native_solvers_;  ///< `cuda::BatchSolver`, by the types of stored labels
};

// What follows is not in the class, where it would be inline: a user's file would compile it in spite of `extern template`.
template <class ExecutionSpace, class Scalar>
SolveHandle<ExecutionSpace, Scalar>::SolveHandle(std::size_t memory) : memory_(memory) {}
template <class ExecutionSpace, class Scalar>
SolveHandle<ExecutionSpace, Scalar>::~SolveHandle() = default;
template <class ExecutionSpace, class Scalar>
SolveHandle<ExecutionSpace, Scalar>::SolveHandle(SolveHandle&& other) noexcept = default;
template <class ExecutionSpace, class Scalar>
SolveHandle<ExecutionSpace, Scalar>& SolveHandle<ExecutionSpace, Scalar>::operator=(SolveHandle&& other) noexcept =
    default;

template <class ExecutionSpace, class Scalar>
void SolveHandle<ExecutionSpace, Scalar>::forget() {
  counted_.clear();
}

template <class ExecutionSpace, class Scalar>
std::optional<KernelFault> SolveHandle<ExecutionSpace, Scalar>::fault(const ExecutionSpace& space) const {
  if (asked_ == 0) return std::nullopt;
  return detail::fault_of<KernelFault>(space, fault_);
}

template <class ExecutionSpace, class Scalar>
void SolveHandle<ExecutionSpace, Scalar>::require_valid_batch(const ExecutionSpace& space) const {
  if (asked_ == 0) return;
  const std::optional<BatchFault> of_batch =
      graphs_ > 0 ? detail::fault_of<BatchFault>(space, batch_fault_) : std::nullopt;
  if (of_batch && graphs_of_rows_ < graphs_) throw Error("one of two sets: " + of_batch->message());
  if (of_batch) throw Error(of_batch->message());
}

template <class ExecutionSpace, class Scalar>
std::string SolveHandle<ExecutionSpace, Scalar>::pair_name(const ExecutionSpace& space, std::size_t k) const {
  if (k >= asked_) return "no graphs";
  const Pair pair = detail::to_host(space, "pair_name", Kokkos::subview(pairs_, std::pair(k, k + 1)))(0);
  const auto second = static_cast<std::size_t>(pair.second);
  const bool two_sets = graphs_of_rows_ < graphs_;
  return "graphs " + std::to_string(pair.first) + " and " +
         std::to_string(two_sets && second >= graphs_of_rows_ ? second - graphs_of_rows_ : second) +
         (two_sets ? " of two sets" : "");
}

template <class ExecutionSpace, class Scalar>
std::optional<std::size_t> SolveHandle<ExecutionSpace, Scalar>::counted(const std::string& kernel) const {
  for (const auto& [of, rank] : counted_) {
    if (of == kernel) return rank;
  }
  return std::nullopt;
}

template <class ExecutionSpace, class Scalar>
void SolveHandle<ExecutionSpace, Scalar>::remember(const std::string& kernel, std::size_t rank) {
  if (counted_.size() == most_counted) counted_.erase(counted_.begin());
  counted_.emplace_back(kernel, rank);
}

template <class ExecutionSpace, class Scalar>
template <class Native>
Native& SolveHandle<ExecutionSpace, Scalar>::native() {
  std::any& kept = native_solvers_[typeid(Native)];
  if (!kept.has_value()) kept = Native();
  return *std::any_cast<Native>(&kept);
}

template <class ExecutionSpace, class Scalar>
void SolveHandle<ExecutionSpace, Scalar>::reserve(const ExecutionSpace& space, const Capacity& capacity,
                                                  std::size_t pairs, int team_threads) {
  const std::size_t elements = capacity.vertices_of_largest * capacity.vertices_of_largest;
  if (!workspace_ || elements > workspace_->elements() || pairs > pairs_.extent(0)) {
    const std::size_t most = std::max(elements, workspace_ ? workspace_->elements() : 0);
    const std::size_t affordable =
        std::max<std::size_t>(memory_ / std::max<std::size_t>(portable::pair_bytes<Scalar, MemorySpace>(most), 1), 1);
    const std::size_t slots = std::min({portable::concurrent_teams(space, team_threads), pairs, affordable});
    workspace_ = portable::Workspace<Scalar, MemorySpace>(space, most, slots);
  }
  detail::grow(space, results_, "results", pairs);
  detail::grow(space, degrees_, "degrees", capacity.vertices);
  detail::grow(space, starting_, "starting", capacity.vertices);
  if (!fault_.is_allocated()) fault_ = decltype(fault_)(Kokkos::view_alloc(space, "octile::kernel_fault"));
  detail::grow(space, pairs_, "pairs", pairs);
}

template <class ExecutionSpace, class Scalar>
void SolveHandle<ExecutionSpace, Scalar>::reserve_factors(const ExecutionSpace& space, const Capacity& capacity,
                                                          std::size_t rank) {
  factors_.reserve(space, capacity.entries, rank);
  if (rank > 0) {
    const auto padded = static_cast<std::size_t>(padded_factors(static_cast<int>(rank)));
    detail::grow(space, values_, "factors", capacity.entries * padded);
    if constexpr (refines) rotated_.reserve(space, capacity.entries * padded);
    const std::size_t n = capacity.vertices_of_largest;
    const std::size_t elements = std::max(FactoredProduct::elements(n, n, padded), room_.extent(1));
    const std::size_t slots = std::max(workspace_->slots(), room_.extent(0));
    if (slots > room_.extent(0) || elements > room_.extent(1)) {
      room_ = decltype(room_)(Kokkos::view_alloc(space, "octile::factored_work"), slots, elements);
    }
    if constexpr (places_reciprocals) {
      // A quarter of the memory, or what one pair takes: more than the vectors have of pairs that run at a time.
      constexpr std::size_t share = 4;
      const std::size_t stride = std::max<std::size_t>(n * n, 1);
      const std::size_t fit = std::max<std::size_t>(memory_ / share / (stride * sizeof(double)), 1);
      detail::grow(space, reciprocals_, "placed_reciprocals", stride * std::min(fit, pairs_.extent(0)));
      stride_ = stride;
    }
  }
  rank_ = rank;
  factors_.rank = static_cast<int>(rank);
}

OCTILE_IN_LIBRARY template class SolveHandle<detail::LibrarySpace, double>;
OCTILE_IN_LIBRARY template class SolveHandle<detail::LibrarySpace, float>;
#ifdef KOKKOS_ENABLE_CUDA
OCTILE_IN_LIBRARY template cuda::BatchSolver<double, NoLabel, Kokkos::Cuda>&
SolveHandle<Kokkos::Cuda, double>::native();
OCTILE_IN_LIBRARY template cuda::BatchSolver<double, float, Kokkos::Cuda>& SolveHandle<Kokkos::Cuda, double>::native();
OCTILE_IN_LIBRARY template cuda::BatchSolver<double, NumberAndCode, Kokkos::Cuda>&
SolveHandle<Kokkos::Cuda, double>::native();
OCTILE_IN_LIBRARY template cuda::BatchSolver<float, NoLabel, Kokkos::Cuda>& SolveHandle<Kokkos::Cuda, float>::native();
OCTILE_IN_LIBRARY template cuda::BatchSolver<float, float, Kokkos::Cuda>& SolveHandle<Kokkos::Cuda, float>::native();
OCTILE_IN_LIBRARY template cuda::BatchSolver<float, NumberAndCode, Kokkos::Cuda>&
SolveHandle<Kokkos::Cuda, float>::native();
#endif

}  // namespace octile
