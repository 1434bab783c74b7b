// SPDX-License-Identifier: BSD-3-Clause
// Graphs as other programs write them: node-link JSON of every version of networkx, GraphML, GML, lists of edges.
#include <doctest/doctest.h>

#include <map>
#include <string>
#include <vector>

#include <readers/read.hpp>

#include "apps/reading.hpp"

using namespace octile;
using namespace octile::test;

namespace {

using Names = std::vector<std::string>;

/// A path of three vertices with every kind of label that the formats share.
Graph path() {
  Graph graph = Graph::from_edges("path", 3, {{0, 1, 2.0}, {1, 2, 0.5}},
                                  {{"kind", std::vector<std::string>{"a", "b<&\"", "é"}},
                                   {"count", std::vector<std::int64_t>{1, -2, 3}},
                                   {"size", std::vector<double>{0.5, 1.0, 1e-9}}},
                                  {{"length", std::vector<double>{1.5, 2.0}}});
  graph.set_targets({{"energy", -1.25}});
  return graph;
}

const std::string graphml_head =
    "<?xml version='1.0' encoding='utf-8'?>\n"
    "<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\">\n"
    "  <key id=\"d0\" for=\"node\" attr.name=\"kind\" attr.type=\"string\"><default>a</default></key>\n"
    "  <key id=\"d1\" for=\"node\" attr.name=\"count\" attr.type=\"long\"/>\n"
    "  <key id=\"d2\" for=\"node\" attr.name=\"size\" attr.type=\"double\"/>\n"
    "  <key id=\"d3\" for=\"edge\" attr.name=\"length\" attr.type=\"float\"/>\n"
    "  <key id=\"d4\" for=\"edge\" attr.name=\"weight\" attr.type=\"double\"/>\n"
    "  <key id=\"d5\" for=\"graph\" attr.name=\"energy\" attr.type=\"double\"/>\n"
    "  <key id=\"d6\" for=\"graph\" attr.name=\"name\" attr.type=\"string\"/>\n"
    "  <key id=\"d7\" for=\"node\" yfiles.type=\"nodegraphics\"/>\n"
    "  <key id=\"d8\" for=\"all\" attr.name=\"id\" attr.type=\"string\"/>\n";

const std::string graphml =
    graphml_head +
    "  <graph id=\"G\" edgedefault=\"undirected\">\n"
    "    <node id=\"n0\"><data key=\"d1\">1</data><data key=\"d2\"> 0.5 </data>"
    "<data key=\"d7\"><y:ShapeNode xmlns:y=\"x\"><y:Fill color=\"red\"/>text</y:ShapeNode></data></node>\n"
    "    <node id=\"n1\"><data key=\"d0\">b&lt;&amp;\"</data><data key=\"d1\">-2</data><data key=\"d2\">1</data>"
    "<data key=\"d8\">n1</data></node>\n"
    "    <node id=\"n2\"><data key=\"d0\">é</data><data key=\"d1\">3</data><data key=\"d2\">1e-9</data></node>\n"
    "    <edge id=\"e0\" source=\"n1\" target=\"n0\"><data key=\"d3\">1.5</data><data key=\"d4\">2</data></edge>\n"
    "    <edge source=\"n1\" target=\"n2\"><data key=\"d3\">2</data><data key=\"d4\">0.5</data></edge>\n"
    "    <data key=\"d5\">-1.25</data><data key=\"d6\">path</data>\n"
    "  </graph>\n"
    "</graphml>\n";

const std::string gml =
    "Creator \"a program\"\n"
    "# a comment\n"
    "graph [\n"
    "  directed 0\n  name \"path\"\n  energy -1.25\n"
    "  node [ id 7 kind \"a\" count 1 size 0.5 graphics [ x 1.0 fill \"red\" ] ]\n"
    "  node [ id 8 kind \"b&lt;&amp;&quot;\" count -2 size +1.0 ]\n"
    "  node [ id 9 kind \"&#233;\" count 3 size 1.0E-9 ]\n"
    "  edge [ source 7 target 8 weight 2 length 1.5 ]\n"
    "  edge [ source 9 target 8 weight 0.5 length 2.0 ]\n"
    "]\n";

std::string with(std::string text, const std::string& part, const std::string& other) {
  return text.replace(text.find(part), part.size(), other);
}

}  // namespace

