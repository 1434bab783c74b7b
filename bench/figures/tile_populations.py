# SPDX-License-Identifier: BSD-3-Clause
"""How many non-empty tiles have how many elements, as a histogram."""
from appearance import COLOURS, FAINT, NAMES, QUIET, SETS, plt, title

ORDERS = ["natural", "rcm", "pbr", "swaps"]
BINS = [(1, 1), (2, 2), (3, 4), (5, 8), (9, 16), (17, 32), (33, 64)]
WIDTH = 0.82 / len(ORDERS)


def draw_set(axes, name, measured):
    highest = 0
    for place, order in enumerate(ORDERS):
        found = measured["orders"][order]
        heights = [sum(found["tiles_of_population"][first:last + 1]) / measured["graphs"] for first, last in BINS]
        highest = max(highest, *heights)
        offset = (place - (len(ORDERS) - 1) / 2) * WIDTH
        axes.bar([k + offset for k in range(len(BINS))], heights, width=WIDTH, color=COLOURS[order])
    axes.set_ylim(0, 1.06 * highest)
    axes.set_title(SETS[name], loc="left", fontsize=10, fontweight="bold", pad=18)
    means = [f"{NAMES[order]} {64 * measured['orders'][order]['fill']:.1f}" for order in ORDERS]
    axes.text(0, 1.02, "mean: " + ", ".join(means), transform=axes.transAxes, fontsize=8, color=QUIET)
    axes.set_xticks(range(len(BINS)), [f"{first}" if first == last else f"{first}–{last}" for first, last in BINS])
    axes.grid(axis="y", color=FAINT, linewidth=0.6)
    axes.spines["left"].set_visible(False)
    axes.tick_params(length=0, labelsize=8.5)
    axes.tick_params(axis="y", labelcolor=QUIET)
    axes.locator_params(axis="y", nbins=5)


def draw(results):
    data = results.document("orders.json")
    figure, panels = plt.subplots(2, 2, figsize=(10, 6.2))
    figure.subplots_adjust(left=0.05, right=0.988, top=0.81, bottom=0.095, wspace=0.1, hspace=0.45)
    for axes, name in zip(panels.flat, SETS):
        draw_set(axes, name, data["sets"][name])
    for axes in panels[1]:
        axes.set_xlabel("non-zero elements in the tile, of 64")
    title(figure, "How full the non-empty 8×8 tiles are",
          "Tiles per graph by their number of non-zero elements; above each panel, the mean number")
    handles = [plt.Rectangle((0, 0), 1, 1, color=COLOURS[order]) for order in ORDERS]
    figure.legend(handles, [NAMES[order] for order in ORDERS], ncols=len(ORDERS), loc="upper right", frameon=False,
                  bbox_to_anchor=(0.995, 0.985), handlelength=1, handleheight=1, columnspacing=1.4, fontsize=10)
    return figure
