// SPDX-License-Identifier: BSD-3-Clause
#include "hard/extended.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <vector>

namespace octile::test {
namespace {

using Real = long double;
using Vector = std::vector<Real>;

template <class Value>
const Value& at(const LabelColumns& columns, const std::string& attribute, std::size_t k) {
  return std::get<std::vector<Value>>(columns.at(attribute))[k];
}

template <class Value>
ExtendedKernel delta_of_vertex(const std::string& attribute, Real h) {
  return [=](const Graph& g, std::size_t k, const Graph& f, std::size_t l) {
    return at<Value>(g.vertex_labels(), attribute, k) == at<Value>(f.vertex_labels(), attribute, l) ? Real(1) : h;
  };
}

Real distance(const Graph& g, std::size_t k, const Graph& f, std::size_t l) {
  return Real(at<double>(g.edge_labels(), "length", k)) - Real(at<double>(f.edge_labels(), "length", l));
}

/// d_i. An isolated vertex never moves: under a probability any degree of its own gives the same K.
Vector degrees(const Graph& graph, const Stopping& stopping) {
  Vector sums(static_cast<std::size_t>(graph.vertex_count()), 0);
  for (const Edge& edge : graph.edges()) {
    sums[static_cast<std::size_t>(edge.i)] += edge.weight;
    sums[static_cast<std::size_t>(edge.j)] += edge.weight;
  }
  const Real q = stopping.q();
  for (Real& sum : sums) {
    if (stopping.meaning() == StoppingMeaning::weight) {
      sum += q;
    } else {
      sum = sum == 0 ? Real(1) : sum / (1 - q);
    }
  }
  return sums;
}

/// An entry of A× ⊙ E×.
struct Entry {
  std::size_t column;
  Real value;
};

/// S x = b scaled from both sides by the root of its diagonal, so that the diagonal is 1.
struct System {
  Vector right;
  Vector root;  ///< of the diagonal
  Vector weights;
  std::vector<std::vector<Entry>> rows;

  System(const Graph& g, const Graph& f, const HardKernel& kernel, const Stopping& stopping) {
    const auto n = static_cast<std::size_t>(g.vertex_count());
    const auto m = static_cast<std::size_t>(f.vertex_count());
    const Vector d = degrees(g, stopping);
    const Vector e = degrees(f, stopping);
    const Real q = stopping.q();
    rows.resize(n * m);
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t k = 0; k < m; ++k) {
        root.push_back(std::sqrt(d[i] * e[k] / kernel.vertex_formula(g, i, f, k)));
        right.push_back(q * q * d[i] * e[k]);
        weights.push_back(Real(g.starting_probability()[i]) * Real(f.starting_probability()[k]));
      }
    }
    const auto add = [&](std::int32_t i, std::int32_t j, std::int32_t k, std::int32_t l, Real value) {
      const std::size_t row = static_cast<std::size_t>(i) * m + static_cast<std::size_t>(k);
      const std::size_t column = static_cast<std::size_t>(j) * m + static_cast<std::size_t>(l);
      rows[row].push_back({column, value / root[row] / root[column]});
    };
    for (std::size_t a = 0; a < g.edge_count(); ++a) {
      for (std::size_t b = 0; b < f.edge_count(); ++b) {
        const Edge& one = g.edges()[a];
        const Edge& other = f.edges()[b];
        const Real value = Real(one.weight) * Real(other.weight) * kernel.edge_formula(g, a, f, b);
        add(one.i, one.j, other.i, other.j, value);
        add(one.j, one.i, other.j, other.i, value);
        add(one.i, one.j, other.j, other.i, value);
        add(one.j, one.i, other.i, other.j, value);
      }
    }
    for (std::size_t row = 0; row < right.size(); ++row) right[row] /= root[row];
  }

  std::size_t size() const { return right.size(); }

  /// S z.
  Vector times(const Vector& z) const {
    Vector product = z;
    for (std::size_t row = 0; row < size(); ++row) {
      for (const Entry& entry : rows[row]) product[row] -= entry.value * z[entry.column];
    }
    return product;
  }

  Vector residual(const Vector& z) const {
    Vector r = times(z);
    for (std::size_t row = 0; row < size(); ++row) r[row] = right[row] - r[row];
    return r;
  }
};

