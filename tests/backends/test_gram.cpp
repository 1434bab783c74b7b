// SPDX-License-Identifier: BSD-3-Clause
// What `gram` and `nodewise` do besides the solves: order, progress, interruption, refinement, refusals.
#include <doctest/doctest.h>

#include <octile/backends.hpp>
#include <octile/gram.hpp>
#include <octile/interruption.hpp>
#include <octile/lowerings.hpp>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "common/graphs.hpp"
#include "common/kernels.hpp"
#include "common/message_of.hpp"
#include "common/settings.hpp"

using namespace octile;
using namespace octile::test;

namespace {

const Stopping small_weight(StoppingMeaning::weight, 0.0005);

KernelSpec spec(std::string_view vertex, std::string_view edge) {
  return {Expression::parse(vertex), Expression::parse(edge), small_weight};
}

std::string refusal(std::span<const Graph> graphs, const KernelSpec& kernel, const GramOptions& options = {}) {
  return message_of([&] { (void)gram(graphs, kernel, options); });
}

}  // namespace

TEST_CASE("the pairs of a Gram matrix stand where pair_index says") {
  const std::vector<Graph> graphs = small_graphs();
  const KernelSpec kernel = spec("delta(element, 0.5)", "gaussian(length, 0.3)");
  const auto solver = make_pair_solver(BackendId::portable, graphs, kernel, Precision::float64, {});

  const GramResult result = gram(graphs, kernel);

  REQUIRE(result.size == graphs.size());
  REQUIRE(result.pairs.size() == graphs.size() * (graphs.size() + 1) / 2);
  REQUIRE(result.values.size() == graphs.size() * graphs.size());
  for (std::size_t i = 0; i < graphs.size(); ++i) {
    for (std::size_t j = i; j < graphs.size(); ++j) {
      const std::vector<Pair> pair{{static_cast<std::int32_t>(i), static_cast<std::int32_t>(j)}};
      std::vector<PairResult> alone(1);
      solver->solve(pair, alone);
      const PairResult& among = result.pairs[pair_index(i, j, graphs.size())];
      CHECK(relative_error(among.value, alone[0].value) <= tolerance::roundings);
      CHECK(among.iterations == alone[0].iterations);
    }
  }
  CHECK(!result.description.empty());
  CHECK(result.setup_seconds >= 0);
  CHECK(result.solve_seconds >= 0);
}

TEST_CASE("a set of one graph has a matrix of one element") {
  const std::vector<Graph> graphs{bare("edge", 2, path_edges(2))};
  GramOptions options;
  options.normalize = true;

  const GramResult result = gram(graphs, unlabelled().spec(small_weight), options);

  CHECK(result.values == std::vector<double>{1.0});
  CHECK(result.pairs.size() == 1);
}

TEST_CASE("progress ends with all pairs and all work done, and never goes back") {
  const std::vector<Graph> graphs = small_graphs();
  std::vector<Progress> told;
  GramOptions options;
  options.on_progress = [&told](const Progress& progress) {
    told.push_back(progress);
    return true;
  };

  (void)gram(graphs, unlabelled().spec(small_weight), options);

  REQUIRE(!told.empty());
  const std::size_t total = graphs.size() * (graphs.size() + 1) / 2;
  for (std::size_t k = 0; k < told.size(); ++k) {
    CHECK(told[k].pairs_total == total);
    CHECK(told[k].work_done <= 1 + tolerance::roundings);
    if (k == 0) continue;
    CHECK(told[k].pairs_done >= told[k - 1].pairs_done);
    CHECK(told[k].work_done >= told[k - 1].work_done);
    CHECK(told[k].seconds >= told[k - 1].seconds);
  }
  CHECK(told.back().pairs_done == total);
  CHECK(relative_error(told.back().work_done, 1) <= tolerance::sums);
}

TEST_CASE("an answer of false stops the work") {
  GramOptions options;
  int calls = 0;
  options.on_progress = [&calls](const Progress&) {
    ++calls;
    return false;
  };

  CHECK_THROWS_AS((void)gram(small_graphs(), unlabelled().spec(small_weight), options), Interrupted);
  CHECK(calls == 1);
}

