// SPDX-License-Identifier: BSD-3-Clause
// Datasets of the collection TUDataset: a small one with all parts, and each of its files spoilt.
#include <doctest/doctest.h>

#include <zlib.h>

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include <readers/read.hpp>

#include "apps/reading.hpp"

using namespace octile;
using test::contains;

namespace {

using Files = std::map<std::string, std::string>;  ///< text by part: "A", "node_labels", …

// A path 1 - 2 - 4 and an edge 3 - 5, whose vertices take turns.
const Files small = {{"A", "1, 2\n2, 1\n5,3\n4, 2\n2, 4\n3, 5\n"},
                     {"graph_indicator", "1\n1\n2\n1\n2\n"},
                     {"node_labels", "7\n8\n9\n7\n8\n"},
                     {"node_attributes", "0.5, 1\n1.5, 2\n2.5, 3\n3.5, 4\n4.5, 5\n"},
                     {"edge_labels", "1, 0\n1, 0\n2, 0\n3, 0\n3, 0\n2, 0\n"},
                     {"edge_attributes", "-1, 4\n1, 4\n2, 5\n3, 6\n-3, 6\n-2, 5\n"},
                     {"graph_labels", "1\n-1\n"},
                     {"graph_attributes", "0.25\n1e3\n"}};

std::string write(const test::TemporaryFolder& folder, const Files& files) {
  for (const auto& [part, text] : files) folder.write("SMALL_" + part + ".txt", text);
  return folder.path("SMALL_A.txt");
}

/// The message, from the file's name on, for the small set with one file of another text.
std::string refusal(const std::string& part, const std::string& text) {
  const test::TemporaryFolder folder;
  Files files = small;
  files[part] = text;
  const std::string path = write(folder, files);
  std::string message = test::message_of([&] { app::read_graphs(path); });
  if (message.starts_with(folder.path())) message.erase(0, folder.path().size() + 1);
  return message;
}

template <class Value>
const std::vector<Value>& column(const LabelColumns& labels, const std::string& name) {
  return std::get<std::vector<Value>>(labels.at(name));
}

}  // namespace

TEST_CASE("a folder of a TUDataset is one input, with labels, attributes and targets") {
  const test::TemporaryFolder folder;
  write(folder, small);
  folder.write("README.txt", "about this dataset");
  const std::vector<std::string> files = app::input_files({folder.path()});
  REQUIRE(files.size() == 1);

  const std::vector<Graph> graphs = app::read_graphs(files.front());

  REQUIRE(graphs.size() == 2);
  const Graph& path = graphs[0];
  CHECK(path.name() == "SMALL:1");
  CHECK(path.vertex_count() == 3);
  REQUIRE(path.edge_count() == 2);
  CHECK(path.edges()[0].j == 1);
  CHECK(path.edges()[1].i == 1);
  CHECK(path.edges()[1].j == 2);
  CHECK(column<std::int64_t>(path.vertex_labels(), "label") == std::vector<std::int64_t>{7, 8, 7});
  CHECK(column<double>(path.vertex_labels(), "attribute0") == std::vector<double>{0.5, 1.5, 3.5});
  CHECK(column<double>(path.vertex_labels(), "attribute1") == std::vector<double>{1, 2, 4});
  CHECK(column<std::int64_t>(path.edge_labels(), "label0") == std::vector<std::int64_t>{1, 3});
  CHECK(column<double>(path.edge_labels(), "attribute0") == std::vector<double>{1, 3});  // without the direction's sign
  CHECK(column<double>(path.edge_labels(), "attribute1") == std::vector<double>{4, 6});
  CHECK(path.targets() == std::map<std::string, double>{{"label", 1}, {"attribute", 0.25}});
  CHECK(graphs[1].name() == "SMALL:2");
  CHECK(column<std::int64_t>(graphs[1].vertex_labels(), "label") == std::vector<std::int64_t>{9, 8});
  CHECK(column<double>(graphs[1].edge_labels(), "attribute0") == std::vector<double>{2});
}

TEST_CASE("attributes of edges keep their signs where both directions have the same, beside zeros too") {
  const test::TemporaryFolder folder;
  Files files = small;
  files["edge_attributes"] = "0\n0\n-2\n-3\n-3\n-2\n";

  const std::vector<Graph> graphs = app::read_graphs(write(folder, files));

  CHECK(column<double>(graphs[0].edge_labels(), "attribute") == std::vector<double>{0, -3});
  CHECK(column<double>(graphs[1].edge_labels(), "attribute") == std::vector<double>{-2});
}

TEST_CASE("all parts of a TUDataset but edges and graphs may be absent, and any may be compressed") {
  const test::TemporaryFolder folder;
  folder.write_compressed("SMALL_A.txt.gz", small.at("A"));
  folder.write("SMALL_graph_indicator.txt", small.at("graph_indicator"));
  folder.write_compressed("SMALL_node_labels.txt.gz", small.at("node_labels") + "\n\n");
  const std::vector<Graph> graphs = app::read_graphs(folder.path("SMALL_A.txt.gz"));
  REQUIRE(graphs.size() == 2);
  CHECK(graphs[0].vertex_labels().size() == 1);
  CHECK(graphs[0].edge_labels().empty());
  CHECK(graphs[0].targets().empty());
}

