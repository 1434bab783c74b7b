// SPDX-License-Identifier: BSD-3-Clause
#include "tiles/matrix_files.hpp"

#include <array>
#include <filesystem>

#include <fmt/format.h>

#include "output/message.hpp"
#include "output/temporaries.hpp"
#include "readers/text.hpp"
#include "tiles/request.hpp"

namespace octile::app::tiles {
namespace {

std::string kept_name(const std::string& path) { return path + std::string(kept_suffix); }

std::string how_to_begin_anew(const MatrixPaths& paths, const Journal& journal) {
  return fmt::format("the same request, or to remove {} and {}, and to begin anew", kept_name(paths.values),
                     journal.path());
}

/// All data was on the disk: an output that was renamed already is as good as before.
void bring_back(const MatrixPaths& paths) {
  for (const std::string& path : {paths.values, paths.errors}) {
    std::error_code fault;
    // A link stands for a file elsewhere: its tiles are computed again.
    if (path.empty() || std::filesystem::exists(kept_name(path), fault) ||
        std::filesystem::symlink_status(path, fault).type() != std::filesystem::file_type::regular) {
      continue;
    }
    std::filesystem::rename(path, kept_name(path), fault);
  }
}

}  // namespace

std::optional<nlohmann::json> begun_before(const MatrixPaths& paths, const nlohmann::json& request) {
  const Journal journal(paths.values);
  if (journal.request().is_null()) return std::nullopt;
  nlohmann::json before = journal.request();
  before.erase("edge");
  require_same(before, request, journal.path(), how_to_begin_anew(paths, journal));
  if (journal.was_renaming()) bring_back(paths);
  return journal.request();
}

MatrixFiles::MatrixFiles(Outputs& outputs, const MatrixPaths& paths, const Tiling& tiling,
                         const std::optional<nlohmann::json>& request)
    : tiling_(tiling), path_(paths.values) {
  const Outputs::Lasting lasting = request ? Outputs::Lasting::kept : Outputs::Lasting::removed;
  if (request) say_unfinished_is_kept();
  for (const std::string& path : {paths.values, paths.errors}) {
    if (path.empty()) continue;
    const int file = TiledMatrix::open(outputs, path, tiling.rows(), tiling.columns(), lasting);
    // Whoever has the first file has all: only now what the journal says is known to stay so.
    if (request && !journal_) {
      journal_.emplace(paths.values);
      if (!journal_->request().is_null()) {
        require_same(journal_->request(), *request, journal_->path(), how_to_begin_anew(paths, *journal_));
      }
      journal_->begin(*request);
    }
    matrices_.emplace_back(file, path, tiling);
  }
}

std::vector<std::string> MatrixFiles::checksums(const Tile& tile) const {
  std::vector<std::string> sums;
  for (const TiledMatrix& matrix : matrices_) sums.push_back(matrix.checksum(tile).text());
  return sums;
}

std::vector<std::size_t> MatrixFiles::missing() {
  std::vector<std::size_t> numbers;
  std::size_t damaged = 0;
  for (std::size_t number = 0; number < tiling_.count(); ++number) {
    if (journal_) {
      const auto found = journal_->records().find(number);
      if (found != journal_->records().end()) {
        if (found->second.checksums == checksums(tiling_.tile(number))) {
          statistics_.add(found->second.statistics);
          continue;
        }
        ++damaged;
      }
    }
    numbers.push_back(number);
  }
  if (damaged > 0) {
    say(fmt::format("octile: {}: {} of {} do not match the journal; they are computed again\n",
                    printable(kept_name(path_)), with_commas(damaged), counted(tiling_.count(), "tile")));
  }
  if (journal_ && journal_->damaged_lines() > 0) {
    say(fmt::format("octile: {}: {} damaged; the tiles are computed again\n", printable(journal_->path()),
                    journal_->damaged_lines() == 1 ? "a line is" : "several lines are"));
  }
  return numbers;
}

void MatrixFiles::write(const Tile& tile, const TileValues& formed, const Statistics& statistics) {
  const std::array arrays = {&formed.values, &formed.errors};
  TileRecord record{tile.number, {}, statistics};
  for (std::size_t k = 0; k < matrices_.size(); ++k) {
    matrices_[k].write(tile, *arrays[k]);
    if (journal_) record.checksums.push_back(matrices_[k].checksum(tile, *arrays[k]).text());
  }
  // Not flushed to the disk: where the machine fails before that, checksums say what is missing.
  if (journal_) journal_->add(record);
  statistics_.add(statistics);
}

void MatrixFiles::before_renaming() const {
  if (journal_) journal_->add_renaming();
}

void MatrixFiles::after_renaming() const {
  if (journal_) journal_->remove();
}

}  // namespace octile::app::tiles
