# SPDX-License-Identifier: BSD-3-Clause
"""Graphs from other packages and files."""
import json
import pathlib
import subprocess

import ase.build
import networkx
import numpy as np
import pytest
from rdkit import Chem

import octile

SMILES = [
    "C", "[H][H]", "CCO", "c1ccccc1", "C1CC1C(=O)[O-].[Na+]", "F/C=C/F", "F/C=C\\F", "N[C@@H](C)C(=O)O", "N[C@H](C)C(=O)O",
    "CC(=O)Oc1ccccc1C(=O)O", "CN1C=NC2=C1C(=O)N(C(=O)N2C)C", "[2H]C(Cl)(Br)I", "O=S(=O)(c1ccc(N)cc1)N", "C#N", "c1ccc2c(c1)[nH]cc2",
    "FS(F)(F)(F)(F)F", "CC1(C)SC2C(NC(=O)Cc3ccccc3)C(=O)N2C1C(=O)O"]


def test_networkx_graphs_keep_order_weights_labels_and_targets():
    made = networkx.Graph(name="made", targets={"energy": -1.5})
    made.add_node("z", kind="a", charge=1.5)
    made.add_node("b", kind="b", charge=2)
    made.add_node(3, kind="a", charge=0)
    made.add_edge(3, "z", weight=2.0, order=1)
    made.add_edge("z", "b", weight=0.5, order=2)
    graph = octile.from_networkx(made)
    assert graph == octile.Graph(3, [(0, 2), (0, 1)], [2.0, 0.5], {"kind": ["a", "b", "a"], "charge": [1.5, 2.0, 0.0]}, {"order": [1, 2]})
    assert (graph.name, graph.targets) == ("made", {"energy": -1.5})
    chosen = octile.from_networkx(made, weight="order", vertex_labels=["kind"], edge_labels=[], name="other")
    assert chosen == octile.Graph(3, [(0, 2), (0, 1)], [1, 2], {"kind": ["a", "b", "a"]})
    assert chosen.name == "other"
    assert octile.Graph.from_networkx(networkx.path_graph(4)) == octile.Graph(4, [(0, 1), (1, 2), (2, 3)])


@pytest.mark.parametrize("make, words", [
    (lambda: networkx.DiGraph([(0, 1)], name="g"), ["'g'", "directed", "undirected"]),
    (lambda: networkx.MultiGraph([(0, 1)], name="g"), ["'g'", "multigraph"]),
    (lambda: networkx.Graph([(0, 0)], name="g"), ["'g'", "0"]),
    (lambda: networkx.Graph(name="g"), ["'g'", "at least one"]),
    (lambda: networkx.Graph([(0, 1, {"weight": 1}), (1, 2)], name="g"), ["'g'", "1-2", "'weight'", "for all or for none"])])
def test_wrong_networkx_graphs_are_refused(make, words):
    with pytest.raises(octile.Error) as raised:
        octile.from_networkx(make())
    for word in words:
        assert word in str(raised.value)


def test_a_molecule_has_the_labels_of_the_formats():
    graph = octile.from_smiles("C[C@H](N)C(=O)O", name="alanine")
    assert graph.vertex_labels["element"] == ["C", "C", "N", "C", "O", "O"]
    assert graph.vertex_labels["chirality"] == ["none", "S", "none", "none", "none", "none"]
    assert graph.vertex_labels["hydrogens"].tolist() == [3, 1, 2, 0, 0, 1]
    assert graph.vertex_labels["ring_sizes"] == [[0.0]] * 6
    assert graph.edge_labels["order"].tolist() == [1, 1, 1, 2, 1]
    assert graph.name == "alanine"
    assert octile.from_smiles("CCO").name == "CCO"


def test_hydrogens_are_vertices_if_asked():
    graph = octile.from_smiles("CO", hydrogens=True)
    assert graph.vertex_labels["element"] == ["C", "O", "H", "H", "H", "H"]
    assert graph.edge_count == 5
    assert graph.vertex_labels["hydrogens"].tolist() == [3, 1, 0, 0, 0, 0]
    assert octile.from_rdkit(Chem.AddHs(Chem.MolFromSmiles("CO"))) == graph
    # As in the program, what a SMILES keeps as an atom is counted among hydrogens where all of them are vertices.
    assert octile.from_smiles("[2H]C").vertex_labels["hydrogens"].tolist() == [0, 3]
    assert octile.from_rdkit(Chem.MolFromSmiles("[2H]C")).vertex_labels["hydrogens"].tolist() == [0, 3]
    assert octile.from_smiles("[2H]C", hydrogens=True).vertex_labels["hydrogens"].tolist() == [0, 4, 0, 0, 0]