TEST_CASE("GraphML gives labels by their declared types, weights, the name and targets") {
  const std::vector<Graph> graphs = graphs_of("some.graphml", graphml);
  CHECK(names_of(graphs) == Names{"path"});
  CHECK(equal_but_for_names(graphs[0], path()));
}

TEST_CASE("GML gives labels, weights, the name and targets, and leaves out drawings") {
  const std::vector<Graph> graphs = graphs_of("some.gml", gml);
  CHECK(names_of(graphs) == Names{"path"});
  CHECK(equal_but_for_names(graphs[0], path()));
  const std::string listed = "graph [ node [ id 0 v 1 v 2.5 w \"_networkx_list_start\" w 3 ] ]";
  const Graph lists = graphs_of("a.gml", listed).front();
  CHECK(lists.name() == "a.gml:1");
  CHECK(std::get<std::vector<RealList>>(lists.vertex_labels().at("v"))[0] == RealList{1, 2.5});
  CHECK(std::get<std::vector<RealList>>(lists.vertex_labels().at("w"))[0] == RealList{3});
}

TEST_CASE("a file of GraphML or GML may hold several graphs, some of them refused") {
  const std::string one = "<graph edgedefault=\"undirected\"><node id=\"0\"><data key=\"d1\">1</data></node></graph>\n";
  const std::string bad = "<graph edgedefault=\"undirected\"><node id=\"0\"><data key=\"d1\">x</data></node></graph>\n";
  const test::TemporaryFolder folder;
  app::ReadOptions options;
  options.skip_invalid = true;
  const app::GraphFile xml =
      app::read_graph_file(folder.write("three.graphml", graphml_head + one + bad + one + "</graphml>"), options);
  CHECK(names_of(xml.graphs) == Names{"three.graphml:1", "three.graphml:3"});
  REQUIRE(xml.skipped.size() == 1);
  CHECK(contains(xml.skipped[0], "three.graphml:13: 'count' is 'x'; allowed is a whole number"));

  const app::GraphFile text = app::read_graph_file(
      folder.write("three.gml",
                   "graph [ node [ id 0 ] ]\ngraph [\n node [ id 0 ] node [ id 0 ]\n]\ngraph [ node [ id 1 ] ]"),
      options);
  CHECK(names_of(text.graphs) == Names{"three.gml:1", "three.gml:3"});
  REQUIRE(text.skipped.size() == 1);
  CHECK(contains(text.skipped[0], "three.gml:2: graph 2: node id '0' is given twice"));
}

TEST_CASE("GraphML that is wrong is refused with its line") {
  CHECK(refusal("a.graphml", "").starts_with("a.graphml:1: is no XML: no element found"));
  CHECK(refusal("a.graphml", "<graphml>\n<graph>\n</graphml>").starts_with("a.graphml:3: is no XML: mismatched tag"));
  CHECK(refusal("a.graphml", graphml.substr(0, 1200)).find("is no XML") != std::string::npos);
  CHECK(refusal("a.graphml", "<svg/>").starts_with("a.graphml:1: begins with <svg>; expected is <graphml>"));
  CHECK(contains(refusal("a.graphml", "<graphml></graphml>"), "holds no graph"));
  CHECK(contains(refusal("a.graphml", with(graphml, "attr.type=\"long\"", "attr.type=\"date\"")),
                 "a.graphml:4: key 'd1' has the type 'date'; allowed are boolean"));
  const auto refused = [](const std::string& part, const std::string& other) {
    return refusal("a.graphml", with(graphml, part, other));
  };
  CHECK(refused("undirected", "directed").starts_with("a.graphml:12: the graph is directed"));
  CHECK(refused("<edge source", "<edge directed=\"true\" source").starts_with("a.graphml:17: the edge is directed"));
  CHECK(refused("> 0.5 <", ">half<").starts_with("a.graphml:13: 'size' is 'half'; allowed is a finite number"));
  CHECK(refused("> 0.5 <", ">NaN<").starts_with("a.graphml:13: 'size' is 'NaN'"));
  CHECK(refused("key=\"d4\">2<", "key=\"d9\">2<")
            .starts_with("a.graphml:16: <data> has the key 'd9', which is not decl"));
  CHECK(refused("<data key=\"d4\">2</data>", "").starts_with("a.graphml:12: graph 1: edge "));
  CHECK(contains(refused("<data key=\"d1\">3</data>", ""),
                 "attribute 'count': node \"n0\" has it, node \"n2\" lacks it"));
  CHECK(contains(refused("target=\"n0\"", "target=\"n4\""), "there is no node of id \"n4\""));
  CHECK(contains(refused("target=\"n0\"", "target=\"n1\""), "is a self-loop"));
  CHECK(contains(refused("id=\"n2\"", "id=\"n1\""), "node id \"n1\" is given twice"));
  CHECK(contains(refused(" target=\"n0\"", ""), "has no 'target'"));
  CHECK(contains(refused("<data key=\"d6\">path</data>", "<hyperedge/>"), "<hyperedge> in a graph"));
}

