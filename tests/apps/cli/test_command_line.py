# SPDX-License-Identifier: BSD-3-Clause
"""The program from outside, on small files written here. OCTILE_PROGRAM names it."""
import json
import os
import pty
import random
import re
import select
import signal
import subprocess
import tempfile
import time
import unittest

from support import PATIENCE, PROGRAM, main_side_by_side, node_link, parse_npy, read_npy, run, write_lines

UNLABELLED = ["--vertex", "1", "--edge", "1"]
HALF = ["--stopping", "weight:0.5"]

# Solved by hand (tests/lib/pairs/test_hand_solved.cpp), q = 0.5 as weight, unlabelled.
K_EDGE_EDGE = 0.45
K_PATH_EDGE = 199 / 412
K_VERTEX_ANY = 0.25

SUCCESS, INPUT, USAGE, UNCONVERGED, OUTPUT, DISAGREEMENT, INTERNAL, INTERRUPTED = 0, 1, 2, 3, 4, 5, 70, 130


def edge_graph(name="edge"):
    return node_link(name, {"kind": ["a", "b"]}, [(0, 1)], {"length": [0.5]})


def path_graph(name="path"):
    return node_link(name, {"kind": ["a", "b", "a"]}, [(0, 1), (1, 2)], {"length": [0.25, 0.75]})


def vertex_graph(name="vertex"):
    return node_link(name, {"kind": ["a"]}, [])


class InFolder(unittest.TestCase):
    """Each test has a folder of its own, in which the program runs."""

    def setUp(self):
        self.folder = self.enterContext(tempfile.TemporaryDirectory())

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, lines):
        write_lines(self.path(name), lines)
        return name

    def three_graphs(self):
        return self.write("three.jsonl", [edge_graph(), path_graph(), vertex_graph()])

    def backend_names(self):
        """The first word of every line of `octile backends`."""
        return [line.split()[0] for line in self.octile("backends").stdout.splitlines() if line.strip()]

    def octile(self, *arguments, code=SUCCESS, **options):
        result = run(*arguments, folder=self.folder, **options)
        self.assertEqual(result.returncode, code, f"{arguments}\n{result.stdout}{result.stderr}")
        return result

    def assert_close(self, value, expected, relative=1e-7):
        self.assertLessEqual(abs(value - expected), relative * abs(expected), f"{value} is not {expected}")

    def assert_refused(self, arguments, code, *parts):
        """One line on standard error with all the parts, nothing on standard output, no new file."""
        before = sorted(os.listdir(self.folder))
        result = self.octile(*arguments, code=code)
        self.assertEqual(result.stdout, "", arguments)
        self.assertRegex(result.stderr, r"\Aoctile: [^\n]+\n\Z", arguments)
        for part in parts:
            self.assertIn(part, result.stderr, arguments)
        self.assertEqual(sorted(os.listdir(self.folder)), before, arguments)


