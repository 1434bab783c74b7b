# SPDX-License-Identifier: BSD-3-Clause
"""The program where the system refuses a call: memory, a write, a flush, a rename, a file, a thread. OCTILE_FAILING_CALLS names the
library that lets the n-th call of a kind fail (failing_calls.cpp), and OCTILE_PROGRAM the program. Each run is judged by what
docs/command_line.md and docs/trust.md promise: a documented code, one line of ours, no crash, no temporary, old outputs whole; and
where the code is 0, the outputs of an undisturbed run.

    OCTILE_INJECTION_RUNS    most runs of a command with one kind of call [16]
    OCTILE_INJECTION_SEED    of their choice [1]
"""
import concurrent.futures
import gzip
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "apps", "cli"))
from support import PROGRAM, node_link, write_lines  # noqa: E402

FAILING_CALLS = os.environ.get("OCTILE_FAILING_CALLS", "")
RUNS = int(os.environ.get("OCTILE_INJECTION_RUNS", "16"))
SEED = int(os.environ.get("OCTILE_INJECTION_SEED", "1"))
WITH_HDF5 = os.environ.get("OCTILE_WITH_HDF5", "ON") == "ON"
SUCCESS, INPUT, OUTPUT, INTERNAL = 0, 1, 4, 70
LONGEST = 30  # seconds of a run, which takes a tenth of one

# Each kind of call, and the codes that its failure may end with. What a failed rename or flush of a folder is worth the program
# decides; that no output is written without saying so is judged by the outputs.
CODES = {
    "malloc": {SUCCESS, INTERNAL},
    "write": {SUCCESS, OUTPUT},
    "fsync": {SUCCESS, OUTPUT},
    "rename": {SUCCESS, OUTPUT},
    "link": {SUCCESS, OUTPUT},
    "unlink": {SUCCESS, OUTPUT},
    "open": {SUCCESS, INPUT, OUTPUT, INTERNAL},
    "pthread_create": {SUCCESS, INTERNAL},
}

STOPPING, OLDER_STOPPING = "weight:0.5", "weight:0.25"
KERNEL = ["--vertex", "delta(k,0.5)", "--edge", "1", "--stopping", STOPPING, "--quiet"]

LINE = rb"octile: [\x20-\x7e\x80-\xff]+\n"
# HDF5's library spoils the heap where it gets no memory, of which the system says a line before the crash.
LINE_OF_A_LIBRARY_THAT_CRASHES = LINE + rb"|[a-z(): -]+\noctile: internal error: [^\n]+ crashed by SIGABRT[^\n]+\n"


def in_environment(kind, number=0, lasts=False, counts=None, library=None):
    environment = {**os.environ, "LD_PRELOAD": FAILING_CALLS, "OCTILE_FAIL": kind, "OMP_NUM_THREADS": "2"}
    if number:
        environment["OCTILE_FAIL_AT"] = str(number)
    if library:
        environment["OCTILE_FAIL_FROM"] = library
    if lasts:
        environment["OCTILE_FAIL_LASTS"] = "1"
    if counts:
        environment["OCTILE_FAIL_COUNTS"] = counts
    return environment


def contents(path):
    """What of an output is the same in every run: times are not."""
    with open(path, "rb") as file:
        data = file.read()
    return re.sub(rb'("\w*seconds"|"pairs_per_second"): [-+.e0-9]+', b"\\1: 0", data) if path.endswith(".json") else data


def zstd_frame(data):
    """A frame of zstd that does not say its size, so that a window is needed, with the data in one block as it is."""
    return b"\x28\xb5\x2f\xfd\0\0" + (1 + (len(data) << 3)).to_bytes(3, "little") + data


JSONL = node_link("a", {"k": [1, 2]}, [(0, 1)]) + "\n"

