# SPDX-License-Identifier: BSD-3-Clause
"""The faults to be planted, and the places where they go."""
import collections
import json
import pathlib
import re
import subprocess
import tomllib

ROOT = pathlib.Path(__file__).parents[2]
FOLDERS = ("lib", "backends", "reorder", "apps")

# As faults/lib.toml says.
Fault = collections.namedtuple("Fault", "name file text becomes seen tests")


class ListError(Exception):
    """What is wrong with the list of faults, in a line."""


def faults():
    """All faults, in the order of their files."""
    found = []
    for path in sorted(pathlib.Path(__file__).with_name("faults").glob("*.toml")):
        for entry in tomllib.loads(path.read_text(encoding="utf-8"))["fault"]:
            if set(entry) != set(Fault._fields):
                raise ListError(f"{path.name}: a fault has {', '.join(sorted(entry))}; allowed are {', '.join(Fault._fields)}")
            found.append(Fault(**entry))
    return found


def sources(root=ROOT):
    """The files that faults may be in, relative to the root."""
    return [path.relative_to(root) for folder in FOLDERS for path in (root / folder).rglob("*") if path.is_file()]


def place_of(fault, files):
    """The file of a fault: the only one whose path ends so. A file that moves to another folder is still found."""
    found = [path for path in files if f"/{path.as_posix()}".endswith(f"/{fault.file}")]
    if len(found) != 1:
        raise ListError(f"{fault.name}: '{fault.file}' is the end of {len(found)} paths; allowed is one")
    return found[0]


def planted_text(fault, text):
    """The text of the fault's file with the fault in it."""
    if (count := text.count(fault.text)) != 1:
        raise ListError(f"{fault.name}: {fault.file} has its text {count} times; allowed is once: {fault.text!r}")
    if fault.text == fault.becomes:
        raise ListError(f"{fault.name}: changes nothing")
    return text.replace(fault.text, fault.becomes)


def known_tests(build):
    """The tests of a build, as ctest describes them, by name."""
    listed = subprocess.run(["ctest", "--test-dir", str(build), "--show-only=json-v1"], capture_output=True, text=True, check=True)
    return {test["name"]: test for test in json.loads(listed.stdout)["tests"]}


def tests_of(fault, names):
    """Which of these tests are to catch a fault."""
    found = [name for name in names if re.fullmatch(fault.tests, name)]
    missing = [part for part in fault.tests.split("|") if not any(re.fullmatch(part, name) for name in found)]
    if missing:
        raise ListError(f"{fault.name}: there is no test '{missing[0]}'")
    return found
