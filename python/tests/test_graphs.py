# SPDX-License-Identifier: BSD-3-Clause
"""Graphs: what they keep, what they refuse, and what Python does with them."""
import copy
import pickle

import numpy as np
import pytest

import octile


def path(name="path", **options):
    return octile.Graph(3, [(2, 1), (0, 1)], [2.0, 1.0], {"kind": ["a", "b", "a"]}, {"order": [2, 1]}, name=name, **options)


def test_edges_are_ordered_with_their_weights_and_labels():
    graph = path()
    assert graph.edges.tolist() == [[0, 1], [1, 2]]
    assert graph.weights.tolist() == [1.0, 2.0]
    assert graph.edge_labels["order"].tolist() == [1, 2]
    assert graph.vertex_labels["kind"] == ["a", "b", "a"]
    assert (graph.vertex_count, graph.edge_count, graph.name) == (3, 2, "path")


def test_labels_keep_their_types():
    graph = octile.Graph(2, [], vertex_labels={
        "integer": [1, 2], "boolean": [True, False], "real": [1, 2.5], "text": ["a", "b"], "numpy": np.array([1, 2], dtype=np.uint8),
        "float32": np.array([0.5, 1], dtype=np.float32), "numbers": [[1, 2], []], "words": [["a"], ["b", "c"]]})
    types = {name: type_ for name, (type_, _) in graph._native.vertex_labels().items()}
    assert types == {"integer": "integer", "boolean": "integer", "real": "real", "text": "text", "numpy": "integer",
                     "float32": "real", "numbers": "list of reals", "words": "list of texts"}


@pytest.mark.parametrize("values", [
    [2**53, 2**53 + 1], [2**63 - 1, -2**63], [np.uint64(2**53 + 1), 2], [np.int64(2**53 + 1), np.int64(-2**53 - 1)],
    np.array([2**53, 2**53 + 1]), np.array([2**53, 2**53 + 1], dtype=np.uint64), [True, 2**60]])
def test_large_integers_are_kept_exactly(values):
    graph = octile.Graph(2, vertex_labels={"id": values})
    assert graph._native.vertex_labels()["id"][0] == "integer"
    assert graph.vertex_labels["id"].tolist() == [int(value) for value in values]
    # As labels they differ, also from those of other types.
    assert octile.Kernel("delta(id,0.5)")([graph, octile.Graph(2, vertex_labels={"id": [0.5, 0.25]})])[0, 1] < 1


@pytest.mark.parametrize("values, words", [
    ([2**63, 1], ["9223372036854775808", "2^63 - 1"]), ([2**63, -1], ["9223372036854775808", "2^63 - 1"]), ([-2**63 - 1, 1], ["-9223372036854775809"]),
    ([2**100, 1], [str(2**100)]), (np.array([2**63, 1], dtype=np.uint64), ["9223372036854775808"]), ([np.uint64(2**64 - 1), 1], [str(2**64 - 1)]),
    ([2**53, 0.5], ["9007199254740992", "among reals", "2^53"]), ([0.5, np.int64(-2**53 - 1)], ["-9007199254740993", "among reals"]),
    ([[2**53 + 1], [1]], ["9007199254740993", "2^53"]), (np.array([[2**53 + 1], [1]]), ["9007199254740993"])])
def test_integers_that_would_become_others_are_refused(values, words):
    with pytest.raises(octile.Error) as raised:
        octile.Graph(2, vertex_labels={"id": values}, name="g")
    for word in ["'g'", "'id'", *words]:
        assert word in str(raised.value)


def test_equal_graphs_are_equal_whatever_their_names_and_targets():
    assert path("one") == path("other", targets={"energy": 1.0})
    assert hash(path("one")) == hash(path("other"))
    assert len({path("one"), path("other")}) == 1


@pytest.mark.parametrize("other", [
    octile.Graph(3, [(2, 1), (0, 1)], [2.0, 1.5], {"kind": ["a", "b", "a"]}, {"order": [2, 1]}),
    octile.Graph(3, [(2, 1), (0, 1)], [2.0, 1.0], {"kind": ["a", "b", "c"]}, {"order": [2, 1]}),
    octile.Graph(3, [(2, 1), (0, 1)], [2.0, 1.0], {"kind": ["a", "b", "a"]}, {"order": [2, 2]}),
    octile.Graph(3, [(2, 1), (0, 1)], [2.0, 1.0], {"name": ["a", "b", "a"]}, {"order": [2, 1]}),
    octile.Graph(3, [(2, 1), (0, 1)], [2.0, 1.0], {"kind": ["a", "b", "a"]}, {"order": [2, 1]}, start=[1, 2, 1]),
    octile.Graph(3, [(2, 1), (0, 2)], [2.0, 1.0], {"kind": ["a", "b", "a"]}, {"order": [2, 1]}),
    "path"])
def test_what_a_kernel_sees_makes_graphs_differ(other):
    assert path() != other


