# SPDX-License-Identifier: BSD-3-Clause
"""Gaussian process regression: losses, their gradients, predictions."""
import copy
import pickle
import subprocess
import sys

import numpy as np
import pytest
from scipy.stats import multivariate_normal
from sklearn.base import clone
from sklearn.gaussian_process import GaussianProcessRegressor

import octile
from conftest import assert_refused
from octile import gp


@pytest.fixture
def y(molecules):
    return np.array([graph.vertex_labels["element"].count("O") + 0.1 * graph.vertex_count for graph in molecules])


@pytest.fixture
def matrix(rng):
    root = rng.normal(size=(6, 6))
    return root @ root.T + np.eye(6)


def test_the_likelihood_is_that_of_the_best_scale(matrix, rng):
    y = rng.normal(size=6)
    scale = y @ np.linalg.solve(matrix, y) / 6
    value, _ = gp.likelihood(matrix, y)
    assert value == pytest.approx(-multivariate_normal(np.zeros(6), scale * matrix).logpdf(y))
    for other in (0.9, 1.1):
        assert value < -multivariate_normal(np.zeros(6), other * scale * matrix).logpdf(y)


def test_the_leave_one_out_loss_is_that_of_leaving_each_out(matrix, rng):
    y = rng.normal(size=6)
    errors = []
    for k in range(6):
        rest = np.delete(np.arange(6), k)
        errors.append(y[k] - matrix[k, rest] @ np.linalg.solve(matrix[np.ix_(rest, rest)], y[rest]))
    assert gp.leave_one_out(matrix, y)[0] == pytest.approx(0.5 * np.sum(np.square(errors)))


@pytest.mark.parametrize("loss", gp.LOSSES.values(), ids=gp.LOSSES.keys())
def test_losses_have_the_derivatives_of_central_differences(loss, matrix, rng):
    y, direction = rng.normal(size=6), rng.normal(size=(6, 6))
    direction = direction + direction.T
    step = 1e-6
    difference = (loss(matrix + step * direction, y)[0] - loss(matrix - step * direction, y)[0]) / (2 * step)
    assert np.sum(loss(matrix, y)[1] * direction) == pytest.approx(difference, rel=1e-6)


@pytest.mark.parametrize("prefer", ["each", "weighted"])
@pytest.mark.parametrize("loss", gp.LOSSES)
def test_the_gradient_of_a_fit_is_that_of_central_differences(loss, prefer, molecules, y):
    kernel = octile.Kernel("normalize(2*delta(element,0.5)+delta(in_ring,0.3))", "delta(order,0.5)", accuracy=1e-10)
    process = gp.Regressor(kernel, noise=np.linspace(0.01, 0.02, len(y)), loss=loss, prefer=prefer, evaluations=0).fit(molecules, y)
    at = np.append(kernel.theta, 0.3)
    _, gradient = process._loss(at)
    step = 1e-4
    for k in range(len(at)):
        move = step * (np.arange(len(at)) == k)
        difference = (process._loss(at + move)[0] - process._loss(at - move)[0]) / (2 * step)
        assert gradient[k] == pytest.approx(difference, rel=1e-4, abs=1e-5)


def test_the_derivatives_of_each_pair_are_kept_where_memory_has_them(molecules, y, monkeypatch):
    weighted = []
    whole = octile.Kernel.weighted_gradient
    monkeypatch.setattr(octile.Kernel, "weighted_gradient", lambda self, *given: weighted.append(self) or whole(self, *given))
    kernel = octile.Kernel("delta(element,0.5)", "delta(order,0.5)", accuracy=1e-10)
    numbers = len(molecules)**2 * len(kernel.theta)
    found = []
    for memory, solved_again in ((8 * numbers, False), (8 * numbers - 1, True)):
        weighted.clear()
        process = gp.Regressor(kernel, noise=0.02, memory=memory, evaluations=0).fit(molecules, y)
        found.append(process._loss(np.append(kernel.theta, 0.0))[1])
        assert bool(weighted) == solved_again
    assert np.allclose(*found, rtol=1e-6)


