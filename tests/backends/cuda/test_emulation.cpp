// SPDX-License-Identifier: BSD-3-Clause
// The emulated device itself: it must detect the errors that it is meant to, and its instructions must agree with the device's.
#include "backends/cuda/emulated/device.hpp"

#include <octile/cuda/block/intrinsics.cuh>

#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

using namespace octile;
using emulated::Order;

namespace {

/// The message with which one block of `threads` threads fails, if it does.
std::string failure_of(int threads, const std::function<void()>& kernel) {
  try {
    emulated::emulate(1, threads, 64, Order::forwards, kernel);
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "";
}

/// Two integers that halves represent exactly, made from a row and a column, in one word.
std::uint32_t two_numbers(int row, int column) {
  const auto number = [row](int at) { return static_cast<float>((7 * row + 3 * at) % 11 - 5); };
  return cuda::halves(number(column), number(column + 1));
}

float number_at(int row, int column) {
  const std::uint32_t word = two_numbers(row, column - column % 2);
  return column % 2 == 0 ? cuda::low_half(word) : cuda::high_half(word);
}

}  // namespace

TEST_CASE("threads that others wait for in vain are an error, not a hang") {
  CHECK(failure_of(64, [] {
          if (threadIdx.x < 32) __syncthreads();
        }) == "threads wait for ever: thread 0 of block 0 is in __syncthreads, thread 32 of block 0 is in its end");
  CHECK(failure_of(32, [] {
          if (threadIdx.x != 3) __syncwarp();
        }) == "threads wait for ever: thread 0 of block 0 is in __syncwarp, thread 3 of block 0 is in its end");
  CHECK(failure_of(32, [] { threadIdx.x < 9 ? __syncthreads() : __syncwarp(); }) ==
        "threads wait for ever: thread 0 of block 0 is in __syncthreads, thread 9 of block 0 is in __syncwarp");
  CHECK(failure_of(32, [] {
          if (threadIdx.x == 5) {
            __syncwarp();
          } else {
            __shfl_xor_sync(0xFFFFFFFFU, 1, 1);
          }
        }) == "thread 5 of block 0 comes to __syncwarp, other lanes of its warp to __shfl_xor_sync");
}

TEST_CASE("reading and writing behind a block's shared memory is an error") {
#ifndef __SANITIZE_ADDRESS__
  CHECK(failure_of(32, [] {
          if (threadIdx.x == 7) emulated::shared_memory()[64] = 1;
        }) == "block 0 has written byte 64 of shared memory, and has 64");
#endif
  CHECK(failure_of(32, [] { cuda::load_shared(64); }) == "4 bytes are read at 64 of 64 of shared memory");
  CHECK(failure_of(32, [] { cuda::load_shared_quad(8); }) == "16 bytes are read at 8 of 64 of shared memory");
}

TEST_CASE("a lack of a barrier shows in the order of the threads") {
  const auto last_seen = [](Order order, bool with_barrier) {
    int seen = 0;
    emulated::emulate(1, 64, 64, order, [&] {
      if (threadIdx.x == 0) emulated::shared_memory()[0] = 1;
      if (with_barrier) __syncthreads();
      if (threadIdx.x == 40) seen = emulated::shared_memory()[0];
    });
    return seen;
  };
  CHECK(last_seen(Order::forwards, true) == 1);
  CHECK(last_seen(Order::backwards, true) == 1);
  CHECK(last_seen(Order::forwards, false) == 1);
  CHECK(last_seen(Order::backwards, false) != 1);
}

TEST_CASE("the emulated instructions multiply and load matrices as they are documented to") {
  // D = A B + 1 with A and Bᵀ in shared memory, row by row, and B too, for the load that transposes.
  constexpr int edge = 16;
  std::vector<float> product(edge * 8);
  bool transposes = true;
  emulated::emulate(1, 32, 3 * edge * edge * 2, Order::backwards, [&] {
    const int lane = emulated::lane();
    auto* const a = reinterpret_cast<std::uint32_t*>(emulated::shared_memory());
    auto* const columns = a + edge * edge / 2;
    auto* const rows = columns + edge * edge / 2;
    for (int k = lane; k < edge * edge / 2; k += 32) {
      const int row = k / 8;
      const int column = 2 * (k % 8);
      a[k] = two_numbers(row, column);
      columns[k] = cuda::halves(number_at(column + 1, row), number_at(column + 2, row));
      rows[k] = cuda::halves(number_at(row + 1, column), number_at(row + 1, column + 1));
    }
    __syncwarp();
    // Matrices 0 … 3: above left, below left, above right, below right.
    const int corner = lane % 16 * 8 + lane / 16 * 4;
    std::uint32_t left[4];
    std::uint32_t right[4];
    std::uint32_t transposed[4];
    cuda::load_matrices(cuda::shared_address(a + corner), left);
    cuda::load_matrices(cuda::shared_address(columns + corner), right);
    cuda::load_transposed(cuda::shared_address(rows + corner), transposed);
    // Column g of B, rows 0 … 7 and 8 … 15.
    if (right[0] != transposed[0] || right[2] != transposed[1]) transposes = false;
    float d[4] = {1, 1, 1, 1};
    cuda::multiply_add(d, left, right[0], right[2]);
    for (int k = 0; k < 4; ++k) product[(lane / 4 + 8 * (k / 2)) * 8 + 2 * (lane % 4) + k % 2] = d[k];
  });
  CHECK(transposes);
  for (int i = 0; i < edge; ++i) {
    for (int j = 0; j < 8; ++j) {
      float sum = 1;
      for (int k = 0; k < edge; ++k) sum += number_at(i, k) * number_at(k + 1, j);
      CHECK(product[i * 8 + j] == sum);
    }
  }
}

TEST_CASE("halves are rounded to the nearest, and stay finite") {
  CHECK(cuda::low_half(cuda::halves(1.0F + 0x1p-11F, 3)) == 1.0F);
  CHECK(cuda::low_half(cuda::halves(1.0F + 0x3p-11F, 3)) == 1.0F + 0x1p-9F);
  CHECK(cuda::high_half(cuda::halves(3, 0x1p-24F)) == 0x1p-24F);
  CHECK(cuda::high_half(cuda::halves(3, -65504)) == -65504);
  CHECK(cuda::high_half(cuda::halves(3, 1e9F)) == 65504);
  CHECK(std::isnan(cuda::low_half(cuda::halves(std::nanf(""), 3))));
}
