// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/error.hpp>
#include <octile/expression.hpp>
#include <octile/kernels/compiled_kernel.hpp>
#include <octile/kernels/formulas.hpp>
#include <octile/kernels/leaf_product.hpp>
#include <octile/kernels/program.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

// Expressions over labels of the caller's own types, evaluated where the labels lie.
namespace octile {

/// A member of a label struct, as `&Bond::order`, by the name that it has in expressions.
template <class Member>
struct Attribute {
  std::string_view name;  ///< in expressions, such as "order"
  Member member;          ///< a pointer to the member, as `&Bond::order`
};
template <class Member>
Attribute(const char*, Member) -> Attribute<Member>;

/// The attributes of a label type: specialise it for a struct of yours, with numbers as members:
///
///     template <> struct octile::LabelAttributes<Bond> {
///       static constexpr std::tuple list{Attribute{"order", &Bond::order}, Attribute{"length", &Bond::length}};
///     };
///
/// A label that is a number needs none: it is the one attribute that an expression reads, whatever its name.
template <class Label>
struct LabelAttributes {
  static constexpr std::tuple<> list{};  ///< a tuple of `Attribute`; empty unless specialised
};

namespace detail {

/// The attributes of a label type, by their places in `LabelAttributes`.
template <class Label>
class AttributesOf {
  using List = std::remove_cvref_t<decltype(LabelAttributes<Label>::list)>;
  using Places = std::make_index_sequence<std::tuple_size_v<List>>;

 public:
  static constexpr bool is_number = std::is_arithmetic_v<Label>;  ///< a label is its one attribute
  static constexpr auto count = static_cast<std::int32_t>(is_number ? 1 : std::tuple_size_v<List>);

  /// Whether the attribute at each place is a whole number, or an enumerator.
  static constexpr std::array<bool, static_cast<std::size_t>(std::max(count, 1))> whole() {
    std::array<bool, static_cast<std::size_t>(std::max(count, 1))> of_places{};
    if constexpr (is_number) {
      of_places[0] = std::is_integral_v<Label>;
    } else {
      std::size_t place = 0;
      const auto look = [&]<class Member>(const Attribute<Member Label::*>&) {
        of_places[place++] = std::is_integral_v<Member> || std::is_enum_v<Member>;
      };
      std::apply([&](const auto&... attribute) { (look(attribute), ...); }, LabelAttributes<Label>::list);
    }
    return of_places;
  }

  /// The place of a name, or −1.
  static std::int32_t place_of(std::string_view name) {
    if constexpr (is_number) {
      return 0;
    } else {
      std::int32_t found = -1;
      std::int32_t place = 0;
      const auto look = [&](const auto& attribute) {
        if (attribute.name == name) found = place;
        ++place;
      };
      std::apply([&](const auto&... attribute) { (look(attribute), ...); }, LabelAttributes<Label>::list);
      return found;
    }
  }

  /// All names, for a message.
  static std::string names() {
    std::string all;
    const auto add = [&](const auto& attribute) {
      all += (all.empty() ? "'" : ", '") + std::string(attribute.name) + "'";
    };
    std::apply([&](const auto&... attribute) { (add(attribute), ...); }, LabelAttributes<Label>::list);
    return all.empty() ? "none (see octile::LabelAttributes)" : all;
  }

  /// Calls `read` with the attribute at a place of each label.
  template <class Read, class... Labels>
  KOKKOS_INLINE_FUNCTION static void read(std::int32_t place, const Read& read, const Labels&... labels) {
    if constexpr (is_number) {
      read(labels...);
    } else {
      read_member(place, read, Places(), labels...);
    }
  }

 private:
  template <std::size_t Place>
  static constexpr auto member = std::get<Place>(LabelAttributes<Label>::list).member;

  template <class Read, std::size_t... Place, class... Labels>
  KOKKOS_INLINE_FUNCTION static void read_member([[maybe_unused]] std::int32_t place, [[maybe_unused]] const Read& read,
                                                 std::index_sequence<Place...>, const Labels&... labels) {
    (read_if<Place>(place, read, labels...), ...);
  }
  template <std::size_t Place, class Read, class... Labels>
  KOKKOS_INLINE_FUNCTION static void read_if(std::int32_t place, const Read& read, const Labels&... labels) {
    if (place != static_cast<std::int32_t>(Place)) return;
    read(labels.*member<Place>...);
  }
};

}  // namespace detail

/// The expression of a `ProgramKernel` where it is a product of few leaves (`LeafProduct`), without the steps of a program. (`BaseKernel`)
template <class Label>
struct ProgramProduct {
  LeafProduct leaves;       ///< its leaves and their numbers: constant, rate of the Gaussian, h of the deltas
  std::int32_t number = 0;  ///< the place of the attribute that the Gaussian reads
  std::int32_t compared[LeafProduct::most_deltas] = {};  ///< those that are compared

