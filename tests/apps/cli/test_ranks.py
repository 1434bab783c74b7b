# SPDX-License-Identifier: BSD-3-Clause
"""Several ranks of mpirun, or of --devices, that solve one matrix: its bits, what is kept of them, and what they refuse."""
import json
import os
import random
import re
import shutil
import signal
import subprocess
import time
import unittest

from support import PROGRAM, main_side_by_side, run
from test_command_line import HALF, INPUT, INTERNAL, INTERRUPTED, SUCCESS, USAGE, InFolder, random_graphs

KERNEL = ["--vertex", "1", "--edge", "gaussian(length,0.3)", *HALF, "--normalize"]
COUNT = 23
WITH_MPI = os.environ.get("OCTILE_WITH_MPI") == "ON"
MPIRUN = shutil.which("mpirun")


class Launched(InFolder):
    """Processes that a launcher began, as its variables say, and that cannot find each other."""

    def begun(self, *options, code=USAGE, **variables):
        self.write("graphs.jsonl", random_graphs(3, 7, 1))
        result = subprocess.run([PROGRAM, "gram", "graphs.jsonl", *KERNEL, *options], cwd=self.folder, check=False, text=True,
                                capture_output=True, env={**os.environ, **variables})
        self.assertEqual(result.returncode, code, result.stderr)
        return result.stderr

    def refused(self, said, **variables):
        complaint = self.begun("--out", "K.npy", **variables)
        self.assertIn(said, complaint)
        self.assertIn("each would write the same output", complaint)
        self.assertEqual(len(complaint.splitlines()), 1, complaint)
        self.assertEqual(os.listdir(self.folder), ["graphs.jsonl"])

    @unittest.skipIf(WITH_MPI, "this build has MPI")
    def test_several_processes_are_refused_without_mpi(self):
        for launcher, variables in [("mpirun", {"OMPI_COMM_WORLD_SIZE": "2"}), ("srun", {"SLURM_STEP_NUM_TASKS": "4"}),
                                    ("a launcher of PMIx", {"PMIX_RANK": "0"})]:
            with self.subTest(launcher=launcher):
                self.refused(f"octile: {launcher} began several processes, and this octile is built without MPI", **variables)

    @unittest.skipUnless(WITH_MPI, "this build has no MPI")
    def test_processes_of_slurm_that_mpi_does_not_know_are_refused(self):
        self.refused("octile: srun began several processes, and MPI does not know of the others", SLURM_STEP_NUM_TASKS="4")

    def test_one_process_and_jobs_with_tiles_of_their_own_go_on(self):
        self.begun("--out", "K.npy", "--quiet", code=SUCCESS, SLURM_STEP_NUM_TASKS="1")
        self.begun("--tiles", "0:1", "--out", "a.tiles", "--quiet", code=SUCCESS, SLURM_STEP_NUM_TASKS="4")
        # What a job of Slurm has is no launcher: only srun is.
        self.begun("--out", "K.npy", "--quiet", code=SUCCESS, SLURM_NTASKS="4", SLURM_PROCID="0")


