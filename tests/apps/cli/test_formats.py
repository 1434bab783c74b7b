# SPDX-License-Identifier: BSD-3-Clause
"""Formats of files from outside the program, on small files written here. OCTILE_PROGRAM names it."""
import gzip
import json
import math
import os
import re
import tarfile
import unittest

from support import node_link, read_npy
from test_command_line import HALF, INPUT, OUTPUT, UNLABELLED, USAGE, InFolder


class Targets(InFolder):
    """Numbers to learn, which come with the graphs."""

    def with_targets(self, name, targets):
        graph = json.loads(node_link(name, 2, [(0, 1)]))
        graph["graph"]["targets"] = targets
        return json.dumps(graph)

    def test_reach_the_summary_and_a_file_of_their_own(self):
        self.write("set.jsonl", [self.with_targets("a", {"energy": -1.5, "class": 1}), node_link("b", 2, [(0, 1)]),
                                 self.with_targets("c", {"energy": None, "class": 0})])
        self.octile("gram", "set.jsonl", *UNLABELLED, *HALF, "--labels", "y.npy", "--summary", "K.json", "--quiet")

        shape, values = read_npy(self.path("y.npy"))
        self.assertEqual(shape, (3, 2))
        self.assertEqual((values[0], values[1], values[4]), (1, -1.5, 0))
        self.assertTrue(all(math.isnan(value) for value in (values[2], values[3], values[5])))
        with open(self.path("K.json"), encoding="utf-8") as file:
            self.assertEqual(json.load(file)["targets"], {"class": [1, None, 0], "energy": [-1.5, None, None]})

    def test_that_are_absent_or_no_numbers_are_refused(self):
        labels = ["--labels", "y.npy"]
        self.assert_refused(["gram", self.three_graphs(), *UNLABELLED, *HALF, *labels], INPUT, "--labels", "3 graphs", "target")
        self.assert_refused(["gram", "three.jsonl", *UNLABELLED, *HALF, "--labels", "y.txt"], USAGE, "--labels", ".npy")
        for targets, part in [("high", "high"), ({"energy": "high"}, "'energy'"), ([1], "object")]:
            with self.subTest(targets=targets):
                self.write("bad.jsonl", [self.with_targets("bad", targets)])
                self.assert_refused(["gram", "bad.jsonl", *UNLABELLED, *HALF, *labels], INPUT, "bad.jsonl:1", "target", part)


class Molecules(InFolder):
    """What atoms are labelled with is chosen."""

    def setUp(self):
        super().setUp()
        self.write("two.smi", ["CCO ethanol", "C1CC1 ring"])

    def test_features_are_chosen_and_reach_kernels_and_the_summary(self):
        arguments = ["--vertex", "delta(ring_size,0.5)*delta(morgan1,0.9)", "--edge", "1", *HALF, "--quiet"]
        self.octile("gram", "two.smi", "--features", "default,ring_size,morgan1", *arguments, "--out", "K.npy", "--summary", "K.json")
        with open(self.path("K.json"), encoding="utf-8") as file:
            summary = json.load(file)
        self.assertEqual((summary["features"], summary["explicit_hydrogens"]), ("default,ring_size,morgan1", False))
        self.assert_refused(["gram", "two.smi", *arguments], INPUT, "ring_size")
        info = self.octile("info", "two.smi", "--features", "mass", "--explicit-hydrogens", "--quiet").stdout
        self.assertIn("9 min, 9 median, 9 max", info)
        self.assertIn("mass", info)
        self.assertNotIn("element", info)

    def test_features_that_are_unknown_or_have_no_use_are_refused(self):
        arguments = [*UNLABELLED, *HALF]
        self.assert_refused(["gram", "two.smi", *arguments, "--features", "colour"], USAGE, "'colour'", "default, all, element")
        self.assert_refused(["gram", self.three_graphs(), *arguments, "--features", "all"], USAGE, "--features", ".smi")
        self.assert_refused(["info", "three.jsonl", "--explicit-hydrogens"], USAGE, "--explicit-hydrogens", ".smi")

    def test_the_list_of_kernels_has_grammar_leaves_and_attributes(self):
        text = self.octile("kernels").stdout
        for part in ["sum       :=", "gaussian(attribute, length)", "attributes of molecules (.smi", "vertex morgan3", "edge   order",
                     "attributes of atoms in space (.xyz", "attributes of graphs (.jsonl"]:
            self.assertIn(part, text)


