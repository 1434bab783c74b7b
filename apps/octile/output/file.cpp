// SPDX-License-Identifier: BSD-3-Clause
#include "output/file.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <new>
#include <optional>
#include <ostream>
#include <span>
#include <streambuf>
#include <string_view>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "output/failures.hpp"
#include "output/locked_file.hpp"
#include "output/replaced_file.hpp"
#include "output/temporaries.hpp"
#include "output/uninterrupted.hpp"
#include "readers/system_reason.hpp"

namespace octile::app {
namespace {

OutputError failure(const std::string& path, int code, std::string_view besides = "") {
  return OutputError(fmt::format("{}: cannot be written: {}{}", path, system_reason(code), besides));
}

/// Bytes for a file, which it gets in large pieces. Throws `OutputError` as soon as it does not take them.
class FileBuffer : public std::streambuf {
 public:
  FileBuffer(int file, std::string path) : file_(file), path_(std::move(path)) {
    setp(buffer_.data(), buffer_.data() + buffer_.size());
  }

 private:
  int_type overflow(int_type byte) override {
    flush();
    if (traits_type::eq_int_type(byte, traits_type::eof())) return traits_type::not_eof(byte);
    return sputc(traits_type::to_char_type(byte));
  }

  int sync() override {
    flush();
    return 0;
  }

  std::streamsize xsputn(const char* text, std::streamsize count) override {
    flush();
    write(std::string_view(text, static_cast<std::size_t>(count)));
    return count;
  }

  void flush() {
    write(std::string_view(pbase(), static_cast<std::size_t>(pptr() - pbase())));
    setp(buffer_.data(), buffer_.data() + buffer_.size());
  }

  void write(std::string_view rest) const {
    if (!write_all(file_, rest)) throw failure(path_, errno);
  }

  int file_;
  std::string path_;
  std::array<char, std::size_t{1} << 16U> buffer_ = {};
};

/// The file that a path stands for. If it is a symbolic link, the file that it points to is replaced, not the link.
std::filesystem::path target_of(const std::string& path) {
  std::error_code fault;
  std::filesystem::path target = path;
  // Links are followed one by one, since the last may point to what is not there yet. A ring of links is a fault.
  constexpr int most_links = 40;
  for (int link = 0; link < most_links && std::filesystem::is_symlink(target, fault); ++link) {
    target = target.parent_path() / std::filesystem::read_symlink(target, fault);
  }
  if (std::filesystem::is_symlink(target, fault)) throw failure(path, ELOOP);
  // Only the folder is resolved: another run may rename the file meanwhile.
  target = std::filesystem::absolute(target);
  const std::filesystem::path folder = std::filesystem::weakly_canonical(target.parent_path(), fault);
  if (fault) throw failure(path, fault.value());
  return folder / target.filename();
}

/// The name of the file that is kept for this target.
std::string kept_name(const std::filesystem::path& target) {
  return target.filename().string() + std::string(kept_suffix);
}

OutputError kept_by_others(const std::string& path) {
  return OutputError(fmt::format(
      "{0}{1}: is there, and no journal says what it is; allowed is to move it, or to remove it", path, kept_suffix));
}

/// Reserves the space of a file, so that a full disk is found before the work, and gives it its size.
void reserve(int file, const std::string& path, std::size_t bytes) {
  const auto size = static_cast<off_t>(bytes);
  struct stat before = {};
  // A file that was kept by another run may be longer.
  if (::fstat(file, &before) != 0 || (before.st_size > size && ::ftruncate(file, size) != 0))
    throw failure(path, errno);
  // Not posix_fallocate, which writes all of the file where the file system cannot reserve.
  if (::fallocate(file, 0, 0, size) == 0) return;
  if (errno != EOPNOTSUPP && errno != ENOSYS) throw failure(path, errno);
  if (before.st_size < size && ::ftruncate(file, size) != 0) throw failure(path, errno);
}

}  // namespace

/// A new file beside `path`, which is removed again unless it is renamed to `path`. It is made, written and flushed by one
/// descriptor, and its folder is held open, so that what others do to the names in between changes nothing. One that is kept has
/// a name that the next run finds, and is not removed.
class Outputs::Temporary {
 public:
  explicit Temporary(const std::string& path, Lasting lasting = Lasting::removed, Purpose purpose = Purpose::output)
      : path_(path),
        target_(target_of(path)),
        target_name_(target_.filename().string()),
        folder_(::open(target_.parent_path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)),
        kept_(lasting != Lasting::removed),
        scratch_(purpose == Purpose::scratch) {
    if (folder_.number() < 0) throw failure(path_, errno);
    kept_ ? open_kept(lasting == Lasting::kept_before) : make();
    // The next run must be able to write one that is kept.
    keep_mode(kept_ ? S_IWUSR : 0U);
  }
  Temporary& operator=(Temporary&&) = delete;  // neither copied nor moved
  ~Temporary() {
    if (file_ && !renamed_ && !kept_) ::unlinkat(folder_.number(), name_.c_str(), 0);
  }