def test_rdkit_molecules_give_the_graphs_of_their_smiles():
    for smiles in SMILES:
        assert octile.from_rdkit(Chem.MolFromSmiles(smiles)) == octile.from_smiles(smiles), smiles
    molecule = Chem.MolFromSmiles("CCO")
    molecule.SetProp("_Name", "ethanol")
    assert octile.as_graph(molecule).name == "ethanol"


@pytest.mark.parametrize("call, words", [
    (lambda: octile.from_smiles("C1CC"), ["'C1CC'", "SMILES"]),
    (lambda: octile.from_smiles("CN(C)(C)(C)C"), ["'CN(C)(C)(C)C'", "SMILES", "valence"]),
    (lambda: octile.from_smiles(""), ["no atoms"]),
    (lambda: octile.from_rdkit(None), ["None"])])
def test_wrong_molecules_are_refused(call, words):
    with pytest.raises(octile.Error) as raised:
        call()
    for word in words:
        assert word in str(raised.value)


@pytest.mark.parametrize("vertex, edge", [
    ("delta(element,0.5)", "delta(order,0.5)"), ("delta(atomic_number,0.5)", "delta(conjugated,0.5)"),
    ("delta(hybridization,0.5)", "delta(in_ring,0.5)"), ("delta(charge,0.5)", "delta(stereo,0.5)"), ("delta(hydrogens,0.5)", "1"),
    ("delta(aromatic,0.5)*delta(in_ring,0.4)", "1"), ("delta(chirality,0.5)", "1"), ("convolution(ring_sizes,delta(_,0.5))", "1")])
def test_molecules_are_those_that_the_program_reads(vertex, edge, program, tmp_path):
    (tmp_path / "molecules.smi").write_text("".join(f"{smiles} {k}\n" for k, smiles in enumerate(SMILES)))
    subprocess.run([program, "gram", "molecules.smi", "--vertex", vertex, "--edge", edge, "--stopping", "probability:0.05", "--accuracy",
                    "1e-9", "--quiet", "--out", "K.npy"], cwd=tmp_path, check=True, capture_output=True)
    ours = octile.Kernel(vertex, edge, normalize=False, accuracy=1e-9)([octile.from_smiles(smiles) for smiles in SMILES])
    assert np.allclose(ours, np.load(tmp_path / "K.npy"), rtol=1e-8, atol=0)


@pytest.mark.parametrize("vertex", [
    *(f"delta({name},0.5)" for name in ("ring_size", "rings", "degree", "morgan0", "morgan1", "morgan2", "morgan3")), "gaussian(mass,5)",
    *(f"convolution(neighbors{distance},delta(_,0.5))" for distance in range(1, 5)),
    *(f"normalize(1+dot(neighbor_counts{distance}))" for distance in range(1, 5))])
def test_features_are_those_that_the_program_reads(vertex, program, tmp_path):
    (tmp_path / "molecules.smi").write_text("".join(f"{smiles} {k}\n" for k, smiles in enumerate(SMILES)))
    subprocess.run([program, "gram", "molecules.smi", "--features", "all", "--vertex", vertex, "--edge", "delta(order,0.5)", "--stopping",
                    "probability:0.05", "--accuracy", "1e-9", "--quiet", "--out", "K.npy"], cwd=tmp_path, check=True, capture_output=True)
    graphs = [octile.from_smiles(smiles, features="all") for smiles in SMILES]
    ours = octile.Kernel(vertex, "delta(order,0.5)", normalize=False, accuracy=1e-9)(graphs)
    assert np.allclose(ours, np.load(tmp_path / "K.npy"), rtol=1e-8, atol=0)


@pytest.mark.parametrize("hydrogens", [False, True])
def test_drugs_have_all_features_of_the_program(hydrogens, program, tmp_path):
    drugs = (pathlib.Path(__file__).parents[2] / "examples/demo/drugs.smi").read_text(encoding="utf-8").splitlines()
    lines = [line for line in drugs if not line.startswith("#")] + [f"{smiles} {k}" for k, smiles in enumerate(SMILES)]
    (tmp_path / "drugs.smi").write_text("".join(f"{line}\n" for line in lines))
    subprocess.run([program, "convert", "drugs.smi", "--features", "all", "--out", "drugs.jsonl",
                    *(["--explicit-hydrogens"] if hydrogens else [])], cwd=tmp_path, check=True, capture_output=True)
    for line, text in zip(lines, (tmp_path / "drugs.jsonl").read_text().splitlines(), strict=True):
        smiles, name = line.split(maxsplit=1)
        assert_same(octile.from_smiles(smiles, features="all", hydrogens=hydrogens, name=name), json.loads(text))


