// SPDX-License-Identifier: BSD-3-Clause
#include "commands/gram_tiles.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <optional>
#include <ostream>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <octile/backends.hpp>
#include <octile/error.hpp>

#include "output/failures.hpp"
#include "output/message.hpp"
#include "output/temporaries.hpp"
#include "readers/text.hpp"
#include "tiles/earlier_matrix.hpp"
#include "tiles/matrix_solver.hpp"
#include "tiles/part_file.hpp"
#include "tiles/queue.hpp"
#include "tiles/rank_work.hpp"

namespace octile::app {
namespace {

/// The share of the memory that the results of a tile may take.
constexpr std::size_t tile_share = 4;
/// The numbers of the tiles of --tiles. Throws `UsageError` for tiles that the matrix does not have.
std::vector<std::size_t> tiles_of_part(const GramArguments& arguments, const Tiling& tiling) {
  const auto [begin, end] = arguments.tile_range();
  if (begin >= tiling.count()) {
    throw UsageError(fmt::format("--tiles {}: the matrix has {}; allowed is 0:1 to 0:{}", arguments.tiles,
                                 counted(tiling.count(), "tile"), tiling.count()));
  }
  std::vector<std::size_t> tiles(std::min(end, tiling.count()) - begin);
  std::iota(tiles.begin(), tiles.end(), begin);
  return tiles;
}

/// The size of the tiles of a part.
std::size_t edge_of_part(const GramArguments& arguments, const std::optional<BegunPart>& begun) {
  return begun ? edge_begun(arguments, begun->header.tiling().edge()) : arguments.tile_size;
}

/// Throws where what was begun is of other tiles, or of another request as far as that is known.
void require_begun(const BegunPart& begun, const PartHeader& header, const GramArguments& arguments) {
  const std::string name = begun_name(arguments);
  if (begun.header.begin != header.begin || begun.header.end != header.end) {
    throw UsageError(fmt::format(
        "--tiles {}: {} was begun with the tiles {}:{}; allowed are these, or to remove it, and to start over",
        arguments.tiles, name, begun.header.begin, begun.header.end));
  }
  require_same_so_far(begun.header.request, header.request, name, begun_is_allowed);
}

}  // namespace

std::string begun_name(const GramArguments& arguments) { return printable(kept_name(arguments.out)); }

std::size_t edge_begun(const GramArguments& arguments, std::size_t edge) {
  if (arguments.tile_size == 0 || arguments.tile_size == edge) return edge;
  // Tiles of another size have other numbers.
  throw UsageError(
      fmt::format("--tile-size {}: {} was begun with {}; allowed is this, or to remove it, and to start over",
                  arguments.tile_size, begun_name(arguments), edge));
}

void say_resuming(const GramArguments& arguments, std::size_t done, std::size_t tiles) {
  if (arguments.solve.quiet) return;
  say(fmt::format("resuming: {} of {} are done\n", with_commas(done), counted(tiles, "tile")));
}

Tiling tiling_of(const MatrixRequest& request, std::size_t edge, std::size_t cut) {
  if (edge == 0) {
    edge = choose_edge(request.rows, request.columns(), request.options.memory / tile_share,
                       find_backend(request.options.backend).on_gpu);
    edge = std::max<std::size_t>(1, edge);
  }
  return {request.rows, request.columns(), request.symmetric(), edge, cut};
}

TiledMatrixFiles solve_in_tiles(const GramArguments& arguments, MatrixRequest request, Outputs& outputs, Ranks& ranks) {
  std::optional<FirstRank> with_others;
  if (ranks.size() > 1 && ranks.first()) with_others.emplace(ranks, request.options);
  const MatrixPaths paths = matrix_paths(arguments.out, arguments.errors, request.written);
  nlohmann::json identity = identity_of(request);
  std::optional<Journal> before;
  std::optional<EarlierMatrix> earlier;
  if (!arguments.extend.empty()) {
    earlier.emplace(arguments.extend, request);
    identity["--extend"] = earlier->size();
  }
  std::size_t edge = arguments.tile_size;
  if (arguments.resume && ranks.first()) {
    before = begun_before(paths, identity);
    // A matrix that was begun keeps its tiles.
    if (before && !before->request().is_null()) edge = before->request().at(edge_key).get<std::size_t>();
  }
  if (ranks.size() > 1) edge = common_number(ranks, edge);
  const Tiling tiling = tiling_of(request, edge, earlier ? earlier->size() : 0);
  MatrixSolver solver(request, tiling);
  add_prepared(identity, tiling.edge(), solver.facts());
  if (ranks.size() > 1) require_common(ranks, identity);
  if (!ranks.first()) {
    if (arguments.resume) say_unfinished_is_kept();
    work_for_first(ranks, solver, tiling, paths);
    Summary nothing;
    nothing.facts = solver.facts();
    return {std::move(nothing), nullptr};
  }
  if (earlier) earlier->verify();
  if (earlier && !arguments.solve.quiet) earlier->compare_choice(solver.facts());
  auto files = std::make_unique<MatrixFiles>(
      outputs, paths, tiling, arguments.resume ? std::optional(identity) : std::nullopt, std::move(before));
  std::vector<std::size_t> missing = files->missing();
  if (missing.size() < tiling.count()) say_resuming(arguments, tiling.count() - missing.size(), tiling.count());
  const std::size_t pairs_before = files->statistics().pairs();
  std::erase_if(missing, [&](std::size_t number) {
    const Tile tile = tiling.tile(number);
    if (!tiling.before_cut(tile)) return false;
    Statistics carried;
    if (number == 0) carried.add_earlier(earlier->unconverged(), earlier->largest_error());
    files->write(tile, earlier->read(tile), carried);
    return true;
  });
  SolveFacts facts;
  if (with_others) {
    facts = with_others->solve(solver, tiling, std::move(missing), *files);
  } else {
    TileQueue queue([&files](const auto&... written) { return files->put(written...); },
                    [&files](const TileRecord& record) { files->add(record); });
    if (!missing.empty()) solver.expect(missing);
    for (const std::size_t number : missing) {
      const Tile tile = tiling.tile(number);
      Statistics statistics;
      TileValues formed = solver.solve(tile, statistics);
      queue.add(tile, std::move(formed), std::move(statistics));
    }
    queue.finish();
    facts = solver.facts();
    facts.write_seconds = queue.write_seconds();
  }
  Summary summary = files->statistics().summary(std::move(facts), pairs_before);
  return {std::move(summary), std::move(files)};
}

PlannedPart plan_part(const GramArguments& arguments, const MatrixRequest& request) {
  std::optional<BegunPart> begun;
  if (arguments.resume && is_kept(arguments.out)) begun = begun_part(kept_file(arguments.out));
  const Tiling tiling = tiling_of(request, edge_of_part(arguments, begun));
  std::vector<std::size_t> tiles = tiles_of_part(arguments, tiling);
  if (begun) {
    PartHeader header{identity_of(request), {}, tiles.front(), tiles.back() + 1};
    require_begun(*begun, header, arguments);
    std::erase_if(tiles, [&](std::size_t number) { return number < begun->next; });
  }
  return {tiling, std::move(tiles)};
}

Summary solve_part(const GramArguments& arguments, MatrixRequest request, Outputs& outputs,
                   const std::function<std::string(const SolveFacts&)>& names) {
  request.errors = true;
  std::optional<int> kept;
  std::optional<BegunPart> begun;
  const auto open_kept = [&] {
    say_unfinished_is_kept();
    kept = outputs.open(arguments.out, std::nullopt, Outputs::Lasting::kept_before);
    begun = begun_part(outputs.opened_name(*kept));
  };
  // One that is not there is made behind all that may be refused.
  if (arguments.resume && is_kept(arguments.out)) open_kept();
  const Tiling tiling = tiling_of(request, edge_of_part(arguments, begun));
  std::vector<std::size_t> wanted = tiles_of_part(arguments, tiling);
  PartHeader header{identity_of(request), {}, wanted.front(), wanted.back() + 1};
  if (begun) require_begun(*begun, header, arguments);
  MatrixSolver solver(request, tiling);
  add_prepared(header.request, tiling.edge(), solver.facts());
  if (arguments.resume && !kept) open_kept();
  if (begun) require_begun(*begun, header, arguments);
  header.names = names(solver.facts());
  Statistics all;
  if (begun) {
    wanted.erase(wanted.begin(), wanted.begin() + static_cast<std::ptrdiff_t>(begun->next - header.begin));
    all.add(begun->statistics);
    say_resuming(arguments, begun->next - header.begin, header.end - header.begin);
  }
  const std::size_t pairs_before = all.pairs();
  const auto write_header = [&](std::ostream& file) { write_part_header(file, header); };
  const auto write_tiles = [&](std::ostream& file) {
    if (!wanted.empty()) solver.expect(wanted);
    for (const std::size_t number : wanted) {
      const Tile tile = tiling.tile(number);
      Statistics statistics;
      write_part_tile(file, tile, solver.solve(tile, statistics), header.errors(), statistics);
      if (kept) file.flush();
      all.add(statistics);
    }
  };
  if (!kept) {
    outputs.add(arguments.out, [&](std::ostream& file) {
      write_header(file);
      write_tiles(file);
    });
  } else {
    // The header is on the disk before any tile: without it nothing of the file could be read.
    const std::size_t bytes = begun ? begun->bytes : outputs.append(*kept, 0, write_header);
    outputs.append(*kept, bytes, write_tiles);
  }
  return all.summary(solver.facts(), pairs_before);
}

void commit(Outputs& outputs, const MatrixFiles& files) {
  outputs.flush();
  files.before_renaming();
  outputs.commit();
  files.after_renaming();
}

}  // namespace octile::app
