# SPDX-License-Identifier: BSD-3-Clause
"""Time of the dense primitives in isolation, for every t and r, and by the size of labels and the cost of κe."""
from matplotlib.ticker import FuncFormatter

from appearance import INK, beside, plain_axes, plt, title
from roofs import FAMILIES, NAMES, STYLES, measured_roofs, primitive_cases, told

E, F, X = 4, 4, 14
GAUSSIAN = 8  # X of the one kernel that is not a polynomial
FAMILIES_OF_TILES = FAMILIES[1:]


def picoseconds(case):
    """The time of the whole device for one element of the product matrix."""
    return 1e9 * case.ms / (case.counters["pairs"] * case.counters["n"] ** 4)


def told_time(time):
    return f"{time:,.0f}" if time >= 100 else f"{time:#.3g}"


def roof_of(case, roofs, x):
    """The time for one element if the product ran at its roof."""
    reachable = [roofs.peak]
    for field, rate in (("global_intensity", roofs.memory), ("shared_intensity", roofs.shared)):
        intensity = case.counters.get(field)
        if intensity and intensity != float("inf"):
            reachable.append(intensity * rate)
    return 1e12 * x / min(reachable)


def draw_family(axes, family, chosen, roofs, naive, limit):
    colour, _ = STYLES[family]
    rows = sorted((t, r, case) for name, t, r, case in chosen if name == family)
    for row, (t, r, case) in enumerate(rows):
        time = picoseconds(case)
        axes.barh(row, time, height=0.74, color=colour, alpha=1 if (t, r) == (8, 8) else 0.55, linewidth=0)
        axes.plot([roof_of(case, roofs, X)] * 2, [row - 0.37, row + 0.37], color=INK, linewidth=1.4)
        part = 100 * case.counters["FLOP/s"] / roofs.peak
        beside(axes, f"{told_time(time)}   {part:.0f} %", (time, row), (4, 0), fontsize=7.5, va="center")
    if naive:
        axes.axvline(naive, color=STYLES["naive"][0], linewidth=1, linestyle=(0, (3, 2)), zorder=1)
        beside(axes, "naive", (naive, -0.75), (3, 0), fontsize=7.5, va="center", color=STYLES["naive"][0])
    axes.set_yticks(range(len(rows)), [f"{t}, {r}" for t, r, _ in rows])
    axes.set_ylim(len(rows) - 0.4, -1.1)
    axes.set_xlim(0, limit)
    plain_axes(axes, "x")
    axes.tick_params(axis="y", labelcolor=INK)
    axes.set_title(NAMES[family], loc="left", fontsize=10, fontweight="bold")
    axes.set_xlabel("picoseconds an element", fontsize=8.5)


def draw_lines(axes, found, column, fixed, label, rate):
    """At t = r = 8, over E or X, the other being fixed."""
    for family in FAMILIES_OF_TILES:
        colour, marker = STYLES[family]
        points = sorted([(entry[column], entry) for entry in found if entry[0] == family and fixed(entry)],
                        key=lambda point: point[0])
        values = [entry[-1].counters["FLOP/s"] if rate else picoseconds(entry[-1]) for _, entry in points]
        axes.plot([place for place, _ in points], values, color=colour, marker=marker, markersize=5, linewidth=1.5)
    plain_axes(axes)
    axes.set_xlabel(label, fontsize=8.5)
    axes.set_ylim(bottom=0)
    if rate:
        axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: told(value, "").strip()))


def draw(device, results):
    file = f"{device}-primitives-dense.json"
    document = results.document(file)
    roofs = measured_roofs(results, device, document["context"])
    found = [entry for entry in primitive_cases(results.cases(file, document)) if entry[-1].keys["scalar"] == "f32"]
    chosen = [(family, t, r, case) for family, t, r, e, f, x, case in found if (e, x) == (E, X)]
    naive = next((picoseconds(case) for family, _, _, case in chosen if family == "naive"), None)
    limit = 1.4 * max(picoseconds(case) for *_, case in chosen)
    figure = plt.figure(figsize=(10, 7.2))
    for k, family in enumerate(FAMILIES_OF_TILES):
        draw_family(figure.add_axes((0.06 + 0.323 * k, 0.41, 0.275, 0.455)), family, chosen, roofs, naive, limit)
    eights = [entry for entry in found if (entry[1], entry[2]) == (8, 8)]
    left, right = figure.add_axes((0.075, 0.105, 0.40, 0.205)), figure.add_axes((0.565, 0.105, 0.40, 0.205))
    draw_lines(left, eights, 5, lambda entry: entry[3] == E and entry[5] != GAUSSIAN,
               "X, operations an element: κe a polynomial (E = 4, t = r = 8)", True)
    left.set_ylabel("operations a second", fontsize=8.5)
    draw_lines(right, eights, 3, lambda entry: entry[5] == 3 * max(entry[3], 1) / 4 + 11 or entry[3] == 0,
               "E, bytes a label (t = r = 8; κe of E/4 features; E = 0: unlabelled)", False)
    right.set_ylabel("picoseconds an element", fontsize=8.5)
    title(figure, f"The dense primitives in isolation, {document['context'].get('device', device)}",
          f"By t and r; E = F = {E} bytes, X = {X}. Beside the bars: time of the whole device, part of the peak; "
          "black: at its roof")
    return figure
