# SPDX-License-Identifier: BSD-3-Clause
"""What scikit-learn asks of kernels and transformers, and what it does with ours."""
import copy
import inspect
import pickle

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.cluster import AgglomerativeClustering
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, ConstantKernel, WhiteKernel
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC

import octile
from octile.kernels import delta, gaussian


def kernels(**options):
    """Kernels of graphs, by themselves and with others of scikit-learn. `options` go to all of ours."""
    def ours(*arguments, **more):
        return octile.Kernel(*arguments, **options, **more)

    return {
        "text": ours("delta(element,0.5)", "delta(order,0.5)"),
        "objects": ours(octile.normalize(2 * delta("element", 0.5) + delta("aromatic", 0.3)), delta("order", 0.5, bounds="fixed")),
        "not normalised": ours("delta(element,0.5)", gaussian("order", 0.7), start="ones", normalize=False),
        "tanimoto": ours("delta(element,0.5)", "delta(order,0.5)", start="ones", normalize="tanimoto"),
        "weight": ours("delta(element,0.5)", stopping="weight:0.2", bounds_by_name={"q": (0.1, 0.5)}),
        "all fixed": ours(delta("element", 0.5, bounds="fixed"), bounds_by_name={"q": "fixed"}),
        "scaled": ConstantKernel(2.0) * ours("delta(element,0.5)"),
        "noisy": ConstantKernel(2.0) * ours("delta(element,0.5)") + WhiteKernel(0.1),
        "two": ours("delta(element,0.5)") + ours(edge="delta(order,0.5)"),
        "power": ours("delta(element,0.5)") ** 2,
    }


KERNELS = kernels()
each_kernel = pytest.mark.parametrize("kernel", KERNELS.values(), ids=KERNELS.keys())


# Of these scikit-learn takes a difference over a step of 1e-10.
EXACT = kernels(accuracy=1e-12)
# K(X, X) of X with itself as another set has no noise.
WITHOUT_NOISE = ("test_auto_vs_cross", "test_kernel_versus_pairwise")
CHECKS = ("test_kernel_gradient", "test_auto_vs_cross", "test_kernel_diag", "test_kernel_input_type", "test_kernel_clone",
          "test_kernel_clone_after_set_params", "test_kernel_versus_pairwise", "test_repr_kernels")


@pytest.mark.parametrize("check, kernel", [pytest.param(check, kernel, id=f"{check}-{name}") for check in CHECKS
                                           for name, kernel in EXACT.items() if name != "noisy" or check not in WITHOUT_NOISE])
def test_checks_of_scikit_learn_pass(check, kernel, molecules, monkeypatch):
    theirs = pytest.importorskip("sklearn.gaussian_process.tests.test_kernels", reason="this scikit-learn comes without its tests")
    if not hasattr(theirs, check):
        pytest.skip(f"this scikit-learn has no check of the name {check}")
    # What they call kernels with, in the place of arrays of numbers.
    for name, graphs in (("X", molecules[:5]), ("Y", molecules[5:11])):
        assert hasattr(theirs, name)
        array = np.empty(len(graphs), dtype=object)
        array[:] = graphs
        monkeypatch.setattr(theirs, name, array)
    getattr(theirs, check)(kernel)


def test_what_is_fixed_is_left_out_of_theta_and_the_gradient(molecules):
    # What test_kernel_theta of scikit-learn looks at, by arguments that are called after hyperparameters: ours are no arguments.
    kernel = octile.Kernel("delta(element,0.5)*delta(aromatic,0.7)", "delta(order,0.5)")
    names = [one.name for one in kernel.hyperparameters]
    assert not set(names) & set(kernel.get_params()) and len(names) == 4
    _, gradient = kernel(molecules, eval_gradient=True)
    for k, name in enumerate(names):
        assert kernel.theta[k] == np.log(kernel.parameters[name][0])
        without = octile.Kernel(**{**kernel.get_params(), "bounds_by_name": {name: "fixed"}})
        assert np.array_equal(without.theta, np.delete(kernel.theta, k))
        assert np.allclose(without(molecules, eval_gradient=True)[1], np.delete(gradient, k, axis=2), rtol=1e-12, atol=0)
        changed = kernel.clone_with_theta(np.where(np.arange(4) == k, np.log(0.42), kernel.theta))
        assert changed.parameters[name][0] == pytest.approx(0.42, rel=1e-14)


@each_kernel
def test_theta_is_one_logarithm_for_each_free_hyperparameter(kernel):
    free = [hyper for hyper in kernel.hyperparameters if not hyper.fixed]
    assert len(kernel.theta) == kernel.n_dims == len(kernel.bounds) == len(free)
    assert kernel.bounds.shape == (len(free), 2)
    assert np.all(kernel.bounds[:, 0] <= kernel.theta) and np.all(kernel.theta <= kernel.bounds[:, 1])
    for hyper, bounds in zip(free, kernel.bounds):
        assert np.allclose(np.log(hyper.bounds), bounds)


