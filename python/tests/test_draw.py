# SPDX-License-Identifier: BSD-3-Clause
"""Pictures: what is drawn, in which order, and what is refused."""
import dataclasses
import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest

import octile
from octile import draw

SPACE = "{http://www.w3.org/2000/svg}"


def texts(picture):
    return [text.text for text in ElementTree.fromstring(picture.svg).iter(f"{SPACE}text")]


def test_like_graphs_are_neighbours_in_the_order_of_a_matrix():
    group = np.array([0, 1, 2, 0, 1, 2, 0, 1, 2])
    values = np.where(group[:, None] == group[None, :], 0.9, 0.1) + 0.1 * np.eye(9)
    order = draw.order_by_clusters(values)
    assert sorted(order) == list(range(9))
    assert np.count_nonzero(np.diff(group[order])) == 2


def test_a_matrix_has_the_names_of_its_rows_and_columns(molecules):
    values = octile.Kernel("delta(element,0.5)")(molecules)
    names = [graph.name for graph in molecules]
    found = texts(draw.matrix(values, names))
    assert sorted(found[:-1]) == sorted(names * 2)
    assert texts(draw.matrix(values, names, ordered=False))[:len(names)] == names
    assert len(texts(draw.matrix(np.eye(200)))) == 1


@pytest.mark.parametrize("count", (1, 2, 3))
def test_small_matrices_are_drawn(count):
    assert len(texts(draw.matrix(np.eye(count)))) == 2 * count + 1


def test_two_molecules_have_an_axis_each_with_their_atoms():
    assert texts(draw.nodes("CO", "CNC", octile.Kernel("delta(element,0.5)")))[:-1] == ["C0", "O1", "C0", "N1", "C2"]


def test_atoms_are_coloured_by_their_weights():
    picture = draw.molecule("CCO", [1.0, 0.0, -1.0])
    assert picture._repr_svg_().startswith("<?xml")
    svg = picture.svg.upper()
    assert "#0073B2" in svg or "#0072B2" in svg
    assert "#D65E00" in svg or "#D55E00" in svg
    # Half of what is greatest is half as strong.
    assert "#0072B2" not in draw.molecule("CCO", [1.0, 0.0, 0.0], greatest=2).svg.upper()


def test_a_picture_is_written(tmp_path):
    picture = draw.matrix(np.eye(3))
    picture.save(tmp_path / "a.svg")
    assert (tmp_path / "a.svg").read_text(encoding="utf-8") == picture.svg


def test_what_cannot_be_drawn_is_refused():
    with pytest.raises(octile.Error, match="there are 2 weights; allowed is one finite number for each of the 3 atoms"):
        draw.molecule("CCO", [1, 2])
    with pytest.raises(octile.Error, match="Graph is no molecule"):
        draw.molecule(octile.from_smiles("CCO"), [1, 2, 3])
    with pytest.raises(octile.Error, match="the shape \\(2, 3\\)"):
        draw.matrix(np.ones((2, 3)))
    with pytest.raises(octile.Error, match="1 names and 2 rows"):
        draw.matrix(np.eye(2), ["a"])


def circles(svg):
    """Places and radii of the vertices."""
    return np.array([[float(one.get(key)) for key in ("cx", "cy", "r")] for one in ElementTree.fromstring(svg).iter(f"{SPACE}circle")])


def lines(svg):
    return list(ElementTree.fromstring(svg).iter(f"{SPACE}line"))


def test_a_graph_has_a_circle_for_each_vertex_and_a_line_for_each_edge():
    graph = octile.Graph(4, [(0, 1), (1, 2)], weights=[1, 4], vertex_labels={"kind": ["a", "b", "a", "<"]})
    svg = draw.graph(graph).svg
    assert len(circles(svg)) == 4 and len(lines(svg)) == 2
    thin, thick = (float(line.get("stroke-width")) for line in lines(svg))
    assert thin < thick
    root = ElementTree.fromstring(svg)
    colours = [one.get("fill") for one in root.iter(f"{SPACE}circle")]
    assert colours[0] == colours[2] and len(set(colours)) == 3
    assert [title.text for title in root.iter(f"{SPACE}title")][3] == "vertex 3; kind: <"
    assert draw.graph(graph).svg == svg


def test_a_molecule_has_its_elements_in_its_atoms():
    assert texts(draw.graph("CCO")) == ["C", "C", "O"]


