# SPDX-License-Identifier: BSD-3-Clause
import os

import numpy as np
import pytest

import octile


# Whether the package is that for NVIDIA GPUs.
CUDA = any(name == "cuda" and available for name, _, available in octile.backends())


def random_graph(rng, vertices, name="", chance=0.4):
    """A labelled, weighted graph, which need not be connected."""
    edges = [(i, j) for i in range(vertices) for j in range(i + 1, vertices) if rng.random() < chance]
    return octile.Graph(
        vertices, edges, rng.uniform(0.5, 2.0, len(edges)),
        {"kind": rng.choice(["a", "b", "c"], vertices), "charge": rng.normal(size=vertices),
         "sizes": [rng.choice([3.0, 5.0, 6.0], rng.integers(1, 4)).tolist() for _ in range(vertices)]},
        {"order": rng.choice([1, 2, 3], len(edges)), "length": rng.uniform(1.0, 2.0, len(edges))},
        name=name or f"random {vertices}")


def assert_refused(make, words):
    """Making it raises our error, in one line with these words."""
    with pytest.raises(octile.Error) as raised:
        make()
    assert "\n" not in str(raised.value)
    for word in words:
        assert word in str(raised.value)


@pytest.fixture
def rng():
    return np.random.default_rng(20261123)


@pytest.fixture
def graphs(rng):
    # Sizes on both sides of a tile, an isolated vertex among them.
    return [random_graph(rng, n) for n in (1, 2, 5, 7, 8, 9, 12)]


@pytest.fixture
def molecules():
    smiles = ["CCO", "CC=O", "c1ccccc1", "CC(=O)O", "CCN", "c1ccncc1", "CC(=O)Oc1ccccc1C(=O)O", "C1CCCCC1", "CCOCC", "C#N",
              "CCCl", "OCC(O)CO"]
    return [octile.from_smiles(text) for text in smiles]


@pytest.fixture
def program():
    # `python/check` names the program of the same build; without it there is nothing to compare with.
    path = os.environ.get("OCTILE_PROGRAM", "")
    if not os.path.isfile(path):
        pytest.fail("OCTILE_PROGRAM names no program to compare with; `make python` does")
    return path
