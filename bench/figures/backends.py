# SPDX-License-Identifier: BSD-3-Clause
"""Pairs a second of one CPU core and one GPU, by the portable source and by the native backend."""
from appearance import HUES, INK, MARKERS, beside, plain_axes, plt, title

# Name, backend, files of which the first that exists is used. All with the choice of `auto`.
COLUMNS = [("portable, one CPU core", "portable:openmp", ["host-lowerings.json"]),
           ("assembled, GPU", "assembled", ["h200-portable.json"]),
           ("portable, GPU", "portable:cuda", ["h200-solve.json", "h200-portable.json"]),
           ("native CUDA, GPU", "cuda", ["h200-solve.json", "h200-native.json"])]
SETS = [("nws", "labeled", "nws, edge labels"), ("nws", "vlabeled", "nws, vertex labels"),
        ("ba", "labeled", "ba, edge labels"), ("ba", "vlabeled", "ba, vertex labels"), ("mol", "mol", "mol"),
        ("drugs", "drugs", "drugs"), ("pdb", "pdb", "pdb"), ("proteins", "proteins", "proteins, 4 Å")]


def rates(cases, backend):
    """{(data, kind): pairs a second}, by device time if that was measured."""
    found = {}
    for case in cases:
        keys = case.keys
        if (keys["backend"], keys["primitive"], keys["q"], keys["scalar"], keys["order"]) == \
                (backend, "auto", "0.05", "f32", "natural") and "lowering" not in keys:
            found[keys["data"], keys["kind"]] = case.counters["pairs/s"]
    return found


def told(rate):
    return f"{rate:,.0f}" if rate < 1e6 else f"{rate / 1e6:.1f} million"


def draw(results):
    columns = [(name, backend, results.either(*files)) for name, backend, files in COLUMNS]
    files = {file: results.cases(file) for file in dict.fromkeys(file for *_, file in columns)}
    figure, axes = plt.subplots(figsize=(10, 4.6))
    figure.subplots_adjust(left=0.145, right=0.985, top=0.80, bottom=0.18)
    found = [rates(files[file], backend) for _, backend, file in columns]
    for row, (data, kind, _) in enumerate(SETS):
        measured = [(k, column[data, kind]) for k, column in enumerate(found) if (data, kind) in column]
        axes.plot([rate for _, rate in measured], [row] * len(measured), color="#d0d0d0", linewidth=1.2, zorder=1)
        for k, rate in measured:
            axes.scatter(rate, row, s=44, color=HUES[k], marker=MARKERS[k], linewidth=0, zorder=3,
                         label=columns[k][0] if row == 0 else None)
        lowest, highest = min(measured, key=lambda one: one[1])[1], max(measured, key=lambda one: one[1])[1]
        beside(axes, told(highest), (highest, row), (8, 0), fontsize=8.5, va="center")
        if lowest < highest:
            beside(axes, told(lowest), (lowest, row), (-8, 0), fontsize=8.5, va="center", ha="right")
    axes.set_xscale("log")
    axes.set_xlim(20, 9e7)
    axes.set_ylim(len(SETS) - 0.4, -0.6)
    axes.set_yticks(range(len(SETS)), [label for _, _, label in SETS])
    plain_axes(axes, "x")
    axes.tick_params(axis="y", labelcolor=INK, labelsize=9.5)
    axes.set_xlabel("pairs a second, whole calls")
    figure.legend(loc="upper right", ncols=len(COLUMNS), frameon=False, fontsize=9, bbox_to_anchor=(0.99, 0.875),
                  handletextpad=0.2, columnspacing=1.4)
    title(figure, "CPU and GPU, portable and native",
          "Pairs a second in float32, q = 0.05, natural order, everything else automatic; edge labels under a Gaussian")
    return figure