class Structures(InFolder):
    """Atoms of structures are chosen by chain, residue and name."""

    def setUp(self):
        super().setUp()
        record = "ATOM  {:>5} {:<4}{}{} {}{:>4}    {:8.3f}   0.000   0.000  1.00  0.00          {:>2}".format
        self.write("two.pdb", [record(1, " N", " ", "ALA", "A", 1, 0, "N"), record(2, " CA", "A", "ALA", "A", 1, 1.5, "C"),
                               record(3, " CA", "B", "ALA", "A", 1, 1.6, "C"), record(4, " CA", " ", "GLY", "B", 7, 5, "C")])

    def test_are_chosen_and_stand_in_the_summary(self):
        def vertices(*options):
            result = self.octile("info", "two.pdb", *options, "--quiet")
            return int(re.search(r"; (\d+) in all", result.stdout)[1])

        self.assertEqual([vertices(), vertices("--chain", "B"), vertices("--residues", "1,ALA"), vertices("--atoms", "CA")], [3, 1, 2, 2])
        self.octile("gram", "two.pdb", *UNLABELLED, *HALF, "--chain", "A", "--atoms", "CA", "--summary", "K.json", "--quiet")
        with open(self.path("K.json"), encoding="utf-8") as file:
            self.assertEqual(json.load(file)["atoms_taken"], "--chain A --atoms CA")
        self.assertIn("octile gram two.pdb --chain B --residues 5-9 ",
                      self.octile("info", "two.pdb", "--chain", "B", "--residues", "5-9").stdout)

    def test_nodes_shows_where_atoms_stand(self):
        kernel = ["--vertex", "delta(element,0.5)", "--edge", "1", *HALF]
        told = self.octile("nodes", "two.pdb", "two.pdb", *kernel).stdout
        self.assertIn("by number from 0 and chain, residue, residue_number, atom, element", told)
        self.assertRegex(told, r"2 \(B GLY 7 CA C\) - 2 \(B GLY 7 CA C\)")
        # A kernel that reads one of them has it once.
        told = self.octile("nodes", "two.pdb", "two.pdb", "--vertex", "delta(atom,0.5)", "--edge", "1", *HALF).stdout
        self.assertIn("by number from 0 and chain, residue, residue_number, atom\n", told)
        self.write("far.xyz", ["1", "far", "C 0 0 0"])
        self.assertIn("by number from 0 and element\n", self.octile("nodes", "two.pdb", "far.xyz", *kernel).stdout)

    def test_a_choice_that_takes_nothing_or_has_no_use_is_refused(self):
        self.assert_refused(["info", "two.pdb", "--chain", "C"], INPUT, "two.pdb: --chain C takes no heavy atom", "chain A with residues 1 to 1 (ALA)")
        self.assert_refused(["info", "two.pdb", "--residues", "9-1"], USAGE, "--residues '9-1': allowed are")
        self.assert_refused(["info", "two.pdb", "--model", "2"], INPUT, "two.pdb: --model 2: there is 1 model")
        for option in ["--chain", "--residues", "--atoms", "--model"]:
            self.assert_refused(["info", self.three_graphs(), option, "1"], USAGE, option, "none of the inputs has chains", ".pdb, .ent, .cif")

    def test_positions_that_are_left_out_are_counted(self):
        warning = "octile: warning: two.pdb: 1 position of an atom is left out; of alternative positions of an atom the first is taken\n"
        self.assertIn(warning, self.octile("info", "two.pdb").stderr)
        self.assertIn("octile: warning: two.pdb: 1 position", self.octile("info", "two.pdb", "--quiet").stderr)
        self.assertNotIn("left out", self.octile("info", "two.pdb", "--chain", "B").stderr)
        with open(self.path("two.pdb"), encoding="utf-8") as file:
            self.write("more.pdb", [file.read()])
        self.assertIn("two.pdb and 1 other file: 2 positions of atoms are", self.octile("info", "two.pdb", "more.pdb").stderr)


