# SPDX-License-Identifier: BSD-3-Clause
"""Matrices as files of HDF5, which h5py reads: what is in them, runs that end early, and files that are damaged."""
import json
import os
import random
import resource
import subprocess
import sys
import time
import unittest

from support import HOSTILE_SEED, PATIENCE, PROGRAM, kills, read_npy, run
from test_command_line import HALF, INPUT, OUTPUT, SUCCESS, USAGE, InFolder, random_graphs

WITH_HDF5 = os.environ.get("OCTILE_WITH_HDF5", "ON") == "ON"
try:
    import h5py
except ImportError:
    h5py = None

KERNEL = ["--vertex", "1", "--edge", "gaussian(length,0.3)", *HALF]
COUNT = 23
WRONG = 5
STATES = ["converged", "stagnated", "iteration limit", "breakdown"]


class Without(InFolder):
    @unittest.skipIf(WITH_HDF5, "this build has HDF5")
    def test_a_build_without_refuses(self):
        self.write("graphs.jsonl", random_graphs(3, 7, 1))
        for command in [["gram", "graphs.jsonl", *KERNEL, "--out", "K.h5"], ["gram", "graphs.jsonl", *KERNEL, "--out", "K.hdf5"],
                        ["audit", "K.h5", "graphs.jsonl"], ["gram", "graphs.jsonl", *KERNEL, "--extend", "K.h5", "--out", "K.npy"]]:
            self.assert_refused(command, USAGE, "is HDF5, which this octile is built without", "libhdf5-dev")


@unittest.skipUnless(WITH_HDF5 and h5py, "takes a build with HDF5, and h5py")
class WithHdf5(InFolder):
    def setUp(self):
        super().setUp()
        self.write("graphs.jsonl", random_graphs(COUNT, 7, 1))
        self.write("rows.jsonl", random_graphs(5, 6, 2))

    def bytes_of(self, name):
        with open(self.path(name), "rb") as file:
            return file.read()

    def document_of(self, name):
        return json.loads(self.bytes_of(name).decode())

    def open(self, name="K.h5"):
        file = h5py.File(self.path(name), "r")
        self.addCleanup(file.close)
        return file

    def files(self):
        return sorted(os.listdir(self.folder))

    def assert_same_as_npy(self, inputs, options, also=(), code=SUCCESS):
        """K.h5 of a run has what K.npy, E.npy and K.json of another have. `also` goes to the former alone."""
        self.octile("gram", *inputs, *KERNEL, *options, "--out", "K.npy", "--errors", "E.npy", "--summary", "S.json", code=code)
        self.octile("gram", *inputs, *KERNEL, *options, *also, "--out", "K.h5", code=code)
        file = self.open()
        for name, part in [("K.npy", "values"), ("E.npy", "bounds")]:
            shape, values = read_npy(self.path(name))
            self.assertEqual(file[part].shape, shape)
            self.assertEqual(file[part].dtype, "<f8")
            self.assertEqual(file[part][()].tobytes(), self.bytes_of(name)[-8 * len(values):])
            self.assertTrue(file[part].fletcher32)
        names = self.document_of("K.json")
        for axis in ["rows", "columns"]:
            self.assertEqual(axis in file, axis in names)
            graphs = names.pop(axis, None)
            if graphs:
                self.assert_axis(file[axis], graphs)
        request = json.loads(file.attrs["request"])
        self.assertEqual(request.pop("matrix"), "K.h5")
        names.pop("matrix")
        self.assertEqual(names.pop("bounds_file"), "E.npy")
        if also:  # The solver says how much memory is left, which tiles change.
            self.assertEqual(request.pop("solver").split(";")[0], names.pop("solver").split(";")[0])
            for document in [request, names]:
                document.pop("memory")
        self.assertEqual(request, names)
        self.assertEqual(file.attrs["octile"].decode(), names["octile"])
        self.assertEqual(file.attrs["format"], 1)
        self.assertEqual([name.decode() for name in file["status"].attrs["names"]], STATES)
        if code == SUCCESS:
            self.assertEqual(file["status"].attrs["not_listed"], 0)
        self.assertEqual(file["status"].shape, file["values"].shape)
        return file

    def assert_axis(self, group, graphs):
        for key in ["names", "files"]:
            self.assertEqual(list(group[key].asstr()[()]), graphs[key])
        for key in ["vertices", "edges", "file", "number", "line"]:
            self.assertEqual(list(group[key][()]), graphs[key])
        targets = graphs.get("targets", {})
        self.assertEqual("targets" in group, bool(targets))
        for k, (name, values) in enumerate(sorted(targets.items())):
            self.assertEqual(group["target_names"].asstr()[k], name)
            found = [None if value != value else value for value in group["targets"][:, k]]
            self.assertEqual(found, values)


