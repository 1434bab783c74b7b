// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

namespace octile::app {

/// A name in an open folder that another file takes. What had it before stays reachable by a hard link of a random name in the same
/// folder, so that it can be put back. The folder stays open longer.
class ReplacedFile {
 public:
  /// Makes that link, if a file has the name. Some file systems have no links: then nothing can be put back.
  ReplacedFile(int folder, std::string name);
  ReplacedFile& operator=(ReplacedFile&&) = delete;  // neither copied nor moved
  /// Removes the link.
  ~ReplacedFile();

  /// Lets the name stand for what it stood for before, or for nothing. The file that has it now gets the name `kept`, or is removed
  /// if that is empty. Returns false where the system does not allow it; then the name stands for the new file. Does not allocate.
  bool put_back(const std::string& kept) noexcept;

 private:
  int folder_;
  std::string name_;
  std::string link_;
  bool was_there_ = false;
  bool linked_ = false;
};

}  // namespace octile::app
