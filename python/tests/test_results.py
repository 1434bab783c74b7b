# SPDX-License-Identifier: BSD-3-Clause
"""The programs of examples/results run from beginning to end, on a few graphs instead of the data sets."""
import gzip
import json
import os
import pathlib
import subprocess
import sys

import ase.build
import pytest

FOLDER = pathlib.Path(__file__).parents[2] / "examples/results"
MOLECULES = ("CH4", "C2H6", "C2H4", "C2H2", "CH3OH", "H2O", "NH3", "CO2", "HCN", "H2CO", "CH3CH2OH", "C6H6", "CH3CHO", "HCOOH")


def run(program, *arguments, data=None):
    environment = {**os.environ, "OCTILE_DATA": "" if data is None else str(data)}
    return subprocess.run([sys.executable, FOLDER / program, *map(str, arguments)], env=environment, capture_output=True, text=True, check=False)


def frames(names):
    made = ""
    for name in names:
        atoms = ase.build.molecule(name)
        made += f"{len(atoms)}\n{name} pbe0={-100 * len(atoms)}\n"
        made += "".join(f"{symbol} {x:.4f} {y:.4f} {z:.4f}\n" for symbol, (x, y, z) in zip(atoms.get_chemical_symbols(), atoms.get_positions()))
    return made


@pytest.mark.parametrize("program", ("properties", "energies", "classes", "speed"))
def test_without_data_nothing_is_measured(program, tmp_path):
    assert "OCTILE_DATA is not set, so nothing is measured" in run(program).stderr
    assert "there is no" in run(program, data=tmp_path).stderr


def test_properties(tmp_path):
    (tmp_path / "properties").mkdir()
    (tmp_path / "properties/FreeSolv.csv").write_text("smiles,expt\n" + "".join(f"{'C' * n}O,{n % 7}\n" for n in range(1, 25)))
    done = run("properties", "FreeSolv", "--splits", 2, "--learn-on", 8, "--evaluations", 2, "--json", tmp_path / "a.json", data=tmp_path)
    assert done.returncode == 0, done.stderr
    [row] = json.loads((tmp_path / "a.json").read_text())["rows"]
    assert (row["data"], row["molecules"], row["splits"]) == ("FreeSolv", 24, 2)


def test_energies(tmp_path):
    (tmp_path / "qm7").mkdir()
    with gzip.open(tmp_path / "qm7/qm7_train.extxyz.gz", "wt") as file:
        file.write(frames(MOLECULES))
    model = tmp_path / "model"
    done = run("energies", "--active", "--rest", "--tile", 2, "--train", 8, "--test", 4, "--learn-on", 6, "--evaluations", 2, "--save", model,
               "--json", tmp_path / "a.json", data=tmp_path)
    assert done.returncode == 0, done.stderr
    [row] = json.loads((tmp_path / "a.json").read_text())["rows"]
    assert row["molecules"] == 8 and row["MAE, kcal/mol"] != row["MAE of the rest"] and row["RMSE of the rest"] >= row["MAE of the rest"]
    (tmp_path / "new.xyz").write_text(frames(["CH4", "C2H6"]))
    done = run("energies", "--model", model, "--predict", tmp_path / "new.xyz")
    assert done.returncode == 0, done.stderr
    names = [line.split("\t")[0] for line in done.stdout.splitlines()]
    assert names[:2] == ["CH4", "C2H6"] and names[2].startswith("MAE")


def test_energies_of_molecules_that_lower_the_mean_variance(tmp_path):
    (tmp_path / "qm7").mkdir()
    with gzip.open(tmp_path / "qm7/qm7_train.extxyz.gz", "wt") as file:
        file.write(frames(MOLECULES))
    done = run("energies", "--active", "--criterion", "mean variance", "--train", 8, "--test", 4, "--learn-on", 6, "--evaluations", 2, "--json",
               tmp_path / "a.json", data=tmp_path)
    assert done.returncode == 0, done.stderr
    assert json.loads((tmp_path / "a.json").read_text())["rows"][0]["molecules"] == 8


@pytest.mark.parametrize("arguments, words", ((["--active", "--criterion", "mean variance", "--tile", 2], "--tile is for the criterion variance"),
                                              (["--tile", 2], "say how --active chooses"), (["--criterion", "variance"], "say how --active chooses")))
def test_what_says_nothing_of_a_choice_is_refused(arguments, words):
    done = run("energies", *arguments)
    assert done.returncode == 2 and words in done.stderr


def test_classes(tmp_path):
    folder = tmp_path / "tudataset/MUTAG"
    folder.mkdir(parents=True)
    count = 24
    pairs = [f"{3 * k + a}, {3 * k + b}" for k in range(count) for a, b in ((1, 2), (2, 1), (2, 3), (3, 2))]
    (folder / "MUTAG_A.txt").write_text("\n".join(pairs) + "\n")
    for name, lines in {"graph_indicator": [1 + k // 3 for k in range(3 * count)], "graph_labels": [k % 2 for k in range(count)],
                        "node_labels": [k // 3 % 2 for k in range(3 * count)], "edge_labels": [0] * len(pairs)}.items():
        (folder / f"MUTAG_{name}.txt").write_text("".join(f"{line}\n" for line in lines))
    done = run("classes", "MUTAG", "--seeds", 1, data=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "octile, marginalized | 100 |" in done.stdout


def test_speed_of_calls(tmp_path):
    (tmp_path / "molecules").mkdir()
    (tmp_path / "molecules/chembl_drugs_1203.smi").write_text("".join(f"{'C' * n}O name{n}\n" for n in range(1, 12)))
    done = run("speed", "calls", "--repeats", 2, "--graphs", 8, "--json", tmp_path / "a.json", data=tmp_path)
    assert done.returncode == 0, done.stderr
    first, again = json.loads((tmp_path / "a.json").read_text())["rows"]
    assert first["graphs"] == 8 and first["preparing in C++"] > 0 and first["ratio"] >= 1
    # The set is the same, so that nothing is prepared.
    assert again["preparing in C++"] == 0 and again["ratio"] >= 1


def test_speed_of_a_fit(tmp_path):
    (tmp_path / "properties").mkdir()
    (tmp_path / "properties/FreeSolv.csv").write_text("smiles,expt\n" + "".join(f"{'C' * n}O,{n % 3}\n" for n in range(1, 13)))
    done = run("speed", "fit", "--evaluations", 4, "--molecules", 10, "--json", tmp_path / "a.json", data=tmp_path)
    assert done.returncode == 0, done.stderr
    [row] = json.loads((tmp_path / "a.json").read_text())["rows"]
    assert (row["molecules"], row["parameters"]) == (10, 14) and row["evaluations"] >= 4


@pytest.mark.parametrize("arguments, words", ((["speeds"], "allowed are calls and fit"),
                                              (["calls", "fit", "--json", "a"], "--json writes one table")))
def test_what_is_not_measured_is_refused(arguments, words):
    done = run("speed", *arguments)
    assert done.returncode == 2 and words in done.stderr
