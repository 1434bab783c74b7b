// SPDX-License-Identifier: BSD-3-Clause
#include <doctest/doctest.h>

#include <cstddef>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include <octile/graph.hpp>
#include <octile/pairs/scaled_graphs.hpp>
#include <octile/start.hpp>
#include <octile/stopping.hpp>

#include "common/message_of.hpp"
#include "common/settings.hpp"

using namespace octile;
using namespace octile::test;

TEST_CASE("a weight adds q to the degree") {
  const Stopping stopping(StoppingMeaning::weight, 0.25);

  CHECK(stopping.degrees({3.0, 0.0}) == std::vector<double>{3.25, 0.25});
}

TEST_CASE("a graph that was scaled with its stopping weight has its degrees scaled") {
  const Graph graph = Graph::from_edges("edge", 3, {{0, 1, 3.0}}).scaled_with_stopping(8);
  const Stopping stopping(StoppingMeaning::weight, 0.25);

  CHECK(graph.stopping_scale() == 8);
  CHECK(stopping.degrees(graph.weighted_degrees(), graph.stopping_scale()) == std::vector<double>{26, 26, 2});
}

TEST_CASE("a probability leaves 1 − q to the steps") {
  const Stopping stopping(StoppingMeaning::probability, 0.25);

  CHECK(relative_error(3.0 / stopping.degrees({3.0})[0], 0.75) <= tolerance::roundings);
}

TEST_CASE("an isolated vertex, whose degree cancels, does not outweigh the others") {
  const Stopping stopping(StoppingMeaning::probability, 0.5);

  CHECK(stopping.degrees({1e-6, 0.0, 4.0}) == std::vector<double>{2e-6, 2e-6, 8.0});
  CHECK(stopping.degrees({0.0, 0.0}) == std::vector<double>{1.0, 1.0});
}

TEST_CASE("a graph is scaled as long as none of its weights vanishes by it") {
  const Stopping stopping(StoppingMeaning::probability, 0.5);
  const auto path = [](double first, double second) {
    return std::vector<Graph>{Graph::from_edges("path", 3, {{0, 1, first}, {1, 2, second}})};
  };

  const std::optional<ScaledGraphs> heavy = scaled_graphs(path(0x1p900, 0x1p300), stopping);
  REQUIRE(heavy.has_value());
  CHECK(heavy->graphs[0].edges()[1].weight == 0x1p300 * heavy->factors[0]);
  CHECK(heavy->graphs[0].edges()[0].weight == 1);
  // The last vertex has no other edge: scaled, it would be isolated.
  CHECK(!scaled_graphs(path(0x1p900, 0x1p-900), stopping).has_value());
}

TEST_CASE("walks start as vertices have edges, however far their weights are apart") {
  for (const Stopping& stopping :
       {Stopping(StoppingMeaning::probability, 0.5), Stopping(StoppingMeaning::weight, 1e-60)}) {
    std::vector<Graph> graphs{Graph::from_edges("path", 3, {{0, 1, 1e-126}, {1, 2, 1e249}}),
                              Graph::from_edges("and one without", 4, {{0, 1, 1e-126}, {1, 2, 1e249}}),
                              Graph::from_edges("light", 3, {{0, 1, 0x1p-997}, {1, 2, 0x3p-997}})};
    Start::parse("degree").apply_to(graphs, stopping);
    const auto starting = [&](std::size_t g) {
      const std::span<const double> numbers = graphs[g].starting_probability();
      return std::vector<double>(numbers.begin(), numbers.end());
    };
    CHECK(starting(0) == std::vector<double>{0, 0.5, 0.5});
    CHECK(starting(1) == std::vector<double>{0, 0.5, 0.5, 0});
    if (stopping.meaning() == StoppingMeaning::probability) {
      CHECK(starting(2) == std::vector<double>{0.125, 0.5, 0.375});
    }
  }
}

TEST_CASE("q is read with its meaning, and printed as it is read") {
  for (const char* text : {"weight:0.05", "probability:0.05", "weight:0.0005", "weight:3"}) {
    CHECK(Stopping::parse(text).to_string() == text);
  }
  const Stopping read = Stopping::parse("probability:5e-4");
  CHECK(read.meaning() == StoppingMeaning::probability);
  CHECK(read.q() == 0.0005);
  CHECK(Stopping::parse("weight:1").meaning() == StoppingMeaning::weight);
}

TEST_CASE("a q that stops no walk, or none but at once, is refused with its value") {
  const auto refusal = [](StoppingMeaning meaning, double q) {
    return message_of([&] { (void)Stopping(meaning, q); });
  };
  CHECK(contains(refusal(StoppingMeaning::weight, 0), "q = 0"));
  CHECK(contains(refusal(StoppingMeaning::weight, -0.5), "-0.5"));
  CHECK(contains(refusal(StoppingMeaning::weight, std::numeric_limits<double>::infinity()), "inf"));
  CHECK(contains(refusal(StoppingMeaning::weight, std::numeric_limits<double>::quiet_NaN()), "nan"));
  CHECK(contains(refusal(StoppingMeaning::weight, 1e-61),
                 "1e-61: allowed is a number of at least 1e-60 and at most 1e+60"));
  CHECK(contains(refusal(StoppingMeaning::weight, 1e61), "1e+61"));
  CHECK(contains(refusal(StoppingMeaning::probability, 1e-300),
                 "1e-300: allowed is a number of at least 1e-60 and below 1"));
  CHECK(contains(refusal(StoppingMeaning::probability, 0), "q = 0"));
  CHECK(contains(refusal(StoppingMeaning::probability, 1), "q = 1"));
  CHECK(contains(refusal(StoppingMeaning::probability, 1.5), "1.5"));
}

TEST_CASE("a text that is no stopping rule is refused, quoted, with what is allowed") {
  for (const char* text : {"", "0.05", "weight", "weight:", "weight:abc", "weight:0.05x", "weight: 0.05", "Weight:0.05",
                           "chance:0.05", ":0.05", "probability:0.05:1"}) {
    const std::string message = message_of([&] { (void)Stopping::parse(text); });
    CAPTURE(message);
    CHECK(contains(message, std::string("'") + text + "'"));
    CHECK(contains(message, "weight:Q"));
    CHECK(contains(message, "probability:Q"));
  }
  CHECK(contains(message_of([] { (void)Stopping::parse("probability:1"); }), "q = 1"));
  CHECK(contains(message_of([] { (void)Stopping::parse("weight:-1"); }), "-1"));
}
