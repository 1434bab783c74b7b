# SPDX-License-Identifier: BSD-3-Clause
"""`octile audit` of matrices that are right, and of some that were changed; and `--dry-run`, which writes nothing."""
import json
import os
import random
import re
import struct
import unittest

from support import PATIENCE, node_link, read_npy
from test_command_line import INPUT, SUCCESS, USAGE, TwoSets, random_graphs

COUNT, KERNEL = TwoSets.COUNT, TwoSets.KERNEL
UNCONVERGED = 3
WRONG = 5


class Audited(TwoSets):
    def gram(self, *options):
        self.octile("gram", "graphs.jsonl", *KERNEL, *options, "--out", "K.npy")

    def audit(self, *options, code=SUCCESS, inputs=("graphs.jsonl",)):
        return self.octile("audit", "K.npy", *inputs, *options, code=code).stdout

    def set_value(self, row, column, value, name="K.npy"):
        with open(self.path(name), "r+b") as file:
            start = os.path.getsize(self.path(name)) - 8 * COUNT * COUNT
            file.seek(start + 8 * (row * COUNT + column))
            file.write(struct.pack("<d", value))

    def test_a_matrix_that_is_right_is_found_to_be(self):
        for options in [[], ["--normalize"], ["--accuracy", "estimated:1e-6"], ["--tolerance", "1e-8"], ["--start", "ones"],
                        ["--lmin", "1", "--normalize"], ["--tile-size", "5"], ["--accuracy", "1e-9"]]:
            with self.subTest(options=options):
                self.gram(*options)
                printed = self.audit()
                for check in ["graphs", "checksums", "convergence", "symmetry", "diagonal", "values", "eigenvalues"]:
                    self.assertRegex(printed, rf"(?m)^{check} +good ")
                self.assertTrue(printed.endswith("K.npy: nothing wrong was found\n"), printed)

    def test_a_graph_without_edges_is_like_itself_where_walks_of_no_step_do_not_count(self):
        lines = [node_link(f"bare{k}", {"kind": [0]}, [], {"length": []}) for k in range(3)]
        self.write("bare.jsonl", lines)
        self.octile("gram", "bare.jsonl", "--vertex", "1", "--edge", "1", "--stopping", "weight:0.05", "--lmin", "1", "--normalize",
                    "--out", "K.npy")
        self.assertEqual(read_npy(self.path("K.npy"))[1], [1, 0, 0, 0, 1, 0, 0, 0, 1])
        self.assertRegex(self.audit("--pairs", "9", inputs=["bare.jsonl"]), r"values +good +9 random pairs by the reference")

    def test_more_pairs_than_there_are(self):
        self.gram()
        few = f"values +good +{COUNT * COUNT} random pairs by the reference"
        self.assertRegex(self.audit("--pairs", "18446744073709551615"), few)

    def test_of_a_rectangle_and_with_bounds(self):
        self.octile("gram", "rows.jsonl", "--columns", "graphs.jsonl", *KERNEL, "--normalize", "--out", "K.npy", "--errors", "E.npy")
        printed = self.audit("--columns", "graphs.jsonl", "--errors", "E.npy", "--pairs", "40", inputs=["rows.jsonl"])
        self.assertRegex(printed, r"values +good +40 random pairs by the reference")
        self.assertNotIn("symmetry", printed)

    def test_what_is_wrong_is_said(self):
        self.gram("--normalize")
        shape, values = read_npy(self.path("K.npy"))
        self.assertEqual(shape, (COUNT, COUNT))
        self.set_value(3, 4, values[3 * COUNT + 4] * (1 + 1e-12))
        self.assertRegex(self.audit(code=WRONG), r"symmetry +WRONG +253 of 253 pairs: 1 differ\n")
        self.gram("--normalize")
        self.set_value(2, 2, 1 + 1e-15)
        self.assertRegex(self.audit(code=WRONG), r"diagonal +WRONG ")
        self.gram("--normalize")
        for row in range(COUNT):
            for column in range(COUNT):
                if row != column:
                    self.set_value(row, column, values[row * COUNT + column] * (1 + 1e-4))
        printed = self.audit("--pairs", "60", code=WRONG)
        self.assertRegex(printed, r"values +WRONG +60 random pairs .*; g\d+ - g\d+: 0\.\d+ is written, 0\.\d+ by the reference")
        self.gram("--normalize")
        for row, column in [(3, 4), (4, 3)]:
            self.set_value(row, column, 1.5)
        self.assertRegex(self.audit(code=WRONG), r"eigenvalues +WRONG ")
        for row, column in [(3, 4), (4, 3)]:
            self.set_value(row, column, float("nan"))
        printed = self.audit("--quiet", code=WRONG)
        self.assertRegex(printed, r"eigenvalues +WRONG +of 23 graphs: some values are not finite")
        self.assertNotIn("good", printed)

    def test_one_changed_bit_is_found_by_the_checksum(self):
        for options in [[], ["--out-precision", "float32"], ["--tile-size", "5"]]:
            self.gram("--normalize", "--errors", "E.npy", *options)
            self.assertRegex(self.audit("--errors", "E.npy"), r"checksums +good +values and bounds of 529 places match\n")
            for name in ["K.npy", "E.npy"]:
                with open(self.path(name), "rb") as file:
                    data = file.read()
                # The last bit of the first number behind the header, which is 1 or 0.
                at = data.index(b"\n") + 1
                # And two numbers that change places.
                width = (len(data) - at) // COUNT**2
                swapped = data[:at] + data[at + width:at + 2 * width] + data[at:at + width] + data[at + 2 * width:]
                for changed in [data[:at] + bytes([data[at] ^ 1]) + data[at + 1:], swapped]:
                    with open(self.path(name), "wb") as file:
                        file.write(changed)
                    printed = self.audit("--errors", "E.npy", "--quiet", code=WRONG)
                    self.assertRegex(printed, rf"checksums +WRONG +{name}: the {'values' if name == 'K.npy' else 'bounds'} have ")
                with open(self.path(name), "wb") as file:
                    file.write(data)

    def test_pairs_that_did_not_converge_have_a_verdict_and_code_of_their_own(self):
        self.octile("gram", "graphs.jsonl", *KERNEL, "--tolerance", "1e-12", "--max-iterations", "13", "--out", "K.npy", code=UNCONVERGED)
        printed = self.audit("--quiet", code=UNCONVERGED)
        self.assertRegex(printed, r"\Aconvergence +WRONG +\d+ pairs did not, as it was written\nK.npy: 1 check found something wrong\n\Z")
        self.set_value(3, 4, 2)
        self.assertRegex(self.audit("--quiet", code=WRONG), r"symmetry +WRONG")

    def without(self, *keys):
        """Writes K.json without these, as one of an older version or of other hands is."""
        document = json.loads(self.text_of("K.json"))
        for key in keys:
            holder = document
            *outer, last = key.split("/")
            for name in outer:
                holder = holder[name]
            del holder[last]
        self.write("K.json", [json.dumps(document)])

    def text_of(self, name):
        with open(self.path(name), encoding="utf-8") as file:
            return file.read()

    def test_what_cannot_be_checked_is_said_and_the_rest_is_judged(self):
        self.gram("--normalize", "--errors", "E.npy")
        with open(self.path("K.json"), encoding="utf-8") as file:
            whole = file.read().splitlines()
        for keys, options, missing in [
                ([], [], {"bounds": r"were written with it, and are not looked at; allowed is --errors E\.npy"}),
                (["checksums"], ["--errors", "E.npy"], {"checksums": r"none were written with it"}),
                (["checksums/bounds"], ["--errors", "E.npy"], {"checksums": r"values of 529 places match; none was written of the bounds"}),
                (["checksums/values", "checksums/bounds"], ["--errors", "E.npy"], {"checksums": r"none was written of the values and bounds"}),
                (["checksums", "bounds_file"], [], {"checksums": "none were written"}),
                (["unconverged_pairs"], ["--errors", "E.npy"], {"convergence": "it is not said whether all pairs converged"}),
                (["identity"], ["--errors", "E.npy"], {"graphs": "23 graphs: no checksum of them was written with it; only their number and sizes"}),
                (["identity", "rows", "checksums", "unconverged_pairs", "bounds_file"], [],
                 {"graphs": "", "checksums": "", "convergence": ""})]:
            with self.subTest(keys=keys):
                self.write("K.json", whole)
                self.without(*keys)
                printed = self.audit(*options)
                for check in ["graphs", "checksums", "bounds", "convergence", "symmetry", "diagonal", "values", "eigenvalues"]:
                    if check in missing:
                        self.assertRegex(printed, rf"(?m)^{check} +not checked +{missing[check]}")
                    elif check != "bounds":
                        self.assertRegex(printed, rf"(?m)^{check} +good ")
                verdict = f"K.npy: nothing wrong was found; not checked: {', '.join(missing)}\n"
                self.assertTrue(printed.endswith(verdict), printed)
                # Without what is good; and as code 5 where all is to be checked.
                quiet = self.audit("--quiet", "--strict", *options, code=WRONG)
                self.assertEqual(len(quiet.splitlines()), len(missing) + 1)
                self.assertTrue(quiet.endswith(verdict), quiet)
        values = read_npy(self.path("K.npy"))[1]
        self.set_value(3, 4, values[3 * COUNT + 4] * (1 + 1e-12))
        printed = self.audit(code=WRONG)
        self.assertRegex(printed, r"symmetry +WRONG ")
        self.assertTrue(printed.endswith("K.npy: 1 check found something wrong; not checked: graphs, checksums, convergence\n"), printed)

    def test_without_checksums_other_graphs_are_found_by_their_sizes(self):
        self.gram()
        self.without("identity")
        self.audit()
        self.write("graphs.jsonl", random_graphs(3, 7, 1))
        self.assertRegex(self.audit(code=WRONG), r"graphs +WRONG +K.npy has 23 rows and 23 columns; the graphs that are given make 3 and 3\n")
        self.write("graphs.jsonl", random_graphs(COUNT, 8, 1))
        self.assertRegex(self.audit(code=WRONG), r"graphs +WRONG +their vertices are others than when it was written\n")
        self.write("graphs.jsonl", random_graphs(COUNT, 7, 2))
        self.assertRegex(self.audit(code=WRONG), r"graphs +WRONG +their edges are others than when it was written\n")

    def test_without_bounds_values_are_compared_within_the_accuracy(self):
        self.gram("--normalize")
        self.assertRegex(self.audit("--strict"), r"values +good .*, proven are 2\.0e-06, without bounds of single values\n")

    def test_of_pairs_too_large_for_the_reference_values_are_not_checked(self):
        self.write("large.jsonl", random_graphs(2, 56, 1))
        self.octile("gram", "large.jsonl", *KERNEL, "--out", "K.npy")
        printed = self.audit(inputs=["large.jsonl"])
        self.assertRegex(printed, r"values +not checked +no pair has at most 3,000 unknowns for the reference\n")
        self.assertTrue(printed.endswith("K.npy: nothing wrong was found; not checked: values\n"), printed)

    def test_bounds_that_are_not_kept_are_found(self):
        self.gram("--errors", "E.npy")
        for row in range(COUNT):
            for column in range(COUNT):
                self.set_value(row, column, 0, "E.npy")
        self.gram()
        values = read_npy(self.path("K.npy"))[1]
        for row in range(COUNT):
            for column in range(COUNT):
                self.set_value(row, column, values[row * COUNT + column] * (1 + 1e-8))
        self.assertRegex(self.audit("--errors", "E.npy", code=WRONG), r"values +WRONG ")
        self.assertRegex(self.audit(code=WRONG), r"values +good ")

    def test_other_graphs_are_found(self):
        self.gram()
        self.write("graphs.jsonl", random_graphs(COUNT, 7, 2))
        self.assertRegex(self.audit(code=WRONG), r"graphs +WRONG +graphs of the rows: ")
        self.write("graphs.jsonl", random_graphs(3, 7, 1))
        self.assertRegex(self.audit(code=WRONG), r"graphs +WRONG +number of rows: 23 when it was written, 3 now")

    def test_what_is_no_matrix_with_names_is_refused(self):
        self.gram()
        os.remove(self.path("K.json"))
        self.assert_refused(["audit", "K.npy", "graphs.jsonl"], INPUT, "K.npy: K.json, which says what its rows are, cannot be read")
        with open(self.path("K.npy"), "wb") as file:
            file.write(b"\x93NUMPY, or else")
        self.assert_refused(["audit", "K.npy", "graphs.jsonl"], INPUT, "K.npy: is no matrix that octile wrote")

    def test_what_octile_wrote_and_is_no_matrix_is_called_what_it_is(self):
        self.write("pairs.txt", ["g1 g2", "g3 g4"])
        names = ["K.npy", *(["K.h5"] if os.environ.get("OCTILE_WITH_HDF5") == "ON" else [])]
        for options in [["--diagonal"], ["--pairs", "pairs.txt"], ["--diagonal", "--out-precision", "float32"]]:
            for name in names[:1] if "float32" in options else names:
                with self.subTest(options=options, name=name):
                    self.octile("gram", "graphs.jsonl", *KERNEL, *options, "--out", name)
                    said = f"{name}: is a list of values, as --diagonal and --pairs write it, and no matrix; allowed is --out FILE.npy"
                    self.assert_refused(["audit", name, "graphs.jsonl"], INPUT, said)
                    self.assert_refused(["gram", "graphs.jsonl", *KERNEL, "--extend", name, "--out", "new.npy"], INPUT, said)
        self.octile("gram", "graphs.jsonl", *KERNEL, "--gradient", "G.npy", "--out", "K.npy")
        self.assert_refused(["audit", "G.npy", "graphs.jsonl"], INPUT, "G.npy: has 3 dimensions, as derivatives of --gradient have")


