// SPDX-License-Identifier: BSD-3-Clause
#include "tiles/writer.hpp"

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include "output/failures.hpp"

namespace octile::app {

void TileWriter::add(int file, const std::string& path, Precision precision) {
  matrices_.emplace_back(file, path, tiling_, precision);
}

void TileWriter::open(const std::string& name, const std::string& path, Precision precision) {
  Descriptor file(::open(name.c_str(), O_RDWR | O_CLOEXEC));
  if (file.number() < 0)
    throw OutputError(fmt::format("{}: cannot be opened by all ranks: {}", path, std::strerror(errno)));
  add(file.number(), path, precision);
  opened_.push_back(std::move(file));
}

TileRecord TileWriter::write(const Tile& tile, const TileValues& formed, const Statistics& statistics) const {
  const std::array arrays = {&formed.values, &formed.errors};
  TileRecord record{tile.number, {}, statistics};
  for (std::size_t k = 0; k < matrices_.size(); ++k) {
    matrices_[k].write(tile, *arrays[k]);
    record.checksums.push_back(matrices_[k].checksum(tile, *arrays[k]).text());
  }
  return record;
}

std::size_t TileWriter::bytes_of(const Tile& tile) const {
  std::size_t bytes = 0;
  for (const TiledMatrix& matrix : matrices_) bytes += matrix.bytes_of(tile);
  return bytes;
}

std::vector<std::string> TileWriter::checksums(const Tile& tile) const {
  std::vector<std::string> sums;
  sums.reserve(matrices_.size());
  for (const TiledMatrix& matrix : matrices_) sums.push_back(matrix.checksum(tile).text());
  return sums;
}

void TileWriter::read(std::size_t file, const Tile& tile, std::span<double> numbers) const {
  matrices_[file].read(tile, numbers);
}

void TileWriter::flush() const {
  for (const Descriptor& file : opened_) {
    if (::fsync(file.number()) != 0)
      throw OutputError(fmt::format("the matrix cannot be written: {}", std::strerror(errno)));
  }
}

}  // namespace octile::app
