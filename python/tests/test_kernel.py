# SPDX-License-Identifier: BSD-3-Clause
"""Values against a dense solve by NumPy, derivatives against central differences of it."""
import logging
import re
import sys

import numpy as np
import pytest

import dense
import octile
from octile.kernels import delta, gaussian
from conftest import assert_refused

CASES = {
    "unlabelled": ({}, (dense.constant(1), dense.constant(1), 0.05), {}),
    "delta": ({"vertex": "delta(kind,0.5)", "edge": "delta(order,0.3)"}, (dense.delta("kind", 0.5), dense.delta("order", 0.3), 0.05), {}),
    "weight": ({"vertex": "delta(kind,0.5)", "edge": "gaussian(length,0.4)", "stopping": "weight:0.1"},
               (dense.delta("kind", 0.5), dense.gaussian("length", 0.4), 0.1), {"meaning": "weight"}),
    "lists": ({"vertex": "convolution(sizes,delta(_,0.5))*gaussian(charge,2)", "edge": "0.5*delta(order,0.2)+0.5*gaussian(length,1)"},
              (dense.product(dense.mean("sizes", 0.5), dense.gaussian("charge", 2)),
               dense.total((0.5, dense.delta("order", 0.2)), (0.5, dense.gaussian("length", 1))), 0.05), {}),
    "normalize": ({"vertex": "normalize(4*delta(kind,0.5)+2*gaussian(charge,2)+1)", "edge": "delta(order,0.2)"},
                  (dense.normalized(dense.total((4, dense.delta("kind", 0.5)), (2, dense.gaussian("charge", 2)), (1, dense.constant(1)))),
                   dense.delta("order", 0.2), 0.05), {}),
    "ones": ({"vertex": "delta(kind,0.5)", "start": "ones"}, (dense.delta("kind", 0.5), dense.constant(1), 0.05),
             {"start": lambda graph: np.ones(graph.vertex_count)}),
    "lmin": ({"vertex": "delta(kind,0.5)", "lmin": 1}, (dense.delta("kind", 0.5), dense.constant(1), 0.05), {"lmin": 1}),
}
WITHOUT_WALKS = "lmin"


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("normalize", [False, True])
def test_values_are_those_of_a_dense_solve_within_their_bounds(case, normalize, graphs):
    options, kernel, more = CASES[case]
    if case == WITHOUT_WALKS:
        graphs = [graph for graph in graphs if graph.edge_count]
    result = octile.Kernel(**options, normalize=normalize).solve(graphs)
    exact = dense.gram(graphs, graphs, *kernel, normalize=normalize, **more)
    assert np.all(result.status == "converged")
    assert np.all(result.bounds <= (4e-6 if normalize else 1e-6))
    # NumPy's own rounding is beyond 1e-12 nowhere.
    assert np.all(np.abs(result.values - exact) <= (result.bounds + 1e-12) * exact)
    assert np.array_equal(result.values, result.values.T)


def test_tanimoto_is_that_of_a_dense_solve_within_its_bounds(graphs):
    kernel = octile.Kernel("delta(kind,0.5)", "delta(order,0.3)", start="ones", normalize="tanimoto")
    raw = dense.gram(graphs, graphs, dense.delta("kind", 0.5), dense.delta("order", 0.3), 0.05, start=lambda g: np.ones(g.vertex_count))
    exact = raw / (np.diag(raw)[:, None] + np.diag(raw)[None, :] - raw)
    for rows, columns, part in ((graphs, None, exact), (graphs[2:], graphs[:4], exact[2:, :4]), (graphs[:1], graphs[3:5], exact[:1, 3:5])):
        result = kernel.solve(rows, columns)
        assert np.all(result.bounds < 1e-5)
        assert np.all(np.abs(result.values - part) <= (result.bounds + 1e-12) * part)
    assert np.array_equal(kernel.diag(graphs), np.ones(len(graphs)))
    assert np.linalg.eigvalsh(kernel(graphs)).min() > 0


