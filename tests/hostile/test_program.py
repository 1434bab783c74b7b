# SPDX-License-Identifier: BSD-3-Clause
"""The program where the world around it is hostile: its streams are closed or full, its environment is wrong, signals come at any
time, other runs write the same files, files hold what acts on a terminal. OCTILE_PROGRAM names it."""
import gzip
import json
import os
import random
import resource
import signal
import stat
import subprocess
import sys
import tempfile
import threading
import time
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "apps", "cli"))
from support import HOSTILE_SEED, PATIENCE, PROGRAM, kills, node_link, read_npy, write_lines  # noqa: E402

KERNEL = ["--vertex", "1", "--edge", "1", "--stopping", "weight:0.5"]
SUCCESS, INPUT, USAGE, OUTPUT, INTERNAL, INTERRUPTED = 0, 1, 2, 4, 70, 130
SANITIZED = PATIENCE > 1  # an address sanitizer takes memory that no limit here foresees


class InFolder(unittest.TestCase):
    def setUp(self):
        self.folder = self.enterContext(tempfile.TemporaryDirectory())
        write_lines(self.path("two.jsonl"), [node_link("a", 2, [(0, 1)]), node_link("b", 3, [(0, 1), (1, 2)])])

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, data):
        with open(self.path(name), "wb") as file:
            file.write(data.encode() if isinstance(data, str) else data)
        return name

    def start(self, *arguments, environment=None, **options):
        options = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **options}
        process = subprocess.Popen([PROGRAM, *map(str, arguments)], cwd=self.folder,
                                   env={**os.environ, **(environment or {})}, **options)
        self.addCleanup(process.kill)
        return process

    def octile(self, *arguments, code=SUCCESS, timeout=60 * PATIENCE, **options):
        process = self.start(*arguments, **options)
        output, errors = process.communicate(timeout=timeout)
        self.assertEqual(process.returncode, code, f"{arguments}\n{output}{errors}")
        return output, errors

    def assert_one_line(self, errors, *parts):
        self.assertRegex(errors.decode(), r"\Aoctile: [^\n]+\n\Z")
        for part in parts:
            self.assertIn(part, errors.decode())

    def assert_no_temporaries(self):
        self.assertEqual([name for name in os.listdir(self.folder) if name.startswith(".")], [])


class Streams(InFolder):
    def matrix(self):
        return read_npy(self.path("K.npy"))

    def test_a_closed_standard_error_changes_neither_result_nor_code(self):
        self.octile("gram", "two.jsonl", *KERNEL, "--out", "K.npy")
        expected = self.matrix()
        os.remove(self.path("K.npy"))
        # Were its number free, a file would get it, and be written what is said.
        self.octile("gram", "two.jsonl", *KERNEL, "--out", "K.npy", stderr=None, preexec_fn=lambda: os.close(2))
        self.assertEqual(self.matrix(), expected)
        self.octile("gram", "nowhere.jsonl", *KERNEL, "--out", "K.npy", code=INPUT, stderr=None,
                    preexec_fn=lambda: os.close(2))

    def test_all_streams_may_be_closed(self):
        self.octile("gram", "two.jsonl", *KERNEL, "--out", "K.npy", "--quiet", stdin=None, stdout=None, stderr=None,
                    preexec_fn=lambda: os.closerange(0, 3))
        self.assertEqual(self.matrix()[0], (2, 2))
        self.octile("gram", "two.jsonl", *KERNEL, "--out", "K.npy", code=OUTPUT, stdin=None, stdout=None, stderr=None,
                    preexec_fn=lambda: os.closerange(0, 3))

    @unittest.skipUnless(os.path.exists("/dev/full"), "needs /dev/full")
    def test_a_log_on_a_full_disk_changes_neither_result_nor_code(self):
        with open("/dev/full", "wb") as full:
            self.octile("gram", "two.jsonl", *KERNEL, "--out", "K.npy", stderr=full)
            self.octile("gram", "nowhere.jsonl", *KERNEL, "--out", "K.npy", code=INPUT, stderr=full)
        self.assertEqual(self.matrix()[0], (2, 2))

    def test_a_log_that_nobody_reads_any_more_changes_neither_result_nor_code(self):
        read, write = os.pipe()
        os.close(read)
        self.octile("gram", "two.jsonl", *KERNEL, "--out", "K.npy", stderr=write)
        os.close(write)
        self.assertEqual(self.matrix()[0], (2, 2))

    def test_a_reader_of_the_output_that_goes_away_ends_it_as_it_ends_others(self):
        read, write = os.pipe()
        os.close(read)
        _, errors = self.octile("gram", "two.jsonl", *KERNEL, "--out", "K.npy", code=-signal.SIGPIPE, stdout=write)
        os.close(write)
        self.assertEqual(self.matrix()[0], (2, 2))
        self.assertNotIn(b"octile:", errors)

    def test_a_limit_of_the_size_of_files_is_an_output_that_cannot_be_written(self):
        write_lines(self.path("many.jsonl"), [node_link(f"g{k}", 3, [(0, 1), (1, 2)]) for k in range(100)])
        self.write("K.npy", "an older result")
        limit = 20000
        _, errors = self.octile("gram", "many.jsonl", *KERNEL, "--quiet", "--out", "K.npy", code=OUTPUT,
                                preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)))
        self.assert_one_line(errors, "K.npy")
        self.assertEqual(sorted(os.listdir(self.folder)), ["K.npy", "many.jsonl", "two.jsonl"])
        with open(self.path("K.npy"), encoding="utf-8") as file:
            self.assertEqual(file.read(), "an older result")


