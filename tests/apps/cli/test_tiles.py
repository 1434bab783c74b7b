# SPDX-License-Identifier: BSD-3-Clause
"""Matrices in tiles: the values of whole ones, what is kept of a run that ends early, and how the next one goes on."""
import json
import os
import random
import re
import resource
import signal
import struct
import subprocess
import time
import unittest

from support import HOSTILE_SEED, PROGRAM, kills, read_npy, run
from test_command_line import HALF, INPUT, INTERRUPTED, OUTPUT, SUCCESS, USAGE, InFolder, TwoSets, random_graphs

COUNT, KERNEL = TwoSets.COUNT, TwoSets.KERNEL


class Tiled(TwoSets):
    def gram(self, *options, code=SUCCESS, **more):
        return self.octile("gram", "graphs.jsonl", *KERNEL, "--normalize", *options, code=code, **more)

    def bytes_of(self, name):
        with open(self.path(name), "rb") as file:
            return file.read()

    def text_of(self, name):
        return self.bytes_of(name).decode()

    def files(self):
        return sorted(os.listdir(self.folder))


class Values(Tiled):
    def test_tiles_of_any_size_are_the_matrix_to_the_bit(self):
        for options in [[], ["--normalize"], ["--tolerance", "1e-9", "--precision", "float32"]]:
            command = ["gram", "graphs.jsonl", *KERNEL, *options]
            self.octile(*command, "--out", "whole.npy", "--errors", "whole_errors.npy", "--summary", "whole_summary.json")
            for size in [1, 6, 22, 23, 100]:
                with self.subTest(options=options, size=size):
                    self.octile(*command, "--tile-size", size, "--out", "tiled.npy", "--errors", "tiled_errors.npy",
                                "--summary", "tiled_summary.json")
                    self.assertEqual(self.bytes_of("tiled.npy"), self.bytes_of("whole.npy"))
                    self.assertEqual(self.bytes_of("tiled_errors.npy"), self.bytes_of("whole_errors.npy"))
                    whole, tiled = (json.loads(self.text_of(f"{name}_summary.json")) for name in ["whole", "tiled"])
                    for key in ["pairs", "iterations", "largest_error", "refined_in_float64", "unconverged", "graphs"]:
                        self.assertEqual(tiled[key], whole[key], key)

    def test_tiles_of_a_rectangle_are_too(self):
        for options in [[], ["--normalize"]]:
            command = ["gram", "rows.jsonl", "--columns", "graphs.jsonl", *KERNEL, *options]
            self.octile(*command, "--out", "whole.npy", "--errors", "whole_errors.npy", "--summary", "whole_summary.json")
            self.octile(*command, "--out", "tiled.npy", "--errors", "tiled_errors.npy", "--tile-size", 4, "--summary",
                        "tiled_summary.json")
            self.assertEqual(read_npy(self.path("tiled.npy"))[0], (5, COUNT))
            self.assertEqual(self.bytes_of("tiled.npy"), self.bytes_of("whole.npy"))
            self.assertEqual(self.bytes_of("tiled_errors.npy"), self.bytes_of("whole_errors.npy"))
            whole, tiled = (json.loads(self.text_of(f"{name}_summary.json")) for name in ["whole", "tiled"])
            for key in ["pairs", "iterations", "largest_error", "selection"]:
                self.assertEqual(tiled[key], whole[key], key)

    def test_a_matrix_larger_than_the_memory_is_written_in_tiles(self):
        self.write("many.jsonl", random_graphs(400, 3, 3))
        command = ["gram", "many.jsonl", *KERNEL, "--quiet"]
        self.octile(*command, "--out", "whole.npy")
        self.octile(*command, "--out", "tiled.npy", "--memory", "6MiB")  # of which the pairs alone would take 3.5 MiB
        self.assertEqual(self.bytes_of("tiled.npy"), self.bytes_of("whole.npy"))
        # What cannot be written so is refused, as before.
        self.assert_refused([*command, "--out", "tiled.npy", "--gradient", "G.npy", "--memory", "6MiB"], INPUT,
                            "400 graphs", "--memory leaves 5.")

    def test_values_of_float32_are_rounded_and_bounds_count_that(self):
        self.gram("--out", "K.npy", "--errors", "E.npy")
        exact, bounds = read_npy(self.path("K.npy"))[1], read_npy(self.path("E.npy"))[1]
        first = None
        for options in [[], ["--tile-size", "6"], ["--resume"]]:
            self.gram("--out", "S.npy", "--errors", "F.npy", "--out-precision", "float32", "--summary", "S.json", *options)
            shape, values = read_npy(self.path("S.npy"))
            self.assertEqual(shape, (COUNT, COUNT))
            self.assertEqual(os.path.getsize(self.path("S.npy")), os.path.getsize(self.path("K.npy")) - 4 * COUNT * COUNT)
            self.assertEqual(values, [struct.unpack("<f", struct.pack("<f", value))[0] for value in exact])
            written = read_npy(self.path("F.npy"))[1]
            for value, kept, bound, wider in zip(exact, values, bounds, written):
                self.assertGreaterEqual(wider, bound + abs(kept - value) / value)
                self.assertLessEqual(wider, bound + 2**-24 * (1 + bound) * (1 + 1e-12))
            self.assertEqual(json.loads(self.text_of("S.json"))["largest_error"], max(written))
            first = first or (self.bytes_of("S.npy"), self.bytes_of("F.npy"))
            self.assertEqual((self.bytes_of("S.npy"), self.bytes_of("F.npy")), first)
        for options, what in [(["--out", "K.h5"], "allowed with --out FILE.npy"), (["--top", "2"], "allowed with --out FILE.npy"),
                              (["--tiles", "0:1", "--out", "a.tiles"], "allowed with --out FILE.npy")]:
            self.assert_refused(["gram", "graphs.jsonl", *KERNEL, "--out-precision", "float32", *options], USAGE, what)
        self.assert_refused(["gram", "graphs.jsonl", *KERNEL, "--out-precision", "half", "--out", "K.npy"], USAGE, "float64 or float32")

    def test_what_float32_has_no_number_for_is_not_written_as_0(self):
        small = ["graphs.jsonl", "--vertex", "1e-30", "--edge", "1", "--stopping", "weight:1e-9", "--quiet"]
        what = "cannot be written as float32"
        for options in [[], ["--tile-size", "6"]]:
            self.assert_refused(["gram", *small, "--out", "K.npy", "--out-precision", "float32", *options], OUTPUT, what,
                                "1.2e-38", "--out-precision float64")
        self.octile("gram", *small, "--tile-size", "99", "--tiles", "0:1", "--out", "one.tiles")
        self.assert_refused(["merge", "one.tiles", "--out", "K.npy", "--out-precision", "float32"], OUTPUT, what)
        self.octile("merge", "one.tiles", "--out", "K.npy", "--quiet")
        # 0 is a number of float32.
        self.write("bare.jsonl", ['{"nodes": [{"id": 0}], "edges": []}'] * 2)
        self.octile("gram", "bare.jsonl", *small[1:], "--lmin", "1", "--out", "Z.npy", "--out-precision", "float32")
        self.assertEqual(read_npy(self.path("Z.npy"))[1], [0] * 4)

    def test_the_summary_has_the_seconds_of_each_phase(self):
        for options in [[], ["--tile-size", "6"]]:
            self.gram("--out", "K.npy", "--summary", "S.json", *options)
            summary = json.loads(self.text_of("S.json"))
            for phase in ["read", "setup", "solve", "write"]:
                self.assertGreater(summary[f"{phase}_seconds"], 0, phase)

    def test_unconverged_pairs_are_listed_and_kept(self):
        command = ["gram", "graphs.jsonl", *KERNEL, "--tolerance", "1e-10", "--max-iterations", "4"]
        self.octile(*command, "--out", "whole.npy", "--summary", "whole_summary.json", code=3)
        self.octile(*command, "--out", "tiled.npy", "--summary", "tiled_summary.json", "--tile-size", "6", code=3)
        self.assertEqual(self.bytes_of("tiled.npy"), self.bytes_of("whole.npy"))
        whole, tiled = (json.loads(self.text_of(f"{name}_summary.json")) for name in ["whole", "tiled"])
        self.assertEqual(tiled["unconverged"], whole["unconverged"])

    def test_unconverged_pairs_that_rectangles_are_normalised_by_count_too(self):
        command = ["gram", "rows.jsonl", "--columns", "graphs.jsonl", *KERNEL, "--tolerance", "1e-10", "--max-iterations",
                   "4", "--normalize"]
        self.octile(*command, "--out", "whole.npy", "--summary", "whole_summary.json", code=3)
        self.octile(*command, "--out", "tiled.npy", "--summary", "tiled_summary.json", "--tile-size", "6", code=3)
        self.assertEqual(self.bytes_of("tiled.npy"), self.bytes_of("whole.npy"))
        whole, tiled = (json.loads(self.text_of(f"{name}_summary.json")) for name in ["whole", "tiled"])
        self.assertEqual(tiled["unconverged"], whole["unconverged"])
        own = [pair["first"] for pair in whole["unconverged"] if pair["first"] == pair["second"]]
        self.assertEqual(own, list(range(5 + COUNT)))

    def test_what_cannot_be_in_tiles_is_refused(self):
        command = ["gram", "graphs.jsonl", *KERNEL]
        for option in [["--resume"], ["--tile-size", "5"]]:
            self.assert_refused([*command, *option], USAGE, option[0], "--out FILE.npy")
            for other in [["--gradient", "G.npy"], ["--table"], ["--diagonal"], ["--pairs", "pairs.txt"]]:
                self.assert_refused([*command, *option, "--out", "K.npy", *other], USAGE, option[0], other[0])
        self.assert_refused([*command, "--out", "K.npy", "--tile-size", "0"], USAGE, "--tile-size")


