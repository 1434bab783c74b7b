# SPDX-License-Identifier: BSD-3-Clause
"""What the program wrote, or a list of pairs, with changes at random, given to it again: a matrix to --extend and to octile audit, the
names beside it, parts to octile merge, a checkpoint to --resume. Each is read, or refused in one line that names a file of the command;
nothing crashes, hangs, or is called a fault of the program. OCTILE_PROGRAM names it.

    OCTILE_HOSTILE_RESULTS    mutants of each file [40]
    OCTILE_HOSTILE_SEED       of the changes [1]
    OCTILE_HOSTILE_KEEP       a folder where files are kept that break a promise
"""
import concurrent.futures
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
from support import PATIENCE, PROGRAM, node_link, write_lines  # noqa: E402

MUTANTS = int(os.environ.get("OCTILE_HOSTILE_RESULTS", "40" if PATIENCE == 1 else "10"))
SEED = int(os.environ.get("OCTILE_HOSTILE_SEED", "1"))
KEEP = os.environ.get("OCTILE_HOSTILE_KEEP", "")
SUCCESS, INPUT, USAGE, UNCONVERGED, DISAGREEMENT = 0, 1, 2, 3, 5
LONGEST = 60 * PATIENCE
KERNEL = ["--vertex", "delta(k,0.5)", "--edge", "1", "--stopping", "weight:0.5", "--quiet"]

WORDS = [b"nan", b"-1", b"1e999", b"9223372036854775808", b"18446744073709551616", b"null", b"{}", b"[]", b'""', b"#0", b"#1", b"\n\n",
         b"\r", b"\0", b"\xff\xfe", b"\t", b"'", b",", b"#999999999999999999999", b"\xef\xbb\xbf"]
VALUES = [None, True, False, 0, -1, 1, 0.5, -0.0, 1e308, 2**63, 2**64 - 1, -(2**63), "", "x", "\u0000", "K.npy", [], {}, [[]], [0], [None],
          {"": 0}, ["a", "b"], [1, 2, 3], "../" * 2000]


def changed_bytes(data, source):
    data = bytearray(data)
    for _ in range(source.randint(1, 3)):
        place = source.randrange(len(data) + 1)
        way = source.randrange(7)
        if way == 0 and place < len(data):
            data[place] ^= 1 << source.randrange(8)
        elif way == 1 and place < len(data):
            data[place] = source.randrange(256)
        elif way == 2:
            del data[place:place + source.randint(1, 16)]
        elif way == 3:
            data[place:place] = source.choice(WORDS)
        elif way == 4:
            del data[place:]
        elif way == 5:
            end = min(len(data), place + source.randint(1, 64))
            data[place:place] = data[place:end] * source.choice([1, 2, 100])
        else:
            numbers = list(re.finditer(rb"\d+", bytes(data)))
            if numbers:
                number = source.choice(numbers)
                data[number.start():number.end()] = source.choice(WORDS)
    return bytes(data)


def places_in(document, place=()):
    """All places of a JSON document, as keys from the outside."""
    yield place
    pairs = document.items() if isinstance(document, dict) else enumerate(document) if isinstance(document, list) else ()
    for key, value in pairs:
        yield from places_in(value, (*place, key))


def changed_json(data, source):
    """A document of JSON where values are others, missing, or doubled."""
    document = json.loads(data)
    for _ in range(source.randint(1, 2)):
        place = source.choice(list(places_in(document)))
        if not place:
            continue
        holder = document
        for key in place[:-1]:
            holder = holder[key]
        way = source.randrange(5)
        if way == 0:
            del holder[place[-1]]
        elif way == 1 and isinstance(holder, list):
            holder.append(holder[place[-1]])
        elif way == 2 and isinstance(holder[place[-1]], (int, float)):
            holder[place[-1]] += source.choice([-1, 1, 1000000])
        else:
            holder[place[-1]] = source.choice(VALUES)
    return json.dumps(document).encode()


