// SPDX-License-Identifier: BSD-3-Clause
#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include <octile/certify/exact_kernel.hpp>
#include <octile/gram.hpp>
#include <octile/kernels/leaf_rounding.hpp>
#include <octile/kernels/lowering.hpp>
#include <octile/kernels/rounding.hpp>
#include <octile/kernels/terms.hpp>

#include "common/graphs.hpp"
#include "common/message_of.hpp"

using namespace octile;
using namespace octile::test;

namespace {

/// Paths of three vertices whose edges carry these vectors.
std::vector<Graph> with_vectors(const std::vector<RealList>& vectors) {
  std::vector<Graph> graphs;
  graphs.reserve(vectors.size());
  for (const RealList& vector : vectors) {
    graphs.push_back(
        Graph::from_edges("path", 3, path_edges(3), {},
                          {{"x", std::vector<RealList>{vector, vector}}, {"y", std::vector<double>{1, 2}}}));
  }
  return graphs;
}

std::string refusal(const std::vector<Graph>& graphs, const std::string& edge) {
  return message_of([&] { (void)lower(graphs, Expression::parse(edge), LabelSite::edge); });
}

std::string refusal_of_reference(const std::vector<Graph>& graphs, const std::string& edge) {
  GramOptions options;
  options.backend = BackendId::reference;
  const KernelSpec kernel{Expression::parse("1"), Expression::parse(edge), {StoppingMeaning::weight, 0.5}};
  return message_of([&] { (void)gram(graphs, kernel, options); });
}

}  // namespace

TEST_CASE("programs of values scale by numbers of the records, or not at all where κ(a, a) is one number") {
  const std::vector<Graph> graphs = with_vectors({{1, 2}, {2, 1}, {0, 0}});
  const LoweredKernel scaled = lower(graphs, Expression::parse("normalize(0.5+dot(x))"), LabelSite::edge);
  CHECK(scaled.slots == 2);
  CHECK(scaled.records.at(1) == doctest::Approx(1 / std::sqrt(5.5)));
  const LoweredKernel divided = lower(graphs, Expression::parse("normalize(3*gaussian(y,1)+1)"), LabelSite::edge);
  CHECK(divided.slots == 1);
  CHECK(divided.table.at(0) == 1);
  CHECK(lower(graphs, Expression::parse("power(gaussian(y,2),4)"), LabelSite::edge).square_exponential());
  CHECK(lower(graphs, Expression::parse("normalize(delta(y,0.5))"), LabelSite::edge).delta());
}

TEST_CASE(
    "numbers of a product are one in programs of values, and like terms of a sum, which keep their values and "
    "parameters") {
  const std::vector<Graph> graphs = with_vectors({{1, 2}, {2, 1}, {0, 3}});
  const auto lowered = [&](const char* text) { return lower(graphs, Expression::parse(text), LabelSite::edge); };
  const LoweredKernel constant = lowered("0.25*1+0.25+0.5*1");
  REQUIRE(constant.constant());
  CHECK(constant.program[0].parameter == 1);
  CHECK(lowered("0.25*gaussian(y,1)+0.5*gaussian(y,1)+gaussian(y,1)*0.25").square_exponential());
  CHECK(lowered("1*delta(y,0.5)").delta());
  for (const auto& written :
       {std::pair("0.5*(0.4*gaussian(y,1))", 3),
        std::pair("0.3*(0.5*gaussian(y,1)*delta(y,0.2))+0.1*gaussian(y,1)*delta(y,0.2)", 5),
        std::pair("0.1+0.3*gaussian(y,1)+0.2+(0.1+0.2*gaussian(y,1))", 5),
        std::pair("0.2*gaussian(y,1)+0.3*gaussian(y,2)", 7), std::pair("0.2*gaussian(y,1)+0.3*delta(y,0.5)", 7),
        std::pair("1e-200*1e-200*gaussian(y,1)", 5),
        std::pair("(0.1+0.4*gaussian(y,1))*(0.1+0.4*gaussian(y,1))", 11)}) {
    CAPTURE(written.first);
    const LoweredKernel kernel = lowered(written.first);
    CHECK(kernel.program.size() == static_cast<std::size_t>(written.second));
    const RecordPointers labels{kernel.records.data(), nullptr, nullptr, kernel.slots};
    for (std::uint32_t a = 0; a < kernel.record_count; ++a) {
      for (std::uint32_t b = 0; b < kernel.record_count; ++b) {
        const auto run = [&](const std::vector<Instruction>& program) {
          return run_program(program.data(), static_cast<int>(program.size()), labels, a, b);
        };
        CHECK(run(kernel.program) == doctest::Approx(run(kernel.exact)).epsilon(1e-15));
      }
    }
  }
}

