# SPDX-License-Identifier: BSD-3-Clause
"""The attributes of molecules against RDKit's own Python, for the drugs of the folder OCTILE_DATA. OCTILE_PROGRAM names the program.

Without the data, or a Python that has RDKit, it says so and ends with code 77.
"""
import json
import os
import subprocess
import sys
import unittest

from test_command_line import InFolder

SKIPPED = 77
DRUGS = os.path.join(os.environ.get("OCTILE_DATA", ""), "molecules/chembl_drugs_1203.smi")
RADII = range(4)


def python_with_rdkit():
    """A Python that has RDKit, or None."""
    for python in [sys.executable, "python3", "/usr/bin/python3"]:
        try:
            if subprocess.run([python, "-c", "import rdkit.Chem"], capture_output=True, check=False).returncode == 0:
                return python
        except OSError:
            continue
    return None


class Features(InFolder):
    def compare(self, *options, every=1):
        """Compares one of so many molecules."""
        with open(DRUGS, encoding="utf-8") as file:
            self.write("drugs.smi", [line.rstrip("\n") for line in file][::every])
        self.octile("convert", "drugs.smi", "--features", "all", *options, "--out", "drugs.jsonl", "--quiet")
        script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "rdkit_features.py")
        expected = subprocess.run([python_with_rdkit(), "-B", script, self.path("drugs.smi"), *options], capture_output=True,
                                  check=True, timeout=600).stdout.decode().splitlines()
        with open(self.path("drugs.jsonl"), encoding="utf-8") as file:
            found = file.read().splitlines()
        self.assertEqual(len(found), len(expected))
        pairs = [set() for _ in RADII]  # of hashes: ours, RDKit's
        for line, expected_line in zip(found, expected):
            graph, molecule = json.loads(line), json.loads(expected_line)
            self.assertEqual(len(graph["nodes"]), len(molecule["atoms"]))
            for node, atom in zip(graph["nodes"], molecule["atoms"]):
                hashes = atom.pop("morgan")
                for radius in RADII:
                    ours = node.pop(f"morgan{radius}")
                    # Beyond radius 0 RDKit has no hash of an atom without bonds.
                    if hashes[radius] is not None:
                        pairs[radius].add((ours, hashes[radius]))
                self.assertIsNotNone(hashes[0])
                del node["id"]
                node["ring_sizes"].sort()
                self.assertEqual(node, atom, graph["graph"])
            bonds = {}
            for edge in graph["edges"]:
                ends = sorted((edge.pop("source"), edge.pop("target")))
                edge.pop("weight", None)
                bonds[f"{ends[0]} {ends[1]}"] = edge
            self.assertEqual(bonds, molecule["bonds"], graph["graph"])
        for radius in RADII:
            # Hashes differ in value, but tell apart the same surroundings.
            with self.subTest(radius=radius):
                self.assertEqual(len({ours for ours, _ in pairs[radius]}), len(pairs[radius]))
                self.assertEqual(len({theirs for _, theirs in pairs[radius]}), len(pairs[radius]))

    def test_are_those_of_rdkit(self):
        self.compare()

    def test_are_those_of_rdkit_with_hydrogens(self):
        self.compare("--explicit-hydrogens", every=4)


if __name__ == "__main__":
    if not os.path.exists(DRUGS):
        print(f"skipped: there is no {DRUGS}; OCTILE_DATA names the folder of the data sets")
        sys.exit(SKIPPED)
    if python_with_rdkit() is None:
        print("skipped: no Python here has RDKit")
        sys.exit(SKIPPED)
    unittest.main()