class Mutants(unittest.TestCase):
    def setUp(self):
        self.of = self.enterContext(tempfile.TemporaryDirectory())
        lines = [node_link(f"g{k}", {"k": [i % 3 for i in range(2 + k)]}, [(i, i + 1) for i in range(1 + k)]) for k in range(6)]
        write_lines(self.path("set.jsonl"), lines)
        write_lines(self.path("larger.jsonl"), [*lines, node_link("new", {"k": [1, 2]}, [(0, 1)])])

    def path(self, name):
        return os.path.join(self.of, name)

    def run_in(self, folder, arguments):
        result = subprocess.run([PROGRAM, *arguments], cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, timeout=LONGEST, check=False)
        return result.returncode, result.stdout, result.stderr

    def octile(self, *arguments):
        code, output, errors = self.run_in(self.of, arguments)
        self.assertEqual(code, SUCCESS, (arguments, output, errors))

    def fault_of(self, name, data, arguments, codes):
        folder = tempfile.mkdtemp(dir=self.of)
        for file in os.listdir(self.of):
            if os.path.isfile(self.path(file)):
                shutil.copy(self.path(file), folder)
        with open(os.path.join(folder, name), "wb") as file:
            file.write(data)
        try:
            code, _, errors = self.run_in(folder, arguments)
        except subprocess.TimeoutExpired:
            return "hangs"
        said = f"code {code}, {errors.decode(errors='replace')[:600]!r}"
        if code not in codes:
            return f"{said}: the code"
        lines = errors.splitlines()
        # Where a checkpoint is resumed, what is computed again is said first.
        if any(not re.fullmatch(rb"octile: [\x20-\x7e\x80-\xff]+", line) for line in lines):
            return f"{said}: is no line of ours"
        if code in (INPUT, USAGE) and (not lines or not any(file.encode() in lines[-1] for file in os.listdir(folder))):
            return f"{said}: names no file"
        if any(len(line) > 1500 for line in lines):
            return f"{said}: is too long"
        if [file for file in os.listdir(folder) if file.startswith(".octile")]:
            return f"{said}: leaves a temporary"
        shutil.rmtree(folder)
        return ""

    def judge(self, name, arguments, codes=(SUCCESS, INPUT), change=changed_bytes):
        with open(self.path(name), "rb") as file:
            whole = file.read()
        self.assertEqual(self.fault_of(name, whole, arguments, {SUCCESS}), "", arguments)
        source = random.Random(f"{SEED} {name} {change.__name__} {arguments}")
        mutants = [change(whole, source) for _ in range(MUTANTS)]
        with concurrent.futures.ThreadPoolExecutor(max(1, os.cpu_count() or 1)) as threads:
            faults = list(threads.map(lambda data: self.fault_of(name, data, arguments, codes), mutants))
        for number, fault in enumerate(faults):
            if fault and KEEP:
                with open(os.path.join(KEEP, f"{SEED}-{number}-{name}"), "wb") as file:
                    file.write(mutants[number])
        found = [f"mutant {number} of {name}: {fault}" for number, fault in enumerate(faults) if fault]
        self.assertEqual(found, [], f"{len(found)} of {len(mutants)} broke a promise:\n" + "\n".join(found))

    def test_lists_of_pairs(self):
        with open(self.path("pairs.txt"), "w", encoding="utf-8") as file:
            file.write("g0 g1\ng2\tg3\n#1 #6\ng4 #2\n")
        self.judge("pairs.txt", ["gram", "set.jsonl", *KERNEL, "--pairs", "pairs.txt", "--out", "new.npy"])

    def test_matrices_that_are_looked_at_again(self):
        self.octile("gram", "set.jsonl", *KERNEL, "--out", "K.npy", "--errors", "E.npy")
        audit = ["audit", "K.npy", "set.jsonl", "--errors", "E.npy", "--quiet"]
        for name in ["K.npy", "E.npy"]:
            with self.subTest(name=name):
                self.judge(name, audit, (SUCCESS, INPUT, DISAGREEMENT))
        for change in [changed_bytes, changed_json]:
            with self.subTest(change=change.__name__):
                self.judge("K.json", audit, (SUCCESS, INPUT, UNCONVERGED, DISAGREEMENT), change)

    def test_matrices_that_grow(self):
        self.octile("gram", "set.jsonl", *KERNEL, "--out", "K.npy", "--errors", "E.npy")
        extend = ["gram", "larger.jsonl", *KERNEL, "--extend", "K.npy", "--out", "new.npy"]
        self.judge("K.npy", extend)
        for change in [changed_bytes, changed_json]:
            with self.subTest(change=change.__name__):
                # The options of another request are a wrong command line.
                self.judge("K.json", extend, (SUCCESS, INPUT, USAGE, UNCONVERGED), change)

    def test_parts_that_are_merged(self):
        self.octile("gram", "set.jsonl", *KERNEL, "--tile-size", "3", "--tiles", "0:2", "--out", "a.tiles")
        self.octile("gram", "set.jsonl", *KERNEL, "--tile-size", "3", "--tiles", "2:9", "--out", "b.tiles")
        self.judge("a.tiles", ["merge", "a.tiles", "b.tiles", "--out", "new.npy", "--quiet"])


if __name__ == "__main__":
    unittest.main()