def test_predictions_are_those_of_scikit_learn(molecules, y):
    kernel = octile.Kernel("delta(element,0.5)", "delta(order,0.5)", accuracy=1e-9)
    ours = gp.Regressor(kernel, noise=0.05, evaluations=0).fit(molecules[:8], y[:8])
    theirs = GaussianProcessRegressor(kernel, alpha=0.05, optimizer=None).fit(molecules[:8], y[:8] - y[:8].mean())
    mean, deviation = ours.predict(molecules[8:], return_std=True)
    expected, expected_deviation = theirs.predict(molecules[8:], return_std=True)
    assert np.allclose(mean, expected + y[:8].mean(), rtol=1e-6)
    assert np.allclose(deviation, np.sqrt(ours.scale_) * expected_deviation, rtol=1e-5)
    _, covariance = ours.predict(molecules[8:], return_cov=True)
    assert np.allclose(np.sqrt(np.diag(covariance)), deviation, rtol=1e-5)


def test_leave_one_out_predictions_are_those_of_fits_without_each(molecules, y):
    kernel = octile.Kernel("delta(element,0.5)", accuracy=1e-9)
    options = {"noise": 0.05, "evaluations": 0, "center": False}
    mean, deviation = gp.Regressor(kernel, **options).fit(molecules, y).leave_one_out(return_std=True)
    for k in (0, 5):
        rest = [n for n in range(len(y)) if n != k]
        without = gp.Regressor(kernel, **options).fit([molecules[n] for n in rest], y[rest])
        expected, expected_deviation = without.predict([molecules[k]], return_std=True)
        assert mean[k] == pytest.approx(expected[0], rel=1e-6)
        # The scale is that of all graphs, so the deviations differ by it alone.
        scale = gp.Regressor(kernel, **options).fit(molecules, y).scale_ / without.scale_
        assert deviation[k] == pytest.approx(expected_deviation[0] * np.sqrt(scale), rel=1e-4)


@pytest.mark.parametrize("loss", gp.LOSSES)
def test_a_fit_lowers_its_loss_and_keeps_to_its_bounds(loss, molecules, y):
    kernel = octile.Kernel("delta(element,0.5)", "delta(order,0.5)", stopping="probability:0.2")
    start = gp.Regressor(kernel, noise=0.1, loss=loss, evaluations=0).fit(molecules, y)
    process = gp.Regressor(kernel, noise=0.1, loss=loss, evaluations=15, restarts=1).fit(molecules, y)
    assert process.loss_value_ < start.loss_value_
    assert process.kernel.stopping == "probability:0.2" and process.kernel_ != kernel
    assert np.all(process.kernel_.bounds[:, 0] <= process.kernel_.theta) and np.all(process.kernel_.theta <= process.kernel_.bounds[:, 1])
    assert process.score(molecules, y) > 0.5
    again = gp.Regressor(kernel, noise=0.1, loss=loss, evaluations=15, restarts=1).fit(molecules, y)
    assert np.allclose(again.kernel_.theta, process.kernel_.theta, atol=1e-3)


def test_only_the_noise_is_learnt_of_a_fixed_kernel_and_its_matrix_is_solved_once(molecules):
    # The share of oxygen, which the kernel tells well, and some noise: the best noise is well within its bounds.
    y = np.array([np.mean(np.asarray(graph.vertex_labels["element"]) == "O") for graph in molecules])
    y += 0.1 * np.cos(np.arange(len(y)))
    solved = []
    kernel = octile.Kernel("delta(element,0.5)", progress=lambda done, of, seconds: solved.append(done == of)).fixed()
    process = gp.Regressor(kernel, noise=1.0).fit(molecules, y)
    assert process.kernel_ == kernel and len(kernel.theta) == 0
    assert 1e-3 < process.noise_[0] < 0.5 and len(process.losses_) > 2
    assert sum(solved) == 1
    near = [gp.Regressor(kernel, noise=process.noise_[0] * factor, evaluations=0).fit(molecules, y) for factor in (0.8, 1.25)]
    assert all(process.loss_value_ + 1e-3 < other.loss_value_ for other in near)


def test_attributions_add_up_to_what_is_predicted(molecules, y):
    process = gp.Regressor(octile.Kernel("delta(element,0.5)"), noise=0.05, evaluations=0).fit(molecules, y)
    parts = process.attribution(molecules[:3])
    assert np.allclose([part.sum() for part in parts] + y.mean(), process.predict(molecules[:3]), rtol=1e-5)


