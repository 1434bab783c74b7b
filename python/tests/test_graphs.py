# SPDX-License-Identifier: BSD-3-Clause
"""Graphs: what they keep, what they refuse, and what Python does with them."""
import copy
import pickle

import numpy as np
import pytest

import octile
from conftest import assert_refused


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


class Some:
    """A data set as PyTorch has them: it is asked for its items by number."""

    def __init__(self, items):
        self.items = items

    def __len__(self):
        return len(self.items)

    def __getitem__(self, place):
        return self.items[place]


def test_what_is_asked_for_its_items_by_number_is_a_sequence():
    graphs = [octile.Graph(2, [(0, 1)]), octile.Graph(3, [(0, 1), (1, 2)])]
    assert (octile.Kernel()(Some(graphs)) == octile.Kernel()(graphs)).all()
    by_number = octile.Graph(3, Some([(0, 1), (1, 2)]), vertex_labels={"kind": Some([1, 1, 2])})
    assert by_number == octile.Graph(3, [(0, 1), (1, 2)], vertex_labels={"kind": [1, 1, 2]})


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
    ((2, [(0, 1, 2)]), {}, ["'g'", "edge 0 is (0, 1, 2)", "pairs of vertices"]),
    ((2, [(0, 1), (0,)]), {}, ["'g'", "edge 1 is (0,)", "pairs of vertices"]),
    ((2, [(0, (0, 1))]), {}, ["'g'", "edge 0 is (0, (0, 1))"]),
    ((2, ["ab"]), {}, ["'g'", "edge 0 is 'ab'"]),
    ((2, 5), {}, ["'g'", "edges is 5", "pairs of vertices"]),
    ((2, np.zeros((1, 3), dtype=int)), {}, ["'g'", "(1, 3)", "pairs of vertices"]),
    ((2, [(0.5, 1.0)]), {}, ["'g'", "edge (0.5, 1.0): vertex 0.5", "integers"]),
    ((2, np.array([[0, 1], [1, 0.5]])), {}, ["'g'", "edge (0.0, 1.0): vertex 0.0", "integers"]),
    ((2, [(0, "a")]), {}, ["'g'", "edge (0, 'a'): vertex 'a'", "integers"]),
    ((2, [(0, None)]), {}, ["'g'", "vertex None", "integers"]),
    ((2, [(0, 1), (0, 2**40)]), {}, ["'g'", "edge (0, 1099511627776): vertex 1099511627776 does not exist; allowed is 0 to 1"]),
    ((2, [(0, 1), (-2**40, 1)]), {}, ["'g'", "edge (-1099511627776, 1)", "allowed is 0 to 1"]),
    ((2, [(0, 2**70)]), {}, ["'g'", "vertex 1180591620717411303424", "allowed is 0 to 1"]),
    ((2, [(0, 1)], [-1.0]), {}, ["'g'", "-1"]),
    ((2, [(0, 1)], [np.nan]), {}, ["'g'", "nan"]),
    ((2, [(0, 1)], [1.0, 2.0]), {}, ["'g'", "(2,)", "(1,)"]),
    ((2, [(0, 1)], ["heavy"]), {}, ["'g'", "weight 0 is 'heavy'", "allowed are numbers"]),
    ((3, [(0, 1), (1, 2)], [1.0, 1j]), {}, ["'g'", "weight 1 is 1j", "allowed are numbers"]),
    ((2, [(0, 1)], np.array([1j])), {}, ["'g'", "weight 0 is", "1j", "allowed are numbers"]),
    ((2, [(0, 1)], [[1], [1, 2]]), {}, ["'g'", "weight 0 is [1]"]),
    ((2, [(0, 1)], object()), {}, ["'g'", "weights are <object", "allowed are numbers"]),
    ((2,), {"vertex_labels": {"kind": ["a"]}}, ["'g'", "'kind'", "1 values", "2 vertices"]),
    ((2,), {"vertex_labels": {"kind": ["a", 1]}}, ["'g'", "'kind'", "several types", "'a' and 1", "one type"]),
    ((2,), {"vertex_labels": {"kind": 5}}, ["'g'", "'kind' is 5", "allowed are"]),
    ((2,), {"vertex_labels": ["kind"]}, ["'g'", "vertex_labels is ['kind']", "mapping"]),
    ((2,), {"vertex_labels": {"kind": [[[1]], [2]]}}, ["'g'", "'kind'", "[1] in a list"]),
    ((2,), {"vertex_labels": {"kind": [{1, "a"}, {2}]}}, ["'g'", "'kind'", "1 and 'a'"]),
    ((2,), {"vertex_labels": {"kind": [[None], [2]]}}, ["'g'", "'kind'", "None"]),
    ((2,), {"vertex_labels": {"kind": [None, 1]}}, ["'g'", "'kind'"]),
    ((2,), {"vertex_labels": {"kind": [1j, 1]}}, ["'g'", "'kind'", "1j"]),
    ((2,), {"vertex_labels": {"kind": [np.inf, 1.0]}}, ["'g'", "kind", "inf"]),
    ((2,), {"vertex_labels": {"kind": [["a", 1], ["b"]]}}, ["'g'", "'kind'", "lists"]),
    ((2,), {"vertex_labels": {1: ["a", "b"]}}, ["'g'", "1", "no text", "allowed are texts"]),
    ((2,), {"start": [1.0, "b"]}, ["'g'", "starting weight 1 is 'b'", "allowed are numbers"]),
    ((2,), {"targets": {"energy": "low"}}, ["'g'", "'energy' is 'low'", "allowed is a number"]),
    ((2,), {"targets": [1.0]}, ["'g'", "targets are [1.0]", "mapping"]),
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