class Tables(InFolder):
    """Molecules in tables, whose columns are chosen by name."""

    def setUp(self):
        super().setUp()
        self.write("drugs.csv", ['id,"log P, measured",SMILES', "a,1.5,CCO", '"b ""B""",,C'])

    def names(self, *arguments):
        self.octile("gram", *arguments, *UNLABELLED, *HALF, "--summary", "K.json", "--quiet")
        with open(self.path("K.json"), encoding="utf-8") as file:
            summary = json.load(file)
        return summary["graphs"], summary.get("targets")

    def test_are_read_by_the_columns_that_are_named(self):
        self.assertEqual(self.names("drugs.csv"), (["drugs.csv:2", "drugs.csv:3"], None))
        self.assertEqual(self.names("--target-column", "log P, measured", "--name-column", "id", "drugs.csv"),
                         (["a", 'b "B"'], {"log P, measured": [1.5, None]}))
        self.write("other.tsv", ["x\ty\tz", "1\tC\t2"])
        self.assertEqual(self.names("other.tsv", "--smiles-column", "y", "--target-column", "x", "--target-column", "z"),
                         (["other.tsv:2"], {"x": [1], "z": [2]}))
        self.octile("info", "drugs.csv", "--name-column", "id")
        self.octile("reorder", "drugs.csv", "--name-column", "id")
        self.octile("nodes", "drugs.csv:a", "drugs.csv:#2", "--name-column", "id", *UNLABELLED, *HALF)

    def test_without_such_a_column_are_refused(self):
        self.assert_refused(["info", "drugs.csv", "--name-column", "name"], INPUT, "drugs.csv:1", "--name-column", "'name'",
                            "'id', 'log P, measured', 'SMILES'")
        graphs = self.three_graphs()
        for option in ["--smiles-column", "--name-column", "--target-column"]:
            with self.subTest(option=option):
                self.assert_refused(["info", graphs, option, "id"], USAGE, option, "columns", graphs, ".csv")
        # One input with columns is enough.
        self.octile("info", graphs, "drugs.csv", "--name-column", "id")

    def test_are_inputs_by_their_own_names_and_not_by_their_folder(self):
        os.mkdir(self.path("set"))
        self.write("set/index.csv", ["file,size", "a.smi,1"])
        self.assert_refused(["info", "set"], INPUT, "set: ", "tables and .json files alone", "set/index.csv")
        self.write("set/a.smi", ["C"])
        self.assertIn("graphs          1\n", self.octile("info", "set").stdout)
        self.assert_refused(["info", "set/index.csv"], INPUT, "set/index.csv:1", "'file', 'size'")

    def test_that_are_wrong_are_refused_with_the_line(self):
        for lines, part in [(["smiles", "C1CC"], "bad.csv:2"), (["smiles,y", "C"], "bad.csv:2"), (["smiles", '"C'], "bad.csv:2"),
                            (["id", "C"], "bad.csv:1")]:
            with self.subTest(lines=lines):
                self.write("bad.csv", lines)
                self.assert_refused(["info", "bad.csv"], INPUT, part)
        self.write("some.csv", ["smiles", "C1CC", "CC"])
        self.assertIn("skipped: 1", self.octile("info", "some.csv", "--skip-invalid").stdout)


class Datasets(InFolder):
    """Folders of the collection TUDataset."""

    def write_dataset(self, name, **parts):
        os.makedirs(self.path(name), exist_ok=True)
        for part, lines in parts.items():
            self.write(f"{name}/{name}_{part}.txt", lines)

    def test_are_one_input(self):
        self.write_dataset("TWO", A=["1, 2", "2, 1", "3, 4", "4, 3"], graph_indicator=[1, 1, 2, 2], graph_labels=[1, 0])
        self.write("TWO/README.txt", ["about"])
        self.octile("gram", "TWO", *UNLABELLED, *HALF, "--labels", "y.npy", "--summary", "K.json", "--quiet")
        self.assertEqual(read_npy(self.path("y.npy")), ((2, 1), [1, 0]))
        with open(self.path("K.json"), encoding="utf-8") as file:
            self.assertEqual(json.load(file)["graphs"], ["TWO:1", "TWO:2"])
        self.octile("nodes", "TWO:#1", "TWO:TWO:2", *UNLABELLED, *HALF)
        self.assertRegex(self.octile("info", "TWO").stdout, r"targets\n  label +0 to 1, 2 distinct\n")

    def test_that_disagree_with_themselves_are_refused(self):
        self.write_dataset("BAD", A=["1, 2", "2, 1", "3, 4"], graph_indicator=[1, 1, 2, 2])
        self.assert_refused(["info", "BAD"], INPUT, "BAD/BAD_A.txt:3: graph 2: (3, 4) is given without (4, 3)")
        self.assertIn("graphs          1\n", self.octile("info", "BAD", "--skip-invalid").stdout)

    def test_the_graphs_of_aids_have_the_isolated_vertices_and_classes_that_are_known(self):
        archive = os.path.join(os.environ.get("OCTILE_DATA", ""), "tudataset", "AIDS.tar.gz")
        if not os.path.exists(archive):
            reason = f"there is no {archive}; OCTILE_DATA names the folder of the data sets"
            print(f"skipped: {reason}")
            self.skipTest(reason)
        with tarfile.open(archive) as files:
            files.extractall(self.folder)
        told = self.octile("info", "AIDS").stdout
        for part in ["graphs          2,000\n", "2 min, 11 median, 95 max", "210 vertices in 163 graphs", "0 to 1, 2 distinct"]:
            self.assertIn(part, told)


