# SPDX-License-Identifier: BSD-3-Clause
"""Graphs from PyTorch Geometric, of objects with the same members, and of its own where it is installed."""
import types

import numpy as np
import pytest

import octile

# A triangle with a tail, each edge in both directions.
EDGES = [(0, 1), (1, 0), (1, 2), (2, 1), (2, 0), (0, 2), (2, 3), (3, 2)]
UNDIRECTED = [(0, 1), (1, 2), (0, 2), (2, 3)]


class Data(types.SimpleNamespace):
    """A Data by its members alone."""


Data.__module__ = "torch_geometric.data.data"


def data(edges=EDGES, nodes=4, **more):
    return Data(edge_index=np.array(edges, dtype=np.int64).reshape(-1, 2).T, num_nodes=nodes, **more)


def test_edges_of_both_directions_are_one():
    assert octile.as_graph(data()) == octile.Graph(4, UNDIRECTED)
    assert octile.from_pyg(data([], nodes=2)) == octile.Graph(2)


def test_tensors_are_labels_a_column_each():
    both = np.repeat([1.0, 2.0, 3.0, 4.0], 2)
    made = octile.from_pyg(data(x=np.array([[6, 1], [7, 0], [8, 0], [6, 1]]), z=np.array([1, 2, 3, 4]), edge_attr=both[:, None], edge_weight=both / 2,
                                y=np.array([-1.5]), other=None), name="made")
    assert made == octile.Graph(4, UNDIRECTED, [0.5, 1, 1.5, 2], {"x0": [6, 7, 8, 6], "x1": [1, 0, 0, 1], "z": [1, 2, 3, 4]},
                                {"edge_attr": [1.0, 2, 3, 4]})
    assert (made.name, made.targets) == ("made", {"y": -1.5})
    assert octile.from_pyg(data(edge_weight=both), weight=None) == octile.Graph(4, UNDIRECTED)


def test_vectors_are_one_label():
    x = np.arange(8.0).reshape(4, 2)
    attributes = np.repeat(np.arange(8.0).reshape(4, 2), 2, axis=0)
    made = octile.from_pyg(data(x=x, edge_attr=attributes, y=np.array([[1.0, 2.0]])), vectors=["x", "edge_attr"])
    assert made == octile.Graph(4, UNDIRECTED, None, {"x": x.tolist()}, {"edge_attr": attributes[::2].tolist()})
    assert made.targets == {"y0": 1.0, "y1": 2.0}
    kernel = octile.Kernel("normalize(1+dot(x))")
    assert kernel([made, octile.from_pyg(data(x=x[::-1]), vectors=["x"])]).shape == (2, 2)


def test_targets_of_nodes_are_none_of_the_graph():
    assert octile.from_pyg(data(y=np.zeros(4))).targets == {}


@pytest.mark.parametrize("wrong, words", [
    (lambda: data([(0, 1)]), ["'g'", "from 0 to 1", "one direction", "ToUndirected"]),
    (lambda: data([(0, 0)]), ["'g'", "node 0", "itself"]),
    (lambda: data([(0, 1), (1, 0), (0, 1)]), ["'g'", "more than once"]),
    (lambda: Data(num_nodes=2), ["'g'", "no edge_index"]),
    (lambda: Data(num_nodes=2, edge_index=np.zeros((3, 2))), ["'g'", "(3, 2)", "(2, edges)"]),
    (lambda: data(x=np.zeros((3, 2))), ["'g'", "x", "(3, 2)", "(4, columns)", "node"]),
    (lambda: data(edge_attr=np.arange(8)), ["'g'", "edge_attr", "differs"]),
    (lambda: data(edge_weight=np.ones((8, 2))), ["'g'", "edge_weight", "2 columns"]),
    (lambda: data(edge_weight=-np.ones(8)), ["'g'", "-1"])])
def test_wrong_data_are_refused(wrong, words):
    with pytest.raises(octile.Error) as raised:
        octile.from_pyg(wrong(), name="g")
    for word in words:
        assert word in str(raised.value)


def test_its_own_data_are_graphs():
    torch = pytest.importorskip("torch", reason="torch is not installed")
    geometric = pytest.importorskip("torch_geometric.data", reason="torch_geometric is not installed")
    made = geometric.Data(x=torch.tensor([[6.0], [7.0], [8.0], [6.0]], requires_grad=True), edge_index=torch.tensor(EDGES).T,
                          edge_attr=torch.tensor([[1], [1], [2], [2], [1], [1], [2], [2]]), y=torch.tensor([0.5]))
    graph = octile.as_graph(made)
    assert graph == octile.Graph(4, UNDIRECTED, None, {"x": [6.0, 7, 8, 6]}, {"edge_attr": [1, 2, 1, 2]})
    assert graph.targets == {"y": 0.5}
    loader = pytest.importorskip("torch_geometric.utils", reason="torch_geometric is not installed")
    networkx = pytest.importorskip("networkx")
    again = loader.from_networkx(networkx.cycle_graph(5))
    assert octile.Kernel()([again, networkx.cycle_graph(5)])[0, 1] == pytest.approx(1)
