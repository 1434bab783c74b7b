// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/accuracy.hpp>
#include <octile/base/shared_tables.hpp>
#include <octile/gram.hpp>
#include <octile/pairs/cost_model.hpp>
#include <octile/pairs/scaled_graphs.hpp>
#include <octile/solvers/pair_solver.hpp>

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace octile {

class ExactSet;
struct UnknownByFactors;

/// What a certified solver is for, on which depends how far systems are solved.
enum class Purpose {
  values,
  solutions,    ///< x or y too, each entry within the accuracy
  derivatives,  ///< of the values
  node_derivatives,  ///< x, each entry within the accuracy, and derivatives of weighted sums of them (`Request::node_weights`)
  rough,             ///< values by one system alone, once: a bound that is larger than the accuracy is left as it is
};

/// Solves pairs to an accuracy that is proven. Both systems of a pair are solved roughly, in float32 where the backend has
/// it, and residuals that are formed in double give a corrected value with a bound of its error (certificate.hpp). A pair
/// whose bound is too large is solved again, in float64 and to smaller tolerances. What no round reaches is `stagnated`, with
/// the bound that is certain.
///
/// For a rough value S x = b alone is solved, in one round.
///
/// Two kinds of pairs need one system only: those of the closed form, which bounds its own error, and those whose starting
/// weights are proportional to the degrees d, where y is proportional to x.
class CertifiedSolver final : public PairSolver {
 public:
  /// `options.accuracy` is set. Throws `Error` as `make_pair_solver` does, and for an
  /// accuracy that is not allowed. The graphs, which are not copied, must outlive the solver.
  CertifiedSolver(std::span<const Graph> graphs, const KernelSpec& kernel, const GramOptions& options,
                  const CostModel& cost, Purpose purpose = Purpose::values);
  ~CertifiedSolver() override;

  std::size_t unknowns(Pair pair) const override;
  std::size_t parameter_count() const override;
  bool differentiates_graphs() const override { return purpose_ == Purpose::derivatives; }
  Precision precision() const override { return Precision::float64; }
  bool iterates() const override { return iterates_; }
  double device_seconds() const override { return device_seconds_; }
  std::string description() const override { return description_; }

  std::size_t rounds() const override { return rounds_.size(); }
  std::size_t solved_again() const override { return solved_again_; }

 private:
  /// A solver, made when its round comes.
  struct Round {
    Precision precision;
    double tolerance;
    Lowering lowering;
    int corrections = 0;            ///< of certified solves on a device
    double share_of_tolerance = 1;  ///< to which these solve
    std::unique_ptr<PairSolver> solver{};
    bool alone = false;  ///< whether it has all of the memory: then no other round has a solver
  };
  /// The pairs of one call that are solved together.
  struct Chunk {
    std::vector<std::size_t> places;  ///< in the request
    std::vector<Pair> pairs;
    std::vector<std::size_t> begin;  ///< of their solutions
    std::span<double> x{};           ///< the solutions, in `x_` and `y_`
    std::span<double> y{};
  };
  /// Which of the systems of a request are solved.
  enum class Sides {
    direct,  ///< as the solver does it, which bounds its own error
    device,  ///< both, by a solver that certifies values where it solves them, and forms their derivatives there
    first,
    both
  };

  void answer_to(const Request& request, const Answer& answer) override;
  void plan_rounds();
  /// Plans rounds in float32, to this tolerance with corrections if need be, by a solver that certifies on its device. If it does
  /// not, its solver is kept where it is of use.
  void plan_device_rounds(double tolerance, Lowering lowering);
  void make_solver(Round& round, bool alone);
  /// The round whose solver a round shares, or the round itself.
  Round& owner_of(Round& round);
  /// The round's solver, with half of the memory, or if that does not suffice alone and with all of it.
  PairSolver& solver_of(Round& round);
  Sides sides_of(const Request& request, const Answer& answer, PairSolver& solver, bool last) const;
  /// The first pairs of `places` whose solutions fit the memory.
  Chunk make_chunk(const Request& request, std::span<const std::size_t> places);
  void solve_by(Round& round, const Request& request, const Answer& answer);
  void solve_both(Round& round, Chunk& chunk, bool adjoint, std::span<PairResult> results);
  /// Asks for what a device is to certify in a round; starts may prove some without a solve, if `by_starts`.
  void ask_certified(const Round& round, Request& asked, bool by_starts) const;
  void solve_round(Round& round, const Request& request, const Answer& answer, std::span<const std::size_t> places);
  /// Solves a round where values alone are asked for, whose bounds the solver states.
  void solve_values(Round& round, Sides sides, const Request& request, const Answer& answer,
                    std::span<const std::size_t> places, bool by_starts = true);
  /// Solves a round that a device certifies, with derivatives if they are asked for.
  void solve_on_device(Round& round, const Request& request, const Answer& answer, std::span<const std::size_t> places,
                       bool by_starts = true);
  /// Solves the pairs that starts alone did not prove, and corrects those that are left.
  void solve_refused(Round& round, const Request& request, const Answer& answer, std::span<const std::size_t> places);
  /// Solves a round where derivatives are asked for, too, which a device forms.
  void solve_derivatives(Round& round, const Request& request, const Answer& answer,
                         std::span<const std::size_t> places, bool by_starts);
  /// Solves some of these pairs, and adds to `answer.derivatives` or puts them there. Returns how many.
  std::size_t solve_some_derivatives(Round& round, const Request& request, const Answer& answer,
                                     std::span<const std::size_t> places, bool by_starts);
  /// What derivatives may be off by, about, relative to K / parameter.
  double most_of_derivatives() const;
  /// Whether a pair's derivatives, which are off by about `error` of K / parameter, are as exact as they are to be.
  bool suffices(std::span<const double> derivatives, double error) const;
  /// Sets the status of a result by its bound.
  void judge(PairResult& result, double largest) const;
  UnknownByFactors unknown_by_factors() const;
  /// Whether derivatives by parameters are formed.
  bool differentiates() const { return purpose_ == Purpose::derivatives || purpose_ == Purpose::node_derivatives; }
  /// Whether each entry of a solution is to be within the accuracy.
  bool solves_nodes() const { return purpose_ == Purpose::solutions || purpose_ == Purpose::node_derivatives; }
  /// Whether the accuracy is so fine that no starts prove a value, and that derivatives are to be exacter, too.
  bool fine() const;
  void evaluate(const Request& request, const Answer& answer, Chunk& chunk, std::span<const PairResult> solved,
                bool last);

  std::optional<ScaledGraphs> scaled_;
  std::span<const Graph> graphs_;  ///< the scaled ones, where there are any
  const KernelSpec& kernel_;
  const CostModel& cost_;
  GramOptions options_;
  Purpose purpose_;
  double accuracy_;
  std::unique_ptr<const ExactSet> exact_;
  std::vector<Round> rounds_;
  SharedTables vertex_tables_;  ///< of all rounds
  std::size_t memory_;          ///< for solutions
  std::vector<double> x_;
  std::vector<double> y_;
  std::vector<double> derivatives_;  ///< of pairs of a device, with an error each behind all of them
  std::vector<std::size_t> places_;  ///< 0, 1, …, of all pairs of a call
  std::string description_;
  bool iterates_ = true;  ///< whether the first round does
  double device_seconds_ = 0;
  std::size_t solved_again_ = 0;
};

}  // namespace octile
