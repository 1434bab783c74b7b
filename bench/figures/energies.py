# SPDX-License-Identifier: BSD-3-Clause
"""Errors of atomization energies by the number of molecules that are learnt from, drawn at random and chosen in two ways."""
from matplotlib.ticker import FuncFormatter, NullFormatter

from appearance import HUES, INK, MARKERS, QUIET, beside, plain_axes, plt, title

WAYS = {"random": (HUES[0], MARKERS[0], "drawn at random"), "active": (HUES[1], MARKERS[1], "chosen by the largest variance"),
        "mean": (HUES[2], MARKERS[2], "chosen for the least mean variance")}
ANCHOR = 2000, 0.62  # molecules, kcal/mol: what was published for a graph kernel with a choice by variance


def draw(results):
    figure, axes = plt.subplots(figsize=(7, 4.9))
    figure.subplots_adjust(left=0.095, right=0.97, top=0.85, bottom=0.19)
    for way, (colour, marker, name) in WAYS.items():
        files = [f"{device}-energies-{way}.json" for device in ("h200", "h100", "host")]
        rows = results.document(results.either(*files))["rows"]
        sizes, errors = [row["molecules"] for row in rows], [row["MAE, kcal/mol"] for row in rows]
        axes.plot(sizes, errors, color=colour, marker=marker, markersize=5, linewidth=1.6, label=name)
        beside(axes, f"{errors[-1]:.2f}", (sizes[-1], errors[-1]), (6, -3), fontsize=8.5, color=colour)
    rest = rows[-1]["MAE of the rest"]
    axes.plot(sizes[-1], rest, color=colour, marker=marker, markersize=6, markerfacecolor="none", linestyle="none",
              label="molecules which that choice left over")
    beside(axes, f"{rest:.2f}", (sizes[-1], rest), (6, -3), fontsize=8.5, color=colour)
    axes.plot(*ANCHOR, color=INK, marker="*", markersize=11, linestyle="none", label="published, with a choice")
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xticks([100, 200, 500, 1000, 2000, 4000])
    axes.set_yticks([0.5, 1, 2, 4])
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,g}"))
        axis.set_minor_formatter(NullFormatter())
    axes.set_xlim(90, 5200)
    plain_axes(axes)
    axes.set_xlabel("molecules learnt from")
    axes.set_ylabel("mean absolute error, kcal/mol", color=QUIET)
    axes.legend(frameon=False, fontsize=9)
    title(figure, "Atomization energies of QM7", "500 molecules are tested, drawn before anything else")
    return figure
