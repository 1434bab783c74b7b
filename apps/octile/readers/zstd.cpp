// SPDX-License-Identifier: BSD-3-Clause
#include <zstd.h>
#include <zstd_errors.h>

#include <new>

#include "readers/decoder.hpp"

namespace octile::app {
namespace {

class ZstdDecoder : public Decoder {
 public:
  ZstdDecoder() : stream_(ZSTD_createDStream(), ZSTD_freeDStream) {
    if (!stream_) throw std::bad_alloc();
  }

  std::size_t decode(std::span<const char>& from, std::span<char> to) override {
    // After a whole frame zstd would begin another one, and call it incomplete.
    if (complete_ && from.empty()) return 0;
    ZSTD_inBuffer input = {from.data(), from.size(), 0};
    ZSTD_outBuffer output = {to.data(), to.size(), 0};
    const std::size_t result = ZSTD_decompressStream(stream_.get(), &output, &input);
    if (ZSTD_isError(result) != 0U) {
      if (ZSTD_getErrorCode(result) == ZSTD_error_memory_allocation) throw std::bad_alloc();
      throw DamagedData(ZSTD_getErrorName(result));
    }
    complete_ = result == 0;
    from = from.subspan(input.pos);
    return output.pos;
  }

  bool complete() const override { return complete_; }

 private:
  std::unique_ptr<ZSTD_DStream, std::size_t (*)(ZSTD_DStream*)> stream_;
  bool complete_ = false;
};

}  // namespace

std::unique_ptr<Decoder> zstd_decoder() { return std::make_unique<ZstdDecoder>(); }

}  // namespace octile::app
