// SPDX-License-Identifier: BSD-3-Clause
#include "common/kernels.hpp"

#include <cmath>
#include <variant>

namespace octile::test {
namespace {

template <class Value>
const Value& at(const LabelColumns& columns, const std::string& attribute, std::size_t k) {
  return std::get<std::vector<Value>>(columns.at(attribute))[k];
}

/// κ over one vertex label of type `Value`.
template <class Value, class Function>
BaseKernel on_vertex(std::string attribute, Function function) {
  return [=](const Graph& g, std::size_t k, const Graph& h, std::size_t l) -> double {
    return function(at<Value>(g.vertex_labels(), attribute, k), at<Value>(h.vertex_labels(), attribute, l));
  };
}

/// κ over one edge label of type `Value`.
template <class Value, class Function>
BaseKernel on_edge(std::string attribute, Function function) {
  return [=](const Graph& g, std::size_t k, const Graph& h, std::size_t l) -> double {
    return function(at<Value>(g.edge_labels(), attribute, k), at<Value>(h.edge_labels(), attribute, l));
  };
}

BaseKernel constant(double c) {
  return [c](const Graph&, std::size_t, const Graph&, std::size_t) { return c; };
}

BaseKernel times(double c, const BaseKernel& kernel) {
  return [=](const Graph& g, std::size_t k, const Graph& h, std::size_t l) { return c * kernel(g, k, h, l); };
}

BaseKernel product(const BaseKernel& a, const BaseKernel& b) {
  return [=](const Graph& g, std::size_t k, const Graph& h, std::size_t l) { return a(g, k, h, l) * b(g, k, h, l); };
}

BaseKernel sum(const BaseKernel& a, const BaseKernel& b) {
  return [=](const Graph& g, std::size_t k, const Graph& h, std::size_t l) { return a(g, k, h, l) + b(g, k, h, l); };
}

auto delta(double h) {
  return [h](const auto& x, const auto& y) { return x == y ? 1.0 : h; };
}

auto gaussian(double length) {
  return [length](double x, double y) { return std::exp(-0.5 * ((x - y) / length) * ((x - y) / length)); };
}

/// Wendland's functions for d = 3, as in his book's table: (1−r)₊², (1−r)₊⁴(4r+1), (1−r)₊⁶(35r²+18r+3)/3,
/// (1−r)₊⁸(32r³+25r²+8r+1).
auto wendland3(double radius, int k) {
  return [radius, k](double x, double y) {
    const double r = std::abs(x - y) / radius;
    if (r > 1) return 0.0;
    const double s = 1 - r;
    if (k == 0) return s * s;
    if (k == 1) return s * s * s * s * (4 * r + 1);
    if (k == 2) return std::pow(s, 6) * (35 * r * r + 18 * r + 3) / 3;
    return std::pow(s, 8) * (32 * r * r * r + 25 * r * r + 8 * r + 1);
  };
}

/// Wendland's function for d = 1, k = 1: (1−r)₊³(3r+1).
double wendland_one_dimension(double x, double y) {
  const double r = std::abs(x - y);
  return r > 1 ? 0.0 : (1 - r) * (1 - r) * (1 - r) * (3 * r + 1);
}

/// The mean of `inner` over all pairs of elements, 0 where there are none.
template <class Inner>
auto mean(Inner inner) {
  return [inner](const auto& x, const auto& y) {
    double total = 0;
    for (const auto& a : x) {
      for (const auto& b : y) total += inner(a, b);
    }
    return x.empty() || y.empty() ? 0.0 : total / (static_cast<double>(x.size()) * static_cast<double>(y.size()));
  };
}

}  // namespace

KernelCase unlabelled() { return {"unlabelled", "1", "1", constant(1), constant(1)}; }

std::vector<KernelCase> kernel_cases() {
  const BaseKernel one = constant(1);
  using Text = std::string;
  using Integer = std::int64_t;
  std::vector<KernelCase> cases{
      unlabelled(),
      {"scaled constants", "0.5", "0.75", constant(0.5), constant(0.75)},
      {"delta of integers", "1", "delta(order, 0.3)", one, on_edge<Integer>("order", delta(0.3))},
      {"delta of texts", "delta(element, 0.2)", "delta(bond, 0)", on_vertex<Text>("element", delta(0.2)),
       on_edge<Text>("bond", delta(0))},
      {"delta of reals", "delta(charge, 0.5)", "delta(length, 0.5)", on_vertex<double>("charge", delta(0.5)),
       on_edge<double>("length", delta(0.5))},
      {"vertex labels only", "delta(kind, 0.5)", "1", on_vertex<Integer>("kind", delta(0.5)), one},
      {"gaussian", "1", "gaussian(length, 0.3)", one, on_edge<double>("length", gaussian(0.3))},
      {"gaussian of integers", "gaussian(kind, 1.5)", "gaussian(order, 0.8)", on_vertex<Integer>("kind", gaussian(1.5)),
       on_edge<Integer>("order", gaussian(0.8))},
      {"gaussian of vertices", "gaussian(charge, 0.4)", "gaussian(length, 1)",
       on_vertex<double>("charge", gaussian(0.4)), on_edge<double>("length", gaussian(1))},
      {"wendland by default", "1", "wendland(length, 0.7)", one, on_edge<double>("length", wendland3(0.7, 1))},
      {"wendland in one dimension", "1", "wendland(length, 1, 1, 1)", one,
       on_edge<double>("length", wendland_one_dimension)},
      {"product", "delta(element, 0.2) * gaussian(charge, 0.5)", "delta(bond, 0.4) * gaussian(length, 0.5)",
       product(on_vertex<Text>("element", delta(0.2)), on_vertex<double>("charge", gaussian(0.5))),
       product(on_edge<Text>("bond", delta(0.4)), on_edge<double>("length", gaussian(0.5)))},
      {"sum", "0.25 + 0.75 * delta(kind, 0)", "0.5 * gaussian(length, 0.2) + 0.5 * wendland(length, 0.4, 2)",
       sum(constant(0.25), times(0.75, on_vertex<Integer>("kind", delta(0)))),
       sum(times(0.5, on_edge<double>("length", gaussian(0.2))),
           times(0.5, on_edge<double>("length", wendland3(0.4, 2))))},
      {"convolution", "convolution(tags, delta(_, 0.3))", "convolution(parts, gaussian(_, 0.5))",
       on_vertex<TextList>("tags", mean(delta(0.3))), on_edge<RealList>("parts", mean(gaussian(0.5)))},
      {"convolution in a sum", "0.5 + 0.5 * convolution(sizes, wendland(_, 1, 0))",
       "(0.4 + 0.6 * convolution(words, delta(_, 0.1))) * delta(order, 0.6)",
       sum(constant(0.5), times(0.5, on_vertex<RealList>("sizes", mean(wendland3(1, 0))))),
       product(sum(constant(0.4), times(0.6, on_edge<TextList>("words", mean(delta(0.1))))),
               on_edge<Integer>("order", delta(0.6)))},
  };
  for (int k = 0; k <= 3; ++k) {
    cases.push_back({"wendland " + std::to_string(k), "1", "wendland(length, 0.7, " + std::to_string(k) + ", 3)", one,
                     on_edge<double>("length", wendland3(0.7, k))});
  }
  return cases;
}

std::vector<Stopping> stoppings() {
  std::vector<Stopping> all;
  for (const StoppingMeaning meaning : {StoppingMeaning::weight, StoppingMeaning::probability}) {
    for (const double q : {0.5, 0.05, 0.0005}) all.emplace_back(meaning, q);
  }
  return all;
}

}  // namespace octile::test
