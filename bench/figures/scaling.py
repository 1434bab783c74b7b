# SPDX-License-Identifier: BSD-3-Clause
"""Pairs a second against the size of graphs, and time against their number, by backend."""
from matplotlib.ticker import FuncFormatter, NullFormatter

from appearance import HUES, MARKERS, plain_axes, plt, title
from results import NotThere

FAMILIES = {"nws": "nws: small worlds", "ba": "ba: scale-free"}
KINDS = {"labeled": "Gaussian edge labels", "vlabeled": "vertex labels"}
STYLES = {"cuda": (HUES[1], MARKERS[0]), "portable:cuda": (HUES[2], MARKERS[2]), "assembled": (HUES[4], MARKERS[1]),
          "portable:openmp": (HUES[0], MARKERS[3]), "portable:serial": (HUES[5], MARKERS[4])}
OTHER = (HUES[6], MARKERS[6])


def lines_of(cases, sweep, key, value):
    """{(family, kind): {backend: [(n or graphs, value), ...]}}"""
    found = {}
    for case in cases:
        keys = case.keys
        if case.what == "scaling" and keys["sweep"] == sweep and keys["scalar"] == "f32":
            panel = found.setdefault((keys["data"], keys["kind"]), {})
            panel.setdefault(keys["backend"], []).append((int(keys[key]), value(case)))
    return found


def draw_panel(axes, lines, places):
    for backend, points in lines.items():
        colour, marker = STYLES.get(backend, OTHER)
        axes.plot(*zip(*sorted(points)), color=colour, marker=marker, markersize=4.5, linewidth=1.5, label=backend)
    axes.set_xscale("log", base=2)
    axes.set_yscale("log")
    axes.set_xticks(places, [f"{place}" for place in places])
    axes.xaxis.set_minor_formatter(NullFormatter())
    axes.yaxis.set_major_formatter(FuncFormatter(
        lambda value, _: f"{value / 1e6:g} million" if value >= 1e6 else f"{value:,g}"))
    plain_axes(axes)


def draw(device, sweep, key, value, words, results):
    """From the files of a sweep: for the device, for its native backend alone, and for its host's cores."""
    wanted = [f"{device}-scaling-{name}.json" for name in (sweep, f"{sweep}-cuda", "host")]
    documents = {file: results.document(file) for file in wanted[:1] + list(filter(results.has, wanted[1:]))}
    cases = {file: results.cases(file, own) for file, own in documents.items()}
    main = lines_of(cases[wanted[0]], sweep, key, value)
    found = lines_of([case for own in cases.values() for case in own], sweep, key, value)
    shown = [(family, kind) for family in FAMILIES for kind in KINDS if (family, kind) in main]
    if not shown:
        raise NotThere(f"{wanted[0]} has no sweep of {key}")
    places = sorted({place for own in shown for points in found[own].values() for place, _ in points})
    rows = (len(shown) + 1) // 2
    figure, panels = plt.subplots(rows, 2, figsize=(10, 2.1 + 2.45 * rows), sharex=True, sharey=True, squeeze=False)
    height = figure.get_figheight()
    figure.subplots_adjust(left=0.105, right=0.985, top=1 - 1.2 / height, bottom=0.9 / height, wspace=0.05, hspace=0.24)
    for axes, (family, kind) in zip(panels.flat, shown):
        draw_panel(axes, found[family, kind], places)
        axes.set_title(f"{FAMILIES[family]}, {KINDS[kind]}", loc="left", fontsize=10, fontweight="bold")
    for axes in panels.flat[len(shown):]:
        axes.axis("off")
    for row in panels:
        row[0].set_ylabel(words["y"], fontsize=9)
    for axes in panels[-1]:
        axes.set_xlabel(words["x"], fontsize=9)
    handles = dict(zip(*reversed(panels[0, 0].get_legend_handles_labels())))
    figure.legend(handles.values(), handles.keys(), ncols=len(handles), loc="upper right", frameon=False, fontsize=9.5,
                  bbox_to_anchor=(0.995, 1 - 0.55 / height), columnspacing=1.4)
    device_name = documents[wanted[0]]["context"].get("device", device)
    title(figure, f"{words['title']}, {device_name}", words["below"])
    return figure


def draw_sizes(device, results):
    return draw(device, "size", "n", lambda case: case.counters["pairs"] / case.ms * 1e3,
                {"title": "Throughput against the size of graphs", "x": "vertices of every graph",
                 "y": "pairs a second", "below": "Whole Gram matrices in float32, q = 0.05"}, results)


def draw_counts(device, results):
    return draw(device, "count", "graphs", lambda case: case.ms,
                {"title": "Time against the number of graphs", "x": "graphs", "y": "milliseconds",
                 "below": "Whole Gram matrices of graphs of one size in float32, q = 0.05; pairs grow with the square"},
                results)
