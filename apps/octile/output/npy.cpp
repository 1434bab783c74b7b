// SPDX-License-Identifier: BSD-3-Clause
#include "output/npy.hpp"

#include <array>
#include <filesystem>

#include <fmt/format.h>
#include <xtensor/xadapt.hpp>
#include <xtensor/xnpy.hpp>

#include "output/failures.hpp"
#include "output/output_file.hpp"

namespace octile::app {

void write_npy(const std::string& path, std::span<const double> values, std::size_t rows, std::size_t columns) {
  const std::array<std::size_t, 2> shape = {rows, columns};
  const auto matrix = xt::adapt(values.data(), values.size(), xt::no_ownership(), shape);
  write_output(path, [&](const std::string& temporary) {
    try {
      xt::dump_npy(temporary, matrix);
    } catch (const std::exception& error) {
      throw OutputError(fmt::format("{}: cannot be written: {}", path, error.what()));
    }
    // xtensor does not check the stream after writing, so a full disk shows only in the length of the file.
    const std::uintmax_t least = values.size_bytes() + 1;
    if (std::filesystem::file_size(temporary) < least) {
      throw OutputError(fmt::format("{}: cannot be written whole; is the disk full?", path));
    }
  });
}

}  // namespace octile::app
