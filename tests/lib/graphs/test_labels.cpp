// SPDX-License-Identifier: BSD-3-Clause
#include <doctest/doctest.h>

#include <octile/labels.hpp>

using namespace octile;

namespace {

const std::vector<LabelColumn>& columns() {
  static const std::vector<LabelColumn> all{
      std::vector<std::int64_t>{1, -2, 3},          std::vector<double>{1.5, 0.1, -2},
      std::vector<std::string>{"C", "", "Cl"},      std::vector<RealList>{{1, 2}, {}, {0.5}},
      std::vector<TextList>{{"a", "b"}, {"c"}, {}},
  };
  return all;
}

}  // namespace

TEST_CASE("a column knows its length and the name of its type") {
  const std::vector<std::string> names{"integer", "real", "text", "list of reals", "list of texts"};
  for (std::size_t k = 0; k < columns().size(); ++k) {
    CHECK(column_size(columns()[k]) == 3);
    CHECK(column_type_name(columns()[k]) == names[k]);
  }
  CHECK(column_size(std::vector<double>{}) == 0);
}

TEST_CASE("an element keeps the type of its column") {
  CHECK(column_value(columns()[0], 1) == LabelValue(std::int64_t{-2}));
  CHECK(column_value(columns()[1], 0) == LabelValue(1.5));
  CHECK(column_value(columns()[2], 2) == LabelValue(std::string("Cl")));
  CHECK(column_value(columns()[3], 0) == LabelValue(RealList{1, 2}));
  CHECK(column_value(columns()[4], 0) == LabelValue(TextList{"a", "b"}));
}

TEST_CASE("a value prints as a user wrote it") {
  CHECK(to_string(LabelValue(std::int64_t{-7})) == "-7");
  CHECK(to_string(LabelValue(1.5)) == "1.5");
  CHECK(to_string(LabelValue(0.1)) == "0.1");
  CHECK(to_string(LabelValue(std::string("C"))) == "\"C\"");
  CHECK(to_string(LabelValue(RealList{1, 2.5})) == "[1, 2.5]");
  CHECK(to_string(LabelValue(RealList{})) == "[]");
  CHECK(to_string(LabelValue(TextList{"a", "b"})) == "[\"a\", \"b\"]");
  CHECK(to_string(LabelValue(TextList{"a"})) == "[\"a\"]");
}

TEST_CASE("a list of no texts prints as an empty list") { CHECK(to_string(LabelValue(TextList{})) == "[]"); }

TEST_CASE("gather takes elements in the order asked, repeated or left out") {
  const std::vector<std::size_t> source{2, 0, 0};
  CHECK(gather(columns()[0], source) == LabelColumn(std::vector<std::int64_t>{3, 1, 1}));
  CHECK(gather(columns()[2], source) == LabelColumn(std::vector<std::string>{"Cl", "C", "C"}));
  CHECK(gather(columns()[3], source) == LabelColumn(std::vector<RealList>{{0.5}, {1, 2}, {1, 2}}));
  CHECK(gather(columns()[4], {}) == LabelColumn(std::vector<TextList>{}));
}