  /// κ(a, b), as the program has it but for rounding.
  template <class T>
  KOKKOS_INLINE_FUNCTION T evaluate(const Label& a, const Label& b) const {
    T value = static_cast<T>(leaves.constant);
    if (leaves.gaussians > 0) {
      Attributes::read(
          number,
          [&](const auto& x, const auto& y) {
            value *= formula::square_exponential<T>(static_cast<double>(x), static_cast<double>(y), leaves.rate);
          },
          a, b);
    }
    for (std::int32_t k = 0; k < leaves.deltas; ++k) {
      Attributes::read(
          compared[k],
          [&](const auto& x, const auto& y) { value *= formula::delta(x == y, static_cast<T>(leaves.other[k])); }, a,
          b);
    }
    return value;
  }

  /// Reads into `words` what the product reads of a label.
  KOKKOS_INLINE_FUNCTION void read(const Label& label, WordsOfLabel& words) const {
    if (leaves.gaussians > 0)
      Attributes::read(
          number, [&](const auto& x) { words.number(x); }, label);
    for (std::int32_t k = 0; k < leaves.deltas; ++k) {
      Attributes::read(
          compared[k], [&](const auto& x) { words.compared(x); }, label);
    }
  }

 private:
  using Attributes = detail::AttributesOf<Label>;
};

/// A base kernel over labels that runs an expression. It is copied to a device by value, with all that it needs. (`BaseKernel`)
template <class Label>
class ProgramKernel {
 public:
  /// The code of `evaluate` is long: who evaluates it in many places calls one copy of it.
  static constexpr bool is_long = true;

  /// Throws `Error` for an expression of more than `most_steps` steps, or that reads a list or an attribute that the labels have not.
  explicit ProgramKernel(const Expression& expression) {
    const CompiledKernel compiled = compile(expression);
    const auto refuse = [&](const std::string& why) {
      throw Error("expression '" + expression.text() + "' over labels in Views: " + why);
    };
    if (compiled.program.size() > most_steps) {
      refuse(std::to_string(compiled.program.size()) + " steps; allowed are " + std::to_string(most_steps));
    }
    steps_ = static_cast<std::int32_t>(compiled.program.size());
    std::copy(compiled.program.begin(), compiled.program.end(), program_.data());
    std::string one_name;
    for (std::int32_t k = 0; k < steps_; ++k) {
      Instruction& instruction = program_[static_cast<std::size_t>(k)];
      if (!compiled.normalized.empty()) refuse("normalize of kernels of lists; they have no lists");
      if (instruction.code == Instruction::Code::convolution || instruction.code == Instruction::Code::list_leaf) {
        refuse("they have no lists");
      }
      if (instruction.code != Instruction::Code::leaf) continue;
      const Slot& slot = compiled.slots[static_cast<std::size_t>(instruction.slot)];
      if (Attributes::is_number && !one_name.empty() && one_name != slot.attribute) {
        refuse("a number is one attribute, and '" + one_name + "' and '" + slot.attribute + "' are two");
      }
      one_name = slot.attribute;
      const std::int32_t place = Attributes::place_of(slot.attribute);
      if (place < 0) refuse("they have no attribute '" + slot.attribute + "'; allowed are " + Attributes::names());
      // What is compared is known by a place behind those of the numbers.
      instruction.slot = slot.coded ? place + Attributes::count : place;
    }
  }
  /// κ(a, b) of the expression, with the attributes read of these labels.
  template <class T>
  KOKKOS_INLINE_FUNCTION T evaluate(const Label& a, const Label& b) const {
    const auto operand = [&](const Instruction& instruction, double& x, double& y) {
      const bool compared = instruction.slot >= Attributes::count;
      const auto read = [&](const auto& one, const auto& other) {
        // Labels are compared as they are: rounded to double some would be the same.
        x = compared ? 0 : static_cast<double>(one);
        y = compared ? (one == other ? 0 : 1) : static_cast<double>(other);
      };
      Attributes::read(compared ? instruction.slot - Attributes::count : instruction.slot, read, a, b);
    };
    const auto leaf = [&](const Instruction& instruction) {
      if (instruction.code == Instruction::Code::constant) return static_cast<T>(instruction.parameter);
      double x = 0;
      double y = 0;
      operand(instruction, x, y);
      return detail::value_of_leaf<T>(instruction.leaf, x, y, instruction);  // NOLINT(cppcoreguidelines-slicing)
    };
    // One leaf alone needs no stack, which a GPU would have in memory.
    if (steps_ == 1) return leaf(program_[0]);
    const auto power = [](const Instruction& instruction, T base) {
      return detail::ValueRules<T>().power(instruction, base);
    };
    return detail::run_postfix<T>(
        program_.data(), steps_, leaf, [](int) { return T(0); }, power);
  }

