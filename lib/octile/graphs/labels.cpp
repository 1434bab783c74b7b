// SPDX-License-Identifier: BSD-3-Clause
#include <octile/labels.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace octile {
namespace {

template <class... Functions>
struct Overloaded : Functions... {
  using Functions::operator()...;
};

// C++20 does not need this deduction guide, but clang-tidy 14 does.
template <class... Functions>
Overloaded(Functions...) -> Overloaded<Functions...>;

}  // namespace

std::size_t column_size(const LabelColumn& column) {
  return std::visit([](const auto& values) { return values.size(); }, column);
}

std::string_view column_type_name(const LabelColumn& column) {
  return std::visit(Overloaded{
                        [](const std::vector<std::int64_t>&) { return std::string_view("integer"); },
                        [](const std::vector<double>&) { return std::string_view("real"); },
                        [](const std::vector<std::string>&) { return std::string_view("text"); },
                        [](const std::vector<RealList>&) { return std::string_view("list of reals"); },
                        [](const std::vector<TextList>&) { return std::string_view("list of texts"); },
                    },
                    column);
}

LabelValue column_value(const LabelColumn& column, std::size_t index) {
  return std::visit([index](const auto& values) { return LabelValue(values[index]); }, column);
}

std::string to_string(const LabelValue& value) {
  return std::visit(
      Overloaded{
          [](std::int64_t integer) { return fmt::format("{}", integer); },
          [](double real) { return fmt::format("{}", real); },
          [](const std::string& text) { return fmt::format("\"{}\"", text); },
          [](const RealList& list) { return fmt::format("[{}]", fmt::join(list, ", ")); },
          [](const TextList& list) { return list.empty() ? "[]" : fmt::format("[\"{}\"]", fmt::join(list, "\", \"")); },
      },
      value);
}

LabelColumn gather(const LabelColumn& column, const std::vector<std::size_t>& source) {
  return std::visit(
      [&source](const auto& values) {
        std::decay_t<decltype(values)> gathered;
        gathered.reserve(source.size());
        for (const std::size_t index : source) gathered.push_back(values[index]);
        return LabelColumn(std::move(gathered));
      },
      column);
}

}  // namespace octile
