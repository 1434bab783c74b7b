// SPDX-License-Identifier: BSD-3-Clause
//
// A Gaussian process of molecules whose Gram matrix no process holds: each solves and keeps tiles of it, and what training and
// prediction need are products K V (conjugate gradients) and derivatives of Lᵀ K R (the likelihood's, with random probes).
//
//     OMP_NUM_THREADS=8 mpirun -n 2 --bind-to none train_gp Lipophilicity.csv exp 1000 5
//
// takes the first 1,000 molecules, learns the kernel's numbers and the noise in 5 steps from four fifths of them, and predicts the
// last fifth.
#include "molecules.hpp"

#include <octile/error.hpp>
#include <octile/gram_operator.hpp>
#include <octile/mpi/communicator.hpp>

#include <mpi.h>
#include <Kokkos_Core.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <span>
#include <string>
#include <vector>

namespace {

using Vectors = std::vector<double>;  // N × columns, row major

/// For each column Σ_i a_i b_i.
Vectors dots(const Vectors& a, const Vectors& b, std::size_t columns) {
  Vectors sums(columns);
  for (std::size_t k = 0; k < a.size(); k += columns) {
    for (std::size_t c = 0; c < columns; ++c) sums[c] += a[k + c] * b[k + c];
  }
  return sums;
}

double seconds() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

/// What a step takes.
struct Times {
  double values = 0, solves = 0, derivatives = 0;
  int products = 0;
};

/// A = K + noise · I of the graphs that are learnt from, those before `trained`.
class System {
 public:
  System(const octile::GramOperator& gram, double noise, std::size_t trained)
      : gram_(gram), noise_(noise), trained_(trained) {}

  /// X with A X = B by conjugate gradients, a column each. Rows of B from `trained` on are 0.
  Vectors solve(const Vectors& b, std::size_t columns, Times& times) const {
    const double start = seconds();
    constexpr double tolerance = 1e-6;
    constexpr int most = 1000;
    Vectors x(b.size()), r = b, p = b;
    Vectors rho = dots(r, r, columns);
    const Vectors first = rho;
    for (int step = 0; step < most; ++step) {
      const Vectors ap = product(p, columns);
      ++times.products;
      Vectors alpha = dots(p, ap, columns);
      for (std::size_t c = 0; c < columns; ++c) alpha[c] = alpha[c] > 0 ? rho[c] / alpha[c] : 0;
      for (std::size_t k = 0; k < x.size(); k += columns) {
        for (std::size_t c = 0; c < columns; ++c) {
          x[k + c] += alpha[c] * p[k + c];
          r[k + c] -= alpha[c] * ap[k + c];
        }
      }
      const Vectors next = dots(r, r, columns);
      for (std::size_t k = 0; k < x.size(); k += columns) {
        for (std::size_t c = 0; c < columns; ++c) {
          p[k + c] = r[k + c] + (rho[c] > 0 ? next[c] / rho[c] : 0) * p[k + c];
        }
      }
      rho = next;
      bool done = true;
      for (std::size_t c = 0; c < columns; ++c) done = done && rho[c] <= tolerance * tolerance * first[c];
      if (done) {
        times.solves += seconds() - start;
        return x;
      }
    }
    throw octile::Error("the conjugate gradients of the Gaussian process do not converge; allowed is more noise");
  }

 private:
  Vectors product(const Vectors& p, std::size_t columns) const {
    Vectors ap = gram_.apply(p, columns);
    for (std::size_t k = 0; k < ap.size(); ++k) ap[k] = k < trained_ * columns ? ap[k] + noise_ * p[k] : 0;
    return ap;
  }

