// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

namespace octile::test {

struct Sample {
  std::string file;
  std::string text;
};

/// A small file of each format that is read.
inline const Sample samples[] = {
    {"a.smi", "SMILES name\nCC(=O)O acetic acid\n[Na+].[Cl-]\tsalt\tx\n# comment\nc1ccccc1\n"},
    {"a.csv", "id,y,smiles\n\"a \"\"b\"\"\",1.5,C[C@H](N)C(=O)O\n\"c\nd\",,\"C\"\n"},
    {"a.tsv", "id\ty\tsmiles\na\t1.5\tC\n"},
    {"a.sdf",
     "methanol\n  program\n\n  2  1  0  0  0  0            999 V2000\n    0.0000    0.0000    0.0000 C   0  0\n"
     "    1.4000    0.0000    0.0000 O   0  0\n  1  2  1  0\nM  END\n> <y> (1)\n-0.77\n\n$$$$\n"},
    {"a.mol",
     "x\n\n\n  0  0  0  0  0  0            999 V3000\nM  V30 BEGIN CTAB\nM  V30 COUNTS 2 1 0 0 0\nM  V30 BEGIN ATOM\n"
     "M  V30 1 C 0 0 0 0\nM  V30 2 O 1.4 0 0 0\nM  V30 END ATOM\nM  V30 BEGIN BOND\nM  V30 1 1 1 2\nM  V30 END BOND\n"
     "M  V30 END CTAB\nM  END\n"},
    {"a.jsonl",
     "{\"graph\": {\"name\": \"g\", \"targets\": {\"y\": 1}}, \"nodes\": [{\"id\": 0, \"k\": \"a\", \"v\": [1, 2.5]}, "
     "{\"id\": 1, \"k\": \"b\", \"v\": []}], \"edges\": [{\"source\": 0, \"target\": 1, \"weight\": 0.5}]}\n"},
    {"a.graphml",
     "<graphml><key id=\"d\" for=\"node\" attr.name=\"k\" attr.type=\"int\"><default>1</default></key><graph id=\"G\">"
     "<node id=\"n0\"><data key=\"d\">2</data></node><node id=\"n1\"/><edge source=\"n0\" "
     "target=\"n1\"/></graph></graphml>"},
    {"a.json",
     "[{\"nodes\": [{\"id\": 0, \"k\": \"a\"}, {\"id\": 1, \"k\": \"b\"}],\n"
     "\"links\": [{\"source\": 0, \"target\": 1, \"w\": 1.5}]},\n{\"nodes\": [{\"id\": \"x\"}], \"edges\": []}]\n"},
    {"b.edges",
     "0 1 {'weight': 2.0, 'k': \"it's\", 'ring': True, 's': (1,)}\n1 2 {'weight': 1, 'k': 'b\\n', 'ring': False, 's': "
     "[2]}\n"},
    {"a.gml",
     "graph [ name \"x&amp;\" node [ id 0 k \"a\" ] node [ id 1 k \"&#233;\" ] edge [ source 0 target 1 w 1.5 ] ]"},
    {"a.edges", "# comment\n0 1 0.5\n1 2 1e3\n2 1 1e3\na, b, 2\n"},
    {"a_A.txt", "1, 2\n2, 1\n3, 2\n2, 3\n"},
    {"a.xyz", "2\nProperties=species:S:1:pos:R:3 name=x\nC 0 0 0\nO 0 0 1.2\n1\ny\nNe 1 1 1\n"},
    {"a.pdb",
     "ATOM      1  N   ALA A   1      11.104   6.134  -6.504  1.00  0.00           N\n"
     "ATOM      2  CA  ALA A   1      11.639   6.071  -5.147  1.00  0.00           C\nEND\n"},
    {"cell.extxyz",
     "2\nenergy=-1.5 Lattice=\"9 0 0 1 9 0 0 0 9\" pbc=\"T T F\" Properties=species:S:1:pos:R:3\nC 0 0 0\nO 0 8 1.2\n"},
    {"crystal.cif",
     "data_x\n_cell_length_a 5.6\n_cell_length_b 5.6\n_cell_length_c 5.6\n_cell_angle_alpha 90\n_cell_angle_beta 90\n"
     "_cell_angle_gamma 90\nloop_\n_symmetry_equiv_pos_as_xyz\n'x,y,z'\n'x,y+1/2,z+1/2'\nloop_\n_atom_site_label\n"
     "_atom_site_type_symbol\n_atom_site_fract_x\n_atom_site_fract_y\n_atom_site_fract_z\n_atom_site_occupancy\n"
     "Na1 Na+ 0 0 0 1\nCl1 Cl- 0.5 0.5 0.5 1\n"},
    {"blocks.cif",
     "data_x\n_cell_length_a 5.6\n_cell_length_b 6.6\n_cell_length_c 7.6\n_cell_angle_alpha 90\n_cell_angle_beta 99\n"
     "_cell_angle_gamma 90\n_space_group_name_Hall '-P 2yn'\n_space_group_IT_number 14\nloop_\n_atom_site_label\n"
     "_atom_site_type_symbol\n_atom_site_fract_x\n_atom_site_fract_y\n_atom_site_fract_z\nC1 C 0.1 0.2 0.3\ndata_y\n"
     "_cell_length_a 5.6\n_cell_length_b 6.6\n_cell_length_c 7.6\n_cell_angle_alpha 90\n_cell_angle_beta 90\n"
     "_cell_angle_gamma 90\n_space_group_IT_number "
     "19\nloop_\n_atom_site_label\n_atom_site_fract_x\n_atom_site_fract_y\n"
     "_atom_site_fract_z\nO1 0.1 0.2 0.3\n"},
    {"a.cif",
     "data_x\nloop_\n_atom_site.group_PDB\n_atom_site.id\n_atom_site.type_symbol\n_atom_site.label_atom_id\n"
     "_atom_site.label_alt_id\n_atom_site.label_comp_id\n_atom_site.label_asym_id\n_atom_site.Cartn_x\n"
     "_atom_site.Cartn_y\n_atom_site.Cartn_z\n_atom_site.occupancy\n_atom_site.B_iso_or_equiv\n_atom_site.auth_seq_id\n"
     "_atom_site.pdbx_PDB_model_num\nATOM 1 N N . ALA A 1.0 2.0 3.0 1 0 1 1\nATOM 2 C CA . ALA A 2.0 2.0 3.0 1 0 1 "
     "1\n"},
};

}  // namespace octile::test
