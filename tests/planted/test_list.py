#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The list of faults is true of this tree: each could be planted, and the tests that are to catch it are there."""
import os
import pathlib
import unittest

import planted


class List(unittest.TestCase):
    def setUp(self):
        self.faults = planted.faults()

    def test_names_are_unique_and_say_something(self):
        names = [fault.name for fault in self.faults]
        self.assertEqual(sorted(names), sorted(set(names)))
        for fault in self.faults:
            self.assertRegex(fault.name, r"[a-z0-9-]+")
            self.assertTrue(fault.seen, fault.name)

    def test_each_text_stands_once_in_its_file(self):
        files = planted.sources()
        for fault in self.faults:
            with self.subTest(fault.name):
                text = (planted.ROOT / planted.place_of(fault, files)).read_text(encoding="utf-8")
                planted.planted_text(fault, text)

    def test_faults_are_in_all_parts(self):
        parts = [planted.place_of(fault, planted.sources()).parts[0] for fault in self.faults]
        self.assertEqual(set(parts), set(planted.FOLDERS))

    def test_the_tests_that_are_to_catch_them_are_there(self):
        # CMake says which tests there are: ctest within ctest would write over its log.
        known = os.environ["OCTILE_TESTS"].split()
        for fault in self.faults:
            with self.subTest(fault.name):
                self.assertTrue(planted.tests_of(fault, known))


class Places(unittest.TestCase):
    FAULT = planted.Fault("a", "b/c.hpp", "one < two", "one <= two", "", "")

    def test_a_file_is_found_by_the_end_of_its_path(self):
        files = [pathlib.Path("lib/b/c.hpp"), pathlib.Path("lib/ab/c.hpp"), pathlib.Path("lib/b/d.hpp")]
        self.assertEqual(planted.place_of(self.FAULT, files), files[0])
        for wrong in [files[1:], [*files, pathlib.Path("apps/b/c.hpp")]]:
            self.assertRaises(planted.ListError, planted.place_of, self.FAULT, wrong)

    def test_a_text_is_replaced_where_it_stands_once(self):
        self.assertEqual(planted.planted_text(self.FAULT, "if (one < two)"), "if (one <= two)")
        for wrong in ["one > two", "one < two; one < two"]:
            self.assertRaises(planted.ListError, planted.planted_text, self.FAULT, wrong)


if __name__ == "__main__":
    unittest.main()