@pytest.mark.parametrize("normalize", [False, True, "tanimoto"])
def test_graphs_without_walks_are_like_each_other_alone(normalize, graphs):
    """Where walks have at least one step, K of graphs without edges is 0."""
    empty = [octile.Graph(1, vertex_labels={"kind": ["a"]}), octile.Graph(2, vertex_labels={"kind": ["a", "b"]})]
    every = [*empty, graphs[3]]
    kernel = octile.Kernel("delta(kind,0.5)", lmin=1, normalize=normalize)
    result = kernel.solve(every, gradient=True)
    between = 1.0 if normalize == "tanimoto" else 0.0
    own = 0.0 if normalize is False else 1.0
    assert np.array_equal(result.values[:2], [[own, between, 0.0], [between, own, 0.0]])
    assert np.all(result.bounds < 1e-5) and np.allclose(result.gradient[:2], 0, atol=1e-6)
    assert np.allclose(kernel(every), result.values, rtol=1e-6, atol=0)
    assert np.array_equal(kernel(every[:2], every[1:]), result.values[:2, 1:])
    assert np.array_equal(kernel.diag(every)[:2], [own, own])
    values, summed = kernel.weighted_gradient(every, np.ones((3, 3)))
    assert np.array_equal(values[:2], result.values[:2]) and np.all(np.isfinite(summed))
    if normalize is not False:
        assert np.array_equal(octile.distance(every, kernel=kernel)[:2, :2], np.sqrt(2 - 2 * result.values[:2, :2]))
    if normalize != "tanimoto":
        assert np.allclose(kernel.attribution(empty, every, np.ones(3))[1], [0.0, 0.0], atol=1e-9)


@pytest.mark.parametrize("normalize", [True, "tanimoto"])
@pytest.mark.parametrize("square", [False, True])
def test_a_value_is_as_uncertain_as_the_graphs_with_themselves(normalize, square):
    faint = octile.Graph(2, [(0, 1)], [1e-300], name="faint")
    paths = [octile.Graph(n, [(k, k + 1) for k in range(n - 1)], name=f"path {n}") for n in (2, 3)]
    options = {"stopping": "weight:1e-12", "accuracy": 1e-12}
    # K(faint, path) is exact, and K(path, path) is not.
    assert np.all(octile.Kernel(normalize=False, **options).solve([faint], paths).status == "converged")
    with pytest.warns(octile.ConvergenceWarning, match="'path 2' \\(stagnated\\)"):
        result = octile.Kernel(normalize=normalize, **options).solve(*([[faint, *paths]] if square else [[faint], paths]))
    wrong = result.status[0, 1:] if square else result.status[0]
    assert wrong.tolist() == ["stagnated", "stagnated"]
    assert np.all(result.bounds[result.status != "converged"] > 1e-12) or square
    if square:
        assert result.status[0, 0] == "converged" and np.array_equal(result.status, result.status.T)


@pytest.mark.parametrize("normalize", [False, True])
def test_rectangles_diagonals_and_single_pairs_agree_with_the_square(normalize, graphs):
    kernel = octile.Kernel("delta(kind,0.5)", "delta(order,0.3)", normalize=normalize, accuracy=1e-10)
    square = kernel(graphs)
    assert np.allclose(kernel(graphs[:3], graphs[2:]), square[:3, 2:], rtol=1e-9, atol=0)
    assert np.allclose(kernel(graphs[4:5], graphs), square[4:5], rtol=1e-9, atol=0)
    assert np.allclose(kernel.diag(graphs), np.diag(square), rtol=1e-9, atol=0)
    assert kernel(graphs[:1], graphs[1:2]).shape == (1, 1)


def test_a_kernel_that_sees_no_difference_is_warned_of_before_the_work(recwarn):
    cycles = [octile.Graph(n, [(k, (k + 1) % n) for k in range(n)], name=f"cycle {n}") for n in (5, 6, 7)]
    molecules = ["CCO", "CC(C)O", "c1ccccc1", "[Na+].CC(=O)[O-]"]
    unlabelled = octile.Kernel()
    for call in (lambda: unlabelled(molecules), lambda: unlabelled.solve(molecules), lambda: octile.GramTiles(unlabelled, molecules),
                 lambda: unlabelled.weighted_gradient(molecules, np.ones((4, 4)))):
        with pytest.warns(octile.SamenessWarning, match="^3 of 4 graphs are the same to this kernel.* compare labels, such as degree"):
            call()
    with pytest.warns(octile.SamenessWarning, match="^3 of 3 graphs .* all their vertices have one weighted degree"):
        assert np.allclose(octile.Kernel(stopping="weight:0.05", start="ones")(cycles), 1)

    recwarn.clear()
    octile.Kernel(stopping="weight:0.05")(molecules)
    octile.Kernel(vertex="delta(element,0.5)")(molecules)
    octile.Kernel(stopping="weight:0.05", start="ones", normalize=False)(cycles)
    octile.Kernel(stopping="weight:0.05", start="ones", normalize="tanimoto")(cycles)
    assert not [one for one in recwarn if one.category is octile.SamenessWarning]