  /// κ of a label and `count` others, with the bits of `evaluate`: many at a time, so that each step is looked at once for them.
  KOKKOS_INLINE_FUNCTION void evaluate_many(const Label& a, const Label* others, int count, double* to) const {
    if (steps_ == 1) return leaf_of_many(program_[0], a, others, count, to);
    for (int begin = 0; begin < count; begin += Many::most) {
      const int some = count - begin < Many::most ? count - begin : Many::most;
      const auto leaf = [&](const Instruction& step) {
        Many many;
        many.count = some;
        leaf_of_many(step, a, others + begin, some, many.values);
        return many;
      };
      const auto power = [](const Instruction& step, Many many) {
        for (int j = 0; j < many.count; ++j) {
          many.values[j] = detail::ValueRules<double>().power(step, many.values[j]);
        }
        return many;
      };
      const Many found = detail::run_postfix<Many>(
          program_.data(), steps_, leaf, [](int) { return Many(); }, power);
      for (int j = 0; j < some; ++j) to[begin + j] = found.values[j];
    }
  }

  /// This kernel as a product of few leaves, or nothing if it is none or compares anything but whole numbers.
  std::optional<ProgramProduct<Label>> product() const {
    ProgramProduct<Label> product;
    LeafProduct& leaves = product.leaves;
    using Code = Instruction::Code;
    for (std::int32_t k = 0; k < steps_; ++k) {
      const Instruction& step = program_[static_cast<std::size_t>(k)];
      if (step.code == Code::multiply) continue;
      if (step.code == Code::constant) {
        leaves.multiply_by(step.parameter);
      } else if (step.code == Code::leaf && step.leaf == leaf_number<GaussianLeaf>) {
        product.number = step.slot;
        leaves.add_gaussian(step.parameter);
      } else if (step.code == Code::leaf && step.leaf == leaf_number<DeltaLeaf>) {
        const std::int32_t place = step.slot - Attributes::count;
        if (!Attributes::whole()[static_cast<std::size_t>(place)]) return std::nullopt;
        if (leaves.deltas < LeafProduct::most_deltas) product.compared[leaves.deltas] = place;
        leaves.add_delta(step.parameter);
      } else {
        return std::nullopt;
      }
    }
    if (!leaves.suits()) return std::nullopt;
    return product;
  }

  /// Steps that an expression may have: a leaf each, and one less of '+' and '*'.
  static constexpr std::size_t most_steps = 15;

 private:
  using Attributes = detail::AttributesOf<Label>;

  /// Values of a step for many pairs of labels.
  struct Many {
    static constexpr int most = 32;
    int count = 0;
    double values[most];  ///< `count` of them are set

    KOKKOS_INLINE_FUNCTION Many& operator*=(const Many& other) {
      for (int j = 0; j < count; ++j) values[j] *= other.values[j];
      return *this;
    }
    KOKKOS_INLINE_FUNCTION Many& operator+=(const Many& other) {
      for (int j = 0; j < count; ++j) values[j] += other.values[j];
      return *this;
    }
  };

  /// A leaf kernel, or a constant, of a label and `count` others.
  KOKKOS_INLINE_FUNCTION void leaf_of_many(const Instruction& step, const Label& a, const Label* others, int count,
                                           double* to) const {
    const auto value = [&](double x, double y) {
      return detail::value_of_leaf<double>(step.leaf, x, y, step);  // NOLINT(cppcoreguidelines-slicing)
    };
    const auto of_each = [&](std::int32_t place, const auto& of_two) {
      for (int j = 0; j < count; ++j) {
        Attributes::read(
            place, [&](const auto& x, const auto& y) { to[j] = of_two(x, y); }, a, others[j]);
      }
    };
    if (step.code == Instruction::Code::constant) {
      for (int j = 0; j < count; ++j) to[j] = step.parameter;
    } else if (step.slot >= Attributes::count) {
      const double same = value(0, 0);
      const double other = value(0, 1);
      of_each(step.slot - Attributes::count, [&](const auto& x, const auto& y) { return x == y ? same : other; });
    } else {
      of_each(step.slot,
              [&](const auto& x, const auto& y) { return value(static_cast<double>(x), static_cast<double>(y)); });
    }
  }

  Kokkos::Array<Instruction, most_steps> program_{};
  std::int32_t steps_ = 0;
  std::int32_t unused_ = 0;  ///< no padding: kernels are compared byte by byte
};

}  // namespace octile
