// SPDX-License-Identifier: BSD-3-Clause
// glibc's checked longjmp refuses jumps to another stack, so it is switched off.
#undef _FORTIFY_SOURCE
#include "backends/cuda/emulated/device.hpp"

#include <algorithm>
#include <cstdlib>
#include <deque>
#include <memory>
#include <span>
#include <stdexcept>
#include <string_view>
#include <utility>
#include <vector>

#include <setjmp.h>  // NOLINT(modernize-deprecated-headers): for _setjmp
#include <ucontext.h>
#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif

uint3 threadIdx;
uint3 blockIdx;
uint3 blockDim;
uint3 gridDim;

namespace octile::cuda {

namespace {
constexpr std::size_t guard_bytes = 4096;
}

alignas(16) unsigned char memory[most_shared_memory + guard_bytes];

}  // namespace octile::cuda

namespace octile::emulated {
namespace {

constexpr std::size_t most_threads = 1024;
constexpr std::size_t stack_bytes = 256 * 1024;
constexpr std::size_t most_operand_bytes = 64;
constexpr std::size_t memory_bytes = cuda::most_shared_memory + cuda::guard_bytes;
/// Fills the memory after that of a block, to detect writes past its end.
constexpr unsigned char canary = 0xC5;

/// The initial content of a block's memory: NaN in each format, or numbers that are far too large.
unsigned char padding(Order order) { return order == Order::forwards ? 0xFF : 0x6B; }

#ifdef __SANITIZE_ADDRESS__
// Before a jump of the C library the address sanitizer clears what it knows of the whole stack, and asks the system for that of signals,
// which took a third of all time. It is told of switches, and need not look at these jumps.
using Place = void* [5];
#define OCTILE_SET_PLACE(place) __builtin_setjmp(place)
#define OCTILE_UNWATCHED [[gnu::no_sanitize_address]]
[[gnu::noipa]] OCTILE_UNWATCHED void jump(Place& place) { __builtin_longjmp(place, 1); }
#else
using Place = jmp_buf;
#define OCTILE_SET_PLACE(place) _setjmp(place)
#define OCTILE_UNWATCHED
[[noreturn]] void jump(Place& place) { _longjmp(place, 1); }
#endif

/// A thread, or the program itself between blocks. It begins in a context, and is resumed by a jump, since a switch of
/// contexts would take two system calls for signals.
struct Fiber {
  Place place;
  ucontext_t* begins = nullptr;  ///< its context, if it has not begun
  const void* stack = nullptr;
  std::size_t stack_size = 0;
  void* shadow = nullptr;  ///< the sanitizer's data
};

struct Thread : Fiber {
  ucontext_t beginning;
  const char* waits_in = nullptr;
  bool done = false;
};

struct Warp {
  int there = 0;  ///< lanes that have reached the operation
  const char* operation = nullptr;
  int buffer = 0;  ///< double-buffer index, since lanes may still read the result of the previous operation
  alignas(16) unsigned char operands[2][warp_lanes * most_operand_bytes];
};

/// One block, whose threads run one after the other.
class Block {
 public:
  Block(int threads, std::size_t shared_bytes, Order order, const std::function<void()>& kernel,
        std::span<unsigned char> stacks)
      : shared_bytes_(shared_bytes),
        order_(order),
        kernel_(kernel),
        threads_(static_cast<std::size_t>(threads)),
        warps_(threads_.size() / warp_lanes) {
    for (std::size_t t = 0; t < threads_.size(); ++t) {
      threads_[t].stack = &stacks[t * stack_bytes];
      threads_[t].stack_size = stack_bytes;
    }
  }

  void run();
  std::size_t shared_bytes() const { return shared_bytes_; }
  void meet_block();
  void* meet_warp(const char* operation, const void* mine, std::size_t bytes, void (*combine)(void*));
  [[noreturn]] void fail(std::string what);

 private:
  static void enter();
  void thread();
  void make_all_ready();
  std::size_t in_order(std::size_t first, std::size_t count, std::size_t k) const;
  void wait(const char* operation);
  void next();
  void switch_to(Fiber& to, bool last = false);
  std::string whereabouts() const;