class Environment(InFolder):
    def gram(self, code=SUCCESS, **environment):
        return self.octile("gram", "two.jsonl", *KERNEL, "--quiet", "--out", "K.npy", code=code, environment=environment)

    def test_more_threads_than_there_is_room_for_are_not_taken(self):
        for variable in ["OMP_NUM_THREADS", "KOKKOS_NUM_THREADS"]:
            for count in ["513", "600", "5000"]:
                with self.subTest(variable=variable, count=count):
                    _, errors = self.gram(**{variable: count})
                    self.assertEqual(errors, b"")

    def test_numbers_of_threads_that_are_none_are_refused_in_one_line(self):
        for count in ["abc", "0", "-5", "", "1e3", "99999999999999999999"]:
            with self.subTest(count=count):
                _, errors = self.gram(code=USAGE, KOKKOS_NUM_THREADS=count)
                self.assert_one_line(errors, "KOKKOS_NUM_THREADS", f"'{count}'")

    def test_what_kokkos_does_not_take_is_one_line(self):
        for variable, value in [("KOKKOS_DEVICE_ID", "x"), ("KOKKOS_DEVICE_ID", "-3"), ("KOKKOS_MAP_DEVICE_ID_BY", "luck"),
                                ("KOKKOS_DISABLE_WARNINGS", "maybe")]:
            with self.subTest(variable=variable, value=value):
                _, errors = self.gram(code=INTERNAL, **{variable: value})
                self.assert_one_line(errors, "Kokkos cannot start here", variable)

    @unittest.skipIf(SANITIZED, "the sanitizers reserve more address space than the limit")
    def test_threads_that_cannot_start_are_one_line(self):
        limit = 3 << 30
        _, errors = self.octile("gram", "two.jsonl", *KERNEL, "--quiet", "--out", "K.npy", code=INTERNAL,
                                environment={"OMP_NUM_THREADS": "4", "OMP_STACKSIZE": "2G"},
                                preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)))
        self.assert_one_line(errors, "Kokkos cannot start here")

    @unittest.skipIf(SANITIZED, "the sanitizers reserve more address space than the limit")
    def test_memory_that_is_not_there_is_one_line(self):
        # Each value is some 60 bytes once it is read.
        self.write("long.jsonl", '{"nodes": [{"id": 0, "a": [' + ", ".join(["1"] * 10000000) + ']}], "edges": []}\n')
        limit = 256 << 20
        _, errors = self.octile("info", "long.jsonl", code=INTERNAL,
                                preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)))
        self.assert_one_line(errors, "out of memory")


