// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/certify/certificate.hpp>
#include <octile/certify/certified_rows.hpp>
#include <octile/certify/exact_factors.hpp>
#include <octile/certify/exact_kernel.hpp>
#include <octile/graph.hpp>
#include <octile/problem.hpp>
#include <octile/solve.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace octile {

/// Trial solutions of a pair's two systems, S x = b and S y = p×: n·m values each, row major. Values below 0 are set to 0,
/// which brings them nearer. y may be empty.
struct Trial {
  std::span<double> x;
  std::span<double> y{};
};

/// The vertices and edges of a set, graph after graph, as an `ExactSet` reads them.
struct ExactGraphs {
  struct Ends {
    std::int32_t i;
    std::int32_t j;
  };

  std::vector<std::size_t> vertex_begin{0};  ///< graphs + 1
  std::vector<std::size_t> edge_begin{0};    ///< graphs + 1
  std::vector<double> degrees;               ///< d_i
  std::vector<double> starting;              ///< p_i
  std::vector<double> inverse_degrees;       ///< 1 / d_i
  std::vector<double> inverse_starting;      ///< 1 / p_i, infinite where p_i is 0
  std::vector<std::int32_t> neighbours;      ///< edges of a vertex
  std::vector<Ends> ends;                    ///< of an edge, in the vertices of its graph
  std::vector<double> weights;
  std::vector<double> start_over_degree;  ///< by graph: p_i / d_i where it is the same for all i, else 0
};

/// Derivatives of K by what one graph of a pair holds. Numbers are added to.
struct GraphSlopes {
  std::span<double> starting;        ///< by p_i: one a vertex
  std::span<double> edge_weights;    ///< by A_ij = A_ji: one an edge
  std::span<double> edge_numbers{};  ///< by a number that the edge kernel reads: one an edge, or empty
};

/// The memory of a thread that evaluates pairs.
class EvaluationSpace {
 private:
  friend class ExactSet;

  std::vector<double> product_x_;  ///< N x
  std::vector<double> product_y_;  ///< N y
  std::vector<double> kappa_;      ///< a row of κe, or of κv
  std::vector<double> counted_;    ///< a row of M⁻¹ N x, then one of M⁻¹ N y
  std::vector<double> slope_;
  std::vector<double> moments_;  ///< of the edges of the second graph with one edge of the first
  std::vector<double> work_;     ///< of a product by factors
};

/// A set of graphs on the host in double, as it was given: neither rounded nor lowered. It tells how wrong a value is that
/// some solver found, and forms gradients: one walk over the pairs of edges of two graphs, each pair of edges once, gives all
/// that takes κe. With x and y
///
///     r = b − M x + N x,   s = p× − M y + N y       the residuals, of which the certificate is made
///     ∂K/∂θ = yᵀ (∂b/∂θ − ∂S/∂θ x)                   the gradient (docs/mathematics.md)
///
/// Where no gradient is asked for, N x and N y are formed by factors of κe if that is cheaper and exact enough (`ExactFactors`).
///
/// Cost: about 10 ns for each pair of edges on one core, with a cheap κe, or 0.2 ns for each product with a factor.
class ExactSet {
 public:
  /// With `gradients`, what they need is tabulated too. `allowed` is what factors may leave unknown. Throws `Error` as `lower` does.
  ExactSet(std::span<const Graph> graphs, const KernelSpec& kernel, bool gradients,
           const UnknownByFactors& allowed = {});

  /// How many parameters the kernel has (`parameters`).
  std::size_t parameter_count() const { return vertex_.parameter_count() + edge_.parameter_count() + 1; }

  /// Whether p is proportional to d in both graphs, so that y is proportional to x, and the factor: y = factor · x. 0 if not.
  double adjoint_factor(Pair pair) const;

  /// Whether no p is 0. Where one is, s / p has no bound, and the bound of a value is that by largest rows of x.
  bool starts_everywhere() const;

  /// K of a pair and a bound of its relative error. If `gradient` is not empty it receives ∂K/∂θ of every parameter, which
  /// takes y, and whose relative error is about that of x and y.
  Evaluation evaluate(Pair pair, const Trial& trial, EvaluationSpace& space, std::span<double> gradient = {}) const;

  /// Derivatives of Σ_ii' w_ii' x_ii' of a pair by every parameter, from a solution x that `evaluate` has seen and n·m weights w of any
  /// sign; with a shortest walk of 1, of Σ w (x − q² κv). This solves S Y = w in double, once for all parameters. Returns what the
  /// derivatives are off by, about, relative to Σ |w| x / parameter; infinite where nothing is known.
  double node_slopes(Pair pair, std::span<double> x, std::span<const double> node_weights, EvaluationSpace& space,
                     std::span<double> gradient) const;