def test_features_are_chosen_by_name():
    some = octile.from_smiles("CCO", features="element,morgan1")
    assert (list(some.vertex_labels), list(some.edge_labels)) == (["element", "morgan1"], [])
    assert octile.from_smiles("CCO", features=["default", "rings"]).vertex_labels.keys() - octile.from_smiles("CCO").vertex_labels.keys() == {"rings"}
    assert octile.from_smiles("C", features="neighbors1").vertex_labels["neighbors1"] == [["none"]]
    with pytest.raises(octile.Error, match="'morgan9' is no feature of molecules; allowed are default, all, element"):
        octile.from_smiles("CCO", features="default,morgan9")


@pytest.mark.parametrize("cutoff", (3, "covalent:1.5", "vdw:0.6"))
def test_atoms_in_space_are_those_that_the_program_reads(cutoff, program, tmp_path):
    molecules = [ase.build.molecule(name) for name in ("H2O", "CH3CH2OH", "C6H6", "CO2")]
    with open(tmp_path / "atoms.xyz", "w", encoding="utf-8") as file:
        for atoms in molecules:
            file.write(f"{len(atoms)}\n\n")
            for symbol, (x, y, z) in zip(atoms.get_chemical_symbols(), atoms.get_positions()):
                file.write(f"{symbol} {x!r} {y!r} {z!r}\n".replace("np.float64(", "").replace(")", ""))
    subprocess.run([program, "gram", "atoms.xyz", "--vertex", "delta(element,0.5)", "--edge", "gaussian(length,0.5)", "--stopping",
                    "probability:0.05", "--accuracy", "1e-9", "--quiet", "--out", "K.npy", "--cutoff", str(cutoff), "--decay", "1.5"],
                   cwd=tmp_path, check=True, capture_output=True)
    graphs = [octile.from_ase(atoms, cutoff=cutoff, decay=1.5) for atoms in molecules]
    ours = octile.Kernel("delta(element,0.5)", "gaussian(length,0.5)", normalize=False, accuracy=1e-9)(graphs)
    assert np.allclose(ours, np.load(tmp_path / "K.npy"), rtol=1e-8, atol=0)


def test_positions_are_joined_within_the_cutoff():
    graph = octile.from_positions(["C", 8, "h"], [[0, 0, 0], [0, 0, 1], [0, 0, 3]], cutoff=2.5, decay=1)
    assert graph.edges.tolist() == [[0, 1], [1, 2]]
    assert np.allclose(graph.weights, [0.6, 0.2])
    assert np.allclose(graph.edge_labels["length"], [1, 2])
    assert graph.vertex_labels["element"] == ["C", "O", "H"]
    assert octile.from_positions(["C"], [[0, 0, 0]]).edge_count == 0
    # At the cutoff itself there is no edge.
    assert octile.from_positions(["C", "C"], [[0, 0, 0], [0, 0, 2.5]], cutoff=2.5).edge_count == 0


@pytest.mark.parametrize("call, words", [
    (lambda: octile.from_positions(["Qq"], [[0, 0, 0]], name="g"), ["'g'", "atom 1", "'Qq'"]),
    (lambda: octile.from_positions(["C"], [[0, 0, 0], [1, 1, 1]], name="g"), ["'g'", "1 elements", "shape (2, 3); allowed is (1, 3)"]),
    # Not the positions of other atoms, read row by row.
    (lambda: octile.from_positions(["H"] * 4, np.arange(12).reshape(3, 4), name="g"), ["'g'", "4 elements", "shape (3, 4); allowed is (4, 3)"]),
    (lambda: octile.from_positions(["C"], [["a", 0, 0]], name="g"), ["'g'", "positions[0] is ['a', 0, 0]", "allowed are numbers"]),
    (lambda: octile.from_smiles(5), ["5 is no SMILES; allowed are texts"]),
    (lambda: octile.from_smiles("CC", features=5), ["features are 5", "allowed are names"]),
    (lambda: octile.from_positions(["C"], [[0, 0, 0]], decay="a"), ["'tent:a'", "'tent:N' with N at least 0"]),
    (lambda: octile.from_positions(["C"], [[0, 0, 0]], cell="cubic", name="g"), ["'g'", "cell is 'cubic'", "allowed are numbers"]),
    (lambda: octile.from_positions(["C"], [[0, 0, 0]], cell=np.eye(3), periodic=[True, False], name="g"), ["'g'", "periodic is [True, False]"]),
    (lambda: octile.from_positions(["C"], [[0, 0, np.nan]], name="g"), ["'g'", "atom 1", "nan"]),
    (lambda: octile.from_positions(["C"], [[0, 0, 0]], cutoff=0), ["cutoff", "0"]),
    (lambda: octile.from_positions(["C"], [[0, 0, 0]], cutoff="covalent:0"), ["'covalent:0'", "vdw:ZOOM"]),
    (lambda: octile.from_positions(["X"], [[0, 0, 0]], cutoff="vdw:1", name="g"), ["'g'", "atom 1", "no radius"]),
    (lambda: octile.from_positions([], []), ["at least one"])])