def test_what_is_selected_has_the_largest_variance_each_time(molecules):
    kernel = octile.Kernel("delta(element,0.2)", "delta(order,0.5)", accuracy=1e-9)
    matrix, noise, chosen = kernel(molecules), 1e-3, []
    for _ in range(5):
        if chosen:
            inside = matrix[np.ix_(chosen, chosen)] + noise * np.eye(len(chosen))
            variance = np.diag(matrix - matrix[:, chosen] @ np.linalg.solve(inside, matrix[chosen]))
        else:
            variance = np.diag(matrix)
        variance = np.where(np.isin(np.arange(len(matrix)), chosen), -np.inf, variance)
        chosen.append(int(np.argmax(variance)))
    assert gp.select(molecules, 5, kernel, noise=noise) == chosen
    # However many columns are solved at once, more than there are among them.
    assert all(gp.select(molecules, 5, kernel, noise=noise, tile=tile) == chosen for tile in (2, 3, 5, 100))
    process = gp.Regressor(kernel, noise=noise, evaluations=0).fit([molecules[k] for k in chosen[:2]], [0.0, 1.0])
    assert process.select(molecules, 3) == process.select(molecules, 3, tile=2) == chosen[2:]


def test_what_is_selected_lowers_the_mean_variance_most(molecules):
    kernel = octile.Kernel("delta(element,0.2)", "delta(order,0.5)", accuracy=1e-9)
    matrix, noise = kernel(molecules), 1e-3

    def mean_variance(chosen):
        inside = matrix[np.ix_(chosen, chosen)] + noise * np.eye(len(chosen))
        return np.diag(matrix - matrix[:, chosen] @ np.linalg.solve(inside, matrix[chosen])).mean()

    chosen = []
    for _ in range(5):
        chosen.append(min((k for k in range(len(molecules)) if k not in chosen), key=lambda k: mean_variance([*chosen, k])))
    assert gp.select(molecules, 5, kernel, noise=noise, criterion="mean variance") == chosen
    process = gp.Regressor(kernel, noise=noise, evaluations=0).fit([molecules[k] for k in chosen[:2]], [0.0, 1.0])
    assert process.select(molecules, 3, criterion="mean variance") == chosen[2:]
    with pytest.raises(octile.Error, match="criterion is 'odd'; allowed are 'variance' and 'mean variance'"):
        gp.select(molecules, 2, kernel, criterion="odd")
    with pytest.raises(octile.Error, match="tile is 64 with the criterion 'mean variance', for which all columns .* allowed is 1"):
        process.select(molecules, 2, tile=64, criterion="mean variance")


