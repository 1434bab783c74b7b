// SPDX-License-Identifier: BSD-3-Clause
// What stands in a file is read as it stands there, or refused: nothing is passed over, merged or changed in silence.
#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <readers/strict_json.hpp>
#include <readers/text.hpp>
#include <readers/unify_labels.hpp>

#include <nlohmann/json.hpp>

#include "apps/reading.hpp"

using namespace octile;
using test::contains;
using test::graphs_of;
using test::refusal;

namespace {

const std::string nitrogen = "ATOM      1  N   ALA A   1      11.104   6.134  -6.504  1.00  0.00           N\n";
const std::string carbon = "ATOM      2  CA  ALA A   1      11.639   6.071  -5.147  1.00  0.00           C\n";

std::string with(std::string text, std::string_view part, std::string_view other) {
  return text.replace(text.find(part), part.size(), other);
}

std::string node_link(std::string_view values) {
  return fmt::format("{{\"nodes\": [{{\"id\": 0, \"k\": {}}}], \"edges\": []}}\n", values);
}

}  // namespace

TEST_CASE("all line ends end lines: LF, CR LF and CR") {
  for (const std::string end : {"\n", "\r\n", "\r"}) {
    CAPTURE(end);
    CHECK(graphs_of("a.smi", fmt::format("CCO a{0}CC b{0}{0}C c{0}", end)).size() == 3);
    CHECK(graphs_of("a.xyz", fmt::format("1{0}first{0}C 0 0 0{0}1{0}second{0}N 0 0 0", end)).size() == 2);
    CHECK(refusal("a.smi", fmt::format("CCO a{0}{0}C1 b{0}", end)).starts_with("a.smi:3: "));
  }
}

TEST_CASE("text with a byte 0 is refused at its line") {
  CHECK(refusal("a.smi", std::string("CCO a\nC\0C b\n", 12)).starts_with("a.smi:2: holds a byte 0"));
  CHECK(refusal("a.pdb", nitrogen + std::string(1, '\0') + carbon).starts_with("a.pdb:2: holds a byte 0"));
}

TEST_CASE("records of atoms that gemmi would not read, or not as they stand there, are refused at their line") {
  CHECK(graphs_of("a.pdb", nitrogen + carbon).front().vertex_count() == 2);
  const auto refused = [](const std::string& second) {
    std::string message = refusal("a.pdb", nitrogen + second);
    CAPTURE(second);
    CHECK(message.starts_with("a.pdb:2: "));
    return message;
  };
  const std::string without_element = carbon.substr(0, 54) + "\n";
  for (const std::string& line : {carbon, without_element}) {
    CHECK(contains(refused(" " + line), "looks like one; allowed is ATOM or HETATM in columns 1 to 6"));
    CHECK(contains(refused("\t" + line), "looks like one"));
    CHECK(contains(refused(with(line, "ATOM  ", "atom  ")), "looks like one"));
    CHECK(contains(refused(with(line, "ATOM  ", "hetatm")), "looks like one"));
    CHECK(contains(refused(with(line, "ATOM  ", "BTOM  ")), "looks like one"));
    CHECK(contains(refused(line.substr(1)), "looks like one"));
    CHECK(contains(refused(with(line, "ATOM  ", "ATOM\t")), "looks like one"));
    CHECK(contains(refused(with(line, "ALA A", "ALA\tA")), "holds a tab"));
    CHECK(contains(refused(with(line, "  11.639", "1.16e+01")), "without an exponent"));
  }
  CHECK(contains(refused(with(carbon, "ATOM      2", "ATOM     2")), "is shifted against that in line 1"));
  CHECK(contains(refused(with(carbon, "ALA A", " ALA A")), "columns 39 to 46 hold '9   6.07' as the coordinate y"));
  // The last digit of z falls out of its columns.
  CHECK(contains(refused(with(carbon, "6.071  -5.147", "6.071   -5.147")),
                 "columns 55 to 60 hold '7  1.0' as the occupancy"));
  CHECK(contains(refused("MODEL        2\n"), "a model begins before the one before it has ended"));
}

TEST_CASE("atoms with numbers of six digits, and records of the format that hold other numbers, are no fault") {
  CHECK(graphs_of("a.pdb",
                  "CRYST1   52.000   58.600   61.900  90.00  90.00  90.00 P 21 21 21    8\nREMARK 1.0 2.0 3.0\n" +
                      nitrogen + with(carbon, "ATOM      2", "ATOM 100000") +
                      "ANISOU    1  N   ALA A   1      688   1234    806    -19    -49    178       N\n")
            .front()
            .vertex_count() == 2);
}

TEST_CASE("integers are themselves or are refused") {
  const auto column = [](const std::string& values) {
    return graphs_of("a.jsonl", node_link(values)).front().vertex_labels().at("k");
  };
  CHECK(std::get<std::vector<std::int64_t>>(column("9223372036854775807")).front() == 9223372036854775807);
  CHECK(contains(refusal("a.jsonl", node_link("9223372036854775808")), "9223372036854775808"));
  CHECK(contains(refusal("a.jsonl", node_link("18446744073709551616")), "the integer '18446744073709551616'"));
  CHECK(contains(refusal("a.jsonl", node_link("[0.5, 9007199254740993]")), "the integer 9007199254740993"));
  CHECK(contains(refusal("a.gml", "graph [ node [ id 0 k 9223372036854775808 ] ]"), "an integer below 2^63"));
}

