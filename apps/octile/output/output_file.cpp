// SPDX-License-Identifier: BSD-3-Clause
#include "output/output_file.hpp"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include "output/failures.hpp"

namespace octile::app {
namespace {

OutputError failure(const std::string& path, int code) {
  return OutputError(fmt::format("{}: cannot be written: {}", path, std::strerror(code)));
}

/// A new file next to `path`, which is removed again unless it is renamed to `path`.
class Temporary {
 public:
  explicit Temporary(const std::string& path) : path_(path) {
    // If the path is a symbolic link, the file that it points to is replaced, not the link.
    std::error_code fault;
    const std::filesystem::path target = std::filesystem::weakly_canonical(path, fault);
    if (fault) throw failure(path, fault.value());
    target_ = target.string();
    name_ = (target.parent_path() / fmt::format(".{}.{}.tmp", target.filename().string(), ::getpid())).string();
    const int file = ::open(name_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (file < 0) throw failure(path_, errno);
    ::close(file);
    made_ = true;
  }
  Temporary(const Temporary&) = delete;
  Temporary& operator=(const Temporary&) = delete;
  ~Temporary() {
    if (made_) ::unlink(name_.c_str());
  }

  const std::string& name() const { return name_; }

  void rename() {
    // A full disk may show only here. The data must be on the disk before the old file is replaced.
    const int file = ::open(name_.c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0) throw failure(path_, errno);
    const int synced = ::fsync(file);
    const int fault = errno;
    ::close(file);
    if (synced != 0) throw failure(path_, fault);
    if (::rename(name_.c_str(), target_.c_str()) != 0) throw failure(path_, errno);
    made_ = false;
  }

 private:
  std::string path_;
  std::string target_;
  std::string name_;
  bool made_ = false;
};

}  // namespace

void check_output(const std::string& path) {
  std::error_code ignored;
  const std::filesystem::file_status status = std::filesystem::status(path, ignored);
  if (std::filesystem::is_directory(status)) throw failure(path, EISDIR);
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status)) {
    throw OutputError(fmt::format("{}: cannot be written: is no regular file", path));
  }
  const Temporary probe(path);
}

void write_output(const std::string& path, const std::function<void(const std::string&)>& write) {
  check_output(path);
  Temporary temporary(path);
  write(temporary.name());
  temporary.rename();
}

void write_text(const std::string& path, const std::string& text) {
  write_output(path, [&path, &text](const std::string& temporary) {
    std::ofstream file(temporary, std::ios::binary);
    file << text;
    file.close();
    if (!file) throw OutputError(fmt::format("{}: cannot be written whole; is the disk full?", path));
  });
}

}  // namespace octile::app
