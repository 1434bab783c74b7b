# SPDX-License-Identifier: BSD-3-Clause
"""bench/compare from outside: what counts as a change, and what it says of input that it cannot use."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

COMPARE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "compare")


def runs(name, values, field="real_time", **more):
    return [{"name": name, "run_name": name, "run_type": "iteration", "real_time": 1.0, "time_unit": "ms", **more,
             field: value} for value in values]


class CompareTest(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))

    def write(self, name, benchmarks):
        path = self.folder / name
        path.write_text(json.dumps({"context": {}, "benchmarks": benchmarks}), encoding="utf-8")
        return path

    def compare(self, old, new, *options):
        """Exit code, standard output, standard error."""
        done = subprocess.run([sys.executable, "-B", COMPARE, self.write("old.json", old), self.write("new.json", new),
                               *options], capture_output=True, text=True, check=False)
        return done.returncode, done.stdout, done.stderr

    def test_equal_files_differ_in_nothing(self):
        cases = runs("solve/a", [10, 11, 12])
        code, said, _ = self.compare(cases, cases)
        self.assertEqual(code, 0)
        self.assertIn("1 compared, 0 worse, 0 better", said)

    def test_a_longer_time_is_worse_and_a_shorter_one_better(self):
        code, said, _ = self.compare(runs("a", [10, 10, 10]) + runs("b", [10, 10, 10]),
                                     runs("a", [11, 11, 11]) + runs("b", [9, 9, 9]))
        self.assertEqual(code, 1)
        self.assertIn("2 compared, 1 worse, 1 better", said)
        self.assertRegex(said, r"a +time_ms +10 +11 +\+10\.0 % +5\.0 % +WORSE")

    def test_a_change_within_the_noise_of_repetitions_is_none(self):
        self.assertEqual(self.compare(runs("a", [9, 10, 11]), runs("a", [11, 12, 13]))[0], 0)
        self.assertEqual(self.compare(runs("a", [9, 10, 11]), runs("a", [11, 12, 13]), "--noise", "1")[0], 1)

    def test_a_change_below_the_least_is_none_however_exact(self):
        self.assertEqual(self.compare(runs("a", [100] * 3), runs("a", [104] * 3))[0], 0)
        self.assertEqual(self.compare(runs("a", [100] * 3), runs("a", [104] * 3), "--least", "2")[0], 1)

    def test_one_repetition_has_a_wider_bound(self):
        self.assertEqual(self.compare(runs("a", [100]), runs("a", [108]))[0], 0)
        self.assertEqual(self.compare(runs("a", [100]), runs("a", [112]))[0], 1)

    def test_an_outlier_does_not_decide(self):
        self.assertEqual(self.compare(runs("a", [10, 10, 10, 10, 10]), runs("a", [10, 10, 10, 10, 50]))[0], 0)

    def test_device_time_comes_before_time_where_both_have_it(self):
        old = runs("a", [10, 10, 10], device_ms=5.0)
        code, said, _ = self.compare(old, runs("a", [20, 20, 20], device_ms=5.0))
        self.assertEqual(code, 0)
        self.assertIn("device_ms", said)
        self.assertEqual(self.compare(old, runs("a", [20, 20, 20]))[0], 1)

    def test_a_backend_of_the_host_has_no_device_time(self):
        self.assertEqual(self.compare(runs("a", [10] * 3, device_ms=0.0), runs("a", [20] * 3, device_ms=0.0))[0], 1)

    def test_units_of_time_may_differ(self):
        self.assertEqual(self.compare(runs("a", [10, 10, 10]), runs("a", [10000] * 3, time_unit="us"))[0], 0)

    def test_rates_are_better_when_higher(self):
        slow, fast = runs("a", [100] * 3, "pairs/s"), runs("a", [200] * 3, "pairs/s")
        self.assertEqual(self.compare(slow, fast, "--counter", "pairs/s")[0], 0)
        self.assertEqual(self.compare(fast, slow, "--counter", "pairs/s")[0], 1)
        slow, fast = runs("a", [1] * 3, "occupancy"), runs("a", [2] * 3, "occupancy")
        self.assertEqual(self.compare(fast, slow, "--counter", "+occupancy")[0], 1)

    def test_missing_and_failing_cases_are_named_and_count(self):
        failed = [{"name": "a", "run_name": "a", "error_occurred": True, "error_message": "wrong answer"}]
        code, said, _ = self.compare(runs("a", [1] * 3) + runs("b", [1] * 3), failed + runs("b", [1] * 3))
        self.assertEqual((code, "fails now: a" in said), (1, True))
        code, said, _ = self.compare(runs("a", [1] * 3) + runs("b", [1] * 3), runs("b", [1] * 3) + runs("c", [1] * 3))
        self.assertEqual((code, "missing: a" in said, "added: c" in said), (1, True, True))
        code, said, _ = self.compare(failed + runs("b", [1] * 3), runs("a", [1] * 3) + runs("b", [1] * 3))
        self.assertEqual((code, "failed before: a" in said), (0, True))

    def test_aggregates_are_not_taken_for_repetitions(self):
        aggregate = [{"name": "a_mean", "run_name": "a", "run_type": "aggregate", "real_time": 99, "time_unit": "ms"}]
        self.assertEqual(self.compare(runs("a", [1] * 3), runs("a", [1] * 3) + aggregate)[0], 0)

    def test_a_median_stands_for_repetitions_that_were_not_kept(self):
        def median(value):
            return [{"name": "a_median", "run_name": "a", "run_type": "aggregate", "aggregate_name": "median",
                     "real_time": value, "time_unit": "ms"}]

        self.assertEqual(self.compare(median(100), median(108))[0], 0)
        self.assertEqual(self.compare(median(100), median(112))[0], 1)

    def assert_refused(self, done, words):
        code, said, complaint = done
        self.assertEqual((code, said), (2, ""))
        self.assertEqual(complaint.count("\n"), 1)
        self.assertIn(words, complaint)

    def test_wrong_input_is_refused_in_one_line(self):
        good = runs("a", [1] * 3)
        self.assert_refused(self.compare(good, []), "new.json: has no benchmarks")
        self.assert_refused(self.compare(good, runs("b", [1])), "no case in common")
        self.assert_refused(self.compare(good, good, "--counter", "pairs/s"), "a: has no pairs/s in both files")
        self.assert_refused(self.compare(good, runs("a", [float("nan")])), "not a number")
        self.assert_refused(self.compare(good, runs("a", [1], time_unit="days")), "unknown time unit 'days'")

    def test_a_file_that_cannot_be_read_is_refused_in_one_line(self):
        good = self.write("good.json", runs("a", [1]))
        (self.folder / "broken.json").write_text('{"benchmarks": [', encoding="utf-8")
        for wrong, words in (("none.json", "No such file"), ("broken.json", "not JSON")):
            done = subprocess.run([sys.executable, "-B", COMPARE, good, self.folder / wrong], capture_output=True,
                                  text=True, check=False)
            self.assert_refused((done.returncode, done.stdout, done.stderr), words)


if __name__ == "__main__":
    unittest.main()