class Resumed(Tiled):
    """Runs that end early: with a set that takes long enough that there is a moment to end them."""
    TILES = 21  # six down, of 4 rows and columns

    def setUp(self):
        super().setUp()
        self.write("graphs.jsonl", random_graphs(COUNT, 25, 1))
        self.gram("--out", "whole.npy", "--errors", "whole_errors.npy")

    def resumed(self, *options, code=SUCCESS, **more):
        return self.gram("--resume", "--tile-size", 4, "--out", "K.npy", "--errors", "E.npy", *options, code=code, **more)

    def start(self, **options):
        process = subprocess.Popen([PROGRAM, "gram", "graphs.jsonl", *KERNEL, "--normalize", "--resume", "--tile-size", "4",
                                    "--out", "K.npy", "--errors", "E.npy", "--quiet"], cwd=self.folder,
                                   stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **options)
        self.addCleanup(process.kill)
        return process

    def tiles_done(self):
        try:
            return max(0, self.bytes_of("K.npy.journal").count(b"\n") - 1)
        except FileNotFoundError:
            return 0

    def ended_after(self, tiles, number=signal.SIGKILL):
        """Ends a run when at least so many tiles are done. Returns its code and what it said: 0 if it ended by itself."""
        process = self.start()
        while self.tiles_done() < tiles and process.poll() is None:
            time.sleep(0.001)
        process.send_signal(number)
        errors = process.communicate(timeout=600)[1].decode()
        return process.returncode, errors

    def start_over(self):
        for name in self.files():
            if name.startswith(("K.", "E.")):
                os.remove(self.path(name))

    def remove_temporaries(self):
        """Those that nothing can remove for a run that is killed."""
        for name in self.files():
            if name.endswith(".tmp"):
                os.remove(self.path(name))

    def is_begun(self):
        """Whether a run left tiles, and was not renaming what is whole."""
        try:
            return os.path.exists(self.path("K.npy.part")) and b"renaming" not in self.bytes_of("K.npy.journal")
        except FileNotFoundError:
            return False

    def attempts(self):
        """From the beginning each time, for what a run on a busy machine may be too quick for."""
        for _ in range(10):
            yield
            self.start_over()
        self.skipTest("each run ended before it could be stopped")

    def left_behind(self, tiles):
        """What a run leaves that is killed when just so many tiles are done."""
        for _ in self.attempts():
            self.ended_after(max(tiles, 1))
            if self.is_begun():
                break
        lines = self.bytes_of("K.npy.journal").splitlines(keepends=True)
        with open(self.path("K.npy.journal"), "wb") as file:
            file.writelines(lines[:1 + tiles])

    def assert_whole(self):
        self.assertEqual(self.bytes_of("K.npy"), self.bytes_of("whole.npy"))
        self.assertEqual(self.bytes_of("E.npy"), self.bytes_of("whole_errors.npy"))
        self.assertEqual([name for name in self.files() if name.endswith((".part", ".journal", ".tmp"))], [])

    def assert_refused_and_kept(self, command, code, *parts):
        """Refused in one line, and what was done is kept to the byte."""
        before = {name: self.bytes_of(name) for name in self.files()}
        self.assert_refused(command, code, *parts)
        self.assertEqual({name: self.bytes_of(name) for name in self.files()}, before)

    def test_begins_where_there_is_nothing_to_resume(self):
        printed = self.resumed()
        self.assertNotIn("resuming", printed.stderr)
        self.assert_whole()

    def test_runs_killed_at_random_moments_go_on_to_the_same_bits(self):
        source = random.Random(HOSTILE_SEED)
        begin = time.monotonic()
        self.resumed("--quiet")
        length = time.monotonic() - begin
        self.start_over()
        for kill in range(kills(30)):
            process = self.start()
            time.sleep(length * source.random())
            process.kill()
            process.communicate(timeout=600)
            self.remove_temporaries()
            if os.path.exists(self.path("K.npy.part")):
                self.assertTrue(os.path.exists(self.path("K.npy.journal")), kill)
            if source.random() < 0.5:  # else the next one goes on with it, and is killed too
                self.resumed("--quiet")
                self.assert_whole()
                self.start_over()

    def test_two_runs_at_any_moment_never_spoil_each_other(self):
        source = random.Random(25)
        journal = None
        for attempt in range(kills(24)):
            if journal and attempt % 2:
                # As if a run had been killed while it renamed: both find outputs that are to be taken back.
                self.resumed("--quiet")
                with open(self.path("K.npy.journal"), "wb") as file:
                    file.write(journal + with_checksum('{"renaming":true}'))
            runs = [self.start()]
            time.sleep(0.02 * source.random())
            runs.append(self.start())
            if attempt % 4 >= 2:
                time.sleep(0.2 * source.random())
                runs[0].kill()
            ends = [(run.communicate(timeout=600)[1].decode(), run.returncode) for run in runs]
            self.remove_temporaries()
            for errors, code in ends:
                self.assertIn(code, [SUCCESS, OUTPUT, -signal.SIGKILL], errors)
                if code == OUTPUT:
                    self.assertRegex(errors, r"another run writes|no journal says")
            if all(code != -signal.SIGKILL for _, code in ends):
                self.assertIn(SUCCESS, [code for _, code in ends], ends)
            if journal is None and os.path.exists(self.path("K.npy.journal")):
                journal = self.bytes_of("K.npy.journal")
            self.resumed("--quiet")
            self.assert_whole()
            if journal is None:
                self.left_behind(3)
                journal = self.bytes_of("K.npy.journal")
            self.start_over()

    def test_files_of_others_by_these_names_are_not_replaced(self):
        for name in ["K.npy.part", "E.npy.part"]:
            self.write(name, ["mine"])
            self.assert_refused_and_kept(
                ["gram", "graphs.jsonl", *KERNEL, "--normalize", "--resume", "--out", "K.npy", "--errors", "E.npy"], OUTPUT,
                f"{name}: is there, and no journal says what it is; allowed is to move it, or to remove it")
            os.remove(self.path(name))
        self.write("K.npy.journal", ["mine"])
        self.assert_refused_and_kept(["gram", "graphs.jsonl", *KERNEL, "--resume", "--out", "K.npy"], INPUT, "line 1 is damaged")

    def test_a_folder_that_may_not_be_written_is_refused(self):
        self.left_behind(3)
        before = {name: self.bytes_of(name) for name in self.files()}
        os.chmod(self.folder, 0o555)
        self.addCleanup(os.chmod, self.folder, 0o755)
        # Root may write anywhere; another user runs it then.
        other = {"preexec_fn": lambda: os.setuid(65534)} if os.geteuid() == 0 else {}
        try:
            result = self.run_as(other)
        except (PermissionError, subprocess.SubprocessError) as error:
            self.skipTest(f"no other user can run the program: {error}")
        self.assertEqual(result.returncode, OUTPUT, result.stderr)
        self.assertRegex(result.stderr, r"\Aoctile: K\.[^\n]*: cannot be [^\n]*: Permission denied\n\Z")
        os.chmod(self.folder, 0o755)
        self.assertEqual({name: self.bytes_of(name) for name in self.files()}, before)
        self.resumed("--quiet")
        self.assert_whole()

    def run_as(self, other):
        return run("gram", "graphs.jsonl", *KERNEL, "--normalize", "--resume", "--tile-size", 4, "--out", "K.npy", "--quiet",
                   "--errors", "E.npy", folder=self.folder, **other)

    def test_another_choice_of_the_solver_is_refused(self):
        self.left_behind(3)
        lines = self.bytes_of("K.npy.journal").splitlines(keepends=True)
        request = json.loads(lines[0][17:])
        request["request"]["the solver's choice"] = "another"
        lines[0] = with_checksum(json.dumps(request, separators=(",", ":")))
        with open(self.path("K.npy.journal"), "wb") as file:
            file.writelines(lines)
        self.assert_refused_and_kept(["gram", "graphs.jsonl", *KERNEL, "--normalize", "--resume", "--out", "K.npy", "--errors",
                                      "E.npy", "--quiet"], INPUT, "K.npy.journal", "the solver's choice was another, and is ")

    def test_what_is_done_is_not_computed_again(self):
        self.left_behind(5)
        printed = self.resumed("--summary", "S.json")
        self.assertIn(f"resuming: 5 of {self.TILES} tiles are done", printed.stderr)
        self.assert_whole()
        resumed = json.loads(self.text_of("S.json"))
        self.gram("--out", "again.npy", "--summary", "again_summary.json")
        whole = json.loads(self.text_of("again_summary.json"))
        for key in ["pairs", "iterations", "largest_error", "unconverged"]:
            self.assertEqual(resumed[key], whole[key], key)

    def test_a_signal_keeps_what_is_done_and_says_so(self):
        for tiles, number in [(1, signal.SIGINT), (2, signal.SIGTERM)]:
            for _ in self.attempts():
                code, errors = self.ended_after(self.tiles_done() + tiles, number)
                if code != SUCCESS and self.is_begun():
                    break
            self.assertEqual(code, INTERRUPTED, errors)
            self.assertEqual(errors, "octile: interrupted; what is done is kept, and the same command goes on\n")
        self.resumed("--quiet")
        self.assert_whole()

    def test_without_resume_an_interrupted_run_leaves_nothing(self):
        before = self.files()
        for _ in self.attempts():
            process = subprocess.Popen([PROGRAM, "gram", "graphs.jsonl", *KERNEL, "--tile-size", "4", "--out", "K.npy"],
                                       cwd=self.folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                       stderr=subprocess.PIPE, text=True)
            self.addCleanup(process.kill)
            process.stderr.readline()
            process.send_signal(signal.SIGINT)
            errors = process.communicate(timeout=600)[1]
            if process.returncode != SUCCESS:
                break
        self.assertTrue(errors.endswith("octile: interrupted; nothing was written\n"), errors)
        self.assertEqual(self.files(), before)

    @staticmethod
    def changed_by_little(line):
        """A graph with another name, and with one weight, one label or one end of an edge that is another."""
        def changed(change):
            graph = json.loads(line)
            change(graph, graph["edges"][0])
            return json.dumps(graph)

        def moved(graph, edge):
            taken = {(one["source"], one["target"]) for one in graph["edges"]}
            edge["target"] = next(k for k in range(edge["source"] + 1, len(graph["nodes"])) if (edge["source"], k) not in taken)

        yield changed(lambda graph, edge: graph["graph"].update(name="another"))
        yield changed(lambda graph, edge: edge.update(weight=0.5 * edge["weight"]))
        yield changed(lambda graph, edge: edge.update(length=0.5 * edge["length"]))
        yield changed(moved)

    def test_another_request_is_refused_by_what_differs(self):
        self.left_behind(3)
        command = ["gram", "graphs.jsonl", *KERNEL, "--normalize", "--resume", "--out", "K.npy", "--errors", "E.npy"]
        part = "K.npy.journal"
        self.assert_refused_and_kept([option for option in command if option != "--normalize"], USAGE, part,
                                     "--normalize was true, and is false now", "remove K.npy.part and K.npy.journal")
        self.assert_refused_and_kept([*command, "--accuracy", "1e-9"], USAGE, part, "--accuracy was")
        self.assert_refused_and_kept(command[:-2], USAGE, part, "--errors was true")
        changed = [option if option != "gaussian(length,0.3)" else "gaussian(length,0.4)" for option in command]
        self.assert_refused_and_kept(changed, USAGE, part, "--edge was gaussian(length,0.3), and is gaussian(length,0.4)")
        graphs = self.text_of("graphs.jsonl")
        for changed in self.changed_by_little(graphs.splitlines()[-1]):
            self.write("graphs.jsonl", [*graphs.splitlines()[:-1], changed])
            self.assert_refused_and_kept(command, INPUT, part, "graphs of the rows")
        self.write("graphs.jsonl", graphs.splitlines()[:-1])
        self.assert_refused_and_kept(command, INPUT, part, f"number of rows was {COUNT}, and is {COUNT - 1} now")
        self.write("graphs.jsonl", graphs.splitlines())
        # Another size of tiles, memory or number of threads gives the same values.
        self.octile(*command, "--tile-size", 7, "--memory", "1GiB", "--threads", 1)
        self.assert_whole()

    def test_damaged_data_is_seen_and_computed_again(self):
        self.left_behind(6)
        with open(self.path("K.npy.part"), "r+b") as file:
            file.seek(128 + 8 * (COUNT + 5))  # row 1, column 5: the second tile
            file.write(b"\x01")
        self.assertIn(f"octile: K.npy.part: 1 of {self.TILES} tiles do not match the journal; they are computed again\n",
                      self.resumed().stderr)
        self.assert_whole()

    def test_truncated_data_is_seen_and_computed_again(self):
        self.left_behind(6)
        os.truncate(self.path("E.npy.part"), 1000)
        self.assertRegex(self.resumed().stderr, r"octile: K.npy.part: \d+ of \d+ tiles do not match the journal")
        self.assert_whole()
        self.left_behind(6)
        os.remove(self.path("K.npy.part"))
        self.assertIn("octile: K.npy.part: 6 of", self.resumed().stderr)
        self.assert_whole()

    def test_data_that_are_too_long_are_cut(self):
        self.left_behind(3)
        for name in ["K.npy.part", "E.npy.part"]:
            with open(self.path(name), "ab") as file:
                file.write(bytes(5000))
        self.resumed("--quiet")
        self.assert_whole()

    def test_a_file_that_may_not_be_written_is_replaced_after_an_end(self):
        self.write("K.npy", ["an older matrix"])
        os.chmod(self.path("K.npy"), 0o444)
        self.ended_after(3)
        if self.is_begun():
            self.assertEqual(os.stat(self.path("K.npy.part")).st_mode & 0o777, 0o644)
        self.resumed("--quiet")
        self.assert_whole()
        self.assertEqual(os.stat(self.path("K.npy")).st_mode & 0o777, 0o444)

    def test_a_damaged_journal_loses_no_more_than_its_lines(self):
        self.left_behind(6)
        lines = self.bytes_of("K.npy.journal").splitlines(keepends=True)
        lines[3] = lines[3].replace(b"pairs", b"pears")
        with open(self.path("K.npy.journal"), "wb") as file:
            file.writelines([*lines[:-1], lines[-1][:20]])
        printed = self.resumed().stderr
        self.assertIn("octile: K.npy.journal: several lines are damaged; the tiles are computed again\n", printed)
        self.assertIn(f"resuming: 4 of {self.TILES} tiles are done", printed)
        self.assert_whole()

    def test_what_is_done_after_a_torn_line_is_kept(self):
        for _ in self.attempts():
            self.left_behind(3)
            lines = self.bytes_of("K.npy.journal").splitlines(keepends=True)
            with open(self.path("K.npy.journal"), "wb") as file:
                file.writelines([*lines[:-1], lines[-1][:20]])
            process = self.start()
            while self.tiles_done() < 5 and process.poll() is None:
                time.sleep(0.001)
            process.kill()
            process.communicate()
            self.remove_temporaries()
            if self.is_begun():
                break
        done = self.bytes_of("K.npy.journal").count(b'"pairs"')
        self.assertIn(f"resuming: {done} of {self.TILES} tiles are done", self.resumed().stderr)
        self.assert_whole()

    def test_a_journal_without_its_first_line_is_refused(self):
        self.left_behind(2)
        lines = self.bytes_of("K.npy.journal").splitlines(keepends=True)
        with open(self.path("K.npy.journal"), "wb") as file:
            file.writelines(lines[1:])
        self.assert_refused_and_kept(
            ["gram", "graphs.jsonl", *KERNEL, "--normalize", "--resume", "--out", "K.npy", "--errors", "E.npy"], INPUT,
            "K.npy.journal: line 1 is damaged")

    def test_of_two_runs_at_once_the_second_is_refused(self):
        for _ in self.attempts():
            process = self.start()
            while self.tiles_done() < 1 and process.poll() is None:
                time.sleep(0.001)
            process.send_signal(signal.SIGSTOP)
            if process.poll() is None and self.is_begun():
                break
            process.send_signal(signal.SIGCONT)
            process.wait(timeout=600)
        result = self.resumed(code=OUTPUT)
        self.assertTrue(result.stderr.endswith("octile: K.npy.journal: another run writes this output; allowed is one at a time\n"),
                        result.stderr)
        process.send_signal(signal.SIGCONT)
        self.assertEqual(process.wait(timeout=600), SUCCESS)
        self.assert_whole()

    def test_a_full_disk_keeps_what_is_done(self):
        self.left_behind(6)
        limit = 3000  # of a file, within the matrix
        result = self.resumed(code=OUTPUT, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)))
        self.assertRegex(result.stderr, r"octile: [KE]\.npy[^\n]*: cannot be written: File too large\n\Z")
        # Tiles that lie within the limit were done, too.
        self.assertRegex(self.resumed().stderr, rf"resuming: ([6-9]|1\d) of {self.TILES} tiles are done")
        self.assert_whole()

    def test_a_full_disk_is_found_before_the_work(self):
        limit = 3000
        for options in [["--resume"], ["--tile-size", "4"]]:
            result = self.gram("--out", "K.npy", *options, code=OUTPUT,
                               preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)))
            self.assertTrue(result.stderr.endswith("octile: K.npy: cannot be written: File too large\n"), result.stderr)

    def test_outputs_that_were_being_renamed_are_as_good_as_done(self):
        self.left_behind(6)
        journal = self.bytes_of("K.npy.journal")
        self.resumed("--quiet")
        # As if that run had been killed after it renamed one of the two.
        os.rename(self.path("E.npy"), self.path("E.npy.part"))
        with open(self.path("K.npy.journal"), "wb") as file:
            file.write(journal + with_checksum('{"renaming":true}'))
        self.assertIn(f"resuming: 6 of {self.TILES} tiles are done", self.resumed().stderr)
        self.assert_whole()


