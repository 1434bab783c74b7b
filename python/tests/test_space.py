# SPDX-License-Identifier: BSD-3-Clause
"""Atoms in space: rules of adjacency, periodic cells, ase and pymatgen."""
import collections
import subprocess
import types

import ase
import ase.build
import numpy as np
import pytest

import octile

SKEWED = np.array([[3.1, 0.0, 0.0], [1.2, 2.7, 0.0], [-0.8, 0.9, 3.4]])


def random_atoms(rng, count=6):
    return ["C", "O", "H", "N", "S", "H"][:count], rng.uniform(-2, 4, (count, 3))


def by_all_shifts(positions, cell, periodic, cutoff, weight):
    """Of each pair i < j that is joined the shortest distance, its weight, and the sum of the weights of all images, by trying shifts."""
    found = {}
    shifts = [range(-9, 10) if one else [0] for one in periodic]
    for shift in np.stack(np.meshgrid(*shifts, indexing="ij"), axis=-1).reshape(-1, 3):
        for i in range(len(positions)):
            for j in range(i + 1, len(positions)):
                r = float(np.linalg.norm(positions[j] + shift @ cell - positions[i]))
                if r < cutoff:
                    shortest, total = found.get((i, j), (np.inf, 0.0))
                    found[i, j] = min(shortest, r), total + weight(r / cutoff)
    return found


@pytest.mark.parametrize("periodic", [(True, True, True), (True, False, True), (False, True, False), (False, False, False)])
@pytest.mark.parametrize("images", ["nearest", "all"])
def test_cells_repeat_as_shifted_copies_do(periodic, images, rng):
    elements, positions = random_atoms(rng)
    graph = octile.from_positions(elements, positions, cutoff=3.7, decay=1.5, cell=SKEWED, periodic=periodic, images=images)
    wanted = by_all_shifts(positions, SKEWED, periodic, 3.7, lambda ratio: (1 - ratio)**1.5)
    assert [tuple(edge) for edge in graph.edges.tolist()] == sorted(wanted)
    lengths, totals = np.array([wanted[tuple(edge)] for edge in graph.edges.tolist()]).T
    assert np.allclose(graph.edge_labels["length"], lengths, rtol=1e-10)
    assert np.allclose(graph.weights, totals if images == "all" else (1 - lengths / 3.7)**1.5, rtol=1e-9)


def test_a_cell_that_is_not_asked_for_is_none(rng):
    elements, positions = random_atoms(rng)
    assert octile.from_positions(elements, positions, cell=SKEWED, images="none") == octile.from_positions(elements, positions)


@pytest.mark.parametrize("adjacency, weight", [
    ("tent:3", lambda x: (1 - x)**3), ("tent:0", np.ones_like), ("bell:2,3", lambda x: (1 - x**2)**3),
    ("gaussian:0.4", lambda x: np.exp(-x**2 / 0.32))])
def test_weights_are_those_of_the_adjacency(adjacency, weight, rng):
    graph = octile.from_positions(*random_atoms(rng), cutoff=6, adjacency=adjacency)
    assert graph.edge_count > 3
    assert np.allclose(graph.weights, weight(graph.edge_labels["length"] / 6), rtol=1e-12)


def test_atoms_at_one_place_are_joined_with_weight_1():
    graph = octile.from_positions(["C", "O"], [[0, 0, 0], [0, 0, 0]])
    assert graph.edges.tolist() == [[0, 1]] and graph.weights.tolist() == [1.0]
    wrapped = octile.from_positions(["C", "O"], [[0, 0, 0], [3, 0, 0]], cutoff=1, cell=np.diag([3.0, 3.0, 3.0]))
    assert wrapped.weights.tolist() == [1.0]


@pytest.mark.parametrize("images", ["nearest", "all"])
@pytest.mark.parametrize("options", [("4", "tent:2"), ("covalent:2.5", "bell:2,2"), ("vdw:1", "gaussian:0.5")])
def test_cells_are_those_that_the_program_reads(images, options, program, rng, tmp_path):
    cutoff, adjacency = options
    frames = [(*random_atoms(rng, count), SKEWED + 0.1 * rng.normal(size=(3, 3)), pbc)
              for count, pbc in ((3, "T T T"), (5, "T F T"), (6, "F F T"))]
    with open(tmp_path / "cells.extxyz", "w", encoding="utf-8") as file:
        for elements, positions, cell, pbc in frames:
            file.write(f'{len(elements)}\nLattice="{" ".join(map(repr, cell.ravel().tolist()))}" Properties=species:S:1:pos:R:3 pbc="{pbc}"\n')
            file.writelines(f"{element} {x!r} {y!r} {z!r}\n" for element, (x, y, z) in zip(elements, positions.tolist()))
    subprocess.run([program, "gram", "cells.extxyz", "--vertex", "delta(element,0.5)", "--edge", "gaussian(length,0.5)", "--stopping",
                    "probability:0.05", "--accuracy", "1e-9", "--quiet", "--out", "K.npy", "--cutoff", cutoff, "--adjacency", adjacency,
                    "--images", images], cwd=tmp_path, check=True, capture_output=True)
    graphs = [octile.from_positions(elements, positions, cutoff=float(cutoff) if cutoff == "4" else cutoff, adjacency=adjacency, cell=cell,
                                    periodic=[one == "T" for one in pbc.split()], images=images)
              for elements, positions, cell, pbc in frames]
    ours = octile.Kernel("delta(element,0.5)", "gaussian(length,0.5)", normalize=False, accuracy=1e-9)(graphs)
    assert np.allclose(ours, np.load(tmp_path / "K.npy"), rtol=1e-8, atol=0)