TEST_CASE("bounds count how numbers that were put together round") {
  const std::vector<Graph> graphs = with_vectors({{1, 2}});
  const auto rounding_of = [&](const char* text) {
    return kernel_rounding(lower(graphs, Expression::parse(text), LabelSite::edge), deepest_exponent).relative;
  };
  CHECK(rounding_of("0.1*(0.3*gaussian(y,1))") >= rounding_of("0.03*gaussian(y,1)") + 1);
  CHECK(rounding_of("0.1*delta(y,0.5)+0.2*delta(y,0.5)") >= rounding_of("0.3*delta(y,0.5)") + 1);
}

TEST_CASE("a number and few square exponentials of one attribute are a sum of exponentials, and nothing else is") {
  const std::vector<Graph> graphs = with_vectors({{1, 2}, {2, 1}, {0, 3}});
  const auto sum_of = [&](const char* text) {
    return detail::exponential_sum(lower(graphs, Expression::parse(text), LabelSite::edge));
  };
  const auto sum = sum_of("0.1+0.2*gaussian(y,1)+0.4*(0.5*gaussian(y,2))+0.1*gaussian(y,1)");
  REQUIRE(sum);
  CHECK(sum->constant == 0.1);
  REQUIRE(sum->terms.size() == 2);
  CHECK(sum->terms[0].factor == doctest::Approx(0.3));
  CHECK(sum->terms[0].rate == 0.5);
  CHECK(sum->terms[1].factor == 0.2);
  CHECK(sum->terms[1].rate == 0.125);
  for (const char* other :
       {"gaussian(y,1)", "0.7", "0.2*gaussian(y,1)+0.3*delta(y,0.5)", "0.2*gaussian(y,1)+0.3*dot(x)",
        "0.5*matern(y,1,0.5)", "0.2*gaussian(y,1)+0.2*gaussian(y,2)+0.2*gaussian(y,3)+0.2*gaussian(y,4)",
        "0.5*gaussian(y,1e-17)+0.2*gaussian(y,1)"}) {
    CAPTURE(other);
    CHECK_FALSE(sum_of(other));
  }
}

TEST_CASE("integers that are no real numbers of their own are compared, and not computed with") {
  constexpr std::int64_t large = (std::int64_t(1) << 53) + 1;
  std::vector<Graph> graphs;
  graphs.push_back(Graph::from_edges("integers", 2, path_edges(2), {}, {{"id", std::vector<std::int64_t>{large}}}));
  graphs.push_back(Graph::from_edges("integer", 2, path_edges(2), {}, {{"id", std::vector<std::int64_t>{large - 1}}}));
  graphs.push_back(Graph::from_edges("reals", 2, path_edges(2), {}, {{"id", std::vector<double>{0.5}}}));

  CHECK(lower(graphs, Expression::parse("delta(id,0.5)"), LabelSite::edge).record_count == 3);
  const std::string message = refusal(graphs, "gaussian(id,3)");
  CHECK(contains(message, "graph 'integers': edge attribute 'id' has the integer 9007199254740993"));
  CHECK(contains(message, "2^53"));
  CHECK(refusal(std::vector<Graph>(graphs.begin() + 1, graphs.end()), "gaussian(id,3)") == "(no error)");
}