class Gram(InFolder):
    def test_writes_the_matrix_in_the_order_of_the_graphs(self):
        self.octile("gram", self.three_graphs(), *UNLABELLED, *HALF, "--out", "K.npy")

        shape, values = read_npy(self.path("K.npy"))
        self.assertEqual(shape, (3, 3))
        for place, expected in {(0, 0): K_EDGE_EDGE, (0, 1): K_PATH_EDGE, (0, 2): K_VERTEX_ANY,
                                (1, 2): K_VERTEX_ANY, (2, 2): K_VERTEX_ANY}.items():
            self.assert_close(values[place[0] * 3 + place[1]], expected)
            self.assertEqual(values[place[0] * 3 + place[1]], values[place[1] * 3 + place[0]])
        self.assertEqual(sorted(os.listdir(self.folder)), ["K.json", "K.npy", "three.jsonl"])

    def test_every_backend_and_precision_gives_the_same(self):
        names = [name for name in self.backend_names() if ":" in name]
        for name in ["reference", "portable", *names]:
            for precision in ["float64"] if name == "reference" else ["float64", "float32"]:
                with self.subTest(backend=name, precision=precision):
                    result = run("gram", self.three_graphs(), *UNLABELLED, *HALF, "--out", "K.npy", "--backend", name,
                                 "--precision", precision, folder=self.folder)
                    if result.returncode == USAGE and "cuda" in name:
                        continue  # compiled in, but there is no GPU here
                    self.assertEqual(result.returncode, SUCCESS, result.stderr)
                    _, values = read_npy(self.path("K.npy"))
                    self.assert_close(values[1], K_PATH_EDGE, 1e-7 if precision == "float64" else 1e-5)

    def test_kernels_read_the_attributes_of_the_file(self):
        # C-O with C-O of tests/lib/pairs/test_hand_solved.cpp: u = 0.45, w = 9/56.
        self.write("two.jsonl", [edge_graph()])
        self.octile("gram", "two.jsonl", "--vertex", "delta(kind, 0.5)", "--edge", "gaussian(length, 1)", *HALF, "--out",
                    "K.npy")

        _, values = read_npy(self.path("K.npy"))
        self.assert_close(values[0], (0.45 + 9 / 56) / 2)

    def test_a_probability_is_not_a_weight(self):
        self.octile("gram", self.three_graphs(), *UNLABELLED, "--stopping", "probability:0.5", "--out", "K.npy")

        _, values = read_npy(self.path("K.npy"))
        self.assert_close(values[0], 1 / 3)
        self.assert_close(values[1], 1 / 3)

    def test_normalises_to_a_diagonal_of_exactly_one(self):
        self.octile("gram", self.three_graphs(), *UNLABELLED, *HALF, "--normalize", "--out", "K.npy")

        _, values = read_npy(self.path("K.npy"))
        self.assertEqual([values[0], values[4], values[8]], [1.0, 1.0, 1.0])
        self.assert_close(values[2], K_VERTEX_ANY / (K_EDGE_EDGE * K_VERTEX_ANY) ** 0.5)

    def test_a_second_run_writes_the_same_bytes_over_the_first(self):
        graphs = self.write("many.jsonl", random_graphs(12, 20, 1))
        arguments = ["gram", graphs, "--vertex", "1", "--edge", "gaussian(length, 0.3)", "--stopping", "weight:0.0005",
                     "--out", "K.npy"]
        with open(self.path("K.npy"), "w", encoding="utf-8") as file:
            file.write("an older result")
        self.octile(*arguments)
        with open(self.path("K.npy"), "rb") as file:
            first = file.read()
        self.octile(*arguments, "--threads", "1")
        with open(self.path("K.npy"), "rb") as file:
            second = file.read()
        self.assertEqual(parse_npy(first)[0], (12, 12))
        self.assertEqual(first, second)

    def test_several_files_make_one_set_and_the_summary_names_its_graphs(self):
        self.write("a.jsonl", [edge_graph(), path_graph()])
        self.write("b.jsonl", [vertex_graph()])
        self.octile("gram", "b.jsonl", "a.jsonl", *UNLABELLED, *HALF, "--out", "K.npy", "--summary", "K.json")

        with open(self.path("K.json"), encoding="utf-8") as file:
            summary = json.load(file)
        self.assertEqual(summary["graphs"], ["vertex", "edge", "path"])
        self.assertEqual(summary["kernel"], {"vertex": "1", "edge": "1", "stopping": "weight:0.5"})
        self.assertEqual(summary["pairs"], 6)
        self.assertEqual(summary["unconverged"], [])
        _, values = read_npy(self.path("K.npy"))
        self.assert_close(values[5], K_PATH_EDGE)

    def test_prints_a_small_matrix_where_no_file_is_asked_for(self):
        result = self.octile("gram", self.three_graphs(), *UNLABELLED, *HALF)

        for name in ["edge", "path", "vertex"]:
            self.assertIn(name, result.stdout)
        self.assertIn("0.45", result.stdout)
        self.assertEqual(os.listdir(self.folder), ["three.jsonl"])

    def test_quiet_writes_the_file_and_says_nothing(self):
        result = self.octile("gram", self.three_graphs(), *UNLABELLED, *HALF, "--out", "K.npy", "--quiet")

        self.assertEqual(result.stdout + result.stderr, "")
        self.assertTrue(os.path.exists(self.path("K.npy")))

    def test_reads_molecules_whatever_the_order_of_their_atoms(self):
        self.write("drugs.smi", ["# a comment", "CCO ethanol", "OCC backwards", "[Na+].[Cl-] salt", "C methane",
                                 "c1ccccc1C(=O)O"])
        self.octile("gram", "drugs.smi", "--vertex", "delta(element,0.5)*delta(charge,0.8)", "--edge",
                    "delta(order,0.3)", "--stopping", "weight:0.05", "--normalize", "--out", "K.npy", "--summary",
                    "K.json")

        shape, values = read_npy(self.path("K.npy"))
        self.assertEqual(shape, (5, 5))
        self.assert_close(values[1], 1)
        with open(self.path("K.json"), encoding="utf-8") as file:
            self.assertEqual(json.load(file)["graphs"], ["ethanol", "backwards", "salt", "methane", "drugs.smi:6"])

    def test_every_primitive_of_a_backend_gives_the_same(self):
        for primitive in ["auto", "shared-tiling:4,24", "register-blocking:16,8", "tiling-blocking", "dense-dense",
                          "dense-sparse", "sparse-sparse", "adaptive", "rows"]:
            with self.subTest(primitive=primitive):
                self.octile("gram", self.three_graphs(), *UNLABELLED, *HALF, "--out", "K.npy", "--primitive", primitive,
                            "--summary", "K.json")
                _, values = read_npy(self.path("K.npy"))
                self.assert_close(values[1], K_PATH_EDGE)
                with open(self.path("K.json"), encoding="utf-8") as file:
                    # With its parameters, given or not.
                    self.assertEqual(json.load(file)["primitive"],
                                     "tiling-blocking:8,8" if primitive == "tiling-blocking" else primitive)

    def test_says_what_the_solver_chose_once_and_before_the_work(self):
        result = self.octile("gram", self.three_graphs(), *UNLABELLED, *HALF, "--out", "K.npy", "--summary", "K.json",
                             "--memory", "1.5 MiB")

        self.assertRegex(result.stderr, r"\Asolver: [^\n]+ of 76[0-7] KiB; values certified to 1e-06, with half of [^\n]+\n\Z")
        self.assertNotIn("solver", result.stdout)
        with open(self.path("K.json"), encoding="utf-8") as file:
            summary = json.load(file)
        self.assertEqual(result.stderr, f"solver: {summary['solver']}\n")
        self.assertEqual(summary["memory"], 3 * 2**19)

    def test_says_which_pairs_did_not_converge_and_keeps_their_values(self):
        graphs = self.write("many.jsonl", random_graphs(3, 12, 2))
        result = self.octile("gram", graphs, "--vertex", "1", "--edge", "gaussian(length, 0.2)", "--stopping",
                             "weight:0.0005", "--max-iterations", "2", "--tolerance", "1e-8", "--out", "K.npy", "--summary",
                             "K.json", "--quiet", code=UNCONVERGED)

        self.assertIn("g0 - g1", result.stdout)
        self.assertIn("iteration limit", result.stdout)
        with open(self.path("K.json"), encoding="utf-8") as file:
            unconverged = json.load(file)["unconverged"]
        self.assertEqual(len(unconverged), 6)
        self.assertEqual({pair["status"] for pair in unconverged}, {"iteration limit"})
        self.assertTrue(all(pair["residual"] > 1e-8 and pair["iterations"] == 2 for pair in unconverged))
        shape, values = read_npy(self.path("K.npy"))
        self.assertEqual(shape, (3, 3))
        self.assertTrue(all(value > 0 for value in values))

    def test_float32_refines_what_it_cannot_solve(self):
        # A cycle at small q: rounding in float32 keeps the residual above 1e-6.
        cycle = node_link("cycle", 40, [(k, (k + 1) % 40) for k in range(40)])
        graphs = self.write("cycle.jsonl", [cycle, path_graph()])
        # With a primitive, since the closed form is never in float32.
        arguments = ["gram", graphs, *UNLABELLED, "--stopping", "weight:0.0005", "--precision", "float32", "--tolerance", "1e-6",
                     "--primitive", "sparse-sparse"]
        self.octile(*arguments, "--out", "K.npy", "--summary", "K.json")

        # By hand: d = 2+q, x constant, (d²−4) x = d²q².
        d = 2.0005
        _, values = read_npy(self.path("K.npy"))
        self.assert_close(values[0], d * d * 0.0005**2 / (d * d - 4), 1e-5)
        with open(self.path("K.json"), encoding="utf-8") as file:
            self.assertGreaterEqual(json.load(file)["refined_in_float64"], 1)
        self.octile(*arguments, "--out", "K.npy", "--no-refine", code=UNCONVERGED)

    def test_values_have_the_accuracy_that_is_asked_for_and_their_bounds_are_true(self):
        labelled = ["--vertex", "delta(kind, 0.5)", "--edge", "gaussian(length, 0.5)", *HALF]
        graphs = self.three_graphs()
        self.octile("gram", graphs, *labelled, "--backend", "reference", "--out", "exact.npy")
        _, exact = read_npy(self.path("exact.npy"))
        for accuracy in ["1e-3", "1e-6", "1e-10"]:
            with self.subTest(accuracy=accuracy):
                result = self.octile("gram", graphs, *labelled, "--accuracy", accuracy, "--out", "K.npy", "--errors",
                                     "E.npy", "--summary", "K.json")
                _, values = read_npy(self.path("K.npy"))
                shape, bounds = read_npy(self.path("E.npy"))
                self.assertEqual(shape, (3, 3))
                for value, expected, bound in zip(values, exact, bounds):
                    self.assertLessEqual(bound, float(accuracy))
                    self.assertLessEqual(abs(value - expected), (bound + 1e-14) * expected)
                with open(self.path("K.json"), encoding="utf-8") as file:
                    summary = json.load(file)
                self.assertEqual(summary["largest_error"], max(bounds))
                self.assertEqual(float(summary["accuracy"]), float(accuracy))
                self.assertIn("largest relative error, at most: ", result.stdout)

    def test_without_options_values_are_proven_to_a_millionth(self):
        labelled = ["--vertex", "delta(kind, 0.5)", "--edge", "gaussian(length, 0.5)", *HALF]
        self.octile("gram", self.three_graphs(), *labelled, "--backend", "portable", "--out", "K.npy", "--errors", "E.npy")
        self.assertLessEqual(max(read_npy(self.path("E.npy"))[1]), 1e-6)

    def test_derivatives_are_those_of_the_values(self):
        def matrix(height, *more):
            self.octile("gram", self.three_graphs(), "--vertex", f"delta(kind, {height})", "--edge", "gaussian(length, 0.5)",
                        *HALF, "--accuracy", "1e-10", "--normalize", "--out", "K.npy", *more)
            return read_npy(self.path("K.npy"))[1]

        matrix(0.5, "--gradient", "G.npy", "--summary", "summary.json")
        shape, gradient = read_npy(self.path("G.npy"))
        above, below = matrix(0.501), matrix(0.499)

        with open(self.path("summary.json"), encoding="utf-8") as file:
            self.assertEqual(json.load(file)["parameters"],
                             [{"name": "vertex.delta(kind)", "value": 0.5}, {"name": "edge.gaussian(length)", "value": 0.5},
                              {"name": "q", "value": 0.5}])
        self.assertEqual(shape, (3, 3, 3))
        for k in range(9):
            self.assertLessEqual(abs(gradient[3 * k] - (above[k] - below[k]) / 0.002), 1e-5)

    def test_walks_start_where_they_are_told_to(self):
        graphs = self.three_graphs()
        self.octile("gram", graphs, *UNLABELLED, *HALF, "--out", "K.npy")
        _, means = read_npy(self.path("K.npy"))
        self.octile("gram", graphs, *UNLABELLED, *HALF, "--start", "ones", "--out", "K.npy")
        _, sums = read_npy(self.path("K.npy"))
        sizes = [2, 3, 1]
        for i in range(3):
            for j in range(3):
                self.assert_close(sums[3 * i + j], sizes[i] * sizes[j] * means[3 * i + j], 1e-5)
        # Walks of no step have q² = 1/4 of every value.
        self.octile("gram", graphs, *UNLABELLED, *HALF, "--lmin", "1", "--out", "K.npy")
        _, longer = read_npy(self.path("K.npy"))
        for k in range(9):
            self.assertLessEqual(abs(longer[k] - (means[k] - 0.25)), 1e-5)

    def test_every_lowering_gives_the_same(self):
        for lowering in ["auto", "closed-form", "factored", "on-the-fly"]:
            with self.subTest(lowering=lowering):
                result = run("gram", self.three_graphs(), *UNLABELLED, *HALF, "--out", "K.npy", "--backend",
                             "portable:serial", "--lowering", lowering, folder=self.folder)
                self.assertEqual(result.returncode, SUCCESS, result.stderr)
                self.assert_close(read_npy(self.path("K.npy"))[1][1], K_PATH_EDGE, 1e-7)
                if lowering != "auto":
                    self.assertIn(f"lowering {lowering},", result.stderr)

    def test_a_lowering_that_does_not_fit_is_refused(self):
        graphs = self.three_graphs()
        arguments = ["gram", graphs, *UNLABELLED, *HALF, "--out", "K.npy", "--lowering"]
        self.assert_refused([*arguments, "fast"], USAGE, "auto, closed-form, factored, table, on-the-fly")
        self.assert_refused([*arguments, "factored", "--backend", "reference"], USAGE, "no lowering 'factored'")
        self.assert_refused([*arguments, "table", "--backend", "portable:serial"], INPUT, "constant")

    def test_passes_over_bad_lines_only_when_asked(self):
        graphs = self.write("some.jsonl", [edge_graph(), "{", path_graph()])
        arguments = ["gram", graphs, *UNLABELLED, *HALF, "--out", "K.npy", "--summary", "K.json"]
        self.assert_refused(arguments, INPUT, "some.jsonl:2")
        self.octile(*arguments, "--skip-invalid")

        with open(self.path("K.json"), encoding="utf-8") as file:
            summary = json.load(file)
        self.assertEqual(summary["graphs"], ["edge", "path"])
        self.assertEqual(len(summary["skipped"]), 1)
        self.assertIn("some.jsonl:2", summary["skipped"][0])