def test_equal_graphs_are_solved_once(graphs):
    kernel = octile.Kernel("delta(kind,0.5)")
    twice = [*graphs, *graphs[::-1]]
    index = [*range(len(graphs)), *range(len(graphs))[::-1]]
    counted = []
    # Pairs that miss their accuracy are solved again, and count again; to 1e-3 none does.
    watched = octile.Kernel("delta(kind,0.5)", normalize=False, accuracy=1e-3,
                            progress=lambda done, of, seconds: counted.append(of))
    values = watched(twice)
    assert max(counted) == len(graphs) * (len(graphs) + 1) // 2
    assert np.array_equal(values, watched(graphs)[np.ix_(index, index)])
    _, gradient = kernel(twice, eval_gradient=True)
    assert np.array_equal(gradient, kernel(graphs, eval_gradient=True)[1][np.ix_(index, index)])


@pytest.mark.parametrize("options", [
    {"vertex": "delta(kind,0.5)", "edge": "delta(order,0.3)"},
    {"vertex": "delta(kind,0.5)", "edge": "gaussian(length,0.4)", "stopping": "weight:0.1"},
    {"vertex": "normalize(4*delta(kind,0.5)+2*gaussian(charge,2)+1)", "edge": "rational(length,0.5,2)*delta(order,0.2)"},
    {"vertex": "convolution(sizes,delta(_,0.5))", "edge": "1"},
    {"vertex": "delta(kind,0.5)", "edge": "delta(order,0.3)", "start": "degree"},
    {"vertex": "delta(kind,0.5)", "edge": "delta(order,0.3)", "lmin": 1},
    {"vertex": "delta(kind,0.5)", "edge": "delta(order,0.3)", "bounds_by_name": {"edge.delta(order)": "fixed"}}])
@pytest.mark.parametrize("normalize", [False, True, "tanimoto"])
def test_gradients_are_central_differences(options, normalize, graphs):
    graphs = [graph for graph in graphs if graph.edge_count]
    kernel = octile.Kernel(**options, normalize=normalize, accuracy=1e-11)
    values, gradient = kernel(graphs, eval_gradient=True)
    assert gradient.shape == (*values.shape, len(kernel.theta))
    step = 1e-4
    for k in range(len(kernel.theta)):
        move = step * (np.arange(len(kernel.theta)) == k)
        ahead, behind = (kernel.clone_with_theta(kernel.theta + sign * move)(graphs) for sign in (1, -1))
        # The difference's own error is step² and accuracy / step.
        assert np.allclose(gradient[:, :, k], (ahead - behind) / (2 * step), rtol=2e-6, atol=2e-7 * np.abs(values).max())