def test_the_mean_variance_of_many_is_formed_anew_now_and_then():
    # All are chosen, in blocks, and what is left at the end is the noise's.
    chains = [octile.from_smiles("C" * (1 + k % 30) + "O" * (k // 30)) for k in range(90)]
    chosen = gp.select(chains, 90, octile.Kernel("delta(element,0.2)", "1", accuracy=1e-9), criterion="mean variance")
    assert sorted(chosen) == list(range(90))


def test_columns_of_a_tile_are_solved_at_once_and_none_twice(molecules):
    asked = []

    class Counted(octile.Kernel):
        def __call__(self, X, Y=None, eval_gradient=False):
            asked.append(list(Y))
            return super().__call__(X, Y, eval_gradient)

    gp.select(molecules, 8, Counted("delta(element,0.2)", "delta(order,0.5)", accuracy=1e-9), tile=4)
    assert [len(one) for one in asked] == [4] * len(asked) and len(asked) <= 3
    assert len({graph for one in asked for graph in one}) == sum(map(len, asked))
    with pytest.raises(octile.Error, match="tile is 0; allowed is a whole number, at least 1"):
        gp.select(molecules, 2, octile.Kernel(), tile=0)


MODELS = {"whole": gp.Regressor(octile.Kernel("delta(element,0.5)"), noise=0.05, evaluations=3),
          "low rank": gp.LowRank(octile.Kernel("delta(element,0.5)"), inducing=4, noise=0.05, evaluations=3, center="element"),
          "iterative": gp.Iterative(octile.Kernel("delta(element,0.5)"), noise=0.05, rank=3, tile=3, storage="float32")}
each_model = pytest.mark.parametrize("model", MODELS.values(), ids=MODELS.keys())


def same_predictions(made, model, X):
    assert type(made) is type(model) and made.kernel_ == model.kernel_
    for how in ({}, {"return_std": True}, {"return_cov": True}):
        for found, wanted in zip(made.predict(X, **how), model.predict(X, **how)):
            assert np.array_equal(found, wanted)


@each_model
def test_fits_are_saved_pickled_and_copied(model, molecules, y, tmp_path):
    fitted = clone(model).fit(molecules[:8], y[:8])
    fitted.save(tmp_path / "fit.pkl")
    for made in (gp.load(tmp_path / "fit.pkl"), pickle.loads(pickle.dumps(fitted)), copy.deepcopy(fitted), copy.copy(fitted)):
        same_predictions(made, fitted, molecules[8:])
        # And once more, of what was loaded and has been used.
        same_predictions(pickle.loads(pickle.dumps(made)), fitted, molecules[8:])
    assert clone(fitted).get_params()["noise"] == 0.05 and not hasattr(clone(fitted), "alpha_")
    # Before a fit there is as much.
    model.save(tmp_path / "model.pkl")
    assert np.array_equal(gp.load(tmp_path / "model.pkl").fit(molecules[:8], y[:8]).alpha_, fitted.alpha_)


@each_model
def test_fits_are_loaded_by_another_process(model, molecules, y, tmp_path):
    fitted = clone(model).fit(molecules[:8], y[:8])
    fitted.save(tmp_path / "fit.pkl")
    program = """
import pickle, sys
from octile import gp
X = ["CCOCC", "C#N", "OCC(O)CO"]
pickle.dump(gp.load(sys.argv[1]).predict(X, return_std=True), sys.stdout.buffer)
"""
    done = subprocess.run([sys.executable, "-c", program, tmp_path / "fit.pkl"], capture_output=True, timeout=120, check=True)
    for found, wanted in zip(pickle.loads(done.stdout), fitted.predict(["CCOCC", "C#N", "OCC(O)CO"], return_std=True)):
        assert np.allclose(found, wanted, rtol=1e-12, atol=0)


def test_what_is_no_saved_model_is_refused(tmp_path):
    path = tmp_path / "odd.pkl"
    for content, words in ((b"SMILES,y", "is no pickle"), (b"graph 1\n", "is no pickle"), (b"coctile.none\nModel\n.", "is no pickle"), (b"", "is no pickle"), (pickle.dumps({"a": 1}), "holds dict")):
        path.write_bytes(content)
        with pytest.raises(octile.Error, match=f"odd.pkl' {words}; allowed is what `save`"):
            gp.load(path)
    # What cannot be pickled leaves what was there.
    with pytest.raises((pickle.PicklingError, AttributeError)):
        gp.Regressor(octile.Kernel(progress=lambda done, of, seconds: None)).save(path)
    assert pickle.loads(path.read_bytes()) == {"a": 1}


@pytest.mark.parametrize("options, y, words", [
    ({"loss": "hinge"}, [1.0, 2.0], ["'hinge'", "'likelihood'"]), ({"prefer": "none"}, [1.0, 2.0], ["'none'", "'weighted'"]),
    ({}, ["a", 1.0], ["y[0] is 'a'", "allowed are numbers"]), ({}, np.array([1j, 1.0]), ["y[0] is", "allowed are numbers"]),
    ({"noise": "small"}, [1.0, 2.0], ["noise is 'small'", "allowed are numbers"]), ({"noise": np.inf}, [1.0, 2.0], ["inf", "finite"]),
    ({"noise_bounds": "free"}, [1.0, 2.0], ["noise_bounds is 'free'", "'fixed'"]), ({"noise_bounds": (1.0, 0.1)}, [1.0, 2.0], ["(1.0, 0.1)", "ascending"]),
    ({"noise_bounds": (0, 1)}, [1.0, 2.0], ["(0, 1)", "greater than 0"]), ({"noise_bounds": None}, [1.0, 2.0], ["noise_bounds is None"]),
    ({"evaluations": 1.5}, [1.0, 2.0], ["evaluations is 1.5", "whole number, at least 0"]),
    ({"restarts": -1}, [1.0, 2.0], ["restarts is -1", "whole number, at least 0"]),
    ({}, [1.0], ["(1,)", "2 graphs"]), ({}, [1.0, np.nan], ["finite"]), ({"noise": 0.0}, [1.0, 2.0], ["0.0", "greater than 0"])])
def test_wrong_fits_are_refused(options, y, words, molecules):
    with pytest.raises(octile.Error) as raised:
        gp.Regressor(**options).fit(molecules[:2], y)
    for word in words:
        assert word in str(raised.value)


def test_what_is_linear_in_a_label_is_subtracted_and_added(molecules):
    kernel = octile.Kernel("delta(element,0.5)", start="ones", normalize=False, accuracy=1e-9)
    elements = [graph.vertex_labels["element"] for graph in molecules]
    y = np.array([-40.0 * one.count("C") - 55.0 * one.count("O") + 3.0 * one.count("N") + 0.5 * one.count("Cl") for one in elements])
    process = gp.Regressor(kernel, noise=1e-3, evaluations=0, center="element").fit(molecules, y)
    assert {value: round(one, 6) for value, one in process.mean_.items()} == {"C": -40.0, "Cl": 0.5, "N": 3.0, "O": -55.0}
    assert np.allclose(process.predict(["CCCCCCO", "[Br]"]), [-295.0, 0.0], atol=1e-6)
    bent = y + np.array([len(graph.edges) % 3 for graph in molecules])
    process = gp.Regressor(kernel, noise=1e-3, evaluations=0, center="element").fit(molecules, bent)
    counts = np.array([[one.count(value) for value in ("C", "Cl", "N", "O")] for one in elements])
    rest = bent - counts @ np.linalg.lstsq(counts, bent, rcond=None)[0]
    assert np.allclose(process.leave_one_out() - bent, gp.Regressor(kernel, noise=1e-3, evaluations=0, center=False).fit(
        molecules, rest).leave_one_out() - rest)
    with pytest.raises(octile.Error, match="no vertex label 'size', which center names; allowed are .*element"):
        gp.Regressor(kernel, center="size").fit(molecules, y)


def test_matrices_that_are_known_are_not_solved(molecules, y):
    solved = []
    kernel = octile.Kernel("delta(element,0.5)", progress=lambda done, of, seconds: solved.append(done == of)).fixed()
    wanted = gp.Regressor(kernel, noise=0.1).fit(molecules[:8], y[:8])
    matrix, between = kernel(molecules[:8]), kernel(molecules[8:], molecules[:8])
    predicted = wanted.predict(molecules[8:])
    solved.clear()
    process = gp.Regressor(kernel, noise=0.1).fit(molecules[:8], y[:8], matrix)
    assert process.noise_[0] == pytest.approx(wanted.noise_[0])
    assert np.allclose(process.predict(molecules[8:], between=between), predicted)
    assert not solved
    with pytest.raises(octile.Error, match=r"\(7, 7\) .* 0 free parameters; allowed is \(8, 8\)"):
        gp.Regressor(kernel).fit(molecules[:8], y[:8], matrix[:7, :7])
    with pytest.raises(octile.Error, match="2 free parameters"):
        gp.Regressor(octile.Kernel("delta(element,0.5)")).fit(molecules[:8], y[:8], matrix)


@pytest.fixture
def sized_kernel():
    return octile.Kernel("normalize(2*delta(element,0.5)+delta(in_ring,0.3))", "delta(order,0.5)", accuracy=1e-10)


def test_tiles_multiply_as_their_matrix(sized_kernel, molecules, rng):
    twice = [*molecules, molecules[2]]
    matrix, v = sized_kernel(twice), rng.normal(size=(len(twice), 2))
    for storage, rtol in (("float64", 1e-9), ("float32", 1e-6)):
        tiles = octile.GramTiles(sized_kernel, twice, storage=storage, tile=5)
        assert tiles.shape == matrix.shape and tiles.kept < len(molecules)**2
        assert np.allclose(tiles @ v, matrix @ v, rtol=rtol, atol=rtol) and np.allclose(tiles @ v[:, 0], matrix @ v[:, 0], rtol=rtol, atol=rtol)
        assert np.allclose(tiles.diagonal(), np.diag(matrix)) and tiles.largest_error < 1e-6
    wanted = sized_kernel.weighted_gradient(twice, v @ v.T)[1]
    assert np.allclose(tiles.bilinear_derivative(v, v), wanted, rtol=1e-6)
    for options, words in (({"storage": "float16"}, "'float16'"), ({"tile": 0}, "tile is 0")):
        with pytest.raises(octile.Error, match=words):
            octile.GramTiles(sized_kernel, molecules, **options)
    with pytest.raises(octile.Error, match="'tanimoto'"):
        octile.GramTiles(octile.Kernel(normalize="tanimoto"), molecules)


def test_tiles_are_pickled_and_copied_without_their_values(sized_kernel, molecules, rng):
    kernel, v = octile.Kernel(**sized_kernel.get_params()), rng.normal(size=len(molecules))
    tiles = octile.GramTiles(kernel, molecules, tile=5)
    product, derivative = tiles @ v, tiles.bilinear_derivative(v, v)
    written = pickle.dumps(tiles)
    solved = []
    # What is solved again is of the kernel at its first use.
    kernel.set_params(vertex="delta(element,0.1)", progress=lambda done, of, seconds: solved.append(done == of))
    for made in (pickle.loads(written), pickle.loads(pickle.dumps(tiles)), copy.deepcopy(tiles), copy.copy(tiles)):
        assert made.shape == tiles.shape and made.largest_error == tiles.largest_error
        assert np.array_equal(made @ v, product) and np.array_equal(made.diagonal(), tiles.diagonal()) and made.kept == tiles.kept
        assert np.allclose(made.bilinear_derivative(v, v), derivative, rtol=1e-12)
    assert not solved
    counted = octile.GramTiles(kernel, molecules, tile=5)
    assert sum(solved) == 1
    assert np.array_equal(copy.deepcopy(counted) @ v, counted @ v) and sum(solved) == 1


@pytest.mark.parametrize("rank", [0, 4, 50])
def test_conjugate_gradients_find_what_a_factor_does(rank, sized_kernel, molecules, y):
    noise = np.linspace(0.01, 0.05, 9)
    exact = gp.Regressor(sized_kernel, noise=noise, noise_bounds="fixed", evaluations=0).fit(molecules[:9], y[:9])
    process = gp.Iterative(sized_kernel, noise=noise, tolerance=1e-10, rank=rank, tile=4).fit(molecules[:9], y[:9])
    assert np.allclose(process.alpha_, exact.alpha_, rtol=1e-6) and process.iterations_ < 30
    for how in ({"return_std": True}, {"return_cov": True}):
        for found, wanted in zip(process.predict(molecules[9:], **how), exact.predict(molecules[9:], **how)):
            assert np.allclose(found, wanted, rtol=1e-5, atol=1e-7)


def test_conjugate_gradients_that_do_not_come_to_an_end_are_told():
    matrix = np.diag(np.logspace(0, 6, 30))
    with pytest.raises(octile.Error, match="within 5 iterations; allowed is more noise"):
        octile.tiles.solve(lambda v: matrix @ v, np.ones(30), lambda r: r, most=5)


def test_a_low_rank_of_all_graphs_is_the_whole(sized_kernel, molecules, y):
    exact = gp.Regressor(sized_kernel, noise=0.02, evaluations=0).fit(molecules[:9], y[:9])
    process = gp.LowRank(sized_kernel, inducing=9, noise=0.02, evaluations=0).fit(molecules[:9], y[:9])
    assert process.loss_value_ == pytest.approx(exact.loss_value_, rel=1e-5)
    for how in ({"return_std": True}, {"return_cov": True}):
        for found, wanted in zip(process.predict(molecules[9:], **how), exact.predict(molecules[9:], **how)):
            assert np.allclose(found, wanted, rtol=1e-3, atol=1e-5)


def test_a_low_rank_has_the_covariance_of_its_inducing_graphs(sized_kernel, molecules, y):
    process = gp.LowRank(sized_kernel, inducing=molecules[:3], noise=0.02, evaluations=0).fit(molecules[:9], y[:9])
    _, covariance = process.predict(molecules[7:], return_cov=True)
    among, of_fit, of_new = sized_kernel(molecules[:3]), sized_kernel(molecules[:9], molecules[:3]), sized_kernel(molecules[7:], molecules[:3])
    # K − Q of what is not told by Z, and the posterior of the weights of Z: K(*, Z) (K_ZZ + K_ZX noise⁻¹ K_XZ)⁻¹ K(Z, *).
    wanted = sized_kernel(molecules[7:]) - of_new @ np.linalg.solve(among, of_new.T)
    wanted += of_new @ np.linalg.solve(among + of_fit.T @ of_fit / process.noise_[0], of_new.T)
    assert np.allclose(covariance, process.scale_ * wanted, rtol=1e-5, atol=1e-6 * process.scale_)
    assert np.array_equal(covariance, covariance.T)
    _, deviation = process.predict(molecules[7:], return_std=True)
    assert np.allclose(np.diag(covariance), deviation**2, rtol=1e-6)


def test_a_low_rank_has_the_loss_of_its_matrix_and_its_gradient(sized_kernel, molecules, y):
    process = gp.LowRank(sized_kernel, inducing=[molecules[k] for k in (0, 2, 6)], noise=np.linspace(0.01, 0.02, len(y)), evaluations=0).fit(molecules, y)
    among, between = sized_kernel(process.inducing_), sized_kernel(molecules, process.inducing_)
    matrix = between @ np.linalg.solve(among, between.T) + np.diag(process.noise_)
    assert process.loss_value_ == pytest.approx(gp.likelihood(matrix, y - y.mean())[0], rel=1e-5)
    at, step = np.append(sized_kernel.theta, 0.3), 1e-4
    _, gradient = process._loss(at)
    for k in range(len(at)):
        move = step * (np.arange(len(at)) == k)
        difference = (process._loss(at + move)[0] - process._loss(at - move)[0]) / (2 * step)
        assert gradient[k] == pytest.approx(difference, rel=1e-4, abs=1e-5)


def test_a_low_rank_learns(molecules, y):
    kernel = octile.Kernel("delta(element,0.5)", "delta(order,0.5)", stopping="probability:0.2")
    start = gp.LowRank(kernel, inducing=5, noise=0.1, evaluations=0).fit(molecules, y)
    process = gp.LowRank(kernel, inducing=5, noise=0.1, evaluations=12).fit(molecules, y)
    assert process.loss_value_ < start.loss_value_ and len(process.inducing_) == 5
    assert process.score(molecules, y) > 0.3
    with pytest.raises(octile.Error, match=r"noise has the shape \(2,\)"):
        gp.LowRank(kernel, noise=[1.0, 2.0]).fit(molecules, y)


@pytest.mark.parametrize("call, words", [
    (lambda X: gp.LowRank(noise_bounds="free").fit(X, [1.0, 2.0]), ["noise_bounds is 'free'", "'fixed'"]),
    (lambda X: gp.LowRank(evaluations=None).fit(X, [1.0, 2.0]), ["evaluations is None", "whole number"]),
    (lambda X: gp.LowRank(inducing=0).fit(X, [1.0, 2.0]), ["count is 0", "1 to 2"]),
    (lambda X: gp.Iterative(tolerance=0).fit(X, [1.0, 2.0]), ["tolerance is 0", "finite number greater than 0"]),
    (lambda X: gp.Iterative(rank=-1).fit(X, [1.0, 2.0]), ["rank is -1", "whole number, at least 0"]),
    (lambda X: gp.Iterative(tile=1.5).fit(X, [1.0, 2.0]), ["tile is 1.5", "whole number, at least 1"]),
    (lambda X: gp.select(X, 1.5, octile.Kernel()), ["count is 1.5", "whole number"]),
    (lambda X: gp.select(X, 1, octile.Kernel(), noise="a"), ["noise is 'a'", "greater than 0"]),
    (lambda X: octile.GramTiles(octile.Kernel(), X) @ ["a", 1], ["v[0] is 'a'", "allowed are numbers"]),
    (lambda X: octile.Kernel().weighted_gradient(X, [["a", 1], [1, 1]]), ["weights[0] is ['a', 1]", "allowed are numbers"]),
    (lambda X: octile.Kernel().attribution(X, X, [1.0, None, 2.0]), ["(3,)", "(2,)"]),
    (lambda X: octile.Kernel().clone_with_theta([[0.0]]), ["theta has the shape (1, 1)", "allowed is (1,)"]),
    (lambda X: octile.Kernel(start=["ones"])(X), ["start", "ones"]),
    (lambda X: gp.Regressor(evaluations=0).fit(X, [1.0, 2.0]).predict(X, between=np.ones((1, 2))), ["between has the shape (1, 2)", "(2, 2)"])])
def test_wrong_settings_are_refused_with_what_is_allowed(call, words, molecules):
    assert_refused(lambda: call(molecules[:2]), words)


def test_a_tile_may_be_larger_than_the_matrix(sized_kernel, molecules, rng):
    v = rng.normal(size=len(molecules))
    assert np.allclose(octile.GramTiles(sized_kernel, molecules, tile=10**30) @ v, sized_kernel(molecules) @ v)
