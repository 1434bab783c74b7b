// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/graph.hpp>
#include <octile/labels.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace octile {

/// Which attribute of graphs becomes the label of their vertices, and which that of their edges, where the label is a number. The members of
/// a struct are the attributes that `LabelAttributes` names.
struct LabelNames {
  std::string vertex{};
  std::string edge{};
  /// The number that each text becomes, such as {"C", 6}.
  std::map<std::string, std::int64_t, std::less<>> numbers{};
};

namespace detail {

/// The adjacency matrices of graphs as one in compressed rows.
struct JoinedRows {
  std::vector<std::int64_t> graph_offsets{0};
  std::vector<std::int64_t> row_offsets{0};
  std::vector<std::int64_t> columns;
  std::vector<double> weights;
  std::vector<std::size_t> edges;  ///< of each entry, its edge's number in its graph

  explicit JoinedRows(std::span<const Graph> graphs);
};

/// An attribute of a graph's vertices or edges. Throws `Error`, naming graph and attribute, if there is none, or if it is neither numbers nor
/// texts that have numbers.
class NumberColumn {
 public:
  NumberColumn(const Graph& graph, bool of_vertices, std::string_view name,
               const std::map<std::string, std::int64_t, std::less<>>& of_texts);
  NumberColumn& operator=(NumberColumn&&) = delete;  // neither copied nor moved

  /// Element k as a T. Throws `Error` if a T cannot hold it: a whole number is kept as it is, a real one rounded to a real T.
  template <class T>
  T number(std::size_t k) const {
    if constexpr (std::is_enum_v<T>) {
      return static_cast<T>(number<std::underlying_type_t<T>>(k));
    } else if constexpr (std::is_integral_v<T>) {
      const std::int64_t value = whole(k);
      constexpr T least = std::numeric_limits<T>::min();
      constexpr T most = std::numeric_limits<T>::max();
      const bool below = value < 0 && (std::is_unsigned_v<T> || value < static_cast<std::int64_t>(least));
      if (below || (value > 0 && static_cast<std::uint64_t>(value) > static_cast<std::uint64_t>(most))) {
        refuse(k, static_cast<std::int64_t>(least), static_cast<std::uint64_t>(most));
      }
      return static_cast<T>(value);
    } else {
      const double value = real(k);
      constexpr T most = std::numeric_limits<T>::max();
      if (std::abs(value) > static_cast<double>(most)) refuse(k, static_cast<double>(most));
      return static_cast<T>(value);
    }
  }

 private:
  std::int64_t whole(std::size_t k) const;
  double real(std::size_t k) const;
  [[noreturn]] void refuse(std::size_t k, std::int64_t least, std::uint64_t most) const;
  [[noreturn]] void refuse(std::size_t k, double most) const;
  std::string place(std::size_t k) const;

  const Graph& graph_;
  bool of_vertices_;
  std::string_view name_;
  LabelColumn read_;           ///< numbers of texts
  const LabelColumn* column_;  ///< that, or the graph's own
};

}  // namespace detail
}  // namespace octile
