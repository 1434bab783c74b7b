# SPDX-License-Identifier: BSD-3-Clause
"""How close the lowering that the cost model chooses comes to the best that can be forced."""
import re

from matplotlib.ticker import FuncFormatter, NullFormatter

from appearance import FAINT, HUES, INK, MARKERS, QUIET, beside, plain_axes, plt, title
from results import SWEEP_LINE

LOWERINGS = ["closed-form", "factored", "table", "on-the-fly"]
STYLES = {lowering: (HUES[k], MARKERS[k]) for k, lowering in enumerate(LOWERINGS)}
BOUND = 1.1
CHOSEN = re.compile(r"lowering ([a-z-]+)")
SETS = [("nws", "labeled"), ("nws", "vlabeled"), ("ba", "labeled"), ("ba", "vlabeled"), ("mol", "mol"),
        ("drugs", "drugs"), ("pdb", "pdb"), ("proteins", "proteins")]


def within_bound(axes, horizontal=True):
    band, line = (axes.axhspan, axes.axhline) if horizontal else (axes.axvspan, axes.axvline)
    band(1, BOUND, color="#e9f3ec", zorder=0, linewidth=0)
    line(BOUND, color="#009e73", linewidth=0.9, linestyle=(0, (4, 2)), zorder=1)


def forced_ratio(choice, times):
    """The ratio of the time of the chosen lowering, run by its name, to the best time."""
    of = {name: float(time) for name, time in re.findall(r"([a-z-]+) ([\d.]+)", times) if name != "auto"}
    return of[choice] / min(of.values())


def draw_sweep(axes, results, file, where):
    """One mark a set, in the order of the sweep: by size, then degree, then kernel."""
    lines = results.lines(file, SWEEP_LINE)
    cases = [(int(vertices), *kernels, choice, float(ratio), forced_ratio(choice, times))
             for vertices, *kernels, choice, ratio, times in lines]
    whole = len(cases) > 50
    highest = max(1.56 if whole else 1.16, *(case[5] for case in cases)) + 0.06
    within_bound(axes)
    for lowering in LOWERINGS:
        places = [k for k, case in enumerate(cases) if case[4] == lowering]
        colour, marker = STYLES[lowering]
        axes.scatter(places, [cases[k][5] for k in places], s=20, color=colour, marker=marker, linewidth=0, zorder=3,
                     label=lowering)
    up = False
    for k, (vertices, degree, vertex, edge, _, ratio, forced) in enumerate(cases):
        if ratio > BOUND:
            kernels = "unlabelled" if (vertex, edge) == ("1", "1") else edge if edge != "1" else vertex
            left = k > len(cases) / 2
            up = not up
            beside(axes, f"{kernels}, degree {degree}: {ratio:.2f}, forced {forced:.2f}", (k, ratio),
                   (-6 if left else 6, 5 if up else -5), fontsize=7.5, ha="right" if left else "left", va="center")
    starts = {vertices: k for k, (vertices, *_) in reversed(list(enumerate(cases)))}
    for vertices, start in starts.items():
        axes.axvline(start - 0.5, color=FAINT, linewidth=0.8)
        axes.text(start + 0.5, highest - 0.02, f"{vertices} vertices", fontsize=8.5, color=QUIET, va="top")
    axes.set(xlim=(-1, len(cases)), ylim=(0.9, highest), xticks=[])
    within = sum(case[5] <= BOUND for case in cases)
    axes.set_title(f"{where}: {within} of {len(cases)} sets within 10 %" + whole * " of the best", loc="left",
                   fontsize=10, fontweight="bold", pad=8)
    axes.set_ylabel("time of the choice / best forced", fontsize=8.5)
    plain_axes(axes, "y")
    axes.tick_params(axis="y", labelcolor=INK)
    axes.text(len(cases) - 0.5, BOUND, "10 %", fontsize=8, color="#00664a", ha="right", va="bottom")
    if not whole:
        return
    axes.legend(loc="upper left", bbox_to_anchor=(0.0, 0.92), fontsize=8.5, frameon=False, title="chosen",
                title_fontsize=8.5, alignment="left", borderpad=0, handletextpad=0.2)


def forced_and_chosen(results, file, backend):
    """{(data, kind): ({lowering: ms a pair}, chosen lowering, its ms a pair)}, in float32, at q = 0.05."""
    def asked(case):
        return case.keys["backend"] == backend and case.keys["q"] == "0.05" and case.keys["scalar"] == "f32"

    cases = list(filter(asked, results.cases(file)))
    forced, chosen = {}, {}
    for case in cases:
        if "lowering" in case.keys:
            ms = case.ms / case.counters["pairs"]
            forced.setdefault((case.keys["data"], case.keys["kind"]), {})[case.keys["lowering"]] = ms
    for case in cases:
        told = CHOSEN.search(case.counters["label"])
        if "lowering" not in case.keys and case.keys["primitive"] == "auto" and told:
            chosen[case.keys["data"], case.keys["kind"]] = told.group(1), case.ms / case.counters["pairs"]
    return {key: (forced[key], *chosen[key]) for key in SETS if key in forced and key in chosen}


def draw_sets(axes, found, heading):
    within_bound(axes, horizontal=False)
    rows = []
    for row, ((data, kind), (forced, chosen, ms)) in enumerate(found.items()):
        best = min(forced.values())
        for lowering, time in forced.items():
            colour, marker = STYLES[lowering]
            axes.scatter(time / best, row, s=26, color=colour, marker=marker, linewidth=0, zorder=3)
        colour, marker = STYLES[chosen]
        axes.scatter(ms / best, row, s=26, color=colour, marker=marker, linewidth=0, zorder=3)
        if ms > BOUND * best == BOUND * forced.get(chosen):
            beside(axes, "two runs of one code", (ms / best, row), (9, 4), fontsize=7.5, color=QUIET)
        axes.scatter(ms / best, row, s=95, facecolor="none", edgecolor=INK, linewidth=1.2, zorder=4)
        rows.append({"labeled": f"{data}, edge labels", "vlabeled": f"{data}, vertex labels"}.get(kind, data))
    axes.set_yticks(range(len(rows)), rows)
    axes.set_ylim(len(rows) - 0.4, -0.6)
    axes.set_xscale("log")
    axes.set_xlim(0.85, 60)
    axes.set_xticks([1, 2, 5, 10, 20, 50])
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axes.xaxis.set_minor_formatter(NullFormatter())
    plain_axes(axes, "x")
    axes.tick_params(axis="y", labelcolor=INK)
    axes.set_title(heading, loc="left", fontsize=10, fontweight="bold", pad=8)
    axes.set_xlabel("time / time of the best (circle: chosen)", fontsize=8.5)


def draw(results):
    figure = plt.figure(figsize=(10, 7.2))
    draw_sweep(figure.add_axes((0.06, 0.545, 0.93, 0.33)), results, "host-lowerings-sweep.log", "Sweep on one CPU core")
    host = forced_and_chosen(results, "host-lowerings.json", "portable:openmp")
    draw_sets(figure.add_axes((0.145, 0.125, 0.345, 0.34)), host, "Data sets, one CPU core")
    draw_sweep(figure.add_axes((0.56, 0.125, 0.43, 0.34)), results, "h200-lowerings-sweep.log", "Sweep on an H200")
    title(figure, "The lowering that the cost model chooses, against the best",
          "Whole solves in float32, q = 0.05; the sweep on a CPU with set-up. Below 1 is noise: two runs of one code")
    return figure