class Atoms(InFolder):
    """Formats with coordinates: atoms are joined by distance."""

    KERNEL = ["--vertex", "delta(element,0.5)", "--edge", "gaussian(length,0.3)", *HALF]
    PAIR = ["2", "pair", "C 0 0 0", "O 0 0 3"]
    TRIPLE = ["3", "triple", "C 0 0 0", "O 0 0 3", "C 0 0 6"]

    def edges(self, *arguments):
        """The lines of `octile info` on edges."""
        return re.search(r"^edges +(.*)$", self.octile("info", *arguments).stdout, re.MULTILINE).group(1)

    def test_cutoff_and_decay_join_atoms(self):
        atoms = self.write("atoms.xyz", [*self.PAIR, *self.TRIPLE])
        self.assertTrue(self.edges(atoms).startswith("1 min, 2 median, 2 max"))
        self.assertTrue(self.edges(atoms, "--cutoff", "3").startswith("0 min, 0 median, 0 max"))
        self.assertTrue(self.edges(atoms, "--cutoff", "7").startswith("1 min, 3 median, 3 max"))
        told = self.octile("info", atoms, "--cutoff", "6", "--decay", "3").stdout
        self.assertRegex(told, r"atoms joined +--cutoff 6 --adjacency tent:3 --images nearest")
        self.assertRegex(told, r"weights +0.125 min, 0.125 median, 0.125 max")

    def test_all_commands_read_atoms(self):
        atoms = self.write("atoms.xyz", [*self.PAIR, *self.TRIPLE])
        self.octile("gram", atoms, *self.KERNEL, "--cutoff", "5", "--out", "K.npy", "--summary", "K.json")
        with open(self.path("K.json"), encoding="utf-8") as file:
            summary = json.load(file)
        self.assertEqual((summary["graphs"], summary["cutoff"], summary["adjacency"]), (["pair", "triple"], 5, "tent:2"))
        told = self.octile("nodes", "atoms.xyz:pair", "atoms.xyz:#2", *self.KERNEL, "--cutoff", "5").stdout
        value = float(re.search(r"K = (\S+):", told).group(1))
        self.assertAlmostEqual(value, read_npy(self.path("K.npy"))[1][1], delta=1e-9)
        self.octile("verify", atoms, *self.KERNEL, "--cutoff", "5", "--pairs", "1", "--primitives", "adaptive")

    def test_a_folder_is_the_set_of_its_files(self):
        os.mkdir(self.path("set"))
        self.write("set/b.xyz", self.PAIR)
        self.write("set/a.xyz", self.TRIPLE)
        self.write("set/broken.pdb", ["HEADER"])
        self.write("set/notes.txt", ["no graph"])
        self.assert_refused(["gram", "set", *self.KERNEL], INPUT, "broken.pdb", "no heavy atom")
        self.octile("gram", "set", *self.KERNEL, "--skip-invalid", "--summary", "K.json")
        with open(self.path("K.json"), encoding="utf-8") as file:
            summary = json.load(file)
        self.assertEqual(summary["graphs"], ["triple", "pair"])
        self.assertEqual(len(summary["skipped"]), 1)

    def test_rules_join_atoms_and_are_told(self):
        atoms = self.write("atoms.xyz", self.PAIR)
        options = ["--cutoff", "vdw:1", "--adjacency", "bell:2,1", "--images", "all"]
        told = self.octile("info", atoms, *options).stdout
        self.assertIn("--cutoff vdw:1 --adjacency bell:2,1 --images all", told)
        self.octile("gram", atoms, *self.KERNEL, *options, "--summary", "K.json", "--quiet")
        with open(self.path("K.json"), encoding="utf-8") as file:
            summary = json.load(file)
        self.assertEqual((summary["cutoff"], summary["adjacency"], summary["images"]), ("vdw:1", "bell:2,1", "all"))
        for refused in [["--cutoff", "radius:1"], ["--adjacency", "tent"], ["--adjacency", "bell:1"], ["--images", "some"],
                        ["--decay", "1", "--adjacency", "tent:2"]]:
            with self.subTest(refused=refused):
                told = refused[0] if len(refused) > 2 else f"{refused[0]} '{refused[1]}'"
                self.assert_refused(["info", atoms, *refused], USAGE, told, "allowed is")

    def test_units_that_look_wrong_are_warned_of(self):
        def warning(*arguments):
            return self.octile("info", *arguments).stderr

        atoms = self.write("atoms.xyz", self.PAIR)
        self.assertNotIn("warning", warning(atoms))
        self.assertRegex(warning(atoms, "--cutoff", "2"),
                         r"\Aoctile: warning: atoms.xyz: no two atoms are joined in 1 graph, by --cutoff 2; [^\n]+ in Å\?\n\Z")
        self.write("nm.xyz", ["3", "water", "O 0 0 0", "H 0 0 0.096", "H 0.093 0 -0.024"])
        self.assertIn("3 of 3 joined atoms have their nearest neighbour below 0.5 Å", warning("nm.xyz"))
        self.assertEqual(warning("nm.xyz", "--quiet").count("octile: warning: "), 1)
        self.write("alone.xyz", ["1", "neon", "Ne 0 0 0"])
        self.assertNotIn("warning", warning("alone.xyz"))

    def test_options_that_cannot_be_right_are_refused(self):
        atoms = self.write("atoms.xyz", self.PAIR)
        for option, value in [("--cutoff", "0"), ("--cutoff", "-4"), ("--cutoff", "inf"), ("--cutoff", "nan"),
                              ("--cutoff", "far"), ("--decay", "-1"), ("--decay", "nan")]:
            with self.subTest(option=option, value=value):
                self.assert_refused(["gram", atoms, *self.KERNEL, option, value], USAGE, option)
        graphs = self.three_graphs()
        for option in ["--cutoff", "--decay"]:
            with self.subTest(option=option):
                self.assert_refused(["info", graphs, option, "3"], USAGE, option, "coordinates", graphs, ".xyz")
        self.assert_refused(["nodes", "three.jsonl:edge", "three.jsonl:path", *UNLABELLED, *HALF, "--cutoff", "3"], USAGE,
                            "--cutoff", "coordinates")
        # One input with coordinates is enough.
        self.octile("info", graphs, atoms, "--cutoff", "3.5")


