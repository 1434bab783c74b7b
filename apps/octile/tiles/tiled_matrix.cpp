// SPDX-License-Identifier: BSD-3-Clause
#include "tiles/tiled_matrix.hpp"

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <utility>

#include <fmt/format.h>
#include <unistd.h>

#include "output/failures.hpp"
#include "output/locked_file.hpp"
#include "output/npy.hpp"
#include "output/uninterrupted.hpp"
#include "readers/system_reason.hpp"

namespace octile::app {
namespace {

OutputError matrix_failure(const std::string& path, std::string_view what) {
  return OutputError(fmt::format("{}: cannot be {}: {}", path, what, system_reason(errno)));
}

/// Row `k` of the transpose.
void take_column(std::span<const double> values, std::size_t columns, std::size_t k, std::span<double> row) {
  for (std::size_t i = 0; i < row.size(); ++i) row[i] = values[i * columns + k];
}

void write_at(int file, const std::string& path, std::span<const std::byte> bytes, std::uint64_t place) {
  while (!bytes.empty()) {
    const ssize_t count =
        uninterrupted([&] { return ::pwrite(file, bytes.data(), bytes.size(), static_cast<off_t>(place)); });
    if (count < 0) throw matrix_failure(path, "written");
    bytes = bytes.subspan(static_cast<std::size_t>(count));
    place += static_cast<std::uint64_t>(count);
  }
}

}  // namespace

int TiledMatrix::open(Outputs& outputs, const std::string& path, std::size_t rows, std::size_t columns,
                      Outputs::Lasting lasting, Outputs::Purpose purpose, Precision precision) {
  const std::size_t header = npy_header({rows, columns}, precision).size();
  return outputs.open(path, header + rows * columns * bytes_of_number(precision), lasting, purpose);
}

TiledMatrix::TiledMatrix(int file, std::string path, const Tiling& tiling, Precision precision)
    : path_(std::move(path)), tiling_(tiling), precision_(precision), file_(file) {
  const std::string header = npy_header({tiling.rows(), tiling.columns()}, precision);
  begin_ = header.size();
  write_at(file_, path_, std::as_bytes(std::span(header)), 0);
}

std::uint64_t TiledMatrix::offset(std::size_t row, std::size_t column) const {
  return begin_ + place(row, column) * bytes_of_number(precision_);
}

void TiledMatrix::write_row(std::size_t row, std::size_t column, std::span<const double> values) const {
  if (precision_ == Precision::float64) {
    write_at(file_, path_, std::as_bytes(values), offset(row, column));
    return;
  }
  std::vector<float> numbers(values.size());
  std::ranges::transform(values, numbers.begin(), [](double value) { return static_cast<float>(value); });
  write_at(file_, path_, std::as_bytes(std::span<const float>(numbers)), offset(row, column));
}

void TiledMatrix::read_row(std::size_t row, std::size_t column, std::span<double> values) const {
  read_numbers(precision_, values, [&](std::span<std::byte> bytes) {
    const auto done = read_at(file_, bytes, offset(row, column));
    if (!done) throw matrix_failure(path_, "read");
    // Where the file is shorter than it was, what is missing counts as zeros.
    std::ranges::fill(bytes.subspan(*done), std::byte(0));
  });
}

void TiledMatrix::write(const Tile& tile, std::span<const double> values) const {
  for (std::size_t i = 0; i < tile.rows; ++i) {
    write_row(tile.row + i, tile.column, values.subspan(i * tile.columns, tile.columns));
  }
  if (!tiling_.has_mirror(tile)) return;
  std::vector<double> row(tile.rows);
  for (std::size_t j = 0; j < tile.columns; ++j) {
    take_column(values, tile.columns, j, row);
    write_row(tile.column + j, tile.row, row);
  }
}

void TiledMatrix::read(const Tile& tile, std::span<double> values) const {
  for (std::size_t i = 0; i < tile.rows; ++i) {
    read_row(tile.row + i, tile.column, values.subspan(i * tile.columns, tile.columns));
  }
}

PlacedChecksum TiledMatrix::checksum(const Tile& tile) const {
  std::vector<double> values(tile.size());
  read(tile, values);
  PlacedChecksum sum = checksum_of_rows(tile, values);
  if (!tiling_.has_mirror(tile)) return sum;
  std::vector<double> row(tile.rows);
  for (std::size_t j = 0; j < tile.columns; ++j) {
    read_row(tile.column + j, tile.row, row);
    sum.add(place(tile.column + j, tile.row), row);
  }
  return sum;
}

PlacedChecksum TiledMatrix::checksum(const Tile& tile, std::span<const double> values) const {
  PlacedChecksum sum = checksum_of_rows(tile, values);
  if (!tiling_.has_mirror(tile)) return sum;
  std::vector<double> row(tile.rows);
  for (std::size_t j = 0; j < tile.columns; ++j) {
    take_column(values, tile.columns, j, row);
    sum.add(place(tile.column + j, tile.row), row);
  }
  return sum;
}

PlacedChecksum TiledMatrix::checksum_of_rows(const Tile& tile, std::span<const double> values) const {
  PlacedChecksum sum;
  for (std::size_t i = 0; i < tile.rows; ++i) {
    sum.add(place(tile.row + i, tile.column), values.subspan(i * tile.columns, tile.columns));
  }
  return sum;
}

}  // namespace octile::app
