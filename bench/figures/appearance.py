# SPDX-License-Identifier: BSD-3-Clause
"""What the figures have in common: colours, names, fonts, and how they are written."""
import os

import matplotlib

matplotlib.use("Agg")  # no display is needed
import matplotlib.pyplot as plt

# After Okabe and Ito: colours that can be told apart with colour blindness and in grey. All orders that PBR is compared with share one.
NATURAL, OTHERS, PARTITIONS, SWAPS = "#999999", "#7cc3ec", "#e69f00", "#0b4f8a"
COLOURS = {"natural": NATURAL, "morton": OTHERS, "hilbert": OTHERS, "rcm": OTHERS, "tsp": OTHERS, "pbr": PARTITIONS,
           "swaps": SWAPS}
NAMES = {"natural": "natural", "rcm": "RCM", "tsp": "TSP", "morton": "Morton", "hilbert": "Hilbert", "pbr": "PBR",
         "swaps": "swaps"}
# For up to seven series that also have different labels or markers.
HUES = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#7f7f7f"]
MARKERS = ["o", "s", "D", "^", "v", "P", "X"]
SETS = {"nws": "nws: small worlds", "ba": "ba: scale-free", "proteins": "proteins, 4 Å", "drugs": "drugs"}

INK, QUIET, FAINT = "#1a1a1a", "#666666", "#d9d9d9"
RESOLUTION = 150  # dots per inch of the PNGs

plt.rcParams.update({
    "font.family": "sans-serif", "font.sans-serif": ["DejaVu Sans"], "font.size": 9,
    "text.color": INK, "axes.labelcolor": QUIET, "axes.edgecolor": FAINT, "xtick.color": QUIET, "ytick.color": INK,
    "axes.spines.top": False, "axes.spines.right": False, "axes.axisbelow": True,
    "figure.facecolor": "white", "savefig.facecolor": "white",
    "svg.hashsalt": "octile"})  # equal data give equal files


def plain_axes(axes, grid="both"):
    """Faint grid lines instead of a frame."""
    axes.grid(axis=grid, color=FAINT, linewidth=0.6)
    axes.spines[["left", "bottom"]].set_color(FAINT)
    axes.tick_params(length=0, which="both", labelsize=8.5, labelcolor=QUIET)


def beside(axes, text, point, offset, **options):
    """Text at an offset, in points, from a point of the data."""
    axes.annotate(text, point, xytext=offset, textcoords="offset points", **options)


def title(figure, text, below):
    """Two lines at the top left."""
    height = figure.get_figheight()
    figure.text(0.012, 1 - 0.12 / height, text, fontsize=13, fontweight="bold", va="top")
    figure.text(0.012, 1 - 0.40 / height, below, fontsize=9, color=QUIET, va="top")


def write(figure, sources, folder, name):
    """`name`.svg and `name`.png, with the data files, their commits and devices in small print."""
    height = 0.05
    for source in reversed(sources):
        figure.text(0.988, height / figure.get_figheight(), source, fontsize=6.5, color=QUIET, ha="right", va="bottom")
        height += 0.11
    for ending, metadata in [("svg", {"Date": None}), ("png", {"Software": None})]:
        path = os.path.join(folder, f"{name}.{ending}")
        figure.savefig(path, dpi=RESOLUTION, metadata=metadata)
        print(f"wrote {path}")
    plt.close(figure)


def write_text(text, folder, name):
    path = os.path.join(folder, f"{name}.md")
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    print(f"wrote {path}")