  /// Adds ∂K by what both graphs hold, from solutions that `evaluate` has seen. `slot` is that of the edge kernel's number, if
  /// there is room for derivatives by it. Both may be one graph's: then K's whole derivative is added.
  ///
  ///     ∂K/∂p_i = Σ p'_i' (x_ii' − [q² κv])                                           [ ] with a shortest walk of 1
  ///     ∂K/∂A_ij = c (g_i + g_j) + Σ A' κe m,   g_i = −Σ_i' y_ii' (N x)_ii' / d_i          c = 1/(1 − q) or 1
  ///
  /// with the sum over edges e' and m the moment of both edges (exact_set.cpp).
  void add_graph_slopes(Pair pair, std::span<const double> x, std::span<const double> y, std::int32_t slot,
                        const GraphSlopes& first, const GraphSlopes& second) const;

  /// x_ii' − q² κv(i, i'): takes the walks of no step from the solution of the pair that `space` was last used for. Returns by how much more
  /// than x each may be off, relative to itself: what forming it rounds.
  double take_walks_of_no_step(Pair pair, const EvaluationSpace& space, std::span<double> x) const;

  const ExactGraphs& graphs() const { return graphs_; }
  const ExactKernel& vertex_kernel() const { return vertex_; }
  const ExactKernel& edge_kernel() const { return edge_; }
  const Stopping& stopping() const { return stopping_; }
  int shortest_walk() const { return shortest_walk_; }
  /// How the rows of the systems round where a walk over the pairs of edges forms N x, not factors.
  const SystemRounding& rounding() const { return rounding_; }
  bool by_factors() const { return factors_.given(); }
  /// Factors with which a device may form residuals, at most so many; none where they are not allowed, or do not suffice.
  std::optional<FactorsOfRows> factors_on_device(std::size_t most) const;
  /// Whether what derivatives need is tabulated.
  bool differentiates() const { return differentiates_; }

 private:
  struct Part {
    int n;
    std::size_t first;                        ///< of its vertices in the arrays of all graphs
    std::span<const std::uint32_t> vertices;  ///< records
    std::span<const std::uint32_t> edges;     ///< records
    std::size_t first_edge;
  };
  Part part(std::int32_t graph) const;
  VerticesOfRows rows_of(const Part& part) const;
  /// The sums of a pair's rows, from N x and N y.
  CertificateSums sums_of(const Part& first, const Part& second, const Trial& trial, const SystemRounding& rounding,
                          EvaluationSpace& space) const;
  /// The sums of a pair's rows, one after the other, where gradients are asked for.
  CertificateSums sums_in_turn(const Part& first, const Part& second, const Trial& trial, EvaluationSpace& space) const;
  /// Adds to `gradient` the derivatives by vertex parameters and by q of p×ᵀ x, or of the sum of x with other weights if `weights` has
  /// any, from both solutions and their products.
  void add_row_slopes(const Part& first, const Part& second, const Trial& trial, std::span<const double> weights,
                      EvaluationSpace& space, std::span<double> gradient) const;
  /// `product` is N x, as `add_edge_slopes` leaves it.
  void add_vertex_slopes(const Part& first, const Part& second, std::span<const double> x, std::span<const double> y,
                         std::span<const double> product, std::span<double> of_degrees,
                         std::span<double> of_degrees_second, const GraphSlopes& slopes,
                         const GraphSlopes& slopes_second) const;
  void add_edge_slopes(const Part& first, const Part& second, std::span<const double> x, std::span<const double> y,
                       std::int32_t slot, std::span<double> product, const GraphSlopes& slopes,
                       const GraphSlopes& slopes_second) const;
  /// N x and N y, and of each edge parameter its derivative of K.
  template <bool TwoSides, bool Gradient>
  void walk(const Part& first, const Part& second, const Trial& trial, EvaluationSpace& space,
            std::span<double> gradient) const;

  ExactKernel vertex_;
  ExactKernel edge_;
  Stopping stopping_;
  int shortest_walk_;
  ExactGraphs graphs_;
  SystemRounding rounding_;
  UnknownByFactors allowed_;
  double amplification_;
  double rounding_of_steps_ = 0;  ///< relative, of a term of M⁻¹ N x
  double spread_of_pairs_ = 1;    ///< the most by which p× / d× of a pair's rows differ
  ExactFactors factors_;
  bool differentiates_;
};

}  // namespace octile
