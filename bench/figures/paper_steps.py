# SPDX-License-Identifier: BSD-3-Clause
"""The paper's incremental speedups: milliseconds of each step, from its dense start to what is used today."""
import importlib.machinery
import importlib.util
import math
import os

from matplotlib.ticker import NullFormatter

from appearance import INK, QUIET, beside, plain_axes, plt, title
from results import NotThere

PAPER, BEYOND = "#0b4f8a", "#d55e00"


def steps_module():
    """bench/paper_steps as a module, which has the steps and the sets."""
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, "paper_steps")
    loader = importlib.machinery.SourceFileLoader("steps_script", path)
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("steps_script", loader))
    loader.exec_module(module)
    return module


def measured(results, module):
    """{set: milliseconds by step}, from the file of a set if there is one, else from the log."""
    files = {name: f"h200-steps-{name}.json" for name in module.SETS}
    times = {}
    if not all(results.has(file) for file in files.values()):
        header, *rows = results.table("h200-steps.log")
        for column, heading in enumerate(header):
            times[heading.split(",")[0]] = [float(row[column]) for row in rows] if column > 2 else None
    for name, file in files.items():
        if results.has(file):
            found = {(case.keys["primitive"], case.keys["order"]): case.ms for case in results.cases(file)}
            times[name] = [found[primitive, order] for _, primitive, order in module.STEPS]
    return {name: times[name] for name in module.SETS}


def draw_set(axes, name, pairs, times):
    rows = range(len(times))
    fastest, slowest = min(times), max(times)
    axes.plot(times[:-1], rows[:-1], color=PAPER, linewidth=1.6, marker="o", markersize=5)
    axes.plot(times[-2:], rows[-2:], color=BEYOND, linewidth=1.6, linestyle=(0, (2, 2)), zorder=1)
    axes.plot(times[-1], rows[-1], color=BEYOND, marker="D", markersize=6)
    for row, time in zip(rows, times):
        beside(axes, f"{time:,.0f}" if time >= 100 else f"{time:#.3g}", (time, row), (8, 0), fontsize=8.5, va="center",
               bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.8})
        if row:
            factor = times[row - 1] / time
            axes.text(0.985, row, f"×{factor:.1f}" if factor >= 1.095 else f"×{factor:.2f}", fontsize=8, ha="right",
                      va="center", color=QUIET if factor > 0.97 else BEYOND, transform=axes.get_yaxis_transform(),
                      bbox={"facecolor": "white", "edgecolor": "none", "pad": 1})
    axes.set_xscale("log")
    axes.set_xlim(fastest / (slowest / fastest) ** 0.08, slowest * (slowest / fastest) ** 0.6)
    decades = range(math.ceil(math.log10(fastest / 1.3)), math.floor(math.log10(slowest * 1.3)) + 1)
    axes.set_xticks([10 ** decade for decade in decades], [f"{10 ** decade:,}" for decade in decades])
    axes.xaxis.set_minor_formatter(NullFormatter())
    plain_axes(axes, "y")
    axes.set_title(name, loc="left", fontsize=10, fontweight="bold", pad=17)
    axes.text(0, 1.015, f"{pairs:,} pairs", transform=axes.transAxes, fontsize=8, color=QUIET, va="bottom")
    axes.spines["left"].set_visible(False)
    axes.set_xlabel("milliseconds", fontsize=8.5)


def draw(results):
    module = steps_module()
    times = measured(results, module)
    if not times:
        raise NotThere("no set was measured")
    figure, panels = plt.subplots(1, len(times), figsize=(11, 3.9), sharey=True)
    figure.subplots_adjust(left=0.083, right=0.995, top=0.745, bottom=0.2, wspace=0.06)
    for axes, (name, found) in zip(panels, times.items()):
        draw_set(axes, name, module.SETS[name][1], found)
    names = [step for step, _, _ in module.STEPS]
    panels[0].set_ylim(len(names) - 0.5, -0.5)
    panels[0].set_yticks(range(len(names)), names, fontsize=9.5, color=INK)
    panels[0].tick_params(axis="y", labelcolor=INK)
    title(figure, "What each of the paper's steps is worth, and leaving octiles",
          "Time on the device, float32, q = 0.05, and how many times faster than the line above; slices: natural order")
    return figure
