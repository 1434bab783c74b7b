// SPDX-License-Identifier: BSD-3-Clause
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>

#include <octile/error.hpp>

#include "readers/cif_document.hpp"
#include "readers/formats.hpp"
#include "readers/heavy_atoms.hpp"
#include "readers/one_graph.hpp"
#include "readers/text.hpp"
#include "readers/text_file.hpp"

namespace octile::app {
namespace {

Atoms atoms_of(Crystal crystal) {
  Atoms atoms;
  for (std::size_t k = 0; k < crystal.place.size(); ++k) atoms.add(crystal.atomic_number[k], crystal.place[k]);
  atoms.labels.emplace("atom", std::move(crystal.label));
  atoms.cell = PeriodicCell{crystal.vectors, {true, true, true}};
  return atoms;
}

/// Reads the blocks with atoms of a file one after the other.
class CifBlocks {
 public:
  CifBlocks(const std::string& path, const ReadOptions& options)
      : file_(path), options_(options), stem_(stem_of(path)) {}

  std::optional<ReadGraph> next() {
    if (!std::exchange(read_, true)) {
      document_ = as_refusal(file_.path(), [&] { return CifDocument(whole_text(), file_.path()); });
    }
    if (!document_ || block_ == document_->size()) return std::nullopt;
    const std::size_t block = block_++;
    const std::string& own = document_->name(block);
    const bool alone = document_->size() == 1;
    const std::string name = alone ? stem_ : own.empty() ? fmt::format("{}:{}", stem_, block + 1) : own;
    const std::string part = alone ? "" : fmt::format(": data block {}", in_quotes(own));
    return ReadGraph{as_refusal(file_.path() + part, [&] {
      try {
        return told_graph(name, atoms(block), options_);
      } catch (const FaultInLine& fault) {
        throw RefusedGraph(placed_reason(fmt::format("{}:{}{}", file_.path(), fault.line(), part), fault.what()));
      }
    })};
  }

 private:
  std::string whole_text() {
    std::string text;
    for (std::string line; file_.next(line);) text += line += '\n';
    return text;
  }

  Atoms atoms(std::size_t block) const {
    const AtomChoice& choice = options_.atoms;
    if (!document_->is_crystal(block)) {
      const gemmi::Structure structure = document_->structure(block);
      check_model(structure.models.size(), choice);
      return heavy_atoms(structure.models.at(choice.model() - 1), choice);
    }
    if (choice.takes_all()) return atoms_of(document_->crystal(block));
    throw Error(fmt::format("{}: the atoms are of a crystal, which has no models, chains and residues to choose from",
                            choice.text()));
  }

  TextFile file_;
  ReadOptions options_;
  std::string stem_;
  bool read_ = false;
  std::optional<CifDocument> document_;
  std::size_t block_ = 0;
};

}  // namespace

GraphReader cif_reader(const std::string& path, const ReadOptions& options) {
  const auto blocks = std::make_shared<CifBlocks>(path, options);
  return [blocks] { return blocks->next(); };
}

}  // namespace octile::app