def test_integers_are_taken_however_they_are_held():
    graphs = [octile.Graph(2, edges) for edges in ([(0, 1)], [(np.int64(0), np.uint8(1))], np.array([[0, 1]], dtype=object), {(0, 1)},
                                                   np.array([[1, 0]], dtype=np.uint64), iter([[0, 1]]))]
    assert len(set(graphs)) == 1 and graphs[0].edges.tolist() == [[0, 1]]
    # No edges have many shapes.
    assert {octile.Graph(2, edges) for edges in ((), [], np.zeros((0, 2)), np.zeros(0))} == {octile.Graph(2)}


def test_labels_of_texts_and_lists_are_taken_from_arrays_too():
    assert octile.Graph(3, vertex_labels={"element": "OHH"}).vertex_labels["element"] == ["O", "H", "H"]
    words = octile.Graph(2, vertex_labels={"words": np.array([["a", "b"], ["c", "d"]])})
    assert words.vertex_labels["words"] == [["a", "b"], ["c", "d"]]


@pytest.mark.parametrize("call, words", [
    (lambda: octile.as_graphs(["CC", "C(("]), ["X[1]: 'C((' is not a valid SMILES"]),
    (lambda: octile.Kernel()(["CC"], ["CC", "C", 5]), ["Y[2]: int is no graph; allowed are octile.Graph, SMILES"]),
    (lambda: octile.Kernel().solve(["CC", None]), ["X[1]: NoneType is no graph"]),
    (lambda: octile.Kernel().attribution(["CC"], ["C(("], [1.0]), ["Y[0]: 'C(('"]),
    (lambda: octile.Kernel()(5), ["X is 5; allowed is a sequence of graphs"]),
    (lambda: octile.Kernel()("CC"), ["X is one graph, of type str; allowed is a sequence of graphs"]),
    (lambda: octile.distance(["C"], ["C(("]), ["Y[0]: 'C(('"]),
    (lambda: octile.GramTransformer().fit(["C", "C(("]), ["X[1]: 'C(('"]),
    (lambda: octile.gp.select(["C(("], 1, octile.Kernel()), ["pool[0]: 'C(('"]),
    (lambda: octile.gp.LowRank(inducing=["C", "C(("]).fit(["C", "CC"], [1.0, 2.0]), ["inducing[1]: 'C(('"]),
    (lambda: octile.position_gradient(octile.Kernel(), [("H", [[0, 0, 0]]), 5], np.ones((2, 2))), ["X[1]: int has no positions; allowed"]),
    (lambda: octile.position_gradient(octile.Kernel(), [("H", [[0, 0, 0]])], np.ones((1, 1)), ["C(("]), ["Y[0]: 'C(('"])])
def test_a_wrong_graph_of_a_sequence_is_named_by_its_place(call, words):
    assert_refused(call, words)
