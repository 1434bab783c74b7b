// SPDX-License-Identifier: BSD-3-Clause
#include "readers/heavy_atoms.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gemmi/model.hpp>

#include <octile/error.hpp>

#include "readers/text.hpp"

namespace octile::app {
namespace {

constexpr char no_alternative = '\0';

/// Alternative residues follow one another under one number, and all of their atoms are marked as alternatives.
bool is_later_alternative(const gemmi::Chain& chain, std::size_t k) {
  const auto is_alternative = [](const gemmi::Atom& atom) { return atom.altloc != no_alternative; };
  const gemmi::Residue& residue = chain.residues[k];
  return k > 0 && chain.residues[k - 1].seqid == residue.seqid && std::ranges::all_of(residue.atoms, is_alternative);
}

/// The number of a residue. Programs that number beyond 9999 in PDB files write the fifth digit where the insertion code is.
std::optional<int> number_of(const gemmi::Residue& residue) {
  const gemmi::SeqId& id = residue.seqid;
  if (!id.num.has_value()) return std::nullopt;
  if (id.icode < '0' || id.icode > '9') return id.num.value;
  const int digit = id.icode - '0';
  return 10 * id.num.value + (id.num.value < 0 ? -digit : digit);
}

/// What a chain holds, for a message.
struct ChainContents {
  std::set<int> numbers;
  std::set<std::string> residues;
  std::set<std::string> atoms;
};

/// Up to ten of them.
std::string some_of(const std::set<std::string>& names) {
  constexpr std::size_t most = 10;
  if (names.size() <= most) return fmt::format("{}", fmt::join(names, ", "));
  return fmt::format("{}, …", fmt::join(names.begin(), std::next(names.begin(), most), ", "));
}

/// "chain A with residues 1 to 50 (ALA, GLY); chain B ...".
std::string contents_of(const gemmi::Model& model, const AtomChoice& choice) {
  std::map<std::string, ChainContents> chains;
  for (const gemmi::Chain& chain : model.chains) {
    for (const gemmi::Residue& residue : chain.residues) {
      if (residue.is_water()) continue;
      ChainContents& contents = chains[chain.name];
      contents.residues.insert(residue.name);
      if (const std::optional<int> number = number_of(residue)) contents.numbers.insert(*number);
      if (!choice.takes_chain(chain.name) || !choice.takes_residue(residue.name, number_of(residue))) continue;
      for (const gemmi::Atom& atom : residue.atoms) {
        if (!atom.is_hydrogen()) contents.atoms.insert(atom.name);
      }
    }
  }
  std::string text;
  for (const auto& [name, contents] : chains) {
    text += fmt::format("{}chain {} with ", text.empty() ? "" : "; ", name.empty() ? "without a name" : name);
    if (!contents.atoms.empty()) {
      text += fmt::format("the atoms {} there", some_of(contents.atoms));
    } else if (contents.numbers.empty()) {
      text += fmt::format("residues {}", some_of(contents.residues));
    } else {
      text += fmt::format("residues {} to {} ({})", *contents.numbers.begin(), *contents.numbers.rbegin(),
                          some_of(contents.residues));
    }
  }
  return text;
}

/// The heavy atoms that were taken, with what they are called.
class HeavyAtoms {
 public:
  explicit HeavyAtoms(const AtomChoice& choice) : choice_(choice) {}

  void add(const gemmi::Chain& chain, std::size_t k);
  Atoms labelled() &&;

 private:
  const AtomChoice& choice_;
  Atoms atoms_;
  std::vector<std::string> chains_;
  std::vector<std::string> residues_;
  std::vector<std::int64_t> numbers_;
  std::vector<std::string> names_;
};

void HeavyAtoms::add(const gemmi::Chain& chain, std::size_t k) {
  const gemmi::Residue& residue = chain.residues[k];
  const std::optional<int> number = number_of(residue);
  if (!choice_.takes_residue(residue.name, number)) return;
  if (residue.is_water() && !choice_.names_residue(residue.name)) return;
  const bool later = is_later_alternative(chain, k);
  std::set<std::string_view> taken;
  for (const gemmi::Atom& atom : residue.atoms) {
    if (atom.is_hydrogen() || !choice_.takes_atom(atom.name, atom.element == gemmi::El::C)) continue;
    // Atoms with equal names that are not marked as alternatives are different atoms: some programs name all carbons C.
    const bool first = taken.insert(atom.name).second;
    if (later || (!first && atom.altloc != no_alternative)) {
      ++atoms_.left_out;
      continue;
    }
    atoms_.add(atom.element.atomic_number(), {atom.pos.x, atom.pos.y, atom.pos.z});
    chains_.push_back(chain.name);
    residues_.push_back(residue.name);
    if (number) numbers_.push_back(*number);
    names_.push_back(atom.name);
  }
}

Atoms HeavyAtoms::labelled() && {
  // An attribute is there for all vertices, or for none.
  if (numbers_.size() == names_.size()) atoms_.labels.emplace("residue_number", std::move(numbers_));
  atoms_.labels.emplace("chain", std::move(chains_));
  atoms_.labels.emplace("residue", std::move(residues_));
  atoms_.labels.emplace("atom", std::move(names_));
  return std::move(atoms_);
}

}  // namespace

Atoms heavy_atoms(const gemmi::Model& model, const AtomChoice& choice) {
  HeavyAtoms taken(choice);
  for (const gemmi::Chain& chain : model.chains) {
    if (!choice.takes_chain(chain.name)) continue;
    for (std::size_t k = 0; k < chain.residues.size(); ++k) taken.add(chain, k);
  }
  Atoms atoms = std::move(taken).labelled();
  if (!atoms.place.empty()) return atoms;
  const std::string contents = choice.takes_all() ? "" : contents_of(model, choice);
  if (!contents.empty()) throw Error(fmt::format("{} takes no heavy atom; there is {}", choice.text(), contents));
  throw Error(fmt::format("holds no heavy atom outside of waters; allowed is one or more in {}",
                          choice.model() == 1 ? "the first model" : fmt::format("model {}", choice.model())));
}

void check_model(std::size_t models, const AtomChoice& choice) {
  if (choice.model() <= models || choice.model() == 1) return;
  throw Error(
      fmt::format("--model {}: there {} {}", choice.model(), models == 1 ? "is" : "are", counted(models, "model")));
}

}  // namespace octile::app
