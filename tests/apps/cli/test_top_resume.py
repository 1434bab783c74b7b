# SPDX-License-Identifier: BSD-3-Clause
"""Lists of the nearest graphs whose runs end early: the same command goes on, and gives the list of a run that was not stopped."""
import json
import os
import random
import signal
import subprocess
import time
import unittest

from support import PATIENCE, kills
from test_command_line import INPUT, OUTPUT, PROGRAM, SUCCESS, USAGE, InFolder, random_graphs
from test_tiles import with_checksum

COUNT = 45
# A run has to take long enough to be stopped: with smaller graphs under sanitizers, which take many times as long.
SIZES = [5, 12, 30] if PATIENCE == 1 else [5, 9, 16]
KERNEL = ["--vertex", "1", "--edge", "gaussian(length,0.1)", "--stopping", "weight:0.05", "--lowering", "on-the-fly"]
# Pairs stop early with values that are certified, and not with others.
EARLY = ["--accuracy", "1e-10"]
ALL = ["--accuracy", "estimated:1e-6"]


class Resumed(InFolder):
    def setUp(self):
        super().setUp()
        # Graphs of other sizes lie far from each other.
        self.graphs = [graph for size in SIZES for graph in random_graphs(COUNT // 3, size, size)]
        self.write("graphs.jsonl", self.graphs)

    def command(self, *options):
        return ["gram", "graphs.jsonl", *KERNEL, "--top", "3", "--tile-size", "4", "--out", "N.csv", *options]

    def bytes_of(self, name):
        with open(self.path(name), "rb") as file:
            return file.read()

    def whole(self, accuracy):
        self.octile("gram", "graphs.jsonl", *KERNEL, "--top", "3", "--out", "whole.csv", "--quiet", *accuracy)
        return self.bytes_of("whole.csv")

    def start(self, accuracy):
        process = subprocess.Popen([PROGRAM, *self.command("--resume", "--quiet", *accuracy)], cwd=self.folder,
                                   stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        self.addCleanup(process.kill)
        return process

    def stopped(self, accuracy, least=2000, number=signal.SIGKILL):
        """What a run leaves that is ended when it has written so many bytes."""
        for _ in range(10):
            process = self.start(accuracy)
            while process.poll() is None:
                try:
                    if os.path.getsize(self.path("N.csv.part")) >= least:
                        break
                except FileNotFoundError:
                    pass
                time.sleep(0.001)
            process.send_signal(number)
            errors = process.communicate(timeout=600)[1].decode()
            if os.path.exists(self.path("N.csv.part")):
                return errors
            os.remove(self.path("N.csv"))
        return self.skipTest("each run ended before it could be stopped")

    def test_runs_that_are_killed_at_random_moments_end_as_one(self):
        source = random.Random(1)
        for accuracy in [EARLY, ALL]:
            with self.subTest(accuracy=accuracy):
                whole = self.whole(accuracy)
                for _ in range(kills(5)):
                    process = self.start(accuracy)
                    time.sleep(0.3 * source.random())
                    process.kill()
                    process.communicate(timeout=600)
                self.octile(*self.command("--resume", *accuracy))
                self.assertEqual(self.bytes_of("N.csv"), whole)
                self.assertFalse(os.path.exists(self.path("N.csv.part")))
                os.remove(self.path("N.csv"))
                for name in os.listdir(self.folder):
                    if name.endswith(".tmp"):
                        os.remove(self.path(name))

    def test_what_is_done_is_not_done_again(self):
        for accuracy in [EARLY, ALL]:
            with self.subTest(accuracy=accuracy):
                whole = self.whole(accuracy)
                self.octile(*self.command("--resume", "--summary", "whole.json", *accuracy))
                os.remove(self.path("N.csv"))
                self.stopped(accuracy)
                foretold = self.octile(*self.command("--resume", "--dry-run", *accuracy)).stdout
                self.assertRegex(foretold, r"\Apairs   [\d,]+ of 45 graphs, in \d+ tiles of 4 rows and columns, of the 78 of the matrix")
                printed = self.octile(*self.command("--resume", "--summary", "resumed.json", *accuracy))
                self.assertRegex(printed.stderr, r"resuming: \d+ of 78 tiles are done\n")
                self.assertEqual(self.bytes_of("N.csv"), whole)
                before, after = (json.loads(self.bytes_of(name)) for name in ["whole.json", "resumed.json"])
                self.assertEqual(after["pairs"], before["pairs"])
                self.assertEqual(after["unconverged"], before["unconverged"])
                if accuracy is EARLY:
                    self.assertGreater(after["stopped_early"]["pairs"], 0)
                os.remove(self.path("N.csv"))

    def test_it_begins_where_there_is_nothing_to_resume(self):
        whole = self.whole(EARLY)
        self.octile(*self.command("--resume", *EARLY))
        self.assertEqual(self.bytes_of("N.csv"), whole)

    def test_an_interrupted_run_says_that_the_same_command_goes_on(self):
        errors = self.stopped(EARLY, number=signal.SIGINT)
        self.assertIn("interrupted; what is done is kept, and the same command goes on", errors)

    def test_a_file_that_was_cut_or_damaged_is_gone_on_with_up_to_there(self):
        whole = self.whole(EARLY)
        self.stopped(EARLY, least=3000)
        left = self.bytes_of("N.csv.part")
        header = left.index(b"\n") + 1
        for damaged in [left[:0], left[:header - 5], left[:header], left[:-7], left[:header + 100],
                        left[:-40] + bytes([left[-40] ^ 4]) + left[-39:]]:
            with self.subTest(length=len(damaged)):
                with open(self.path("N.csv.part"), "wb") as file:
                    file.write(damaged)
                self.octile(*self.command("--resume", *EARLY))
                self.assertEqual(self.bytes_of("N.csv"), whole)

    def parts_of(self, left):
        """The first line of a file and its records, each with the bytes behind its line."""
        end = left.index(b"\n") + 1
        parts = [left[:end]]
        while end < len(left):
            line = left[end:left.index(b"\n", end) + 1]
            length = len(line) + 32 * json.loads(line[17:])["neighbours"]
            parts.append(left[end:end + length])
            end += length
        return parts

    def test_records_that_are_there_twice_or_missing_are_not_taken(self):
        whole = self.whole(EARLY)
        self.stopped(EARLY, least=4000)
        first, *records = self.parts_of(self.bytes_of("N.csv.part"))
        self.assertGreater(len(records), 3)
        torn = records[0][:records[0].index(b"\n")]
        for spoilt in [[records[0], *records], [records[0], *records[2:]], [*records, records[0]], records[1:], [torn],
                       [records[1], records[0]]]:
            with self.subTest(records=len(spoilt)):
                with open(self.path("N.csv.part"), "wb") as file:
                    file.write(first + b"".join(spoilt))
                self.octile(*self.command("--resume", *EARLY))
                self.assertEqual(self.bytes_of("N.csv"), whole)

    def test_a_link_is_resumed_and_foretold(self):
        whole = self.whole(EARLY)
        os.symlink("real.csv", self.path("N.csv"))
        process = self.start(EARLY)
        while process.poll() is None and not (os.path.exists(self.path("real.csv.part"))
                                              and os.path.getsize(self.path("real.csv.part")) > 2000):
            time.sleep(0.001)
        process.kill()
        process.communicate(timeout=600)
        self.octile(*self.command("--resume", "--dry-run", *EARLY))
        self.octile(*self.command("--resume", *EARLY))
        self.assertEqual(self.bytes_of("real.csv"), whole)

    def refused(self, *others, code=USAGE):
        before = self.bytes_of("N.csv.part")
        command = ["gram", *others, "--resume", "--out", "N.csv", "--quiet"]
        result = self.octile(*command, code=code)
        self.assertEqual(result.stderr.count("\n"), 1, result.stderr)
        self.assertEqual(self.bytes_of("N.csv.part"), before)
        self.assertFalse(os.path.exists(self.path("N.csv")))
        return result.stderr

    def test_another_request_is_refused_and_nothing_is_lost(self):
        self.stopped(EARLY)
        self.write("fewer.jsonl", self.graphs[1:])
        asked = [*KERNEL, *EARLY, "--top"]
        self.assertIn("--top was 3, and is 4 now", self.refused("graphs.jsonl", *asked, "4"))
        self.assertIn("was begun with 4", self.refused("graphs.jsonl", *asked, "3", "--tile-size", "5"))
        self.assertIn("is of another request: number of rows was 45, and is 44 now",
                      self.refused("fewer.jsonl", *asked, "3", code=INPUT))
        self.assertIn("--accuracy was ", self.refused("graphs.jsonl", *KERNEL, "--accuracy", "1e-7", "--top", "3"))
        self.assertIn("N.csv.part", self.refused("graphs.jsonl", *KERNEL, *EARLY, "--top", "4", "--dry-run"))

    def test_a_file_of_another_is_not_touched(self):
        keys = {"edge": 4, "pairs stop early": True, "--top": 3}
        lines = [{"top": 5}, {"top": {}}, {"top": {**keys, "edge": 0}}, {"top": {**keys, "edge": "4"}}, {"top": {**keys, "pairs stop early": 1}}]
        for text in [b"mine\n", b"0123456789abcdef {\"top\":1}\n", *(with_checksum(json.dumps(line, separators=(",", ":"))) for line in lines)]:
            with open(self.path("N.csv.part"), "wb") as file:
                file.write(text)
            self.assertIn("is no list of neighbours that was begun", self.refused("graphs.jsonl", *KERNEL, "--top", "3", code=INPUT))

    def test_one_run_at_a_time(self):
        process = self.start(EARLY)
        while process.poll() is None and not os.path.exists(self.path("N.csv.part")):
            time.sleep(0.001)
        other = self.start(EARLY)
        other_errors = other.communicate(timeout=600)[1].decode()
        process.communicate(timeout=600)
        self.assertEqual(process.returncode, SUCCESS)
        self.assertIn(other.returncode, [SUCCESS, OUTPUT], other_errors)
        if other.returncode == OUTPUT:
            self.assertRegex(other_errors, r"\Aoctile: [^\n]*another run writes[^\n]*\n\Z")
        self.assertEqual(self.bytes_of("N.csv"), self.whole(EARLY))

    def test_it_takes_a_file(self):
        self.assert_refused(["gram", "graphs.jsonl", *KERNEL, "--top", "3", "--resume"], USAGE, "--resume", "--out FILE.csv")


if __name__ == "__main__":
    unittest.main()
