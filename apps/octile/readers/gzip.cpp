// SPDX-License-Identifier: BSD-3-Clause
#include <zlib.h>

#include <new>

#include "readers/decoder.hpp"

namespace octile::app {
namespace {

class GzipDecoder : public Decoder {
 public:
  GzipDecoder() {
    constexpr int largest_window = 15;
    constexpr int gzip_header = 16;
    if (inflateInit2(&stream_, largest_window + gzip_header) != Z_OK) throw std::bad_alloc();
  }
  ~GzipDecoder() override { inflateEnd(&stream_); }

  std::size_t decode(std::span<const char>& from, std::span<char> to) override {
    if (complete_) {
      // Some writers put several streams one after the other, and tapes pad the last with zeros.
      while (!from.empty() && from.front() == '\0') {
        from = from.subspan(1);
        padded_ = true;
      }
      if (from.empty()) return 0;
      constexpr char first_mark = '\x1F';
      if (padded_ || from.front() != first_mark) throw DamagedData("something else follows where it ends");
      inflateReset(&stream_);
      complete_ = false;
    }
    // zlib reads through a pointer to bytes that it calls not const.
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(from.data()));
    stream_.avail_in = static_cast<unsigned>(from.size());
    stream_.next_out = reinterpret_cast<Bytef*>(to.data());
    stream_.avail_out = static_cast<unsigned>(to.size());
    const int result = inflate(&stream_, Z_NO_FLUSH);
    // Z_BUF_ERROR: without more input there is nothing to write.
    if (result != Z_OK && result != Z_STREAM_END && result != Z_BUF_ERROR) {
      if (result == Z_MEM_ERROR) throw std::bad_alloc();
      throw DamagedData(stream_.msg != nullptr ? stream_.msg : "it needs a dictionary");
    }
    complete_ = result == Z_STREAM_END;
    from = from.last(stream_.avail_in);
    return to.size() - stream_.avail_out;
  }

  bool complete() const override { return complete_; }

 private:
  z_stream stream_ = {};
  bool complete_ = false;
  bool padded_ = false;  ///< whether a zero has followed the last stream
};

}  // namespace

std::unique_ptr<Decoder> gzip_decoder() { return std::make_unique<GzipDecoder>(); }

}  // namespace octile::app