TEST_CASE("a vector of zeros is nothing like any other inside normalize") {
  const LoweredKernel kernel =
      lower(with_vectors({{1, 2}, {0, 0}}), Expression::parse("normalize(dot(x))"), LabelSite::edge);
  REQUIRE(kernel.record_count == 2);
  CHECK(kernel.table.at(0) == doctest::Approx(1));
  CHECK(kernel.table.at(1) == 0);
  CHECK(kernel.table.at(3) == 0);
}

TEST_CASE("an element of a set counts once, however often a list holds it") {
  const LoweredKernel kernel =
      lower(with_vectors({{1, 1, 2}, {2, 1}, {2, 3, 3}}), Expression::parse("tanimoto(x)"), LabelSite::edge);
  REQUIRE(kernel.record_count == 2);
  CHECK(kernel.table.at(0) == 1);
  CHECK(kernel.table.at(1) == doctest::Approx(1.0 / 3));
}

TEST_CASE("exponents of powers of powers multiply, and count inside normalize") {
  const std::vector<Graph> graphs = with_vectors({{1, 2}});
  const LoweredKernel whole = lower(graphs, Expression::parse("normalize(power(0.5+delta(y,0.5),2))"), LabelSite::edge);
  CHECK(whole.table.at(0) == doctest::Approx(1));
  CHECK(whole.table.at(1) == doctest::Approx(1 / 2.25));
  const auto rate = [&](const char* edge) {
    return lower(graphs, Expression::parse(edge), LabelSite::edge).program.at(0).parameter;
  };
  CHECK(rate("power(power(gaussian(y,2),4),0.5)") == doctest::Approx(rate("power(gaussian(y,2),2)")));
  CHECK(rate("power(power(delta(y,0.9),2),3)") == doctest::Approx(std::pow(0.9, 6)));
}

TEST_CASE("values that vanish or overflow by rounding are refused, by the reference too") {
  const std::vector<Graph> graphs = with_vectors({{1, 2}, {2, 1}});
  for (const char* edge : {"normalize(1e-200*dot(x)*1e-200)", "normalize(1e200*dot(x)*1e200)"}) {
    CAPTURE(edge);
    CHECK(contains(refusal(graphs, edge), "inside normalize"));
    CHECK(contains(refusal_of_reference(graphs, edge), "inside normalize"));
  }
  CHECK(contains(refusal(graphs, "normalize(1e308*delta(y,0.5)+1e308*gaussian(y,1))"), "inside normalize"));
  CHECK(contains(refusal(graphs, "power(0.5,5000)*delta(y,0.5)"), "a power of a number is 0"));
  CHECK(contains(refusal(graphs, "power(matern(y,1e-10,0.5),1e300)"), "too large"));
}

TEST_CASE("vectors of other lengths and numbers out of their range are refused by graph and attribute") {
  CHECK(contains(refusal(with_vectors({{1, 2}, {1}}), "normalize(dot(x))"), "has 1 numbers; allowed are 2"));
  CHECK(contains(refusal(with_vectors({{}, {1}}), "normalize(dot(x))"), "one or more"));
  for (const double number : {-1.0, 1e-170, 1e16}) {
    CHECK(contains(refusal(with_vectors({{1, number}}), "normalize(dot(x))"),
                   "allowed are 0 and numbers from 1e-15 to 1e+15"));
  }
  CHECK_NOTHROW((void)lower(with_vectors({{1, 2}}), Expression::parse("normalize(1+dot(y))"), LabelSite::edge));
}

TEST_CASE("there is no derivative by a number that is read as a vector") {
  const std::vector<Graph> graphs = with_vectors({{1, 2}});
  const ExactKernel kernel(
      lower(graphs, Expression::parse("0.5*normalize(1+dot(y))+0.5*gaussian(y,1)"), LabelSite::edge), false);
  CHECK(contains(message_of([&] { (void)kernel.slot_of("y"); }), "as a vector"));
}