class Convert(InFolder):
    """`octile convert` writes what it reads as node-link JSON."""

    def info(self, *arguments):
        return self.octile("info", *arguments, "--quiet").stdout

    def assert_converted(self, *arguments):
        told = self.octile("convert", *arguments, "--out", "all.jsonl").stdout
        self.assertRegex(told, r"wrote all.jsonl: \d+ graphs?\n")
        # The command that is proposed names the file.
        self.assertEqual(re.sub("octile gram .*\n", "", self.info("all.jsonl")),
                         re.sub("(atoms joined|octile gram ).*\n", "", self.info(*arguments)))

    def test_gives_the_same_set_of_any_format(self):
        self.write("drugs.smi", ["CC(=O)O acetic acid", "[Na+].[Cl-] salt", "C methane"])
        self.write("drugs.csv", ["name,y,smiles", "a,1.5,CCO", "b,,C"])
        self.write("atoms.xyz", ["3", "water", "O 0 0 0", "H 0 0 1", "H 0 1 0"])
        self.assert_converted("drugs.smi")
        self.assert_converted("drugs.csv", "--name-column", "name", "--target-column", "y")
        self.assert_converted("atoms.xyz", "--cutoff", "1.2")
        self.write("path.gml", ["graph [ node [ id 0 k 1 ] node [ id 1 k 2 ] edge [ source 0 target 1 weight 2 ] ]"])
        self.write("path.graphml", ['<graphml><graph id="G"><node id="a"/><node id="b"/><edge source="a" target="b"/></graph></graphml>'])
        self.write("path.edges", ["a b 0.5", "b c 2"])
        for name in ["path.gml", "path.graphml", "path.edges"]:
            self.assert_converted(name)
        self.assert_converted("drugs.smi", self.three_graphs(), "atoms.xyz")

    def test_gives_the_same_matrix_names_and_targets(self):
        self.write("drugs.csv", ["name,y,smiles", "a,1.5,CCO", "b,,C#N", "c,-1e-5,c1ccccc1"])
        columns = ["--name-column", "name", "--target-column", "y"]
        kernel = ["--vertex", "delta(element,0.5)", "--edge", "delta(order,0.3)", *HALF]
        self.octile("gram", "drugs.csv", *columns, *kernel, "--out", "K.npy", "--labels", "y.npy")
        self.octile("convert", "drugs.csv", *columns, "--out", "drugs.jsonl", "--quiet")
        self.octile("gram", "drugs.jsonl", *kernel, "--out", "K2.npy", "--labels", "y2.npy")
        for one, other in [("K.npy", "K2.npy"), ("y.npy", "y2.npy")]:
            with open(self.path(one), "rb") as first, open(self.path(other), "rb") as second:
                self.assertEqual(first.read(), second.read())
        self.octile("nodes", "drugs.jsonl:a", "drugs.jsonl:c", *kernel)

    def test_over_its_own_input_is_complete_or_does_nothing(self):
        graphs = self.three_graphs()
        before = self.info(graphs)
        self.octile("convert", graphs, "--out", graphs)
        self.assertEqual(self.info(graphs), before)

    def test_refuses_what_it_cannot_read_or_write(self):
        graphs = self.three_graphs()
        self.assert_refused(["convert", graphs], USAGE, "--out")
        self.assert_refused(["convert", graphs, "--out", "all.json"], USAGE, "--out", ".jsonl")
        self.assert_refused(["convert", graphs, "--out", "nowhere/all.jsonl"], OUTPUT, "nowhere/all.jsonl")
        self.write("bad.smi", ["C1CC", "C"])
        self.assert_refused(["convert", "bad.smi", "--out", "all.jsonl"], INPUT, "bad.smi:1")
        told = self.octile("convert", "bad.smi", "--skip-invalid", "--out", "all.jsonl").stdout
        self.assertIn("skipped: 1\n  bad.smi:1", told)
        self.assertIn("wrote all.jsonl: 1 graph\n", told)