class Choosing(InFolder):
    """A kernel for who has not chosen one."""

    def proposal(self, *arguments):
        """The command that `octile info` proposes, which runs as it is printed."""
        line = re.search(r"^a kernel to try: octile (.*)$", self.octile("info", *arguments).stdout, re.MULTILINE).group(1)
        subprocess.run(f"exec {PROGRAM} {line} --quiet", shell=True, cwd=self.folder, check=True, capture_output=True, timeout=120)
        _, values = read_npy(self.path("K.npy"))
        self.assertTrue(all(0 < value <= 1.000001 for value in values))
        return line

    def test_info_proposes_a_kernel_that_runs(self):
        self.write("some drugs.smi", ["CCO", "c1ccccc1O"])
        self.assertEqual(self.proposal("some drugs.smi"),
                         "gram 'some drugs.smi' --preset molecule --normalize --out K.npy")
        self.write("atoms.xyz", [*Atoms.PAIR, *Atoms.TRIPLE])
        self.assertEqual(self.proposal("atoms.xyz", "--cutoff", "5"),
                         "gram atoms.xyz --cutoff 5 --preset structure --normalize --out K.npy")
        self.assertIn("--vertex 'delta(kind,0.3)*delta(degree,0.3)' --edge 'gaussian(length,0.12)'", self.proposal(self.three_graphs()))
        self.write("bare.jsonl", [node_link("a", 3, [(0, 1), (1, 2)]), node_link("b", 2, [(0, 1)])])
        self.assertIn("--preset network", self.proposal("bare.jsonl"))
        odd = {"it's": ["a", "b"], "two words": ["a", "b"], "same": [1, 1], "list": [[1], [2]], "many": [0.5, 2.5]}
        self.write("odd.jsonl", [node_link("a", odd, [(0, 1)])])
        self.assertIn("""--vertex 'delta("two words",0.3)*gaussian(many,0.5)' --edge 1""", self.proposal("odd.jsonl"))
        self.proposal("some drugs.smi", "--features", "element,mass", "--explicit-hydrogens")

    def test_labels_come_first_and_coordinates_and_names_of_vertices_are_left_out(self):
        ring = [(k, (k + 1) % 6) for k in range(6)]

        def drawing(shift, kinds, **more):
            values = {"attribute0": [shift + 1.37 * k for k in range(7)], "kind": list(kinds), **more}
            return node_link(f"drawing {shift}", values, [*ring, (0, 6)])

        # Where vertices lie says nothing of a molecule; what they are does, also if it comes last by the alphabet.
        self.write("drawn.jsonl", [drawing(0.5, "CCNCCCO"), drawing(3.25, "CCCCCCN")])
        self.assertIn("--vertex 'delta(kind,0.3)*delta(degree,0.3)' --edge 1", self.proposal("drawn.jsonl"))
        # Numbers that repeat are a property; they come behind labels.
        charges = [0.1, 0.1, -0.2, 0.1, 0.1, 0.1, -0.25]
        self.write("charged.jsonl", [drawing(0.5, "CCNCCCO", charge=charges), drawing(3.25, "CCCCCCN", charge=charges)])
        self.assertIn("--vertex 'delta(kind,0.3)*gaussian(charge,0.087)' --edge 1", self.proposal("charged.jsonl"))
        # Without labels, where vertices lie is all that there is.
        points = {"x": [0.5, 1.25, 2.5, 3.75], "y": [0.5, 1.5, 0.25, 2.125]}
        self.write("points.jsonl", [node_link("points", points, [(0, 1), (1, 2), (2, 3)])])
        self.assertIn("--vertex 'gaussian(x,0.81)*gaussian(y,0.47)' --edge 1", self.proposal("points.jsonl"))
        # The label of GML is what networkx calls a vertex.
        for name, vertices in (("six", range(6)), ("five", range(5))):
            nodes = "".join(f'  node [\n    id {k}\n    label "v{k}"\n  ]\n' for k in vertices)
            edges = "".join(f"  edge [\n    source {k}\n    target {k + 1}\n  ]\n" for k in vertices[:-1])
            self.write(f"{name}.gml", [f"graph [\n{nodes}{edges}]"])
        self.assertIn("--preset network", self.proposal("six.gml", "five.gml"))
        numbered = {"number": [10, 11, 12, 13], "kind": ["a", "a", "b", "b"]}
        self.write("numbered.jsonl", [node_link("numbered", numbered, [(0, 1), (1, 2), (2, 3)])])
        self.assertIn("--vertex 'delta(kind,0.3)*delta(degree,0.3)' --edge 1", self.proposal("numbered.jsonl"))
        # All vertices have two edges: a degree would add nothing.
        self.write("cycles.jsonl", [node_link("cycle", {"kind": list("aaabbb")}, ring)])
        self.assertIn("--vertex 'delta(kind,0.3)' --edge 1", self.proposal("cycles.jsonl"))

    def test_a_second_line_is_for_targets_that_grow_with_the_graphs(self):
        second = r"^if the targets grow with the graphs, as energies do: octile (.*)$"
        self.write("energies.csv", ["smiles,energy", "CCO,-1.5", "CCCO,-2", "CCCCO,-2.5"])
        told = self.octile("info", "energies.csv", "--target-column", "energy").stdout
        line = re.search(second, told, re.MULTILINE).group(1)
        self.assertEqual(line, "gram energies.csv --target-column energy --preset molecule --start ones --out K.npy")
        subprocess.run(f"exec {PROGRAM} {line} --quiet", shell=True, cwd=self.folder, check=True, capture_output=True, timeout=120)
        _, values = read_npy(self.path("K.npy"))
        self.assertLess(values[0], values[4])
        self.assertLess(values[4], values[8])
        # Classes do not grow.
        self.write("classes.csv", ["smiles,active", "CCO,0", "CCCO,1", "CCCCO,1"])
        self.assertNotRegex(self.octile("info", "classes.csv", "--target-column", "active").stdout, re.compile(second, re.MULTILINE))
        self.write("plain.smi", ["CCO"])
        self.assertNotRegex(self.octile("info", "plain.smi").stdout, re.compile(second, re.MULTILINE))

    def test_info_counts_records(self):
        self.assertIn("records         2 of vertices and 3 of edges differ", self.octile("info", self.three_graphs()).stdout)

    def test_presets_are_kernels_whose_parts_can_be_replaced(self):
        graphs = self.three_graphs()
        self.octile("gram", graphs, "--preset", "unlabelled", "--stopping", "weight:0.5", "--out", "K.npy", "--quiet")
        _, values = read_npy(self.path("K.npy"))
        self.assert_close(values[1], K_PATH_EDGE)
        self.octile("gram", graphs, "--preset", "network", "--quiet")
        self.octile("verify", graphs, "--preset", "network", "--pairs", "1", "--primitives", "adaptive")
        self.octile("nodes", "three.jsonl:path", "three.jsonl:edge", "--preset", "network")
        self.assert_refused(["gram", graphs, "--preset", "any"], USAGE, "'any'", "molecule, structure, network, unlabelled")
        self.assert_refused(["gram", graphs, "--vertex", "1", "--stopping", "weight:1"], USAGE, "--edge is required", "--preset")

    def test_a_kernel_that_is_the_same_for_all_pairs_is_warned_of(self):
        self.write("two.jsonl", [edge_graph(), path_graph()])

        def warning(*arguments):
            return self.octile("gram", "two.jsonl", *arguments, "--out", "K.npy").stderr.count("octile: warning: 2 of 2 graphs are the same to this kernel, which has one value for every pair of them: ")

        probability = ["--stopping", "probability:0.1"]
        self.assertEqual(warning(*UNLABELLED, *probability), 1)
        self.assertEqual(warning(*UNLABELLED, *probability, "--quiet"), 1)
        _, values = read_npy(self.path("K.npy"))
        self.assert_close(values[1], values[0])
        self.assert_close(values[3], values[0])
        self.assertEqual(warning(*UNLABELLED, *probability, "--start", "ones"), 0)
        self.assertEqual(warning(*UNLABELLED, *probability, "--start", "ones", "--normalize"), 1)
        self.assertEqual(warning(*UNLABELLED, *HALF), 0)
        self.assertEqual(warning("--vertex", "delta(degree,0.5)", "--edge", "1", *probability), 0)
        self.assertEqual(warning("--vertex", "delta(kind,0.5)", "--edge", "1", *probability), 0)
        self.assertEqual(warning("--vertex", "1", "--edge", "gaussian(length,1)", *probability), 0)

    def test_a_kernel_that_is_the_same_for_most_pairs_is_warned_of(self):
        def warning(path, *arguments):
            return self.octile("gram", path, *arguments, "--normalize", "--out", "K.npy", "--quiet").stderr

        # An isolated vertex in one graph makes no difference to the pairs of the others.
        self.write("ions.smi", ["CCO", "CC(C)O", "c1ccccc1", "[Na+].CC(=O)[O-]"])
        told = warning("ions.smi", *UNLABELLED, "--stopping", "probability:0.05")
        self.assertIn("octile: warning: 3 of 4 graphs are the same to this kernel", told)
        self.assertIn("compare labels, such as degree, or take a stopping weight", told)
        _, values = read_npy(self.path("K.npy"))
        self.assertTrue(all(abs(values[4 * i + j] - 1) < 1e-6 for i in range(3) for j in range(3)))
        self.assertTrue(all(values[4 * i + 3] < 1 - 1e-4 for i in range(3)))

        # Regular graphs have the same degree and core everywhere.
        self.write("cycles.jsonl", [node_link(f"cycle {n}", n, [(k, (k + 1) % n) for k in range(n)]) for n in (5, 6, 7)])
        for kernel in ([*UNLABELLED, *HALF], ["--preset", "network"]):
            with self.subTest(kernel=kernel):
                told = warning("cycles.jsonl", *kernel)
                self.assertIn("octile: warning: 3 of 3 graphs are the same to this kernel", told)
                self.assertIn("all their vertices have one weighted degree; compare labels that differ", told)
                _, values = read_npy(self.path("K.npy"))
                self.assertTrue(all(abs(value - 1) < 1e-6 for value in values))
        self.assertEqual(warning("ions.smi", "--preset", "molecule"), "")