TEST_CASE("a set is asked for at least once a graph while it is prepared, and an answer of false stops that") {
  const std::vector<Graph> graphs = small_graphs();
  for (const LoweringInfo& entry : lowerings()) {
    CAPTURE(entry.name);
    const bool constant = entry.lowering == Lowering::closed_form;
    const KernelSpec kernel =
        constant ? unlabelled().spec(small_weight) : spec("delta(element, 0.5)", "gaussian(length, 0.3)");
    GramOptions options;
    options.backend = BackendId::portable_serial;
    options.lowering = entry.lowering;
    int asked = 0;
    options.on_prepare = [&asked] {
      ++asked;
      return true;
    };
    // Counts the calls until the set is prepared; further ones come while the matrix is written.
    int before_solving = 0;
    options.on_start = [&](const std::string&) { before_solving = asked; };
    (void)gram(graphs, kernel, options);
    REQUIRE(before_solving >= static_cast<int>(graphs.size()));

    for (const int last : {1, static_cast<int>(graphs.size()) / 2, static_cast<int>(graphs.size())}) {
      int left = last;
      bool started = false;
      options.on_prepare = [&left] { return --left > 0; };
      options.on_start = [&started](const std::string&) { started = true; };
      CHECK_THROWS_AS((void)gram(graphs, kernel, options), Interrupted);
      CHECK(!started);
    }
  }
}

TEST_CASE("float32 is refined where rounding stops it, counted, and left alone where not asked") {
  // Unlabelled at q = 0.0005: K/q² is some 2,000, and float32 keeps a residual of about 1e-4.
  const std::vector<Graph> graphs{bare("cycle", 33, cycle_edges(33)), bare("path", 31, path_edges(31))};
  const KernelSpec kernel = unlabelled().spec(small_weight);
  GramOptions options;
  options.precision = Precision::float32;
  options.primitive = {PrimitiveFamily::sparse_sparse};  // the closed form is never in float32
  options.solve.tolerance = tolerance::solve(Precision::float32);

  const GramResult refined = gram(graphs, kernel, options);
  options.refine = false;
  const GramResult left = gram(graphs, kernel, options);

  CHECK(refined.refined > 0);
  CHECK(left.refined == 0);
  std::size_t unconverged = 0;
  for (std::size_t k = 0; k < refined.pairs.size(); ++k) {
    CHECK(refined.pairs[k].status == Status::converged);
    if (left.pairs[k].status == Status::converged) continue;
    ++unconverged;
    // In float64 they are solved to its usual tolerance, though float32 was asked for less.
    CHECK(refined.pairs[k].residual <= tolerance::worst_row * SolveOptions{}.tolerance);
  }
  CHECK(unconverged == refined.refined);
}

TEST_CASE("an estimated accuracy ends a solve before the residual has it") {
  const std::vector<Graph> graphs{random_graph(34, 0.3, 1), random_graph(24, 0.4, 2)};
  const KernelSpec kernel{Expression::parse("delta(element,0.5)"), Expression::parse("gaussian(length,0.3)"),
                          Stopping{StoppingMeaning::probability, 0.05}};
  const auto solve = [&](const GramOptions& options) { return gram(graphs, kernel, options).pairs[1]; };
  GramOptions exactly;
  exactly.backend = BackendId::reference;
  const double exact = solve(exactly).value;
  for (const Setting& setting : judged_settings()) {
    int before = 0;
    int saved = 0;
    for (const double accuracy : {1e-3, 1e-6, 1e-8, 1e-12}) {
      if (setting.precision == Precision::float32 && accuracy < 1e-6) continue;
      CAPTURE(backend_name(setting.backend));
      CAPTURE(accuracy);
      GramOptions options;
      options.backend = setting.backend;
      options.precision = setting.precision;
      // Factors would take their share of what is allowed.
      if (find_backend(setting.backend).has(Lowering::on_the_fly)) options.lowering = Lowering::on_the_fly;
      options.solve.tolerance = accuracy;
      const PairResult to_residual = solve(options);
      options.accuracy = Accuracy{Accuracy::Kind::estimated, accuracy};
      const PairResult pair = solve(options);
      CHECK(pair.status == Status::converged);
      CHECK(relative_error(pair.value, exact) <= accuracy + 1e-13);
      CHECK(pair.residual <= std::pow(accuracy, 0.5));
      CHECK(pair.iterations <= to_residual.iterations);
      CHECK(pair.iterations > before);
      saved += to_residual.iterations - pair.iterations;
      before = pair.iterations;
    }
    CHECK(saved > 0);
  }
}

