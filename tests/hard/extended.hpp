// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <string>

#include <octile/graph.hpp>
#include <octile/stopping.hpp>

/// K in extended precision: the judge of hard graphs. It shares no code with what it judges but `Graph`.
namespace octile::test {

/// κ between element k of the first graph and l of the second, vertices or edges.
using ExtendedKernel = std::function<long double(const Graph&, std::size_t k, const Graph&, std::size_t l)>;

/// The kernels that are written in formulas.
namespace extended {
ExtendedKernel constant(long double c);
ExtendedKernel delta_of_element(long double h);  ///< of vertices
ExtendedKernel delta_of_kind(long double h);     ///< of vertices
ExtendedKernel delta_of_order(long double h);    ///< of edges
ExtendedKernel gaussian_of_length(long double length);
/// c times Wendland's function of degree 1 in 3 dimensions, plus d.
ExtendedKernel wendland_of_length(long double c, long double radius, long double d);
}  // namespace extended

/// A kernel as text, and the same as formulas.
struct HardKernel {
  std::string vertex;
  std::string edge;
  ExtendedKernel vertex_formula;
  ExtendedKernel edge_formula;
};

/// K, and by which relative error it may be off by the certificate of an M-matrix.
struct ExtendedValue {
  long double value;
  long double known;
};

/// K of a pair. Throws `std::runtime_error` unless it is known to 1e-7.
ExtendedValue extended_value(const Graph& first, const Graph& second, const HardKernel& kernel,
                             const Stopping& stopping);

}  // namespace octile::test
