# SPDX-License-Identifier: BSD-3-Clause
"""The fastest product of two octiles by their populations, as a map."""
import numpy as np
from matplotlib.colors import to_rgb

from appearance import HUES, INK, QUIET, plt, title
from results import NotThere

PRODUCTS = {"sparse-sparse": ("sparse × sparse", HUES[0]), "dense-sparse": ("dense × sparse", HUES[4]),
            "dense-dense": ("dense × dense", HUES[1])}
KINDS = {"unlabelled": "unlabelled", "vlabeled": "unlabelled edges", "labelled": "Gaussian edge labels",
         "labeled": "Gaussian edge labels"}


def times_of(cases, backend):
    """{kind: {(population, other): {product: ms}}}, of octiles that are not empty: products alone, or those of whole
    solves by a backend."""
    found = {}
    for case in cases:
        keys = case.keys
        if "population" in keys and keys["primitive"] in PRODUCTS and keys.get("backend") == backend:
            place = int(keys["population"]), int(keys["other"])
            if min(place) > 0:
                kind = keys.get("edges") or keys["kind"]
                found.setdefault(kind, {}).setdefault(place, {})[keys["primitive"]] = case.ms / case.counters["pairs"]
    return found


def draw_kind(axes, name, times):
    populations = sorted({population for population, _ in times})
    image = np.ones((len(populations), len(populations), 3))
    for row, first in enumerate(populations):
        for column, second in enumerate(populations):
            ordered = sorted(times[first, second].items(), key=lambda entry: entry[1])
            (product, best), (_, next_best) = ordered[:2]
            gain = next_best / best
            strength = 0.35 + 0.65 * min(1.0, (gain - 1) / 0.5)  # full colour from 1.5 times on
            image[row, column] = 1 - strength * (1 - np.array(to_rgb(PRODUCTS[product][1])))
            axes.text(column, row, f"{gain:.1f}" if gain < 10 else f"{gain:.0f}", fontsize=7.5, ha="center",
                      va="center", color="white" if strength > 0.8 and product != "dense-sparse" else INK)
    axes.imshow(image, origin="lower", interpolation="nearest", aspect="equal")
    axes.set_xticks(range(len(populations)), populations)
    axes.set_yticks(range(len(populations)), populations)
    axes.tick_params(length=0, labelsize=8.5, labelcolor=QUIET)
    axes.spines[:].set_visible(False)
    axes.set_title(name, loc="left", fontsize=10, fontweight="bold")
    axes.set_xlabel("elements of the octile of G'", fontsize=9)


def draw(file, backend, results):
    """From products alone if `backend` is None, else from whole solves by that backend."""
    document = results.document(file)
    times = times_of(results.cases(file, document), backend)
    if not times:
        raise NotThere(f"{file} has no products of octiles")
    figure, panels = plt.subplots(1, len(times), figsize=(10, 5.8), squeeze=False)
    figure.subplots_adjust(left=0.06, right=0.985, top=0.80, bottom=0.12, wspace=0.1)
    for axes, kind in zip(panels[0], sorted(times, key=list(KINDS).index)):
        draw_kind(axes, KINDS[kind], times[kind])
    panels[0, 0].set_ylabel("elements of the octile of G", fontsize=9)
    handles = [plt.Rectangle((0, 0), 1, 1, color=colour) for _, colour in PRODUCTS.values()]
    figure.legend(handles, [name for name, _ in PRODUCTS.values()], ncols=3, loc="upper right", frameon=False,
                  bbox_to_anchor=(0.995, 0.91), fontsize=9.5, handlelength=1, handleheight=1)
    whole = f"whole solves by {backend}" if backend else "products alone, portable"
    title(figure, f"The fastest product of two octiles, {document['context'].get('device', file)}",
          f"By their numbers of non-zero elements, {whole}; in each field: how many times faster than the next")
    return figure
