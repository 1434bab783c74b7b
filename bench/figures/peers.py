# SPDX-License-Identifier: BSD-3-Clause
"""Pairs a second and errors of Octile and of other packages on one CPU core."""
from appearance import HUES, INK, MARKERS, QUIET, beside, plain_axes, plt, title

PROGRAMS = {"Octile": ("Octile", HUES[0], MARKERS[0]),
            "GraKeL, fast": ("GraKeL", HUES[1], MARKERS[1]),
            "GraKeL, baseline": ("GraKeL, dense inverse", HUES[6], MARKERS[6]),
            "GraphKernels": ("GraphKernels", HUES[2], MARKERS[2])}
SETS = ["nws", "ba", "mol"]
KINDS = {"unlabelled": "unlabelled", "labelled": "vertex labels"}
WRONG = 1e-3


def rows_of(cases):
    return [(data, kind) for data in SETS for kind in KINDS
            if any((case["data"], case["kind"]) == (data, kind) for case in cases)]


def draw_rates(axes, cases, rows):
    for row, key in enumerate(rows):
        found = {case["program"]: case for case in cases if (case["data"], case["kind"]) == key and case["q"] == 0.0005}
        rates = [case["pairs/s"] for case in found.values()]
        axes.plot([min(rates), max(rates)], [row, row], color="#d0d0d0", linewidth=1.2, zorder=1)
        for program, case in found.items():
            _, colour, marker = PROGRAMS[program]
            axes.scatter(case["pairs/s"], row, s=44, color=colour, marker=marker, linewidth=0, zorder=3)
        for program, side in (("Octile", 1), ("GraKeL, fast", 0)):
            rate = found[program]["pairs/s"]
            beside(axes, f"{rate:,.0f}" if rate > 100 else f"{rate:.3g}", (rate, row), (8, 0) if side else (0, -9),
                   fontsize=8, va="center" if side else "top", ha="left" if side else "center")
    axes.set_xscale("log")
    axes.set_xlim(1, 3e6)
    axes.set_xlabel("pairs a second, q = 0.0005")
    axes.set_title("Speed", loc="left", fontsize=10, fontweight="bold")


def draw_errors(axes, cases, rows):
    """The error of each pair's value. Errors below the rounding of double are drawn as equal."""
    axes.axvspan(WRONG, 20, color="#fbeae0", zorder=0, linewidth=0)
    axes.text(15, -0.52, "wrong in the third digit", fontsize=8, color="#a04000", ha="right", va="center")
    for row, key in enumerate(rows):
        for case in cases:
            if (case["data"], case["kind"]) != key or case["q"] != 0.0005:
                continue
            _, colour, marker = PROGRAMS[case["program"]]
            error = max(case["largest_error"], 1e-16)
            axes.scatter(error, row, s=44, color=colour, marker=marker, linewidth=0, zorder=3)
            if error > WRONG:
                beside(axes, f"{case['wrong']} of {case['judged_pairs']}", (error, row), (0, -9), fontsize=7.5,
                       ha="center", va="top", color=QUIET)
    axes.set_xscale("log")
    axes.set_xlim(1e-16, 20)
    axes.set_xlabel("largest relative error of a pair, q = 0.0005")
    axes.set_title("Error, and how many pairs are wrong", loc="left", fontsize=10, fontweight="bold")


def draw(results):
    cases = results.document("peers-host.json")["cases"]
    rows = rows_of(cases)
    figure, panels = plt.subplots(1, 2, figsize=(10, 4.9), sharey=True)
    figure.subplots_adjust(left=0.135, right=0.985, top=0.76, bottom=0.155, wspace=0.06)
    draw_rates(panels[0], cases, rows)
    draw_errors(panels[1], cases, rows)
    panels[0].set_ylim(len(rows) - 0.35, -0.75)
    panels[0].set_yticks(range(len(rows)), [f"{data}, {KINDS[kind]}" for data, kind in rows])
    for axes in panels:
        plain_axes(axes, "x")
    panels[0].tick_params(axis="y", labelcolor=INK, labelsize=9.5)
    handles = [plt.Line2D([], [], color=colour, marker=marker, linestyle="", markersize=6.5)
               for _, colour, marker in PROGRAMS.values()]
    figure.legend(handles, [name for name, _, _ in PROGRAMS.values()], ncols=len(PROGRAMS), loc="upper right",
                  frameon=False, bbox_to_anchor=(0.995, 0.885), fontsize=9, handletextpad=0.1, columnspacing=1.2)
    title(figure, "Beside other packages, one core of the same CPU",
          "Random walk kernels without edge labels; float64; each judged by its own definition, solved in double")
    return figure