class OtherCommands(InFolder):
    def test_nodes_prints_and_writes_the_solution(self):
        graphs = self.three_graphs()
        for second in ["three.jsonl:edge", "three.jsonl:#1"]:
            result = self.octile("nodes", f"{graphs}:path", second, *UNLABELLED, *HALF, "--out", "X.npy")

            shape, values = read_npy(self.path("X.npy"))
            self.assertEqual(shape, (3, 2))
            for value, expected in zip(values, [195, 195, 207, 207, 195, 195]):
                self.assert_close(value, expected / 412)
            self.assertIn("K = 0.48300970", result.stdout)
            self.assertIn("converged", result.stdout)
        # Walks of no step have q² = 1/4 of every value.
        self.octile("nodes", f"{graphs}:path", "three.jsonl:edge", *UNLABELLED, *HALF, "--lmin", "1", "--accuracy", "1e-10", "--out", "X.npy")
        for value, expected in zip(read_npy(self.path("X.npy"))[1], [195, 195, 207, 207, 195, 195]):
            self.assert_close(value, expected / 412 - 1 / 4)

    def test_nodes_writes_bounds_of_errors(self):
        pair = [f"{self.three_graphs()}:path", "three.jsonl:edge", *UNLABELLED, *HALF]
        self.octile("nodes", *pair, "--accuracy", "1e-3", "--out", "X.npy", "--errors", "E.npy")
        found, (shape, errors) = read_npy(self.path("X.npy"))[1], read_npy(self.path("E.npy"))
        self.assertEqual(shape, (3, 2))
        for value, error, expected in zip(found, errors, [195, 195, 207, 207, 195, 195]):
            self.assertLessEqual(abs(value - expected / 412), error + 1e-15)
            self.assertLessEqual(error, 1.01e-3 * value)
        self.assert_refused(["nodes", *pair, "--tolerance", "1e-6", "--errors", "F.npy"], USAGE, "--errors")
        self.assert_refused(["nodes", *pair, "--errors", "F.txt"], USAGE, "--errors")

    def test_nodes_takes_the_only_graph_of_a_file(self):
        self.write("one.jsonl", [edge_graph()])
        self.octile("nodes", "one.jsonl", "one.jsonl", *UNLABELLED, *HALF, "--out", "X.npy")
        self.assertEqual(read_npy(self.path("X.npy"))[0], (2, 2))

    def test_nodes_refuses_a_choice_that_chooses_nothing(self):
        graphs = self.three_graphs()
        for choice, part in [(f"{graphs}:nobody", "'nobody'"), (f"{graphs}:#4", "#3"), (f"{graphs}:#0", "#1"),
                             (graphs, "3 graphs"), ("nowhere.jsonl:#1", "nowhere.jsonl")]:
            self.assert_refused(["nodes", f"{graphs}:#1", choice, *UNLABELLED, *HALF], USAGE, part)

    def test_the_help_of_every_command_that_reads_names_every_format(self):
        refused = self.octile("info", "graphs.unknown", code=INPUT).stderr
        suffixes = re.findall(r"(\.\w+) \(", refused)
        self.assertGreaterEqual(len(suffixes), 7)
        for command in ["gram", "nodes", "verify", "info", "reorder", "convert"]:
            text = self.octile(command, "--help").stdout
            for suffix in suffixes:
                self.assertRegex(text, re.escape(suffix) + r"\b", command)

    def test_help_and_the_documentation_give_the_same_exit_codes(self):
        with open(os.path.join(os.path.dirname(__file__), "../../../docs/command_line.md"), encoding="utf-8") as file:
            rows = re.findall(r"^\| (\d+) \| (.+) \|$", file.read(), re.MULTILINE)
        for command in [[], ["gram"], ["verify"]]:
            table = self.octile(*command, "--help").stdout.split("Exit codes:\n")[1]
            self.assertEqual(re.findall(r"^ *(\d+)  (.+)$", table, re.MULTILINE), rows)
        self.assertEqual({int(code) for code, _ in rows}, {SUCCESS, INPUT, USAGE, UNCONVERGED, OUTPUT, DISAGREEMENT, 70,
                                                           INTERRUPTED})

    def test_info_counts_graphs_vertices_edges_and_attributes(self):
        output = self.octile("info", self.three_graphs()).stdout

        self.assertRegex(output, r"graphs +3\n")
        self.assertRegex(output, r"vertices +1 min, 2 median, 3 max; 6 in all")
        self.assertRegex(output, r"edges +0 min, 1 median, 2 max; 3 in all")
        self.assertRegex(output, r"kind +text")
        self.assertRegex(output, r"length +real")
        self.assertIn("1 graph without an edge", output)

    def test_backends_lists_the_judge_before_those_that_it_judges(self):
        names = self.backend_names()
        self.assertLess(names.index("reference"), names.index("portable:serial"))

    def test_help_and_version_succeed_on_standard_output(self):
        self.assertRegex(self.octile("--version").stdout, r"octile \d+\.\d+\.\d+")
        for arguments in [["--help"], ["gram", "--help"], ["nodes", "--help"], ["info", "--help"], ["backends", "--help"],
                          ["kernels", "--help"], ["verify", "--help"]]:
            result = self.octile(*arguments)
            self.assertIn("--help", result.stdout)
            self.assertEqual(result.stderr, "")


class Reorder(InFolder):
    def path_of(self, vertices):
        return node_link("long", vertices, [(k, k + 1) for k in range(vertices - 1)])

    def test_writes_permutations_and_counts_of_fewer_octiles(self):
        self.write("long.jsonl", [self.path_of(64), self.path_of(9)])

        result = self.octile("reorder", "long.jsonl", "--order", "swaps", "--out", "order.json", "--summary", "all.json")

        with open(self.path("order.json"), encoding="utf-8") as file:
            orders = json.load(file)
        self.assertEqual(orders["order"], "swaps")
        for graph, vertices in zip(orders["graphs"], (64, 9)):
            self.assertEqual(sorted(graph["order"]), list(range(vertices)))
        self.assertLess(orders["graphs"][0]["tiles"], orders["graphs"][0]["natural_tiles"])
        with open(self.path("all.json"), encoding="utf-8") as file:
            summary = json.load(file)
        self.assertEqual(summary["natural"]["elements"], 2 * (63 + 8))
        self.assertEqual(summary["orders"][0]["tiles"], sum(summary["orders"][0]["tiles_of_graphs"]))
        self.assertEqual(sum(summary["orders"][0]["tiles_of_population"]), summary["orders"][0]["tiles"])
        self.assertIn("wrote order.json", result.stdout)

    def test_compares_orders_and_lists_them(self):
        self.write("long.jsonl", [self.path_of(40)])
        table = self.octile("reorder", "long.jsonl", "--order", "rcm,pbr,auto").stdout
        listed = self.octile("reorder", "--list").stdout
        for order in ("rcm", "pbr", "auto"):
            self.assertIn(f"\n{order} ", table)
            self.assertIn(f"{order} ", listed)

    def test_every_order_gives_the_same_matrix(self):
        self.write("long.jsonl", [self.path_of(20), self.path_of(9), self.path_of(1)])
        matrices = []
        for order in ("natural", "rcm", "tsp", "pbr", "swaps", "auto"):
            self.octile("gram", "long.jsonl", *UNLABELLED, *HALF, "--order", order, "--out", "K.npy")
            matrices.append(read_npy(self.path("K.npy"))[1])
        for matrix in matrices[1:]:
            for value, expected in zip(matrix, matrices[0]):
                self.assert_close(value, expected)

    def test_refuses_what_it_cannot_do(self):
        self.write("long.jsonl", [self.path_of(9)])
        self.assert_refused(["reorder", "long.jsonl", "--order", "alphabetical"], USAGE, "'alphabetical'", "natural")
        self.assert_refused(["gram", "long.jsonl", *UNLABELLED, *HALF, "--order", "size"], USAGE, "'size'", "pbr")
        self.assert_refused(["reorder", "long.jsonl", "--order", "hilbert"], INPUT, "'long'", "hilbert")
        self.assert_refused(["reorder", "long.jsonl", "--order", "rcm,pbr", "--out", "o.json"], USAGE, "--out")
        self.assert_refused(["reorder", "long.jsonl", "--out", "o.txt"], USAGE, ".json")
        self.assert_refused(["reorder", "long.jsonl", "--seed", "-1"], USAGE, "whole number")


