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


def draw_panel(axes, lines):
    for backend, points in lines.items():
        colour, marker = STYLES.get(backend, OTHER)
        points.sort()
        axes.plot(*zip(*points), color=colour, marker=marker, markersize=4.5, linewidth=1.5, label=backend)
    axes.set_xscale("log", base=2)
    axes.set_yscale("log")
    places = sorted({place for points in lines.values() for place, _ in points})
    axes.set_xticks(places, [f"{place}" if k % (1 + len(places) // 12) == 0 else "" for k, place in enumerate(places)])
    axes.xaxis.set_minor_formatter(NullFormatter())
    axes.yaxis.set_major_formatter(FuncFormatter(
        lambda value, _: f"{value / 1e6:g} million" if value >= 1e6 else f"{value:,g}"))
    plain_axes(axes)


def draw(device, sweep, key, value, words, results):
    document = results.document(f"{device}-scaling.json")
    found = lines_of(results.cases(f"{device}-scaling.json", document), sweep, key, value)
    if not found:
        raise NotThere(f"{device}-scaling.json has no sweep of {key}")
    families = [family for family in FAMILIES if any(data == family for data, _ in found)]
    kinds = [kind for kind in KINDS if any(own == kind for _, own in found)]
    figure, panels = plt.subplots(len(families), len(kinds), figsize=(10, 1.6 + 2.5 * len(families)), sharex=True,
                                  sharey=True, squeeze=False)
    height = figure.get_figheight()
    figure.subplots_adjust(left=0.085, right=0.985, top=1 - 1.2 / height, bottom=0.78 / height, wspace=0.05,
                           hspace=0.24)
    for row, family in zip(panels, families):
        for axes, kind in zip(row, kinds):
            draw_panel(axes, found.get((family, kind), {}))
            axes.set_title(f"{FAMILIES[family]}, {KINDS[kind]}", loc="left", fontsize=10, fontweight="bold")
        row[0].set_ylabel(words["y"], fontsize=9)
    for axes in panels[-1]:
        axes.set_xlabel(words["x"], fontsize=9)
    handles = dict(zip(*reversed(panels[0, 0].get_legend_handles_labels())))
    figure.legend(handles.values(), handles.keys(), ncols=len(handles), loc="upper right", frameon=False, fontsize=9.5,
                  bbox_to_anchor=(0.995, 1 - 0.55 / height), columnspacing=1.4)
    title(figure, f"{words['title']}, {document['context'].get('device', device)}", words["below"])
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
