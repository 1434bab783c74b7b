// SPDX-License-Identifier: BSD-3-Clause
#include "common/kernels.hpp"

#include <cmath>
#include <numbers>
#include <numeric>
#include <set>
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

BaseKernel normalized(const BaseKernel& kernel) {
  return [=](const Graph& g, std::size_t k, const Graph& h, std::size_t l) {
    const double both = std::sqrt(kernel(g, k, g, k) * kernel(h, l, h, l));
    return both == 0 ? 0.0 : kernel(g, k, h, l) / both;
  };
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

/// α = 2: 1 / (1 + r²/4)² of r = (x − y)/length.
auto rational_of_two(double length) {
  return [length](double x, double y) {
    const double r = (x - y) / length;
    return 1 / ((1 + r * r / 4) * (1 + r * r / 4));
  };
}

/// α = 1/2: 1 / √(1 + r²).
auto rational_of_half(double length) {
  return [length](double x, double y) { return 1 / std::hypot(1.0, (x - y) / length); };
}

/// Matérn's function with ν = 3/2, of s = √3 |x − y| / length.
auto matern_three_halves(double length) {
  return [length](double x, double y) {
    const double s = std::sqrt(3.0) * std::abs(x - y) / length;
    return std::exp(-s) + s * std::exp(-s);
  };
}

/// With ν = 5/2, of s = √5 |x − y| / length.
auto matern_five_halves(double length) {
  return [length](double x, double y) {
    const double s = std::sqrt(5.0) * std::abs(x - y) / length;
    return std::exp(-s) * (3 + 3 * s + s * s) / 3;
  };
}

/// A Gaussian of the chord between two points of a unit circle, x/period and y/period turns around.
auto periodic(double length, double period) {
  return [length, period](double x, double y) {
    const double turn = 2 * std::numbers::pi / period;
    const double chord = std::hypot(std::cos(turn * x) - std::cos(turn * y), std::sin(turn * x) - std::sin(turn * y));
    return std::exp(-0.5 * (chord / length) * (chord / length));
  };
}

double dot(const RealList& x, const RealList& y) { return std::inner_product(x.begin(), x.end(), y.begin(), 0.0); }

/// Shared elements of those in any of two lists, of which some stand twice.
double tanimoto(const TextList& x, const TextList& y) {
  const std::set<std::string> left(x.begin(), x.end());
  const std::set<std::string> right(y.begin(), y.end());
  double shared = 0;
  for (const std::string& text : left) shared += static_cast<double>(right.count(text));
  const double all = static_cast<double>(left.size() + right.size()) - shared;
  return all == 0 ? 1 : shared / all;
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
      {"wendland by default", "1", "wendland(length, 0.7)", one, on_edge<double>("length", wendland3(0.7, 1)), true},
      {"wendland in one dimension", "1", "wendland(length, 1, 1, 1)", one,
       on_edge<double>("length", wendland_one_dimension), true},
      {"product", "delta(element, 0.2) * gaussian(charge, 0.5)", "delta(bond, 0.4) * gaussian(length, 0.5)",
       product(on_vertex<Text>("element", delta(0.2)), on_vertex<double>("charge", gaussian(0.5))),
       product(on_edge<Text>("bond", delta(0.4)), on_edge<double>("length", gaussian(0.5)))},
      {"sum", "0.25 + 0.75 * delta(kind, 0)", "0.5 * gaussian(length, 0.2) + 0.5 * wendland(length, 0.4, 2)",
       sum(constant(0.25), times(0.75, on_vertex<Integer>("kind", delta(0)))),
       sum(times(0.5, on_edge<double>("length", gaussian(0.2))),
           times(0.5, on_edge<double>("length", wendland3(0.4, 2)))),
       true},
      {"sum of gaussians, some alike", "0.3 * delta(kind, 0.5) + 0.2 * delta(kind, 0.5)",
       "0.1 + 0.4 * gaussian(length, 0.3) + 0.2 * gaussian(length, 0.9) + 0.2 * gaussian(length, 0.9)",
       times(0.5, on_vertex<Integer>("kind", delta(0.5))),
       sum(constant(0.1), sum(times(0.4, on_edge<double>("length", gaussian(0.3))),
                              times(0.4, on_edge<double>("length", gaussian(0.9)))))},
      {"convolution", "convolution(tags, delta(_, 0.3))", "convolution(parts, gaussian(_, 0.5))",
       on_vertex<TextList>("tags", mean(delta(0.3))), on_edge<RealList>("parts", mean(gaussian(0.5)))},
      {"convolution in a sum", "0.5 + 0.5 * convolution(sizes, wendland(_, 1, 0))",
       "(0.4 + 0.6 * convolution(words, delta(_, 0.1))) * delta(order, 0.6)",
       sum(constant(0.5), times(0.5, on_vertex<RealList>("sizes", mean(wendland3(1, 0))))),
       product(sum(constant(0.4), times(0.6, on_edge<TextList>("words", mean(delta(0.1))))),
               on_edge<Integer>("order", delta(0.6)))},
      // A length of 0.4 takes more factors, and what their rounding leaves shows at q = 0.0005.
      {"rational", "rational(charge, 0.6, 0.5)", "rational(length, 1, 2)",
       on_vertex<double>("charge", rational_of_half(0.6)), on_edge<double>("length", rational_of_two(1))},
      {"periodic", "periodic(charge, 1.5, 0.8)", "periodic(length, 1, 0.6)",
       on_vertex<double>("charge", periodic(1.5, 0.8)), on_edge<double>("length", periodic(1, 0.6))},
      {"matern 1/2", "1", "matern(length, 0.5, 0.5)", one,
       on_edge<double>("length", [](double x, double y) { return std::exp(-2 * std::abs(x - y)); }), true},
      {"matern 3/2 and 5/2", "matern(charge, 0.4, 1.5)", "matern(length, 0.7, 2.5)",
       on_vertex<double>("charge", matern_three_halves(0.4)), on_edge<double>("length", matern_five_halves(0.7)), true},
      {"normalised sums", "normalize(2 * delta(element, 0.2) + 3 * gaussian(charge, 0.5))",
       "normalize(4 * delta(order, 0.3) + gaussian(length, 0.6)) * 0.9",
       sum(times(0.4, on_vertex<Text>("element", delta(0.2))), times(0.6, on_vertex<double>("charge", gaussian(0.5)))),
       times(0.9, sum(times(0.8, on_edge<Integer>("order", delta(0.3))),
                      times(0.2, on_edge<double>("length", gaussian(0.6)))))},
      {"normalised lists", "normalize(convolution(tags, delta(_, 0.3)))",
       "normalize(0.5 + convolution(parts, gaussian(_, 0.5))) * delta(bond, 0.4)",
       normalized(on_vertex<TextList>("tags", mean(delta(0.3)))),
       product(normalized(sum(constant(0.5), on_edge<RealList>("parts", mean(gaussian(0.5))))),
               on_edge<Text>("bond", delta(0.4)))},
      {"vectors and sets", "normalize(1 + 2 * dot(point)) * (0.5 + 0.5 * tanimoto(tags))",
       "normalize(0.2 + dot(profile)) * (0.5 + 0.5 * tanimoto(words))",
       product(normalized(sum(constant(1), times(2, on_vertex<RealList>("point", dot)))),
               sum(constant(0.5), times(0.5, on_vertex<TextList>("tags", tanimoto)))),
       product(normalized(sum(constant(0.2), on_edge<RealList>("profile", dot))),
               sum(constant(0.5), times(0.5, on_edge<TextList>("words", tanimoto))))},
      {"powers", "power(delta(element, 0.6) * rational(charge, 0.8, 0.25), 2) * power(0.9, 2)",
       "power(0.5 + 0.5 * gaussian(length, 0.6), 3) * power(delta(order, 0.25), 0.5)",
       times(0.81, product(on_vertex<Text>("element", delta(0.36)),
                           on_vertex<double>("charge", rational_of_half(0.8 / std::numbers::sqrt2)))),
       product(
           on_edge<double>("length", [](double x, double y) { return std::pow(0.5 + 0.5 * gaussian(0.6)(x, y), 3); }),
           on_edge<Integer>("order", delta(0.5)))},
  };
  for (int k = 0; k <= 3; ++k) {
    cases.push_back({"wendland " + std::to_string(k), "1", "wendland(length, 0.7, " + std::to_string(k) + ", 3)", one,
                     on_edge<double>("length", wendland3(0.7, k)), true});
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