class Verify(InFolder):
    """The message for a value out of tolerance cannot be tested here, since no backend has such a value."""

    LABELLED = ["--vertex", "delta(kind, 0.5)", "--edge", "gaussian(length, 0.2)", *HALF]

    def rows(self, result, backend):
        """The rows of the table for a backend, split into cells."""
        return [line.split() for line in result.stdout.splitlines() if line.startswith(backend + "  ")]

    def cannot_run(self, name):
        return f"{name}  (cannot run here)" in self.octile("backends").stdout

    def test_holds_every_backend_and_precision_to_the_reference(self):
        result = self.octile("verify", self.three_graphs(), *self.LABELLED)

        self.assertIn("6 pairs of 3 graphs", result.stdout)
        self.assertIn("(seed 1)", result.stdout)
        self.assertIn("judged by reference: 6 pairs\n", result.stdout)
        self.assertIn(", 0 out of tolerance\n", result.stdout)
        names = [name for name in self.backend_names() if ":" in name]
        self.assertTrue(names)
        for name in ["assembled", *names]:
            if self.cannot_run(name):
                self.assertIn("cannot run here", result.stdout)
                continue
            rows = self.rows(result, name)
            primitives = {"naive"} if name == "assembled" else {
                "shared-tiling:8,8", "register-blocking:8,8", "tiling-blocking:8,8", "dense-dense", "dense-sparse",
                "sparse-sparse", "adaptive", "rows"}
            self.assertEqual({(row[1], row[2]) for row in rows},
                             {(name, precision) for name in primitives for precision in ["float64", "float32"]})
            for row in rows:
                self.assertEqual(row[3], "6")
                self.assertLessEqual(float(row[4]), 1e-10 if row[2] == "float64" else 1e-5)
                self.assertEqual(row[5], "0")
        self.assertEqual([row[1:5] for row in self.rows(result, "reference")], [["-", "float64", "6", "judge"]])

    def test_takes_the_backends_and_primitives_that_are_named_once_each(self):
        result = self.octile("verify", self.three_graphs(), *self.LABELLED, "--backends",
                             "assembled,portable:serial,assembled", "--primitives",
                             "rows,tiling-blocking:16,8,naive,tiling-blocking,rows")

        self.assertEqual([row[1] for row in self.rows(result, "portable:serial")[::2]],
                         ["rows", "tiling-blocking:16,8", "tiling-blocking:8,8"])
        self.assertEqual([row[1] for row in self.rows(result, "assembled")[::2]], ["naive"])
        self.assertEqual(self.rows(result, "portable:openmp"), [])

    def test_takes_every_t_and_r_when_asked(self):
        result = self.octile("verify", self.three_graphs(), *self.LABELLED, "--backends", "portable:serial", "--all")

        self.assertEqual(len(self.rows(result, "portable:serial")), 2 * (16 + 16 + 9 + 5))

    def test_the_seed_chooses_the_random_pairs(self):
        graphs = self.write("many.jsonl", random_graphs(12, 6, 5))

        def sample(*more):
            # Unconverged pairs are listed by name, where the test finds them.
            output = self.octile("verify", graphs, "--vertex", "1", "--edge", "1", *HALF, "--backends",
                                 "portable:serial", "--primitives", "rows", "--max-iterations", "1", *more,
                                 code=UNCONVERGED).stdout
            return {line.split(": ")[1] for line in output.splitlines() if line.startswith("  portable:serial rows")}

        self.assertEqual(sample("--seed", "7"), sample("--seed", "7"))
        self.assertNotEqual(sample("--seed", "7"), sample("--seed", "8"))
        self.assertGreaterEqual(len(sample("--pairs", "12")), 13)
        self.assertLessEqual(len(sample("--pairs", "0")), 4)

    def test_begins_with_what_octile_gram_would_run_at_the_callers_tolerance(self):
        result = self.octile("verify", self.three_graphs(), *self.LABELLED, "--tolerance", "1e-4")
        gram = self.octile("gram", self.three_graphs(), *self.LABELLED, "--tolerance", "1e-4", "--summary", "s.json")

        with open(self.path("s.json"), encoding="utf-8") as file:
            summary = json.load(file)
        self.assertEqual(gram.returncode, SUCCESS)
        self.assertRegex(result.stdout, r"\noctile gram: \S+ auto float64, solved to 0.0001: ")
        self.assertIn(summary["solver"].split("; the set takes")[0], result.stdout)
        table = result.stdout[result.stdout.index("\nbackend "):].splitlines()[2:]
        self.assertTrue(table[0].startswith("octile gram  "), table[0])
        self.assertEqual(table[0].split()[2:5], ["auto", "float64", "6"])
        most = int(table[0].split()[8])
        self.assertEqual(most, summary["iterations"]["max"])

    def test_takes_the_options_of_octile_gram_for_its_first_row(self):
        result = self.octile("verify", self.three_graphs(), *self.LABELLED, "--backend", "portable:serial", "--precision",
                             "float32", "--tolerance", "1e-6", "--primitive", "rows", "--order", "rcm", "--backends", "assembled")

        self.assertIn("\noctile gram: portable:serial rows float32, solved to 1e-06: ", result.stdout)
        command = ["verify", self.three_graphs(), *self.LABELLED]
        self.assert_refused([*command, "--tolerance", "2"], USAGE, "--tolerance 2")
        self.assert_refused([*command, "--backend", "reference"], USAGE, "--backend reference", "judges")

    def test_leaves_out_what_does_not_fit_in_the_time_and_says_so(self):
        graphs = self.write("large.jsonl", random_graphs(6, 20, 11) + random_graphs(4, 150, 12))
        start = time.monotonic()
        result = self.octile("verify", graphs, *UNLABELLED, *HALF, "--budget", str(2 * PATIENCE))

        # Dense primitives alone would take minutes.
        self.assertLess(time.monotonic() - start, 30 * PATIENCE)
        self.assertIn(f"left out, to end within {2 * PATIENCE} s (--budget SECONDS; --thorough leaves out nothing):\n",
                      result.stdout)

    def test_a_set_of_large_graphs_is_verified_by_pieces_of_them_too(self):
        # Few products: on a busy machine all of them would not be done within the time.
        graphs = self.write("large.jsonl", random_graphs(3, 60, 12))
        result = self.octile("verify", graphs, *UNLABELLED, *HALF, "--budget", str(30 * PATIENCE), "--backends",
                             "portable:serial", "--primitives", "rows,sparse-sparse", "--reference-limit", "2500")

        self.assertIn("\nand 7 pairs of pieces of its graphs, ", result.stdout)
        self.assertIn("judged by reference: 7 pairs\n", result.stdout)
        for row in self.rows(result, "portable:serial"):
            self.assertGreaterEqual(int(row[3]), 1)

    def test_nothing_compared_is_no_success(self):
        graphs = self.write("large.jsonl", random_graphs(6, 20, 11))
        command = ["verify", graphs, *UNLABELLED, *HALF, "--backends", "portable:serial", "--primitives", "rows"]

        self.assert_refused([*command, "--budget", "0"], INPUT, "no value could be compared within 0 s", "--thorough")
        self.assertNotIn("left out", self.octile(*command, "--thorough").stdout)
        self.assert_refused([*command, "--budget", "-1"], USAGE, "--budget -1")
        self.assert_refused([*command, "--budget", "nan"], USAGE, "--budget nan")
        self.assert_refused([*command, "--budget", "9", "--thorough"], USAGE, "--thorough")

    def test_reading_counts_in_the_budget(self):
        command = ["verify", "-", "--format", ".jsonl", *UNLABELLED, *HALF, "--backends", "portable:serial", "--quiet", "--budget", "1"]
        process = subprocess.Popen([PROGRAM, *command], cwd=self.folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        time.sleep(1.5)
        printed, complaint = process.communicate("\n".join(random_graphs(3, 5, 11)).encode(), timeout=60)
        self.assertEqual((process.returncode, printed), (INPUT, b""))
        self.assertIn(b"no value could be compared within 1 s", complaint)

    def test_pairs_above_the_limit_are_judged_by_a_backend_that_iterates(self):
        result = self.octile("verify", self.three_graphs(), *self.LABELLED, "--reference-limit", "3")

        # n m is 1 for one of the six pairs, 2 for one, 3 for one, and 4, 6 and 9 for the others.
        self.assertIn("judged by reference: 3 pairs\n", result.stdout)
        self.assertIn("judged by assembled in float64, as n m is above 3 or time short: 3 pairs;", result.stdout)
        self.assertIn(", 0 out of tolerance\n", result.stdout)

    def test_pairs_that_do_not_converge_in_float64_are_named(self):
        result = self.octile("verify", self.three_graphs(), *self.LABELLED, "--backends", "portable:serial",
                             "--primitives", "rows", "--max-iterations", "1", code=UNCONVERGED)

        self.assertIn("\nunconverged: ", result.stdout)
        self.assertRegex(result.stdout, r"octile gram: (portable:|cuda )")  # what auto takes: a GPU, where there is one
        self.assertIn("portable:serial rows float64: path - path: iteration limit after 1 iteration,", result.stdout)

    def test_float32_may_say_that_rounding_stops_it(self):
        cycle = node_link("cycle", 40, [(k, (k + 1) % 40) for k in range(40)])
        graphs = self.write("cycle.jsonl", [cycle])
        result = self.octile("verify", graphs, *UNLABELLED, "--stopping", "weight:0.0005", "--backends",
                             "portable:serial", "--primitives", "rows")

        rows = self.rows(result, "portable:serial")
        self.assertEqual([row[2:6] for row in rows], [["float64", "1", rows[0][4], "0"], ["float32", "1", "-", "1"]])

    def test_a_primitive_that_cannot_take_the_pairs_leaves_the_others_their_rows(self):
        # Float32 does not converge on this set, so it has no value to compare.
        complete = node_link("complete", 30, [(i, j) for i in range(30) for j in range(i)])
        graphs = self.write("complete.jsonl", [complete])
        result = self.octile("verify", graphs, *UNLABELLED, *HALF, "--backends", "assembled,portable:serial",
                             "--primitives", "naive,rows", "--memory", "1MiB", code=INPUT)

        self.assertIn("not solved: 2\n  assembled naive float64: a pair of 30 and 30 vertices takes ", result.stdout)
        self.assertIn("2 values compared, 0 out of tolerance", result.stdout)
        self.assertRegex(result.stderr, r"\Aoctile: 2 of 5 rows could not be solved; [^\n]+\n\Z")

    def test_lists_the_backends_with_their_primitives_and_needs_no_input(self):
        listed = self.octile("verify", "--list").stdout

        for line in self.octile("backends").stdout.split("\n\n")[0].splitlines():
            self.assertIn(line + "\n", listed)
        self.assertEqual(listed.count("    primitives: "), len(
            [line for line in self.octile("backends").stdout.split("\n\n")[0].splitlines() if line[0] != " "]))
        self.assertIn("    primitives: naive\n", listed)
        self.assertIn("t,r: 4,4 8,4 8,8 16,4 16,8 16,16 24,4 24,8 24,24\n", listed)

    def test_refuses_what_cannot_be_verified(self):
        graphs = self.three_graphs()
        command = ["verify", graphs, *self.LABELLED]
        for more, *parts in [
                (["--backends", "portable:serial,gpu"], "'gpu'", "portable:serial", "assembled"),
                (["--backends", ""], "--backends", "missing"),
                (["--backends", "reference"], "nothing to verify"),
                (["--primitives", "fast"], "'fast'", "rows"),
                (["--primitives", ""], "--primitives", "missing"),
                (["--backends", ","], "''"),
                (["--primitives", "rows,8,8"], "'rows,8,8'"),
                (["--primitives", "rows", "--backends", "assembled"], "rows", "assembled"),
                (["--primitives", "rows", "--all"], "--all"),
                (["--pairs", "-1"], "--pairs", "'-1'", "whole number"),
                (["--pairs", "99999999999999999999"], "--pairs", "whole number"),
                (["--seed", "x"], "--seed", "'x'", "whole number"),
                (["--reference-limit", "-1"], "--reference-limit"),
                (["--reference-limit", "100000"], "--reference-limit", "6000"),
                (["--memory", "much"], "'much'"),
        ]:
            self.assert_refused([*command, *more], USAGE, *parts)
        self.assert_refused(["verify", *self.LABELLED], USAGE, "INPUT")
        self.assert_refused(["verify", graphs, *HALF], USAGE, "--vertex")
        self.assert_refused(["verify", graphs, "--vertex", "delta(colour, 0.5)", "--edge", "1", *HALF], INPUT,
                            "'colour'")
        self.assert_refused(["verify", "nowhere.jsonl", *self.LABELLED], INPUT, "nowhere.jsonl")


class BadInput(InFolder):
    def gram(self, *inputs, vertex="1", edge="1", stopping="weight:0.5", more=()):
        return ["gram", *inputs, "--vertex", vertex, "--edge", edge, "--stopping", stopping, "--out", "K.npy", *more]

    def test_files_that_are_no_input(self):
        self.assert_refused(self.gram("nowhere.jsonl"), INPUT, "nowhere.jsonl", "No such file")
        os.mkdir(self.path("folder.jsonl"))
        self.assert_refused(self.gram("folder.jsonl"), INPUT, "folder.jsonl", "folder")
        self.write("graphs.txt", [edge_graph()])
        self.assert_refused(self.gram("graphs.txt"), INPUT, "graphs.txt", ".jsonl", ".smi")
        self.write("empty.jsonl", [])
        self.assert_refused(self.gram("empty.jsonl"), INPUT, "empty.jsonl", "no graph")
        self.write("comments.smi", ["# nothing"])
        self.assert_refused(self.gram("comments.smi"), INPUT, "comments.smi", "no graph")

    def test_lines_that_are_no_graph(self):
        node = '{"id": 0}, {"id": 1}'
        link = '{"source": 0, "target": 1}'
        for line, *parts in [
                ("{", "JSON"),
                ("[1, 2]", "object"),
                ("NaN", "NaN"),
                ('{"edges": []}', "'nodes'"),
                (f'{{"nodes": [{node}]}}', "'edges'"),
                ('{"nodes": [], "edges": []}', "vertices"),
                ('{"nodes": 3, "edges": []}', "'nodes'", "list"),
                ('{"nodes": [{"title": "x"}], "edges": []}', "'id'"),
                ('{"nodes": [{"id": 0}, {"id": 0}], "edges": []}', "twice"),
                (f'{{"nodes": [{node}], "edges": [{{"source": 0}}]}}', "'target'"),
                (f'{{"nodes": [{node}], "edges": [{{"source": 0, "target": 7}}]}}', "7"),
                (f'{{"nodes": [{node}], "edges": [{{"source": 1, "target": 1}}]}}', "self-loop"),
                (f'{{"nodes": [{node}], "edges": [{link}, {{"source": 1, "target": 0}}]}}', "twice"),
                (f'{{"nodes": [{node}], "edges": [{{"source": 0, "target": 1, "weight": -1}}]}}', "weight", "-1"),
                (f'{{"nodes": [{node}], "edges": [{{"source": 0, "target": 1, "weight": "x"}}]}}', "weight"),
                (f'{{"nodes": [{node}], "edges": [{{"source": 0, "target": 1, "length": NaN}}]}}', "NaN"),
                ('{"nodes": [{"id": 0, "a": 1}, {"id": 1}], "edges": []}', "'a'"),
                ('{"nodes": [{"id": 0, "a": 1}, {"id": 1, "a": "x"}], "edges": []}', "'a'"),
                ('{"nodes": [{"id": 0, "a": {"b": 1}}], "edges": []}', "'a'"),
                (f'{{"directed": true, "nodes": [{node}], "edges": [{link}]}}', "directed"),
                (f'{{"multigraph": true, "nodes": [{node}], "edges": [{link}]}}', "multigraph"),
        ]:
            with self.subTest(line=line):
                self.write("bad.jsonl", [edge_graph(), line])
                self.assert_refused(self.gram("bad.jsonl"), INPUT, "bad.jsonl:2", *parts)

    def test_molecules_that_are_none(self):
        for line, part in [("C1CC", "C1CC"), ("C(C)(C)(C)(C)C name", "C(C)(C)(C)(C)C"), ("xyz", "xyz")]:
            with self.subTest(line=line):
                self.write("bad.smi", ["CCO", line])
                self.assert_refused(self.gram("bad.smi"), INPUT, "bad.smi:2", part)

    def test_labels_that_a_kernel_cannot_read(self):
        graphs = self.three_graphs()
        self.assert_refused(self.gram(graphs, vertex="delta(colour, 0.5)"), INPUT, "'colour'", "kind")
        self.assert_refused(self.gram(graphs, vertex="gaussian(kind, 1)"), INPUT, "'kind'", "text")
        self.assert_refused(self.gram(graphs, edge="convolution(length, delta(_, 0.5))"), INPUT, "'length'", "real")
        self.write("other.jsonl", [node_link("other", {"kind": [1, 2]}, [(0, 1)], {"length": [1.5]})])
        self.assert_refused(self.gram(graphs, "other.jsonl", vertex="delta(kind, 0.5)"), INPUT, "'kind'", "other")

    def test_expressions_at_their_column_before_any_file_is_read(self):
        for option in ["vertex", "edge"]:
            arguments = self.gram("nowhere.jsonl", **{option: "0.5 * delta(kind, 1.5)"})
            self.assert_refused(arguments, USAGE, "column 19", "1.5")
        self.assert_refused(self.gram("nowhere.jsonl", vertex="delta(kind, 0)"), USAGE, "greater than 0")
        self.assert_refused(self.gram("nowhere.jsonl", edge="1 + 1"), USAGE, "2")

    def test_options_that_cannot_be(self):
        graphs = self.three_graphs()
        for stopping in ["0.05", "weight:0", "weight:-1", "probability:1", "chance:0.5", "weight:x"]:
            self.assert_refused(self.gram(graphs, stopping=stopping), USAGE, "stopping")
        for more, *parts in [
                (["--backend", "gpu"], "'gpu'", "portable:serial", "reference"),
                (["--precision", "half"], "half", "float32"),
                (["--tolerance", "0"], "--tolerance"),
                (["--tolerance", "nan"], "--tolerance"),
                (["--tolerance", "2"], "--tolerance"),
                (["--accuracy", "0.1"], "accuracy 0.1", "1e-12", "0.001"),
                (["--accuracy", "fine"], "'fine'", "estimated:1e-6"),
                (["--accuracy", "1e-6", "--tolerance", "1e-6"], "--accuracy", "--tolerance"),
                (["--start", "middle"], "'middle'", "attribute:NAME"),
                (["--lmin", "2"], "--lmin 2", "0 or 1"),
                (["--lmin", "1", "--tolerance", "1e-6"], "--lmin 1", "--accuracy"),
                (["--errors", "E.txt"], "--errors", ".npy"),
                (["--gradient", "G.txt"], "--gradient", ".npy"),
                (["--gradient", "G.npy", "--accuracy", "estimated:1e-6"], "--gradient", "proven --accuracy"),
                (["--gradient", "G.npy", "--tolerance", "1e-6"], "--gradient", "proven --accuracy"),
                (["--max-iterations", "0"], "--max-iterations"),
                (["--max-iterations", "many"], "--max-iterations"),
                # Base 8 to the library that takes options apart.
                (["--max-iterations", "010"], "--max-iterations", "'010'", "whole number"),
                (["--top", "010"], "--top", "'010'", "whole number, 1 or more"),
                (["--tile-size", "0"], "--tile-size", "'0'", "whole number, 1 or more"),
                (["--tile-size", "99999999999999999999"], "--tile-size", "whole number"),
                (["--threads", "-1"], "--threads"),
                (["--threads", "100000"], "--threads"),
                (["--summary", "K.txt"], "--summary", ".json"),
                (["--primitive", "fast"], "'fast'", "sparse-sparse", "tiling-blocking[:t,r]"),
                (["--primitive", "tiling-blocking:8,16"], "'tiling-blocking:8,16'", "divisor", "24"),
                (["--primitive", "shared-tiling:8"], "'shared-tiling:8'", "24"),
                (["--primitive", "rows:8,8"], "'rows:8,8'", "no parameters"),
                (["--primitive", "naive"], "'naive'", "portable", "octile verify --list"),
                (["--primitive", "rows", "--backend", "assembled"], "'rows'", "'assembled'"),
                (["--primitive", "rows", "--backend", "reference"], "'rows'", "'reference'"),
                (["--memory", "much"], "'much'", "8GiB"),
                (["--memory", "0"], "'0'", "positive"),
                (["--no-such-option"], "--no-such-option"),
        ]:
            self.assert_refused(self.gram(graphs, more=more), USAGE, *parts)
        # Starting weights would change with q.
        self.assert_refused(["gram", graphs, *UNLABELLED, "--stopping", "weight:0.5", "--start", "degree", "--gradient", "G.npy"], USAGE,
                            "--gradient", "--start degree", "stopping probability")
        self.assert_refused(["gram", graphs, *UNLABELLED, *HALF, "--out", "K.txt"], USAGE, ".npy")
        self.assert_refused(["gram", graphs, "--edge", "1", *HALF], USAGE, "--vertex")
        self.assert_refused(["gram", graphs, *UNLABELLED], USAGE, "--stopping")
        self.assert_refused(["gram", *UNLABELLED, *HALF], USAGE, "INPUT")
        self.assert_refused(["gramm", graphs], USAGE, "'gramm'", "gram")
        self.assert_refused([], USAGE, "command")
        self.assert_refused(["info"], USAGE, "INPUT")

    def test_a_value_that_is_empty_is_no_option_left_out(self):
        graphs = self.three_graphs()
        for option in ["--accuracy", "--tolerance", "--pairs", "--tiles", "--extend", "--errors", "--gradient", "--labels",
                       "--summary", "--devices", "--decay", "--format", "--name-column", "--chain", "--columns"]:
            with self.subTest(option=option):
                self.assert_refused(self.gram(graphs, more=[option, ""]), USAGE, option, "missing")
        self.assert_refused(self.gram(graphs, more=["--lmin", ""]), USAGE, "--lmin", "''", "whole number")
        self.assert_refused(self.gram(""), USAGE, "INPUT", "missing")

    def test_the_reference_has_no_float32(self):
        self.assert_refused(self.gram(self.three_graphs(), more=["--backend", "reference", "--precision", "float32"]),
                            USAGE, "reference", "float32")

    def test_a_memory_limit_that_is_too_small(self):
        graphs = self.three_graphs()
        self.assert_refused(self.gram(graphs, more=["--memory", "100"]), INPUT, "3 graphs", "100 B")
        self.assert_refused(["nodes", f"{graphs}:#1", f"{graphs}:#2", *UNLABELLED, *HALF, "--memory", "100"], INPUT,
                            "2 graphs", "100 B")

    def test_a_memory_limit_that_is_too_small_for_a_pair_of_the_set(self):
        # The set takes a few KiB, the product matrix of a pair 870² non-zeros.
        complete = node_link("complete", 30, [(i, j) for i in range(30) for j in range(i)])
        graphs = self.write("complete.jsonl", [complete])
        more = ["--backend", "assembled", "--memory", "1MiB"]
        self.assert_refused(self.gram(graphs, more=[*more, "--quiet"]), INPUT, "30 and 30 vertices", "MiB")
        result = self.octile(*self.gram(graphs, more=more), code=INPUT)
        self.assertRegex(result.stderr, r"\Asolver: [^\n]+\noctile: a pair of [^\n]+\n\Z")
        self.assertEqual(os.listdir(self.folder), [graphs])

    def test_a_matrix_too_large_to_print(self):
        graphs = self.write("many.jsonl", random_graphs(31, 3, 3))
        self.assert_refused(["gram", graphs, *UNLABELLED, *HALF], USAGE, "--out")

    def test_outputs_that_cannot_be_written_are_found_before_the_work(self):
        graphs = self.three_graphs()
        self.assert_refused(["gram", graphs, *UNLABELLED, *HALF, "--out", "nowhere/K.npy"], OUTPUT, "nowhere/K.npy")
        os.mkdir(self.path("folder.npy"))
        self.assert_refused(["gram", graphs, *UNLABELLED, *HALF, "--out", "folder.npy"], OUTPUT, "folder.npy")
        self.assert_refused(["nodes", f"{graphs}:#1", f"{graphs}:#2", *UNLABELLED, *HALF, "--out", "nowhere/X.npy"],
                            OUTPUT, "nowhere/X.npy")

    @unittest.skipUnless(os.path.exists("/dev/full"), "needs /dev/full")
    def test_a_full_disk_under_standard_output_is_a_failure(self):
        with open("/dev/full", "w", encoding="utf-8") as full:
            result = self.octile("info", self.three_graphs(), stdout=full, code=OUTPUT)
        self.assertRegex(result.stderr, r"\Aoctile: [^\n]+\n\Z")


def random_graphs(count, vertices, seed):
    """Lines of labelled, weighted random graphs named g0, g1, …"""
    source = random.Random(seed)
    lines = []
    for k in range(count):
        edges = [(i, j) for i in range(vertices) for j in range(i + 1, vertices) if j == i + 1 or source.random() < 0.3]
        lines.append(node_link(f"g{k}", vertices, edges, {"length": [source.random() for _ in edges]},
                               [0.25 + source.random() for _ in edges]))
    return lines


class TwoSets(InFolder):
    """Two files of random graphs: `COUNT` of 7 vertices, and five of 6."""

    COUNT = 23
    KERNEL = ["--vertex", "1", "--edge", "gaussian(length,0.3)", *HALF]

    def setUp(self):
        super().setUp()
        self.write("graphs.jsonl", random_graphs(self.COUNT, 7, 1))
        self.write("rows.jsonl", random_graphs(5, 6, 2))


class LongRuns(InFolder):
    """A set that is read at once, but takes much longer to solve than any of these tests waits."""

    def start(self, **streams):
        self.write("large.jsonl", random_graphs(30, 60, 4))
        with open(self.path("K.npy"), "w", encoding="utf-8") as file:
            file.write("an older result")
        process = subprocess.Popen(
            [PROGRAM, "gram", "large.jsonl", "--vertex", "1", "--edge", "wendland(length, 0.3)", "--stopping",
             "weight:0.0005", "--tolerance", "1e-12", "--out", "K.npy", "--summary", "K.json"],
            cwd=self.folder, stdin=subprocess.DEVNULL, **streams)
        self.addCleanup(process.kill)
        return process

    def assert_nothing_written(self):
        self.assertEqual(sorted(os.listdir(self.folder)), ["K.npy", "large.jsonl"])
        with open(self.path("K.npy"), encoding="utf-8") as file:
            self.assertEqual(file.read(), "an older result")

    def test_an_interrupt_ends_the_work_and_leaves_nothing_behind(self):
        for signal_number in [signal.SIGINT, signal.SIGTERM]:
            with self.subTest(signal=signal_number):
                process = self.start(stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
                solver = process.stderr.readline()  # the set is prepared, however slow the machine
                time.sleep(0.5)
                self.assertIsNone(process.poll(), "the set was too small to be interrupted")
                process.send_signal(signal_number)
                output, errors = process.communicate(timeout=60)

                self.assertEqual(process.returncode, INTERRUPTED)
                self.assertEqual(output, "")
                # A slow machine gets to a line of progress or two.
                self.assertRegex(solver + errors, r"\Asolver: [^\n]+\n(\d+ of 465 pairs, [^\n]+\n)*"
                                         r"octile: interrupted; nothing was written\n\Z")
                self.assert_nothing_written()

    def test_progress_is_one_line_rewritten_on_a_terminal(self):
        ours, theirs = pty.openpty()
        process = self.start(stdout=subprocess.DEVNULL, stderr=theirs)
        os.close(theirs)
        shown = read_until(ours, b"pairs/s", 120)
        process.send_signal(signal.SIGINT)
        rest = read_until(ours, None, 60)
        process.wait(timeout=60)
        os.close(ours)

        self.assertIn(b" of 465 pairs", shown)
        self.assertIn(b"\r\x1b[K", shown)
        # The line that stays says what the solver chose.
        self.assertRegex(shown, rb"solver: [^\r\n]+\r\n")
        self.assertNotIn(b"\n", shown.replace(b"\r\n", b"", 1))
        self.assertTrue(rest.endswith(b"octile: interrupted; nothing was written\r\n"), rest)

    def test_progress_is_plain_lines_elsewhere(self):
        process = self.start(stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        shown = read_until(process.stderr.fileno(), b"left\n", 120)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=60)

        self.assertRegex(shown.decode(), r"\A(reading large.jsonl: [^\n]+\n)*solver: [^\n]+\n[\d,]+ of 465 pairs, \d+ % of the work, [^\n]+ left\n\Z")
        self.assertNotIn(b"\r", shown)
        self.assertNotIn(b"\x1b", shown)


class LongPreparations(InFolder):
    """Sets whose spectra take far longer than any of these tests waits, before the first pair."""

    def start(self, count, vertices):
        cycle = [(k, (k + 1) % vertices) for k in range(vertices)]
        chords = [(k, (7 * k + 3) % vertices) for k in range(0, vertices, 5) if (7 * k + 3) % vertices not in
                  (k, (k + 1) % vertices, (k - 1) % vertices)]
        edges = sorted({(min(edge), max(edge)) for edge in cycle + chords})
        self.write("large.jsonl", [node_link(f"g{k}", vertices, edges) for k in range(count)])
        process = subprocess.Popen(
            [PROGRAM, "gram", "large.jsonl", *UNLABELLED, *HALF, "--backend", "portable:serial", "--lowering",
             "closed-form", "--out", "K.npy", "--summary", "K.json"],
            cwd=self.folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(process.kill)
        time.sleep(3 * PATIENCE)
        self.assertIsNone(process.poll(), "the set was too small to be interrupted")
        return process

    def test_an_interrupt_is_heard_while_a_set_is_prepared(self):
        process = self.start(400, 500)
        process.send_signal(signal.SIGINT)
        output, errors = process.communicate(timeout=30)

        self.assertEqual(process.returncode, INTERRUPTED)
        self.assertEqual(output, "")
        self.assertRegex(errors, r"\A(reading [^\n]+\n)*octile: interrupted; nothing was written\n\Z")
        self.assertEqual(os.listdir(self.folder), ["large.jsonl"])

    def test_an_interrupt_is_heard_within_one_graph(self):
        process = self.start(1, 5000)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=5)

        self.assertEqual(process.returncode, INTERRUPTED)
        self.assertEqual(os.listdir(self.folder), ["large.jsonl"])


def read_until(descriptor, wanted, seconds):
    """Reads until `wanted` has come, the other side closes, or the time is over; returns what has come."""
    data = b""
    end = time.monotonic() + seconds
    while (wanted is None or wanted not in data) and time.monotonic() < end:
        if not select.select([descriptor], [], [], 0.2)[0]:
            continue
        try:
            more = os.read(descriptor, 4096)
        except OSError:  # a terminal whose other side is closed
            break
        if not more:
            break
        data += more
    return data


if __name__ == "__main__":
    main_side_by_side("LongRuns", "LongPreparations")
