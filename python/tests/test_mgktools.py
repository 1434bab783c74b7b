# SPDX-License-Identifier: BSD-3-Clause
"""Hyperparameter files of mgktools."""
import json

import numpy as np
import pytest

import octile
import octile.mgktools
from octile.kernels import Constant, convolution, delta, gaussian, normalize

# As its version 3 writes them: a value, its bounds, a step and choices.
SUM = {
    "Normalization": [True, "fixed", None, None],
    "a_type": ["Additive", "fixed", None, None],
    "atom_AtomicNumber": {"Const": [2.0, [1.0, 10.0], 1.0, None], "kDelta": [0.9, [0.75, 1.0], 0.05, None]},
    "atom_AtomicNumber_list_2": {"Const": [3.0, "fixed", None, None], "kConv": [0.8, [0.5, 0.9], 0.05, None]},
    "b_type": ["Tensorproduct", "fixed", None, None],
    "bond_Order": {"kDelta": [0.7, "fixed", None, None]},
    "bond_Conjugated": {"kDelta": [0.6, [0.3, 0.9], 0.05, None]},
    "p_type": ["Additive_p", "fixed", None, None],
    "probability_AtomicNumber": {"Const_p": [1.0, "fixed", None, None]},
    "q": [0.02, [0.01, 0.5], 0.01, None],
}


def test_a_file_is_the_kernel_with_its_values_and_bounds(tmp_path):
    (tmp_path / "sum.json").write_text(json.dumps(SUM))
    kernel = octile.mgktools.read(tmp_path / "sum.json", accuracy=1e-8)
    by_hand = octile.Kernel(
        normalize(Constant(2, (1, 10)) * delta("atomic_number", 0.9, bounds=(0.75, 1))
                  + Constant(3, "fixed") * convolution("neighbors2", delta("_", 0.8, bounds=(0.5, 0.9)))),
        delta("order", 0.7, bounds="fixed") * delta("conjugated", 0.6, bounds=(0.3, 0.9)), start="ones", stopping="probability:0.02",
        bounds_by_name={"q": (0.01, 0.5)}, accuracy=1e-8)
    assert kernel.parameters == by_hand.parameters
    assert (kernel.start, kernel.normalize, kernel.accuracy) == ("ones", True, 1e-8)
    graphs = [octile.from_smiles(smiles, features=octile.mgktools.FEATURES) for smiles in ("CCO", "CC=O", "c1ccccc1C", "C")]
    assert np.array_equal(kernel(graphs), by_hand(graphs))


def test_older_files_have_shorter_entries():
    older = {name: entry[:2] if isinstance(entry, list) else {kind: numbers[:3] for kind, numbers in entry.items()} for name, entry in SUM.items()}
    assert octile.mgktools.read(older).parameters == octile.mgktools.read(SUM).parameters


def test_without_normalisation_k_is_that_of_sums_over_atoms():
    kernel = octile.mgktools.read(SUM | {"Normalization": [False, "fixed", None, None]})
    assert kernel.normalize is False and kernel.start == "ones"


def test_labels_of_ones_own_graphs_have_names():
    given = {name: entry for name, entry in SUM.items() if not name.startswith("atom_")} | {
        "a_type": ["Tensorproduct", "fixed", None, None], "atom_GasteigerCharge": {"sExp": [0.5, [0.1, 1.0], None, None]}}
    kernel = octile.mgktools.read(given, names={"atom_GasteigerCharge": "charge of mine"})
    assert kernel.vertex == gaussian("charge of mine", 0.5, bounds=(0.1, 1.0))


def test_what_is_left_out_is_not_there():
    given = SUM | {"Normalization": [10000.0, [1000.0, 30000.0], None, None], "bond_RingStereo": {"kDelta": [0.9, "fixed", None, None]},
                   "probability_group_an6": {"Assign_p": [1.0, [1.0, 10.0], 1.0, None]}}
    kernel = octile.mgktools.read(given, left_out=["Normalization", "bond_RingStereo", "probability_group_an6"])
    assert kernel.parameters == octile.mgktools.read(SUM).parameters
    assert kernel.normalize is True


@pytest.mark.parametrize("change, words", [
    ({"bond_RingStereo": {"kDelta": [0.9, "fixed"]}}, ["bond_RingStereo", "left_out", "names"]),
    ({"probability_group_an6": {"Assign_p": [1.0, "fixed"]}}, ["probability_group_an6", "Assign_p"]),
    ({"Normalization": [10000.0, [1000.0, 30000.0]]}, ["Normalization", "10000.0", "left_out"]),
    ({"a_type": ["Maximum", "fixed"]}, ["a_type", "'Maximum'"]),
    ({"bond_Order": {"rbf": [0.9, "fixed"]}}, ["bond_Order", "'rbf'", "kDelta"]),
    ({"bond_Order": {"kDelta": 0.9}}, ["bond_Order", "0.9", "list"]),
    ({"bond_Order": {"kDelta": ["high", "fixed"]}}, ["bond_Order", "'high'", "number"]),
    ({"bond_Order": {"kDelta": [1.5, "fixed"]}}, ["1.5", "at most 1"]),
    ({"features_kernel": {"rbf": [1.0, "fixed"]}}, ["'features_kernel'", "graph kernel"])])
def test_what_has_no_counterpart_is_refused(change, words):
    with pytest.raises(octile.Error) as raised:
        octile.mgktools.read(SUM | change)
    for word in words:
        assert word in str(raised.value)


def test_only_what_is_there_is_left_out():
    with pytest.raises(octile.Error, match="'bond_Size'"):
        octile.mgktools.read(SUM, left_out=["bond_Size"])
