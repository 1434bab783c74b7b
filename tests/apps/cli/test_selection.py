# SPDX-License-Identifier: BSD-3-Clause
"""Some pairs of a set: --columns, --pairs and --diagonal, beside the whole matrix."""
import json
import os
import unittest

from support import read_npy
from test_command_line import HALF, INPUT, UNLABELLED, USAGE, InFolder, edge_graph, path_graph, vertex_graph

LABELLED = ["--vertex", "delta(kind,0.5)", "--edge", "gaussian(length,0.3)", *HALF]


class Selection(InFolder):
    def whole(self, *options):
        """The matrix of a path, an edge, a vertex and a second path, in this order."""
        self.write("all.jsonl", [path_graph(), edge_graph(), vertex_graph(), path_graph("again")])
        self.octile("gram", "all.jsonl", *LABELLED, "--out", "all.npy", *options)
        return read_npy(self.path("all.npy"))[1]

    def test_columns_make_a_rectangle_out_of_two_sets(self):
        self.write("rows.jsonl", [path_graph(), edge_graph()])
        self.write("library.jsonl", [vertex_graph(), path_graph("again")])
        for normalize in [[], ["--normalize"]]:
            whole = self.whole(*normalize)
            self.octile("gram", "rows.jsonl", "--columns", "library.jsonl", *LABELLED, *normalize, "--out", "K.npy",
                        "--errors", "E.npy", "--gradient", "G.npy", "--summary", "K.json")
            shape, values = read_npy(self.path("K.npy"))
            self.assertEqual(shape, (2, 2))
            for i in range(2):
                for j in range(2):
                    self.assert_close(values[i * 2 + j], whole[i * 4 + 2 + j], 2e-6)
            shape, errors = read_npy(self.path("E.npy"))
            self.assertEqual(shape, (2, 2))
            self.assertLessEqual(max(errors), 2.1e-6)
            shape, derivatives = read_npy(self.path("G.npy"))
            self.assertEqual(shape, (2, 2, 3))  # the two parameters of the expressions, and q
            self.assertTrue(any(derivatives))
            with open(self.path("K.json"), encoding="utf-8") as file:
                summary = json.load(file)
            self.assertEqual(summary["graphs"], ["path", "edge", "vertex", "again"])
            self.assertEqual(summary["selection"], {"kind": "rectangle", "shape": [2, 2],
                                                    "rows": {"first": 0, "count": 2}, "columns": {"first": 2, "count": 2}})
            self.assertEqual(summary["pairs"], 4)

    def test_labels_of_both_files_are_unified(self):
        # `length` is whole in one file and not in the other.
        self.write("rows.jsonl", [path_graph()])
        with open(self.path("library.jsonl"), "w", encoding="utf-8") as file:
            file.write('{"name": "whole", "nodes": [{"id": 0, "kind": "a"}, {"id": 1, "kind": "b"}], '
                       '"links": [{"source": 0, "target": 1, "length": 1}]}\n')
        self.octile("gram", "rows.jsonl", "--columns", "library.jsonl", *LABELLED, "--out", "K.npy")
        self.assertGreater(read_npy(self.path("K.npy"))[1][0], 0)

    def test_pairs_are_given_by_name_or_number(self):
        whole = self.whole()
        with open(self.path("pairs.txt"), "w", encoding="utf-8") as file:
            file.write("again\tedge\n\n#1 #1\nvertex path\n")
        self.octile("gram", "all.jsonl", "--pairs", "pairs.txt", *LABELLED, "--out", "K.npy", "--summary", "K.json")
        shape, values = read_npy(self.path("K.npy"))
        self.assertEqual(shape, (3,))
        for value, place in zip(values, [(3, 1), (0, 0), (2, 0)]):
            self.assert_close(value, whole[place[0] * 4 + place[1]], 2e-6)
        with open(self.path("K.json"), encoding="utf-8") as file:
            self.assertEqual(json.load(file)["selection"]["pairs"], [[3, 1], [0, 0], [2, 0]])

    def test_the_diagonal_is_a_value_for_each_graph(self):
        whole = self.whole()
        self.octile("gram", "all.jsonl", "--diagonal", *LABELLED, "--out", "K.npy")
        shape, values = read_npy(self.path("K.npy"))
        self.assertEqual(shape, (4,))
        for k in range(4):
            self.assert_close(values[k], whole[k * 4 + k], 2e-6)

    def test_small_selections_are_printed(self):
        self.write("rows.jsonl", [path_graph(), edge_graph()])
        self.write("library.jsonl", [vertex_graph("alone")])
        printed = self.octile("gram", "rows.jsonl", "--columns", "library.jsonl", *UNLABELLED, *HALF, "--normalize",
                              "--quiet").stdout
        self.assertRegex(printed, r"1 path +0\.\d\d\n +2 edge +0\.\d\d\ncolumns: 1 alone\n")
        printed = self.octile("gram", "rows.jsonl", "--diagonal", *UNLABELLED, *HALF, "--quiet").stdout
        self.assertIn("0.45         edge - edge\n", printed)

    def test_what_is_no_pair_is_refused_by_line(self):
        self.write("all.jsonl", [path_graph(), edge_graph(), edge_graph()])
        command = ["gram", "all.jsonl", *UNLABELLED, *HALF, "--out", "K.npy", "--pairs", "pairs.txt"]
        for line, parts in {"path": ["pairs.txt:2", "'path' is no pair"],
                            "path nobody": ["pairs.txt:2", "no graph is named 'nobody'", "#1 to #3"],
                            "path edge": ["pairs.txt:2", "several graphs are named 'edge'"],
                            "#1 #4": ["pairs.txt:2", "'#4' is no number of a graph", "#1 to #3"],
                            "#1 #2 #3": ["pairs.txt:2", "is no pair"]}.items():
            with open(self.path("pairs.txt"), "w", encoding="utf-8") as file:
                file.write(f"#1 #2\n{line}\n")
            self.assert_refused(command, INPUT, *parts)
        with open(self.path("pairs.txt"), "w", encoding="utf-8") as file:
            file.write("\n")
        self.assert_refused(command, INPUT, "pairs.txt: holds no pair")
        self.assert_refused([*command, "--diagonal"], USAGE, "--columns, --pairs and --diagonal: allowed is one of them")
        os.remove(self.path("pairs.txt"))
        self.assert_refused(command, INPUT, "pairs.txt")


if __name__ == "__main__":
    unittest.main()
