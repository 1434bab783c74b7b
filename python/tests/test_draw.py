# SPDX-License-Identifier: BSD-3-Clause
"""Pictures: what is drawn, in which order, and what is refused."""
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
