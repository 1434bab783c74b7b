// SPDX-License-Identifier: BSD-3-Clause
#include "output/npy.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <ostream>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace octile::app {

/// Version 1.0 of the format:
///
///     "\x93NUMPY" 1 0    magic and version, 8 bytes
///     length             of the header, 2 bytes, little-endian
///     header             a Python dictionary in ASCII, blanks, a line end; the values then begin at a multiple of 64
///     values             little-endian
std::string npy_header(const std::vector<std::size_t>& shape, Precision precision) {
  static_assert(std::endian::native == std::endian::little);
  constexpr std::string_view magic("\x93NUMPY\x01\x00", 8);
  constexpr std::size_t alignment = 64;
  std::string header = fmt::format("{{'descr': '<f{}', 'fortran_order': False, 'shape': ({}{}), }}",
                                   bytes_of_number(precision), fmt::join(shape, ", "), shape.size() == 1 ? "," : "");
  const std::size_t unpadded = magic.size() + 2 + header.size() + 1;
  header.append((alignment - unpadded % alignment) % alignment, ' ');
  header += '\n';
  std::string all(magic);
  all += static_cast<char>(header.size() & 0xFFU);
  all += static_cast<char>(header.size() >> 8U);
  return all + header;
}

void write_npy(std::ostream& file, std::span<const double> values, const std::vector<std::size_t>& shape,
               Precision precision) {
  file << npy_header(shape, precision);
  if (precision == Precision::float32) {
    constexpr std::size_t at_once = std::size_t(1) << 14;
    std::vector<float> numbers;
    for (std::size_t begin = 0; begin < values.size(); begin += at_once) {
      const std::span<const double> part = values.subspan(begin, std::min(at_once, values.size() - begin));
      numbers.resize(part.size());
      std::ranges::transform(part, numbers.begin(), [](double value) { return static_cast<float>(value); });
      file.write(reinterpret_cast<const char*>(numbers.data()),
                 static_cast<std::streamsize>(part.size() * sizeof(float)));
    }
    return;
  }
  file.write(reinterpret_cast<const char*>(values.data()), static_cast<std::streamsize>(values.size_bytes()));
}

}  // namespace octile::app
