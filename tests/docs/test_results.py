# SPDX-License-Identifier: BSD-3-Clause
"""The table of whole Gram matrices agrees with the raw file, and README.md with the table."""
import glob
import json
import os
import re
import runpy
import subprocess
import sys
import unittest

import documents

WHOLE = re.compile(r"solve/backend:cuda/primitive:auto/data:[^/]+/kind:[^/]+/q:[^/]+/order:natural/scalar:f32/manual_time_median")


def number(text):
    return float(text.replace(",", ""))


class Results(unittest.TestCase):
    def test_the_table_has_what_was_measured(self):
        tool = os.path.join(documents.ROOT, "bench/results/update_table")
        self.assertEqual(subprocess.run([sys.executable, tool, "--check"], check=False).returncode, 0,
                         "bench/results/update_table writes what the raw file has")

    def test_the_table_is_of_the_newest_raw_file(self):
        dates = {}
        for path in glob.glob(os.path.join(documents.ROOT, "bench/results/h200-*.json")):
            with open(path, encoding="utf-8") as file:
                raw = json.load(file)
            # Those alone that have all sets, at both q.
            runs = [run["name"] for run in raw.get("benchmarks", []) if WHOLE.fullmatch(run["name"])]
            if len(runs) == 20:
                dates[raw["context"]["date"]] = os.path.basename(path)
        self.assertGreater(len(dates), 3)
        tool = runpy.run_path(os.path.join(documents.ROOT, "bench/results/update_table"))
        self.assertEqual(tool["RAW"], dates[max(dates)])
        section = documents.read("bench/results/h200.md").partition("## Whole Gram matrices")[2].partition("\n## ")[0]
        self.assertIn(f"([raw]({tool['RAW']}))", section)

    def test_the_model_of_many_gpus_is_computed_from_its_costs(self):
        tool = os.path.join(documents.ROOT, "bench/scaling_model")
        self.assertEqual(subprocess.run([sys.executable, tool, "--check"], check=False).returncode, 0,
                         "bench/scaling_model writes what docs/scaling.md has")

    def test_costs_of_the_model_are_those_of_the_results(self):
        cost = runpy.run_path(os.path.join(documents.ROOT, "bench/scaling_model"))["cost"]
        table = documents.read("bench/results/h200.md").partition("## Whole Gram matrices")[2].partition("\n## ")[0]
        large = documents.read("bench/results/h200.md").partition("## Large sets, from a file")[2].partition("\n## ")[0]
        pairs = number(re.search(r"([\d,]+) pairs", large)[1])
        one = next(cells for line in large.splitlines() if (cells := line.split("|"))[1:2] == [" one card "])
        self.assertAlmostEqual(cost("device") + cost("host"), number(one[3]) / pairs, delta=0.01 * cost("device"))
        drugs = next(cells for line in table.splitlines() if (cells := line.split("|"))[1:2] == [" drugs "])
        self.assertAlmostEqual(cost("host"), (number(drugs[5]) - number(drugs[4])) / 1e3 / number(drugs[2]), delta=0.05 * cost("host"))
        molecules = number(re.search(r"All ([\d,]+) molecules", large)[1])
        read = re.search(r"read the input in ([\d.]+) s", large)[1]
        self.assertAlmostEqual(cost("read"), number(read) / molecules, delta=0.02 * cost("read"))

    def test_newest_tables_come_first(self):
        dates = []
        for section in documents.read("bench/results/h200.md").split("\n## ")[1:]:
            raw = re.search(r"\]\((h200-[\w-]+\.json)\)", section)
            if not raw:
                continue
            with open(os.path.join(documents.ROOT, "bench/results", raw[1]), encoding="utf-8") as file:
                context = json.load(file).get("context", {})
            if "date" in context:
                dates.append((context["date"][:10], section.split("\n")[0]))
        self.assertGreater(len(dates), 5)
        self.assertEqual(dates, sorted(dates, key=lambda found: found[0], reverse=True))

    def test_readme_quotes_the_results(self):
        readme = " ".join(documents.read("README.md").split())
        table = documents.read("bench/results/h200.md").partition("## Whole Gram matrices")[2].partition("\n## ")[0]
        rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines()]
        rows = [row for row in rows if len(row) == 10 and row[2] == "0.05"]
        # README says it of labelled sets.
        ratios = [number(row[6]) for row in rows if row[6] and "unlabelled" not in row[0]]
        self.assertEqual(len(ratios), 6)
        newest = documents.read("bench/results/h200.md").partition("## The engine as it is")[2].partition("\n## ")[0]
        engine = [number(cells[4]) for line in newest.splitlines() if len(cells := line.split("|")) == 6 and cells[4].strip().isdigit()]
        self.assertEqual((min(engine), round(max(engine), -1)), (min(ratios), round(max(ratios), -1)))
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
        self.assertIn(f"At q = 0.05 and with labels Octile is {low} to {high} times as fast as GraphDot.", page)


if __name__ == "__main__":
    unittest.main()