@pytest.mark.parametrize("graph", [
    path(start=[1, 2, 3], targets={"energy": -1.5}),
    octile.Graph(1, vertex_labels={"words": [["a", "b"]], "numbers": [[]]}, edge_labels={"text": np.array([], dtype=str)}),
    octile.Graph(2, [(0, 1)], name="äöü", edge_labels={"length": [0.1]})])
def test_pickles_and_copies_are_equal(graph):
    for made in (pickle.loads(pickle.dumps(graph)), copy.deepcopy(graph), copy.copy(graph)):
        assert made == graph
        assert (made.name, made.targets) == (graph.name, graph.targets)
        assert np.array_equal(made.start, graph.start)
        assert made._native.edge_labels().keys() == graph._native.edge_labels().keys()
        assert [t for t, _ in made._native.edge_labels().values()] == [t for t, _ in graph._native.edge_labels().values()]


def test_errors_have_the_name_under_which_they_are_caught():
    with pytest.raises(octile.Error) as raised:
        octile.Graph(0)
    assert f"{type(raised.value).__module__}.{type(raised.value).__name__}" == "octile.Error"
    assert str(pickle.loads(pickle.dumps(raised.value))) == str(raised.value)


def test_a_graph_is_no_sequence():
    assert np.asarray([path(), path()]).dtype == object
    assert np.asarray([path(), path()]).shape == (2,)
    assert not hasattr(path(), "__len__")


def test_repr_says_what_there_is():
    assert repr(path()) == "<octile.Graph 'path': 3 vertices; 2 edges; vertex labels: kind; edge labels: order>"
    assert repr(octile.Graph(1)) == "<octile.Graph '': 1 vertex; 0 edges>"
    assert "<th>vertex kind</th><td>a, b, a</td>" in path()._repr_html_()
    assert "<b>" not in octile.Graph(1, name="<b>")._repr_html_()


def test_an_edge_of_weight_zero_is_none():
    assert octile.Graph(3, [(0, 1), (1, 2)], [0.0, 1.0], edge_labels={"order": [1, 2]}).edge_labels["order"].tolist() == [2]


@pytest.mark.parametrize("arguments, options, words", [
    ((0,), {}, ["'g'", "at least one"]),
    ((-1,), {}, ["'g'", "-1", "at least 1"]),
    ((2.0,), {}, ["'g'", "2.0", "number"]),
    ((True,), {}, ["'g'", "True"]),
    ((2, [(0, 2)]), {}, ["'g'", "2"]),
    ((2, [(0, 0)]), {}, ["'g'", "0"]),
    ((2, [(0, 1), (1, 0)]), {}, ["'g'", "0"]),
    ((2, [(0, 1, 2)]), {}, ["'g'", "(1, 3)", "pairs"]),
    ((2, [(0.5, 1.0)]), {}, ["'g'", "float64", "integers"]),
    ((2, [(0, 2**40)]), {}, ["'g'", "32 bits"]),
    ((2, [(0, 1)], [-1.0]), {}, ["'g'", "-1"]),
    ((2, [(0, 1)], [np.nan]), {}, ["'g'", "nan"]),
    ((2, [(0, 1)], [1.0, 2.0]), {}, ["'g'", "(2,)", "(1,)"]),
    ((2, [(0, 1)], ["heavy"]), {}, ["'g'", "not numbers"]),
    ((2,), {"vertex_labels": {"kind": ["a"]}}, ["'g'", "'kind'", "1 values", "2 vertices"]),
    ((2,), {"vertex_labels": {"kind": ["a", 1]}}, ["'g'", "'kind'", "several types", "one type"]),
    ((2,), {"vertex_labels": {"kind": [None, 1]}}, ["'g'", "'kind'"]),
    ((2,), {"vertex_labels": {"kind": [1j, 1]}}, ["'g'", "'kind'", "1j"]),
    ((2,), {"vertex_labels": {"kind": [np.inf, 1.0]}}, ["'g'", "kind", "inf"]),
    ((2,), {"vertex_labels": {"kind": [["a", 1], ["b"]]}}, ["'g'", "'kind'", "lists"]),
    ((2,), {"vertex_labels": {1: ["a", "b"]}}, ["'g'", "1", "no text"]),
    ((2,), {"start": [0.0, 0.0]}, ["'g'"]),
    ((2,), {"start": [-1.0, 2.0]}, ["'g'", "-1"]),
    ((2,), {"start": [1.0]}, ["'g'", "(1,)", "(2,)"]),
    ((2,), {"targets": {"energy": np.nan}}, ["'g'", "energy", "nan"])])
def test_a_wrong_graph_is_refused_with_its_name_and_what_was_allowed(arguments, options, words):
    with pytest.raises(octile.Error) as raised:
        octile.Graph(*arguments, name="g", **options)
    assert isinstance(raised.value, ValueError)
    assert "\n" not in str(raised.value)
    for word in words:
        assert word in str(raised.value)
