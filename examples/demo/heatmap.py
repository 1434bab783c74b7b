#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Draws a Gram matrix of octile as a heat map.

usage: heatmap.py MATRIX.npy SUMMARY.json PICTURE.png

SUMMARY.json is what `octile gram --summary` writes: it has the names of the graphs and the kernel.
"""
import json
import os
import sys

import matplotlib

matplotlib.use("Agg")  # no display is needed
import matplotlib.pyplot as plt
import numpy as np

MOST_CELLS_WITH_TEXT = 30  # rows


def draw(matrix, summary):
    size = len(matrix)
    names = summary["graphs"]
    low = matrix.min()
    figure, axes = plt.subplots(figsize=(3 + 0.42 * size, 2.4 + 0.42 * size), layout="constrained")
    image = axes.imshow(matrix, cmap="viridis", vmin=low, vmax=matrix.max())
    axes.set_xticks(range(size), names, rotation=45, ha="right", rotation_mode="anchor")
    axes.set_yticks(range(size), names)
    axes.tick_params(length=0)
    for side in axes.spines.values():
        side.set_visible(False)
    if size <= MOST_CELLS_WITH_TEXT:
        middle = 0.55 * low + 0.45 * matrix.max()
        for (row, column), value in np.ndenumerate(matrix):
            colour = "white" if value < middle else "black"
            # .87 instead of 0.87: the cells are small.
            text = f"{value:.2f}".removeprefix("0") if abs(value) < 10 else f"{value:.3g}"
            axes.text(column, row, text, ha="center", va="center", color=colour, fontsize=7)
    kernel = summary["kernel"]
    what = "Normalised marginalized graph kernel" if summary["normalized"] else "Marginalized graph kernel"
    axes.set_title(what, fontsize=13, loc="left", pad=34)
    axes.text(0, 1.012, f"vertices {kernel['vertex']}\nedges {kernel['edge']}   stopping {kernel['stopping']}",
              transform=axes.transAxes, fontsize=8, color="0.35", va="bottom")
    figure.colorbar(image, ax=axes, shrink=0.7, label="similarity" if summary["normalized"] else "K")
    return figure


def main():
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    matrix_path, summary_path, picture_path = sys.argv[1:]
    matrix = np.load(matrix_path)
    with open(summary_path, encoding="utf-8") as file:
        summary = json.load(file)
    if matrix.shape != (len(summary["graphs"]),) * 2:
        sys.exit(f"heatmap.py: {matrix_path} is {matrix.shape}, but {summary_path} names {len(summary['graphs'])} graphs")
    temporary = picture_path + ".tmp"
    try:
        draw(matrix, summary).savefig(temporary, dpi=160, format="png")
        os.replace(temporary, picture_path)
    finally:
        if os.path.exists(temporary):
            os.remove(temporary)
    print(f"wrote {picture_path}")


if __name__ == "__main__":
    main()