class Together:
    """What holds for ranks, whoever began them. `command(number, *arguments)` is the command of so many."""

    def setUp(self):
        super().setUp()
        self.write("graphs.jsonl", random_graphs(COUNT, 20, 1))
        self.write("rows.jsonl", random_graphs(5, 20, 2))
        self.gram = ["gram", "graphs.jsonl", *KERNEL]

    def environment(self):
        return dict(os.environ)

    def ranks(self, number, *arguments, code=SUCCESS):
        result = subprocess.run(self.command(number, *arguments), cwd=self.folder, capture_output=True, text=True, timeout=300,
                                check=False, env=self.environment())
        self.assertEqual(result.returncode, code, f"{arguments}\n{result.stdout}{result.stderr}")
        return result

    def bytes_of(self, name):
        with open(self.path(name), "rb") as file:
            return file.read()

    @unittest.skipUnless(os.environ.get("OCTILE_WITH_HDF5") == "ON", "takes a build with HDF5")
    def test_the_first_one_writes_a_file_of_hdf5(self):
        self.octile(*self.gram, "--tile-size", "5", "--out", "whole.h5")
        os.mkdir(self.path("ranks"))
        for options in [[], ["--resume"]]:
            self.ranks(3, *self.gram, "--tile-size", "5", *options, "--out", "ranks/whole.h5", "--quiet")
            self.assertEqual(self.bytes_of("ranks/whole.h5"), self.bytes_of("whole.h5"))
            self.assertEqual(os.listdir(self.path("ranks")), ["whole.h5"])

    def test_any_number_gives_the_bits_of_one_process(self):
        self.octile(*self.gram, "--out", "whole.npy", "--errors", "whole_errors.npy", "--summary", "whole_summary.json")
        os.rename(self.path("whole.json"), self.path("whole_names.json"))
        os.rename(self.path("whole_summary.json"), self.path("whole.json"))
        for number in [1, 2, 3, 7]:
            for options in [["--tile-size", "4"], ["--tile-size", "4", "--resume"], []]:
                with self.subTest(number=number, options=options):
                    printed = self.ranks(number, *self.gram, "--out", "K.npy", "--errors", "E.npy", "--summary", "S.json",
                                         *options)
                    self.assertEqual(self.bytes_of("K.npy"), self.bytes_of("whole.npy"))
                    self.assertEqual(self.bytes_of("E.npy"), self.bytes_of("whole_errors.npy"))
                    whole, summary = (json.loads(self.bytes_of(name)) for name in ["whole.json", "S.json"])
                    for key in ["pairs", "iterations", "largest_error", "unconverged"]:
                        self.assertEqual(summary[key], whole[key], key)
                    left = [name for name in os.listdir(self.folder) if name.endswith((".part", ".journal", ".tmp"))]
                    self.assertEqual(left, [])
                    if number > 1:
                        self.assertEqual(len(summary["ranks"]), number)
                        self.assertEqual(sum(rank["tiles"] for rank in summary["ranks"]), 21 if options else 1)
                        self.assertIn("rank 1: ", printed.stdout)
                        # Each number is written once: the upper triangle and its mirror image, in two files.
                        self.assertEqual(sum(rank["bytes"] for rank in summary["ranks"]), 2 * 8 * COUNT * COUNT)
                        for rank in summary["ranks"]:
                            self.assertEqual([key for key in rank if key.endswith("_seconds") and rank[key] < 0], [])
                            self.assertGreater(rank["read_seconds"], 0)
                        names = json.loads(self.bytes_of("K.json"))
                        self.assertEqual(names["checksums"], json.loads(self.bytes_of("whole_names.json"))["checksums"])
                        self.assertEqual(printed.stdout.count("wrote K.npy"), 1)

    def test_a_rectangle_has_them_too(self):
        command = ["gram", "rows.jsonl", "--columns", "graphs.jsonl", *KERNEL, "--tile-size", "3"]
        self.octile(*command, "--out", "whole.npy")
        self.ranks(3, *command, "--out", "K.npy")
        self.assertEqual(self.bytes_of("K.npy"), self.bytes_of("whole.npy"))

    def test_a_matrix_grows_by_several_ranks(self):
        grown = [*self.gram, "--lowering", "on-the-fly", "--tile-size", "3"]
        self.write("first.jsonl", random_graphs(COUNT, 20, 1)[:12])
        self.octile(*grown, "--out", "whole.npy")
        self.octile("gram", "first.jsonl", *grown[2:], "--out", "old.npy")
        self.ranks(2, *grown, "--extend", "old.npy", "--out", "K.npy")
        self.assertEqual(self.bytes_of("K.npy"), self.bytes_of("whole.npy"))

    def test_what_a_killed_rank_leaves_goes_on_with_another_number_of_ranks(self):
        request = self.slowly(vertices=24)
        self.octile(*request, "--out", "whole.npy")
        resumed = [*request, "--out", "K.npy", "--tile-size", "2", "--resume", "--quiet"]
        source = random.Random(24)
        for number, killed, then in [(3, 0, 2), (2, 1, 3), (3, 2, 1)]:
            process = self.begun(number, resumed, tiles=source.randrange(50))
            os.kill(self.by_rank(process.pid)[killed], signal.SIGKILL)
            self.assertNotEqual(process.wait(timeout=300), SUCCESS)
            if then == 1:
                self.octile(*resumed)
            else:
                self.ranks(then, *resumed)
            self.assertEqual(self.bytes_of("K.npy"), self.bytes_of("whole.npy"))
            for name in ["K.npy", "K.json"]:
                os.remove(self.path(name))

    @staticmethod
    def ranks_of(parent):
        """The processes that an mpirun began."""
        with open(f"/proc/{parent}/task/{parent}/children", encoding="ascii") as file:
            return [int(word) for word in file.read().split()]

    def slowly(self, vertices):
        """A request of 820 pairs, which take a millisecond each if graphs have 20 vertices."""
        self.write("graphs.jsonl", random_graphs(40, vertices, 1))
        return [*self.gram, "--backend", "portable:serial", "--lowering", "on-the-fly"]

    def begun(self, number, arguments, tiles):
        """A run that may be resumed, and of which so many tiles are there."""
        process = subprocess.Popen(self.command(number, *arguments), cwd=self.folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                   env=self.environment())
        self.addCleanup(process.kill)
        # The first line of its journal is the request.
        while process.poll() is None and (not os.path.exists(self.path("K.npy.journal"))
                                          or self.bytes_of("K.npy.journal").count(b"\n") <= tiles):
            time.sleep(0.002)
        self.assertIsNone(process.poll(), "it ended too early")
        return process

    def stopped(self, rank, tiles=1):
        """Begins two ranks, stops one after so many tiles, and waits until the other writes no more. Gives the run, and the processes of
        the ranks."""
        process = self.begun(2, [*self.slowly(vertices=18), "--tile-size", "1", "--out", "K.npy", "--resume", "--summary", "S.json",
                                 "--quiet"], tiles)
        processes = self.by_rank(process.pid)
        self.assertEqual(len(processes), 2)
        os.kill(processes[rank], signal.SIGSTOP)
        # After a kill the ranks that are left have to end by themselves.
        self.addCleanup(self.end_if_there, processes[rank])
        written, since = None, time.monotonic()
        while time.monotonic() - since < self.STILL:
            before, written = written, os.path.exists(self.path("K.npy.part")) and os.stat(self.path("K.npy.part")).st_mtime_ns
            if written != before:
                since = time.monotonic()
            time.sleep(0.02)
        return process, processes

    STILL = 0.4  # seconds: many tiles, even on a machine that does other things

    @staticmethod
    def end_if_there(process):
        try:
            os.kill(process, signal.SIGKILL)
        except ProcessLookupError:
            pass

    def test_a_rank_that_stands_still_keeps_no_other_waiting(self):
        self.octile(*self.slowly(vertices=18), "--out", "whole.npy")
        tiles = 40 * 41 // 2
        # From the first tile on no rank has to meet the other before the end. Before it, they tell each other the results of graphs with
        # themselves: there rank 0 waits, and says so.
        for slow, after in [(0, 1), (1, 1), (1, 0)]:
            with self.subTest(slow=slow, after=after):
                process, processes = self.stopped(slow, after)
                os.kill(processes[slow], signal.SIGCONT)
                self.assertEqual(process.wait(timeout=60), SUCCESS)
                self.assertEqual(self.bytes_of("K.npy"), self.bytes_of("whole.npy"))
                ranks = json.loads(self.bytes_of("S.json"))["ranks"]
                self.assertEqual(sum(rank["tiles"] for rank in ranks), tiles)
                if after > 0:
                    self.assertLess(ranks[slow]["tiles"], tiles / 4, ranks)
                # The other one had nothing left to do meanwhile.
                self.assertGreater(ranks[1 - slow]["idle_seconds"], self.STILL / 2, ranks)
                for name in ["K.npy", "K.json", "S.json"]:
                    os.remove(self.path(name))
        with self.subTest("rank 0 is killed while the other one has nothing left but to tell it of its tiles"):
            process, processes = self.stopped(0)
            os.kill(processes[0], signal.SIGKILL)
            self.assertNotEqual(process.wait(timeout=60), SUCCESS)
            self.assert_gone(processes[1])
            self.ranks(2, *self.slowly(vertices=18), "--tile-size", "1", "--out", "K.npy", "--resume", "--quiet")
            self.assertEqual(self.bytes_of("K.npy"), self.bytes_of("whole.npy"))

    def assert_gone(self, process):
        for _ in range(1000):
            try:
                with open(f"/proc/{process}/stat", encoding="ascii") as file:
                    if file.read().rsplit(")", 1)[1].split()[0] == "Z":
                        return
            except (FileNotFoundError, ProcessLookupError):
                return
            time.sleep(0.01)
        self.fail(f"process {process} is still there")

    def test_a_dry_run_asks_all(self):
        before = sorted(os.listdir(self.folder))
        for number, by in [(1, "one process"), (2, "2 processes"), (3, "3 processes")]:
            printed = self.ranks(number, *self.gram, "--tile-size", "4", "--out", "K.npy", "--dry-run").stdout
            self.assertEqual(len(printed.splitlines()), 4, printed)
            self.assertIn("in 21 tiles of 4 rows and columns", printed)
            self.assertRegex(printed, rf"(?m)^time    .* to set up, as measured; about .* to solve by {by}.*: \d+ pairs at random took ")
        self.assertEqual(sorted(os.listdir(self.folder)), before)

    def test_what_ranks_cannot_solve_is_refused(self):
        for options, what in [([], "several ranks solve a matrix"), (["--top", "2", "--out", "N.csv"], "several ranks"),
                              (["--diagonal", "--out", "K.npy"], "several ranks")]:
            self.assertIn(what, self.ranks(2, *self.gram, *options, code=USAGE).stderr)
        self.assertIn("allowed with one rank", self.ranks(2, "gram", "-", "--format", ".jsonl", *KERNEL, "--out", "K.npy",
                                                         code=USAGE).stderr)