# A small file of each kind that a library reads.
FILES = {
    "a.smi": "CC(=O)Oc1ccccc1C(=O)O aspirin\nC[C@H](N)C(=O)O alanine\n",
    "invalid.smi": "CCO ethanol\nC1CC open_ring\nC[C@H](N)C(=O)O alanine\n",
    "a.csv": "smiles,y\nCCO,1\n",
    "a.sdf": "methanol\n  program\n\n  2  1  0  0  0  0            999 V2000\n    0.0000    0.0000    0.0000 C   0  0\n"
             "    1.4000    0.0000    0.0000 O   0  0\n  1  2  1  0\nM  END\n$$$$\n",
    "a.jsonl": JSONL,
    "a.json": "[" + JSONL.splitlines()[0] + ",\n" + JSONL.splitlines()[0] + "]\n",
    "a.jsonl.gz": gzip.compress(JSONL.encode()),
    "a.jsonl.zst": zstd_frame(JSONL.encode()),
    "a.graphml": '<graphml><key id="d" for="node" attr.name="k" attr.type="int"/><graph id="G"><node id="n0"><data key="d">2</data>'
                 '</node><node id="n1"><data key="d">3</data></node><edge source="n0" target="n1"/></graph></graphml>',
    "a.gml": 'graph [ node [ id 0 k "a" ] node [ id 1 k "b" ] edge [ source 0 target 1 w 1.5 ] ]',
    "a.edges": "0 1 0.5\n1 2 1e3\n",
    "a.xyz": "2\nProperties=species:S:1:pos:R:3 name=x\nC 0 0 0\nO 0 0 1.2\n",
    "a.pdb": "ATOM      1  N   ALA A   1      11.104   6.134  -6.504  1.00  0.00           N\n"
             "ATOM      2  CA  ALA A   1      11.639   6.071  -5.147  1.00  0.00           C\nEND\n",
    "a.cif": "data_x\nloop_\n_atom_site.group_PDB\n_atom_site.id\n_atom_site.type_symbol\n_atom_site.label_atom_id\n"
             "_atom_site.label_alt_id\n_atom_site.label_comp_id\n_atom_site.label_asym_id\n_atom_site.Cartn_x\n"
             "_atom_site.Cartn_y\n_atom_site.Cartn_z\n_atom_site.occupancy\n_atom_site.B_iso_or_equiv\n_atom_site.auth_seq_id\n"
             "_atom_site.pdbx_PDB_model_num\nATOM 1 N N . ALA A 1.0 2.0 3.0 1 0 1 1\nATOM 2 C CA . ALA A 2.0 2.0 3.0 1 0 1 1\n",
}


class Command:
    """A command line with the files that it reads and writes."""

    def __init__(self, inputs, arguments, outputs, resumed=False):
        self.inputs, self.arguments, self.outputs, self.resumed = inputs, arguments, outputs, resumed
        self.line = LINE_OF_A_LIBRARY_THAT_CRASHES if {"K.h5"} & {*inputs, *outputs} else LINE

    def run(self, folder, environment, stopping=STOPPING):
        arguments = [stopping if argument == STOPPING else argument for argument in self.arguments]
        process = subprocess.run([PROGRAM, *arguments], cwd=folder, env=environment, stdin=subprocess.DEVNULL,
                                 stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=LONGEST, check=False)
        return process.returncode, process.stdout, process.stderr

    def folder(self, of):
        """A fresh one, with the inputs and older outputs."""
        folder = tempfile.mkdtemp(dir=of)
        for name in self.inputs:
            shutil.copy(os.path.join(of, name), folder)
        if os.path.isdir(os.path.join(of, "older")):
            shutil.copytree(os.path.join(of, "older"), folder, dirs_exist_ok=True)
        return folder

    def make_older(self, of):
        """The outputs that all runs find: of another kernel, as another file could not be replaced by the names of a matrix."""
        folder = self.folder(of)
        assert self.run(folder, dict(os.environ), OLDER_STOPPING)[0] == SUCCESS
        os.mkdir(os.path.join(of, "older"))
        for name in self.outputs:
            shutil.move(os.path.join(folder, name), os.path.join(of, "older"))
        return self.new(os.path.join(of, "older"))

    def new(self, folder):
        return {name: contents(os.path.join(folder, name)) for name in self.outputs}

    def others(self, folder):
        return sorted(set(os.listdir(folder)) - set(self.inputs) - set(self.outputs))


def without_reasons(output):
    """Why a SMILES is invalid RDKit may say in fewer words where it lacks memory for more."""
    return re.sub(rb"(is not a valid SMILES:).*", b"\\1", output)


