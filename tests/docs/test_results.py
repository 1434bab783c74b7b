# SPDX-License-Identifier: BSD-3-Clause
"""The table of whole Gram matrices says what the raw file says, and README.md says what the table says."""
import json
import re
import unittest

import documents

SETS = {
    "ba, labelled": "ba/kind:labeled", "ba, vertex labels": "ba/kind:vlabeled", "ba, unlabelled": "ba/kind:unlabeled",
    "nws, labelled": "nws/kind:labeled", "nws, vertex labels": "nws/kind:vlabeled", "nws, unlabelled": "nws/kind:unlabeled",
    "mol": "mol/kind:mol", "pdb": "pdb/kind:pdb", "proteins": "proteins/kind:proteins", "drugs": "drugs/kind:drugs",
}


def number(text):
    return float(text.replace(",", ""))


def shows(text, value):
    """Whether a number in a table is a value, rounded to the digits that are shown."""
    return text == f"{value:.1e}".replace("e-0", "e-") if "e" in text else \
        abs(number(text) - value) <= 0.501 * 10.0 ** -len(text.partition(".")[2])


class Results(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        table = documents.read("bench/results/h200.md").partition("## Whole Gram matrices")[2].partition("\n## ")[0]
        cls.rows, name, pairs = [], "", ""
        for line in table.splitlines():
            cells = [cell.strip() for cell in line.strip("|").split("|")]
            if len(cells) == 10 and re.fullmatch(r"0\.\d+", cells[2]):
                name, pairs = cells[0] or name, cells[1] or pairs
                cls.rows.append((name, pairs, *cells[2:8]))
        cls.measured = {run["name"]: run for run in json.loads(documents.read("bench/results/h200-solve.json"))["benchmarks"]}

    def test_the_table_has_what_was_measured(self):
        self.assertEqual({row[0] for row in self.rows}, set(SETS))
        for name, _, q, device, call, _, _, error in self.rows:
            run = self.measured[f"solve/backend:cuda/primitive:auto/data:{SETS[name]}/q:{q}/order:natural/scalar:f32/manual_time_median"]
            for what, shown, value in (("device", device, run["device_ms"]), ("call", call, run["real_time"]), ("error", error, run["max_error"])):
                with self.subTest(set=name, q=q, what=what, measured=value):
                    self.assertTrue(shows(shown, value), f"the table says {shown}")

    def test_ratios_are_those_of_the_times(self):
        for name, _, q, device, _, other, ratio, _ in self.rows:
            if other:
                with self.subTest(set=name, q=q):
                    self.assertAlmostEqual(number(ratio), number(other) / number(device), delta=0.5 + 0.005 * number(ratio))

    def test_readme_quotes_the_table(self):
        readme = " ".join(documents.read("README.md").split())
        ratios = [number(row[6]) for row in self.rows if row[6] and row[2] == "0.05"]
        low, high = re.search(r"\*\*(\d+) to (\d+) times as fast\*\*", readme).groups()
        self.assertEqual((number(low), number(high)), (min(ratios), round(max(ratios), -1)))
        errors = [run["max_error"] for name, run in self.measured.items()
                  if "backend:cuda" in name and "q:0.05/" in name and name.endswith("scalar:f32/manual_time_median")]
        self.assertIn(f"up to {max(errors):.1e}".replace("e-0", "e-"), readme)
        pairs, seconds = next((number(row[1]), number(row[4]) / 1e3) for row in self.rows if row[0] == "drugs")
        self.assertIn(f"in {seconds:.3f} s in single precision", readme)
        self.assertIn(f"{pairs / seconds / 1e6:.0f} million pairs/s", readme)


if __name__ == "__main__":
    unittest.main()