TEST_CASE("where degrees are orders apart an estimated accuracy is a residual") {
  std::vector<Edge> edges = cycle_edges(30);
  const KernelSpec kernel{Expression::parse("delta(element,0.5)"), Expression::parse("gaussian(length,0.3)"),
                          Stopping{StoppingMeaning::probability, 0.05}};
  GramOptions options;
  options.precision = Precision::float32;
  options.accuracy = Accuracy{Accuracy::Kind::estimated, 1e-5};
  const auto residual_with = [&](double weight) {
    edges[3].weight = weight;
    const std::vector<Graph> graphs{labelled("cycle", 30, edges, 4), random_graph(25, 0.3, 5)};
    const PairResult pair = gram(graphs, kernel, options).pairs[1];
    CHECK(pair.status == Status::converged);
    return pair.residual;
  };
  CHECK(residual_with(1) > 3e-5);
  CHECK(residual_with(1000) <= 1e-5);
}

TEST_CASE("with uneven starts an estimated accuracy is a residual, and so it is of x") {
  const std::vector<Graph> graphs{random_graph(17, 0.3, 1), random_graph(12, 0.4, 2)};
  const KernelSpec kernel{Expression::parse("delta(element,0.5)"), Expression::parse("gaussian(length,0.3)"),
                          Stopping{StoppingMeaning::probability, 0.05}};
  GramOptions options;
  options.precision = Precision::float64;
  std::vector<Graph> uneven = graphs;
  std::vector<double> starting(17, 1);
  starting[3] = 2;
  uneven[0].set_starting_weights(starting);
  int before = 0;
  for (const double accuracy : {1e-3, 1e-5, SolveOptions{}.tolerance, 1e-12}) {
    CAPTURE(accuracy);
    options.accuracy.reset();
    options.solve.tolerance = accuracy;
    const PairResult to_residual = gram(uneven, kernel, options).pairs[1];
    const PairResult of_nodes = nodewise(graphs[0], graphs[1], kernel, options).pair;
    options.solve = {};
    options.accuracy = Accuracy{Accuracy::Kind::estimated, accuracy};
    const PairResult pair = gram(uneven, kernel, options).pairs[1];
    CHECK(pair.status == Status::converged);
    CHECK(pair.residual == to_residual.residual);
    CHECK(pair.iterations == to_residual.iterations);
    CHECK(nodewise(graphs[0], graphs[1], kernel, options).pair.residual == of_nodes.residual);
    CHECK(pair.residual <= tolerance::worst_row * accuracy);
    CHECK(pair.iterations > before);
    before = pair.iterations;
  }
}

namespace {

/// Solves pairs that float32 leaves inexact, and keeps what is told of the progress.
GramResult solve_inexact(GramOptions options, std::vector<Progress>& told) {
  const std::vector<Graph> graphs{bare("cycle", 33, cycle_edges(33)), bare("path", 31, path_edges(31))};
  options.on_progress = [&told](const Progress& progress) {
    told.push_back(progress);
    return true;
  };
  return gram(graphs, unlabelled().spec(small_weight), options);
}

}  // namespace

TEST_CASE("progress runs on over the pairs that are solved again") {
  GramOptions options;
  options.precision = Precision::float32;
  options.primitive = {PrimitiveFamily::sparse_sparse};
  options.solve.tolerance = tolerance::solve(Precision::float32);

  std::vector<Progress> told;
  const GramResult result = solve_inexact(options, told);

  REQUIRE(result.refined > 0);
  REQUIRE(told.size() >= 2);
  CHECK(told.front().work_done < 1);
  for (std::size_t k = 1; k < told.size(); ++k) {
    CHECK(told[k].pairs_done > told[k - 1].pairs_done);
    CHECK(told[k].pairs_total >= told[k - 1].pairs_total);
    CHECK(told[k].work_done >= told[k - 1].work_done);
    CHECK(told[k].seconds >= told[k - 1].seconds);
  }
  CHECK(told.back().pairs_done == result.pairs.size() + result.refined);
  CHECK(told.back().pairs_total == told.back().pairs_done);
  CHECK(relative_error(told.back().work_done, 1) <= tolerance::sums);
}

