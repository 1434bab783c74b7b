# SPDX-License-Identifier: BSD-3-Clause
"""Reads what lies in bench/results, with the commit and the device of each file."""
import collections
import csv
import json
import os
import re
import statistics

# From bench/results/README.md, for files that do not have it themselves.
COMMITS = {"h200-portable.json": "ed1ea96", "h200-steps.log": "5dae3d4", "h200-native-tiles.log": "5dae3d4",
           "h200-portable.log": "ed1ea96", "host-lowerings-sweep.log": "487655a", "h200-octiles-ncu.csv": "5dae3d4",
           "h200-lowerings-sweep.log": "1df1144", "h200-ncu-primitives.csv": "defc780"}
DEVICES = {"h200": "NVIDIA H200", "h100": "NVIDIA H100", "host": "AMD EPYC (virtual)"}
MILLISECONDS = {"ns": 1e-6, "us": 1e-3, "ms": 1.0, "s": 1e3}
TILE_LINE = re.compile(r"pop (\d+) edge (\S+) ([a-z-]+): .* s: ([\d,]+) pairs/s")
SWEEP_LINE = re.compile(r"(\d+) (?:vertices, degree )?([\d.]+),? (\S+) (?:and )?(\S+?):? (?:auto|chose) ([a-z-]+),? .*?"
                        r"ratio ([\d.]+):? ?(.*)")

Case = collections.namedtuple("Case", "what keys ms counters")


class NotThere(Exception):
    """A figure has no data yet."""


class Results:
    """The files of one folder. Remembers which were read, for the small print."""

    def __init__(self, folder):
        self.folder, self.sources = folder, []

    def path(self, name):
        return os.path.join(self.folder, name)

    def has(self, name):
        return os.path.exists(self.path(name))

    def either(self, *names):
        """The first that exists, or else the first."""
        return next(filter(self.has, names), names[0])

    def text(self, name):
        if not self.has(name):
            raise NotThere(f"there is no {self.path(name)}")
        with open(self.path(name), encoding="utf-8") as file:
            return file.read()

    def noted(self, name, commit=None, device=None):
        told = [self.path(name), f"commit {commit or COMMITS.get(name, 'not recorded')}"]
        device = device or next((device for start, device in DEVICES.items() if name.startswith(start)), None)
        self.sources.append(", ".join(told + ([device] if device else [])))

    def document(self, name):
        """A JSON file of any kind."""
        text = self.text(name)
        try:
            document = json.loads(text)
        except ValueError as fault:
            raise ValueError(f"{self.path(name)}: {fault}") from fault
        context = document.get("context", document)
        commit = context.get("git_commit") or context.get("commit")
        self.noted(name, f"{commit}, seed {context['seed']}" if "seed" in context else commit, context.get("device"))
        return document

    def cases(self, name, document=None):
        """Medians of Google Benchmark: a Case for each, with device time if that was measured."""
        document = document or self.document(name)
        if "medians" in document:
            return [case_of(run["name"], [run]) for run in document["medians"]]
        repetitions = collections.defaultdict(list)
        medians = collections.defaultdict(list)
        for run in document["benchmarks"]:
            if run.get("run_type", "iteration") == "iteration" and not run.get("error_occurred"):
                repetitions[run.get("run_name", run["name"])].append(run)
            elif run.get("aggregate_name") == "median":
                medians[run["run_name"]].append(run)
        repetitions = medians | repetitions  # a file may have aggregates only
        return [case_of(run_name, runs) for run_name, runs in repetitions.items()]

    def lines(self, name, pattern):
        """The groups of each line of a log that matches."""
        found = [match.groups() for line in self.text(name).splitlines() if (match := pattern.match(line))]
        if not found:
            raise ValueError(f"{self.path(name)}: no line in it is {pattern.pattern}")
        self.noted(name)
        return found

    def table(self, name):
        """The rows of a Markdown table, as lists of cells."""
        rows = [[cell.strip().strip("`") for cell in line.strip().strip("|").split("|")]
                for line in self.text(name).splitlines() if line.startswith("|")]
        self.noted(name)
        return rows

    def kernels(self, name):
        """What ncu --csv counted: {kernel: {metric: value}} of the last run of each kernel."""
        lines = [line for line in self.text(name).splitlines() if line.startswith('"')]
        runs = {}
        for row in csv.DictReader(lines):
            if row["ID"] == "ID":  # a file of several runs of ncu
                continue
            run = runs.setdefault((row["Kernel Name"], int(row["ID"])), {})
            run[row["Metric Name"]] = scaled(row["Metric Value"], row["Metric Unit"])
        self.noted(name)
        return {kernel: run for (kernel, _), run in sorted(runs.items(), key=lambda item: item[0][1])}


def scaled(text, unit):
    """A value in bytes, in seconds, or as a count."""
    value = float(text.replace(",", ""))
    prefixes = {"K": 1e3, "M": 1e6, "G": 1e9, "T": 1e12}
    if unit.endswith("byte"):
        return value * prefixes.get(unit[:-4], 1)
    seconds = {"ns": 1e-9, "nsecond": 1e-9, "us": 1e-6, "usecond": 1e-6, "ms": 1e-3, "msecond": 1e-3, "s": 1.0,
               "second": 1.0}
    return value * seconds.get(unit, 1)


def keys_of(name):
    """Splits a name: ceiling/l2/access:read/manual_time is "ceiling/l2" and {"access": "read"}."""
    parts = [part for part in name.split("/") if part not in ("manual_time", "real_time")]
    what = "/".join(part for part in parts if ":" not in part)
    return what, dict(part.split(":", 1) for part in parts if ":" in part)


def case_of(name, runs):
    what, keys = keys_of(name)
    counters = {field: statistics.median(run[field] for run in runs) for field, value in runs[0].items()
                if isinstance(value, (int, float)) and all(field in run for run in runs)}
    counters["label"] = runs[0].get("label", "")
    # For backends on the host device time is 0 or missing.
    ms = counters.get("device_ms") or counters["real_time"] * MILLISECONDS[runs[0].get("time_unit", "ns")]
    return Case(what, keys, ms, counters)