def test_wrong_atoms_are_refused(call, words):
    with pytest.raises(octile.Error) as raised:
        call()
    for word in words:
        assert word in str(raised.value)


def test_tudataset_folders_are_those_that_the_program_reads(program, tmp_path):
    folder = tmp_path / "TINY"
    folder.mkdir()
    files = {"A": ["1, 2", "2, 1", "2, 3", "3, 2", "4, 5", "5, 4"], "graph_indicator": [1, 1, 1, 2, 2, 3], "graph_labels": [1, -1, 1],
             "node_labels": [0, 1, 0, 2, 1, 0], "node_attributes": ["0.5, 1", "1.5, 2", "1, 3", "2, 1", "0.25, 0", "1, 1"],
             "edge_labels": [1, 1, 2, 2, 1, 1], "edge_attributes": [0.5, -0.5, 1.5, -1.5, 2, -2]}
    for name, lines in files.items():
        (folder / f"TINY_{name}.txt").write_text("".join(f"{line}\n" for line in lines))
    graphs = octile.from_tudataset(folder)
    assert [graph.name for graph in graphs] == ["TINY:1", "TINY:2", "TINY:3"]
    assert graphs[0] == octile.Graph(3, [(0, 1), (1, 2)], None, {"label": [0, 1, 0], "attribute0": [0.5, 1.5, 1], "attribute1": [1., 2, 3]},
                                     {"label": [1, 2], "attribute": [0.5, 1.5]})
    assert [graph.targets for graph in graphs] == [{"label": 1.0}, {"label": -1.0}, {"label": 1.0}]
    vertex, edge = "delta(label,0.5)*gaussian(attribute0,1)*gaussian(attribute1,2)", "delta(label,0.5)*gaussian(attribute,1)"
    subprocess.run([program, "gram", str(folder), "--vertex", vertex, "--edge", edge, "--stopping", "probability:0.05", "--accuracy",
                    "1e-9", "--quiet", "--out", "K.npy"], cwd=tmp_path, check=True, capture_output=True)
    ours = octile.Kernel(vertex, edge, normalize=False, accuracy=1e-9)(graphs)
    assert np.allclose(ours, np.load(tmp_path / "K.npy"), rtol=1e-8, atol=0)


# A folder of two graphs whose vertices do not stand together; and what is changed in it.
FOLDER = {"A": ["1, 3", "3, 1", "2, 4", "4, 2"], "graph_indicator": ["1", "2", "1", "2"], "graph_labels": ["1", "2"],
          "node_labels": ["5", "6", "7", "8"], "edge_labels": ["1", "1", "2", "2"], "edge_attributes": ["1, 2", "-1, 2", "0, 3", "0, 3"]}
