// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

// The leaf kernels as data for the host, without Kokkos. Their rows are made out of leaf_kernels.hpp, where each of them stands.
namespace octile {

/// What a leaf kernel does with its two labels.
enum class LeafReads {
  equality,  ///< it compares them: numbers or texts, which reach it as codes
  numbers,   ///< it computes with them
};

/// What a kernel's values can be: within [lowest, highest]; `positive` says that no two labels have the value 0 (lists not
/// being empty).
struct ValueRange {
  double lowest = 0;
  double highest = 1;
  bool positive = false;
};

/// The limits of lengths, radii, periods and exponents: what is formed of them, up to their third power, is a number of double
/// precision. So no formula turns into 0, infinity or 0 · ∞ by the parameters alone.
inline constexpr double least_length = 1e-100;
inline constexpr double most_length = 1e100;

/// A parameter of a leaf kernel, as the user gives it. It is finite; the first that may be left out is followed by no other
/// that may not.
struct LeafParameter {
  std::string_view name;   ///< in a usage: "length"
  std::string_view title;  ///< in a sentence: "the length"
  double low = 0;
  double high = std::numeric_limits<double>::infinity();
  bool above_low = false;                         ///< `low` itself is not allowed
  double step = 0;                                ///< where it is not 0, allowed are low, low + step, … only
  std::optional<double> standard = std::nullopt;  ///< the value where it is left out

  /// Whether κ has a derivative with respect to it: one of a few values has none.
  constexpr bool differentiable() const { return step == 0; }

  /// Whether a value within the limits is one of the steps.
  bool has_step(double value) const;
  /// Whether the steps are the whole numbers.
  bool whole() const;
  /// Where there are steps: "a whole number", or the values, such as "0.5, 1.5, 2.5".
  std::string steps() const;
  /// Such as "greater than 0", or "a whole number, at least 0 and at most 3".
  std::string allowed() const;
};

/// What a leaf kernel computes with, out of its parameters. What each of the four means is the leaf's own.
struct LeafArguments {
  double parameter = 0;
  double shape = 0;
  std::int32_t degree = 0;
  std::int32_t exponent = 0;
};

/// What is told of every leaf kernel.
struct LeafText {
  std::int32_t number;        ///< as instructions carry it (`LeafList::value`)
  std::string_view name;      ///< in expressions
  std::string_view equation;  ///< of labels or lists x and y, in letters that every terminal has
  std::string_view values;    ///< the range of the values in words
  std::string_view definite;  ///< for which parameters it is positive definite, and why
  std::string_view zero;      ///< when it is 0, where it can be: "a delta with h = 0"
};

/// A leaf kernel: one that compares the labels of one attribute, of which κ(x, x) = 1. Its functions take the parameters in the order of
/// `parameters`, all of them.
struct LeafRow : LeafText {
  LeafReads reads;
  std::span<const LeafParameter> parameters;
  ValueRange (*range)(std::span<const double> parameters);
  LeafArguments (*prepare)(std::span<const double> parameters);
  double (*operations)(std::span<const double> parameters);  ///< of one evaluation, by the paper's count
  /// The parameters with which this kernel is κ^exponent; empty where no parameters are.
  std::vector<double> (*power)(std::span<const double> parameters, double exponent);

  /// Such as "wendland(attribute, radius [, k [, d]])".
  std::string usage() const;
};

/// What the elements of a list are to a kernel of lists.
enum class ListReads {
  vectors,  ///< numbers, each in its place; in all graphs equally many, none below 0
  sets,     ///< numbers or texts without order, each once
};

/// A leaf kernel of two lists. It has no parameters.
struct ListLeafRow : LeafText {
  ListReads reads;
  ValueRange range;
  bool unit;  ///< κ(x, x) = 1 for all lists
};

/// All leaf kernels of lists, by their number.
std::span<const ListLeafRow> list_leaf_table();

/// The leaf kernel of lists of this name, null where there is none.
const ListLeafRow* find_list_leaf(std::string_view name);

/// All leaf kernels, by their number.
std::span<const LeafRow> leaf_table();

/// The leaf kernel of this name, null where there is none.
const LeafRow* find_leaf(std::string_view name);

/// The names of those that read labels so, such as "gaussian, wendland".
std::string leaf_names(LeafReads reads);

}  // namespace octile