TEST_CASE("progress runs on over the pairs that miss a proven accuracy at first, which wait for all others") {
  // Float32 keeps a residual of about 1e-4 of them.
  GramOptions options;
  options.backend = BackendId::portable_openmp;  // a GPU corrects its solutions, and has no such pairs
  options.accuracy = Accuracy{Accuracy::Kind::certified, 1e-9};
  options.lowering = Lowering::on_the_fly;  // the closed form is never in float32

  std::vector<Progress> told;
  const GramResult result = solve_inexact(options, told);

  REQUIRE(result.refined > 0);
  REQUIRE(told.size() >= 2);
  CHECK(told.back().pairs_done == result.pairs.size() + result.refined);
  CHECK(told.back().pairs_total == told.back().pairs_done);
  CHECK(relative_error(told.back().work_done, 1) <= tolerance::sums);
  for (const PairResult& pair : result.pairs) CHECK(pair.status == Status::converged);
  for (std::size_t k = 1; k < told.size(); ++k) CHECK(told[k].work_done >= told[k - 1].work_done);
}

TEST_CASE("what the closed form, chosen by itself, leaves stagnated is iterated, and left alone where not asked") {
  // A heavy part and a light one: the error bound is three times as large as the cost model assumes.
  const Graph parts = disjoint_union(bare("complete", 40, complete_edges(40)), bare("path", 20, path_edges(20)));
  const std::vector<Graph> graphs{parts, bare("path", 60, path_edges(60))};
  GramOptions options;
  options.backend = BackendId::portable_openmp;
  options.precision = Precision::float32;
  const auto stagnated = [](const GramResult& result) {
    return std::ranges::count(result.pairs, Status::stagnated, &PairResult::status);
  };
  // The cost model takes the closed form as long as it expects to meet the tolerance. The actual error is measured.
  GramResult result;
  options.solve.tolerance = 1e-9;
  options.refine = false;
  while (stagnated(result) == 0 && options.solve.tolerance > 1e-15) {
    options.solve.tolerance /= 2;
    result = gram(graphs, unlabelled().spec(small_weight), options);
  }
  REQUIRE(contains(result.description, "lowering closed-form"));
  REQUIRE(stagnated(result) > 0);
  CHECK(result.refined == 0);

  options.refine = true;
  const GramResult refined = gram(graphs, unlabelled().spec(small_weight), options);
  CHECK(refined.refined == static_cast<std::size_t>(stagnated(result)));
  CHECK(stagnated(refined) <= stagnated(result));
  CHECK(std::ranges::any_of(refined.pairs, [](const PairResult& pair) { return pair.iterations > 0; }));

  options.lowering = Lowering::closed_form;  // asked for by name, it is not refined
  CHECK(gram(graphs, unlabelled().spec(small_weight), options).refined == 0);
}

TEST_CASE("float64 counts nothing as refined") {
  CHECK(gram(small_graphs(), unlabelled().spec(small_weight)).refined == 0);
}

