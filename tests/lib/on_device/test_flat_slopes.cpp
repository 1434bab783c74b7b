// SPDX-License-Identifier: BSD-3-Clause
// Derivatives by all parameters in one run of a program, or by the products that it is the sum of, against a run for each of them.
#include <octile/certify/exact_kernel.hpp>
#include <octile/kernels/lowering.hpp>
#include <octile/kernels/terms.hpp>
#include <octile/on_device/flat_slopes.hpp>
#include <octile/on_device/term_slopes.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include "common/graphs.hpp"
#include "common/kernels.hpp"

using namespace octile;
using namespace octile::detail;
using namespace octile::test;

namespace {

/// Values of all functions of two records, `at_once` at a time.
template <int at_once, class Real>
std::vector<double> in_one_run(const std::vector<FlatStep>& steps, const RecordPointers& labels,
                               const std::vector<ProgramParameter>& parameters, std::uint32_t a, std::uint32_t b) {
  FlatSlopes<at_once> functions{steps.data(), static_cast<int>(steps.size()), labels, parameters.data()};
  std::vector<double> all;
  for (; functions.first < static_cast<int>(parameters.size()); functions.first += at_once) {
    double values[at_once];
    functions.template evaluate<Real>({0, a}, {0, b}, values);
    all.insert(all.end(), values, values + at_once);
  }
  all.resize(parameters.size());
  return all;
}

/// All functions of two records by the sums of products.
template <int terms, int columns, class Real>
std::vector<double> by_terms(const KernelTerms& of, const RecordPointers& labels, std::uint32_t a, std::uint32_t b) {
  using Functions = TermSlopes<terms, columns, false>;
  const Functions functions(of, labels, of.share_begin.data(), of.shares.data());
  double values[Functions::at_once];
  functions.template evaluate<Real>({0, a}, {0, b}, values);
  std::vector<double> all;
  for (std::size_t t = 0; t + 1 < of.share_begin.size(); ++t)
    all.push_back(functions.function(static_cast<int>(t), values));
  return all;
}
template <class Real>
std::vector<double> by_terms(const KernelTerms& of, const RecordPointers& labels, std::uint32_t a, std::uint32_t b) {
  if (of.slots.size() <= 1) return by_terms<most_kernel_terms, 1, Real>(of, labels, a, b);
  if (of.slots.size() == 2) return by_terms<most_kernel_terms, 2, Real>(of, labels, a, b);
  return by_terms<few_kernel_terms, most_kernel_columns, Real>(of, labels, a, b);
}

/// Checks the sums of products of a kernel of edges; returns whether it has few.
bool check_terms(const char* text, const std::vector<Graph>& graphs) {
  CAPTURE(std::string(text));
  const LoweredKernel lowered = lower(graphs, Expression::parse(text), LabelSite::edge);
  const std::vector<ProgramParameter> parameters = program_parameters(lowered.exact);
  const auto terms = kernel_terms(lowered.exact, parameters);
  if (!terms) return false;
  REQUIRE(terms->share_begin.size() == parameters.size() + 2);
  const RecordPointers labels{lowered.records.data(), lowered.list_begin.data(), lowered.list_values.data(),
                              lowered.slots};
  const auto count = static_cast<int>(lowered.exact.size());
  const auto records = static_cast<std::uint32_t>(std::min<std::size_t>(lowered.record_count, 8));
  for (std::uint32_t a = 0; a < records; ++a) {
    for (std::uint32_t b = 0; b < records; ++b) {
      CAPTURE(a);
      CAPTURE(b);
      const auto exact = by_terms<double>(*terms, labels, a, b);
      const auto rough = by_terms<float>(*terms, labels, a, b);
      for (std::size_t t = 0; t <= parameters.size(); ++t) {
        CAPTURE(t);
        // No instruction is that behind the last: κ alone.
        const ProgramParameter by = t == 0 ? ProgramParameter{count, 0} : parameters[t - 1];
        const Slope<double> found = run_program_slope(lowered.exact.data(), count, labels, a, b, by);
        const double expected = t == 0 ? found.value : found.slope;
        CHECK(std::abs(exact[t] - expected) <= 1e-13 * (1 + std::abs(expected)));
        CHECK(std::abs(rough[t] - expected) <= 2e-5 * (1 + std::abs(expected)));
      }
    }
  }
  return true;
}

/// Checks a kernel of edges; returns whether it is flat.
bool check_kernel(const char* text, const std::vector<Graph>& graphs) {
  CAPTURE(std::string(text));
  const LoweredKernel lowered = lower(graphs, Expression::parse(text), LabelSite::edge);
  const std::vector<ProgramParameter> of_program = program_parameters(lowered.exact);
  const std::vector<FlatStep> steps = flat_steps(lowered.exact, of_program);
  if (steps.empty()) return false;
  const RecordPointers labels{lowered.records.data(), lowered.list_begin.data(), lowered.list_values.data(),
                              lowered.slots};
  const auto count = static_cast<int>(lowered.exact.size());
  std::vector<ProgramParameter> parameters{{static_cast<std::int32_t>(count), 0}};  // of κ itself: no instruction
  parameters.insert(parameters.end(), of_program.begin(), of_program.end());
  const auto records = static_cast<std::uint32_t>(std::min<std::size_t>(lowered.record_count, 8));
  for (std::uint32_t a = 0; a < records; ++a) {
    for (std::uint32_t b = 0; b < records; ++b) {
      CAPTURE(a);
      CAPTURE(b);
      const auto eight = in_one_run<8, double>(steps, labels, parameters, a, b);
      const auto sixteen = in_one_run<16, double>(steps, labels, parameters, a, b);
      const auto rough = in_one_run<16, float>(steps, labels, parameters, a, b);
      for (std::size_t t = 0; t < parameters.size(); ++t) {
        CAPTURE(t);
        const Slope<double> found = run_program_slope(lowered.exact.data(), count, labels, a, b, parameters[t]);
        const double expected = t == 0 ? found.value : found.slope;
        CHECK(std::abs(eight[t] - expected) <= 1e-13 * (1 + std::abs(expected)));
        CHECK(sixteen[t] == eight[t]);
        CHECK(std::abs(rough[t] - expected) <= 2e-5 * (1 + std::abs(expected)));
      }
    }
  }
  return true;
}

}  // namespace

