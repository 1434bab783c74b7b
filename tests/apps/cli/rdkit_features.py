# SPDX-License-Identifier: BSD-3-Clause
"""What RDKit's own Python says of the molecules of a file of SMILES: a line of JSON each, for test_features.py."""
import json
import sys

from rdkit import Chem, RDLogger
from rdkit.Chem import rdMolDescriptors

HYBRIDIZATIONS = {"S", "SP", "SP2", "SP3", "SP2D", "SP3D", "SP3D2"}
STEREO = {"STEREOANY": "any", "STEREOZ": "Z", "STEREOE": "E", "STEREOCIS": "cis", "STEREOTRANS": "trans"}
FARTHEST = 4
COUNTED = ["H", "B", "C", "N", "O", "F", "Si", "P", "S", "Cl", "Br", "I"]


def morgan(molecule):
    """By atom, the hashes of all radii from 0 to 3."""
    found = {}
    rdMolDescriptors.GetMorganFingerprint(molecule, 3, bitInfo=found, includeRedundantEnvironments=True)
    hashes = [[None] * 4 for _ in molecule.GetAtoms()]
    for value, places in found.items():
        for atom, radius in places:
            hashes[atom][radius] = value
    return hashes


def features(molecule, explicit):
    rings = molecule.GetRingInfo()
    sizes = [sorted(len(ring) for ring in rings.AtomRings() if k in ring) for k in range(molecule.GetNumAtoms())]
    distances = Chem.GetDistanceMatrix(molecule)
    hashes = morgan(molecule)
    atoms = []
    for k, atom in enumerate(molecule.GetAtoms()):
        hybridization = atom.GetHybridization().name
        values = {
            "element": atom.GetSymbol(), "atomic_number": atom.GetAtomicNum(), "charge": atom.GetFormalCharge(),
            "hybridization": hybridization if hybridization in HYBRIDIZATIONS else "none",
            "hydrogens": atom.GetTotalNumHs(includeNeighbors=explicit), "aromatic": int(atom.GetIsAromatic()),
            "in_ring": int(atom.IsInRing()), "chirality": atom.GetProp("_CIPCode") if atom.HasProp("_CIPCode") else "none",
            "ring_sizes": sizes[k] or [0], "ring_size": min(sizes[k], default=0), "rings": rings.NumAtomRings(k),
            "degree": atom.GetDegree(), "mass": atom.GetMass(), "morgan": hashes[k]}
        for distance in range(1, FARTHEST + 1):
            there = sorted(other.GetSymbol() for other in molecule.GetAtoms() if distances[k][other.GetIdx()] == distance)
            values[f"neighbors{distance}"] = there or ["none"]
            values[f"neighbor_counts{distance}"] = [there.count(element) for element in COUNTED] + [
                sum(element not in COUNTED for element in there)]
        atoms.append(values)
    bonds = {}
    for bond in molecule.GetBonds():
        ends = sorted((bond.GetBeginAtomIdx(), bond.GetEndAtomIdx()))
        bonds[f"{ends[0]} {ends[1]}"] = {
            "order": bond.GetBondTypeAsDouble(), "conjugated": int(bond.GetIsConjugated()), "in_ring": int(bond.IsInRing()),
            "stereo": STEREO.get(bond.GetStereo().name, "none")}
    return {"atoms": atoms, "bonds": bonds}


def main():
    RDLogger.DisableLog("rdApp.*")
    explicit = "--explicit-hydrogens" in sys.argv
    with open(sys.argv[1], encoding="utf-8") as file:
        for line in file:
            molecule = Chem.MolFromSmiles(line.split()[0])
            print(json.dumps(features(Chem.AddHs(molecule) if explicit else molecule, explicit)))


if __name__ == "__main__":
    main()
