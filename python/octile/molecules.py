# SPDX-License-Identifier: BSD-3-Clause
"""Graphs from RDKit molecules and from SMILES, with the labels that the program's readers give (docs/formats.md)."""
from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ._core import Error
from .graph import Graph

_HYBRIDIZATIONS = frozenset(("S", "SP", "SP2", "SP3", "SP2D", "SP3D", "SP3D2"))
_STEREO = {"STEREOANY": "any", "STEREOZ": "Z", "STEREOE": "E", "STEREOCIS": "cis", "STEREOTRANS": "trans"}


def _chem():
    try:
        from rdkit import Chem
    except ImportError:
        raise Error("RDKit is not installed, which reads molecules; `pip install rdkit` has it") from None
    return Chem


def from_rdkit(molecule: Any, *, hydrogens: bool = False, name: str | None = None,
               targets: Mapping[str, float] | None = None) -> Graph:
    """The graph of a sanitized RDKit molecule: a vertex an atom, an edge of weight 1 a bond.

    Vertex labels are element, atomic_number, hybridization, charge, hydrogens, aromatic, in_ring, chirality and ring_sizes; edge
    labels order, conjugated, in_ring and stereo. With `hydrogens` each hydrogen is a vertex too; without, vertices are the
    molecule's atoms as they are. The name is the molecule's `_Name`, unless given.
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
    if molecule.NeedsUpdatePropertyCache() or not molecule.GetRingInfo().NumRings() and molecule.GetNumBonds():
        # A molecule that was not sanitized has no rings counted, or no numbers of hydrogens.
        molecule = chem.Mol(molecule)
        molecule.UpdatePropertyCache(strict=False)
        chem.GetSymmSSSR(molecule)
    if not molecule.HasProp("_StereochemDone"):
        molecule = chem.Mol(molecule)
        chem.AssignStereochemistry(molecule, cleanIt=True, force=True)
    rings = molecule.GetRingInfo()
    atoms, bonds = list(molecule.GetAtoms()), list(molecule.GetBonds())
    sizes = [[] for _ in atoms]
    for ring in rings.AtomRings():
        for atom in ring:
            sizes[atom].append(float(len(ring)))
    vertex_labels = {
        "element": [atom.GetSymbol() for atom in atoms],
        "hybridization": [_hybridization(atom) for atom in atoms],
        "chirality": [atom.GetProp("_CIPCode") if atom.HasProp("_CIPCode") else "none" for atom in atoms],
        "atomic_number": [atom.GetAtomicNum() for atom in atoms],
        "charge": [atom.GetFormalCharge() for atom in atoms],
        "hydrogens": [atom.GetTotalNumHs() for atom in atoms],
        "aromatic": [int(atom.GetIsAromatic()) for atom in atoms],
        "in_ring": [int(rings.NumAtomRings(atom.GetIdx()) > 0) for atom in atoms],
        # A kernel of vertices cannot compare an empty list, so an atom in no ring has the one size 0.
        "ring_sizes": [found or [0.0] for found in sizes],
    }
    # Arrays with their type, which a molecule without bonds has too.
    edge_labels = {
        "order": np.array([bond.GetBondTypeAsDouble() for bond in bonds], dtype=np.float64),
        "conjugated": np.array([bond.GetIsConjugated() for bond in bonds], dtype=np.int64),
        "in_ring": np.array([rings.NumBondRings(bond.GetIdx()) > 0 for bond in bonds], dtype=np.int64),
        "stereo": np.array([_STEREO.get(bond.GetStereo().name, "none") for bond in bonds], dtype=str),
    }
    return Graph(len(atoms), [(bond.GetBeginAtomIdx(), bond.GetEndAtomIdx()) for bond in bonds], None, vertex_labels,
                 edge_labels, name=name, targets=targets)


def _hybridization(atom):
    found = atom.GetHybridization().name
    return found if found in _HYBRIDIZATIONS else "none"


def parsed_smiles(smiles: str) -> Any:
    """The RDKit molecule of a SMILES, with the hydrogens and the stereochemistry that its graph has."""
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


def from_smiles(smiles: str, *, hydrogens: bool = False, name: str | None = None,
                targets: Mapping[str, float] | None = None) -> Graph:
    """The graph of a SMILES, as the program reads it; its name is the SMILES unless given."""
    return from_rdkit(parsed_smiles(smiles), hydrogens=hydrogens, name=smiles if name is None else name, targets=targets)
