// SPDX-License-Identifier: BSD-3-Clause
#include "commands/gram_outputs.hpp"

#include <algorithm>
#include <ostream>
#include <span>

#include <octile/base/parallel_join.hpp>

#include "commands/gram_tiles.hpp"
#include "commands/hdf5_contents.hpp"
#include "output/matrix_names.hpp"
#include "output/npy.hpp"
#include "output/rounding.hpp"

namespace octile::app {

void round_values(SolvedMatrix& solved, Precision written) {
  solved.written = written;
  if (written == Precision::float64) return;
  constexpr std::size_t rounded_at_once = std::size_t(1) << 14;
  double& largest = solved.summary.largest_error;
  const auto of_part = [&solved, written, before = largest](std::size_t begin, std::size_t end) {
    double most = before;
    for (std::size_t k = begin; k < end; ++k) {
      double error = solved.errors.empty() ? before : solved.errors[k];
      round_for(written, solved.values[k], error);
      most = std::max(most, error);
      if (!solved.errors.empty()) solved.errors[k] = error;
    }
    return most;
  };
  const auto join = [](double& all, double part) { all = std::max(all, part); };
  largest = joined_in_parallel(solved.values.size(), rounded_at_once, double(largest), of_part, join);
}

std::optional<WrittenMatrix> written_matrix(const GramArguments& arguments, const SolvedMatrix& solved) {
  if (solved.is_part || solved.nearest) return std::nullopt;
  const auto text = [](std::span<const double> values) { return checksum_of(values).text(); };
  WrittenMatrix written;
  if (solved.tiled) {
    written = written_matrix(*solved.tiled, solved.summary);
  } else {
    written = {text(solved.values), solved.errors.empty() ? "" : text(solved.errors),
               solved.summary.unconverged.size() + solved.summary.unlisted, solved.summary.largest_error};
  }
  written.bounds_file = bounds_file(arguments.out, arguments.errors);
  return written;
}

void write_files(Outputs& outputs, const GramArguments& arguments, const SolvedMatrix& solved, const Request& request,
                 std::size_t graphs, const SolvedTexts& texts) {
  const TargetTable& targets = *request.targets;
  const bool hdf5 = is_hdf5(arguments.out);
  const auto add_npy = [&outputs](const std::string& path, std::span<const double> values,
                                  const std::vector<std::size_t>& shape, Precision precision = Precision::float64) {
    if (path.empty()) return;
    outputs.add(path, [&](std::ostream& file) { write_npy(file, values, shape, precision); });
  };
  if (solved.nearest && !arguments.out.empty()) outputs.add(arguments.out, texts.neighbours);
  if (!solved.tiled && !solved.nearest && !solved.is_part) {
    if (!hdf5) add_npy(arguments.out, solved.values, solved.shape, solved.written);
    add_npy(arguments.errors, solved.errors, solved.shape);
    std::vector<std::size_t> with_parameters = solved.shape;
    with_parameters.push_back(solved.parameters.size());
    add_npy(arguments.gradient, solved.derivatives, with_parameters);
  }
  add_npy(arguments.labels, targets.values, {graphs, targets.names.size()});
  if (!arguments.summary.empty()) outputs.add(arguments.summary, [&](std::ostream& file) { file << texts.summary(); });
  if (hdf5) {
    const DescribedMatrix described{texts.names(), solved.shape, request.selection, &solved.summary};
    write_hdf5(outputs, arguments.out,
               solved.tiled ? hdf5_contents(described, *solved.tiled)
                            : hdf5_contents(described, solved.values, solved.errors));
  }
  if (const std::string names = arguments.names(); !names.empty() && !arguments.summary_has_names()) {
    outputs.add(names, [&](std::ostream& file) { file << texts.names(); });
  }
  solved.tiled ? commit(outputs, *solved.tiled) : outputs.commit();
}

}  // namespace octile::app