@pytest.mark.parametrize("graph", (
    octile.Graph(1), octile.Graph(2), octile.Graph(2, [(0, 1)]), octile.Graph(2, [(0, 1)], weights=[0]), octile.Graph(30),
    octile.Graph(7, [(k, k + 1) for k in range(6)]), octile.Graph(6, [(0, k) for k in range(1, 6)]),
    octile.Graph(12, [(i, j) for i in range(6) for j in range(i)]), octile.Graph(40, [(k, (k + 1) % 40) for k in range(40)]),
    octile.Graph(200, [(k, (k - 1) // 2) for k in range(1, 200)])))
def test_vertices_lie_within_the_picture_and_not_on_each_other(graph):
    found = circles(draw.graph(graph, size=400).svg)
    assert np.all(found[:, :2] - found[:, 2:] >= 0) and np.all(found[:, :2] + found[:, 2:] <= 400)
    apart = np.linalg.norm(found[:, None, :2] - found[None, :, :2], axis=2) + 400 * np.eye(len(found))
    assert apart.min() > 1


def test_a_ring_is_drawn_round_and_a_path_straight():
    ring = circles(draw.graph(octile.Graph(12, [(k, (k + 1) % 12) for k in range(12)])).svg)[:, :2]
    reach = np.linalg.norm(ring - ring.mean(axis=0), axis=1)
    assert reach.max() < 1.05 * reach.min()
    path = circles(draw.graph(octile.Graph(9, [(k, k + 1) for k in range(8)])).svg)[:, :2]
    assert np.ptp(path[:, 1]) < 0.1 * np.ptp(path[:, 0])


def test_atoms_in_space_are_seen_from_their_flat_side():
    # A hexagon that stands on its edge: as seen along z it would be a line.
    angles = np.arange(6) * np.pi / 3
    positions = np.stack([np.cos(angles), 0 * angles, np.sin(angles)], axis=1)
    found = circles(draw.graph(octile.from_positions(["C"] * 6, positions)).svg)[:, :2]
    reach = np.linalg.norm(found - found.mean(axis=0), axis=1)
    assert reach.max() < 1.01 * reach.min()


def test_labels_named_x_and_y_need_not_be_places():
    words = octile.Graph(3, [(0, 1), (1, 2)], vertex_labels={"x": ["a", "b", "c"], "y": ["a", "a", "a"]})
    lists = octile.Graph(2, [(0, 1)], vertex_labels={"x": [[1.0], [1.0, 2.0]], "y": [1.0, 2.0]})
    assert len(circles(draw.graph(words).svg)) == 3 and len(circles(draw.graph(lists).svg)) == 2


def test_a_notebook_shows_a_graph_and_its_labels():
    html = octile.from_smiles("CCO", name="<ethanol>")._repr_html_()
    assert html.count("<circle") == 3 and "&lt;ethanol&gt;" in html and "<th>vertex element</th><td>C, C, O</td>" in html


@pytest.mark.parametrize("graph", (
    octile.Graph(201), octile.Graph(10_000, [(k, k + 1) for k in range(9_999)], vertex_labels={"sizes": [[1.0] * 100] * 10_000}),
    octile.Graph(100, [(i, j) for i in range(100) for j in range(i)])))
def test_a_notebook_shows_of_a_large_graph_a_table_alone(graph):
    html = graph._repr_html_()
    assert "<svg" not in html and "none of more than 200 vertices or 4000 edges" in html and len(html) < 1000
    with pytest.raises(octile.Error, match="allowed to be drawn are 200 and 4000"):
        draw.graph(graph)


@pytest.mark.parametrize("size", (39, 1.5, True, "wide"))
def test_the_size_of_a_graphs_picture_is_checked(size):
    with pytest.raises(octile.Error, match="allowed is a number of pixels, at least 40"):
        draw.graph("CC", size=size)


def test_a_notebook_shows_a_result_and_a_kernel(molecules):
    kernel = octile.Kernel("delta(element,0.5)")
    result = kernel.solve(molecules)
    html = result._repr_html_()
    assert html.count("<image") == 1 and "<td>12 × 12</td>" in html and "144 converged" in html
    assert repr(result).startswith("<octile.Result pairs: 12 × 12; values: 0.") and len(repr(result)) < 300
    assert "<image" not in kernel.solve(molecules, pairs=[(0, 1)])._repr_html_()
    assert "<td>vertex.delta(element)</td><td>0.5</td><td>0.001 … 1</td>" in kernel._repr_html_()
    assert "<td>fixed</td>" in kernel.fixed()._repr_html_()


def test_a_notebook_shows_a_large_result_by_some_of_its_values(molecules):
    result = dataclasses.replace(octile.Kernel().solve(molecules[:2]), values=np.eye(1001))
    html = result._repr_html_()
    assert "of one row and column in 3" in html and len(html) < 50_000
    broken = dataclasses.replace(result, values=np.full((3, 3), np.nan))
    assert "<image" not in broken._repr_html_()


def test_a_matrix_may_be_that_of_a_result(molecules):
    result = octile.Kernel("delta(element,0.5)").solve(molecules)
    assert draw.matrix(result).svg == draw.matrix(result.values).svg
