# SPDX-License-Identifier: BSD-3-Clause
"""Graphs from RDKit molecules and from SMILES, with the labels that the program's readers give (docs/formats.md)."""
from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ._core import Error
from .arrays import shown
from .graph import Graph
from .molecule_features import Seen, chosen


def _chem():
    try:
        from rdkit import Chem
    except ImportError:
        raise Error("RDKit is not installed, which reads molecules; `pip install rdkit` has it") from None
    return Chem


def from_rdkit(molecule: Any, *, hydrogens: bool = False, features: str | Sequence[str] = "default", name: str | None = None,
               targets: Mapping[str, float] | None = None) -> Graph:
    """The graph of a sanitized RDKit molecule: a vertex an atom, an edge of weight 1 a bond.

    Vertex labels are element, atomic_number, hybridization, charge, hydrogens, aromatic, in_ring, chirality and ring_sizes; edge
    labels order, conjugated, in_ring and stereo. `features` chooses others as the program's `--features` does: "default,morgan1,rings".
    With `hydrogens` each hydrogen is a vertex too; without, vertices are the molecule's atoms as they are. The label hydrogens counts
    those that are vertices too, but not those that a SMILES keeps as atoms, such as deuterium. The name is the molecule's `_Name`, unless
    given.
    """
    chem = _chem()
    if molecule is None:
        raise Error("the molecule is None, which is what RDKit returns for one that it cannot read")
    if name is None:
        name = molecule.GetProp("_Name") if molecule.HasProp("_Name") else ""
    if molecule.GetNumAtoms() == 0:
        raise Error(f"molecule '{name}' has no atoms; allowed is at least one")
    if hydrogens:
        molecule = chem.AddHs(molecule)
    with_hydrogens = hydrogens or _has_hydrogens(chem, molecule)
    if molecule.NeedsUpdatePropertyCache() or not molecule.GetRingInfo().NumRings() and molecule.GetNumBonds():
        # A molecule that was not sanitized has no rings counted, or no numbers of hydrogens.
        molecule = chem.Mol(molecule)
        molecule.UpdatePropertyCache(strict=False)
        chem.GetSymmSSSR(molecule)
    if not molecule.HasProp("_StereochemDone"):
        molecule = chem.Mol(molecule)
        chem.AssignStereochemistry(molecule, cleanIt=True, force=True)
    seen = Seen(molecule, with_hydrogens)
    labels = {False: {}, True: {}}
    for feature in chosen(features):
        labels[feature.of_bonds][feature.name] = feature.values(seen)
    return Graph(len(seen.atoms), [(bond.GetBeginAtomIdx(), bond.GetEndAtomIdx()) for bond in seen.bonds], None, labels[False], labels[True],
                 name=name, targets=targets)


def _has_hydrogens(chem, molecule):
    """Whether a molecule has hydrogens as atoms that it would not have if it were read from a SMILES."""
    if all(atom.GetAtomicNum() != 1 for atom in molecule.GetAtoms()):
        return False
    return chem.RemoveHs(molecule, sanitize=False).GetNumAtoms() < molecule.GetNumAtoms()


def parsed_smiles(smiles: str) -> Any:
    """The RDKit molecule of a SMILES, with the hydrogens and the stereochemistry that its graph has."""
    if not isinstance(smiles, str):
        raise Error(f"{shown(smiles)} is no SMILES; allowed are texts")
    chem = _chem()
    from rdkit import rdBase
    parameters = chem.SmilesParserParams()
    # As in the program: a name is never taken for an extension of SMILES.
    parameters.allowCXSMILES = False
    parameters.parseName = False
    parameters.sanitize = False
    parameters.removeHs = False
    with rdBase.BlockLogs():
        try:
            molecule = chem.MolFromSmiles(smiles, parameters)
            if molecule is not None:
                molecule = chem.RemoveHs(molecule)
                chem.AssignStereochemistry(molecule, cleanIt=True, force=True)
        except ValueError as error:
            raise Error(f"{smiles!r} is not a valid SMILES: {str(error).strip()}") from None
    if molecule is None:
        raise Error(f"{smiles!r} is not a valid SMILES: RDKit cannot read it")
    return molecule


def from_smiles(smiles: str, *, hydrogens: bool = False, features: str | Sequence[str] = "default", name: str | None = None,
                targets: Mapping[str, float] | None = None) -> Graph:
    """The graph of a SMILES, as the program reads it; its name is the SMILES unless given. The rest is that of `from_rdkit`."""
    return from_rdkit(parsed_smiles(smiles), hydrogens=hydrogens, features=features, name=smiles if name is None else name, targets=targets)
