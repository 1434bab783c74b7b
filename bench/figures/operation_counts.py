# SPDX-License-Identifier: BSD-3-Clause
"""The paper's table of operation, load and store counts, beside what our primitives were counted to do."""
from roofs import FAMILIES, NAMES, primitive_cases

FILES = ["h200-primitives-dense.json", "host-primitives-dense.json"]  # counts do not depend on the device
MOVES = ["global_load_bytes", "global_store_bytes", "shared_load_bytes", "shared_store_bytes"]
INTENSITIES = ["global_intensity", "shared_intensity"]
HEADER = ["primitive", "E", "F", "X", "operations", "global loads", "global stores", "shared loads", "shared stores",
          "operations a byte, global", "shared"]


def cell(case, field, scale, form):
    """Ours / the paper's; one number if they are equal."""
    ours, paper = (case.counters.get(prefix + field) for prefix in ("", "paper_"))
    told = [format(value / scale, form) if value and value != float("inf") else "–" for value in (ours, paper)]
    return told[0] if told[0] == told[1] else " / ".join(told)


def rows_of(cases):
    found = sorted(((FAMILIES.index(family), *numbers, case) for family, *numbers, case in primitive_cases(cases)),
                   key=lambda entry: entry[:-1])
    for family, t, r, e, f, x, case in found:
        name = NAMES[FAMILIES[family]]
        yield [name if FAMILIES[family] == "naive" else f"{name} {t}, {r}", f"{e:g}", f"{f:g}", f"{x:g}",
               cell(case, "operations", 1e6, ".2f"), *(cell(case, field, 1e6, ".3f") for field in MOVES),
               *(cell(case, field, 1, ".3g") for field in INTENSITIES)]


def draw(results):
    """The table in Markdown."""
    cases = results.cases(results.either(*FILES))
    sizes = sorted({(case.keys["primitive"].split(":")[0] == "naive", case.keys["n"])
                    for *_, case in primitive_cases(cases)})
    graphs = ", ".join(f"{'the naive one ' if naive else ''}n = m = {n}" for naive, n in sizes)
    lines = ["# Counted beside the paper's formulas", "",
             f"One product of a pair of complete graphs ({graphs}): millions of operations and of bytes.",
             "Where two numbers stand, the first is counted and the second the paper's table, which is the limit of "
             "many tiles", "a row and leaves out what "
             "[primitives.md](../primitives.md#counted-not-estimated) lists.", "",
             "| " + " | ".join(HEADER) + " |", "|" + " --- |" * len(HEADER)]
    lines += ["| " + " | ".join(row) + " |" for row in rows_of(cases)]
    return "\n".join([*lines, "", f"From {'; '.join(results.sources)}, by `bench/figures/draw`.", ""])
