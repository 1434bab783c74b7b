// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include <gemmi/model.hpp>

namespace octile::app {

/// A crystal: all sites of a cell, which repeats along its three vectors.
struct Crystal {
  std::vector<int> atomic_number;
  std::vector<std::string> label;            ///< of the site
  std::vector<std::array<double, 3>> place;  ///< Å
  std::array<std::array<double, 3>, 3> vectors = {};
};

/// What is wrong in a line of the file.
class FaultInLine : public std::runtime_error {
 public:
  FaultInLine(int line, const std::string& what) : std::runtime_error(what), line_(line) {}
  int line() const { return line_; }

 private:
  int line_;
};

/// The data blocks with atoms of a CIF or mmCIF file, in their order.
///
/// What is wrong with a value is thrown as `FaultInLine`, with the line of the item, or of the beginning of the row of a loop.
///
/// It has a file of its own because that is compiled as C++17: in C++20 clang refuses gemmi's CIF document, which has a
/// vector of an incomplete type.
class CifDocument {
 public:
  /// Reads the text of a file. `path` is for messages. Throws `std::runtime_error`, also if there is no block with atoms.
  CifDocument(const std::string& text, const std::string& path);

  std::size_t size() const;
  const std::string& name(std::size_t block) const;
  /// Whether the block has fractional coordinates, as crystals have. mmCIF has others.
  bool is_crystal(std::size_t block) const;

  /// The structure of a block of mmCIF. Throws `std::runtime_error`, also for a symbol that is no element, which gemmi itself would
  /// take for an unknown element.
  gemmi::Structure structure(std::size_t block) const;

  /// The crystal of a block: its sites, to which its symmetry is applied. That is given by the first of these: the operations that are
  /// listed; the Hall symbol, the name or the number of its space group. Throws `std::runtime_error` that says what is
  /// allowed, for a cell or an element that is not known, an atom that is not there in every cell, and a space group that gemmi
  /// does not know, or of which name or number do not tell the setting.
  Crystal crystal(std::size_t block) const;

 private:
  struct Blocks;
  std::shared_ptr<Blocks> blocks_;
};

}  // namespace octile::app