@each_kernel
def test_theta_can_be_set(kernel):
    theta = np.clip(kernel.theta - 0.1, *kernel.bounds.T)
    changed = kernel.clone_with_theta(theta)
    assert np.allclose(changed.theta, theta, rtol=1e-14)
    assert np.array_equal(changed.bounds, kernel.bounds)
    assert (changed != kernel) == (len(theta) > 0)
    assert np.allclose(clone(changed).theta, theta, rtol=1e-14)


def test_theta_stays_within_its_bounds_when_it_is_on_them():
    kernel = octile.Kernel(delta("element", 0.5, bounds=(0.1, 0.7)))
    for bounds in kernel.bounds.T:
        assert np.array_equal(kernel.clone_with_theta(bounds).theta, bounds)


@each_kernel
def test_clones_are_equal_and_share_nothing_that_changes(kernel):
    cloned = clone(kernel)
    assert cloned == kernel and cloned is not kernel
    theta = kernel.theta.copy()
    cloned.theta = cloned.bounds[:, 0]
    assert np.array_equal(kernel.theta, theta)


@each_kernel
def test_kernels_pickle_and_copy(kernel, molecules):
    for made in (pickle.loads(pickle.dumps(kernel)), copy.deepcopy(kernel)):
        assert made == kernel
        assert np.array_equal(made(molecules), kernel(molecules))


def test_parameters_are_the_very_objects_given():
    given = {"vertex": 0.5 * delta("element", 0.5), "edge": "delta(order,0.5)", "start": "ones", "stopping": "weight:0.1", "lmin": 1,
             "normalize": False, "accuracy": 1e-5, "backend": "reference", "precision": "float64",
             "bounds_by_name": {"q": "fixed"}, "progress": False}
    kernel = octile.Kernel(**given)
    assert kernel.get_params().keys() == inspect.signature(octile.Kernel).parameters.keys()
    for name, value in kernel.get_params().items():
        assert value is given[name]
    kernel.set_params(stopping="weight:0.3", normalize=True)
    assert np.allclose(kernel.parameters["q"][0], 0.3)


@each_kernel
def test_values_diagonals_and_rectangles_agree(kernel, molecules):
    values = kernel(molecules)
    assert np.allclose(values, values.T)
    assert np.allclose(kernel.diag(molecules), np.diag(values), rtol=1e-6)
    # WhiteKernel is 0 between X and Y, also where they have a graph in common.
    assert np.allclose(kernel(molecules[:4], molecules[4:]), values[:4, 4:], rtol=1e-6)
    assert np.linalg.eigvalsh(values).min() > -1e-6 * values.max()
    assert not octile.Kernel().requires_vector_input and not octile.Kernel().is_stationary()


@each_kernel
def test_gradients_are_those_of_differences(kernel, molecules):
    values, gradient = kernel(molecules, eval_gradient=True)
    assert gradient.shape == (len(molecules), len(molecules), len(kernel.theta))
    step = 1e-3
    for k in range(len(kernel.theta)):
        move = step * (np.arange(len(kernel.theta)) == k)
        ahead, behind = (kernel.clone_with_theta(kernel.theta + sign * move)(molecules) for sign in (1, -1))
        # Values are proven to 1e-6 here, so a difference is known to 1e-6 / step; in fact they are much better.
        assert np.allclose(gradient[:, :, k], (ahead - behind) / (2 * step), rtol=1e-3, atol=1e-4 * values.max())


def test_an_objective_of_two_sets_has_no_gradient(molecules):
    with pytest.raises(octile.Error, match="eval_gradient is True of X with Y; allowed is K"):
        octile.Kernel()(molecules, molecules, eval_gradient=True)


def atoms_of_carbon(molecules):
    return np.array([graph.vertex_labels["element"].count("C") + 2.0 * graph.vertex_labels["element"].count("O") for graph in molecules])


def test_a_gaussian_process_learns_hyperparameters(molecules):
    y = atoms_of_carbon(molecules)
    kernel = ConstantKernel(10.0, (1e-2, 1e5)) * octile.Kernel(
        "delta(element,0.5)", "delta(order,0.5)", start="ones", normalize=False, stopping="probability:0.1",
        bounds_by_name={"q": (0.01, 0.5)})
    process = GaussianProcessRegressor(kernel, alpha=1e-3, normalize_y=True)
    before = process.fit(molecules[:0] or molecules, y).log_marginal_likelihood(kernel.theta)
    after = process.log_marginal_likelihood_value_
    assert after > before + 1
    assert process.kernel_ != kernel
    value, gradient = process.log_marginal_likelihood(process.kernel_.theta, eval_gradient=True)
    inside = (process.kernel_.bounds[:, 0] + 1e-6 < process.kernel_.theta) & (process.kernel_.theta < process.kernel_.bounds[:, 1] - 1e-6)
    assert np.all(np.abs(gradient[inside]) < 0.1 * max(1, abs(value)))
    mean, deviation = process.predict(molecules, return_std=True)
    assert np.abs(mean - y).max() < 0.5 and np.all(deviation >= 0)


