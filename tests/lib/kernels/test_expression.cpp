// SPDX-License-Identifier: BSD-3-Clause
#include <doctest/doctest.h>

#include <octile/expression.hpp>

#include "common/message_of.hpp"

using namespace octile;
using namespace octile::test;
using Kind = Expression::Kind;

namespace {

struct Refusal {
  const char* text;
  int column;
  const char* says;  ///< a part of the message
};

void check_refusals(const std::vector<Refusal>& refusals) {
  for (const Refusal& refusal : refusals) {
    const std::string message = message_of([&] { (void)Expression::parse(refusal.text); });
    CAPTURE(refusal.text);
    CAPTURE(message);
    CHECK(contains(message, std::string("'") + refusal.text + "'"));
    CHECK(contains(message, "column " + std::to_string(refusal.column) + ":"));
    CHECK(contains(message, refusal.says));
    CHECK(!contains(message, "\n"));
  }
}

bool accepted_for_vertices(const char* text) {
  return message_of([&] { Expression::parse(text).require_vertex_kernel(); }) == "(no error)";
}

bool accepted_for_edges(const char* text) {
  return message_of([&] { Expression::parse(text).require_edge_kernel(); }) == "(no error)";
}

}  // namespace

TEST_CASE("a number is the constant kernel") {
  const Expression one = Expression::parse("1");
  CHECK(one.root().kind == Kind::constant);
  CHECK(one.root().parameters == std::vector<double>{1});
  CHECK(one.attributes().empty());
  CHECK(one.text() == "1");
  CHECK(Expression::parse(" 0.25 ").root().parameters == std::vector<double>{0.25});
  CHECK(Expression::parse("2.5e-1").root().parameters == std::vector<double>{0.25});
  CHECK(Expression::parse(".5").root().parameters == std::vector<double>{0.5});
}

TEST_CASE("each kernel keeps attribute and parameters") {
  const Expression delta = Expression::parse("delta(element, 0.2)");
  REQUIRE(delta.root().kind == Kind::leaf);
  CHECK(delta.root().leaf->name == "delta");
  CHECK(delta.root().attribute == "element");
  CHECK(delta.root().parameters == std::vector<double>{0.2});

  const Expression gaussian = Expression::parse("gaussian(length,0.3)");
  REQUIRE(gaussian.root().kind == Kind::leaf);
  CHECK(gaussian.root().leaf->name == "gaussian");
  CHECK(gaussian.root().attribute == "length");
  CHECK(gaussian.root().parameters == std::vector<double>{0.3});

  const Expression wendland = Expression::parse("wendland(length, 2, 3, 5)");
  REQUIRE(wendland.root().kind == Kind::leaf);
  CHECK(wendland.root().leaf->name == "wendland");
  CHECK(wendland.root().parameters == std::vector<double>{2, 3, 5});
}

TEST_CASE("wendland has k = 1 and d = 3 unless given") {
  CHECK(Expression::parse("wendland(length, 2)").root().parameters == std::vector<double>{2, 1, 3});
  CHECK(Expression::parse("wendland(length, 2, 0)").root().parameters == std::vector<double>{2, 0, 3});
}

TEST_CASE("a convolution has one kernel of its elements, on '_'") {
  const Expression convolution = Expression::parse("convolution(tags, 0.5 + 0.5 * delta(_, 0.1))");
  CHECK(convolution.root().kind == Kind::convolution);
  CHECK(convolution.root().attribute == "tags");
  REQUIRE(convolution.root().children.size() == 1);
  CHECK(convolution.root().children[0].kind == Kind::sum);
  CHECK(convolution.root().children[0].children[1].children[1].attribute == "_");
  CHECK(convolution.attributes() == std::set<std::string>{"tags"});
}

TEST_CASE("a product binds tighter than a sum, and parentheses tighter than both") {
  const Expression flat = Expression::parse("0.5 * delta(a, 0) + 0.25 * delta(b, 0) + 0.25");
  REQUIRE(flat.root().kind == Kind::sum);
  REQUIRE(flat.root().children.size() == 3);
  CHECK(flat.root().children[0].kind == Kind::product);
  CHECK(flat.root().children[1].kind == Kind::product);
  CHECK(flat.root().children[2].kind == Kind::constant);

  const Expression nested = Expression::parse("delta(a, 0) * (0.5 + 0.5 * delta(b, 0)) * delta(c, 0)");
  REQUIRE(nested.root().kind == Kind::product);
  REQUIRE(nested.root().children.size() == 3);
  CHECK(nested.root().children[1].kind == Kind::sum);
  CHECK(nested.attributes() == std::set<std::string>{"a", "b", "c"});
}

TEST_CASE("spaces do not matter") {
  const Expression tight = Expression::parse("delta(a,0.5)*(0.5+0.5*gaussian(b,1))");
  const Expression loose = Expression::parse("  delta ( a , 0.5 )  *\t( 0.5 + 0.5 * gaussian( b , 1 ) ) ");
  CHECK(tight.root().kind == loose.root().kind);
  CHECK(tight.attributes() == loose.attributes());
  CHECK(loose.root().children[0].parameters == tight.root().children[0].parameters);
}