  std::size_t shared_bytes_;
  Order order_;
  const std::function<void()>& kernel_;
  std::vector<Thread> threads_;
  std::vector<Warp> warps_;
  std::deque<std::size_t> ready_;
  Fiber program_;
  Fiber* running_ = &program_;
  std::size_t in_barrier_ = 0;
  std::size_t done_ = 0;
  std::string failure_;
};

/// The running block.
Block* block = nullptr;

std::string thread_name(std::size_t thread) {
  return "thread " + std::to_string(thread) + " of block " + std::to_string(blockIdx.x);
}

void fill_memory(std::size_t bytes, Order order) {
  std::fill_n(cuda::memory, bytes, padding(order));
  std::fill(cuda::memory + bytes, cuda::memory + memory_bytes, canary);
}

void Block::run() {
  fill_memory(shared_bytes_, order_);
  for (Thread& thread : threads_) {
    thread.begins = &thread.beginning;
    getcontext(thread.begins);
    thread.begins->uc_stack.ss_sp = const_cast<void*>(thread.stack);
    thread.begins->uc_stack.ss_size = thread.stack_size;
    thread.begins->uc_link = nullptr;
    makecontext(thread.begins, &Block::enter, 0);
  }
#ifdef __SANITIZE_ADDRESS__
  __asan_poison_memory_region(cuda::memory + shared_bytes_, memory_bytes - shared_bytes_);
#endif
  make_all_ready();
  next();
#ifdef __SANITIZE_ADDRESS__
  __asan_unpoison_memory_region(cuda::memory, memory_bytes);
  // Threads that have ended leave the calls that ended them poisoned, at the high end of their stacks, and others leave all.
  const std::size_t poisoned = failure_.empty() ? 4096 : stack_bytes;
  for (const Thread& thread : threads_) {
    __asan_unpoison_memory_region(static_cast<const unsigned char*>(thread.stack) + stack_bytes - poisoned, poisoned);
  }
#endif
  if (!failure_.empty()) throw std::runtime_error(failure_);
  const unsigned char* const end = cuda::memory + memory_bytes;
  const unsigned char* const wrong = std::find_if(static_cast<const unsigned char*>(cuda::memory) + shared_bytes_, end,
                                                  [](unsigned char byte) { return byte != canary; });
  if (wrong != end) {
    throw std::runtime_error("block " + std::to_string(blockIdx.x) + " has written byte " +
                             std::to_string(wrong - cuda::memory) + " of shared memory, and has " +
                             std::to_string(shared_bytes_));
  }
}

/// The entry point of a thread.
void Block::enter() {
#ifdef __SANITIZE_ADDRESS__
  Block& here = *block;
  __sanitizer_finish_switch_fiber(nullptr, here.program_.stack == nullptr ? &here.program_.stack : nullptr,
                                  here.program_.stack == nullptr ? &here.program_.stack_size : nullptr);
#endif
  block->thread();
}

void Block::thread() {
  kernel_();
  threads_[threadIdx.x].done = true;
  ++done_;
  next();
}

/// Which of `count` threads from `first` on comes k-th.
std::size_t Block::in_order(std::size_t first, std::size_t count, std::size_t k) const {
  return order_ == Order::forwards ? first + k : first + count - 1 - k;
}

void Block::make_all_ready() {
  for (std::size_t k = 0; k < threads_.size(); ++k) ready_.push_back(in_order(0, threads_.size(), k));
}

/// Runs the next thread that is ready, or the program if there is none.
void Block::next() {
  if (ready_.empty()) {
    if (done_ < threads_.size() && failure_.empty()) failure_ = "threads wait for ever: " + whereabouts();
    switch_to(program_, done_ == threads_.size());
    return;
  }
  const std::size_t thread = ready_.front();
  ready_.pop_front();
  const bool last = running_ != &program_ && threads_[threadIdx.x].done;
  threadIdx.x = static_cast<unsigned int>(thread);
  switch_to(threads_[thread], last);
}

/// Switches to another fiber. `last`: the running one will not run again.
OCTILE_UNWATCHED void Block::switch_to(Fiber& to, [[maybe_unused]] bool last) {
  if (running_ == &to) return;
  Fiber& from = *running_;
  running_ = &to;
#ifdef __SANITIZE_ADDRESS__
  __sanitizer_start_switch_fiber(last ? nullptr : &from.shadow, to.stack, to.stack_size);
#endif
  if (OCTILE_SET_PLACE(from.place) == 0) {
    if (to.begins == nullptr) jump(to.place);
    setcontext(std::exchange(to.begins, nullptr));
  }
#ifdef __SANITIZE_ADDRESS__
  __sanitizer_finish_switch_fiber(from.shadow, nullptr, nullptr);
#endif
}

void Block::wait(const char* operation) {
  threads_[threadIdx.x].waits_in = operation;
  next();
}

void Block::meet_block() {
  if (++in_barrier_ == threads_.size()) {
    in_barrier_ = 0;
    make_all_ready();
  }
  wait("__syncthreads");
}

void* Block::meet_warp(const char* operation, const void* mine, std::size_t bytes, void (*combine)(void*)) {
  const std::size_t number = threadIdx.x / warp_lanes;
  Warp& warp = warps_[number];
  if (bytes > most_operand_bytes) fail("a lane brings more than there is room for");
  if (warp.there == 0) warp.operation = operation;
  if (std::string_view(warp.operation) != operation) {
    fail(thread_name(threadIdx.x) + " comes to " + operation + ", other lanes of its warp to " + warp.operation);
  }
  unsigned char* const operands = warp.operands[warp.buffer];
  if (bytes > 0) std::memcpy(operands + static_cast<std::size_t>(lane()) * bytes, mine, bytes);
  if (++warp.there == warp_lanes) {
    if (combine != nullptr) combine(operands);
    warp.there = 0;
    warp.buffer ^= 1;
    // They come before all others: a warp runs as far as it can, so that it is a barrier ahead of the next warp or behind it.
    for (std::size_t k = warp_lanes; k-- > 0;) ready_.push_front(in_order(number * warp_lanes, warp_lanes, k));
  }
  wait(operation);
  return operands;
}

void Block::fail(std::string what) {
  failure_ = std::move(what);
  ready_.clear();
  switch_to(program_);
  std::abort();  // not reached
}

/// Lists each operation at which threads wait, with the first thread there.
std::string Block::whereabouts() const {
  std::vector<std::string_view> places;
  std::string all;
  for (std::size_t t = 0; t < threads_.size(); ++t) {
    const char* const place = threads_[t].done ? "its end" : threads_[t].waits_in;
    if (std::ranges::find(places, std::string_view(place)) != places.end()) continue;
    places.emplace_back(place);
    all += (all.empty() ? "" : ", ") + thread_name(t) + " is in " + place;
  }
  return all;
}

/// The stacks of threads, kept from block to block. Pages that are never touched take no memory.
std::span<unsigned char> stacks_of(std::size_t threads) {
  static const auto stacks = std::make_unique_for_overwrite<unsigned char[]>(most_threads * stack_bytes);
  return {stacks.get(), threads * stack_bytes};
}

}  // namespace

void emulate(int blocks, int threads, std::size_t shared_bytes, Order order, const std::function<void()>& kernel) {
  if (threads <= 0 || threads % warp_lanes != 0 || static_cast<std::size_t>(threads) > most_threads) {
    throw std::runtime_error("a block of " + std::to_string(threads) + " threads is not emulated");
  }
  if (shared_bytes > cuda::most_shared_memory) {
    throw std::runtime_error("a block has " + std::to_string(cuda::most_shared_memory) +
                             " bytes of shared memory at most, not " + std::to_string(shared_bytes));
  }
  const std::span<unsigned char> stacks = stacks_of(static_cast<std::size_t>(threads));
  blockDim = {static_cast<unsigned int>(threads), 1, 1};
  gridDim = {static_cast<unsigned int>(blocks), 1, 1};
  for (int number = 0; number < blocks; ++number) {
    blockIdx = {static_cast<unsigned int>(number), 0, 0};
    threadIdx = {};
    Block running(threads, shared_bytes, order, kernel, stacks);
    block = &running;
    running.run();
  }
}

void fail(std::string what) { block->fail(std::move(what)); }

unsigned char* shared_memory() { return cuda::memory; }

std::size_t shared_bytes() { return block->shared_bytes(); }

void meet_block() { block->meet_block(); }

void* meet_warp(const char* operation, const void* mine, std::size_t bytes, void (*combine)(void* all)) {
  return block->meet_warp(operation, mine, bytes, combine);
}

}  // namespace octile::emulated