def with_checksum(text):
    """A line of a journal: docs/matrices.md says what it is."""
    data, total, mask = text.encode(), 0xCBF29CE484222325, (1 << 64) - 1
    for word in [len(data), *(int.from_bytes(data[k:k + 8], "little") for k in range(0, len(data), 8))]:
        total = ((total ^ word) * 0x9E3779B97F4A7C15) & mask
        total ^= total >> 32
    return f"{total:016x} {text}\n".encode()


class Names(Tiled):
    def names(self, path="K.json"):
        return json.loads(self.text_of(path))

    def test_stand_beside_every_matrix(self):
        for options in [[], ["--tile-size", "6"], ["--resume"]]:
            self.gram("--out", "K.npy", *options)
            names = self.names()
            self.assertEqual(names["matrix"], "K.npy")
            self.assertEqual(names["shape"], [COUNT, COUNT])
            self.assertEqual(names["rows"]["names"], [f"g{k}" for k in range(COUNT)])
            self.assertEqual(names["rows"]["vertices"], [7] * COUNT)
            self.assertEqual(names["rows"]["files"], ["graphs.jsonl"])
            self.assertEqual(names["rows"]["file"], [0] * COUNT)
            self.assertEqual(names["rows"]["number"], list(range(1, COUNT + 1)))
            self.assertEqual(names["rows"]["line"], list(range(1, COUNT + 1)))
            self.assertNotIn("columns", names)
            self.assertEqual(names["kernel"]["edge"], "gaussian(length,0.3)")
            self.assertTrue(names["normalized"])

    def test_say_where_each_graph_stands_whatever_is_skipped_before_it(self):
        self.write("some.smi", ["# molecules", "C(C", "CCO ethanol", "", "c1ccccc1", "C)", "CC"])
        self.write("frames.xyz", ["2", "", "O 0 0 0", "O 0 0 1.2", "", "1", "", "X 0 0 0", "1", "", "N 0 0 0"])
        self.octile("gram", "some.smi", "--skip-invalid", "--vertex", "delta(element,0.5)", "--edge", "1", "--stopping", "probability:0.1", "--out", "K.npy")
        rows = self.names()["rows"]
        self.assertEqual((rows["names"], rows["number"], rows["line"]), (["ethanol", "some.smi:5", "some.smi:7"], [2, 3, 5], [3, 5, 7]))
        self.octile("gram", "frames.xyz", "--skip-invalid", "--cutoff", "2", "--vertex", "delta(element,0.5)", "--edge", "1", "--stopping", "probability:0.1", "--out", "K.npy")
        rows = self.names()["rows"]
        self.assertEqual((rows["number"], rows["line"]), ([1, 3], [1, 9]))

    def test_say_what_was_written_whatever_the_tiles(self):
        said = ["checksums", "unconverged_pairs", "largest_error", "bounds_file"]
        found = []
        for options in [[], ["--tile-size", "6"], ["--tile-size", "1"], ["--resume"]]:
            self.gram("--out", "K.npy", "--errors", "E.npy", *options)
            found.append({key: self.names()[key] for key in said})
        self.assertEqual(found, [found[0]] * 4)
        self.assertEqual((found[0]["unconverged_pairs"], found[0]["bounds_file"]), (0, "E.npy"))
        self.assertRegex(found[0]["checksums"]["values"], r"\A[0-9a-f]{16}\Z")
        self.assertNotEqual(found[0]["checksums"]["values"], found[0]["checksums"]["bounds"])
        self.gram("--out", "K.npy")
        self.assertEqual(list(self.names()["checksums"]), ["values"])
        self.assertNotIn("bounds_file", self.names())
        command = ["rows.jsonl", "--columns", "graphs.jsonl", *KERNEL, "--tolerance", "1e-10", "--max-iterations", "4", "--normalize"]
        for options in [[], ["--tile-size", "6"]]:
            self.octile("gram", *command, "--out", "K.npy", "--summary", "S.json", *options, code=3)
            self.assertEqual(self.names()["unconverged_pairs"], len(json.loads(self.text_of("S.json"))["unconverged"]))

    def test_of_a_rectangle_are_those_of_rows_and_columns(self):
        self.write("b.jsonl", random_graphs(2, 5, 4))
        self.octile("gram", "rows.jsonl", "b.jsonl", "--columns", "graphs.jsonl", *KERNEL, "--out", "K.npy")
        names = self.names()
        self.assertEqual(names["rows"]["names"], ["g0", "g1", "g2", "g3", "g4", "g0", "g1"])
        self.assertEqual(names["rows"]["files"], ["rows.jsonl", "b.jsonl"])
        self.assertEqual(names["rows"]["file"], [0, 0, 0, 0, 0, 1, 1])
        self.assertEqual(names["rows"]["number"], [1, 2, 3, 4, 5, 1, 2])
        self.assertEqual(len(names["columns"]["names"]), COUNT)

    def test_targets_are_there(self):
        self.write("one.jsonl", ['{"graph": {"name": "a", "targets": {"y": 2.5}}, "nodes": [{"id": 0}], "edges": []}',
                                 '{"graph": {"name": "b"}, "nodes": [{"id": 0}], "edges": []}'])
        self.octile("gram", "one.jsonl", "--vertex", "1", "--edge", "1", *HALF, "--out", "K.npy")
        self.assertEqual(self.names()["rows"]["targets"], {"y": [2.5, None]})

    def test_a_summary_of_that_name_has_them_too(self):
        self.gram("--out", "K.npy", "--summary", "K.json")
        names = self.names()
        self.assertEqual(names["pairs"], COUNT * (COUNT + 1) // 2)
        self.assertEqual(names["rows"]["names"], names["graphs"])
        self.gram("--out", "K.npy")
        self.assertNotIn("pairs", self.names())

    def test_a_file_of_others_is_not_replaced(self):
        for text in ["notes", '{"mine": 1}']:
            self.write("K.json", [text])
            self.assert_refused(["gram", "graphs.jsonl", *KERNEL, "--out", "K.npy"], OUTPUT, "K.json: cannot be written",
                                "another name for --out")
            self.assertEqual(self.text_of("K.json"), text + "\n")


class Top(Tiled):
    def neighbours(self, path="N.csv"):
        lines = self.text_of(path).splitlines()
        self.assertEqual(lines[0], "row,rank,column,value,error,row_number,column_number")
        return [(row, int(rank), column, float(value), float(error), int(i), int(j))
                for row, rank, column, value, error, i, j in (line.split(",") for line in lines[1:])]

    def expected(self, shape, values, errors, most, square, row_names, column_names):
        rows, columns = shape
        found = []
        for i in range(rows):
            order = sorted((j for j in range(columns) if not (square and i == j)), key=lambda j: (-values[i * columns + j], j))
            for rank, j in enumerate(order[:most], 1):
                found.append((row_names[i], rank, column_names[j], values[i * columns + j], errors[i * columns + j], i + 1, j + 1))
        return found

    def test_is_what_the_whole_matrix_says(self):
        # Some graphs are there twice, so that values are equal.
        self.write("graphs.jsonl", random_graphs(COUNT - 6, 7, 1) + random_graphs(6, 7, 1))
        names = [f"g{k}" for k in [*range(COUNT - 6), *range(6)]]
        self.gram("--out", "whole.npy", "--errors", "errors.npy")
        (shape, values), (_, errors) = read_npy(self.path("whole.npy")), read_npy(self.path("errors.npy"))
        for most in [1, 3, COUNT - 1, 100]:
            for size in [[], ["--tile-size", "5"]]:
                self.octile("gram", "graphs.jsonl", *KERNEL, "--top", most, "--out", "N.csv", *size)
                self.assertEqual(self.neighbours(), self.expected(shape, values, errors, most, True, names, names))

    def test_candidates_are_the_columns(self):
        command = ["gram", "rows.jsonl", "--columns", "graphs.jsonl", *KERNEL]
        self.octile(*command, "--normalize", "--out", "whole.npy", "--errors", "errors.npy")
        (shape, values), (_, errors) = read_npy(self.path("whole.npy")), read_npy(self.path("errors.npy"))
        self.octile(*command, "--top", 4, "--out", "N.csv", "--tile-size", 3)
        names = [f"g{k}" for k in range(COUNT)]
        self.assertEqual(self.neighbours(), self.expected(shape, values, errors, 4, False, names, names))

    def test_pairs_that_cannot_be_among_the_nearest_stop_early(self):
        # Of graphs that are there twice, values are equal; graphs of other sizes lie far from each other.
        for seed, columns, accuracy in [(3, False, "1e-6"), (4, True, "1e-6"), (5, False, "1e-12"), (6, True, "1e-3")]:
            graphs = [graph for size in [3, 5, 8, 12] for graph in random_graphs(9, size, seed + size)]
            self.write("set.jsonl", graphs + graphs[3:9])
            self.write("queries.jsonl", graphs[::4])
            names = [json.loads(graph)["graph"]["name"] for graph in graphs + graphs[3:9]]
            rows = [json.loads(graph)["graph"]["name"] for graph in graphs[::4]] if columns else names
            command = ["gram", *(["queries.jsonl", "--columns"] if columns else []), "set.jsonl", "--vertex", "1", "--edge",
                       "gaussian(length,0.1)", "--stopping", "weight:0.05", "--lowering", "on-the-fly", "--accuracy", accuracy]
            self.octile(*command, "--normalize", "--out", "whole.npy", "--errors", "errors.npy", "--summary", "whole.summary.json")
            (shape, values), (_, errors) = read_npy(self.path("whole.npy")), read_npy(self.path("errors.npy"))
            pairs = json.loads(self.text_of("whole.summary.json"))["pairs"]
            for most, size in [(1, []), (3, ["--tile-size", "7"]), (41 + columns, ["--tile-size", "20"])]:
                with self.subTest(seed=seed, most=most, size=size):
                    printed = self.octile(*command, "--top", most, "--out", "N.csv", "--summary", "S.json", *size).stdout
                    self.assertEqual(self.neighbours(), self.expected(shape, values, errors, most, not columns, rows, names))
                    summary = json.loads(self.text_of("S.json"))
                    stopped = summary["stopped_early"]
                    self.assertEqual(summary["pairs"], pairs)
                    if most > 40:
                        self.assertEqual(stopped["pairs"], 0)
                        self.assertIn("stopped early: none\n", printed)
                        continue
                    self.assertGreater(stopped["pairs"], pairs // 4)
                    self.assertLess(stopped["products"], stopped["products_of_all"])
                    self.assertIn(f"stopped early: {stopped['pairs']} pairs, ", printed)

    def test_no_pair_stops_where_values_are_not_certified(self):
        self.gram("--out", "whole.npy", "--accuracy", "estimated:1e-6")
        shape, values = read_npy(self.path("whole.npy"))
        names = [f"g{k}" for k in range(COUNT)]
        self.octile("gram", "graphs.jsonl", *KERNEL, "--accuracy", "estimated:1e-6", "--top", 2, "--out", "N.csv", "--summary", "S.json")
        self.assertEqual([one[:4] for one in self.neighbours()],
                         [one[:4] for one in self.expected(shape, values, values, 2, True, names, names)])
        self.assertEqual(json.loads(self.text_of("S.json"))["stopped_early"]["pairs"], 0)

    def test_is_printed_where_no_file_is_asked_for(self):
        self.octile("gram", "rows.jsonl", *KERNEL, "--top", 1, "--out", "N.csv", "--quiet")
        self.assertEqual(self.octile("gram", "rows.jsonl", *KERNEL, "--top", 1, "--quiet").stdout, self.text_of("N.csv"))

    def test_names_are_quoted(self):
        lines = [line.replace('"g0"', '"a, \\"b\\""') for line in random_graphs(2, 5, 4)]
        self.write("two.jsonl", lines)
        self.assertIn('"a, ""b""",1,g1,', self.octile("gram", "two.jsonl", *KERNEL, "--top", 1, "--quiet").stdout)

    def test_what_does_not_go_with_it_is_refused(self):
        command = ["gram", "rows.jsonl", *KERNEL, "--top", "2"]
        self.assert_refused([*command, "--out", "N.npy"], USAGE, "--out N.npy", ".csv")
        for other in [["--errors", "E.npy"], ["--diagonal"], ["--table"]]:
            self.assert_refused([*command, "--out", "N.csv", *other], USAGE, "--top and", other[0])


class Parts(Tiled):
    TILES = 10  # of 6 rows and columns

    def part(self, tiles, *options, code=SUCCESS):
        name = f"{tiles.replace(':', '-')}.tiles"
        return name, self.gram("--tile-size", 6, "--tiles", tiles, "--out", name, *options, code=code)

    @staticmethod
    def size_of_tile(number):
        """Places of one of the tiles of 6 rows and columns of 23."""
        places = [(row, column) for row in range(4) for column in range(row, 4)]
        row, column = places[number]
        return (5 if row == 3 else 6) * (5 if column == 3 else 6)

    def parts(self, *options):
        return [self.part(tiles, *options)[0] for tiles in ["3:8", "0:3", "8:99"]]

    def test_merge_to_float32_as_one_run_writes_it(self):
        parts = self.parts()
        self.gram("--out", "K.npy", "--errors", "E.npy", "--out-precision", "float32")
        self.octile("merge", *parts, "--out", "M.npy", "--errors", "F.npy", "--out-precision", "float32", "--quiet")
        self.assertEqual(self.bytes_of("M.npy"), self.bytes_of("K.npy"))
        self.assertEqual(self.bytes_of("F.npy"), self.bytes_of("E.npy"))
        whole, merged = json.loads(self.text_of("K.json")), json.loads(self.text_of("M.json"))
        for key in ["checksums", "largest_error", "unconverged_pairs", "identity"]:
            self.assertEqual(merged[key], whole[key], key)
        # Without bounds in a file they are counted all the same, and the matrix can grow.
        self.octile("merge", *parts, "--out", "N.npy", "--out-precision", "float32", "--quiet")
        self.assertEqual(self.bytes_of("N.npy"), self.bytes_of("K.npy"))
        self.assertEqual(json.loads(self.text_of("N.json"))["largest_error"], whole["largest_error"])
        self.octile("audit", "M.npy", "graphs.jsonl", "--errors", "F.npy")
        self.gram("--out", "X.npy", "--errors", "Y.npy", "--out-precision", "float32", "--extend", "M.npy")
        self.assertEqual(self.bytes_of("X.npy"), self.bytes_of("K.npy"))
        for out, precision, what in [("M.h5", "float32", "allowed with --out FILE.npy"), ("M.npy", "half", "float64 or float32")]:
            self.assert_refused(["merge", *parts, "--out", out, "--out-precision", precision], USAGE, what)

    def test_merge_of_a_file_without_an_end(self):
        # Zeros for ever, or until the memory is full.
        self.assert_refused(["merge", "/dev/zero", "--out", "M.npy"], INPUT, "/dev/zero", "is no part of a matrix")

    def test_merge_to_the_matrix_to_the_bit(self):
        self.gram("--out", "K.npy", "--errors", "E.npy")
        printed = self.octile("merge", *self.parts(), "--out", "M.npy", "--errors", "F.npy").stdout
        self.assertEqual(printed, "276 pairs of 10 tiles in 3 parts\nwrote M.npy\n")
        self.assertEqual(self.bytes_of("M.npy"), self.bytes_of("K.npy"))
        self.assertEqual(self.bytes_of("F.npy"), self.bytes_of("E.npy"))
        whole, merged = json.loads(self.text_of("K.json")), json.loads(self.text_of("M.json"))
        self.assertEqual(merged["matrix"], "M.npy")
        self.assertEqual(merged["rows"], whole["rows"])
        self.assertEqual(merged["checksums"], whole["checksums"])
        self.assertEqual((merged["unconverged_pairs"], merged["bounds_file"]), (0, "F.npy"))
        self.assertEqual(merged["largest_error"], whole["largest_error"])
        self.assertEqual([(part["part"], part["begin"], part["end"], part["inputs"]) for part in merged["parts"]],
                         [("0-3.tiles", 0, 3, ["graphs.jsonl"]), ("3-8.tiles", 3, 8, ["graphs.jsonl"]),
                          ("8-99.tiles", 8, 10, ["graphs.jsonl"])])
        self.assertNotIn("F.json", self.files())

    def test_pairs_that_did_not_converge_are_counted_once(self):
        few = ["--tolerance", "1e-10", "--max-iterations", "4"]
        for inputs, tiles in [(["graphs.jsonl"], "3:8 0:3 8:99"), (["rows.jsonl", "--columns", "graphs.jsonl"], "2:3 0:2 3:99")]:
            command = ["gram", *inputs, *KERNEL, "--normalize", *few, "--quiet"]
            self.octile(*command, "--out", "K.npy", code=3)
            names = []
            for part in tiles.split():
                names.append(f"{part.replace(':', '-')}.tiles")
                self.octile(*command, "--tile-size", 6, "--tiles", part, "--out", names[-1], code=3)
            self.octile("merge", *names, "--out", "M.npy", code=3)
            whole, merged = json.loads(self.text_of("K.json")), json.loads(self.text_of("M.json"))
            self.assertGreater(whole["unconverged_pairs"], COUNT)
            self.assertEqual(merged["unconverged_pairs"], whole["unconverged_pairs"])

    def test_of_a_rectangle_merge_too(self):
        command = ["gram", "rows.jsonl", "--columns", "graphs.jsonl", *KERNEL]
        self.octile(*command, "--out", "K.npy")
        for tiles in ["0:4", "4:12"]:
            self.octile(*command, "--tile-size", 4, "--tiles", tiles, "--out", f"{tiles[0]}.tiles", "--quiet")
        self.octile("merge", "4.tiles", "0.tiles", "--out", "M.npy", "--quiet")
        self.assertEqual(self.bytes_of("M.npy"), self.bytes_of("K.npy"))

    def test_parts_that_make_no_matrix_are_refused(self):
        middle, first, last = self.parts()
        merge = ["merge", "--out", "M.npy"]
        self.assert_refused([*merge, middle, last], INPUT, "tiles 0:3 of 10 are in none of the parts")
        self.assert_refused([*merge, first, last], INPUT, "tiles 3:8 of 10 are in none of the parts")
        self.assert_refused([*merge, first, middle], INPUT, "tiles 8:10 of 10 are in none of the parts")
        self.assert_refused([*merge, first, middle, last, last], INPUT, "both have tile 8")
        self.gram("--tile-size", 6, "--tiles", "8:99", "--out", "other.tiles", "--accuracy", "1e-7")
        self.assert_refused([*merge, first, middle, "other.tiles"], USAGE, "--accuracy was", "other.tiles")
        self.gram("--tile-size", 7, "--tiles", "8:99", "--out", "other.tiles")
        self.assert_refused([*merge, first, middle, "other.tiles"], INPUT, "edge was 6, and is 7 now", "other.tiles")
        self.assert_refused([*merge, first, "graphs.jsonl"], INPUT, "graphs.jsonl: is no part of a matrix")
        self.assert_refused([*merge, "none.tiles"], INPUT, "none.tiles: cannot be read")
        self.assert_refused(["merge", first, "--out", "M.csv"], USAGE, "--out M.csv", ".npy")

    def test_damaged_parts_are_refused(self):
        middle, first, last = self.parts()
        whole = self.bytes_of(middle)
        for damaged, what in [(whole[:-1], "ends too early"), (whole[:200], "is no part of a matrix"),
                              (whole + b"x", "goes on behind its last tile"),
                              (whole[:-100] + b"\x55" + whole[-99:], "does not match its checksum"), (b"", "ends too early")]:
            with open(self.path(middle), "wb") as file:
                file.write(damaged)
            self.assert_refused(["merge", first, middle, last, "--out", "M.npy"], INPUT, f"{middle}: ", what)

    def test_a_part_that_was_begun_goes_on(self):
        self.gram("--out", "K.npy")
        whole, _ = self.part("2:9", "--summary", "whole.json")
        complete = self.bytes_of(whole)
        # Where each tile ends: a line, and the values and bounds behind it.
        ends, at = [], complete.index(b"\n") + 1
        for number in range(2, 9):
            at = complete.index(b"\n", at) + 1 + 2 * 8 * self.size_of_tile(number)
            ends.append(at)
        self.assertEqual(ends[-1], len(complete))
        first, second = self.part("0:2")[0], self.part("9:99")[0]
        # What was begun keeps its tiles.
        command = ["--tiles", "2:9", "--out", "a.tiles", "--resume", "--summary", "a.json"]
        source = random.Random(3)
        places = [0, 7, len(complete) - 1, len(complete), *(source.randrange(len(complete)) for _ in range(8))]
        for place in places:
            for spoilt in [False, True]:
                with self.subTest(place=place, spoilt=spoilt), open(self.path("a.tiles.part"), "wb") as file:
                    begun = bytearray(complete[:place])
                    # Behind the request, which is refused where it is damaged.
                    if spoilt and place > complete.index(b"\n") + 1:
                        begun[source.randrange(complete.index(b"\n") + 1, place)] ^= 1
                    file.write(begun)
                    file.flush()
                    tiles = [] if place > complete.index(b"\n") else ["--tile-size", 6]
                    said = self.gram(*command, *tiles).stderr
                    done = sum(end <= place for end in ends)
                    if place > complete.index(b"\n") and not spoilt:
                        self.assertIn(f"resuming: {done} of 7 tiles are done\n", said)
                    elif place <= complete.index(b"\n"):
                        self.assertNotIn("resuming", said)
                    self.assertNotIn("a.tiles.part", self.files())
                    for key in ["pairs", "iterations", "largest_error"]:
                        self.assertEqual(json.loads(self.text_of("a.json"))[key], json.loads(self.text_of("whole.json"))[key])
                    self.octile("merge", first, "a.tiles", second, "--out", "M.npy", "--quiet")
                    self.assertEqual(self.bytes_of("M.npy"), self.bytes_of("K.npy"))
        with open(self.path("a.tiles.part"), "wb") as file:
            file.write(complete[:-9])
        begun = ["gram", "graphs.jsonl", *KERNEL, "--normalize", "--tile-size", "6", "--resume", "--out", "a.tiles"]
        self.assert_refused([*begun, "--tiles", "2:8"], USAGE, "--tiles 2:8: ", "a.tiles.part was begun with the tiles 2:9; allowed are these")
        self.assert_refused([*begun, "--tiles", "2:9", "--accuracy", "1e-7"], USAGE, "--accuracy", "a.tiles.part")
        self.assertEqual(self.bytes_of("a.tiles.part"), complete[:-9])
        self.assert_refused(["gram", "graphs.jsonl", *KERNEL, "--normalize", "--tile-size", "5", "--resume", "--out", "a.tiles", "--tiles", "2:9"],
                            USAGE, "--tile-size 5: a.tiles.part was begun with 6; allowed is this")
        self.assertIn(f"in {sum(end > len(complete) - 9 for end in ends)} tile of 6 rows", self.octile(*begun, "--tiles", "2:9", "--dry-run").stdout)
        self.assertEqual(self.bytes_of("a.tiles.part"), complete[:-9])
        damaged = bytes([complete[0], complete[1] ^ 1]) + complete[2:]
        for mine in [b"mine\n", b"mine", b"0123456789abcdef", b"0123456789abcdef {\"bag", damaged]:
            with self.subTest(mine=mine[:30]):
                with open(self.path("a.tiles.part"), "wb") as file:
                    file.write(mine)
                if mine == b"0123456789abcdef":  # as a run may leave it that ended in its first line
                    self.octile(*begun, "--tiles", "2:9", "--quiet")
                    continue
                self.assert_refused([*begun, "--tiles", "2:9"], INPUT, "a.tiles.part: is no part of a matrix", "to start over, remove it")
                self.assertEqual(self.bytes_of("a.tiles.part"), mine)
        os.remove(self.path("a.tiles.part"))
        # What is refused leaves nothing behind.
        self.assert_refused([*begun, "--tiles", "200:201"], USAGE, "--tiles 200:201")
        self.assert_refused([*begun, "--tiles", "2:9", "--memory", "18KiB"], INPUT, "--memory leaves")
        self.assertNotIn("a.tiles.part", self.files())

    def test_a_killed_part_goes_on(self):
        self.write("many.jsonl", random_graphs(60, 20, 8))
        command = ["gram", "many.jsonl", *KERNEL, "--tile-size", 6, "--tiles", "0:55", "--out", "a.tiles", "--resume", "--quiet"]
        process = subprocess.Popen([PROGRAM, *map(str, command)], cwd=self.folder, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE)
        while process.poll() is None and not (os.path.exists(self.path("a.tiles.part")) and os.path.getsize(self.path("a.tiles.part")) > 20000):
            time.sleep(0.001)
        process.kill()
        process.communicate()
        self.assertEqual(process.returncode, -signal.SIGKILL)
        said = self.octile(*command[:-1]).stderr
        self.assertGreater(int(re.search(r"resuming: (\d+) of 55 tiles are done\n", said)[1]), 0)
        self.octile("merge", "a.tiles", "--out", "M.npy", "--quiet")
        self.octile("gram", "many.jsonl", *KERNEL, "--tile-size", 6, "--out", "K.npy", "--quiet")
        self.assertEqual(self.bytes_of("M.npy"), self.bytes_of("K.npy"))

    def test_tiles_that_are_none_are_refused(self):
        for tiles in ["3", "3:", ":3", "3:3", "4:3", "-1:3", "a:b", "1:2:3"]:
            self.assert_refused(["gram", "graphs.jsonl", *KERNEL, f"--tiles={tiles}", "--out", "a.tiles"], USAGE, f"--tiles {tiles}")
        self.assert_refused(["gram", "graphs.jsonl", *KERNEL, "--tile-size", "6", "--tiles", "10:11", "--out", "a.tiles",
                             "--quiet"], USAGE, "the matrix has 10 tiles")
        for other in [["--errors", "E.npy"], ["--top", "3"], ["--diagonal"]]:
            self.assert_refused(["gram", "graphs.jsonl", *KERNEL, "--tiles", "0:1", "--out", "a.tiles", *other], USAGE,
                                "--tiles and", other[0])


if __name__ == "__main__":
    unittest.main()
