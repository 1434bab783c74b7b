# SPDX-License-Identifier: BSD-3-Clause
"""Helpers for tests of the program: they run it, and read and write its files with the standard library only."""
import ast
import json
import math
import os
import struct
import subprocess
import sys
import unittest

PROGRAM = os.environ.get("OCTILE_PROGRAM", "octile")
PATIENCE = int(os.environ.get("OCTILE_PATIENCE", "1"))  # how many times slower than usual the program may be
HOSTILE_SEED = int(os.environ.get("OCTILE_HOSTILE_SEED", "7"))  # of random moments


def run(*arguments, folder=None, timeout=120, stdout=subprocess.PIPE, stdin=b"", preexec_fn=None):
    """Runs the program on bytes as standard input; the result has returncode, stdout and stderr as text."""
    result = subprocess.run([PROGRAM, *map(str, arguments)], cwd=folder, stdout=stdout, stderr=subprocess.PIPE, timeout=timeout,
                            input=stdin, check=False, preexec_fn=preexec_fn)
    result.stdout, result.stderr = (None if text is None else text.decode() for text in (result.stdout, result.stderr))
    return result


def parse_npy(data):
    """Shape and values, in C order, of the bytes of an .npy file."""
    assert data[:6] == b"\x93NUMPY", "not an .npy file"
    width = 2 if data[6] == 1 else 4
    length = int.from_bytes(data[8:8 + width], "little")
    start = 8 + width + length
    header = ast.literal_eval(data[8 + width:start].decode("latin1"))
    assert not header["fortran_order"], "not in C order"
    kind = {"<f8": "d", "<f4": "f", "<i4": "i", "<i8": "q"}[header["descr"]]
    count = math.prod(header["shape"])
    assert len(data) == start + count * struct.calcsize(kind), "not as long as its shape says"
    return header["shape"], list(struct.unpack(f"<{count}{kind}", data[start:]))


def read_npy(path):
    with open(path, "rb") as file:
        return parse_npy(file.read())


def node_link(name, vertex_labels, edges, edge_labels=None, weights=None):
    """A graph as one line of JSON: labels by attribute, edges as pairs of vertices."""
    count = len(next(iter(vertex_labels.values()))) if isinstance(vertex_labels, dict) else vertex_labels
    labels = vertex_labels if isinstance(vertex_labels, dict) else {}
    nodes = [{"id": k, **{a: values[k] for a, values in labels.items()}} for k in range(count)]
    links = []
    for k, (i, j) in enumerate(edges):
        link = {"source": i, "target": j, **{a: values[k] for a, values in (edge_labels or {}).items()}}
        if weights is not None:
            link["weight"] = weights[k]
        links.append(link)
    return json.dumps({"graph": {"name": name}, "nodes": nodes, "edges": links})


def write_lines(path, lines):
    with open(path, "w", encoding="utf-8") as file:
        file.writelines(f"{line}\n" for line in lines)


def main_side_by_side(*beside):
    """Runs the tests of the calling file. Those of the classes `beside`, which mostly wait, run in a process of their own meanwhile. With
    tests named on the command line it runs these alone."""
    names = [name for name, value in vars(sys.modules["__main__"]).items()
             if isinstance(value, type) and issubclass(value, unittest.TestCase) and value.__module__ == "__main__"]
    assert set(beside) < set(names), f"{beside} are to be some of {names}"
    if len(sys.argv) > 1:
        unittest.main()
    with subprocess.Popen([sys.executable, "-B", sys.argv[0], *beside], stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as other:
        mine = unittest.main(argv=[sys.argv[0], *(name for name in names if name not in beside)], exit=False).result
        output, _ = other.communicate()
    sys.stderr.write(output.decode(errors="replace"))
    sys.exit(0 if mine.wasSuccessful() and other.returncode == 0 else 1)


def kills(usual):
    """How many runs a test ends at a random moment: as many as usual, a third of these under the sanitizers, or as OCTILE_HOSTILE_KILLS
    says."""
    return int(os.environ.get("OCTILE_HOSTILE_KILLS", usual if PATIENCE == 1 else usual // 3))