  void write(const std::function<void(std::ostream&)>& work) const {
    FileBuffer buffer(file_->number(), path_);
    std::ostream stream(&buffer);
    stream.exceptions(std::ios::badbit);
    work(stream);
    stream.flush();
    flush();
  }

  std::size_t append(off_t begin, const std::function<void(std::ostream&)>& work) const {
    if (::ftruncate(file_->number(), begin) != 0 || ::lseek(file_->number(), begin, SEEK_SET) != begin)
      throw failure(path_, errno);
    write(work);
    const off_t end = ::lseek(file_->number(), 0, SEEK_CUR);
    if (end < 0) throw failure(path_, errno);
    return static_cast<std::size_t>(end);
  }

  /// A full disk may show only here. The data must be on the disk before the old file is replaced.
  void flush() const {
    if (::fsync(file_->number()) != 0) throw failure(path_, errno);
  }

  int descriptor() const { return file_->number(); }
  bool is_scratch() const { return scratch_; }

  /// Lets the destructor remove it, although it was kept for the next run.
  void give_up() { kept_ = false; }

  /// Before it is renamed: keeps what it will replace, so that this can be taken back.
  void keep_replaced() { replaced_.emplace(folder_.number(), target_name_); }

  /// Returns 0, or why it has no new name. Does not allocate, as others may be renamed already.
  int rename() noexcept {
    if (kept_) keep_mode(0);
    if (::renameat(folder_.number(), name_.c_str(), folder_.number(), target_name_.c_str()) != 0) return errno;
    renamed_ = true;
    listed_.reset();
    ::fsync(folder_.number());
    return 0;
  }

  /// After that: lets what it replaced be there again, if the system allows it.
  void take_back() noexcept {
    is_back_ = replaced_ && replaced_->put_back(kept_ ? name_ : no_name_);
    ::fsync(folder_.number());
  }
  bool is_back() const { return is_back_; }

  const std::string& path() const { return path_; }

  /// Waits until no other run renames in this folder. Some file systems have no such locks: then nothing is lost but the waiting.
  void lock() const { ::flock(folder_.number(), LOCK_EX); }

  std::string folder() const { return target_.parent_path().string(); }
  std::string name() const { return (target_.parent_path() / name_).string(); }

