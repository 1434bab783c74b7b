# SPDX-License-Identifier: BSD-3-Clause
"""Values and derivatives in PyTorch, and a model of GPyTorch. Skipped where these are not installed."""
import pathlib
import re
import subprocess
import sys

import numpy as np
import pytest

import octile

torch = pytest.importorskip("torch", reason="torch is not installed")


@pytest.fixture(params=[True, False, "tanimoto"])
def kernel(request):
    return octile.Kernel("delta(element,0.4)*delta(hydrogens,0.6)", "delta(order,0.5)", start="ones", normalize=request.param, accuracy=1e-10)


@pytest.mark.parametrize("rectangular", (False, True))
def test_derivatives_are_those_of_differences(rectangular, kernel, molecules):
    import octile.torch
    rows, columns = molecules[:5], molecules[3:7] if rectangular else None
    theta = torch.tensor(kernel.theta, requires_grad=True)
    assert torch.autograd.gradcheck(lambda at: octile.torch.values(kernel, at, rows, columns), theta, eps=1e-4, atol=1e-6, rtol=1e-5)


def test_values_are_those_of_the_kernel(kernel, molecules):
    import octile.torch
    found = octile.torch.values(kernel, torch.tensor(kernel.theta), molecules[:4], molecules)
    assert np.allclose(found.numpy(), kernel(molecules[:4], molecules), rtol=1e-9)


def test_a_theta_of_another_length_is_refused(kernel, molecules):
    import octile.torch
    with pytest.raises(octile.Error, match="theta has the shape"):
        octile.torch.values(kernel, torch.zeros(2), molecules)


@pytest.mark.parametrize("rectangular", (False, True))
def test_an_operator_is_its_matrix(rectangular, kernel, molecules):
    pytest.importorskip("gpytorch", reason="gpytorch is not installed")
    from octile.gpytorch import GramOperator
    theta = torch.tensor(kernel.theta, requires_grad=True)
    operator = GramOperator(theta, kernel=kernel, rows=molecules[:7], columns=molecules[5:] if rectangular else None, block=3)
    dense = operator.to_dense()
    left, right = (torch.randn(size, 2, dtype=torch.float64, generator=torch.Generator().manual_seed(1)) for size in operator.shape)
    assert torch.allclose(operator @ right, dense @ right)
    assert torch.allclose(operator.mT @ left, dense.T @ left)
    if not rectangular:
        assert torch.allclose(operator.diagonal(), dense.diagonal())
    [wanted] = torch.autograd.grad((left * (dense @ right)).sum(), theta, retain_graph=True)
    assert torch.allclose(operator._bilinear_derivative(left, right)[0], wanted, rtol=1e-6)
    [found] = torch.autograd.grad((left * (operator @ right)).sum(), theta)
    assert torch.allclose(found, wanted, rtol=1e-6)


def trained(kernel, graphs, y, lazy, steps):
    """A model of GPyTorch after some steps, and its losses."""
    gpytorch = pytest.importorskip("gpytorch", reason="gpytorch is not installed")
    from octile.gpytorch import GraphKernel

    class Model(gpytorch.models.ExactGP):
        def __init__(self, x, y, likelihood):
            super().__init__(x, y, likelihood)
            self.mean_module = gpytorch.means.ConstantMean()
            self.covar_module = GraphKernel(kernel, graphs, lazy=lazy)

        def forward(self, x):
            return gpytorch.distributions.MultivariateNormal(self.mean_module(x), self.covar_module(x))

    x, likelihood = torch.arange(len(y)).double()[:, None], gpytorch.likelihoods.GaussianLikelihood().double()
    model = Model(x, torch.tensor(y), likelihood).double()
    model.train(), likelihood.train()
    loss_of = gpytorch.mlls.ExactMarginalLogLikelihood(likelihood, model)
    optimizer, losses = torch.optim.Adam(model.parameters(), lr=0.1), []
    for _ in range(steps):
        optimizer.zero_grad()
        loss = -loss_of(model(x), torch.tensor(y))
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return model, losses


@pytest.mark.parametrize("lazy", (False, True))
def test_a_model_of_gpytorch_learns(lazy, molecules):
    kernel = octile.Kernel("delta(element,0.4)*delta(hydrogens,0.6)", "delta(order,0.5)", accuracy=1e-8)
    y = np.array([float(graph.vertex_count) for graph in molecules])
    y = (y - y.mean()) / y.std()
    model, losses = trained(kernel, molecules, y[:-2], lazy, 8)
    assert losses[-1] < losses[0]
    learnt = model.covar_module.learnt()
    assert not np.allclose(learnt.theta, kernel.theta)
    model.eval()
    with torch.no_grad():
        mean = model(torch.arange(len(molecules) - 2, len(molecules)).double()[:, None]).mean
    noise = model.likelihood.noise.item()
    center = model.mean_module.constant.item()
    matrix = learnt(molecules)
    n = len(molecules) - 2
    wanted = center + matrix[n:, :n] @ np.linalg.solve(matrix[:n, :n] + noise * np.eye(n), y[:n] - center)
    assert np.allclose(mean.numpy(), wanted, atol=1e-4)


def test_the_example_trains_a_model_from_beginning_to_end(tmp_path):
    pytest.importorskip("gpytorch", reason="gpytorch is not installed")
    program = pathlib.Path(__file__).parents[2] / "examples/gpytorch/train"
    table = tmp_path / "sizes.csv"
    table.write_text("smiles,size\n" + "".join(f"{'C' * n}O,{n}\n" for n in range(1, 13)))

    def printed(*arguments):
        done = subprocess.run([sys.executable, program, *map(str, arguments)], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        losses = [float(loss) for loss in re.findall(r"loss (-?[\d.]+)", done.stdout)]
        return losses, [float(error) for error in re.search(r"MAE of \d+ molecules: ([\d.]+), of .*: ([\d.]+)", done.stdout).groups()]

    losses, (wrong, of_mean) = printed("--steps", 21)
    assert losses[-1] < losses[0] and wrong < 0.5 * of_mean
    losses, (wrong, of_mean) = printed("--csv", table, "--target", "size", "--steps", 11)
    assert losses[-1] < losses[0] and wrong < of_mean
    refused = subprocess.run([sys.executable, program, "--csv", table, "--target", "mass"], capture_output=True, text=True, check=False)
    assert refused.returncode != 0 and "has no column 'mass'; allowed are smiles, size" in refused.stderr
