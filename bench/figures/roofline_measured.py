# SPDX-License-Identifier: BSD-3-Clause
"""The measured roofline: the dense primitives in isolation, under the ceilings of their device."""
import re

from appearance import INK, plt, title
from roofs import FAMILIES, NAMES, STYLES, counted, draw_roofs, measured_roofs, primitive_cases

E, F, X = 4, 4, 14  # one float as label; κe, three products and a sum
KERNEL = re.compile(r"(SharedTiling|RegisterBlocking|TilingBlocking)<.*?, (?:\(int\))?(\d+), (?:\(int\))?(\d+)>")
KERNEL_FAMILIES = {"SharedTiling": "shared-tiling", "RegisterBlocking": "register-blocking",
                   "TilingBlocking": "tiling-blocking"}


def counted_by_hardware(results, device):
    """{(family, t, r): Counted} by ncu, if it was run. t and r are the last template arguments of the kernels."""
    file = f"{device}-ncu-primitives.csv"
    found = {}
    for kernel, run in results.kernels(file).items() if results.has(file) else []:
        matched = KERNEL.search(kernel)
        if matched:
            family, t, r = matched.groups()
            found[KERNEL_FAMILIES[family], int(t), int(r)] = counted([run])
    return found


def draw_points(axes, field, chosen, hardware):
    for family, t, r, case in chosen:
        colour, marker = STYLES[family]
        intensity = case.counters.get(field)
        if not intensity or intensity == float("inf"):
            continue
        best = (t, r) == (8, 8)
        axes.scatter(intensity, case.counters["FLOP/s"], s=60 if best else 22, color=colour, marker=marker, linewidth=0,
                     alpha=1 if best else 0.55, zorder=5 if best else 4)
        told = hardware.get((family, t, r))
        if told and told.intensities[field]:
            axes.plot([intensity, told.intensities[field]], [case.counters["FLOP/s"], told.rate], color=colour,
                      linewidth=0.8, zorder=3)
            axes.scatter(told.intensities[field], told.rate, s=60 if best else 22, facecolor="white", edgecolor=colour,
                         marker=marker, linewidth=1.3, zorder=5)


def limits_of(field, chosen, ridge):
    """The range of operations a byte, with all points and with a part of the slope."""
    found = [case.counters[field] for _, _, _, case in chosen if 0 < case.counters.get(field, 0) < float("inf")]
    return min(min(found) / 4, ridge / 10), max(found) * 4


def draw(device, results):
    file = f"{device}-primitives-dense.json"
    document = results.document(file)
    chosen = [(family, t, r, case) for family, t, r, e, f, x, case in primitive_cases(results.cases(file, document))
              if (e, f, x) == (E, F, X) and case.keys["scalar"] == "f32"]
    roofs = measured_roofs(results, device, document["context"])
    hardware = counted_by_hardware(results, device)
    figure, panels = plt.subplots(1, 2, figsize=(10, 4.9))
    figure.subplots_adjust(left=0.065, right=0.985, top=0.80, bottom=0.17, wspace=0.17)
    slowest = min(case.counters["FLOP/s"] for *_, case in chosen)
    rates = slowest / 4, 3 * roofs.peak
    for axes, field, slopes, name in [
            (panels[0], "global_intensity", [("L2", roofs.l2), ("memory", roofs.memory)], "global memory"),
            (panels[1], "shared_intensity", [("shared memory" if device != "host" else "L1, as scratch", roofs.shared)],
             "shared memory" if device != "host" else "scratch")]:
        draw_roofs(axes, roofs, slopes, limits_of(field, chosen, roofs.peak / slopes[0][1]), rates)
        draw_points(axes, field, chosen, hardware)
        axes.set_title(f"Against {name}", loc="left", fontsize=10, fontweight="bold", color=INK)
        axes.set_xlabel(f"operations a byte of {name}, as counted")
    panels[0].set_ylabel("operations a second")
    handles = [plt.Line2D([], [], color=STYLES[family][0], marker=STYLES[family][1], linestyle="", markersize=5)
               for family in FAMILIES]
    figure.legend(handles, [NAMES[family] for family in FAMILIES], ncols=4, loc="upper right", frameon=False,
                  fontsize=9, bbox_to_anchor=(0.995, 0.985), handletextpad=0.1, columnspacing=1.2)
    origin = "white: FLOP, bytes and time by ncu" if hardware else "FLOP and bytes by our counters, fenced times"
    title(figure, f"Measured roofline, {document['context'].get('device', device)}",
          f"Products alone, complete graphs, E = F = {E} bytes, X = {X}; every t and r, large: t = r = 8; {origin}")
    return figure