/// Cholesky, for systems of some hundred unknowns.
class Factorization {
 public:
  explicit Factorization(const System& system) : size_(system.size()), l_(size_ * size_, 0) {
    for (std::size_t row = 0; row < size_; ++row) {
      l_[row * size_ + row] = 1;
      for (const Entry& entry : system.rows[row]) l_[row * size_ + entry.column] -= entry.value;
    }
    for (std::size_t j = 0; j < size_; ++j) {
      for (std::size_t i = j; i < size_; ++i) {
        Real sum = l_[i * size_ + j];
        for (std::size_t k = 0; k < j; ++k) sum -= l_[i * size_ + k] * l_[j * size_ + k];
        l_[i * size_ + j] = i == j ? std::sqrt(sum) : sum / l_[j * size_ + j];
      }
    }
  }

  Vector solve(Vector z) const {
    for (std::size_t i = 0; i < size_; ++i) {
      for (std::size_t k = 0; k < i; ++k) z[i] -= l_[i * size_ + k] * z[k];
      z[i] /= l_[i * size_ + i];
    }
    for (std::size_t i = size_; i-- > 0;) {
      for (std::size_t k = i + 1; k < size_; ++k) z[i] -= l_[k * size_ + i] * z[k];
      z[i] /= l_[i * size_ + i];
    }
    return z;
  }

 private:
  std::size_t size_;
  Vector l_;
};

/// The largest |r_k| / b_k.
Real worst(const System& system, const Vector& z) {
  const Vector r = system.residual(z);
  Real most = 0;
  for (std::size_t row = 0; row < r.size(); ++row) {
    const Real share = std::abs(r[row]) / system.right[row];
    if (!(share <= most)) most = share;
  }
  return most;
}

Real dot(const Vector& a, const Vector& b) {
  Real sum = 0;
  for (std::size_t k = 0; k < a.size(); ++k) sum += a[k] * b[k];
  return sum;
}

/// Conjugate gradients, for larger systems.
Vector iterated(const System& system) {
  constexpr int most = 20000;
  Vector z(system.size(), 0);
  Vector r = system.right;
  Vector p = r;
  Real rho = dot(r, r);
  const Real goal = rho * 1e-34L;
  for (int step = 0; step < most && rho > goal; ++step) {
    const Vector a = system.times(p);
    const Real alpha = rho / dot(p, a);
    for (std::size_t k = 0; k < z.size(); ++k) {
      z[k] += alpha * p[k];
      r[k] -= alpha * a[k];
    }
    const Real next = dot(r, r);
    for (std::size_t k = 0; k < z.size(); ++k) p[k] = r[k] + next / rho * p[k];
    rho = next;
  }
  return z;
}

}  // namespace

namespace extended {

ExtendedKernel constant(long double c) {
  return [c](const Graph&, std::size_t, const Graph&, std::size_t) { return c; };
}

ExtendedKernel delta_of_element(long double h) { return delta_of_vertex<std::string>("element", h); }

ExtendedKernel delta_of_kind(long double h) { return delta_of_vertex<std::int64_t>("kind", h); }

ExtendedKernel delta_of_order(long double h) {
  return [=](const Graph& g, std::size_t k, const Graph& f, std::size_t l) {
    return at<std::int64_t>(g.edge_labels(), "order", k) == at<std::int64_t>(f.edge_labels(), "order", l) ? Real(1) : h;
  };
}

ExtendedKernel gaussian_of_length(long double length) {
  return [=](const Graph& g, std::size_t k, const Graph& f, std::size_t l) {
    const Real share = distance(g, k, f, l) / length;
    return std::exp(-share * share / 2);
  };
}

ExtendedKernel wendland_of_length(long double c, long double radius, long double d) {
  return [=](const Graph& g, std::size_t k, const Graph& f, std::size_t l) {
    const Real share = std::abs(distance(g, k, f, l)) / radius;
    const Real left = std::max(1 - share, Real(0));
    return c * left * left * left * left * (4 * share + 1) + d;
  };
}

}  // namespace extended

ExtendedValue extended_value(const Graph& first, const Graph& second, const HardKernel& kernel,
                             const Stopping& stopping) {
  constexpr std::size_t most_factorized = 700;
  constexpr int most_refined = 4;
  const System system(first, second, kernel, stopping);
  Vector z;
  if (system.size() <= most_factorized) {
    const Factorization factorization(system);
    z = factorization.solve(system.right);
    for (int step = 0; step < most_refined; ++step) {
      const Vector more = factorization.solve(system.residual(z));
      for (std::size_t k = 0; k < z.size(); ++k) z[k] += more[k];
    }
  } else {
    z = iterated(system);
  }
  const Real known = worst(system, z);
  if (!(known <= 1e-7L)) throw std::runtime_error("the judge does not know K of " + first.name());
  Real value = 0;
  for (std::size_t k = 0; k < z.size(); ++k) value += system.weights[k] * z[k] / system.root[k];
  // The sums above round, each by some 2^-64.
  return {value, known + 1e-17L};
}

}  // namespace octile::test
