# SPDX-License-Identifier: BSD-3-Clause
"""Tables of the H200 agree with the newest raw files, README.md with the tables, and every raw file stands on a page."""
import fnmatch
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
ACCURATE = re.compile(r"solve/backend:cuda/primitive:auto/data:[^/]+/kind:[^/]+/q:0.05/order:natural/scalar:auto/accuracy:[^/]+/manual_time_median")


def number(text):
    return float(text.replace(",", ""))


def section(heading):
    """The text of a section of the page of the H200."""
    return documents.read("bench/results/h200.md").partition(f"## {heading}")[2].partition("\n## ")[0]


def rows(text):
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in text.splitlines() if line.startswith("|")]


class Results(unittest.TestCase):
    def test_tables_have_what_was_measured(self):
        tool = os.path.join(documents.ROOT, "bench/results/update_table")
        self.assertEqual(subprocess.run([sys.executable, tool, "--check"], check=False).returncode, 0,
                         "bench/results/update_table writes what the raw files have")

    def test_tables_are_of_the_newest_raw_files(self):
        both_q, accuracies = {}, {}
        for path in glob.glob(os.path.join(documents.ROOT, "bench/results/h200-*.json")):
            with open(path, encoding="utf-8") as file:
                raw = json.load(file)
            names = [run["name"] for run in raw.get("benchmarks", [])]
            # All sets at both q, and the eight sets that are solved, to an estimate, 1e-6, 1e-10 and 1e-12.
            if sum(1 for name in names if WHOLE.fullmatch(name)) == 20:
                both_q[raw["context"]["date"]] = os.path.basename(path)
            if sum(1 for name in names if ACCURATE.fullmatch(name)) == 32:
                accuracies[raw["context"]["date"]] = os.path.basename(path)
        self.assertGreater(len(both_q), 3)
        self.assertGreater(len(accuracies), 3)
        tool = runpy.run_path(os.path.join(documents.ROOT, "bench/results/update_table"))
        self.assertEqual(tool["BESIDE"], both_q[max(both_q)])
        self.assertEqual(tool["CURRENT"], accuracies[max(accuracies)])
        for heading, raw in (("Beside GraphDot", tool["BESIDE"]), ("Bars", tool["CURRENT"]), ("Times by accuracy", tool["CURRENT"])):
            self.assertIn(f"[raw]({raw})", section(heading))

    def test_every_raw_file_stands_on_a_page(self):
        text = "".join(map(documents.read, documents.documents()))
        patterns = re.findall(r"`(h200-[\w-]*\*[\w.-]*)`", text)
        for path in glob.glob(os.path.join(documents.ROOT, "bench/results/*.*")):
            name = os.path.basename(path)
            with self.subTest(raw=name):
                self.assertTrue(name in text or any(fnmatch.fnmatch(name, pattern) for pattern in patterns), "no page names it")

    def test_the_model_of_many_gpus_is_computed_from_its_costs(self):
        tool = os.path.join(documents.ROOT, "bench/scaling_model")
        self.assertEqual(subprocess.run([sys.executable, tool, "--check"], check=False).returncode, 0,
                         "bench/scaling_model writes what docs/scaling.md has")

    def test_costs_of_the_model_are_those_of_the_results(self):
        cost = runpy.run_path(os.path.join(documents.ROOT, "bench/scaling_model"))["cost"]
        table, large = section("Beside GraphDot"), section("Large sets, from a file")
        pairs = number(re.search(r"([\d,]+) pairs", large)[1])
        one = next(cells for line in large.splitlines() if (cells := line.split("|"))[1:2] == [" one card "])
        self.assertAlmostEqual(cost("device") + cost("host"), number(one[3]) / pairs, delta=0.01 * cost("device"))
        drugs = next(cells for line in table.splitlines() if (cells := line.split("|"))[1:2] == [" drugs "])
        self.assertAlmostEqual(cost("host"), (number(drugs[5]) - number(drugs[4])) / 1e3 / number(drugs[2]), delta=0.05 * cost("host"))
        molecules = number(re.search(r"All ([\d,]+) molecules", large)[1])
        read = re.search(r"read the input in ([\d.]+) s", large)[1]
        self.assertAlmostEqual(cost("read"), number(read) / molecules, delta=0.02 * cost("read"))

    def test_readme_quotes_the_results(self):
        readme = " ".join(documents.read("README.md").split())
        beside = [row for row in rows(section("Beside GraphDot")) if len(row) == 10 and row[2] == "0.05"]
        # README says it of labelled sets.
        ratios = [number(row[6]) for row in beside if row[6] and "unlabelled" not in row[0]]
        self.assertEqual(len(ratios), 6)
        newest = [number(row[7]) for row in rows(section("Times by accuracy")) if len(row) == 8 and row[7].isdigit()]
        self.assertEqual(len(newest), 6)
        self.assertGreaterEqual(min(newest), min(ratios))
        self.assertGreaterEqual(round(max(newest), -1), round(max(ratios), -1))
        self.assertIn(f"**{min(ratios):.0f} to {round(max(ratios), -1):.0f} times as fast** at q = 0.05", readme)
        # Those of the sets that GraphDot was asked for, in the newest run.
        compared = {row[0] for row in rows(section("Times by accuracy")) if len(row) == 8 and row[7].isdigit()}
        errors = [row[6] for row in rows(section("Times by accuracy")) if len(row) == 11 and row[0] in compared]
        self.assertEqual(len(errors), 6)
        self.assertIn(f"relative errors of K up to {max(errors, key=float)}", readme)
        drugs = next(row for row in rows(section("Times by accuracy")) if len(row) == 8 and row[0] == "drugs")
        seconds = number(drugs[2].split("/")[1]) / 1e3
        self.assertIn(f"{drugs[1]} pairs", readme)
        self.assertIn(f"solves them in {seconds:.3f} s in single precision", readme)
        self.assertIn(f"**{number(drugs[1]) / seconds / 1e6:.0f} million pairs/s**", readme)

    def test_the_text_beside_the_table_quotes_it(self):
        page = documents.read("bench/results/h200.md")
        low, high = re.search(r"\*\*(\d+) to (\d+) times as fast", documents.read("README.md")).groups()
        self.assertIn(f"At q = 0.05 and with labels Octile is {low} to {high} times as fast as GraphDot.", page)


if __name__ == "__main__":
    unittest.main()