def fault_of(command, expected, of, kind, number, lasts, library):
    """Runs a command whose call of this number fails. Returns what broke a promise, or nothing."""
    folder = command.folder(of)
    where = f"{kind} {number}{' and later' if lasts else ''}{f' of {library}' if library else ''}"
    try:
        code, output, errors = command.run(folder, in_environment(kind, number, lasts, library=library))
    except subprocess.TimeoutExpired:
        return f"{where}: hangs"
    said = f"{where}: code {code}, {errors.decode(errors='replace')!r}"
    if code not in CODES[kind]:
        return f"{said}: the code"
    if code == SUCCESS:
        if errors or command.new(folder) != expected["new"] or without_reasons(output) != without_reasons(expected["output"]):
            return f"{said}: is no undisturbed run"
    elif not re.fullmatch(command.line, errors):
        return f"{said}: is not one line"
    elif errors.endswith(b" (after the outputs were written)\n"):
        if command.new(folder) != expected["new"]:
            return f"{said}: they were not"
    elif command.new(folder) != expected["old"]:
        return f"{said}: replaced {[name for name, now in command.new(folder).items() if now != expected['old'][name]]}"
    # What is kept for the next run stands beside the outputs. A name that cannot be removed stays.
    left = [name for name in command.others(folder) if not (command.resumed and re.search(r"\.(part|journal)$", name))]
    if left and kind != "unlink":
        return f"{said}: leaves {left}"
    if command.resumed and code != SUCCESS:
        code, _, errors = command.run(folder, {**os.environ, "OMP_NUM_THREADS": "2"})
        if code != SUCCESS or errors or command.new(folder) != expected["new"]:
            return f"{said}; resumed: code {code}, {errors.decode()!r}: is no undisturbed run"
        if kind != "unlink" and command.others(folder):
            return f"{said}; resumed: leaves {command.others(folder)}"
    shutil.rmtree(folder)
    return ""


