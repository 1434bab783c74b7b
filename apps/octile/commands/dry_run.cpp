// SPDX-License-Identifier: BSD-3-Clause
#include "commands/dry_run.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <octile/base/bytes.hpp>
#include <octile/batch_runner.hpp>
#include <octile/parameters.hpp>
#include <octile/prepared_set.hpp>

#include "commands/gram_tiles.hpp"
#include "commands/gram_top.hpp"
#include "output/matrix_names.hpp"
#include "output/npy.hpp"
#include "readers/text.hpp"
#include "tiles/earlier_matrix.hpp"
#include "tiles/matrix_solver.hpp"
#include "tiles/rank_work.hpp"
#include "tiles/result_memory.hpp"
#include "tiles/shared_time.hpp"
#include "tiles/tiling.hpp"

namespace octile::app {

namespace {

/// What a run would take, in numbers and in the words that are printed of it.
struct Foretold {
  std::size_t pairs = 0;
  std::string kept;        ///< where their results go: "in 15 tiles …"
  std::string files;       ///< what is written
  std::size_t memory = 0;  ///< bytes that are left for the set and the work space
  std::size_t rough = 0;   ///< bytes for the solver of rough values
  double setup_seconds = 0;
  Prediction predicted;
  double seconds = 0;  ///< of all processes together
  std::string more{};  ///< what else is to be said of the time
};

/// How long all ranks need for the tiles, of which each would need so long for all. Collective; only rank 0 knows it.
double seconds_of_all(Ranks& ranks, const MatrixSolver& solver, const Tiling& tiling,
                      std::span<const std::size_t> tiles, double alone) {
  std::vector<double> seconds;
  for (const std::string& text : ranks.gather(nlohmann::json(alone).dump())) {
    seconds.push_back(nlohmann::json::parse(text).get<double>());
  }
  if (seconds.empty()) return alone;
  std::vector<double> costs;
  costs.reserve(tiles.size());
  for (const std::size_t number : tiles) costs.push_back(solver.work(tiling.tile(number)));
  return seconds_together(std::move(costs), seconds);
}

std::string matrix_of(std::size_t values, Precision written) {
  return fmt::format("{} for each matrix of {}", format_bytes(values * bytes_of_number(written)), scalar_name(written));
}

/// The pairs of some tiles, each once.
std::size_t pairs_of(const Tiling& tiling, std::span<const std::size_t> tiles) {
  std::size_t pairs = 0;
  for (const std::size_t number : tiles) {
    const Tile tile = tiling.tile(number);
    pairs += tiling.on_diagonal(tile) ? pair_count(tile.rows) : tile.size();
  }
  return pairs;
}

std::string files_of_tiles(const GramArguments& arguments, const MatrixRequest& request, const Tiling& tiling,
                           std::span<const std::size_t> tiles) {
  if (arguments.top > 0) {
    const std::size_t most = std::min(arguments.top, request.columns() - (request.symmetric() ? 1 : 0));
    return fmt::format("a list of {} for each of {}", counted(most, "neighbour"), counted(request.rows, "graph"));
  }
  if (!arguments.tiles.empty()) {
    std::size_t places = 0;
    for (const std::size_t number : tiles) places += tiling.tile(number).size();
    return fmt::format("{} for values of float64 and bounds", format_bytes(places * 2 * sizeof(double)));
  }
  return matrix_of(request.rows * request.columns(), request.written) +
         (is_hdf5(arguments.out) ? "; two in the file of HDF5, and two more beside it until it is whole" : "");
}

/// The tiles that would be solved.
PlannedPart tiles_of(const GramArguments& arguments, const MatrixRequest& request) {
  if (!arguments.tiles.empty()) return plan_part(arguments, request);
  if (arguments.top > 0) return plan_top(arguments, request);
  const std::size_t earlier = arguments.extend.empty() ? 0 : EarlierMatrix(arguments.extend, request).size();
  PlannedPart all{tiling_of(request, arguments.tile_size, earlier), {}};
  for (std::size_t number = 0; number < all.tiling.count(); ++number) {
    if (!all.tiling.before_cut(all.tiling.tile(number))) all.tiles.push_back(number);
  }
  return all;
}

/// A matrix that is solved tile by tile. Collective.
Foretold foretell_tiles(const GramArguments& arguments, MatrixRequest request, Ranks* ranks) {
  if (!arguments.tiles.empty()) request.errors = true;
  const auto [tiling, tiles] = tiles_of(arguments, request);
  Foretold foretold;
  if (arguments.top > 0) {
    const TopMemory memory = top_memory(arguments.top, request, tiling);
    request.options.memory = memory.left;
    foretold.rough = memory.rough;
  }
  MatrixSolver solver(request, tiling);
  const bool together = ranks != nullptr && ranks->size() > 1;
  if (together) {
    nlohmann::json identity = identity_of(request);
    add_prepared(identity, tiling.edge(), solver.facts());
    require_common(*ranks, identity);
    // All begin their samples when the last one is ready, since they may share the cores.
    ranks->broadcast({});
  }
  foretold.pairs = pairs_of(tiling, tiles);
  foretold.kept =
      fmt::format("in {} of {} rows and columns", counted(tiles.size(), "tile"), with_commas(tiling.edge()));
  if (tiles.size() < tiling.count())
    foretold.kept += fmt::format(", of the {} of the matrix", with_commas(tiling.count()));
  foretold.files = files_of_tiles(arguments, request, tiling, tiles);
  const std::size_t tile = std::min(tiling.edge(), tiling.rows()) * std::min(tiling.edge(), tiling.columns());
  foretold.memory = memory_beside_tile(request.graphs.size(), request.options.normalize, tile * bytes_of_place,
                                       request.options.memory);
  foretold.setup_seconds = solver.facts().setup_seconds;
  foretold.predicted = solver.predict(tiles);
  const double alone = foretold.predicted.seconds;
  foretold.seconds = together ? seconds_of_all(*ranks, solver, tiling, tiles, alone) : alone;
  if (arguments.top > 0) foretold.more = "; less where pairs that cannot be among the nearest stop early";
  return foretold;
}

/// The time of a list of pairs, or of all where there is none, from some of them at random that are solved as the list would be, for about
/// half a second. Adds what the solver took to be set up.
Prediction predict_pairs(const PreparedSet& set, const KernelSpec& kernel, const SetRequest& request, double& setup) {
  constexpr double enough_seconds = 0.5;
  constexpr std::size_t growth = 4;
  const auto size = static_cast<std::int32_t>(set.size());
  const std::size_t count = request.pairs ? request.pairs->size() : pair_count(set.size());
  double work_of_all = 0;
  std::vector<bool> own(set.size());
  const auto add = [&](Pair pair) {
    work_of_all += set.cost()(pair);
    own[static_cast<std::size_t>(pair.first)] = own[static_cast<std::size_t>(pair.second)] = true;
  };
  if (request.pairs) {
    std::ranges::for_each(*request.pairs, add);
  } else {
    for (std::int32_t i = 0; i < size; ++i) {
      for (std::int32_t j = i; j < size; ++j) add({i, j});
    }
  }
  for (std::int32_t g = 0; request.normalize && g < size; ++g) {
    // All pairs have those of a graph with itself among them.
    if (request.pairs && own[static_cast<std::size_t>(g)]) work_of_all += set.cost()({g, g});
  }
  std::mt19937_64 random(1);
  std::uniform_int_distribution<std::size_t> place(0, count - 1);
  std::uniform_int_distribution<std::int32_t> graph(0, size - 1);
  for (std::size_t wanted = std::min<std::size_t>(64, count);; wanted = std::min(growth * wanted, count)) {
    std::vector<Pair> sample;
    if (wanted == count && request.pairs) {
      sample.assign(request.pairs->begin(), request.pairs->end());
    } else {
      while (sample.size() < wanted) {
        sample.push_back(request.pairs ? (*request.pairs)[place(random)] : Pair{graph(random), graph(random)});
      }
    }
    double work = 0;
    std::set<std::int32_t> themselves;
    for (const Pair pair : sample) {
      work += set.cost()(pair);
      themselves.insert({pair.first, pair.second});
    }
    for (const std::int32_t g : themselves) work += request.normalize ? set.cost()({g, g}) : 0;
    SetRequest some = request;
    some.pairs = sample;
    // The second time counts, since the first makes what all pairs share.
    const double first_setup = set.solve(kernel, some).setup_seconds;
    const Clock::time_point start = Clock::now();
    const SetAnswer answer = set.solve(kernel, some);
    const double seconds = std::max(seconds_since(start) - answer.setup_seconds, 0.0);
    if (seconds > enough_seconds / static_cast<double>(growth) || wanted == count) {
      setup += first_setup;
      return {wanted, seconds, work > 0 ? seconds * work_of_all / work : seconds};
    }
  }
}

/// Values that are kept in memory as a whole: a small matrix, a list of pairs, or derivatives.
Foretold foretell_whole(const GramArguments& arguments, const MatrixRequest& request, const Selection& selection) {
  const bool all = arguments.selection.all();
  const std::size_t graphs = request.graphs.size();
  const std::size_t numbers = arguments.gradient.empty() ? 0 : parameters(*request.kernel).size();
  const ResultKinds kinds{request.errors, numbers};
  Foretold foretold;
  foretold.pairs = all ? pair_count(graphs) : selection.pairs.size();
  foretold.kept = "kept in memory as a whole";
  const std::size_t values = all ? graphs * graphs : foretold.pairs;
  foretold.files = all || selection.kind == Selection::Kind::rectangle
                       ? matrix_of(values, request.written)
                       : fmt::format("{} for each list of {}", format_bytes(values * bytes_of_number(request.written)),
                                     scalar_name(request.written));
  if (is_hdf5(arguments.out)) foretold.files += "; two in the file of HDF5";
  if (numbers > 0) {
    foretold.files += fmt::format("; {} for derivatives by {}", format_bytes(values * numbers * sizeof(double)),
                                  counted(numbers, "number"));
  }
  const std::size_t memory = request.options.memory;
  foretold.memory =
      all ? memory_beside_results(graphs, kinds, memory) : memory_beside_pairs(foretold.pairs, kinds, memory);
  GramOptions options = request.options;
  options.memory = foretold.memory;
  check_largest_pair(request.graphs, *request.kernel, options.memory);
  const Clock::time_point start = Clock::now();
  const PreparedSet set(request.graphs, options);
  SetRequest asked;
  asked.normalize = request.options.normalize;
  if (!all) asked.pairs = selection.pairs;
  if (numbers > 0) asked.derivatives = Derivatives::each;
  foretold.setup_seconds = seconds_since(start);
  if (foretold.pairs > 0) foretold.predicted = predict_pairs(set, *request.kernel, asked, foretold.setup_seconds);
  foretold.seconds = foretold.predicted.seconds;
  return foretold;
}

}  // namespace

void print_dry_run(const GramArguments& arguments, const MatrixRequest& request, const Selection& selection,
                   bool in_tiles, Ranks* ranks) {
  const Foretold foretold =
      in_tiles ? foretell_tiles(arguments, request, ranks) : foretell_whole(arguments, request, selection);
  if (ranks != nullptr && !ranks->first()) {
    ranks->deliver();
    return;
  }
  const std::size_t processes = ranks == nullptr ? 1 : ranks->size();
  const std::size_t memory = arguments.solve.gram_options().memory;
  fmt::print("pairs   {} of {}, {}\n", with_commas(foretold.pairs), counted(request.graphs.size(), "graph"),
             foretold.kept);
  fmt::print("files   {}\n", foretold.files);
  fmt::print(
      "memory  {} for the graphs as read, {} for results{}; {} is left for the set and the work space, of --memory "
      "{}{}\n",
      format_bytes(memory - request.options.memory),
      format_bytes(request.options.memory - foretold.memory - foretold.rough),
      foretold.rough > 0 ? fmt::format(", {} for rough values", format_bytes(foretold.rough)) : "",
      format_bytes(foretold.memory), format_bytes(memory), processes > 1 ? " of each process" : "");
  fmt::print(
      "time    {} to set up, as measured; about {} to solve by {}: {} at random took {}, and others are taken "
      "to need as long for each unit of cost by the cost model; without reading and writing{}\n",
      duration(foretold.setup_seconds), duration(foretold.seconds),
      processes > 1
          ? fmt::format("{} processes, of which each takes the costliest tile left when it is free", processes)
          : "one process",
      counted(foretold.predicted.pairs, "pair"), duration(foretold.predicted.sample_seconds), foretold.more);
}

}  // namespace octile::app