@pytest.mark.parametrize("options, words", [
    ({"adjacency": "tent:-1"}, ["'tent:-1'", "tent:N"]), ({"adjacency": "bell:2"}, ["'bell:2'", "bell:A,B"]),
    ({"adjacency": "gaussian:nan"}, ["'gaussian:nan'"]), ({"decay": -1}, ["'tent:-1.0'"]), ({"images": "some"}, ["'some'", "'nearest'"]),
    ({"cell": [1, 2, 3]}, ["'g'", "(3,)", "three vectors"]), ({"cell": np.zeros((3, 3))}, ["'g'", "vector 1", "0 Å"]),
    ({"cell": [[1, 0, 0], [0, 1, 0], [1, 1, 0]]}, ["'g'", "one plane"]),
    ({"cell": np.diag([1e-3, 1e-3, 1e-3])}, ["'g'", "so small"])])
def test_wrong_rules_and_cells_are_refused(options, words):
    with pytest.raises(octile.Error) as raised:
        octile.from_positions(["C", "C"], [[0, 0, 0], [1, 1, 1]], name="g", **options)
    for word in words:
        assert word in str(raised.value)


def test_cells_of_ase_repeat():
    salt = ase.build.bulk("NaCl", "rocksalt", a=5.64, cubic=True)
    graph = octile.as_graph(salt)
    assert graph == octile.from_positions(salt.get_chemical_symbols(), salt.positions, cell=salt.cell[:])
    # Each sodium has six chlorines at 2.82 Å, of which some are images of the same atom.
    assert graph.edge_labels["length"].min() == pytest.approx(2.82)
    slab = ase.Atoms("CO", [[0, 0, 0], [2.5, 0, 0]], cell=np.diag([3.0, 3.0, 3.0]), pbc=[True, False, False])
    assert octile.from_ase(slab, cutoff=1).edge_labels["length"].tolist() == [0.5]
    assert octile.from_ase(slab, cutoff=1, images="none").edge_count == 0


# What pymatgen has, in short: sites of a species that maps elements to shares, places, and a lattice for what repeats.
Symbol = collections.namedtuple("Symbol", "symbol")


class StandIn(list):
    """A pymatgen Molecule, or with a lattice a Structure, by its members alone."""

    def __init__(self, species, places, lattice=None, pbc=(True, True, True)):
        super().__init__(types.SimpleNamespace(species=shares) for shares in species)
        self.cart_coords, self.formula = np.asarray(places, dtype=float), "stand-in"
        if lattice is not None:
            self.lattice = types.SimpleNamespace(matrix=np.asarray(lattice), pbc=pbc)


StandIn.__module__ = "pymatgen.core.structure"


def whole(*symbols):
    return [{Symbol(symbol): 1.0} for symbol in symbols]


def test_structures_of_pymatgen_are_graphs_with_their_cell(rng):
    elements, positions = random_atoms(rng)
    graph = octile.as_graph(StandIn(whole(*elements), positions, SKEWED))
    assert graph == octile.from_positions(elements, positions, cell=SKEWED)
    assert graph.name == "stand-in"
    slab = octile.from_pymatgen(StandIn(whole(*elements), positions, SKEWED, (True, True, False)), cutoff="covalent:2", name="slab")
    assert slab == octile.from_positions(elements, positions, cell=SKEWED, periodic=[True, True, False], cutoff="covalent:2")
    assert slab.name == "slab"


def test_molecules_of_pymatgen_are_graphs(rng):
    elements, positions = random_atoms(rng)
    assert octile.as_graph(StandIn(whole(*elements), positions)) == octile.from_positions(elements, positions)


@pytest.mark.parametrize("shares", [{Symbol("Fe"): 0.5, Symbol("Ni"): 0.5}, {Symbol("Fe"): 0.5}])
def test_partly_occupied_sites_are_refused(shares):
    with pytest.raises(octile.Error, match="site 2 .* one element"):
        octile.from_pymatgen(StandIn([*whole("C"), shares], np.zeros((2, 3)), SKEWED))


