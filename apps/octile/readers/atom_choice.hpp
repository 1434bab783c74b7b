// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace octile::app {

/// Which atoms of a structure of chains and residues become vertices. What is not set takes all.
class AtomChoice {
 public:
  /// Reads names of chains: "A", "A,B". Throws `Error` that says what is allowed, as the other two do.
  void set_chains(std::string_view text);
  /// Reads names of residues and their numbers or ranges of these: "ALA,GLY", "10-50", "HEM,-3-20,45". A residue that one of them
  /// means is taken.
  void set_residues(std::string_view text);
  /// Reads names of atoms: "CA", "N,CA,C,O".
  void set_atoms(std::string_view text);
  /// Reads which model of a file is taken, counted from 1.
  void set_model(std::string_view text);

  bool takes_chain(std::string_view name) const;
  /// `number` is nothing for a residue without one.
  bool takes_residue(std::string_view name, std::optional<int> number) const;
  /// Whether a residue is named, and not meant by its number alone.
  bool names_residue(std::string_view name) const;
  /// CA is the alpha carbon alone. The ion of calcium has the same name, and is no carbon.
  bool takes_atom(std::string_view name, bool is_carbon) const;

  std::size_t model() const { return model_; }

  bool takes_all() const {
    return chains_text_.empty() && residues_text_.empty() && atoms_text_.empty() && model_text_.empty();
  }

  /// The options of the command line that were given: "--chain A --residues 10-50".
  std::string text() const;

 private:
  struct Range {
    int first;
    int last;
  };

  std::string chains_text_;
  std::string residues_text_;
  std::string atoms_text_;
  std::string model_text_;
  std::size_t model_ = 1;
  std::vector<std::string> chains_;
  std::vector<std::string> residue_names_;
  std::vector<Range> residue_numbers_;
  std::vector<std::string> atoms_;
};

}  // namespace octile::app
