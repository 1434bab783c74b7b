# SPDX-License-Identifier: BSD-3-Clause
"""Values and derivatives beside those of GraphDot on the same graphs, which it was asked for once on a GPU (tests/data/peers)."""
import json
import pathlib

import numpy as np
import pytest

import octile

DATA = json.loads((pathlib.Path(__file__).parents[2] / "tests/data/peers/graphdot_gradients.json").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def peer_graphs():
    return [octile.Graph(graph["n"], [edge[:2] for edge in graph["edges"]], [edge[2] for edge in graph["edges"]],
                         {"element": graph["element"], "charge": graph["charge"]},
                         {"length": graph["length"], "order": graph["order"]}) for graph in DATA["graphs"]]


@pytest.mark.parametrize("case", DATA["cases"], ids=lambda case: f"{case['vertex']} {case['edge']} {case['q']}")
def test_values_and_derivatives_are_those_of_graphdot(case, peer_graphs):
    # GraphDot starts with p = 1 and stops with q d: K of ours times n m / q². Its float32 is right to about 3e-6.
    q = case["q"]
    sizes = np.array([graph.vertex_count for graph in peer_graphs], dtype=float)
    i, j = np.triu_indices(len(peer_graphs))
    scale = sizes[i] * sizes[j] / q**2
    kernel = octile.Kernel(case["vertex"], case["edge"], stopping=f"probability:{q}", normalize=False, accuracy=1e-10)
    result = kernel.solve(peer_graphs, gradient=True)
    values = result.values[i, j]
    np.testing.assert_allclose(values * scale, case["K"], rtol=3e-6)
    ours = result.gradient[i, j]
    by_q = ours[:, -1] - 2 / q * values  # of K / q²
    expected = dict(case["dK"])
    np.testing.assert_allclose(2 * values * scale, expected.pop("starting_probability.p"), rtol=3e-6)
    np.testing.assert_allclose(by_q * scale, expected.pop("stopping_probability"), rtol=1e-5)
    # The others by their numbers in the expressions, in order. GraphDot has none for the numbers that ours has weights for.
    named = [k for k, name in enumerate(result.parameters[:-1]) if "weight" not in name]
    assert len(named) == len(expected)
    for k, theirs in zip(named, expected.values(), strict=True):
        np.testing.assert_allclose(ours[:, k] * scale, theirs, rtol=1e-5, atol=1e-7 * np.max(np.abs(theirs)))