TEST_CASE("GML that is wrong is refused with its line") {
  CHECK(contains(refusal("a.gml", ""), "holds no graph"));
  CHECK(contains(refusal("a.gml", "Creator \"x\""), "holds no graph"));
  CHECK(refusal("a.gml", "<graphml/>").starts_with("a.gml:1: found is '<graphml/>'; allowed is a key"));
  CHECK(refusal("a.gml", "graph [\n node [ id 0 ]\n").starts_with("a.gml:3: the file ends here; allowed is a key, or"));
  CHECK(refusal("a.gml", "graph [\n node [ id x ] ]")
            .starts_with("a.gml:2: found is 'x'; allowed is a finite number, a"));
  CHECK(refusal("a.gml", "graph [ node [ id 0 v 1e999 ] ]").starts_with("a.gml:1: found is '1e999'"));
  CHECK(
      refusal("a.gml", "graph [\n\n node [ id 0 v \"x ] ]").starts_with("a.gml:3: found is '\"x'; allowed is a text"));
  CHECK(contains(refusal("a.gml", "graph 3"), "a.gml:1: graph 1: 'graph' is '3'; allowed is a list"));
  CHECK(contains(refusal("a.gml", "graph [ node 3 ]"), "a.gml:1: graph 1: a node is '3'; allowed is a list"));
  CHECK(contains(refusal("a.gml", with(gml, "directed 0", "directed 1")), "a.gml:3: graph 1: 'directed' is 'true'"));
  CHECK(contains(refusal("a.gml", with(gml, "count 3 ", "")), "attribute 'count': node 7 has it, node 9 lacks it"));
  CHECK(contains(refusal("a.gml", "graph [ ]"), "vertices"));
  std::string deep;
  for (int k = 0; k < 100; ++k) deep += "graph [ ";
  CHECK(contains(refusal("a.gml", deep), "at most 64"));
}

TEST_CASE("node-link JSON reads as every version of networkx writes it") {
  const Graph expected = Graph::from_edges("g", 2, {{0, 1, 1.0}}, {{"kind", std::vector<std::string>{"a", "b"}}});
  const std::string nodes = R"("nodes": [{"id": "x", "kind": "a"}, {"id": "y", "kind": "b"}])";
  for (const std::string& text : {
           // 3.4: edges
           R"({"directed": false, "multigraph": false, "graph": {"name": "g"}, )" + nodes +
               R"(, "edges": [{"source": "x", "target": "y"}]})",
           // 2.0: links
           R"({"directed": false, "multigraph": false, "graph": {"name": "g"}, )" + nodes +
               R"(, "links": [{"source": "x", "target": "y"}]})",
           // 1.10: ends of edges by position
           R"({"directed": false, "multigraph": false, "graph": {"name": "g"}, )" + nodes +
               R"(, "links": [{"source": 0, "target": 1}]})",
           // before: the graph's properties in pairs
           R"({"directed": false, "multigraph": false, "graph": [["name", "g"]], )" + nodes +
               R"(, "links": [{"source": 0, "target": 1}]})",
           // told to call identifiers names
           std::string(
               R"({"graph": {"name": "g"}, "nodes": [{"name": "x", "kind": "a"}, {"name": "y", "kind": "b"}], )") +
               R"("links": [{"source": "x", "target": "y"}]})",
       }) {
    CAPTURE(text);
    const std::vector<Graph> graphs = graphs_of("a.jsonl", text);
    CHECK(names_of(graphs) == Names{"g"});
    CHECK(equal_but_for_names(graphs[0], expected));
  }
  const std::string integers = R"({"nodes": [{"id": 1}, {"id": 2}], "links": [{"source": 0, "target": 1}]})";
  CHECK(contains(refusal("a.jsonl", integers), "there is no node of id '0'"));
  const std::string beyond = R"({"nodes": [{"id": "x"}, {"id": "y"}], "links": [{"source": 0, "target": 2}]})";
  CHECK(contains(refusal("a.jsonl", beyond), "there is no node of id '2'"));
}