  const octile::GramOperator& gram_;
  double noise_;
  std::size_t trained_;
};

/// The slope of −log likelihood by the logarithm of each parameter of the kernel, and of the noise; the amplitude is its best one.
/// tr(A⁻¹ ∂A) is estimated from random probes z, as the mean of (A⁻¹ z)ᵀ ∂A z.
Vectors slopes(const octile::GramOperator& gram, double noise, const Vectors& y, std::size_t trained, unsigned seed,
               Times& times) {
  constexpr std::size_t probes = 8, columns = probes + 1;
  std::mt19937 random(seed);
  Vectors right(gram.size() * columns);
  for (std::size_t i = 0; i < trained; ++i) {
    right[i * columns] = y[i];
    for (std::size_t c = 1; c < columns; ++c) right[i * columns + c] = random() % 2 == 0 ? 1 : -1;
  }
  Vectors left = System(gram, noise, trained).solve(right, columns, times);
  const double amplitude = dots(left, right, columns)[0] / static_cast<double>(trained);
  if (!(amplitude > 0)) throw octile::Error("the targets do not differ; allowed are some that do");
  for (std::size_t i = 0; i < trained; ++i) {
    right[i * columns] = left[i * columns];
    left[i * columns] *= -0.5 / amplitude;
    for (std::size_t c = 1; c < columns; ++c) left[i * columns + c] *= 0.5 / probes;
  }
  const double start = seconds();
  Vectors found = gram.bilinear_derivative(left, right, columns);
  times.derivatives = seconds() - start;
  const std::vector<octile::Parameter> parameters = gram.parameters();
  for (std::size_t p = 0; p < found.size(); ++p) found[p] *= parameters[p].value;
  double by_noise = 0;
  for (const double sum : dots(left, right, columns)) by_noise += sum;
  found.push_back(by_noise * noise);
  return found;
}

/// A count, such as "1000".
std::size_t count_of(const std::string& text) {
  const bool digits = !text.empty() && text.size() < 8 && text.find_first_not_of("0123456789") == std::string::npos;
  if (!digits) throw octile::Error("a count is '" + text + "'; allowed are 0 to 9999999");
  return std::stoul(text);
}

int train(const std::vector<std::string>& arguments, const octile::Communicator& ranks) {
  const bool speaks = ranks.rank() == 0;
  const auto most = count_of(arguments[2]);
  std::vector<octile::Graph> graphs = read_molecules(arguments[0], arguments[1], most);
  const std::size_t trained = graphs.size() * 4 / 5;
  if (trained == 0) throw octile::Error("fewer than two molecules with that target");
  Vectors y;
  for (const octile::Graph& graph : graphs) y.push_back(graph.targets().at(arguments[1]));
  double mean = 0;
  for (std::size_t i = 0; i < trained; ++i) mean += y[i] / static_cast<double>(trained);
  Vectors centred(y.size());
  for (std::size_t i = 0; i < trained; ++i) centred[i] = y[i] - mean;

  octile::GramOptions options;
  options.accuracy = octile::Accuracy{};
  const octile::PreparedSet set(std::move(graphs), options);
  const octile::GramOperatorOptions kept{.normalize = true, .storage = octile::Precision::float32};
  octile::KernelSpec kernel{octile::Expression::parse("delta(element,0.3)*delta(aromatic,0.7)"),
                            octile::Expression::parse("delta(order,0.5)"), octile::Stopping::parse("probability:0.1")};
  double noise = 0.05;
  Vectors step(octile::parameters(kernel).size() + 1, 0.3), before(step.size());
  const auto steps = static_cast<int>(count_of(arguments[3]));
  for (int t = 0;; ++t) {
    const double start = seconds();
    Times times;
    const octile::GramOperator gram(set, kernel, kept, ranks);
    times.values = seconds() - start;
    if (gram.unconverged() > 0) throw octile::Error("some pairs did not converge");
    if (t == steps) {
      // What training gives for the others: (K α)_i of the rows that it did not see.
      const Vectors alpha = System(gram, noise, trained).solve(centred, 1, times);
      const Vectors found = gram.apply(alpha, 1);
      double squares = 0;
      for (std::size_t i = trained; i < y.size(); ++i) squares += (found[i] + mean - y[i]) * (found[i] + mean - y[i]);
      const double rmse = std::sqrt(squares / static_cast<double>(y.size() - trained));
      if (speaks) std::printf("test RMSE %.4f of %zu molecules, trained with %zu\n", rmse, y.size() - trained, trained);
      return 0;
    }
    const Vectors slope = slopes(gram, noise, centred, trained, static_cast<unsigned>(t), times);
    std::vector<octile::Parameter> parameters = gram.parameters();
    std::string text;
    Vectors values;
    for (std::size_t p = 0; p < slope.size(); ++p) {
      // A step against the slope, larger while its sign stays, and within what is allowed.
      step[p] = std::clamp(step[p] * (slope[p] * before[p] < 0 ? 0.5 : 1.2), 0.01, 0.5);
      const double factor = slope[p] == 0 ? 1 : std::exp(slope[p] > 0 ? -step[p] : step[p]);
      if (p == parameters.size()) {
        noise = std::clamp(noise * factor, 1e-3, 10.0);
        text += " noise " + std::to_string(noise);
      } else {
        values.push_back(std::clamp(parameters[p].value * factor, 1e-3, 0.99));
        text += " " + parameters[p].name + " " + std::to_string(values.back());
      }
    }
    before = slope;
    kernel = octile::with_parameters(kernel, values);
    if (speaks) {
      std::printf("step %d, %.1f s (values %.1f, %d products %.1f, derivatives %.1f), %zu values kept here:%s\n", t + 1,
                  seconds() - start, times.values, times.products, times.solves, times.derivatives, gram.kept(),
                  text.c_str());
    }
  }
}

}  // namespace

int main(int argc, char* argv[]) {
  // A line is there when it is printed, also through mpirun.
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  int code = 2;
  if (arguments.size() != 4) {
    std::fprintf(stderr, "usage: train_gp TABLE.csv TARGET MOLECULES STEPS\n");
  } else {
    const Kokkos::ScopeGuard kokkos(argc, argv);
    try {
      const octile::mpi::Communicator ranks(MPI_COMM_WORLD);
      code = train(arguments, ranks);
    } catch (const std::exception& error) {
      std::fprintf(stderr, "train_gp: %s\n", error.what());
      code = 1;
      MPI_Abort(MPI_COMM_WORLD, code);
    }
  }
  MPI_Finalize();
  return code;
}
