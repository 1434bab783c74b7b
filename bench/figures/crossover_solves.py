# SPDX-License-Identifier: BSD-3-Clause
"""Whole solves by each product of octiles, over sets whose octiles all have one population."""
from matplotlib.ticker import FuncFormatter, NullFormatter

from appearance import HUES, MARKERS, plain_axes, plt, title
from results import TILE_LINE

PRODUCTS = {"sparse-sparse": (HUES[0], MARKERS[0], "sparse × sparse"),
            "dense-sparse": (HUES[4], MARKERS[2], "dense × sparse"),
            "dense-dense": (HUES[1], MARKERS[1], "dense × dense")}
BACKENDS = {"native CUDA": "h200-native-tiles.log", "portable": "h200-portable.log"}
KERNELS = {"gaussian(length,0.3)": "Gaussian edge labels", "1": "unlabelled"}


def measured(results, file):
    """{kernel: {product: {population: pairs a second}}}"""
    found = {}
    for population, kernel, product, rate in results.lines(file, TILE_LINE):
        found.setdefault(kernel, {}).setdefault(product, {})[int(population)] = float(rate.replace(",", ""))
    return found


def draw_panel(axes, found):
    """Relative to dense × dense at the same population, since iterations differ between populations."""
    for product, (colour, marker, name) in PRODUCTS.items():
        populations = sorted(found[product])
        gains = [found[product][population] / found["dense-dense"][population] for population in populations]
        axes.plot(populations, gains, color=colour, marker=marker, markersize=5, linewidth=1.6, label=name)
    axes.set_xscale("log", base=2)
    axes.set_yscale("log")
    axes.set(xlim=(3.6, 70), ylim=(0.12, 3.4))
    axes.set_xticks([4, 8, 16, 32, 64], ["4", "8", "16", "32", "64"])
    axes.set_yticks([0.125, 0.25, 0.5, 1, 2])
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axes.yaxis.set_minor_formatter(NullFormatter())
    axes.xaxis.set_minor_formatter(NullFormatter())
    plain_axes(axes)


def draw(results):
    figure, panels = plt.subplots(2, 2, figsize=(10, 6.2), sharex=True, sharey=True)
    figure.subplots_adjust(left=0.075, right=0.988, top=0.835, bottom=0.135, wspace=0.06, hspace=0.28)
    for row, (backend, file) in zip(panels, BACKENDS.items()):
        found = measured(results, file)
        for axes, (kernel, name) in zip(row, KERNELS.items()):
            draw_panel(axes, found[kernel])
            axes.set_title(f"{backend}, {name}", loc="left", fontsize=10, fontweight="bold")
        row[0].set_ylabel("speed, dense × dense = 1", fontsize=9)
    for axes in panels[1]:
        axes.set_xlabel("non-zero elements in every octile, of 64")
    figure.legend(*panels[0, 0].get_legend_handles_labels(), ncols=3, loc="upper right", frameon=False,
                  bbox_to_anchor=(0.995, 0.985), fontsize=9.5, columnspacing=1.4)
    title(figure, "Which product of octiles is fastest, by population",
          "Pairs a second of whole solves with one product throughout; graphs of 64 vertices without an empty octile")
    return figure
