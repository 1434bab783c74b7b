# SPDX-License-Identifier: BSD-3-Clause
"""The adjacency matrix of one protein in each order, with its non-empty tiles."""
import numpy as np
from matplotlib.colors import ListedColormap

from appearance import NAMES, QUIET, RESOLUTION, plt, title

TILE = 8
ORDERS = ["natural", "morton", "hilbert", "rcm", "tsp", "pbr", "swaps"]
TILE_COLOUR, ELEMENT_COLOUR, FRAME = "#cfe3f3", "#0b4f8a", "#bfbfbf"
PANEL, GAP, ROW_GAP, MARGIN, ABOVE, BELOW = 320, 22, 38, 17, 130, 32  # pixels: of 160 vertices, each has two


def reordered(protein, order):
    """The pattern with new vertex k in place of old vertex order[k], padded to whole tiles."""
    size = -(-protein["vertices"] // TILE) * TILE
    place = np.empty(protein["vertices"], dtype=int)
    place[protein["orders"][order]["order"]] = np.arange(protein["vertices"])
    rows, columns = place[np.array(protein["edges"])].T
    pattern = np.zeros((size, size), dtype=bool)
    pattern[rows, columns] = pattern[columns, rows] = True
    return pattern


def non_empty(pattern):
    tiles = len(pattern) // TILE
    return pattern.reshape(tiles, TILE, tiles, TILE).any(axis=(1, 3))


def image_of(pattern, tiles):
    """0 outside, 1 in a non-empty tile, 2 an element."""
    return np.where(pattern, 2, np.kron(tiles, np.ones((TILE, TILE), dtype=int)))


def draw_order(axes, protein, order):
    pattern = reordered(protein, order)
    tiles = non_empty(pattern)
    count, counted = int(tiles.sum()), protein["orders"][order]["tiles"]
    natural = protein["orders"]["natural"]["tiles"]
    if count != counted:
        raise ValueError(f"{protein['name']}, {order}: {count} non-empty tiles here, {counted} by octile reorder")
    axes.imshow(image_of(pattern, tiles), cmap=ListedColormap(["white", TILE_COLOUR, ELEMENT_COLOUR]), vmin=0, vmax=2,
                interpolation="none", extent=(0, len(pattern), len(pattern), 0))
    for edge in range(TILE, len(pattern), TILE):
        axes.axhline(edge, color="white", linewidth=0.5)
        axes.axvline(edge, color="white", linewidth=0.5)
    axes.set_xticks([])
    axes.set_yticks([])
    for side in axes.spines.values():
        side.set(visible=True, color=FRAME, linewidth=0.6)
    change = "" if order == "natural" else f", {round(100 * (count / natural - 1)):+d} %".replace("-", "−")
    axes.set_title(NAMES[order], loc="left", fontsize=10.5, fontweight="bold", pad=4)
    axes.set_title(f"{count} tiles{change}", loc="right", fontsize=9, color=QUIET, pad=4)


def draw_key(axes, protein):
    axes.axis("off")
    axes.set(xlim=(0, 1), ylim=(1, 0))
    for y, colour, text in [(0.06, ELEMENT_COLOUR, "non-zero element: an edge"),
                            (0.18, TILE_COLOUR, "rest of a non-empty tile"),
                            (0.30, "white", "empty tiles, left out")]:
        axes.add_patch(plt.Rectangle((0.04, y), 0.075, 0.075, facecolor=colour, edgecolor=FRAME, linewidth=0.6))
        axes.text(0.16, y + 0.0375, text, fontsize=9, va="center")
    size = f"{protein['vertices']} heavy atoms, {len(protein['edges']):,} edges\nbetween those within 4 Å"
    axes.text(0.04, 0.47, size, fontsize=9, color=QUIET, va="top", linespacing=1.4)


def draw(results):
    data = results.document("orders.json")
    protein = data["protein"]
    width, height = 4 * PANEL + 3 * GAP + 2 * MARGIN, ABOVE + 2 * PANEL + ROW_GAP + BELOW
    figure = plt.figure(figsize=(width / RESOLUTION, height / RESOLUTION))
    for place, order in enumerate([*ORDERS[:3], None, *ORDERS[3:]]):
        row, column = divmod(place, 4)
        axes = figure.add_axes(((MARGIN + column * (PANEL + GAP)) / width,
                                (BELOW + (1 - row) * (PANEL + ROW_GAP)) / height, PANEL / width, PANEL / height))
        if order is None:
            draw_key(axes, protein)
        else:
            draw_order(axes, protein, order)
    title(figure, f"The tiles of one protein, {protein['name']}, in each order",
          "The same adjacency matrix: the order of its vertices decides which 8×8 tiles are empty")
    return figure