TEST_CASE("one run forward and one backward give the derivatives by every parameter") {
  const std::vector<Graph> graphs{random_graph(9, 0.4, 1), random_graph(7, 0.5, 2)};
  for (const char* text :
       {"gaussian(length,0.3)", "0.3*delta(order,0.3)+0.6*rational(length,0.4,2)",
        "matern(length,0.4,1.5)*periodic(length,0.9,1.7)", "power(0.3*delta(order,0.3)+0.6*wendland(length,0.9,2),2)",
        "0.2+0.2*gaussian(length,0.1)+0.3*gaussian(length,0.3)*delta(order,0.4)+0.3*gaussian(length,0.9)*delta(order,0."
        "6)",
        "(0.1+0.2*gaussian(length,0.1))*(0.3+0.4*gaussian(length,0.3))*(0.1+0.5*gaussian(length,0.5))*(0.4+0.5*delta("
        "order,0.2))*(0.7+0.2*rational(length,1,2))"}) {
    CHECK(check_kernel(text, graphs));
  }
}

TEST_CASE("a program with a part that is run for itself, or with very many instructions, is not flat") {
  const std::vector<Graph> graphs{random_graph(9, 0.4, 1), random_graph(7, 0.5, 2)};
  CHECK_FALSE(check_kernel("convolution(parts,gaussian(_,0.5))", graphs));
  CHECK_FALSE(check_kernel("normalize(0.2+0.5*gaussian(length,0.5))", graphs));
  std::string text = "0.01*gaussian(length,1)";
  for (int k = 2; k < 12; ++k) text += "+0.01*gaussian(length," + std::to_string(k) + ")";
  CHECK_FALSE(check_kernel(text.c_str(), graphs));
}

TEST_CASE("sums over products of leaves give the derivatives by every parameter") {
  const std::vector<Graph> graphs{random_graph(9, 0.4, 1), random_graph(7, 0.5, 2)};
  for (const char* text :
       {"gaussian(length,0.3)", "0.3*gaussian(length,0.3)+0.4*gaussian(length,0.9)+0.2*matern(length,0.4,1.5)",
        "0.3*delta(order,0.3)+0.6*matern(length,0.9,2.5)", "gaussian(length,0.3)*gaussian(length,0.9)+0.1",
        "(0.1+0.2*gaussian(length,0.1))*(0.3+0.4*delta(order,0.3))", "2*3*gaussian(length,0.3)*0.1*delta(order,0.5)",
        "gaussian(length,0.3)*delta(order,0.4)*matern(length,2,0.5)*gaussian(length,5)+0.3*delta(order,0.1)",
        "gaussian(length,1e-30)+gaussian(length,1e29)*matern(length,2e-29,1.5)"}) {
    CHECK(check_terms(text, graphs));
  }
}

TEST_CASE("kernels that are no sum of few products of leaves with a parameter each are recognised") {
  const std::vector<Graph> graphs{random_graph(9, 0.4, 1), random_graph(7, 0.5, 2)};
  for (const char* text :
       {"0.3", "rational(length,0.4,2)", "0.3*wendland(length,0.9,2)", "0.2+0.3*gaussian(length,1e-40)",
        "0.2+0.3*matern(length,1e40,0.5)", "power(0.3*delta(order,0.3)+0.6*wendland(length,0.9,2),2)",
        "convolution(parts,gaussian(_,0.5))", "normalize(0.2+0.5*gaussian(length,0.5))",
        // Five terms; three of three columns; five columns.
        "0.1+0.1*gaussian(length,1)+0.1*gaussian(length,2)+0.1*gaussian(length,3)+0.1*gaussian(length,4)",
        "0.1+0.1*gaussian(length,1)+0.1*gaussian(length,2)*gaussian(length,3)*gaussian(length,4)",
        "gaussian(length,1)*gaussian(length,2)*gaussian(length,3)*gaussian(length,4)*gaussian(length,5)"}) {
    CHECK_FALSE(check_terms(text, graphs));
  }
}