@pytest.mark.parametrize("normalize", [False, True, "tanimoto"])
def test_the_weighted_gradient_is_the_sum_of_the_gradients(normalize, graphs, rng):
    kernel = octile.Kernel("delta(kind,0.5)", "delta(order,0.3)", normalize=normalize, accuracy=1e-10)
    twice = [*graphs, graphs[2]]
    weights = rng.normal(size=(len(twice), len(twice)))
    values, summed = kernel.weighted_gradient(twice, weights)
    all_values, gradient = kernel(twice, eval_gradient=True)
    assert np.allclose(values, all_values, rtol=1e-9)
    assert np.allclose(summed, np.einsum("ij,ijk->k", weights, gradient), rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("normalize", [False, True, "tanimoto"])
def test_weighted_gradients_of_rectangles_and_lists_are_sums_of_the_jacobian(normalize, graphs, rng):
    kernel = octile.Kernel("delta(kind,0.5)", "delta(order,0.3)", normalize=normalize, accuracy=1e-10)
    scale = np.exp(kernel.theta)
    square = kernel.solve(graphs, gradient=True)
    # With a graph that is in both, and one that is there twice.
    rows, columns = [0, 3, 5, 3], [6, 5, 1]
    weights = rng.normal(size=(4, 3))
    values, summed = kernel.weighted_gradient([graphs[k] for k in rows], weights, [graphs[k] for k in columns])
    block = np.ix_(rows, columns)
    assert np.allclose(values, square.values[block], rtol=1e-9)
    assert np.allclose(summed, np.einsum("ij,ijk->k", weights, square.gradient[block]) * scale, rtol=1e-6, atol=1e-9)
    pairs, weights = [(1, 4), (4, 1), (2, 2), (6, 0), (1, 4)], rng.normal(size=5)
    first, second = np.transpose(pairs)
    listed = kernel.solve(graphs, pairs=pairs, gradient=True)
    assert listed.values.shape == listed.status.shape == (5,)
    assert np.allclose(listed.values, square.values[first, second], rtol=1e-9)
    assert np.allclose(listed.gradient, square.gradient[first, second], rtol=1e-6, atol=1e-9)
    values, summed = kernel.weighted_gradient(graphs, weights, pairs=pairs)
    assert np.allclose(values, listed.values, rtol=1e-9)
    assert np.allclose(summed, weights @ listed.gradient * scale, rtol=1e-6, atol=1e-9)
    between = kernel.solve(graphs[:2], graphs[4:], pairs=[(0, 2), (1, 0)])
    assert np.allclose(between.values, square.values[[0, 1], [6, 4]], rtol=1e-9)


def test_nodes_are_the_solution_of_the_system(graphs):
    kernel = octile.Kernel("delta(kind,0.5)", "delta(order,0.3)", accuracy=1e-8)
    for x, y in ((graphs[3], graphs[5]), (graphs[5], graphs[3]), (graphs[6], graphs[6]), (graphs[0], graphs[4])):
        exact = dense.nodes(x, y, dense.delta("kind", 0.5), dense.delta("order", 0.3), 0.05)
        assert np.allclose(kernel.nodes(x, y), exact, rtol=1e-7, atol=0)


@pytest.mark.parametrize("stopping", ["probability:0.05", "weight:0.1"])
def test_nodes_of_walks_of_at_least_one_step_add_up_to_the_value(stopping, graphs):
    kernel = octile.Kernel("delta(kind,0.5)", "delta(order,0.3)", start="ones", stopping=stopping, lmin=1, normalize=False, accuracy=1e-8)
    assert kernel.nodes(graphs[3], graphs[5]).sum() == pytest.approx(kernel(graphs[3:4], graphs[5:6])[0, 0], rel=1e-6)
    assert np.allclose(kernel.nodes(graphs[0], graphs[5]), 0, atol=1e-9)


@pytest.mark.parametrize("lmin", [0, 1])
@pytest.mark.parametrize("stopping", ["probability:0.05", "weight:0.1"])
def test_derivatives_of_sums_of_nodes_are_their_differences(stopping, lmin, graphs, rng):
    kernel = octile.Kernel("delta(kind,0.5)*gaussian(charge,0.8)", "0.3+0.6*delta(order,0.3)", stopping=stopping, lmin=lmin, accuracy=1e-10)
    x, y = graphs[6], graphs[4]
    weights = rng.normal(size=(x.vertex_count, y.vertex_count))
    nodes, gradient = kernel.nodes_gradient(x, y, weights)
    assert np.allclose(nodes, kernel.nodes(x, y), rtol=1e-9, atol=0)
    step = 1e-5
    for t, theta in enumerate(kernel.theta):
        def moved(by):
            return (weights * kernel.clone_with_theta(np.where(np.arange(kernel.n_dims) == t, theta + by, kernel.theta)).nodes(x, y)).sum()
        difference = (moved(step) - moved(-step)) / (2 * step)
        assert gradient[t] == pytest.approx(difference, rel=1e-5, abs=1e-6 * np.abs(weights * nodes).sum())


def test_nodes_have_bounds_that_hold(graphs):
    x, y = graphs[5], graphs[3]
    exact = octile.Kernel("delta(kind,0.5)", "delta(order,0.3)", accuracy=1e-12).nodes(x, y)
    for accuracy in (1e-3, 1e-6):
        nodes, errors = octile.Kernel("delta(kind,0.5)", "delta(order,0.3)", accuracy=accuracy).nodes(x, y, errors=True)
        assert (np.abs(nodes - exact) <= errors + 1e-12 * exact).all()
        assert (errors <= 1.01 * accuracy * nodes).all()


@pytest.mark.parametrize("lmin", [0, 1])
@pytest.mark.parametrize("normalize", [False, True])
@pytest.mark.parametrize("start", ["uniform", "ones", "degree"])
def test_attributions_add_up_to_the_weighted_sum_of_values(normalize, start, lmin, graphs, rng):
    kernel = octile.Kernel("delta(kind,0.5)", "delta(order,0.3)", start=start, normalize=normalize, accuracy=1e-8, lmin=lmin)
    weights = rng.normal(size=4)
    parts = kernel.attribution(graphs[2:], graphs[:4], weights)
    assert [part.shape for part in parts] == [(graph.vertex_count,) for graph in graphs[2:]]
    assert np.allclose([part.sum() for part in parts], kernel(graphs[2:], graphs[:4]) @ weights, rtol=1e-6)


def test_attributions_do_not_depend_on_how_many_are_asked_for_at_once(graphs, monkeypatch):
    kernel = octile.Kernel("delta(kind,0.5)", "delta(order,0.3)", accuracy=1e-10)
    together = kernel.attribution([*graphs, graphs[2]], graphs[:3], [1.0, 2.0, 3.0])
    monkeypatch.setattr(octile.kernel, "_most_numbers", 30)
    apart = kernel.attribution([*graphs, graphs[2]], graphs[:3], [1.0, 2.0, 3.0])
    assert len(together) == len(apart) == len(graphs) + 1
    assert all(np.allclose(a, b, rtol=1e-8) for a, b in zip(together, apart))


def test_an_attribution_is_that_of_the_dense_solve(graphs):
    kernel = octile.Kernel("delta(kind,0.5)", "delta(order,0.3)", normalize=False, accuracy=1e-8)
    x, y = graphs[5], graphs[3]
    exact = dense.nodes(x, y, dense.delta("kind", 0.5), dense.delta("order", 0.3), 0.05)
    [part] = kernel.attribution([x], [y], [2.0])
    assert np.allclose(part, 2 * exact.mean(axis=1) / x.vertex_count, rtol=1e-7)


def test_starting_weights_are_those_that_the_rule_says():
    labels = {"mass": [1.0, 2.0, 3.0]}
    plain = octile.Graph(3, [(0, 1), (1, 2)], vertex_labels=labels, start=[3.0, 2.0, 1.0])
    other = octile.Graph(2, [(0, 1)], vertex_labels={"mass": [1.0, 1.0]})
    unlabelled = (dense.constant(1), dense.constant(1), 0.05)
    for start, weights in (("attribute:mass", lambda g: np.asarray(g.vertex_labels["mass"])), ("graph", lambda g: g.start),
                           ("degree", lambda g: g.adjacency().sum(axis=1) / g.adjacency().sum())):
        kernel = octile.Kernel(start=start, normalize=False)
        assert np.allclose(kernel([plain, other]), dense.gram([plain, other], [plain, other], *unlabelled, start=weights), rtol=1e-6)


def test_a_set_stays_prepared_while_graphs_are_equal(molecules):
    octile.forget()
    kernel = octile.Kernel("delta(element,0.5)", "delta(order,0.5)")
    kernel(molecules)
    prepared = kernel._prepared(octile.pairs.distinct(molecules)[0])
    again = [octile.from_smiles(graph.name) for graph in molecules]
    other = octile.Kernel("delta(element,0.7)", "delta(order,0.5)", stopping="probability:0.1")
    assert other._prepared(octile.pairs.distinct(again)[0]) is prepared
    octile.forget()
    assert kernel._prepared(octile.pairs.distinct(molecules)[0]) is not prepared


@pytest.mark.parametrize("backend", ["reference", "portable:serial", "auto"])
def test_backends_agree(backend, graphs):
    kernel = octile.Kernel("delta(kind,0.5)", "delta(order,0.3)", backend=backend, normalize=False)
    exact = dense.gram(graphs, graphs, dense.delta("kind", 0.5), dense.delta("order", 0.3), 0.05)
    assert np.allclose(kernel(graphs), exact, rtol=1e-6)


@pytest.mark.parametrize("call, words", [
    (lambda k, g: k([]), ["no graphs"]),
    (lambda k, g: k(g, []), ["no graphs"]),
    (lambda k, g: k(g[0]), ["Graph", "sequence"]),
    (lambda k, g: k([3]), ["int", "octile.Graph", "networkx"]),
    (lambda k, g: octile.Kernel("delta(colour,0.5)")(g), ["random 1", "colour"]),
    (lambda k, g: octile.Kernel("gaussian(kind,0.5)")(g), ["kind", "text"]),
    (lambda k, g: octile.Kernel(start="middle")(g), ["middle", "uniform"]),
    (lambda k, g: octile.Kernel(start="attribute:kind")(g), ["kind", "text"]),
    (lambda k, g: octile.Kernel(backend="quantum")(g), ["quantum", "reference"]),
    (lambda k, g: octile.Kernel(precision="float16")(g), ["float16", "float32"]),
    (lambda k, g: octile.Kernel(accuracy=1)(g), ["1", "0.001"]),
    (lambda k, g: octile.Kernel(normalize="l1")(g), ["'l1'", "'tanimoto'"]),
    (lambda k, g: octile.Kernel(normalize="tanimoto").attribution(g, g, np.ones(7)), ["'tanimoto'", "share"]),
    (lambda k, g: k.weighted_gradient(g, np.ones(3)), ["(3,)", "(7, 7)"]),
    (lambda k, g: k.weighted_gradient(g, np.ones((7, 7)), g[:2]), ["(7, 7)", "(7, 2)"]),
    (lambda k, g: k.solve(g, pairs=[(0, 7)]), ["pair 0", "7", "0 to 6"]),
    (lambda k, g: k.solve(g, g[:2], pairs=[(0, 1), (0, 2)]), ["pair 1", "2", "0 to 1"]),
    (lambda k, g: k.solve(g, pairs=[(0, -1)]), ["pair 0", "-1", "0 to 6"]),
    (lambda k, g: k.solve(g, pairs=[]), ["(0,)", "at least one"]),
    (lambda k, g: k.solve(g, pairs=[(0.5, 1)]), ["float64", "integers"]),
    (lambda k, g: k.attribution(g, g, [1.0]), ["(1,)", "(7,)"]),
    (lambda k, g: k.nodes_gradient(g[2], g[3], np.ones((2, 2))), ["(2, 2)", "(5, 7)"]),
    (lambda k, g: octile.Kernel(accuracy="estimated:1e-6").nodes(g[2], g[3], errors=True), ["estimated:1e-6", "allowed"]),
    (lambda k, g: octile.Kernel(start="degree", stopping="weight:0.1")(g, eval_gradient=True), ["degree", "fixed"])])
def test_wrong_requests_are_refused_with_what_was_allowed(call, words, graphs):
    with pytest.raises(octile.Error) as raised:
        call(octile.Kernel(), graphs)
    assert "\n" not in str(raised.value)
    for word in words:
        assert word in str(raised.value)


def test_pairs_that_are_less_exact_than_asked_for_are_told(graphs):
    hard = octile.Graph(2, [(0, 1)], [1e-300], name="faint")
    kernel = octile.Kernel(stopping="weight:1e-12", accuracy=1e-12, normalize=False)
    with pytest.warns(octile.ConvergenceWarning, match="'.*' with '.*'"):
        result = kernel.solve([hard, *graphs])
    assert np.any(result.status != "converged")


@pytest.mark.parametrize("make, words", [
    (lambda: octile.Kernel(delta("kind", 0.5, bounds=(0.6, 0.9))), ["'vertex.delta(kind)'", "0.5", "0.6 … 0.9"]),
    (lambda: octile.Kernel(delta("kind", 0.5, bounds=(0.1, 2))), ["'vertex.delta(kind)'", "0.1 … 2", "with 2"]),
    (lambda: octile.Kernel(delta("kind", 0.0, bounds=(0.1, 0.9))), ["'vertex.delta(kind)'", "0.1 … 0.9"]),
    (lambda: octile.Kernel("delta(kind,0.5)", bounds_by_name={"vertex.delta(kind)": (0.1, 2)}), ["'vertex.delta(kind)'", "with 2"]),
    (lambda: octile.Kernel(bounds_by_name={"q": (0.01, 1.5)}), ["'q'", "0.01 … 1.5", "with 1.5"]),
    (lambda: octile.Kernel(bounds_by_name={"q": (0.1, 0.5)}), ["'q'", "0.05", "0.1 … 0.5"]),
    (lambda: octile.Kernel(bounds_by_name={"q": "free"}), ["'q'", "'free'", "'fixed'"]),
    (lambda: octile.Kernel(bounds_by_name={"q": (0.1,)}), ["'q'", "(0.1,)", "two numbers"]),
    (lambda: octile.Kernel(bounds_by_name={"q": (np.nan, 0.5)}), ["'q'", "nan", "two numbers"]),
    (lambda: octile.Kernel(bounds_by_name=["q"]), ["bounds_by_name", "['q']", "mapping"]),
    (lambda: delta("kind", 0.5, bounds=("a", "b")), ["('a', 'b')", "two numbers"]),
    (lambda: delta("kind", 0.5, bounds=3), ["3", "two numbers"]),
    (lambda: octile.Kernel(0.5 * delta("kind", 0.5) + octile.Parameter(0.5, (0.1, 0.9)) * gaussian("charge", 1.0)), ["weight"]),
    (lambda: octile.Kernel(octile.Parameter(0.4, (0.1, 0.6)) * delta("kind", 0.5) + octile.Parameter(0.4, (0.1, 0.6)) * gaussian("charge", 1.0)),
     ["bounds go together"])])
def test_bounds_that_do_not_go_with_a_kernel_are_refused_when_it_is_made(make, words):
    assert_refused(make, words)


@pytest.mark.parametrize("options", ({}, {"normalize": "tanimoto", "start": "ones"}, {"vertex": "delta(element,0.5)", "normalize": False, "lmin": 1}))
def test_a_kernel_prints_what_makes_it(options):
    kernel = octile.Kernel(**options)
    assert repr(eval(repr(kernel), {"octile": octile})) == repr(kernel)
    assert all(f"{name}={value!r}" in repr(kernel) for name, value in options.items())


def test_progress_is_a_line_of_tqdm(molecules, capsys):
    pytest.importorskip("tqdm", reason="tqdm is not installed, and progress is logged")
    octile.Kernel("delta(element,0.5)", progress=True)(molecules)
    # The line is written over itself. Of 12 graphs there are 78 pairs; one that is solved again counts again.
    last = capsys.readouterr().err.rstrip().rpartition("\r")[2]
    counted = re.search(r" (\d+)\.0/\1\.0 ", last)
    assert last.startswith("100%|") and int(counted[1]) >= 78 and "pair/s]" in last
    octile.GramTiles(octile.Kernel("delta(element,0.5)", progress=True), molecules)
    assert capsys.readouterr().err.rstrip().rpartition("\r")[2].startswith("100%|")
    # It ends, too, where a solve does.
    octile.Kernel("delta(element,0.5)")(molecules)
    assert capsys.readouterr().err == ""


def test_a_line_of_tqdm_is_closed_by_what_ends_a_solve(molecules, monkeypatch):
    tqdm = pytest.importorskip("tqdm.auto", reason="tqdm is not installed, and progress is logged")
    closed = []

    class Ended(tqdm.tqdm):
        def update(self, n=1):
            raise RuntimeError("ended")

        def close(self):
            closed.append(self)
            super().close()

    monkeypatch.setattr(tqdm, "tqdm", Ended)
    with pytest.raises(RuntimeError, match="ended"):
        octile.Kernel("delta(element,0.5)", progress=True)(molecules)
    assert closed


def test_without_tqdm_progress_is_logged(molecules, monkeypatch, caplog, capsys):
    monkeypatch.setitem(sys.modules, "tqdm", None)
    monkeypatch.setitem(sys.modules, "tqdm.auto", None)
    with caplog.at_level(logging.INFO, logger="octile"):
        values = octile.Kernel("delta(element,0.5)", progress=True)(molecules)
    last = [record.getMessage() for record in caplog.records if record.levelno == logging.INFO][-1]
    # As in the line of tqdm, a pair that is solved again counts again.
    counted = re.fullmatch(r"(\d+) of \1 pairs in \d+\.\d s", last)
    assert int(counted[1]) >= 78 and capsys.readouterr().err == ""
    assert np.array_equal(values, octile.Kernel("delta(element,0.5)")(molecules))
