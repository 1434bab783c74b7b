# SPDX-License-Identifier: BSD-3-Clause
"""The notebook of examples/ runs, cell after cell, and finds what it says.

Jupyter is not used: the file is read as JSON, its cells run in order in one namespace, and the last expression of a cell is shown as a
notebook would, by _repr_svg_ or _repr_html_.
"""
import ast
import json
import pathlib

import numpy as np
import pytest

FOLDER = pathlib.Path(__file__).parents[2] / "examples"
NOTEBOOK = json.loads((FOLDER / "tutorial.ipynb").read_text(encoding="utf-8"))
CODE = [(cell["id"], "".join(cell["source"])) for cell in NOTEBOOK["cells"] if cell["cell_type"] == "code"]


def run(name, source, scope):
    """Runs a cell; what it ends with, or None."""
    tree = ast.parse(source, name)
    last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, name, "exec"), scope)
    return None if last is None else eval(compile(ast.Expression(last.value), name, "eval"), scope)


@pytest.fixture(scope="module")
def finished():
    """The namespace after all cells, and what each showed."""
    scope, shown = {"__name__": "__main__"}, []
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(FOLDER)
        for name, source in CODE:
            value = run(name, source, scope)
            for method in ("_repr_svg_", "_repr_html_"):
                if hasattr(value, method):
                    shown.append(getattr(value, method)())
    return scope, shown


def test_the_file_is_a_notebook_without_outputs():
    assert (NOTEBOOK["nbformat"], NOTEBOOK["nbformat_minor"]) == (4, 5)
    ids = [cell["id"] for cell in NOTEBOOK["cells"]]
    assert len(set(ids)) == len(ids)
    for cell in NOTEBOOK["cells"]:
        assert set(cell) == ({"cell_type", "id", "metadata", "source"} |
                             ({"execution_count", "outputs"} if cell["cell_type"] == "code" else set()))
        assert not cell.get("outputs") and cell.get("execution_count") is None


def test_the_first_cell_goes_from_smiles_to_a_model_in_ten_lines(finished):
    assert len(CODE[0][1].splitlines()) <= 10
    scope, _ = finished
    # The mean of all boiling points is wrong by 47 °C.
    assert np.abs(scope["predicted"] - scope["y"]).mean() < 15
    assert abs(scope["hexanol"] - 157.6) < 10
    assert scope["shares"].argmax() == 6  # the oxygen


def test_networks_are_grouped_by_their_kind(finished):
    groups = finished[0]["groups"].reshape(3, 4)
    assert np.all(groups == groups[:, :1]) and len(set(groups[:, 0])) == 3


def test_new_molecules_are_nearest_to_their_kin(finished):
    assert [row[0] for row in finished[0]["nearest"]] == ["aspirin", "theophylline"]


def test_cells_end_with_pictures(finished):
    shown = finished[1]
    assert len(shown) == 6
    assert sum("<svg" in one for one in shown) == 5 and sum("<table" in one for one in shown) == 3
    assert all(len(one) < 50_000 for one in shown)