class Signals(InFolder):
    def assert_ends(self, process, number=signal.SIGINT, seconds=3 * PATIENCE):
        begin = time.monotonic()
        process.send_signal(number)
        output, errors = process.communicate(timeout=60)
        self.assertLess(time.monotonic() - begin, seconds)
        self.assertEqual(process.returncode, INTERRUPTED)
        self.assertEqual(output, b"")
        self.assertTrue(errors.endswith(b"octile: interrupted; nothing was written\n"), errors)

    def test_every_signal_that_asks_it_to_end_is_heard_where_input_never_comes(self):
        os.mkfifo(self.path("never.jsonl"))
        for number in [signal.SIGINT, signal.SIGTERM, signal.SIGHUP]:
            with self.subTest(signal=number):
                process = self.start("info", "never.jsonl")  # waits for somebody to open it
                time.sleep(0.5 * PATIENCE)
                self.assert_ends(process, number)
        writer = os.open(self.path("never.jsonl"), os.O_RDWR)
        process = self.start("info", "never.jsonl")  # waits for a line
        time.sleep(0.5 * PATIENCE)
        self.assert_ends(process)
        os.close(writer)

    @unittest.skipIf(SANITIZED, "the sanitizers say it by themselves")
    def test_a_crash_is_one_line_and_leaves_no_temporaries(self):
        source = random.Random(2)
        count = 3000
        edges = sorted({tuple(sorted(source.sample(range(count), 2))) for _ in range(4 * count)})
        write_lines(self.path("large.jsonl"), [node_link(name, {"k": [source.random() for _ in range(count)]}, edges) for name in "ab"])
        for number in [signal.SIGSEGV, signal.SIGABRT]:
            with self.subTest(signal=number):
                process = self.start("gram", "large.jsonl", "--vertex", "gaussian(k, 1)", "--edge", "1", "--stopping",
                                     "probability:0.0005", "--out", "K.npy", "--quiet", "--memory", "64GiB", "--lowering", "on-the-fly",
                                     "--tile-size", "1")
                for _ in range(200):
                    if any(name.startswith(".octile") for name in os.listdir(self.folder)):
                        break
                    time.sleep(0.1)
                time.sleep(0.2)
                self.assertTrue(any(name.startswith(".octile") for name in os.listdir(self.folder)), "it has ended too early")
                process.send_signal(number)
                output, errors = process.communicate(timeout=60)
                self.assertEqual((process.returncode, output), (INTERNAL, b""))
                self.assertRegex(errors.decode(), rf"\Aoctile: internal error: [^\n]+ crashed by {number.name}; [^\n]+\n\Z")
                self.assertEqual(sorted(os.listdir(self.folder)), ["large.jsonl", "two.jsonl"])

    def test_it_is_heard_where_standard_input_never_comes(self):
        read, write = os.pipe()
        process = self.start("info", "-", "--format", ".jsonl", stdin=read)
        time.sleep(0.5 * PATIENCE)
        self.assert_ends(process)
        os.close(read)
        os.close(write)

    def test_it_is_heard_within_one_long_line(self):
        self.write("long.smi", "C[C@H](N)C(=O)N" * 12000 + "\n")
        process = self.start("info", "long.smi")
        time.sleep(1)
        if process.poll() is None:
            self.assert_ends(process)

    def test_it_is_heard_within_one_large_pair(self):
        source = random.Random(1)
        count = 3000
        edges = sorted({tuple(sorted(source.sample(range(count), 2))) for _ in range(4 * count)})
        write_lines(self.path("large.jsonl"), [node_link("large", {"k": [source.random() for _ in range(count)]}, edges)])
        process = self.start("gram", "large.jsonl", "--vertex", "gaussian(k, 1)", "--edge", "1", "--stopping",
                             "probability:0.0005", "--out", "K.npy", "--quiet", "--memory", "64GiB", "--lowering", "on-the-fly")
        time.sleep(5 * PATIENCE)
        self.assertIsNone(process.poll(), "the pair was too small to be interrupted")
        self.assert_ends(process)
        self.assertEqual(sorted(os.listdir(self.folder)), ["large.jsonl", "two.jsonl"])

    def test_a_signal_that_it_was_started_to_ignore_stays_ignored(self):
        os.mkfifo(self.path("slow.jsonl"))
        process = self.start("info", "slow.jsonl", preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
        time.sleep(0.5 * PATIENCE)
        process.send_signal(signal.SIGHUP)
        with open(self.path("slow.jsonl"), "w", encoding="utf-8") as file:
            file.write(node_link("late", 2, [(0, 1)]) + "\n")
        process.communicate(timeout=60)
        self.assertEqual(process.returncode, SUCCESS)

    def test_killed_at_any_moment_of_writing_it_leaves_whole_outputs_and_no_temporaries(self):
        # The matrix takes some time to be written, and the pairs hardly any.
        write_lines(self.path("many.jsonl"), [node_link(f"g{k}", 3, [(0, 1), (1, 2)]) for k in range(1000)])
        arguments = ["gram", "many.jsonl", *KERNEL, "--quiet", "--out", "K.npy", "--summary", "K.json"]
        begin = time.monotonic()
        self.octile(*arguments)
        whole = time.monotonic() - begin
        source = random.Random(HOSTILE_SEED)
        for k in range(kills(12)):
            for name in ["K.npy", "K.json"]:
                self.write(name, "old")
            process = self.start(*arguments)
            time.sleep(whole * source.uniform(0.3, 1.1))
            process.send_signal([signal.SIGINT, signal.SIGTERM, signal.SIGHUP][k % 3])
            process.communicate(timeout=60)
            sizes = {name: os.path.getsize(self.path(name)) == 3 for name in ["K.npy", "K.json"]}
            self.assertEqual(sizes["K.npy"], sizes["K.json"], "one of the two is old, the other new")
            if not sizes["K.npy"]:
                self.assertEqual(read_npy(self.path("K.npy"))[0], (1000, 1000))
            self.assert_no_temporaries()


class Outputs(InFolder):
    def test_one_file_for_two_outputs_is_refused(self):
        os.mkdir(self.path("folder"))
        os.symlink("K.npy", self.path("link.npy"))
        self.write("old.npy", "x")
        os.link(self.path("old.npy"), self.path("hard.npy"))
        for first, second in [("K.npy", "K.npy"), ("K.npy", "./K.npy"), ("K.npy", "folder/../K.npy"), ("K.npy", "link.npy"),
                              ("old.npy", "hard.npy")]:
            with self.subTest(first=first, second=second):
                _, errors = self.octile("gram", "two.jsonl", *KERNEL, "--out", first, "--errors", second, code=USAGE)
                self.assert_one_line(errors, "--errors", "--out")
        self.assertFalse(os.path.exists(self.path("K.npy")))
        _, errors = self.octile("reorder", "two.jsonl", "--out", "o.json", "--summary", "o.json", code=USAGE)
        self.assert_one_line(errors, "--summary", "--out")

    def test_an_output_keeps_the_mode_of_the_file_that_it_replaces(self):
        self.write("K.npy", "old")
        os.chmod(self.path("K.npy"), 0o640)
        self.octile("gram", "two.jsonl", *KERNEL, "--out", "K.npy", "--summary", "K.json", "--quiet",
                    preexec_fn=lambda: os.umask(0o027))
        self.assertEqual(stat.S_IMODE(os.stat(self.path("K.npy")).st_mode), 0o640)
        self.assertEqual(stat.S_IMODE(os.stat(self.path("K.json")).st_mode), 0o640)
        os.chmod(self.path("K.npy"), 0o664)
        self.octile("gram", "two.jsonl", *KERNEL, "--out", "K.npy", "--quiet")
        self.assertEqual(stat.S_IMODE(os.stat(self.path("K.npy")).st_mode), 0o664)

    def test_runs_that_write_the_same_files_at_once_leave_those_of_one_of_them(self):
        for size in [2, 3]:
            write_lines(self.path(f"set{size}.jsonl"), [node_link(f"g{k}", 2, [(0, 1)]) for k in range(size)])

        def run_some(size):
            for _ in range(6):
                self.octile("gram", f"set{size}.jsonl", *KERNEL, "--out", "K.npy", "--summary", "K.json", "--quiet")

        threads = [threading.Thread(target=run_some, args=(size,)) for size in [2, 3]]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        with open(self.path("K.json"), encoding="utf-8") as file:
            graphs = len(json.load(file)["graphs"])
        self.assertEqual(read_npy(self.path("K.npy"))[0], (graphs, graphs))
        self.assert_no_temporaries()

    def test_a_link_laid_for_the_temporary_file_is_not_followed(self):
        # Its name cannot be guessed, so every name that an older version would have used is laid.
        self.write("victim", "precious")
        process = self.start("gram", "two.jsonl", *KERNEL, "--out", "K.npy", "--quiet")
        os.symlink("victim", self.path(f".K.npy.{process.pid}.tmp"))
        process.communicate(timeout=60)
        with open(self.path("victim"), encoding="utf-8") as file:
            self.assertEqual(file.read(), "precious")

    def test_results_that_memory_does_not_hold_are_refused_before_the_first_pair(self):
        write_lines(self.path("many.jsonl"), [node_link(f"g{k}", 3, [(0, 1), (1, 2)]) for k in range(1000)])
        # The matrix alone would be written in tiles.
        _, errors = self.octile("gram", "many.jsonl", *KERNEL, "--out", "K.npy", "--gradient", "G.npy", "--memory", "20MiB",
                                code=INPUT)
        self.assert_one_line(errors, "1,000 graphs", "the pairs", "the matrix", "--memory leaves 19.7 MiB")

    def test_a_pair_that_memory_cannot_hold_is_named_before_the_first_pair(self):
        count = 2000
        large = node_link("whale", {"k": list(range(count))}, [(k, k + 1) for k in range(count - 1)])
        write_lines(self.path("large.jsonl"), [large, node_link("small", {"k": [1]}, [])])
        kernel = ["--vertex", "delta(k, 0.5)", "--edge", "1", "--stopping", "weight:0.5"]
        _, errors = self.octile("gram", "large.jsonl", *kernel, "--out", "K.npy", "--memory", "60MiB", code=INPUT)
        self.assert_one_line(errors, "'whale'", "2,000", "--memory")

    def test_a_pair_with_more_unknowns_than_32_bits_count_is_refused(self):
        count = 46342
        write_lines(self.path("large.jsonl"), [node_link("whale", count, [(k, k + 1) for k in range(count - 1)])])
        for command in [["gram", "large.jsonl", "--out", "K.npy"], ["nodes", "large.jsonl", "large.jsonl"]]:
            _, errors = self.octile(*command, *KERNEL, "--memory", "900GiB", code=INPUT)
            self.assert_one_line(errors, "'whale'", "2,147,580,964", "2,147,483,647")


class Messages(InFolder):
    def test_nothing_of_a_file_acts_on_the_terminal_or_breaks_the_line(self):
        evil = b"C\x1b[2J\x07\xff\xfe\xe2\x80\xae\xc2\x9b31m\x7fX"
        self.write("evil.smi", evil + b" name\n")
        self.write("evil.edges", b"0 1 " + evil + b"\n")
        self.write("evil.xyz", b"1\n\n" + evil + b" 0 0 0\n")
        self.write("evil.csv", b"smiles,a\n" + evil + b",1\n")
        self.write("a\nb\x1b[2J.smi", b"C1\n")
        for name in ["evil.smi", "evil.edges", "evil.xyz", "evil.csv", "a\nb\x1b[2J.smi"]:
            with self.subTest(name=name):
                _, errors = self.octile("info", name, code=INPUT)
                self.assertRegex(errors.decode(), r"\Aoctile: [^\n]+\n\Z")
                for byte in ["\x1b", "\x07", "\x7f", "\x9b", "\u202e"]:
                    self.assertNotIn(byte, errors.decode())
        self.assertIn("\\x1b[2J", self.octile("info", "evil.smi", code=INPUT)[1].decode())

    def test_names_of_graphs_do_not_act_on_the_terminal(self):
        write_lines(self.path("evil.jsonl"), [node_link("a\x1b[2J\nb", {"k\x1b[2J": ["x\x1b[2J"]}, []), node_link("c", 2, [(0, 1)])])
        self.write("bad.smi", b"C ok\nC1 \x1b[2J\n")
        for arguments in [["gram", "evil.jsonl", *KERNEL, "--table"], ["info", "evil.jsonl"],
                          ["nodes", "evil.jsonl:#1", "evil.jsonl:#2", *KERNEL],
                          ["convert", "bad.smi", "--skip-invalid", "--out", "x.jsonl"]]:
            with self.subTest(arguments=arguments):
                output, errors = self.octile(*arguments)
                self.assertNotIn(b"\x1b", output + errors)

    def test_long_texts_are_cut(self):
        self.write("long.edges", "0 1 " + "x" * 100000 + "\n")
        _, errors = self.octile("info", "long.edges", code=INPUT)
        self.assertLess(len(errors), 300)


class Reading(InFolder):
    def test_a_long_line_of_json_is_read_in_a_time_that_grows_with_it(self):
        count = 60000
        line = node_link("long", {"k": [1] * count}, [(k, k + 1) for k in range(count - 1)])
        self.write("long.jsonl", line + "\n")
        begin = time.monotonic()
        self.octile("info", "long.jsonl")
        self.assertLess(time.monotonic() - begin, 20 * PATIENCE)  # it took minutes when it grew with the square

    def test_a_graph_of_more_vertices_than_allowed_is_refused(self):
        self.write("long.smi", "C" * 500 + " long\n")
        for name, line in [("long.smi", "C" * 500 + " long\n"), ("long.jsonl", node_link("long", 500, []) + "\n"),
                           ("long.csv", "smiles\n" + "C" * 500 + "\n")]:
            with self.subTest(name=name):
                self.write(name, line)
                _, errors = self.octile("info", name, "--max-atoms", "499", code=INPUT)
                self.assert_one_line(errors, name, "500 vertices", "--max-atoms allows 499")
                self.octile("info", name, "--max-atoms", "500")

    def test_what_follows_gzip_data_is_refused(self):
        self.write("a.jsonl.gz", gzip.compress((node_link("a", 2, [(0, 1)]) + "\n").encode()) + b"more\n")
        _, errors = self.octile("info", "a.jsonl.gz", code=INPUT)
        self.assert_one_line(errors, "a.jsonl.gz", "gzip data is damaged")


if __name__ == "__main__":
    unittest.main()