 private:
  void make() {
    constexpr int attempts = 8;
    for (int attempt = 0; attempt < attempts && !file_; ++attempt) {
      name_ = random_name();
      // Listed before it is made: a signal in between finds nothing to remove, which does no harm.
      listed_.emplace(folder_.number(), name_);
      const int file =
          ::openat(folder_.number(), name_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
      if (file >= 0) {
        file_.emplace(file);
      } else if (errno != EEXIST) {
        const int code = errno;
        listed_.reset();
        throw failure(path_, code);
      }
    }
    if (!file_) throw failure(path_, EEXIST);
  }

  void open_kept(bool begun) {
    name_ = kept_name(target_);
    file_.emplace(open_locked(folder_.number(), name_, begun ? O_CREAT : O_CREAT | O_EXCL));
    if (file_->number() >= 0) return;
    const int code = errno;
    if (code == EEXIST) throw kept_by_others(path_);
    if (code != EWOULDBLOCK) throw failure(path_ + std::string(kept_suffix), code);
    throw OutputError(fmt::format("{}{}: another run writes it; allowed is one at a time", path_, kept_suffix));
  }

  /// Takes the mode of the file that will be replaced, and what of it is `needed` until then.
  void keep_mode(mode_t needed) const {
    struct stat old = {};
    if (::fstatat(folder_.number(), target_name_.c_str(), &old, AT_SYMLINK_NOFOLLOW) != 0) return;
    // Who may not give files away keeps its own.
    const int changed = ::fchown(file_->number(), old.st_uid, old.st_gid);
    ::fchmod(file_->number(), (changed == 0 ? old.st_mode & 07777U : old.st_mode & 0777U) | needed);
  }

  std::string path_;
  std::filesystem::path target_;
  std::string target_name_;
  std::string no_name_;
  Descriptor folder_;
  std::string name_;
  std::optional<ReplacedFile> replaced_;
  std::optional<ListedTemporary> listed_;
  std::optional<Descriptor> file_;
  bool kept_ = false;
  bool scratch_ = false;
  bool renamed_ = false;
  bool is_back_ = false;
};

Outputs::Outputs() = default;
Outputs::~Outputs() = default;

void Outputs::add(const std::string& path, const std::function<void(std::ostream&)>& write) {
  check_output(path);
  files_.push_back(std::make_unique<Temporary>(path));
  files_.back()->write(write);
}

void Outputs::add_by_name(const std::string& path, const std::function<void(const std::string& name)>& write) {
  check_output(path);
  files_.push_back(std::make_unique<Temporary>(path));
  write(files_.back()->name());
  files_.back()->flush();
}

int Outputs::open(const std::string& path, std::optional<std::size_t> bytes, Lasting lasting, Purpose purpose) {
  check_output(path);
  files_.push_back(std::make_unique<Temporary>(path, lasting, purpose));
  opened_.push_back(files_.back().get());
  if (bytes) reserve(files_.back()->descriptor(), path, *bytes);
  return files_.back()->descriptor();
}

std::size_t Outputs::append(int descriptor, std::size_t begin, const std::function<void(std::ostream&)>& write) {
  const auto found = std::ranges::find(opened_, descriptor, &Temporary::descriptor);
  if (found == opened_.end()) throw std::logic_error("appended to a file that is not open");
  return (*found)->append(static_cast<off_t>(begin), write);
}

std::string Outputs::opened_name(int descriptor) const {
  const auto found = std::ranges::find(opened_, descriptor, &Temporary::descriptor);
  return found == opened_.end() ? std::string() : (*found)->name();
}

void Outputs::flush() {
  for (const Temporary* file : opened_) {
    if (!file->is_scratch()) file->flush();
  }
  opened_.clear();
}

void Outputs::commit() {
  flush();
  // Folders are locked in the same order by all runs, or two runs could wait for each other.
  std::vector<Temporary*> by_folder;
  by_folder.reserve(files_.size());
  for (const auto& file : files_) by_folder.push_back(file.get());
  std::ranges::stable_sort(by_folder, {}, &Temporary::folder);
  const auto equal = [](const Temporary* a, const Temporary* b) { return a->folder() == b->folder(); };
  by_folder.erase(std::unique(by_folder.begin(), by_folder.end(), equal), by_folder.end());
  for (const Temporary* file : by_folder) file->lock();
  std::vector<Temporary*> outputs;
  outputs.reserve(files_.size());
  for (const auto& file : files_) {
    if (!file->is_scratch()) outputs.push_back(file.get());
  }
  const Renaming until_all_are_renamed;
  // The last one is replaced or is not.
  for (std::size_t k = 0; k + 1 < outputs.size(); ++k) outputs[k]->keep_replaced();
  for (std::size_t k = 0; k < outputs.size(); ++k) {
    const int code = outputs[k]->rename();
    if (code == 0) continue;
    const std::span renamed(outputs.data(), k);
    for (Temporary* const file : renamed) file->take_back();
    std::string stay;
    for (const Temporary* const file : renamed) {
      if (!file->is_back())
        stay += fmt::format("; {} is a new one already, since the old one cannot be put back", file->path());
    }
    throw failure(outputs[k]->path(), code, stay);
  }
  for (const auto& file : files_) {
    if (file->is_scratch()) file->give_up();
  }
  files_.clear();
  if (!by_folder.empty()) say_outputs_are_written();
}

void check_output(const std::string& path) {
  std::error_code ignored;
  const std::filesystem::file_status status = std::filesystem::status(path, ignored);
  if (std::filesystem::is_directory(status)) throw failure(path, EISDIR);
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status)) {
    throw OutputError(fmt::format("{}: cannot be written: is no regular file", path));
  }
  const Outputs::Temporary probe(path);
}

std::string kept_file(const std::string& path) {
  const std::filesystem::path target = target_of(path);
  return target.parent_path() / kept_name(target);
}

bool is_kept(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::exists(std::filesystem::symlink_status(kept_file(path), ignored));
}

void check_none_kept(const std::string& path) {
  if (is_kept(path)) throw kept_by_others(path);
}

void check_distinct(const std::vector<std::pair<std::string, std::string>>& outputs) {
  for (auto first = outputs.begin(); first != outputs.end(); ++first) {
    if (first->second.empty()) continue;
    for (auto second = first + 1; second != outputs.end(); ++second) {
      if (second->second.empty()) continue;
      std::error_code ignored;
      if (target_of(first->second) != target_of(second->second) &&
          !std::filesystem::equivalent(first->second, second->second, ignored)) {
        continue;
      }
      throw UsageError(fmt::format("{} {}: is the file of {} too; allowed is a file for each", second->first,
                                   second->second, first->first));
    }
  }
}

void write_output(const std::string& path, const std::function<void(std::ostream&)>& write) {
  Outputs outputs;
  outputs.add(path, write);
  outputs.commit();
}

}  // namespace octile::app