def test_pymatgens_own_structures_are_graphs():
    core = pytest.importorskip("pymatgen.core", reason="pymatgen is not installed")
    salt = core.Structure.from_spacegroup("Fm-3m", core.Lattice.cubic(5.64), ["Na+", "Cl-"], [[0, 0, 0], [0.5, 0.5, 0.5]])
    graph = octile.as_graph(salt)
    assert graph == octile.from_positions([site.specie.symbol for site in salt], salt.cart_coords, cell=salt.lattice.matrix)
    assert graph.edge_labels["length"].min() == pytest.approx(2.82)
    assert graph.name == salt.formula
    water = core.Molecule(["O", "H", "H"], [[0, 0, 0], [0.96, 0, 0], [-0.24, 0.93, 0]])
    assert octile.as_graph(water) == octile.from_positions(["O", "H", "H"], water.cart_coords)


@pytest.mark.parametrize("normalize", [False, True, "tanimoto"])
@pytest.mark.parametrize("options", [
    {"cutoff": 4.5, "adjacency": "bell:2,3"}, {"cutoff": "covalent:2.5", "adjacency": "tent:2.5"},
    {"cutoff": 3.7, "adjacency": "gaussian:0.6", "cell": SKEWED, "periodic": (True, False, True)},
    {"cutoff": 3.7, "adjacency": "bell:2,3", "cell": SKEWED, "images": "all"}])
def test_derivatives_by_positions_are_those_of_differences(normalize, options, rng):
    exact = octile.Kernel("delta(element,0.4)", "gaussian(length,0.8)", start="ones", normalize=normalize, backend="reference")
    elements, positions = random_atoms(rng)
    others = [octile.from_positions(*random_atoms(rng, count), **options) for count in (4, 5)]
    # The same atoms are among the others, which do not move.
    others.append(octile.from_positions(elements, positions, **options))
    weights = rng.normal(size=(1, 3))

    def value(moved):
        return float(weights[0] @ exact([octile.from_positions(elements, moved, **options)], others)[0])

    [found] = octile.position_gradient(exact, [(elements, positions)], weights, others, **options)
    kernel = octile.Kernel("delta(element,0.4)", "gaussian(length,0.8)", start="ones", normalize=normalize)
    assert np.allclose(octile.position_gradient(kernel, [(elements, positions)], weights, others, **options)[0], found,
                       atol=5e-3 * np.abs(found).max())
    assert found.shape == positions.shape
    # No force moves the whole.
    assert np.allclose(found.sum(axis=0), 0, atol=1e-9 * np.abs(found).max())
    for atom, axis in ((0, 0), (2, 1), (5, 2)):
        step = np.zeros_like(positions)
        step[atom, axis] = 1e-4
        assert found[atom, axis] == pytest.approx((value(positions + step) - value(positions - step)) / 2e-4, rel=1e-4, abs=1e-5 * np.abs(found).max())


def test_a_square_moves_in_both_of_its_arguments(rng):
    kernel = octile.Kernel("delta(element,0.4)", start="ones", normalize=False, accuracy=1e-11)
    atoms, weights = [random_atoms(rng), random_atoms(rng, 4)], rng.normal(size=(2, 2))
    found = octile.position_gradient(kernel, atoms, weights)
    step = np.zeros((4, 3))
    step[1, 2] = 1e-4
    ahead, behind = (np.sum(weights * kernel([octile.from_positions(*atoms[0]), octile.from_positions(atoms[1][0], atoms[1][1] + sign * step)]))
                     for sign in (1, -1))
    assert found[1][1, 2] == pytest.approx((ahead - behind) / 2e-4, rel=1e-4)


def test_forces_are_those_of_what_is_predicted():
    waters = [ase.build.molecule("H2O") for _ in range(5)]
    for k, water in enumerate(waters):
        water.positions[0, 2] += 0.05 * k
    kernel = octile.Kernel("delta(element,0.4)", "gaussian(length,0.8)", start="ones", normalize=False, accuracy=1e-10)
    process = octile.gp.Regressor(kernel, noise=1e-4, evaluations=0).fit([octile.from_ase(water) for water in waters], [0.0, 0.1, 0.4, 0.9, 1.6])
    [forces] = process.forces([waters[2]])
    moved = [waters[2].copy(), waters[2].copy()]
    moved[0].positions[0, 2] += 1e-4
    moved[1].positions[0, 2] -= 1e-4
    ahead, behind = process.predict([octile.from_ase(one) for one in moved])
    assert forces[0, 2] == pytest.approx(-(ahead - behind) / 2e-4, rel=1e-3)


@pytest.mark.parametrize("options, words", [
    ({"start": "degree"}, ["'degree'", "'uniform'"]), ({"start": "attribute:x"}, ["'attribute:x'"]), ({"vertex": "gaussian(z,1)"}, ["reads z"])])
def test_kernels_that_read_positions_otherwise_have_no_forces(options, words, rng):
    with pytest.raises(octile.Error) as raised:
        octile.position_gradient(octile.Kernel(**options), [random_atoms(rng)], np.ones((1, 1)))
    for word in words:
        assert word in str(raised.value)
    with pytest.raises(octile.Error, match="Graph has no positions"):
        octile.position_gradient(octile.Kernel(), [octile.Graph(1)], np.ones((1, 1)))