TEST_CASE("integers at the ends of edges are ids or positions, as the version of networkx wrote them") {
  const std::string nodes = R"("nodes": [{"id": 2}, {"id": 0}, {"id": 1}], )";
  const std::string written = R"("directed": false, "multigraph": false, )";
  // Nodes 2, 0 and 1 with the same edges twice: between the first and the second, and between the second and the third.
  const std::string positions = R"("links": [{"source": 0, "target": 1}, {"source": 1, "target": 2}]})";
  const std::string ids = R"("links": [{"source": 2, "target": 0}, {"source": 0, "target": 1}]})";
  const Graph expected = Graph::from_edges("", 3, {{0, 1, 1.0}, {1, 2, 1.0}});
  const auto reads = [&expected](const std::string& text) {
    return equal_but_for_names(graphs_of("a.jsonl", text).front(), expected);
  };
  SUBCASE("before 1.10 the graph's properties are in pairs and ends are positions, in any order") {
    CHECK(reads(R"({"graph": [], )" + nodes + positions));
    CHECK(reads("{" + written + R"("graph": [["name", "g"]], )" + nodes + positions));
    CHECK(reads(R"({"graph": [], )" + nodes + R"("links": [{"source": 2, "target": 1}, {"source": 1, "target": 0}]})"));
    CHECK(contains(refusal("a.jsonl", R"({"graph": [], "nodes": [{"id": 1}, {"id": 2}], )"
                                      R"("links": [{"source": 1, "target": 2}]})"),
                   "edge (1, 2): there is no node at the position '2'"));
  }
  SUBCASE("1.10 and 1.11 differ from later versions in the order of edges alone") {
    CHECK(reads("{" + written + R"("graph": {}, )" + nodes + positions));
    CHECK(reads("{" + written + R"("graph": {}, )" + nodes + ids));
    // Ids that do not begin with 0: by id there is no such node.
    CHECK(reads("{" + written + R"("graph": {}, "nodes": [{"id": 1}, {"id": 2}, {"id": 3}], )" + positions));
    CHECK(contains(refusal("a.jsonl", "{" + written + R"("graph": {}, "nodes": [{"id": 1}, {"id": 2}], )" +
                                          R"("links": [{"source": 1, "target": 0}]})"),
                   "there is no node of id '0'"));
  }
  SUBCASE("ends that are ids alone are ids, in any order") {
    const Graph pair = Graph::from_edges("", 2, {{1, 0, 1.0}});
    const std::string text = R"({"nodes": [{"id": 1}, {"id": 2}], "links": [{"source": 2, "target": 1}]})";
    CHECK(equal_but_for_names(graphs_of("a.jsonl", text).front(), pair));
  }
  SUBCASE("edges has ids") {
    CHECK(reads("{" + nodes + R"("edges": [{"source": 0, "target": 2}, {"source": 1, "target": 0}]})"));
  }
  SUBCASE("where nothing tells them apart they are refused") {
    // networkx would have written either.
    const std::string either = R"("nodes": [{"id": 0}, {"id": 2}, {"id": 1}], "links": [{"source": 0, "target": 2}]})";
    const std::vector<std::string> texts{
        "{" + written + R"("graph": {}, )" + either,
        "{" + nodes + positions,                  // not by networkx
        R"({"graph": {}, )" + nodes + positions,  // nor this
        R"({"graph": [], )" + nodes + R"("edges": [{"source": 0, "target": 1}]})",
    };
    for (const std::string& text : texts) {
      CAPTURE(text);
      CHECK(
          contains(refusal("a.jsonl", text), "may be ids of nodes or, as networkx before version 2 wrote them, their"));
    }
  }
}

