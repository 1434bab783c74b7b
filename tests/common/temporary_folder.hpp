// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <zlib.h>

#include <cstdlib>  // mkdtemp, by POSIX
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>

namespace octile::test {

/// A folder for the files of one test, removed with this object.
class TemporaryFolder {
 public:
  TemporaryFolder() : path_((std::filesystem::temp_directory_path() / "octile-test-XXXXXX").string()) {
    if (mkdtemp(path_.data()) == nullptr) throw std::runtime_error("no temporary folder: " + path_);
  }
  TemporaryFolder& operator=(TemporaryFolder&&) = delete;  // neither copied nor moved
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }

  const std::string& path() const { return path_; }
  std::string path(std::string_view name) const { return path_ + "/" + std::string(name); }

  /// Writes a file; returns its path.
  std::string write(std::string_view name, std::string_view text) const {
    std::ofstream(path(name), std::ios::binary) << text;
    return path(name);
  }

  /// Writes a file compressed with gzip; returns its path.
  std::string write_compressed(std::string_view name, const std::string& text) const {
    const gzFile file = gzopen(path(name).c_str(), "wb");
    gzwrite(file, text.data(), static_cast<unsigned>(text.size()));
    gzclose(file);
    return path(name);
  }

 private:
  std::string path_;
};

}  // namespace octile::test
