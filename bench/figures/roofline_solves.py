# SPDX-License-Identifier: BSD-3-Clause
"""Whole solves under the measured roofs, by hardware counters."""
import glob
import os
import re

from appearance import HUES, INK, MARKERS, plt, title
from results import NotThere
from roofs import counted, draw_roofs, measured_roofs

NAME = re.compile(r"ncu-solve-([a-z]+)-(.*)\.csv$")
PRIMITIVES = ["auto", "factored", "adaptive", "sparse-sparse", "dense-sparse", "dense-dense", "tiling-blocking-8x8"]
PRIMITIVE_NAMES = {"auto": "slices", "tiling-blocking-8x8": "tiling-blocking"}
SETS = ["nws", "ba"]


def runs_of(results, device):
    """{(set, primitive): Counted}"""
    found = {}
    for path in sorted(glob.glob(results.path(f"{device}-ncu-solve-*.csv"))):
        matched = NAME.search(path)
        kernels = results.kernels(os.path.basename(path))
        if matched and kernels:
            found[matched.groups()] = counted(kernels.values())
    return found


def draw_points(axes, field, found):
    for (data, primitive), told in found.items():
        intensity = told.intensities[field]
        if not intensity or data not in SETS or primitive not in PRIMITIVES:
            continue
        k = PRIMITIVES.index(primitive)
        axes.scatter(intensity, told.rate, s=56 if data == "ba" else 30, color=HUES[k], marker=MARKERS[k], zorder=4,
                     linewidth=0, alpha=1 if data == "ba" else 0.55)


def draw(device, results):
    found = runs_of(results, device)
    if not found:
        raise NotThere(f"there is no {results.path(f'{device}-ncu-solve-SET-PRIMITIVE.csv')}")
    results.sources[:] = [results.path(f"{device}-ncu-solve-*.csv")]  # not a line for each
    context = results.document(f"{device}-ceilings.json")["context"]
    roofs = measured_roofs(results, device, context)
    results.sources[:] = results.sources[:2]
    figure, panels = plt.subplots(1, 3, figsize=(12, 4.9), sharey=True)
    figure.subplots_adjust(left=0.055, right=0.99, top=0.76, bottom=0.15, wspace=0.05)
    slowest = min(told.rate for told in found.values())
    memories = [("global_intensity", roofs.memory, "memory"), ("l2_intensity", roofs.l2, "L2"),
                ("shared_intensity", roofs.shared, "shared memory")]
    for axes, (field, rate, name) in zip(panels, memories):
        places = [told.intensities[field] for told in found.values() if told.intensities[field]]
        if not places:
            axes.axis("off")
            continue
        limits = min(min(places) / 4, roofs.peak / rate / 20), 4 * max(places)
        draw_roofs(axes, roofs, [(name, rate)], limits, (slowest / 4, 3 * roofs.peak))
        draw_points(axes, field, found)
        axes.set_title(f"Against {name}", loc="left", fontsize=10, fontweight="bold", color=INK)
        axes.set_xlabel(f"operations a byte of {name}")
    panels[0].set_ylabel("operations a second")
    shown = [primitive for primitive in PRIMITIVES if any(own == primitive for _, own in found)]
    handles = [plt.Line2D([], [], color=HUES[PRIMITIVES.index(primitive)], marker=MARKERS[PRIMITIVES.index(primitive)],
                          linestyle="", markersize=6) for primitive in shown]
    figure.legend(handles, [PRIMITIVE_NAMES.get(primitive, primitive) for primitive in shown], ncols=len(shown),
                  loc="upper right", frameon=False, fontsize=9, bbox_to_anchor=(0.995, 0.89), handletextpad=0.1,
                  columnspacing=1.2)
    title(figure, f"Whole solves under the roofs, {context.get('device', device)}",
          "Float32, Gaussian edge labels, q = 0.05; all operations, bytes and time by ncu; large: ba, small: nws")
    return figure