CHANGES = {
    "as it is": {}, "blank lines at the end": {"graph_labels": ["1", "2", "", " "]}, "a sign": {"node_labels": ["+5", "6", "7", "8"]},
    "reals among labels": {"node_labels": ["5", "6.5", "7", "8"]}, "an exponent": {"node_labels": ["5e17", "6", "7", "8"]},
    "no edges": {"A": [], "edge_labels": [], "edge_attributes": []},
    "one direction": {"A": ["1, 3", "3, 1", "2, 4"], "edge_labels": ["1", "1", "2"], "edge_attributes": ["1", "1", "2"]},
    "a self-loop": {"A": ["1, 3", "3, 1", "2, 2", "4, 2"]}, "twice": {"A": ["1, 3", "3, 1", "1, 3", "3, 1"]},
    "two graphs": {"A": ["1, 2", "2, 1", "2, 4", "4, 2"]}, "vertex 5": {"A": ["1, 3", "3, 1", "2, 5", "5, 2"]},
    "vertex 0": {"A": ["0, 3", "3, 0", "2, 4", "4, 2"]}, "half a vertex": {"A": ["1.5, 3", "3, 1", "2, 4", "4, 2"]},
    "three columns": {"A": ["1, 3, 1", "3, 1, 1", "2, 4, 1", "4, 2, 1"]}, "lines that differ": {"A": ["1, 3", "3, 1", "2", "4, 2"]},
    "a graph without vertices": {"graph_indicator": ["1", "3", "1", "3"], "graph_labels": ["1", "2", "3"]},
    "graph 9": {"graph_indicator": ["1", "9", "1", "9"]}, "two owners": {"graph_indicator": ["1, 1", "2, 2", "1, 1", "2, 2"]},
    "a label too few": {"node_labels": ["5", "6", "7"]}, "an edge's label too many": {"edge_labels": ["1", "1", "2", "2", "2"]},
    "a target too few": {"graph_labels": ["1"]}, "labels that differ": {"edge_labels": ["1", "2", "2", "2"]},
    "labels of opposite signs": {"edge_labels": ["1", "-1", "2", "2"]}, "attributes that differ": {"edge_attributes": ["1, 2", "-1, 3", "0, 3", "0, 3"]},
    "a text": {"node_labels": ["C", "6", "7", "8"]}, "spaces": {"A": ["1 3", "3 1", "2 4", "4 2"]}, "not a number": {"node_labels": ["nan", "6", "7", "8"]},
    "a large integer": {"node_labels": ["9007199254740993", "6", "7", "8"]}, "a blank line": {"graph_labels": ["1", "", "2"]},
    "an underscore": {"node_labels": ["5_0", "6", "7", "8"]}, "no indicator": {"graph_indicator": None}}


@pytest.mark.parametrize("change", CHANGES)
def test_folders_of_tudataset_are_read_and_refused_as_by_the_program(change, program, tmp_path):
    folder = tmp_path / "TWO"
    folder.mkdir()
    for name, lines in (FOLDER | CHANGES[change]).items():
        if lines is not None:
            (folder / f"TWO_{name}.txt").write_text("".join(f"{line}\n" for line in lines))
    done = subprocess.run([program, "convert", str(folder), "--out", str(tmp_path / "two.jsonl")], capture_output=True, text=True, check=False)
    if done.returncode:
        with pytest.raises(octile.Error) as raised:
            octile.from_tudataset(folder)
        assert str(raised.value) in done.stderr
        return
    for graph, line in zip(octile.from_tudataset(folder), (tmp_path / "two.jsonl").read_text().splitlines(), strict=True):
        assert_same(graph, json.loads(line))


def assert_same(graph, record):
    """That a graph is the one of a line of the program's JSON."""
    theirs = octile.from_networkx(networkx.node_link_graph(record, edges="edges"), name=graph.name)
    # Versions of RDKit find rings in different orders, of which convolution knows nothing.
    for columns, others in ((graph._native.vertex_labels(), theirs._native.vertex_labels()), (graph._native.edge_labels(), theirs._native.edge_labels())):
        # A file without edges says nothing of their labels.
        assert columns.keys() == others.keys() or columns.keys() == graph._native.edge_labels().keys() and not graph.edge_count
        columns = columns if others else {}
        for name, (type_, values) in columns.items():
            ordered = [sorted(one) if name == "ring_sizes" else one for one in values], [sorted(one) if name == "ring_sizes" else one for one in others[name][1]]
            assert not len(values) or type_ == others[name][0], (graph.name, name)
            assert ordered[0] == ordered[1], (graph.name, name)
    assert np.array_equal(theirs.edges, graph.edges) and np.array_equal(theirs.weights, graph.weights)
    assert record.get("graph", {}).get("name", record.get("name")) == graph.name
    assert record.get("graph", {}).get("targets", {}) == graph.targets


def test_a_kernel_takes_what_can_be_a_graph():
    kernel = octile.Kernel()
    ethane = networkx.path_graph(2)
    values = kernel([octile.Graph(2, [(0, 1)]), "CC", Chem.MolFromSmiles("CC"), ethane, ase.build.molecule("H2")])
    assert np.allclose(values, 1)


def test_graphs_without_edges_go_with_graphs_that_have_labels_there():
    kernel = octile.Kernel("delta(element,0.5)", "delta(order,0.5)*delta(stereo,0.5)")
    values = kernel(["C", "CCO", "[Na+].[Cl-]"])
    assert np.all(np.isfinite(values)) and np.all(values > 0)
    lone, pair = networkx.Graph(), networkx.Graph()
    lone.add_node(0)
    pair.add_edge(0, 1, order="x")
    assert np.all(octile.Kernel(edge="delta(order,0.5)")([lone, pair]) > 0)
