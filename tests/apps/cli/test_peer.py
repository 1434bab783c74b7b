# SPDX-License-Identifier: BSD-3-Clause
"""K against double-precision values that other code computed on real and synthetic graphs.

OCTILE_DATA names the folder that has peer/ (its README.md gives the convention: value = n m K / q², q a probability).
Ends with code 77, and says so, where the data is not there.
"""
import gzip
import os
import sys
import tempfile
import unittest
import zipfile

from support import node_link, parse_npy, read_npy, run, write_lines

FOLDER = os.path.join(os.environ.get("OCTILE_DATA", ""), "peer")
SKIPPED = 77

# kind: sets, κv, κe. The vertex label is `label`, the edge label `mark`.
KINDS = {
    "unlabeled": (["nws", "ba"], "1", "1"),
    "labeled": (["nws", "ba"], "1", "gaussian(mark, 0.3)"),
    "vlabeled": (["nws", "ba"], "delta(label, 0.5)", "1"),
    "mol": (["mol"], "delta(label, 0.2)", "delta(mark, 0.3)"),
    "pdb": (["pdb"], "delta(label, 0.2)", "gaussian(mark, 0.3)"),
}
# Pairs of each set to solve, the cheapest first: together a few seconds.
PAIRS = {"nws": 6, "ba": 2, "mol": 40, "pdb": 3}
# The tolerance of the solve, and the error of the value that it allows (the peer's values are exact to about 1e-12).
PRECISIONS = {"float64": ("1e-10", 1e-8), "float32": ("1e-6", 1e-5)}


class PeerSet:
    """The graphs of <name>.txt.gz, as lines of node-link JSON with their sizes."""

    def __init__(self, name):
        with gzip.open(os.path.join(FOLDER, f"{name}.txt.gz"), "rt") as file:
            tokens = iter(file.read().split())
        self.lines, self.vertices, self.edges = [], [], []
        for k in range(int(next(tokens))):
            n, m = int(next(tokens)), int(next(tokens))
            labels = [int(next(tokens)) for _ in range(n)]
            edges, weights, marks = [], [], []
            for _ in range(m):
                edges.append((int(next(tokens)), int(next(tokens))))
                weights.append(float(next(tokens)))
                marks.append(float(next(tokens)))
            self.lines.append(node_link(f"{name} {k}", {"label": labels}, edges, {"mark": marks}, weights))
            self.vertices.append(n)
            self.edges.append(m)


class Peer(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.references = zipfile.ZipFile(os.path.join(FOLDER, "refs.npz"))
        cls.sets = {name: PeerSet(name) for name in PAIRS}

    @classmethod
    def tearDownClass(cls):
        cls.references.close()

    def sampled(self, name, kind, q):
        """Sampled pairs (i, j) and their values."""
        stem = f"{name}/{kind}/{q}"
        shape, indices = parse_npy(self.references.read(f"{stem}/ij.npy"))
        _, values = parse_npy(self.references.read(f"{stem}/val.npy"))
        self.assertEqual(shape, (len(values), 2))
        graphs = self.sets[name]
        pairs = [(indices[2 * k], indices[2 * k + 1], value) for k, value in enumerate(values)]
        pairs.sort(key=lambda pair: graphs.edges[pair[0]] * graphs.edges[pair[1]])
        return pairs[:PAIRS[name]]

    def solve(self, folder, graphs, pair, options):
        """K of the pair by `octile gram` on a file of its two graphs."""
        write_lines(os.path.join(folder, "pair.jsonl"), [graphs.lines[k] for k in pair])
        result = run("gram", "pair.jsonl", *options, "--out", "K.npy", "--quiet", folder=folder)
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        return read_npy(os.path.join(folder, "K.npy"))[1][1]

    def check(self, kind):
        names, vertex, edge = KINDS[kind]
        for name in names:
            graphs = self.sets[name]
            for q in ["0.05", "0.0005"]:
                for precision, (tolerance, bar) in PRECISIONS.items():
                    options = ["--vertex", vertex, "--edge", edge, "--stopping", f"probability:{q}", "--precision",
                               precision, "--tolerance", tolerance]
                    with tempfile.TemporaryDirectory() as folder:
                        for i, j, expected in self.sampled(name, kind, q):
                            with self.subTest(set=name, kind=kind, q=q, precision=precision, pair=(i, j)):
                                k = self.solve(folder, graphs, (i, j), options)
                                value = k * graphs.vertices[i] * graphs.vertices[j] / float(q)**2
                                self.assertLessEqual(abs(value - expected), bar * expected, f"{value}: {expected}")

    def test_unlabelled(self):
        self.check("unlabeled")

    def test_edge_labels(self):
        self.check("labeled")

    def test_vertex_labels(self):
        self.check("vlabeled")

    def test_molecules(self):
        self.check("mol")

    def test_proteins(self):
        self.check("pdb")


if __name__ == "__main__":
    if not os.path.exists(os.path.join(FOLDER, "refs.npz")):
        print(f"skipped: there is no refs.npz in '{FOLDER}'; OCTILE_DATA names the folder of the data sets")
        sys.exit(SKIPPED)
    unittest.main()