TEST_CASE("names may hold letters, digits, '_', '-' and '.', and any text in quotes") {
  CHECK(Expression::parse("delta(bond.order-2_x, 0)").root().attribute == "bond.order-2_x");
  CHECK(Expression::parse("delta(3d, 0)").root().attribute == "3d");
  CHECK(Expression::parse("delta(\"bond order\", 0)").root().attribute == "bond order");
  CHECK(Expression::parse("delta(\" a,b)*(\", 0)").root().attribute == " a,b)*(");
  CHECK(Expression::parse("delta(\"Größe\", 0)").root().attribute == "Größe");
  CHECK(Expression::parse("delta(delta, 0)").root().attribute == "delta");
}

TEST_CASE("nodes know their column") {
  const Expression expression = Expression::parse("0.5 + 0.5 * delta(a, 0)");
  CHECK(expression.root().column == 1);
  CHECK(expression.root().children[1].column == 7);
  CHECK(expression.root().children[1].children[1].column == 13);
}

TEST_CASE("bad grammar is refused at its column") {
  check_refusals({
      {"", 1, "expected"},
      {"   ", 4, "expected"},
      {"1 +", 4, "expected"},
      {"* 1", 1, "not expected"},
      {"1 1", 3, "expected"},
      {"(1", 3, "')'"},
      {"1)", 2, "expected"},
      {"delta", 6, "'('"},
      {"delta()", 7, "attribute"},
      {"delta(a)", 8, "','"},
      {"delta(a,)", 9, "number"},
      {"delta(a, 0.5", 13, "')'"},
      {"delta(a, 0.5, 1)", 13, "')'"},
      {"delta(\"a, 0.5)", 7, "quotation"},
      {"delta(\"\", 0.5)", 7, "attribute"},
      {"gaussian(a, b)", 13, "number"},
      {"1 / 2", 3, "expected"},
      {"1 - 0.5", 3, "expected"},
      {"delta(a b, 0.5)", 9, "','"},
  });
}

TEST_CASE("an unknown kernel is refused with those that there are") {
  check_refusals({{"1 * laplace(a, 1)", 5, "'laplace'"}, {"Delta(a, 1)", 1, "delta, gaussian, wendland"}});
  check_refusals({{"1 * laplace(a, 1)", 5, ", convolution"}});
  for (const LeafRow& leaf : leaf_table()) {
    check_refusals({{"1 * laplace(a, 1)", 5, std::string(leaf.name).c_str()}});
  }
}

TEST_CASE("a parameter outside of its range is refused at its column with the value") {
  check_refusals({
      {"delta(a, 1.5)", 10, "1.5"},
      {"delta(a, -0.5)", 10, "-0.5"},
      {"gaussian(a, 0)", 13, "at least 1e-100"},
      {"gaussian(a, -1)", 13, "-1"},
      {"gaussian(a, 1e999)", 13, "number"},
      {"gaussian(a, inf)", 13, "number"},
      {"gaussian(a, nan)", 13, "number"},
      {"wendland(a, 0)", 13, "at least 1e-100"},
      {"wendland(a, 1, 4)", 16, "4"},
      {"wendland(a, 1, 1.5)", 16, "whole"},
      {"wendland(a, 1, -1)", 16, "-1"},
      {"wendland(a, 1, 1, 0)", 19, "0"},
      {"wendland(a, 1, 1, 11)", 19, "11"},
      {"wendland(a, 1, 1, 2.5)", 19, "whole"},
      {"-1", 1, "-1"},
      {"0", 1, "0"},
      {"1 + 0.5 * -2", 11, "-2"},
  });
}

TEST_CASE("'_' belongs inside a convolution, and nothing else does there") {
  check_refusals({
      {"delta(_, 0.5)", 7, "convolution"},
      {"convolution(tags, delta(a, 0.5))", 25, "'_'"},
      {"convolution(_, delta(_, 0.5))", 13, "'_'"},
      {"convolution(tags, convolution(_, delta(_, 0.5)))", 19, "convolution"},
      {"convolution(tags)", 17, "','"},
      {"convolution(tags, )", 19, "expected"},
  });
}

