// SPDX-License-Identifier: BSD-3-Clause
#include "tiles/matrix_files.hpp"

#include <filesystem>

#include <fmt/format.h>

#include "output/matrix_names.hpp"
#include "output/message.hpp"
#include "output/temporaries.hpp"
#include "readers/text.hpp"
#include "tiles/request.hpp"
#include "tiles/tiled_matrix.hpp"

namespace octile::app {
namespace {

bool any_kept(const MatrixPaths& paths) {
  return is_kept(paths.values) || (!paths.errors.empty() && is_kept(paths.errors));
}

/// Brings back outputs that the run before has renamed already. All its data was on the disk, so that they are as good
/// as before.
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

void require_request_of(const Journal& journal, const nlohmann::json& request, const MatrixPaths& paths) {
  require_same_so_far(journal.request(), request, journal.path(),
                      fmt::format("the same request, or to remove {} and {}, and to start over",
                                  kept_name(paths.values), journal.path()));
}

}  // namespace

std::vector<MatrixPaths::File> MatrixPaths::files() const {
  std::vector<File> files{{values, written}};
  if (!errors.empty()) files.push_back({errors, Precision::float64});
  return files;
}

MatrixPaths matrix_paths(const std::string& out, const std::string& errors, Precision written) {
  return is_hdf5(out) ? MatrixPaths{out, out + ".bounds", true} : MatrixPaths{out, errors, false, written};
}

WrittenMatrix written_matrix(const MatrixFiles& files, const Summary& summary) {
  const std::vector<PlacedChecksum>& sums = files.checksums();
  return {sums.front().text(), sums.size() > 1 ? sums[1].text() : "", summary.unconverged.size() + summary.unlisted,
          summary.largest_error};
}

std::optional<Journal> begun_before(const MatrixPaths& paths, const nlohmann::json& request) {
  std::optional<Journal> journal = Journal::find(paths.values);
  // Files without a journal: another run may have begun in between.
  if (!journal && any_kept(paths)) journal = Journal::find(paths.values);
  if (!journal || journal->request().is_null()) {
    for (const std::string& path : {paths.values, paths.errors}) {
      if (!path.empty()) check_none_kept(path);
    }
    return journal;
  }
  require_request_of(*journal, request, paths);
  if (journal->was_renaming() && !paths.scratch) bring_back(paths);
  return journal;
}

bool MatrixFiles::open_journal(const MatrixPaths& paths, const nlohmann::json& request) {
  say_unfinished_is_kept();
  if (!journal_) journal_.emplace(Journal::find_or_make(paths.values));
  const bool begun = !journal_->request().is_null();
  if (begun) require_request_of(*journal_, request, paths);
  journal_->begin(request);
  return begun;
}

MatrixFiles::MatrixFiles(Outputs& outputs, const MatrixPaths& paths, const Tiling& tiling,
                         const std::optional<nlohmann::json>& request, std::optional<Journal> before)
    : tiling_(tiling), path_(paths.values), writer_(tiling), journal_(std::move(before)) {
  Outputs::Lasting lasting = Outputs::Lasting::removed;
  // A journal comes before the files that it is of, so that none of them is without.
  if (request) lasting = open_journal(paths, *request) ? Outputs::Lasting::kept_before : Outputs::Lasting::kept;
  const Outputs::Purpose purpose = paths.scratch ? Outputs::Purpose::scratch : Outputs::Purpose::output;
  for (const auto& [path, precision] : paths.files()) {
    const int file = TiledMatrix::open(outputs, path, tiling.rows(), tiling.columns(), lasting, purpose, precision);
    writer_.add(file, path, precision);
    files_.push_back(outputs.opened_name(file));
    sums_.emplace_back();
  }
}

std::vector<std::size_t> MatrixFiles::missing() {
  std::vector<std::size_t> numbers;
  std::size_t damaged = 0;
  for (std::size_t number = 0; number < tiling_.count(); ++number) {
    if (journal_) {
      if (const std::optional<TileRecord> found = journal_->record(number)) {
        if (found->checksums == writer_.checksums(tiling_.tile(number))) {
          count(*found);
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
  add(put(tile, formed, statistics));
}

void MatrixFiles::add(const TileRecord& record) {
  // Not flushed to the disk: where the machine fails before that, checksums say what is missing.
  if (journal_) journal_->add(record);
  count(record);
}

void MatrixFiles::count(const TileRecord& record) {
  statistics_.add(record.statistics);
  for (std::size_t k = 0; k < sums_.size(); ++k) sums_[k].add(PlacedChecksum::of_text(record.checksums[k]));
}

void MatrixFiles::read(std::size_t file, const Window& window, std::span<double> numbers) const {
  writer_.read(file, {0, window.row, window.column, window.rows, window.columns}, numbers);
}

void MatrixFiles::before_renaming() const {
  if (journal_) journal_->add_renaming();
}

void MatrixFiles::after_renaming() const {
  if (journal_) journal_->remove();
}

}  // namespace octile::app