TEST_CASE("a JSON file has one graph, or a list of them, in any layout") {
  const std::string one =
      "{\n  \"graph\": {\"name\": \"g\"},\n  \"nodes\": [\n    {\"id\": \"x\"},\n    {\"id\": \"y\"}\n  ],\n"
      "  \"edges\": [{\"source\": \"x\",\n\"target\": \"y\"}]\n}\n";
  const std::string nameless = R"({"nodes": [{"id": 1}], "edges": []})";
  CHECK(names_of(graphs_of("a.json", one)) == Names{"g"});
  CHECK(graphs_of("a.json", one).front().edge_count() == 1);
  CHECK(names_of(graphs_of("a.json", nameless)) == Names{"a.json:1"});
  const std::string list = "[\n" + one + ",\n" + nameless + ",{\"nodes\": 3}, 4]";
  const test::TemporaryFolder folder;
  app::ReadOptions options;
  options.skip_invalid = true;
  const app::GraphFile file = app::read_graph_file(folder.write("a.json", list), options);
  CHECK(names_of(file.graphs) == Names{"g", "a.json:2"});
  REQUIRE(file.skipped.size() == 2);
  CHECK(file.skipped[0].ends_with("a.json: graph 3: 'nodes' is '3'; allowed is a list"));
  CHECK(file.skipped[1].ends_with("a.json: graph 4: is '4'; allowed is an object"));
  CHECK(contains(refusal("a.json", "[]"), "holds no graph"));
  CHECK(contains(refusal("a.json", " \n"), "holds no graph"));
  CHECK(refusal("a.json", "3").starts_with("a.json: is '3'; allowed is an object"));
  CHECK(refusal("a.json", "{\n\"nodes\": [],\n\"edges\": [}\n").starts_with("a.json:3: is not JSON: 'column 11: "));
  CHECK(refusal("a.json", "[\n{}\n").starts_with("a.json:2: is not JSON: "));
  CHECK(refusal("a.json", nameless + "\n" + nameless).starts_with("a.json:2: is not JSON: "));
  CHECK(refusal("a.json", "{\"a\": 1,\n\"a\": 2}").starts_with("a.json: has the key 'a' twice"));
  // A folder holds many a JSON file that lists something else.
  CHECK(contains(test::message_of([&] { app::input_files({folder.path()}); }), "tables and .json files alone"));
}

TEST_CASE("a list of edges is one graph, whose vertices are numbered as they appear") {
  const std::string text = "% sym weighted\n# from a collection\n\nb a 2\nb\tc\t0.5\r\nc,b,0.5\nd , a , +1e0\n";
  const std::vector<Graph> graphs = graphs_of("some.edges", text);
  CHECK(names_of(graphs) == Names{"some"});
  CHECK(equal_but_for_names(graphs[0], Graph::from_edges("some", 4, {{0, 1, 2}, {0, 2, 0.5}, {3, 1, 1}})));
  const Graph plain = graphs_of("some.edgelist", "0 1 {}\n1 2 {}\n").front();
  CHECK(equal_but_for_names(plain, Graph::from_edges("some", 3, {{0, 1, 1}, {1, 2, 1}})));
}

TEST_CASE("a list of edges has attributes as networkx writes them, in dicts of Python") {
  const std::string text =
      "a b {'weight': 2.0, 'length': 1.5, 'kind': \"it's\", 'ring': True, 'sizes': [5, 6], 'one': (7,)}\n"
      "b c {'weight': 0.5, 'length': 2, 'kind': 'a \\'b\\' \"c\" \\\\ \\xe9', 'ring': False, 'sizes': [], 'one': "
      "(8,)}\n";
  const Graph expected = Graph::from_edges("some", 3, {{0, 1, 2}, {1, 2, 0.5}}, {},
                                           {{"length", std::vector<double>{1.5, 2}},
                                            {"kind", std::vector<std::string>{"it's", "a 'b' \"c\" \\ é"}},
                                            {"ring", std::vector<std::int64_t>{1, 0}},
                                            {"sizes", std::vector<RealList>{{5, 6}, {}}},
                                            {"one", std::vector<RealList>{{7}, {8}}}});
  CHECK(equal_but_for_names(graphs_of("some.edgelist", text).front(), expected));
  // The other direction may be given, with equal attributes.
  const std::string both = "a b {'kind': 'x y', 'weight': 2}\nb,a,{'weight': 2.0, 'kind': \"x y\"}\n";
  CHECK(
      equal_but_for_names(graphs_of("some.edges", both).front(),
                          Graph::from_edges("some", 2, {{0, 1, 2}}, {}, {{"kind", std::vector<std::string>{"x y"}}})));
}