def numbers_of(count, kind, most=RUNS):
    """Numbers of calls, of so many: all, or the first and the last ones and some between."""
    if count <= most:
        return list(range(1, count + 1))
    ends = max(1, most // 6)
    between = random.Random(f"{SEED} {kind} {count}").sample(range(ends + 1, count - ends + 1), most - 2 * ends)
    return sorted({*range(1, ends + 1), *between, *range(count - ends + 1, count + 1)})


class Injection(unittest.TestCase):
    def setUp(self):
        self.of = self.enterContext(tempfile.TemporaryDirectory())
        write_lines(os.path.join(self.of, "set.jsonl"),
                    [node_link(f"g{k}", {"k": [i % 3 for i in range(2 + k)]}, [(i, i + 1) for i in range(1 + k)]) for k in range(6)])

    def undisturbed(self, command, kind, library=None):
        folder = command.folder(self.of)
        counts = os.path.join(self.of, f"counts.{os.path.basename(folder)}")
        code, output, errors = command.run(folder, in_environment(kind, counts=counts, library=library))
        self.assertEqual((code, errors), (SUCCESS, b""))
        self.assertEqual(command.others(folder), [])
        with open(counts, encoding="utf-8") as file:
            return {"new": command.new(folder), "output": output, "calls": int(file.read())}

    def judge(self, command, kinds, most=RUNS, expected_calls=(), library=None, lasting=lambda number: number % 3 == 0):
        """Lets calls of these kinds fail, of one library or of all, one in each run or all from one on."""
        runs = []
        old = command.make_older(self.of) if command.outputs else {}
        for kind in kinds:
            expected = {**self.undisturbed(command, kind, library), "old": old}
            if old:
                self.assertNotEqual(expected["new"], old)
            if kind in expected_calls:
                self.assertGreater(expected["calls"], 0, f"no call of {kind} was seen")
            for number in numbers_of(expected["calls"], kind, most):
                runs.append((command, expected, self.of, kind, number, lasting(number), library))
        with concurrent.futures.ThreadPoolExecutor(max(1, os.cpu_count() or 1)) as threads:
            faults = [fault for fault in threads.map(lambda run: fault_of(*run), runs) if fault]
        self.assertEqual(faults, [], f"{len(faults)} of {len(runs)} runs broke a promise:\n" + "\n".join(faults))

    def test_a_matrix_with_its_bounds_and_summary(self):
        outputs = ["K.npy", "E.npy", "S.json", "K.json"]
        arguments = ["gram", "set.jsonl", *KERNEL, "--out", "K.npy", "--errors", "E.npy", "--summary", "S.json"]
        self.judge(Command(["set.jsonl"], arguments, outputs), CODES, expected_calls={"malloc", "write", "fsync", "rename", "open"})

    def test_a_matrix_in_tiles_that_is_resumed(self):
        outputs = ["K.npy", "E.npy", "K.json"]
        arguments = ["gram", "set.jsonl", *KERNEL, "--out", "K.npy", "--errors", "E.npy", "--resume", "--tile-size", "2"]
        self.judge(Command(["set.jsonl"], arguments, outputs, resumed=True), CODES,
                   expected_calls={"malloc", "write", "fsync", "rename", "open"})

    @unittest.skipUnless(WITH_HDF5, "this build has no HDF5")
    def test_a_matrix_in_hdf5(self):
        self.judge(Command(["set.jsonl"], ["gram", "set.jsonl", *KERNEL, "--out", "K.h5"], ["K.h5"]), CODES,
                   expected_calls={"malloc", "write", "fsync", "rename", "open"})

    def test_without_hard_links_a_file_that_stays_new_is_named(self):
        command = Command(["set.jsonl"], ["gram", "set.jsonl", *KERNEL, "--out", "K.npy", "--errors", "E.npy"], ["K.npy", "E.npy", "K.json"])
        old = command.make_older(self.of)
        new = self.undisturbed(command, "rename")["new"]
        folder = command.folder(self.of)
        code, _, errors = command.run(folder, {**in_environment("rename", 2), "OCTILE_FAIL_ALWAYS": "link"})
        self.assertEqual((code, errors.decode()), (OUTPUT, "octile: E.npy: cannot be written: Input/output error; K.npy is a new one already, "
                                                           "since the old one cannot be put back\n"))
        self.assertEqual(command.new(folder), {**old, "K.npy": new["K.npy"]})
        self.assertEqual(command.others(folder), [])
        # Without older files nothing has to be put back.
        for name in command.outputs:
            os.remove(os.path.join(folder, name))
        code, _, errors = command.run(folder, {**in_environment("rename", 2), "OCTILE_FAIL_ALWAYS": "link"})
        self.assertEqual((code, errors), (OUTPUT, b"octile: E.npy: cannot be written: Input/output error\n"))
        self.assertEqual(sorted(os.listdir(folder)), ["set.jsonl"])
        # Nor where every output can be renamed.
        self.assertEqual(command.run(folder, {**in_environment("link"), "OCTILE_FAIL_ALWAYS": "link"})[0], SUCCESS)
        self.assertEqual(command.new(folder), new)

    def info_on(self, name):
        data = FILES[name]
        with open(os.path.join(self.of, name), "wb") as file:
            file.write(data.encode() if isinstance(data, str) else data)
        options = ["--cutoff", "2"] if name in {"a.xyz", "a.pdb", "a.cif"} else ["--skip-invalid"] if name == "invalid.smi" else []
        return Command([name], ["info", name, *options], [])

    def test_files_of_every_format(self):
        for name in FILES:
            with self.subTest(name=name):
                self.judge(self.info_on(name), ["malloc", "open"], max(4, RUNS // 3))

    def test_a_molecule_for_which_memory_lacks_is_not_left_out_as_invalid(self):
        # What is printed counts those that are read: each run says the same, or that memory lacks. RDKit's parser speaks of what it lacks in
        # its own words, for which each of its own calls is tried.
        command = self.info_on("invalid.smi")
        self.judge(command, ["malloc"], 6 * RUNS, {"malloc"})
        self.judge(command, ["malloc"], 100, {"malloc"}, "libRDKitSmilesParse", lambda _: False)

    def test_memory_that_libraries_of_c_lack(self):
        # Each call of theirs: they have their own words for it, which must not become those of a damaged file.
        for name, library in [("a.jsonl.gz", "libz.so"), ("a.jsonl.zst", "libzstd.so"), ("a.graphml", "libexpat.so")]:
            with self.subTest(name=name):
                self.judge(self.info_on(name), ["malloc"], 100, {"malloc"}, library)
                self.judge(self.info_on(name), ["malloc"], 4, {"malloc"}, library, lambda _: True)

    @unittest.skipUnless(WITH_HDF5, "this build has no HDF5")
    def test_memory_that_hdf5_lacks(self):
        command = Command(["set.jsonl"], ["gram", "set.jsonl", *KERNEL, "--out", "K.h5"], ["K.h5"])
        self.judge(command, ["malloc"], 2 * RUNS, {"malloc"}, "libhdf5")

    def test_a_matrix_that_is_looked_at_again(self):
        Command([], ["gram", "set.jsonl", *KERNEL, "--out", "K.npy"], []).run(self.of, dict(os.environ))
        command = Command(["set.jsonl", "K.npy", "K.json"], ["audit", "K.npy", "set.jsonl", "--quiet"], [])
        self.judge(command, ["malloc", "open", "pthread_create"], 2 * RUNS)

    @unittest.skipUnless(WITH_HDF5, "this build has no HDF5")
    def test_a_matrix_in_hdf5_that_is_looked_at_again(self):
        Command([], ["gram", "set.jsonl", *KERNEL, "--out", "K.h5"], []).run(self.of, dict(os.environ))
        command = Command(["set.jsonl", "K.h5"], ["audit", "K.h5", "set.jsonl", "--quiet"], [])
        # What a damaged file asks for may be more than there is. So one call of the library that fails does not tell of lacking memory.
        self.judge(command, ["malloc"], 3 * RUNS, lasting=lambda _: True)
        self.judge(command, ["open", "pthread_create"])


if __name__ == "__main__":
    if not FAILING_CALLS:
        print("skipped: there is no library of failing calls in this build; sanitizers keep memory by means of their own")
        sys.exit(77)
    unittest.main()