TEST_CASE("kernels are normalised and raised, and lists are compared") {
  const Expression normalized = Expression::parse("normalize(2*delta(a, 0.5) + 3*dot(b))");
  CHECK(normalized.root().kind == Kind::normalize);
  CHECK(normalized.root().children[0].kind == Kind::sum);
  CHECK(normalized.range().highest == 1);
  CHECK(normalized.range().positive);
  CHECK(normalized.attributes() == std::set<std::string>{"a", "b"});
  const Expression power = Expression::parse("power(0.5*tanimoto(a), 3)");
  CHECK(power.root().kind == Kind::power);
  CHECK(power.root().parameters == std::vector<double>{3});
  CHECK(power.range().highest == 0.125);
  CHECK_FALSE(power.range().positive);
  CHECK_FALSE(Expression::parse("normalize(dot(b))").range().positive);
  CHECK(contains(message_of([] { Expression::parse("dot(b)").require_edge_kernel(); }), "no upper limit"));
  CHECK(contains(message_of([] { Expression::parse("2*delta(b, 0.5)").require_edge_kernel(); }), "normalize(...)"));
  check_refusals({
      {"normalize()", 11, "expected"},
      {"normalize 1", 11, "'('"},
      {"normalize(1, 2)", 12, "')'"},
      {"normalize(normalize(1) + 1)", 11, "inside normalize"},
      {"convolution(a, normalize(delta(_, 0.5)))", 16, "around one"},
      {"convolution(a, dot(_))", 16, "lists"},
      {"dot(a, 1)", 6, "')'"},
      {"power(1)", 8, "','"},
      {"power(1, 0)", 10, "greater than 0"},
      {"power(0.5 + delta(a, 0.5), 0.5)", 28, "whole number"},
      {"power(wendland(a, 1), 2.5)", 23, "whole number"},
      {"power(matern(a, 1, 1.5), 2.5)", 26, "whole number"},
  });
  for (const char* divisible : {"power(delta(a, 0.5)*gaussian(b, 1), 0.3)", "power(power(rational(a, 1, 2), 2), 0.1)",
                                "power(matern(a, 1, 0.5)*0.5*periodic(b, 1, 2), 1.5)"}) {
    CHECK(Expression::parse(divisible).root().kind == Kind::power);
  }
}

TEST_CASE("deep nesting is refused before it costs the stack") {
  const std::string deep = std::string(100000, '(') + "1" + std::string(100000, ')');
  CHECK(contains(message_of([&] { (void)Expression::parse(deep); }), "nested too deeply"));
  const std::string fine = std::string(30, '(') + "1" + std::string(30, ')');
  CHECK(Expression::parse(fine).root().kind == Kind::constant);
}

TEST_CASE("the range of values follows from the tree") {
  const auto range = [](const char* text) { return Expression::parse(text).range(); };
  CHECK(range("0.5").lowest == 0.5);
  CHECK(range("0.5").highest == 0.5);
  CHECK(range("0.5").positive);
  CHECK(range("delta(a, 0.2)").lowest == 0.2);
  CHECK(range("delta(a, 0.2)").highest == 1);
  CHECK(!range("delta(a, 0)").positive);
  CHECK(range("gaussian(a, 1)").positive);
  CHECK(!range("wendland(a, 1)").positive);
  CHECK(range("0.5 * delta(a, 0.2)").lowest == 0.1);
  CHECK(range("0.5 * delta(a, 0.2)").highest == 0.5);
  CHECK(!range("delta(a, 0) * gaussian(b, 1)").positive);
  CHECK(range("0.25 + 0.75 * delta(a, 0)").lowest == 0.25);
  CHECK(range("0.25 + 0.75 * delta(a, 0)").highest == 1);
  CHECK(range("0.25 + 0.75 * delta(a, 0)").positive);
  CHECK(range("2 * delta(a, 0.5)").highest == 2);
  CHECK(range("convolution(a, 0.5 * delta(_, 0.1))").highest == 0.5);
  CHECK(range("convolution(a, delta(_, 0.1))").positive);
}

TEST_CASE("an edge kernel has values in [0, 1]") {
  CHECK(accepted_for_edges("1"));
  CHECK(accepted_for_edges("delta(a, 0)"));
  CHECK(accepted_for_edges("wendland(a, 1)"));
  CHECK(accepted_for_edges("0.7 * delta(a, 0) + 0.2 * delta(b, 0) + 0.1"));  // rounds above 1
  CHECK(accepted_for_edges("2 * 0.5 * delta(a, 0)"));
  for (const char* text : {"2", "1 + delta(a, 0)", "delta(a, 0) + delta(b, 0)", "1.0001 * gaussian(a, 1)"}) {
    const std::string message = message_of([&] { Expression::parse(text).require_edge_kernel(); });
    CAPTURE(message);
    CHECK(contains(message, std::string("'") + text + "'"));
    CHECK(contains(message, "column 1"));
    CHECK(contains(message, "1"));
  }
}

TEST_CASE("a vertex kernel has values in (0, 1], since V× is inverted") {
  CHECK(accepted_for_vertices("1"));
  CHECK(accepted_for_vertices("delta(a, 0.2)"));
  CHECK(accepted_for_vertices("gaussian(a, 1)"));
  CHECK(accepted_for_vertices("0.5 + 0.5 * delta(a, 0)"));
  CHECK(accepted_for_vertices("convolution(a, delta(_, 0.5))"));
  CHECK(!accepted_for_vertices("delta(a, 0)"));
  CHECK(!accepted_for_vertices("wendland(a, 1)"));
  CHECK(!accepted_for_vertices("delta(a, 0.5) * wendland(a, 1)"));
  CHECK(!accepted_for_vertices("convolution(a, delta(_, 0))"));
  CHECK(!accepted_for_vertices("1 + delta(a, 0.5)"));
  CHECK(contains(message_of([] { Expression::parse("delta(a, 0)").require_vertex_kernel(); }), "greater than 0"));
}