TEST_CASE("a list of edges that is wrong is refused with its line") {
  CHECK(refusal("a.edges", "# none\n") == "a.edges: holds no edge; allowed is one or more");
  CHECK(
      refusal("a.edges", "0 1\n2\n").starts_with("a.edges:2: '2' is no edge; allowed are two vertices, and a weight"));
  CHECK(refusal("a.edges", "0 1 2 3\n").starts_with("a.edges:1: '0 1 2 3' is no edge"));
  CHECK(refusal("a.edges", "0 1 x\n").starts_with("a.edges:1: '0 1 x' is no edge"));
  CHECK(refusal("a.edges", "0 1 -1\n").starts_with("a.edges:1: '0 1 -1' is no edge"));
  CHECK(refusal("a.edges", "0 1 nan\n").starts_with("a.edges:1: '0 1 nan' is no edge"));
  CHECK(refusal("a.edges", "0 1 {'l': nan}\n").starts_with("a.edges:1: is not JSON"));
  CHECK(refusal("a.edges", "0 1 {'l': 'x}\n").starts_with("a.edges:1: '{'l': 'x}' has a text that is not closed"));
  CHECK(refusal("a.edges", "0 1 {'l': 2, 'l': 3}\n").starts_with("a.edges:1: has the key 'l' twice"));
  CHECK(refusal("a.edges", "0 1 {'l': 2} 3\n").starts_with("a.edges:1: is not JSON"));
  CHECK(refusal("a.edges", "0 1 {'weight': -2}\n").starts_with("a.edges:1: '0 1 {'weight': -2}' is no edge"));
  CHECK(refusal("a.edges", "0 1 {'weight': 'x'}\n").starts_with("a.edges:1: '0 1 {'weight': 'x'}' is no edge"));
  CHECK(
      contains(refusal("a.edges", "0 1 {'l': 2}\n# none\n1 2 {}\n"), "attribute 'l': line 1 has it, line 3 lacks it"));
  CHECK(refusal("a.edges", "0 1 {'l': 2}\n1 0 {'l': 3}\n")
            .starts_with("a.edges:2: '1 0 {'l': 3}' has not the attributes of the other direction, in line 1"));
  CHECK(
      refusal("a.edges", "0 1 1\n1 2\n").starts_with("a.edges:2: '1 2' lacks a weight, and the lines before have one"));
  CHECK(
      refusal("a.edges", "0 1\n1 2 1\n").starts_with("a.edges:2: '1 2 1' has a weight, and the lines before lack it"));
  CHECK(refusal("a.edges", "0 1\n1 1\n").starts_with("a.edges:2: '1 1' is a self-loop"));
  CHECK(refusal("a.edges", "0 1\n1 0\n1 0\n").starts_with("a.edges:3: '1 0' is given twice, first in line 1"));
  CHECK(refusal("a.edges", "0 1 1\n1 0 2\n")
            .starts_with("a.edges:2: '1 0 2' has not the weight 1 of the other direction"));
}

TEST_CASE("texts of GML that are no UTF-8 are labels as they stand, and refused in one line where they are wrong") {
  const auto with_texts = [](const std::string& id, const std::string& source, const std::string& value) {
    return "graph [ node [ id " + id + " k " + value + " ] node [ id 1 k \"a\" ] edge [ source " + source +
           " target 1 ] ]";
  };
  const Graph graph = graphs_of("a.gml", with_texts("\"a\x80\"", "\"a\x80\"", "\"\xe2\"")).front();
  CHECK(std::get<std::vector<std::string>>(graph.vertex_labels().at("k")).front() == "\xe2");
  CHECK(graph.edge_count() == 1);
  CHECK(contains(refusal("a.gml", with_texts("\"a\x80\"", "\"a\x81\"", "\"b\"")), "there is no node of id"));
  CHECK(contains(refusal("a.gml", with_texts("0", "0", "\"b\" k \"\x80\"")), "attribute 'k' of node 1 is"));
}