TEST_CASE("what cannot be solved is refused with its reason") {
  const std::vector<Graph> graphs{labelled("alpha", 3, path_edges(3), 1), bare("beta", 2, path_edges(2))};
  const std::span<const Graph> alpha = std::span(graphs).first(1);
  GramOptions options;

  CHECK(contains(refusal({}, spec("1", "1")), "no graphs"));
  const std::string missing = refusal(graphs, spec("delta(element, 0.5)", "1"));
  CHECK(contains(missing, "'beta'"));
  CHECK(contains(missing, "'element'"));
  const std::string missing_on_edges = refusal(graphs, spec("1", "delta(order, 0.5)"));
  CHECK(contains(missing_on_edges, "'beta'"));
  CHECK(contains(missing_on_edges, "'order'"));
  const std::string text = refusal(alpha, spec("1", "gaussian(bond, 1)"));
  CHECK(contains(text, "'alpha'"));
  CHECK(contains(text, "'bond'"));
  CHECK(contains(text, "text"));
  CHECK(contains(refusal(alpha, spec("1", "delta(parts, 0.5)")), "list of reals"));
  CHECK(contains(refusal(alpha, spec("1", "convolution(order, delta(_, 0.5))")), "integer"));
  CHECK(contains(refusal(alpha, spec("1", "convolution(words, gaussian(_, 0.5))")), "list of texts"));
  CHECK(contains(refusal(alpha, spec("delta(element, 0)", "1")), "greater than 0"));
  CHECK(contains(refusal(alpha, spec("1", "1 + 1")), "2"));
  options.backend = BackendId::reference;
  options.precision = Precision::float32;
  CHECK(contains(refusal(alpha, spec("1", "1"), options), "float32"));
}

TEST_CASE("an empty list on a vertex is refused, on an edge it is no similarity") {
  const LabelColumns tags{{"tags", std::vector<TextList>{{"a"}, {}}}};
  const std::vector<Graph> on_vertex{Graph::from_edges("alpha", 2, path_edges(2), tags)};
  const std::vector<Graph> on_edge{
      Graph::from_edges("beta", 2, path_edges(2), {}, {{"tags", std::vector<TextList>{{}}}})};

  const std::string message = refusal(on_vertex, spec("convolution(tags, delta(_, 0.5))", "1"));
  CHECK(contains(message, "'alpha'"));
  CHECK(contains(message, "'tags'"));
  // κe is 0 for all steps, so only walks without a step count: K = q².
  const double k = gram(on_edge, spec("1", "convolution(tags, delta(_, 0.5))")).values[0];
  CHECK(relative_error(k, small_weight.q() * small_weight.q()) <= tolerance::value(Precision::float64));
}

TEST_CASE("the list of backends begins with the judge, and its names are found") {
  REQUIRE(!backends().empty());
  CHECK(backends().front().name == "reference");
  CHECK(backends().front().exact);
  CHECK(!backends().front().single_precision);
  for (const Backend& backend : backends()) {
    CHECK(find_backend(parse_backend(backend.name)).name == backend.name);
    CHECK(backend_name(backend.id) == backend.name);
    CHECK(!backend.description.empty());
    CHECK((backend.kind == BackendKind::reference) == backend.exact);
    CHECK((backend.kind == BackendKind::portable) == backend.name.starts_with("portable:"));
    CHECK((backend.kind == BackendKind::native) == (backend.id == BackendId::cuda));
    // What is formed is on the GPU in a build that has one, whatever its name.
    const bool gpu_in_words =
        contains(std::string(backend.description), "GPU") || contains(std::string(backend.description), "CUDA");
    CHECK(backend.on_gpu == gpu_in_words);
  }
  CHECK(find_backend(BackendId::portable).kind == BackendKind::portable);
  CHECK(&find_backend(BackendId::automatic) == &backends().back());
  CHECK(backend_name(parse_backend("auto")) == "auto");
  CHECK(backend_name(parse_backend("portable")) == "portable");
}

TEST_CASE("a backend that is unknown, or that a build does not have, is refused with the names of those it has") {
  std::vector<std::string> refusals{message_of([] { (void)parse_backend("abacus"); })};
  CHECK(contains(refusals[0], "'abacus'"));
  const auto is_there = [](BackendId id) {
    return std::ranges::find(backends(), id, &Backend::id) != backends().end();
  };
  if (!is_there(BackendId::cuda)) {
    GramOptions options;
    options.backend = BackendId::cuda;
    refusals.push_back(refusal(small_graphs(), unlabelled().spec(small_weight), options));
  }
  for (const std::string& message : refusals) {
    CHECK(contains(message, "allowed are auto, portable"));
    for (const Backend& backend : backends()) CHECK(contains(message, std::string(backend.name)));
  }
}
