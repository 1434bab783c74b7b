# SPDX-License-Identifier: BSD-3-Clause
"""Non-empty tiles by order and data set, as bars."""
from appearance import COLOURS, FAINT, NAMES, NATURAL, QUIET, SETS, plt, title

ROWS = ["natural", "morton", "hilbert", "rcm", "tsp", "pbr", "swaps"]


def draw_set(axes, name, measured):
    orders = measured["orders"]
    natural = orders["natural"]["tiles"]
    for row, order in enumerate(ROWS):
        if order not in orders:
            axes.text(2, row, "no coordinates", fontsize=7.5, color=QUIET, va="center")
            continue
        part = 100 * orders[order]["tiles"] / natural
        axes.barh(row, part, height=0.72, color=COLOURS[order])
        weight = "bold" if order == "swaps" else "normal"
        axes.text(part + 2.5, row, f"{orders[order]['tiles_per_graph']:.1f}", va="center", fontweight=weight,
                  bbox={"facecolor": "white", "edgecolor": "none", "pad": 1})
        change = round(part - 100)
        if change:
            axes.text(3, row, f"{change:+d} %".replace("-", "−"), va="center", fontsize=7.5, fontweight=weight,
                      color="white" if order == "swaps" else "black")
    axes.axvline(100, color=NATURAL, linewidth=0.8, linestyle=(0, (2, 2)), zorder=0)
    axes.set_title(SETS[name], loc="left", fontsize=10, fontweight="bold", pad=17)
    axes.text(0, 1.012, f"{measured['graphs']:,} graphs", transform=axes.transAxes, fontsize=8, color=QUIET,
              va="bottom")
    axes.set_xlim(0, 158)
    axes.set_xticks([])
    axes.spines["bottom"].set_visible(False)
    axes.spines["left"].set_color(FAINT)
    axes.tick_params(length=0)


def draw(results):
    data = results.document("orders.json")
    figure, panels = plt.subplots(1, 4, figsize=(10, 3.75), sharey=True)
    figure.subplots_adjust(left=0.073, right=0.998, top=0.715, bottom=0.075, wspace=0.06)
    for axes, name in zip(panels, SETS):
        draw_set(axes, name, data["sets"][name])
    panels[0].set_ylim(len(ROWS) - 0.45, -0.55)
    panels[0].set_yticks(range(len(ROWS)), [NAMES[order] for order in ROWS], fontsize=9.5)
    title(figure, "Non-empty 8×8 tiles, by order of the vertices",
          "Mean number per graph, and the change against the natural order (dashed)")
    return figure