def test_a_process_takes_smiles_and_rdkit_molecules():
    from rdkit import Chem
    smiles = ["CCO", "CCCO", "CC", "CCC", "OCCO"]
    process = GaussianProcessRegressor(octile.Kernel("delta(element,0.5)"), alpha=1e-2, optimizer=None)
    by_text = process.fit(smiles, np.arange(5.0)).predict(["CCCCO"])
    molecules = [Chem.MolFromSmiles(text) for text in smiles]
    by_molecule = process.fit(molecules, np.arange(5.0)).predict([Chem.MolFromSmiles("CCCCO")])
    assert by_text == pytest.approx(by_molecule, rel=1e-6)


def test_kernels_of_graphs_go_with_kernels_of_numbers(molecules, rng):
    temperatures = rng.uniform(0, 2, len(molecules))
    rows = [(graph, temperature) for graph, temperature in zip(molecules, temperatures)]
    ours = octile.Kernel("delta(element,0.5)")
    kernel = octile.Columns(ours, 0) * octile.Columns(RBF(0.7), [1]) + WhiteKernel(1e-3)
    values, gradient = kernel(rows, eval_gradient=True)
    assert np.allclose(values, ours(molecules) * RBF(0.7)(temperatures[:, None]) + 1e-3 * np.eye(len(rows)))
    assert gradient.shape[2] == len(kernel.theta) == len(kernel.hyperparameters) == 4
    for k in range(4):
        move = 1e-3 * (np.arange(4) == k)
        ahead, behind = (kernel.clone_with_theta(kernel.theta + sign * move)(rows) for sign in (1, -1))
        assert np.allclose(gradient[:, :, k], (ahead - behind) / 2e-3, rtol=1e-3, atol=1e-4)
    table = np.empty((len(rows), 2), dtype=object)
    table[:] = rows
    process = GaussianProcessRegressor(kernel).fit(table, atoms_of_carbon(molecules) * temperatures)
    assert process.predict(table[:2]).shape == (2,)
    assert clone(kernel) == kernel and kernel.k1.k1.kernel is ours
    with pytest.raises(octile.Error, match="columns"):
        octile.Columns(ours, 5)(rows)


@pytest.fixture
def rings_and_chains():
    smiles = ["C1CCCCC1", "C1CCCC1", "C1CCC1", "c1ccccc1", "C1CCCCCC1", "CC1CCCC1", "CCCCC", "CCCC", "CCC", "CCCCCC", "CC(C)CC", "CCC(C)C"]
    return [octile.from_smiles(text) for text in smiles], np.array([1] * 6 + [0] * 6)


def test_precomputed_pipelines_are_cross_validated_and_searched(rings_and_chains):
    graphs, y = rings_and_chains
    kernel = octile.Kernel("delta(in_ring,0.2)")
    pipeline = make_pipeline(octile.GramTransformer(kernel), SVC(kernel="precomputed", C=100))
    assert cross_val_score(pipeline, graphs, y, cv=3).mean() > 0.9
    search = GridSearchCV(pipeline, {"gramtransformer__kernel__stopping": ["probability:0.05", "probability:0.3"], "svc__C": [1, 100]}, cv=3)
    search.fit(graphs, y)
    assert search.best_score_ > 0.9
    assert search.cv_results_["params"][0]["gramtransformer__kernel__stopping"] == "probability:0.05"
    assert kernel.stopping == "probability:0.05"
    assert search.predict(graphs[:2]).tolist() == [1, 1]


def test_the_transformer_gives_values_and_distances(rings_and_chains):
    graphs, y = rings_and_chains
    kernel = octile.Kernel("delta(in_ring,0.2)")
    values = octile.GramTransformer(kernel).fit(graphs[:5])
    assert np.array_equal(values.transform(graphs), kernel(graphs, graphs[:5]))
    assert np.allclose(values.fit_transform(graphs), values.transform(graphs), rtol=1e-6)
    distances = octile.GramTransformer(kernel, output="distance").fit_transform(graphs)
    assert np.allclose(distances, octile.distance(graphs, kernel=kernel))
    assert np.allclose(distances**2, 2 - 2 * kernel(graphs), atol=1e-6)
    assert np.allclose(octile.distance(graphs[:2], graphs, kernel), distances[:2], atol=2e-3)
    neighbours = make_pipeline(octile.GramTransformer(kernel, output="distance"), KNeighborsClassifier(1, metric="precomputed"))
    assert neighbours.fit(graphs, y).predict(graphs).tolist() == y.tolist()
    assert len(set(AgglomerativeClustering(2, metric="precomputed", linkage="average").fit_predict(distances))) == 2
    with pytest.raises(octile.Error, match="output is 'angle'; allowed are 'kernel' and 'distance'"):
        octile.GramTransformer(output="angle").fit(graphs)