class StandardInput(InFolder):
    """The input - is standard input, whose format --format says."""

    def test_is_read_as_a_file_of_that_format(self):
        text = b"CCO ethanol\nC\n"
        self.octile("gram", "-", "--format", ".smi", *UNLABELLED, *HALF, "--summary", "K.json", "--quiet", stdin=text)
        with open(self.path("K.json"), encoding="utf-8") as file:
            self.assertEqual(json.load(file)["graphs"], ["ethanol", "stdin:2"])
        for command in [["info", "-"], ["convert", "-", "--out", "all.jsonl"]]:
            plain, compressed = (self.octile(*command, "--format", ".smi", stdin=data).stdout for data in [text, gzip.compress(text)])
            self.assertEqual(plain, compressed)
        self.octile("reorder", "-", "--format", ".smi", stdin=text)
        self.assertIn("graphs          3\n", self.octile("info", "all.jsonl", "-", "--format", ".smi", stdin=b"O").stdout)

    def test_may_have_atoms_or_columns(self):
        atoms = b"2\n\nC 0 0 0\nO 0 0 3\n"
        self.assertIn("--cutoff 5 ", self.octile("info", "-", "--format", ".xyz", "--cutoff", "5", stdin=atoms).stdout)
        self.octile("info", "-", "--format", ".csv", "--smiles-column", "x", stdin=b"x,y\nC,1\n")

    def test_without_a_format_or_twice_is_refused(self):
        self.assert_refused(["info", "-"], USAGE, "--format", ".smi")
        self.assert_refused(["info", "-", "--format", "smiles"], USAGE, "--format smiles", ".smi")
        self.assert_refused(["info", "-", "-", "--format", ".smi"], USAGE, "twice")
        self.assert_refused(["info", self.three_graphs(), "--format", ".smi"], USAGE, "--format")
        self.assert_refused(["info", "-", "--format", "_A.txt"], INPUT, "standard input", "folder")

    def test_that_is_wrong_is_refused_with_the_line(self):
        for suffix, text, part in [(".smi", b"C\nC1CC\n", ":2: "), (".jsonl", b"{\n", ":1: "), (".csv", b"", ": is empty"),
                                   (".xyz", b"1\n\n", ":2: "), (".pdb", b"HEADER\n", ": "), (".sdf", b"x\n", ":1: "),
                                   (".smi", b"\x1f\x8b\x08", ": the gzip data is damaged"), (".smi", b"", ": holds no graph")]:
            with self.subTest(suffix=suffix, text=text):
                result = self.octile("info", "-", "--format", suffix, stdin=text, code=INPUT)
                self.assertRegex(result.stderr, r"\Aoctile: standard input" + part + r"?[^\n]+\n\Z")

    def test_a_pattern_that_no_file_matches_is_told_so(self):
        for pattern in ["*.smi", "drugs-?.smi", "set[12].csv", "nowhere/*"]:
            self.assert_refused(["info", pattern], INPUT, pattern, "no file matches")
        self.write("a*.smi", ["C"])
        self.octile("info", "a*.smi")

    def test_a_pattern_stands_for_the_files_that_it_matches(self):
        for name, line in [("set2.smi", "CCO b"), ("set10.smi", "CC a"), ("other.smi", "C c")]:
            self.write(name, [line])
        self.octile("convert", "set*.smi", "--out", "all.jsonl")
        with open(self.path("all.jsonl"), encoding="utf-8") as file:
            self.assertEqual([json.loads(line)["graph"]["name"] for line in file], ["a", "b"])
        self.assertIn("graphs", self.octile("info", "set?.smi", "set??.smi").stdout)
        kernel = ["--vertex", "delta(element,0.5)", "--edge", "delta(order,0.3)", "--stopping", "weight:0.05"]
        self.octile("gram", "set*.smi", *kernel, "--quiet", "--out", "K.npy")
        self.octile("audit", "K.npy", "set*.smi")


if __name__ == "__main__":
    unittest.main()
