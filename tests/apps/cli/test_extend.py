# SPDX-License-Identifier: BSD-3-Clause
"""Matrices that grow: values that were written earlier are kept, and the pairs of new graphs alone are solved."""
import json
import os
import unittest

from support import read_npy
from test_command_line import HALF, INPUT, SUCCESS, USAGE, InFolder, random_graphs

# Evaluated on the fly, values do not depend on which labels other graphs have.
KERNEL = ["--vertex", "1", "--edge", "gaussian(length,0.3)", *HALF, "--lowering", "on-the-fly"]
COUNT = 23
FIRST = 14


class Extended(InFolder):
    def setUp(self):
        super().setUp()
        self.lines = random_graphs(COUNT, 7, 1)
        self.write("all.jsonl", self.lines)
        self.write("first.jsonl", self.lines[:FIRST])

    def gram(self, graphs, *options, code=SUCCESS):
        return self.octile("gram", graphs, *KERNEL, *options, code=code)

    def bytes_of(self, name):
        with open(self.path(name), "rb") as file:
            return file.read()

    def test_has_the_bits_of_a_whole_run_and_solves_new_pairs_alone(self):
        for options in [[], ["--normalize"]]:
            self.gram("first.jsonl", *options, "--out", "old.npy")
            self.gram("all.jsonl", *options, "--out", "whole.npy")
            for size in [[], ["--tile-size", "5"], ["--tile-size", "1"], ["--tile-size", "99"], ["--resume"]]:
                with self.subTest(options=options, size=size):
                    self.gram("all.jsonl", *options, "--extend", "old.npy", "--out", "K.npy", "--summary", "S.json", *size)
                    self.assertEqual(self.bytes_of("K.npy"), self.bytes_of("whole.npy"))
                    with open(self.path("S.json"), encoding="utf-8") as file:
                        self.assertEqual(json.load(file)["pairs"], COUNT * (COUNT + 1) // 2 - FIRST * (FIRST + 1) // 2)

    def test_bounds_come_from_the_earlier_matrix_too(self):
        os.mkdir(self.path("earlier"))
        for options in [[], ["--normalize"], ["--out-precision", "float32"]]:
            self.gram("first.jsonl", *options, "--out", "old.npy", "--errors", "earlier/old_errors.npy")
            self.gram("all.jsonl", *options, "--out", "whole.npy", "--errors", "whole_errors.npy", "--summary", "W.json")
            for size in [[], ["--tile-size", "5"], ["--resume"]]:
                with self.subTest(options=options, size=size):
                    self.gram("all.jsonl", *options, "--extend", "old.npy", "--out", "K.npy", "--errors", "E.npy", "--summary", "S.json", *size)
                    self.assertEqual(self.bytes_of("K.npy"), self.bytes_of("whole.npy"))
                    earlier, grown, whole = (read_npy(self.path(name))[1] for name in ["earlier/old_errors.npy", "E.npy", "whole_errors.npy"])
                    for i in range(FIRST):
                        self.assertEqual(grown[COUNT * i:COUNT * i + FIRST], earlier[FIRST * i:FIRST * (i + 1)])
                    # How base kernels round counts in every bound, and depends on how far apart the labels of a set are.
                    for bound, of_whole in zip(grown, whole):
                        self.assertLessEqual(abs(bound - of_whole), 1e-3 * of_whole)
                    in_whole, in_grown = (json.loads(self.bytes_of(name)) for name in ["W.json", "S.json"])
                    self.assertEqual(in_grown["largest_error"], max(grown))
                    self.assertAlmostEqual(in_grown["largest_error"] / in_whole["largest_error"], 1, 3)

    def test_pairs_that_did_not_converge_then_are_counted_now(self):
        few = ["--tolerance", "1e-10", "--max-iterations", "4"]
        self.gram("first.jsonl", *few, "--out", "old.npy", code=3)
        self.gram("all.jsonl", *few, "--out", "whole.npy", code=3)
        self.gram("all.jsonl", *few, "--extend", "old.npy", "--out", "K.npy", code=3)
        whole, grown = (json.loads(self.bytes_of(name)) for name in ["whole.json", "K.json"])
        self.assertGreater(grown["unconverged_pairs"], 0)
        self.assertEqual(grown["unconverged_pairs"], whole["unconverged_pairs"])
        # Nothing new: the exit code still says it.
        self.gram("first.jsonl", *few, "--extend", "old.npy", "--out", "K.npy", code=3)

    def test_numbers_that_were_changed_are_refused(self):
        self.gram("first.jsonl", "--out", "old.npy", "--errors", "old_errors.npy")
        extend = ["gram", "all.jsonl", *KERNEL, "--extend", "old.npy", "--out", "K.npy", "--errors", "E.npy", "--quiet"]
        for name in ["old.npy", "old_errors.npy"]:
            data = self.bytes_of(name)
            with open(self.path(name), "wb") as file:
                file.write(data[:-3] + bytes([data[-3] ^ 1]) + data[-2:])
            self.assert_refused(extend, INPUT, f"{name}: does not match the checksum in old.json")
            with open(self.path(name), "wb") as file:
                file.write(data)

    def test_grows_again_and_in_its_place(self):
        self.gram("first.jsonl", "--out", "K.npy")
        self.write("more.jsonl", self.lines[:FIRST + 3])
        self.gram("more.jsonl", "--extend", "K.npy", "--out", "K.npy")
        self.gram("all.jsonl", "--extend", "K.npy", "--out", "K.npy")
        self.gram("all.jsonl", "--out", "whole.npy")
        self.assertEqual(self.bytes_of("K.npy"), self.bytes_of("whole.npy"))
        self.gram("all.jsonl", "--extend", "K.npy", "--out", "K.npy")
        self.assertEqual(self.bytes_of("K.npy"), self.bytes_of("whole.npy"))

    def test_says_where_the_solver_chooses_otherwise(self):
        command = ["--vertex", "1", "--edge", "gaussian(length,0.3)", *HALF, "--lowering", "factored"]
        self.octile("gram", "first.jsonl", *command, "--out", "old.npy")
        printed = self.octile("gram", "all.jsonl", *command, "--extend", "old.npy", "--out", "K.npy").stderr
        self.assertIn("octile: old.npy: the solver chooses otherwise for the larger set", printed)
        self.octile("gram", "all.jsonl", *command, "--out", "whole.npy")
        for found, expected in zip(read_npy(self.path("K.npy"))[1], read_npy(self.path("whole.npy"))[1]):
            self.assertAlmostEqual(found / expected, 1, delta=2e-6)

    def test_what_differs_is_named(self):
        self.gram("first.jsonl", "--out", "old.npy")
        extend = ["gram", "all.jsonl", *KERNEL, "--extend", "old.npy", "--out", "K.npy"]
        self.assert_refused([*extend, "--normalize"], USAGE, "old.json", "--normalize was false, and is true now")
        self.assert_refused([*extend, "--accuracy", "1e-8"], USAGE, "old.json", "--accuracy was")
        self.write("all.jsonl", self.lines[1:])
        self.assert_refused(extend, INPUT, "old.json", "graphs of the rows was", "an input that begins with its graphs")
        self.write("all.jsonl", self.lines[:3])
        self.assert_refused(extend, INPUT, "old.npy: has 14 graphs, and the input has 3")
        self.write("all.jsonl", self.lines)
        self.assert_refused([*extend, "--errors", "E.npy"], USAGE, "--extend old.npy: was written without bounds")
        self.assert_refused([*extend, "--out-precision", "float32"], USAGE, "old.json", "--out-precision was float64, and is float32 now")
        for other in [["--columns", "first.jsonl"], ["--gradient", "G.npy"], ["--diagonal"]]:
            self.assert_refused([*extend, *other], USAGE, "--extend and", other[0])
        self.assert_refused(["gram", "all.jsonl", *KERNEL, "--extend", "old.npy"], USAGE, "--extend: allowed with --out")
        self.assert_refused(["gram", "all.jsonl", *KERNEL, "--extend", "old.npy", "--out", "old.npy", "--resume"], USAGE,
                            "--extend old.npy: is --out too")

    def test_what_is_no_matrix_of_ours_is_refused(self):
        self.gram("first.jsonl", "--out", "old.npy")
        extend = ["gram", "all.jsonl", *KERNEL, "--extend", "old.npy", "--out", "K.npy", "--quiet"]
        whole, names = self.bytes_of("old.npy"), self.bytes_of("old.json")

        def refused(matrix, beside, *parts):
            for name, data in [("old.npy", matrix), ("old.json", beside)]:
                with open(self.path(name), "wb") as file:
                    file.write(data)
            self.assert_refused(extend, INPUT, "old.npy: ", *parts)

        refused(whole[:-8], names, "allowed are 1696, as its header says")
        refused(b"x" + whole, names, "is no matrix that octile wrote")
        refused(b"", names, "is no matrix that octile wrote")
        refused(whole, b"{}", "old.json is not of this matrix")
        refused(whole, b"x", "old.json is not of this matrix")
        old = json.loads(names)
        del old["identity"]
        refused(whole, json.dumps(old).encode(), "old.json does not say what its values depend on")
        os.remove(self.path("old.json"))
        self.assert_refused(extend, INPUT, "old.json", "cannot be read")
        os.remove(self.path("old.npy"))
        self.assert_refused(extend, INPUT, "old.npy: cannot be read")


if __name__ == "__main__":
    unittest.main()