@unittest.skipUnless(WITH_MPI and MPIRUN, "takes a build with MPI, and mpirun")
class Mpi(Together, InFolder):
    def command(self, ranks, *arguments):
        # Threads of several ranks on one core would wait for each other.
        return [MPIRUN, "-n", str(ranks), "--oversubscribe", "--allow-run-as-root", "--bind-to", "none", PROGRAM,
                *map(str, arguments), "--threads", "1"]

    def environment(self):
        # Shared memory of ranks that are killed stays in the folder of the system otherwise.
        return {**os.environ, "TMPDIR": self.folder, "OMPI_MCA_rmaps_base_oversubscribe": "1"}

    def by_rank(self, mpirun):
        """The processes of an mpirun, which need not begin them in the order of their ranks."""
        def rank_of(process):
            with open(f"/proc/{process}/environ", "rb") as file:
                variables = dict(entry.split(b"=", 1) for entry in file.read().split(b"\0") if b"=" in entry)
            return int(variables[b"OMPI_COMM_WORLD_RANK"])
        return sorted(self.ranks_of(mpirun), key=rank_of)

    def test_ranks_with_other_graphs_are_refused(self):
        self.write("other.sh", ['cd "$OMPI_COMM_WORLD_RANK" && exec "$@"'])
        for rank in range(2):
            os.mkdir(self.path(str(rank)))
            self.write(f"{rank}/graphs.jsonl", random_graphs(COUNT, 7, rank))
        command = self.command(2, *self.gram, "--out", self.path("K.npy"))
        at = command.index(PROGRAM)
        result = subprocess.run([*command[:at], "sh", self.path("other.sh"), *command[at:]], cwd=self.folder,
                                capture_output=True, text=True, timeout=300, check=False, env=self.environment())
        self.assertEqual(result.returncode, INPUT, result.stderr)
        self.assertIn("octile: rank 1: is of another request: graphs of the rows was", result.stderr)
        self.assertFalse(os.path.exists(self.path("K.npy")))

    @unittest.skipIf(len(os.sched_getaffinity(0)) < 2, "one core cannot be shared")
    def test_ranks_share_the_cores_that_they_are_not_bound_to(self):
        environment = {name: value for name, value in self.environment().items() if name not in ("OMP_NUM_THREADS", "KOKKOS_NUM_THREADS")}
        environment["KOKKOS_PRINT_CONFIGURATION"] = "1"
        allowed = sorted(os.sched_getaffinity(0))
        cores = len(allowed)
        self.write("bound.sh", [f'test "$OMPI_COMM_WORLD_RANK" = 0 && exec taskset -c {allowed[0]} "$@"', f'exec taskset -c {allowed[1]} "$@"'])
        for number, more, threads in [(1, [], cores), (2, [], cores // 2), (2, ["sh", self.path("bound.sh")], 1), (2 * cores, [], 1)]:
            with self.subTest(number=number, more=more):
                command = self.command(number, *self.gram, "--out", "K.npy")[:-2]  # without --threads
                at = command.index(PROGRAM)
                result = subprocess.run([*command[:at], *more, *command[at:]], cwd=self.folder, capture_output=True, text=True, timeout=300,
                                        check=False, env=environment)
                self.assertEqual(result.returncode, SUCCESS, result.stderr)
                self.assertEqual(re.findall(r"thread_pool_topology\[ 1 x (\d+) x 1 \]", result.stdout + result.stderr), [str(threads)] * number)

    def test_parts_have_nothing_to_do_with_each_other(self):
        self.ranks(1, *self.gram, "--tile-size", "12", "--tiles", "0:1", "--out", "a.tiles")
        result = run(*self.gram, "--tile-size", 12, "--tiles", "1:3", "--out", "b.tiles", folder=self.folder)
        self.assertEqual(result.returncode, SUCCESS)
        self.octile("merge", "a.tiles", "b.tiles", "--out", "K.npy")

    def test_devices_have_no_ranks_of_their_own(self):
        self.assertIn("--devices: allowed without mpirun", self.ranks(2, *self.gram, "--devices", "2", "--out", "K.npy", code=USAGE).stderr)


class Devices(Together, InFolder):
    """Processes that octile begins by itself: on this machine without GPUs they share its cores."""

    def command(self, ranks, *arguments):
        return [PROGRAM, *map(str, arguments), "--threads", "1", "--devices", str(ranks)]

    def by_rank(self, first):
        return [first, *self.ranks_of(first)]

    def test_the_end_of_one_is_the_end_of_all(self):
        """Whichever process is killed, no other is left, the message says which, and what is done is kept."""
        request = self.slowly(vertices=24)
        command = self.command(3, *request, "--out", "K.npy", "--tile-size", "1", "--resume", "--quiet")
        for killed in [0, 1, 2]:
            process = subprocess.Popen(command, cwd=self.folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
            self.addCleanup(process.kill)
            children = []
            while process.poll() is None and (len(children) < 2 or not os.path.exists(self.path("K.npy.journal"))):
                children = self.ranks_of(process.pid)
                time.sleep(0.005)
            self.assertEqual(len(children), 2)
            os.kill([process.pid, *children][killed], signal.SIGKILL)
            _, said = process.communicate(timeout=60)
            if killed > 0:
                self.assertEqual(process.returncode, INTERNAL, said)
                self.assertEqual(said, f"octile: process {killed} of --devices was ended by signal 9 (Killed)\n")
            for child in children:
                self.assert_gone(child)
            self.assertTrue(os.path.exists(self.path("K.npy.journal")))
        self.ranks(2, *request, "--out", "K.npy", "--tile-size", "1", "--resume", "--quiet")
        self.octile(*request, "--out", "whole.npy")
        self.assertEqual(self.bytes_of("K.npy"), self.bytes_of("whole.npy"))

    def test_an_interrupt_ends_all(self):
        command = self.command(3, *self.slowly(vertices=36), "--out", "K.npy", "--tile-size", "1", "--quiet")
        process = subprocess.Popen(command, cwd=self.folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        self.addCleanup(process.kill)
        children = []
        while process.poll() is None and len(children) < 2:
            children = self.ranks_of(process.pid)
            time.sleep(0.005)
        time.sleep(0.2)
        process.terminate()
        _, said = process.communicate(timeout=60)
        self.assertEqual(process.returncode, INTERRUPTED, said)
        self.assertEqual(said, "octile: interrupted; nothing was written\n")
        for child in children:
            self.assert_gone(child)
        self.assertEqual(sorted(os.listdir(self.folder)), ["graphs.jsonl", "rows.jsonl"])

    def test_what_is_wrong_with_the_input_is_said_once(self):
        self.write("graphs.jsonl", [*random_graphs(3, 7, 1), "{"])
        said = self.ranks(3, *self.gram, "--out", "K.npy", code=INPUT).stderr
        self.assertEqual(len(said.splitlines()), 1, said)
        self.assertIn("graphs.jsonl", said)

    def test_numbers_that_are_none_are_refused(self):
        for number in ["0", "-1", "65", "2x", "none", "all"]:
            said = self.ranks(number, *self.gram, "--out", "K.npy", code=USAGE).stderr
            self.assertIn(f"--devices {number}: ", said)
            self.assertIn("allowed is a number", said)
        self.assertIn("--tiles: allowed without --devices", self.ranks(2, *self.gram, "--tiles", "0:1", "--out", "a.tiles", code=USAGE).stderr)


if __name__ == "__main__":
    main_side_by_side("Mpi")
