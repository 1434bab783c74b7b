// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "readers/text_file.hpp"

namespace octile::app {

/// The records of a table in text, as RFC 4180 says: fields are separated by a separator, and one that begins with a double quote
/// runs to the next single one, over line ends too; two in a row are one of its characters. Blank lines are passed over. Where fields are
/// separated by commas, a first line with semicolons and without a comma says that semicolons are meant.
class TableFile {
 public:
  /// Throws `Error` if the file cannot be read.
  TableFile(const std::string& path, char separator) : file_(path), separator_(separator) {}

  /// Reads the next record; returns false after the last. Throws `RefusedGraph` for a record that is wrong, after which the next
  /// can be read, and `Error` for a quote that is not closed.
  bool next(std::vector<std::string>& fields);

  /// "FILE:LINE" of the first line of the last record.
  const std::string& place() const { return place_; }
  /// The number of that line, from 1.
  std::size_t line_number() const { return line_number_; }

 private:
  std::string quoted_field(std::size_t& at);

  TextFile file_;
  char separator_;
  std::string line_;
  std::string place_;
  std::size_t line_number_ = 0;
  bool first_ = true;
};

}  // namespace octile::app
