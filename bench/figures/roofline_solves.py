# SPDX-License-Identifier: BSD-3-Clause
"""Whole solves under the measured roofs: by counted operations and device time, and by hardware counters."""
import glob
import os
import re

from appearance import HUES, INK, MARKERS, plt, title
from results import NotThere
from roofs import Counted, counted, draw_roofs, measured_roofs

NAME = re.compile(r"ncu-solve-([a-z]+)-(.*)\.csv$")
PRIMITIVES = ["auto", "factored", "adaptive", "sparse-sparse", "dense-sparse", "dense-dense", "tiling-blocking-8x8"]
PRIMITIVE_NAMES = {"auto": "slices", "tiling-blocking-8x8": "tiling-blocking"}
SETS = ["nws", "ba"]


def counted_by_hardware(results, device):
    """{(set, primitive): Counted}"""
    found = {}
    for path in sorted(glob.glob(results.path(f"{device}-ncu-solve-*.csv"))):
        matched = NAME.search(path)
        kernels = results.kernels(os.path.basename(path))
        if matched and kernels:
            found[matched.groups()] = counted(kernels.values())
    return found


def counted_by_us(results, device):
    """The roofline from useful operations and the least bytes that a solve can move, both for all of its iterations."""
    file = f"{device}-solve-primitives.json"
    found = {}
    for case in results.cases(file) if results.has(file) else []:
        keys, counters = case.keys, case.counters
        asked = (keys["backend"], keys["kind"], keys["scalar"]) == ("cuda", "labeled", "f32")
        if asked and "useful_operations" in counters:
            primitive = {"slices": "auto"}.get(keys["primitive"], keys["primitive"].replace(":", "-").replace(",", "x"))
            operations = counters["useful_operations"]
            found[keys["data"], primitive] = Counted(
                1e3 * operations / case.ms, {"global_intensity": operations / counters["least_bytes"]})
    return found


def draw_points(axes, field, found, filled):
    for (data, primitive), told in found.items():
        intensity = told.intensities.get(field)
        if not intensity or data not in SETS or primitive not in PRIMITIVES:
            continue
        k = PRIMITIVES.index(primitive)
        axes.scatter(intensity, told.rate, s=56 if data == "ba" else 26, facecolor=HUES[k] if filled else "white",
                     edgecolor=HUES[k], marker=MARKERS[k], zorder=4, linewidth=1.2)


def draw(device, results):
    ours = counted_by_us(results, device)
    sources = list(results.sources)
    hardware = counted_by_hardware(results, device)
    if not hardware:
        raise NotThere(f"there is no {results.path(f'{device}-ncu-solve-SET-PRIMITIVE.csv')}")
    results.sources[:] = [*sources, results.path(f"{device}-ncu-solve-*.csv")]  # one line for all of them
    context = results.document(f"{device}-ceilings.json")["context"]
    told_once = list(results.sources)
    roofs = measured_roofs(results, device, context)
    results.sources[:] = told_once
    figure, panels = plt.subplots(1, 3, figsize=(12, 4.9), sharey=True)
    figure.subplots_adjust(left=0.055, right=0.99, top=0.76, bottom=0.185, wspace=0.05)
    found = [*ours.values(), *hardware.values()]
    slowest = min(told.rate for told in found)
    memories = [("global_intensity", roofs.memory, "memory"), ("l2_intensity", roofs.l2, "L2"),
                ("shared_intensity", roofs.shared, "shared memory")]
    for axes, (field, rate, name) in zip(panels, memories):
        places = [told.intensities[field] for told in found if told.intensities.get(field)]
        if not places:
            axes.axis("off")
            continue
        limits = min(min(places) / 4, roofs.peak / rate / 20), 4 * max(places)
        draw_roofs(axes, roofs, [(name, rate)], limits, (slowest / 4, 3 * roofs.peak))
        draw_points(axes, field, ours, True)
        draw_points(axes, field, hardware, False)
        axes.set_title(f"Against {name}", loc="left", fontsize=10, fontweight="bold", color=INK)
        axes.set_xlabel(f"operations a byte of {name}")
    panels[0].set_ylabel("operations a second")
    shown = [primitive for primitive in PRIMITIVES if any(own == primitive for _, own in [*ours, *hardware])]
    handles = [plt.Line2D([], [], color=HUES[PRIMITIVES.index(primitive)], marker=MARKERS[PRIMITIVES.index(primitive)],
                          linestyle="", markersize=6) for primitive in shown]
    figure.legend(handles, [PRIMITIVE_NAMES.get(primitive, primitive) for primitive in shown], ncols=len(shown),
                  loc="upper right", frameon=False, fontsize=9, bbox_to_anchor=(0.995, 0.89), handletextpad=0.1,
                  columnspacing=1.2)
    title(figure, f"Whole solves under the roofs, {context.get('device', device)}",
          "Float32, Gaussian edge labels, q = 0.05; large: ba, small: nws. White: operations, bytes and time by ncu; "
          "filled: useful operations, least bytes")
    return figure