class Written(WithHdf5):
    def test_has_what_a_npy_file_and_its_names_have_to_the_bit(self):
        for options in [[], ["--normalize"], ["--tolerance", "1e-9", "--precision", "float32"], ["--start", "ones"]]:
            for also in [[], ["--tile-size", "5"], ["--resume"]]:
                with self.subTest(options=options, also=also):
                    file = self.assert_same_as_npy(["graphs.jsonl"], options, also)
                    self.assertFalse(file["status"][()].any())
                    self.assertEqual([name for name in self.files() if name.startswith("K.")], ["K.h5", "K.json", "K.npy"])

    def test_of_rectangles_diagonals_and_lists(self):
        rectangle = ["--columns", "graphs.jsonl"]
        self.write("pairs.txt", ["g0 g1", "g1 g0", "g3 g3", "#2 #5"])
        for inputs, options, also in [(["rows.jsonl"], rectangle, []), (["rows.jsonl"], [*rectangle, "--normalize"], []),
                                      (["rows.jsonl"], [*rectangle, "--normalize"], ["--tile-size", "4"]),
                                      (["graphs.jsonl"], ["--diagonal"], []), (["graphs.jsonl"], ["--pairs", "pairs.txt"], [])]:
            with self.subTest(options=options, also=also):
                self.assert_same_as_npy(inputs, options, also)

    def test_targets_and_strange_names_stand_within(self):
        lines = [json.loads(line) for line in random_graphs(5, 7, 1)]
        names = ["a/b", "ü\u2028", "tab\there", "zero\0inside", ""]
        for k, line in enumerate(lines):
            line["graph"]["name"] = names[k]
            line["graph"]["targets"] = {"boiling / K": 3.5 + k, **({} if k == 2 else {"1/3": 1 / 3})}
        self.write("some.jsonl", [json.dumps(line) for line in lines])
        self.octile("gram", "some.jsonl", *KERNEL, "--out", "K.npy")
        self.octile("gram", "some.jsonl", *KERNEL, "--out", "K.h5")
        graphs = self.document_of("K.json")["rows"]
        self.assertEqual(len(graphs["targets"]), 2)
        graphs["names"] = [name.replace("\0", "\ufffd") for name in graphs["names"]]
        self.assert_axis(self.open()["rows"], graphs)
        self.octile("audit", "K.h5", "some.jsonl")

    def test_states_are_those_of_the_summary(self):
        hard = ["--tolerance", "1e-10", "--max-iterations", "4"]
        for inputs, options, also in [(["graphs.jsonl"], [], []), (["graphs.jsonl"], ["--normalize"], ["--tile-size", "6"]),
                                      (["rows.jsonl"], ["--columns", "graphs.jsonl", "--normalize"], ["--tile-size", "4"]),
                                      (["graphs.jsonl"], ["--diagonal"], [])]:
            with self.subTest(options=options, also=also):
                file = self.assert_same_as_npy(inputs, [*options, *hard], also, code=3)
                states = file["status"][()]
                expected = states * 0
                for pair in self.document_of("S.json")["unconverged"]:
                    first, second, state = pair["first"], pair["second"], STATES.index(pair["status"])
                    if states.ndim == 1:
                        expected[first] = state
                    elif "--columns" not in options:
                        expected[first, second] = expected[second, first] = state
                    elif first < 5 <= second:
                        expected[first, second - 5] = state
                self.assertTrue(expected.any())
                self.assertTrue((states == expected).all())

    def test_what_normalises_others_and_did_not_converge_is_counted(self):
        self.octile("gram", "rows.jsonl", "--columns", "graphs.jsonl", *KERNEL, "--normalize", "--tolerance", "1e-10",
                    "--max-iterations", "4", "--summary", "S.json", "--out", "K.h5", code=3)
        with open(self.path("S.json"), encoding="utf-8") as file:
            pairs = json.load(file)["unconverged"]
        within = sum(1 for pair in pairs if pair["first"] < 5 <= pair["second"])
        self.assertLess(within, len(pairs))
        with h5py.File(self.path("K.h5"), "r") as file:
            self.assertEqual(file["status"].attrs["not_listed"], len(pairs) - within)
        printed = run("audit", "K.h5", "rows.jsonl", "--columns", "graphs.jsonl", folder=self.folder).stdout
        self.assertIn(f"{len(pairs)} did not converge", printed)

    def test_chunks_of_large_matrices_have_at_most_a_mebibyte(self):
        self.write("many.jsonl", random_graphs(300, 3, 3))
        self.write("others.jsonl", random_graphs(600, 3, 4))
        file = self.assert_same_as_npy(["many.jsonl"], ["--columns", "others.jsonl", "--normalize"], ["--tile-size", "250"])
        for part in ["values", "bounds", "status"]:
            self.assertEqual(file[part].chunks, (256, 512))
        self.assertEqual(file["status"].id.get_storage_size(), 0)
        self.octile("audit", "K.h5", "many.jsonl", "--columns", "others.jsonl")
        self.assert_same_as_npy(["others.jsonl"], [], ["--memory", "12MiB"])
        # 200,000 places all over the matrix: a minute where its chunks were read again for each.
        printed = self.octile("audit", "K.h5", "others.jsonl", timeout=20 * PATIENCE).stdout
        self.assertIn("100,000 of 179,700 pairs: equal to the bit", printed)

    def test_parts_are_merged_into_one(self):
        command = ["gram", "graphs.jsonl", *KERNEL, "--normalize"]
        self.octile(*command, "--out", "K.npy", "--errors", "E.npy")
        self.octile(*command, "--tile-size", "9", "--tiles", "0:2", "--out", "a.tiles")
        self.octile(*command, "--tile-size", "9", "--tiles", "2:9", "--out", "b.tiles")
        self.assert_refused(["merge", "a.tiles", "b.tiles", "--out", "K.h5", "--errors", "E.npy"], USAGE, "--errors E.npy")
        self.octile("merge", "b.tiles", "a.tiles", "--out", "K.h5")
        file = self.open()
        for name, part in [("K.npy", "values"), ("E.npy", "bounds")]:
            self.assertEqual(file[part][()].tobytes(), self.bytes_of(name)[-8 * COUNT * COUNT:])
        self.assertEqual([part["part"] for part in json.loads(file.attrs["request"])["parts"]], ["a.tiles", "b.tiles"])
        self.assertEqual([name for name in self.files() if name.startswith("K.h5")], ["K.h5"])
        self.octile("audit", "K.h5", "graphs.jsonl")

    def test_a_npy_file_grows_out_of_it(self):
        kernel = [*KERNEL, "--lowering", "on-the-fly"]
        self.write("first.jsonl", random_graphs(COUNT, 7, 1)[:14])
        self.octile("gram", "first.jsonl", *kernel, "--out", "old.h5")
        self.octile("gram", "graphs.jsonl", *kernel, "--extend", "old.h5", "--out", "K.npy")
        self.octile("gram", "graphs.jsonl", *kernel, "--out", "whole.npy")
        self.assertEqual(self.bytes_of("K.npy"), self.bytes_of("whole.npy"))
        self.assert_refused(["gram", "rows.jsonl", *kernel, "--extend", "old.h5", "--out", "K.npy"], INPUT, "old.h5: has 14 graphs")
        self.octile("gram", "graphs.jsonl", *kernel, "--extend", "old.h5", "--out", "K.h5")
        self.octile("gram", "graphs.jsonl", *kernel, "--out", "whole.h5")
        grown, whole = self.open("K.h5"), self.open("whole.h5")
        for part in ["values", "status"]:
            self.assertEqual(grown[part][()].tobytes(), whole[part][()].tobytes())
        # How base kernels round counts in every bound, and depends on how far apart the labels of a set are.
        bounds, of_whole = grown["bounds"][()], whole["bounds"][()]
        self.assertTrue((abs(bounds - of_whole) <= 1e-3 * of_whole).all())

    def test_what_cannot_be_had_is_refused(self):
        command = ["gram", "graphs.jsonl", *KERNEL]
        self.assert_refused([*command, "--out", "K.h5", "--errors", "E.npy"], USAGE, "K.h5 has the bounds of its values within")
        self.assert_refused([*command, "--out", "K.h5", "--errors", "E.h5"], USAGE, "--errors E.h5")
        self.assert_refused([*command, "--out", "K.h5", "--tiles", "0:1"], USAGE, "--out K.h5", ".tiles")
        self.assert_refused([*command, "--out", "K.h5", "--top", "3"], USAGE, "--out K.h5", ".csv")
        self.assert_refused([*command, "--out", "K.txt"], USAGE, "allowed is a name that ends in .npy, .h5 or .hdf5")
        self.assert_refused([*command, "--out", "none/K.h5"], OUTPUT, "none/K.h5: cannot be written: No such file")

    def test_a_full_disk_leaves_what_was_there(self):
        self.octile("gram", "graphs.jsonl", *KERNEL, "--out", "K.h5")
        before = self.bytes_of("K.h5")
        for limit in [0, 100, 3000, len(before) // 2, len(before) - 1]:
            files = self.files()
            result = self.octile("gram", "graphs.jsonl", *KERNEL, "--out", "K.h5", "--quiet", code=OUTPUT,
                                 preexec_fn=lambda limit=limit: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)))
            self.assertEqual(result.stderr, "octile: K.h5: cannot be written: File too large\n")
            self.assertEqual(self.bytes_of("K.h5"), before)
            self.assertEqual(self.files(), files)