class DryRun(TwoSets):
    def dry(self, *options, inputs=("graphs.jsonl",), code=SUCCESS):
        before = sorted(os.listdir(self.folder))
        printed = self.octile("gram", *inputs, *KERNEL, "--dry-run", *options, code=code).stdout
        self.assertEqual(sorted(os.listdir(self.folder)), before)
        return printed

    def test_says_pairs_tiles_memory_and_time_and_writes_nothing(self):
        self.assertIn("pairs   276 of 23 graphs, kept in memory as a whole\n", self.dry())
        printed = self.dry("--out", "K.npy", "--summary", "S.json", "--tile-size", "5", "--normalize")
        self.assertIn("pairs   276 of 23 graphs, in 15 tiles of 5 rows and columns\n", printed)
        self.assertRegex(printed, r"(?m)^memory  \S+ \S+ for the graphs as read, \S+ \S+ for results; \S+ \S+ is left for .*, of --memory 8 GiB$")
        self.assertRegex(printed, r"(?m)^time    .* to set up, as measured; about .* to solve by one process: \d+ pairs at random")
        self.assertIn("115 of 28 graphs", self.dry("--columns", "graphs.jsonl", "--out", "K.npy", "--resume", inputs=["rows.jsonl"]))

    def test_says_it_of_every_selection(self):
        with open(self.path("pairs.txt"), "w", encoding="utf-8") as file:
            file.write("#1 #2\n#2 #3\n#3 #3\n")
        self.assertIn("pairs   23 of 23 graphs, kept in memory as a whole\nfiles   184 B for each list of float64\n",
                      self.dry("--diagonal", "--out", "d.npy"))
        printed = self.dry("--pairs", "pairs.txt", "--normalize", "--gradient", "G.npy", "--out", "p.npy")
        self.assertIn("pairs   3 of 23 graphs, kept in memory as a whole\n", printed)
        self.assertRegex(printed, r"(?m)^files   24 B for each list of float64; \d+ B for derivatives by \d numbers$")
        self.assertRegex(self.dry("--gradient", "G.npy", "--out", "K.npy"),
                         r"pairs   276 of 23 graphs, .*\nfiles   4.13 KiB for each matrix of float64; \S+ KiB for derivatives by \d numbers\n")
        printed = self.dry("--tile-size", "5", "--tiles", "1:3", "--out", "a.tiles")
        self.assertIn("pairs   50 of 23 graphs, in 2 tiles of 5 rows and columns, of the 15 of the matrix\n"
                      "files   800 B for values of float64 and bounds\n", printed)
        printed = self.dry("--top", "4")
        self.assertIn("files   a list of 4 neighbours for each of 23 graphs\n", printed)
        self.assertIn("; less where pairs that cannot be among the nearest stop early\n", printed)
        self.octile("gram", "rows.jsonl", *KERNEL, "--out", "old.npy")
        self.assertRegex(self.dry("--extend", "old.npy", "--out", "K.npy", inputs=["rows.jsonl", "graphs.jsonl"]),
                         r"pairs   391 of 28 graphs, in \d+ tiles of .* rows and columns, of the \d+ of the matrix\n")

    @unittest.skipIf(PATIENCE > 1, "sanitizers slow down what is made once and the pairs unlike each other")
    def test_the_time_is_that_of_tiles_though_a_sample_meets_what_is_made_once(self):
        # A few graphs have weights that single precision cannot take, and the solver of such pairs is made when a sample meets the first of
        # them. The set is large, so that it takes longer than the sample's pairs; of the whole matrix it is nothing.
        source, lines = random.Random(5), []
        for k in range(2000):
            decades = 3 if source.random() < 0.03 else 0
            edges = [(i, i + 1) for i in range(11)]
            lines.append(node_link(f"g{k}", {"kind": [source.choice("ab") for _ in range(12)]}, edges,
                                   {"length": [source.choice([0.2, 0.5, 0.8]) for _ in edges]},
                                   [10 ** source.uniform(-decades, decades) for _ in edges]))
        self.write("many.jsonl", lines)
        command = [*["many.jsonl"] * 10, "--vertex", "delta(kind,0.5)", "--edge", "gaussian(length,0.3)", "--stopping", "weight:0.05", "--tile-size", "100",
                   "--backend", "portable:openmp"]

        def seconds(tiles):
            self.octile("gram", *command, "--tiles", tiles, "--out", "a.tiles", "--summary", "a.json", "--quiet")
            with open(self.path("a.json"), encoding="utf-8") as file:
                return json.load(file)["solve_seconds"]

        ratios = []
        # Other programs may take the machine for a moment.
        for _ in range(4):
            printed = self.octile("gram", *command, "--out", "K.npy", "--dry-run").stdout
            about = re.search(r"about (.*?) to solve", printed)[1]
            predicted = sum(float(number) * {"s": 1, "min": 60, "h": 3600}[unit] for number, unit in re.findall(r"([\d.]+) (s|min|h)\b", about))
            of_tiles = (seconds("3:23") - seconds("3:4")) / 19 * 200 * 201 / 2
            ratios.append(predicted / of_tiles)
            if 1 / 3 < ratios[-1] < 3:
                break
        self.assertTrue(1 / 3 < ratios[-1] < 3, ratios)

    def test_refuses_what_the_run_would(self):
        self.assert_refused(["gram", "graphs.jsonl", *KERNEL, "--dry-run", "--tile-size", "5", "--tiles", "15:16", "--out", "a.tiles"], USAGE,
                            "--tiles 15:16", "the matrix has 15 tiles")
        self.assert_refused(["gram", "graphs.jsonl", *KERNEL, "--dry-run", "--top", "2", "--errors", "E.npy"], USAGE, "--top and --errors")
        self.assert_refused(["gram", "graphs.jsonl", *KERNEL, "--dry-run", "--memory", "20KiB", "--out", "K.npy"], INPUT,
                            "the results of 23 graphs take 17.1 KiB", "--memory leaves 4.")
        self.assert_refused(["gram", "graphs.jsonl", *KERNEL, "--dry-run", "--memory", "2KiB", "--out", "K.npy"], INPUT,
                            "23 graphs as read take 15.", "--memory allows 2 KiB")
        for order, bytes_of_graphs in [("natural", 15), ("rcm", 30)]:
            self.assert_refused(["gram", "graphs.jsonl", *KERNEL, "--memory", "2KiB", "--order", order], INPUT, f"take {bytes_of_graphs}")


if __name__ == "__main__":
    unittest.main()
