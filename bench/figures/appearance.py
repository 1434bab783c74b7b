# SPDX-License-Identifier: BSD-3-Clause
"""What the figures have in common: colours, names, fonts, and how they are written."""
import os

import matplotlib

matplotlib.use("Agg")  # no display is needed
import matplotlib.pyplot as plt

# After Okabe and Ito: told apart in colour-blindness, and in grey. One colour for all orders that PBR is compared with.
NATURAL, OTHERS, PARTITIONS, SWAPS = "#999999", "#7cc3ec", "#e69f00", "#0b4f8a"
COLOURS = {"natural": NATURAL, "morton": OTHERS, "hilbert": OTHERS, "rcm": OTHERS, "tsp": OTHERS, "pbr": PARTITIONS,
           "swaps": SWAPS}
NAMES = {"natural": "natural", "rcm": "RCM", "tsp": "TSP", "morton": "Morton", "hilbert": "Hilbert", "pbr": "PBR",
         "swaps": "swaps"}
SETS = {"nws": "nws: small worlds", "ba": "ba: scale-free", "proteins": "proteins, 4 Å", "drugs": "drugs"}

INK, QUIET, FAINT = "#1a1a1a", "#666666", "#d9d9d9"
RESOLUTION = 150  # dots per inch of the PNGs

plt.rcParams.update({
    "font.family": "sans-serif", "font.sans-serif": ["DejaVu Sans"], "font.size": 9,
    "text.color": INK, "axes.labelcolor": QUIET, "axes.edgecolor": FAINT, "xtick.color": QUIET, "ytick.color": INK,
    "axes.spines.top": False, "axes.spines.right": False, "axes.axisbelow": True,
    "figure.facecolor": "white", "savefig.facecolor": "white",
    "svg.hashsalt": "octile"})  # equal data give equal files


def title(figure, text, below):
    """Two lines at the top left."""
    height = figure.get_figheight()
    figure.text(0.012, 1 - 0.12 / height, text, fontsize=13, fontweight="bold", va="top")
    figure.text(0.012, 1 - 0.40 / height, below, fontsize=9, color=QUIET, va="top")


def write(figure, data, folder, name):
    """`name`.svg and `name`.png, with the data file and its commit in small print."""
    source = f"{data['path']}, commit {data['commit']}, seed {data['seed']}"
    figure.text(0.988, 0.05 / figure.get_figheight(), source, fontsize=6.5, color=QUIET, ha="right", va="bottom")
    for ending, metadata in [("svg", {"Date": None}), ("png", {"Software": None})]:
        path = os.path.join(folder, f"{name}.{ending}")
        figure.savefig(path, dpi=RESOLUTION, metadata=metadata)
        print(f"wrote {path}")
    plt.close(figure)
