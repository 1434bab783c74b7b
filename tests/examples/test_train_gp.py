# SPDX-License-Identifier: BSD-3-Clause
"""examples/train_gp: several processes hold a Gram matrix in parts, train with it and predict what one process predicts."""
import os
import random
import re
import shutil
import subprocess
import tempfile
import unittest

PROGRAM = os.environ.get("OCTILE_TRAIN_GP", "")
MPIRUN = shutil.which("mpirun")
# Chains and rings of carbon with a group at the end; what is learnt is a sum over their atoms.
GROUPS = {"O": -1.1, "N": -0.8, "Cl": 0.7, "F": 0.2, "C": 0.5}


def table():
    lines = []
    for length in range(1, 9):
        for group, share in GROUPS.items():
            lines.append(f"chain{length}{group},{0.5 * length + share:.2f},{'C' * length}{group}")
            if length >= 3:
                lines.append(f"ring{length}{group},{0.4 * length + share - 0.3:.2f},C1{'C' * (length - 1)}1{group}")
    random.Random(1).shuffle(lines)
    return "\n".join(["name,value,smiles", *lines]) + "\n"


@unittest.skipUnless(MPIRUN, "takes mpirun")
class TrainGp(unittest.TestCase):
    def setUp(self):
        self.folder = self.enterContext(tempfile.TemporaryDirectory())
        with open(os.path.join(self.folder, "molecules.csv"), "w", encoding="utf-8") as file:
            file.write(table())

    def train(self, ranks, *arguments):
        environment = {**os.environ, "TMPDIR": self.folder, "OMP_NUM_THREADS": "1", "OMPI_MCA_rmaps_base_oversubscribe": "1"}
        return subprocess.run([MPIRUN, "-n", str(ranks), "--oversubscribe", "--allow-run-as-root", "--bind-to", "none", PROGRAM,
                               *arguments], cwd=self.folder, capture_output=True, text=True, timeout=600, check=False, env=environment)

    def test_any_number_of_processes_learns_the_same(self):
        found = {}
        for ranks in [1, 2, 3]:
            done = self.train(ranks, "molecules.csv", "value", "60", "2")
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            kept = [int(number) for number in re.findall(r"(\d+) values kept here", done.stdout)]
            rmse, tested, trained = re.search(r"test RMSE ([\d.]+) of (\d+) molecules, trained with (\d+)", done.stdout).groups()
            self.assertEqual((int(tested), int(trained)), (12, 48))
            found[ranks] = float(rmse), re.sub(r"[\d.]+ s \([^)]*\), \d+ values", "", done.stdout)
            self.assertEqual(len(kept), 2)
        for ranks in [2, 3]:
            self.assertEqual(found[ranks][1], found[1][1])
        # The standard deviation of what is predicted is 1.4.
        self.assertLess(found[1][0], 0.9)

    def test_what_is_wrong_is_said(self):
        done = self.train(1, "molecules.csv")
        self.assertEqual(done.returncode, 2)
        self.assertIn("usage: train_gp", done.stderr)
        done = self.train(1, "molecules.csv", "value", "60", "-1")
        self.assertEqual(done.returncode, 1)
        self.assertIn("a count is '-1'", done.stderr)
        done = self.train(2, "molecules.csv", "price", "60", "0")
        self.assertNotEqual(done.returncode, 0)
        self.assertRegex(done.stderr, "price")


if __name__ == "__main__":
    unittest.main()