class Resumed(WithHdf5):
    """Runs that end early: with a set that takes long enough that there is a moment to end them."""
    TILES = 21  # six down, of 4 rows and columns
    OPTIONS = ["gram", "graphs.jsonl", *KERNEL, "--normalize", "--resume", "--tile-size", "4", "--out", "K.h5"]

    def setUp(self):
        super().setUp()
        self.write("graphs.jsonl", random_graphs(COUNT, 20, 1))
        begin = time.monotonic()
        self.octile(*self.OPTIONS, "--quiet")
        self.length = time.monotonic() - begin
        self.whole = self.bytes_of("K.h5")
        os.remove(self.path("K.h5"))

    def on_a_small_disk(self):
        """The tiles and the journal fit, the file of HDF5 does not."""
        limit = len(self.whole) - 1000
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

    def kept(self):
        return [name for name in self.files() if name.startswith("K.") and name != "K.h5"]

    def assert_whole(self):
        self.assertEqual(self.bytes_of("K.h5"), self.whole)
        self.assertEqual(self.kept(), [])

    def killed_after(self, seconds):
        process = subprocess.Popen([PROGRAM, *self.OPTIONS, "--quiet"], cwd=self.folder, stdin=subprocess.DEVNULL,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(seconds)
        process.kill()
        process.wait(timeout=600)

    def test_runs_killed_at_random_moments_go_on_to_the_same_bytes(self):
        source = random.Random(HOSTILE_SEED)
        for _ in range(kills(16) // 2):
            for _ in range(2):
                self.killed_after(1.1 * self.length * source.random())
            self.octile(*self.OPTIONS)
            self.assert_whole()
            os.remove(self.path("K.h5"))

    def test_a_disk_that_is_full_at_the_end_keeps_the_tiles(self):
        result = self.octile(*self.OPTIONS, code=OUTPUT, preexec_fn=self.on_a_small_disk)
        self.assertTrue(result.stderr.endswith("octile: K.h5: cannot be written: File too large\n"), result.stderr)
        self.assertEqual(self.kept(), ["K.h5.bounds.part", "K.h5.journal", "K.h5.part"])
        self.assertIn(f"resuming: {self.TILES} of {self.TILES} tiles are done", self.octile(*self.OPTIONS).stderr)
        self.assert_whole()

    def test_an_older_file_is_never_taken_for_tiles(self):
        self.octile(*self.OPTIONS, code=OUTPUT, preexec_fn=self.on_a_small_disk)
        # As if that run had been killed after it renamed the file of HDF5 and removed what it was made of.
        with open(self.path("K.h5"), "wb") as file:
            file.write(self.whole)
        self.octile(*self.OPTIONS, "--quiet", code=OUTPUT, preexec_fn=self.on_a_small_disk)
        os.remove(self.path("K.h5.part"))
        self.assertEqual(self.bytes_of("K.h5"), self.whole)
        self.octile(*self.OPTIONS)
        self.assert_whole()

    def test_another_request_is_refused(self):
        self.octile(*self.OPTIONS, code=OUTPUT, preexec_fn=self.on_a_small_disk)
        self.assert_refused([*self.OPTIONS, "--lmin", "1"], USAGE, "K.h5.journal: is of another request: --lmin")


class Audited(WithHdf5):
    def setUp(self):
        super().setUp()
        self.octile("gram", "graphs.jsonl", *KERNEL, "--normalize", "--out", "K.h5")
        self.right = self.bytes_of("K.h5")

    def change(self, data):
        with open(self.path("K.h5"), "wb") as file:
            file.write(data)

    def test_a_file_that_is_right_is_found_to_be(self):
        printed = self.octile("audit", "K.h5", "graphs.jsonl").stdout
        for check in ["graphs", "checksums", "symmetry", "diagonal", "values", "eigenvalues"]:
            self.assertRegex(printed, rf"(?m)^{check} +good ")
        self.assertRegex(printed, r"checksums +good +values, bounds and states of 529 values match; all converged")
        self.assertRegex(printed, r"values +good .* each allowed its bound")
        self.octile("gram", "rows.jsonl", "--columns", "graphs.jsonl", *KERNEL, "--out", "K.hdf5")
        printed = self.octile("audit", "K.hdf5", "rows.jsonl", "--columns", "graphs.jsonl").stdout
        self.assertRegex(printed, r"(?m)^checksums +good ")

    def test_other_graphs_and_options_are_found(self):
        self.assertRegex(self.octile("audit", "K.h5", "rows.jsonl", code=WRONG).stdout, r"graphs +WRONG +number of rows")
        self.assert_refused(["audit", "K.h5", "graphs.jsonl", "--errors", "E.npy"], USAGE, "--errors E.npy")
        self.octile("gram", "graphs.jsonl", *KERNEL, "--diagonal", "--out", "K.h5")
        self.assert_refused(["audit", "K.h5", "graphs.jsonl"], INPUT, "K.h5: is a list of values, as --diagonal and --pairs write it")

    def test_a_changed_byte_of_the_numbers_is_found(self):
        for part in ["values", "bounds"]:
            self.change(self.right)
            with h5py.File(self.path("K.h5"), "r") as file:
                chunk = file[part].id.get_chunk_info(0)
            place = chunk.byte_offset + chunk.size // 2
            self.change(self.right[:place] + bytes([self.right[place] ^ 1]) + self.right[place + 1:])
            printed = self.octile("audit", "K.h5", "graphs.jsonl", code=WRONG).stdout
            self.assertRegex(printed, rf"checksums +WRONG +K.h5: {part} from row 0 and column 0 to 22 and 22 cannot be read \([^\n]*checksum")

    def test_wrong_values_with_right_checksums_are_found(self):
        with h5py.File(self.path("K.h5"), "r+") as file:
            file["values"][3, 4] *= 1 + 1e-12
        self.assertRegex(self.octile("audit", "K.h5", "graphs.jsonl", code=WRONG).stdout, r"symmetry +WRONG +253 of 253 pairs: 1 differ\n")

    def test_names_and_requests_that_were_changed_are_found(self):
        for change in [lambda file: file["rows/names"].__setitem__(2, "another"),
                       lambda file: file["rows/vertices"].__setitem__(2, 8),
                       lambda file: file.attrs.modify("request", file.attrs["request"].replace(b"0.3", b"0.4"))]:
            self.change(self.right)
            with h5py.File(self.path("K.h5"), "r+") as file:
                change(file)
            self.assert_refused(["audit", "K.h5", "graphs.jsonl"], INPUT, "K.h5: is damaged: the request and the names")

    def test_another_format_is_refused(self):
        with h5py.File(self.path("K.h5"), "r+") as file:
            file.attrs.modify("format", 7)
        self.assert_refused(["audit", "K.h5", "graphs.jsonl"], INPUT, "K.h5: is of format 7; allowed is 1")

    def test_what_is_no_such_file_is_refused(self):
        self.assert_refused(["audit", "none.h5", "graphs.jsonl"], INPUT, "none.h5: cannot be read: No such file")
        with h5py.File(self.path("other.h5"), "w") as file:
            file["values"] = [[1.0]]
        self.assert_refused(["audit", "other.h5", "graphs.jsonl"], INPUT, "other.h5: is no matrix that octile wrote")
        for data in [b"", random.Random(1).randbytes(5000), self.right[:8] + random.Random(2).randbytes(5000)]:
            self.change(data)
            self.assert_refused(["audit", "K.h5", "graphs.jsonl"], INPUT, "K.h5: is no matrix that octile wrote, or is damaged")

    def test_truncated_files_are_refused(self):
        source = random.Random(3)
        for length in [8, 48, 96, len(self.right) - 1, *(source.randrange(len(self.right)) for _ in range(20))]:
            self.change(self.right[:length])
            self.assert_refused(["audit", "K.h5", "graphs.jsonl"], INPUT, "K.h5: is no matrix that octile wrote, or is damaged")

    def test_bytes_changed_at_random_end_in_a_line_and_a_code(self):
        source = random.Random(4)
        for _ in range(60):
            data = bytearray(self.right)
            for _ in range(source.choice([1, 1, 4, 40])):
                data[source.randrange(len(data))] = source.randrange(256)
            self.change(bytes(data))
            result = run("audit", "K.h5", "graphs.jsonl", folder=self.folder)
            self.assertIn(result.returncode, [SUCCESS, INPUT, WRONG], result.stderr)
            self.assertRegex(result.stderr, r"\A(octile: K\.h5: [^\n]+\n)?\Z" if result.returncode == INPUT else r"\A[^\n]*\n?\Z")
            self.assertNotIn("HDF5-DIAG", result.stdout + result.stderr)


def with_h5py():
    """Begins anew with the system's Python, where that has h5py and this one does not."""
    system = "/usr/bin/python3"
    if h5py or not WITH_HDF5 or os.path.realpath(sys.executable) == os.path.realpath(system) or not os.path.exists(system):
        return
    if subprocess.run([system, "-c", "import h5py"], check=False, capture_output=True).returncode == 0:
        os.execv(system, [system, "-B", *sys.argv])


if __name__ == "__main__":
    with_h5py()
    unittest.main()
