# SPDX-License-Identifier: BSD-3-Clause
"""A small graph as SVG."""
from __future__ import annotations

import html

import numpy as np

# Beyond these a picture says nothing, and takes a notebook's time.
MOST_VERTICES, MOST_EDGES = 200, 4000
_MOST_NAMED = 60
_MOST_COLOURS = 8  # those of Okabe and Ito, which the colour-blind tell apart
_COLOURS = ("#56b4e9", "#e69f00", "#009e73", "#f0e442", "#0072b2", "#d55e00", "#cc79a7", "#999999")
# As chemists have them, but lighter, so that black letters are read on them.
_ELEMENTS = {"H": "#f4f4f4", "C": "#c8c8c8", "N": "#9bb4ff", "O": "#ff8d84", "F": "#b5e8a0", "Cl": "#7fe07f", "Br": "#d69a86",
             "I": "#c98fd6", "S": "#ffe36e", "P": "#ffbe6b"}


def sketch(graph, size=320):
    """The text of an SVG of size × size pixels; None where the graph is too large to be seen."""
    if graph.vertex_count > MOST_VERTICES or graph.edge_count > MOST_EDGES:
        return None
    labels, edges, weights = graph.vertex_labels, graph.edges, graph.weights
    radius = size / 32 if graph.vertex_count <= _MOST_NAMED else size / 80
    at = _within(_places(graph, labels, edges), size, 2 * radius)
    colours, legend = _coloured(labels, graph.vertex_count)
    greatest = weights.max(initial=0.0)
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{size}" height="{size}" viewBox="0 0 {size} {size}">',
             '<rect width="100%" height="100%" fill="white"/>', '<g stroke="#555">']
    for (i, j), weight in zip(edges, weights):
        share = weight / greatest if greatest > 0 else 1.0
        parts.append(f'<line x1="{at[i, 0]:.1f}" y1="{at[i, 1]:.1f}" x2="{at[j, 0]:.1f}" y2="{at[j, 1]:.1f}" '
                     f'stroke-width="{0.3 + 1.7 * share:.2f}" stroke-opacity="{0.2 + 0.8 * share:.2f}"/>')
    parts.append('</g><g stroke="#333" stroke-width="0.8">')
    for k, (x, y) in enumerate(at):
        parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius:.1f}" fill="{colours[k]}"><title>{_told(k, labels)}</title></circle>')
    parts.append("</g>")
    if graph.vertex_count <= _MOST_NAMED:
        parts.append(f'<g font-family="sans-serif" font-size="{radius * 1.05:.1f}" text-anchor="middle">')
        parts += [f'<text x="{x:.1f}" y="{y + radius * 0.37:.1f}" pointer-events="none">{html.escape(legend[k])}</text>'
                  for k, (x, y) in enumerate(at)]
        parts.append("</g>")
    return "\n".join([*parts, "</svg>"])


def _told(vertex, labels):
    """What a pointer at the vertex shows."""
    values = (f"{name}: {str(values[vertex])[:60]}" for name, values in list(labels.items())[:12])
    return html.escape("; ".join([f"vertex {vertex}", *values]))


def _coloured(labels, count):
    """The colour of each vertex, and the word in it."""
    if "element" in labels:
        elements = [str(value) for value in labels["element"]]
        return [_ELEMENTS.get(element, "#e8c8e8") for element in elements], elements
    numbers = [str(k) for k in range(count)]
    for values in labels.values():
        words = [str(value) for value in values]
        kinds = sorted(set(words))
        if 1 < len(kinds) <= _MOST_COLOURS:
            return [_COLOURS[kinds.index(word)] for word in words], numbers
    return [_COLOURS[0]] * count, numbers


def _places(graph, labels, edges):
    """A place in the plane for each vertex, n × 2."""
    axes = [labels[axis] for axis in "xyz" if axis in labels]
    if len(axes) >= 2:
        try:
            return _seen(np.array(axes, dtype=float).T)
        except (TypeError, ValueError):
            pass  # labels of these names that are no numbers
    return _by_distances(_distances(graph.vertex_count, edges))


def _seen(points):
    """Points in space as seen along the direction in which they differ least; points in the plane as they are."""
    if points.shape[1] == 2:
        return points
    centered = points - points.mean(axis=0)
    return centered @ np.linalg.svd(centered, full_matrices=False)[2][:2].T if len(points) > 2 else centered[:, :2]


def _distances(count, edges):
    """The number of edges between any two vertices; between parts that are not joined one more than the greatest within."""
    from scipy.sparse import csr_matrix
    from scipy.sparse.csgraph import shortest_path
    adjacency = csr_matrix((np.ones(len(edges)), (edges[:, 0], edges[:, 1])), shape=(count, count))
    found = shortest_path(adjacency, directed=False, unweighted=True)
    joined = np.isfinite(found)
    return np.where(joined, found, found[joined].max() + 1)


def _by_distances(wanted, steps=60):
    """Places whose distances are near to those that are wanted: classical scaling, then steps of majorization (SMACOF) of
    Σ ((|x_i − x_j| − d_ij) / d_ij)². The same graph has the same picture."""
    n = len(wanted)
    if n == 1:
        return np.zeros((1, 2))
    squares = wanted**2
    centered = -0.5 * (squares - squares.mean(axis=0) - squares.mean(axis=1)[:, None] + squares.mean())
    values, vectors = np.linalg.eigh(centered)
    # The two greatest, the greatest across; and a little beside, as vertices with the same neighbours would lie on each other.
    at = (vectors * np.sqrt(np.maximum(values, 0)))[:, :-3:-1] + 1e-2 * np.random.default_rng(0).normal(size=(n, 2))
    off = wanted + np.eye(n)
    weights = off**-2.0
    np.fill_diagonal(weights, 0)
    laplacian = np.diag(weights.sum(axis=1)) - weights
    inverse = np.linalg.inv(laplacian + 1 / n) - 1 / n
    for _ in range(steps):
        between = np.linalg.norm(at[:, None] - at[None, :], axis=2)
        pull = weights * wanted / np.maximum(between, 1e-9)
        at = inverse @ (np.diag(pull.sum(axis=1)) - pull) @ at
    return at


def _within(at, size, margin):
    """The places, moved and scaled into the picture."""
    low, high = at.min(axis=0), at.max(axis=0)
    scale = (size - 2 * margin) / max((high - low).max(), 1e-9)
    # What is on one line or one point lies in the middle.
    return (at - (low + high) / 2) * scale + size / 2