TEST_CASE("integers beyond 2^53 do not become reals where another graph has reals") {
  std::vector<Graph> graphs = graphs_of("a.jsonl", node_link("9007199254740993") + node_link("0.5"));
  app::unify_labels(graphs);
  CHECK(graphs[0].vertex_labels().at("k").index() != graphs[1].vertex_labels().at("k").index());
  graphs = graphs_of("a.jsonl", node_link("9007199254740991") + node_link("0.5"));
  app::unify_labels(graphs);
  CHECK(std::get<std::vector<double>>(graphs[0].vertex_labels().at("k")).front() == 9007199254740991.0);
}

TEST_CASE("numbers of a TUDataset beyond 2^53 are refused where they would merge") {
  const test::TemporaryFolder folder;
  folder.write("a_graph_indicator.txt", "1\n1\n");
  folder.write("a_node_labels.txt", "9007199254740992\n9007199254740993\n");
  const std::string path = folder.write("a_A.txt", "1, 2\n2, 1\n");
  CHECK(contains(test::message_of([&] { app::read_graphs(path); }),
                 "a_node_labels.txt:1: '9007199254740992' is too large"));
}

TEST_CASE("an empty list of edges does not hide another, and a key stands once in an object") {
  const std::string nodes = "{\"nodes\": [{\"id\": 0}, {\"id\": 1}], ";
  CHECK(contains(refusal("a.jsonl", nodes + "\"edges\": [], \"links\": [{\"source\": 0, \"target\": 1}]}"),
                 "has 'edges' and 'links'; allowed is one of the two"));
  CHECK(contains(refusal("a.jsonl", nodes + "\"edges\": [], \"edges\": [{\"source\": 0, \"target\": 1}]}"),
                 "has the key 'edges' twice in one object"));
}

TEST_CASE("numbers that are too small to be any but 0 are refused") {
  const auto weight = [](const std::string& text) {
    return "{\"nodes\": [{\"id\": 0}, {\"id\": 1}], \"edges\": [{\"source\": 0, \"target\": 1, \"weight\": " + text +
           "}]}";
  };
  for (const std::string text : {"1e-400", "0.00010e-330", "1E-99999"}) {
    CHECK(contains(refusal("a.jsonl", weight(text)), "holds the number '" + text + "', which is too small"));
    CHECK(contains(refusal("a.edges", "a b " + text + "\n"), "is no edge"));
  }
  CHECK(graphs_of("a.jsonl", weight("5e-324")).front().edges().front().weight == 5e-324);
  CHECK(graphs_of("a.jsonl", weight("0.0e-400")).front().edge_count() == 0);
}

TEST_CASE("JSON that is parsed strictly is what it says, to the deepest level that is allowed") {
  const std::string text = "{\"a\": [1, -2, 0.5, \"x\", true, null, {}, [[]]], \"b\": {\"c\": {\"d\": [3]}}}";
  CHECK(app::parse_strictly(text) == nlohmann::json::parse(text));
  CHECK(app::parse_strictly("7") == nlohmann::json(7));
  const std::string numbers = "[1E5, 1e5, -1.5E-3, 2e+300, 0.25]";
  CHECK(app::parse_strictly(numbers) == nlohmann::json::parse(numbers));
  const auto nested = [](std::size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); };
  CHECK_NOTHROW(app::parse_strictly(nested(65)));
  CHECK(contains(test::message_of([&] { app::parse_strictly(nested(66)); }), "is nested deeper than 64 levels"));
  CHECK(contains(test::message_of([] { app::parse_strictly("[1, 2"); }), "is not JSON"));
  CHECK(contains(test::message_of([] { app::parse_strictly("[NaN]"); }), "NaN and Infinity do not exist"));
}

TEST_CASE("texts in messages are printable, of one line and not longer than they may be") {
  CHECK(app::printable("a\x1b[2J\n\t\x7f") == "a\\x1b[2J\\x0a\\x09\\x7f");
  CHECK(app::printable("é€😀") == "é€😀");
  CHECK(app::printable("\xff\xc3") == "\\xff\\xc3");
  CHECK(app::printable("\xc2\x9b\xe2\x80\xae\xef\xbb\xbf") == "\\u009b\\u202e\\ufeff");
  CHECK(app::printable("\xc0\xaf\xed\xa0\x80\xf4\x90\x80\x80") == "\\xc0\\xaf\\xed\\xa0\\x80\\xf4\\x90\\x80\\x80");
  CHECK(app::in_quotes("short") == "'short'");
  for (const std::string part : {"x", "\x1b", "é", "\xff"}) {
    std::string text;
    for (int k = 0; k < 5000; ++k) text += part;
    const std::string shown = app::in_quotes(text, 60);
    CAPTURE(shown);
    CHECK(contains(shown, " ... "));
    CHECK(std::ranges::count_if(shown, [](char byte) { return (static_cast<unsigned char>(byte) & 0xC0U) != 0x80U; }) <=
          67);
  }
}