TEST_CASE("labels that are not whole are real, and a graph may have no edge") {
  const test::TemporaryFolder folder;
  const std::vector<Graph> graphs = app::read_graphs(
      write(folder, {{"A", ""}, {"graph_indicator", "1\n2\n"}, {"node_labels", "0.5\n1\n"}, {"edge_labels", ""}}));
  REQUIRE(graphs.size() == 2);
  CHECK(column<double>(graphs[1].vertex_labels(), "label") == std::vector<double>{1});
  CHECK(graphs[0].edge_count() == 0);
}

TEST_CASE("a file of a TUDataset that is wrong is refused with its line") {
  CHECK(refusal("A", "1, 2\n2, x\n").starts_with("SMALL_A.txt:2: 'x' is no number"));
  CHECK(refusal("A", "1, 2\n2\n").starts_with("SMALL_A.txt:2: has 1 number; allowed are 2"));
  CHECK(refusal("A", "1\n2\n").starts_with("SMALL_A.txt:1: has 1 number; expected 2"));
  CHECK(refusal("A", "1, 2\n\n2, 1\n").starts_with("SMALL_A.txt:3: follows a blank line"));
  for (const std::string number : {"0", "6", "1.5"}) {
    CAPTURE(number);
    CHECK(refusal("A", "1, " + number + "\n")
              .starts_with("SMALL_A.txt:1: " + number + " is the number of no vertex; allowed is 1 to 5"));
  }
  CHECK(refusal("A", "1, 3\n3, 1\n").starts_with("SMALL_A.txt:1: joins vertex 1 of graph 1 and vertex 3 of graph 2"));
  CHECK(refusal("graph_indicator", "1\n1\n2\n").starts_with("SMALL_A.txt:3: 5 is the number of no vertex"));
  for (const std::string number : {"0", "9"}) {
    CAPTURE(number);
    CHECK(refusal("graph_indicator", "1\n1\n" + number + "\n1\n2\n")
              .starts_with("SMALL_graph_indicator.txt:3: " + number + " is the number of no graph"));
  }
  CHECK(refusal("node_labels", "1\n2\n")
            .starts_with("SMALL_node_labels.txt: has 2 rows; expected are 5, one for each node"));
  CHECK(contains(refusal("edge_labels", "1\n2\n"), "has 2 rows; expected are 6, one for each line of "));
  CHECK(refusal("graph_labels", "1\n")
            .starts_with("SMALL_graph_labels.txt: has 1 row; expected are 2, one for each graph"));
  CHECK(refusal("node_attributes", "nan, 1\n").starts_with("SMALL_node_attributes.txt:1: 'nan' is no number"));
  CHECK(contains(refusal("graph_indicator", ""), "is the number of no vertex"));

  const test::TemporaryFolder folder;
  const std::string path = write(folder, {{"A", "1, 2\n"}});
  CHECK(contains(test::message_of([&] { app::read_graphs(path); }), "there is no"));
  CHECK(contains(test::message_of([&] { app::read_graphs(path); }), "SMALL_graph_indicator.txt beside it"));
}

TEST_CASE("an edge of a TUDataset whose directions disagree is refused, or its graph passed over") {
  CHECK(refusal("A", "1, 2\n2, 1\n5,3\n4, 2\n2, 4\n4, 4\n")
            .starts_with("SMALL_A.txt:6: graph 1: (4, 4) is a self-loop; allowed are two vertices"));
  CHECK(refusal("A", "1, 2\n2, 1\n5,3\n4, 2\n2, 4\n4, 1\n")
            .starts_with("SMALL_A.txt:6: graph 1: (4, 1) is given without (1, 4); allowed are both"));
  CHECK(contains(refusal("A", "1, 2\n2, 1\n3, 5\n1, 2\n2, 4\n5, 3\n"), "graph 1: (1, 2) is given twice"));
  CHECK(
      refusal("edge_labels", "1\n-1\n2\n3\n3\n2\n")
          .starts_with("SMALL_edge_labels.txt:1: 'label' is 1, and in the other direction of the edge, in line 2, -1; "
                       "allowed are equal ones"));
  CHECK(contains(refusal("edge_attributes", "1\n1.5\n2\n3\n3\n2\n"), "'attribute' is 1, and in the other direction"));
  CHECK(
      refusal("graph_indicator", "1\n1\n3\n1\n3\n").starts_with("SMALL_graph_labels.txt: has 2 rows; expected are 3"));

  const test::TemporaryFolder folder;
  Files files = small;
  files["A"] = "1, 2\n2, 1\n5,3\n4, 2\n2, 4\n3, 3\n";
  app::ReadOptions options;
  options.skip_invalid = true;
  const app::GraphFile file = app::read_graph_file(write(folder, files), options);
  CHECK(test::names_of(file.graphs) == std::vector<std::string>{"SMALL:1"});
  REQUIRE(file.skipped.size() == 1);
  CHECK(contains(file.skipped[0], "SMALL_A.txt:6: graph 2: (3, 3) is a self-loop"));
}
