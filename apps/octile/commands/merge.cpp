// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <octile/error.hpp>

#include "commands/commands.hpp"
#include "commands/gram_tiles.hpp"
#include "commands/hdf5_contents.hpp"
#include "output/failures.hpp"
#include "output/file.hpp"
#include "output/matrix_names.hpp"
#include "output/rounding.hpp"
#include "readers/text.hpp"
#include "tiles/matrix_files.hpp"
#include "tiles/part_file.hpp"
#include "tiles/request.hpp"

namespace octile::app {
namespace {

struct MergeArguments {
  std::vector<std::string> parts;
  std::string out;
  std::string out_precision = std::string(scalar_name(Precision::float64));
  std::string errors;
  bool quiet = false;
};

void check_merge_outputs(const MergeArguments& arguments) {
  check_matrix_outputs(arguments.out, arguments.errors);
  if (!arguments.errors.empty() && !arguments.errors.ends_with(".npy")) {
    throw UsageError(fmt::format("--errors {}: allowed is a name that ends in .npy", arguments.errors));
  }
  const std::string names = is_hdf5(arguments.out) ? "" : names_path(arguments.out);
  check_distinct({{"--out", arguments.out}, {"--errors", arguments.errors}, {"the names of --out", names}});
  for (const std::string& output : {arguments.out, arguments.errors, names}) {
    if (!output.empty()) check_output(output);
  }
  if (!names.empty()) check_names_path(names);
}

/// The headers of all parts, which are of one request and have each tile once, in the order of their tiles.
std::vector<PartHeader> checked_headers(std::vector<std::string>& parts) {
  std::vector<std::pair<PartHeader, std::string>> found;
  found.reserve(parts.size());
  for (const std::string& part : parts) found.emplace_back(PartReader(part).header(), part);
  for (const auto& [header, part] : found) {
    require_same(found.front().first.request, header.request, parts.front(),
                 fmt::format("a set of parts of one request, and {} is of another", part));
  }
  std::ranges::stable_sort(found, {}, [](const auto& one) { return one.first.begin; });
  std::size_t next = 0;
  const std::size_t count = found.front().first.tiling().count();
  for (std::size_t k = 0; k < found.size(); ++k) {
    const auto& [header, part] = found[k];
    if (header.begin < next) {
      throw Error(fmt::format("{} and {}: both have tile {}; allowed is each tile once", found[k - 1].second, part,
                              header.begin));
    }
    if (header.begin > next) {
      throw Error(fmt::format("tiles {}:{} of {} are in none of the parts", next, header.begin, count));
    }
    next = header.end;
  }
  if (next < count) throw Error(fmt::format("tiles {}:{} of {} are in none of the parts", next, count, count));
  std::vector<PartHeader> headers;
  headers.reserve(found.size());
  parts.clear();
  for (auto& [header, part] : found) {
    headers.push_back(std::move(header));
    parts.push_back(part);
  }
  return headers;
}

/// Rounds the values of a part to what the matrix keeps, and their bounds with them.
void round_part(PartReader::Part& part, Precision written) {
  const double before = part.statistics.largest_error();
  UninitializedVector<double>& errors = part.formed.errors;
  double largest = before;
  for (std::size_t k = 0; k < part.formed.values.size(); ++k) {
    double error = errors.empty() ? before : errors[k];
    round_for(written, part.formed.values[k], error);
    largest = std::max(largest, error);
    if (!errors.empty()) errors[k] = error;
  }
  part.statistics.raise_largest_error(largest);
}

ExitCode run_merge(MergeArguments arguments) {
  const Precision written_as = written_precision(arguments.out_precision, arguments.out);
  check_merge_outputs(arguments);
  const std::vector<PartHeader> headers = checked_headers(arguments.parts);
  const PartHeader& first = headers.front();
  if (!arguments.errors.empty() && !first.errors()) {
    throw UsageError(
        fmt::format("--errors {}: the parts have none; allowed is to solve them with --errors too", arguments.errors));
  }
  const Tiling tiling = first.tiling();
  Outputs outputs;
  const MatrixPaths paths = matrix_paths(arguments.out, arguments.errors, written_as);
  MatrixFiles files(outputs, paths, tiling, std::nullopt, std::nullopt);
  for (const std::string& path : arguments.parts) {
    PartReader reader(path);
    while (auto part = reader.next()) {
      if (written_as != Precision::float64) round_part(*part, written_as);
      files.write(part->tile, part->formed, part->statistics);
    }
  }
  const Statistics& statistics = files.statistics();
  const Summary summary = statistics.summary({});
  WrittenMatrix written = written_matrix(files, summary);
  written.bounds_file = bounds_file(arguments.out, arguments.errors);
  const std::string names = names_of(headers, arguments.parts, arguments.out, written, written_as);
  if (is_hdf5(arguments.out)) {
    const Selection rectangle{Selection::Kind::rectangle, {}, {tiling.rows(), tiling.columns()}};
    const DescribedMatrix described{names, rectangle.shape, tiling.symmetric() ? nullptr : &rectangle, &summary};
    write_hdf5(outputs, arguments.out, hdf5_contents(described, files));
  } else {
    outputs.add(names_path(arguments.out), [&](std::ostream& file) { file << names; });
  }
  commit(outputs, files);
  if (!arguments.quiet) {
    fmt::print("{} of {} in {}\nwrote {}\n", counted(statistics.pairs(), "pair"), counted(tiling.count(), "tile"),
               counted(headers.size(), "part"), printable(arguments.out));
  }
  if (statistics.converged()) return exit_success;
  fmt::print("some pairs did not converge; the summaries of the parts list them\n");
  return exit_unconverged;
}

}  // namespace

void add_merge_command(CLI::App& program, ExitCode& exit_code) {
  CLI::App* command = program.add_subcommand("merge", "Put together a matrix of which several jobs solved tiles");
  const auto arguments = std::make_shared<MergeArguments>();
  command->add_option("PART", arguments->parts, "Files that octile gram --tiles wrote, in any order")->required();
  command->add_option("--out", arguments->out, "Write the matrix, and its names beside it or within")
      ->type_name("FILE.npy|FILE.h5")
      ->required();
  command
      ->add_option("--out-precision", arguments->out_precision,
                   "float64 or float32, of the values in FILE.npy; bounds count the rounding")
      ->type_name("TYPE")
      ->capture_default_str();
  command->add_option("--errors", arguments->errors, "Write the bounds of the relative errors of the values")
      ->type_name("FILE.npy");
  command->add_flag("--quiet", arguments->quiet, "No summary");
  command->callback([arguments, &exit_code] { exit_code = run_merge(*arguments); });
}

}  // namespace octile::app
