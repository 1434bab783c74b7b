// SPDX-License-Identifier: BSD-3-Clause
#include "commands/gram_arguments.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "commands/kokkos_scope.hpp"
#include "commands/order_arguments.hpp"
#include "output/failures.hpp"
#include "output/file.hpp"
#include "output/matrix_names.hpp"
#include "output/table.hpp"

namespace octile::app {

void GramArguments::add_to(CLI::App& command) {
  solve.add_to(command);
  reading.add_with_inputs_to(command, inputs);
  selection.add_to(command);
  command.add_flag("--normalize", normalize, "Divide K_ij by the root of K_ii K_jj");
  command
      .add_option("--out", out,
                  "Write the matrix; without it, small ones are printed. FILE.h5 is HDF5 and has names and "
                  "bounds within")
      ->type_name("FILE.npy");
  command
      .add_option("--out-precision", out_precision,
                  "float64 or float32, of the values in FILE.npy; bounds count the rounding")
      ->type_name("TYPE")
      ->capture_default_str();
  command
      .add_option("--errors", errors,
                  "Write a bound of the relative error of each value (float64), inf where nothing is certain")
      ->type_name("FILE.npy");
  command
      .add_option("--gradient", gradient,
                  "Write the derivatives of each value by every parameter of the kernel: N x N x parameters (float64)")
      ->type_name("FILE.npy");
  command
      .add_option("--labels", labels,
                  "Write the targets of the graphs (float64), a row for each graph; NaN for one that has none")
      ->type_name("FILE.npy");
  command.add_option("--summary", summary, "Write names, options and statistics")->type_name("FILE.json");
  command.add_flag(
      "--table", table,
      fmt::format("Print the matrix (up to {} graphs) and the most and least similar pairs", largest_table));
  command.add_flag("--resume", resume,
                   "Keep what is done beside --out until all is done, and go on with what a run before kept");
  command
      .add_option("--tile-size", tile_size,
                  "Solve and write the matrix in tiles of so many rows and columns [as large as --memory allows, where "
                  "it does not allow the whole]")
      ->type_name("N")
      ->check(positive_number);
  command
      .add_option(
          "--top", top,
          "Write the nearest so many graphs of each graph, by normalised value, to --out FILE.csv instead of the "
          "matrix, which is not kept")
      ->type_name("K")
      ->check(positive_number);
  command
      .add_option(
          "--tiles", tiles,
          "Solve tiles A to B - 1 of the matrix alone, counted from 0, and write them to --out FILE.tiles for octile "
          "merge")
      ->type_name("A:B");
  command
      .add_option(
          "--extend", extend,
          "Take the values of the first graphs from a matrix that was written earlier, with its names beside it, "
          "and solve the pairs of the others alone")
      ->type_name("OLD.npy");
  command
      .add_option("--devices", devices,
                  "Solve by so many GPUs of this machine, or all, with a process for each; in a build for CPUs by "
                  "processes that share the cores")
      ->type_name("N");
  command.add_flag("--dry-run", dry_run,
                   "Say how many pairs and tiles there are, and what memory and time they take, and write nothing");
}

void GramArguments::check_outputs() const {
  const auto check_suffix = [](const char* option, const std::string& output, std::string_view suffix) {
    if (output.empty() || output.ends_with(suffix)) return;
    throw UsageError(fmt::format("{} {}: allowed is a name that ends in {}", option, output, suffix));
  };
  if (top > 0 || !tiles.empty()) {
    check_suffix("--out", out, top > 0 ? ".csv" : ".tiles");
  } else {
    check_matrix_outputs(out, errors);
  }
  check_suffix("--errors", errors, ".npy");
  check_suffix("--gradient", gradient, ".npy");
  check_suffix("--summary", summary, ".json");
  check_suffix("--labels", labels, ".npy");
  const std::string beside = summary_has_names() ? "" : names();
  check_distinct({{"--out", out},
                  {"--errors", errors},
                  {"--gradient", gradient},
                  {"--labels", labels},
                  {"--summary", summary},
                  {"the names of --out", beside}});
  for (const std::string& output : {out, errors, gradient, summary, labels, beside}) {
    if (!output.empty()) check_output(output);
  }
  if (!beside.empty()) check_names_path(beside);
}

std::pair<std::size_t, std::size_t> GramArguments::tile_range() const {
  std::size_t begin = 0;
  std::size_t end = 0;
  const char* const last = tiles.data() + tiles.size();
  const auto [colon, fault] = std::from_chars(tiles.data(), last, begin);
  if (fault == std::errc() && colon != last && *colon == ':') {
    const auto [rest, second_fault] = std::from_chars(colon + 1, last, end);
    if (second_fault == std::errc() && rest == last && begin < end) return {begin, end};
  }
  throw UsageError(fmt::format("--tiles {}: allowed is A:B, two whole numbers of which the second is larger", tiles));
}

Precision GramArguments::written() const { return written_precision(out_precision, out); }

bool GramArguments::bounds() const { return !errors.empty() || is_hdf5(out); }

// A list of neighbours, a part and a file of HDF5 have their names in themselves.
std::string GramArguments::names() const {
  return out.empty() || top > 0 || !tiles.empty() || is_hdf5(out) ? "" : names_path(out);
}

bool GramArguments::summary_has_names() const { return is_same_path(names(), summary) && !summary.empty(); }

bool GramArguments::tiles_possible() const {
  return !out.empty() && gradient.empty() && !table && selection.pairs.empty() && !selection.diagonal;
}

std::size_t GramArguments::processes() const {
  if (devices.empty()) return 1;
  if (!tiles.empty()) throw UsageError("--tiles: allowed without --devices; each job solves with one");
  const std::size_t there = visible_devices();
  constexpr std::size_t most = 64;
  const std::size_t allowed = there > 0 ? there : most;
  std::size_t asked = 0;
  if (devices == "all") {
    if (there == 0) {
      throw UsageError("--devices all: this octile sees no GPU; allowed is a number of processes that share the cores");
    }
    asked = there;
  } else {
    const auto [end, fault] = std::from_chars(devices.data(), devices.data() + devices.size(), asked);
    if (fault != std::errc() || end != devices.data() + devices.size() || asked < 1 || asked > allowed) {
      throw UsageError(fmt::format("--devices {}: allowed is {}a number from 1 to {}", devices,
                                   there > 0 ? "all, or " : "", allowed));
    }
  }
  return asked;
}

void GramArguments::share_cores(std::size_t processes) {
  const bool said =
      solve.threads > 0 || std::getenv("KOKKOS_NUM_THREADS") != nullptr || std::getenv("OMP_NUM_THREADS") != nullptr;
  if (said || processes <= 1) return;
  solve.threads = std::max(1, static_cast<int>(std::thread::hardware_concurrency() / processes));
}

void GramArguments::check_ranks() const {
  if (!tiles_possible() || top > 0) {
    throw UsageError(
        "several ranks solve a matrix that is written in tiles; allowed is --out FILE.npy of all pairs or with "
        "--columns");
  }
  if (std::ranges::find(inputs, "-") != inputs.end()) {
    throw UsageError("INPUT -: allowed with one rank; each of several reads the input");
  }
}

bool GramArguments::tiles_asked() const {
  if (!resume && tile_size == 0 && top == 0 && tiles.empty() && extend.empty()) return false;
  const bool part = !tiles.empty();
  const char* const option = part              ? "--tiles"
                             : top > 0         ? "--top"
                             : !extend.empty() ? "--extend"
                             : resume          ? "--resume"
                                               : "--tile-size";
  if (part) tile_range();
  if (out.empty() && (top == 0 || resume)) {
    throw UsageError(fmt::format("{}: allowed with --out FILE{}", top > 0 ? "--resume" : option,
                                 part      ? ".tiles"
                                 : top > 0 ? ".csv"
                                           : ".npy"));
  }
  const std::array refused = {std::pair("--gradient", !gradient.empty()),
                              std::pair("--table", table),
                              std::pair("--pairs", !selection.pairs.empty()),
                              std::pair("--diagonal", selection.diagonal),
                              std::pair("--errors", (top > 0 || part) && !errors.empty()),
                              std::pair("--top", top > 0 && part),
                              std::pair("--extend", (top > 0 || part) && !extend.empty()),
                              std::pair("--columns", !extend.empty() && !selection.columns.empty())};
  for (const auto& [other, given] : refused) {
    if (given) throw UsageError(fmt::format("{} and {}: allowed is one of them", option, other));
  }
  if (!extend.empty() && resume && is_same_path(extend, out)) {
    throw UsageError(fmt::format("--extend {}: is --out too; allowed with --resume is another file", extend));
  }
  return true;
}

}  // namespace octile::app
