# SPDX-License-Identifier: BSD-3-Clause
"""The table of whole Gram matrices agrees with the raw file, and README.md with the table."""
import os
import re
import subprocess
import sys
import unittest

import documents


def number(text):
    return float(text.replace(",", ""))


class Results(unittest.TestCase):
    def test_the_table_has_what_was_measured(self):
        tool = os.path.join(documents.ROOT, "bench/results/update_table")
        self.assertEqual(subprocess.run([sys.executable, tool, "--check"], check=False).returncode, 0,
                         "bench/results/update_table writes what h200-solve.json has")

    def test_readme_quotes_the_results(self):
        readme = " ".join(documents.read("README.md").split())
        table = documents.read("bench/results/h200.md").partition("## Whole Gram matrices")[2].partition("\n## ")[0]
        rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines()]
        rows = [row for row in rows if len(row) == 10 and row[2] == "0.05"]
        ratios = [number(row[6]) for row in rows if row[6]]
        self.assertIn(f"**{min(ratios):.0f} to {round(max(ratios), -1):.0f} times as fast** at q = 0.05", readme)
        self.assertIn(f"relative errors of K up to {max((row[7] for row in rows), key=float)}", readme)
        drugs = next(row for row in rows if row[0] == "drugs")
        seconds = number(drugs[4]) / 1e3
        self.assertIn(f"{drugs[1]} pairs", readme)
        self.assertIn(f"solves them in {seconds:.3f} s in single precision", readme)
        self.assertIn(f"**{number(drugs[1]) / seconds / 1e6:.0f} million pairs/s**", readme)

    def test_the_text_beside_the_table_quotes_it(self):
        page = documents.read("bench/results/h200.md")
        low, high = re.search(r"\*\*(\d+) to (\d+) times as fast", documents.read("README.md")).groups()
        self.assertIn(f"At q = 0.05 Octile is {low} to {high} times as fast as GraphDot.", page)


if __name__ == "__main__":
    unittest.main()
