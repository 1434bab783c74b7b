// SPDX-License-Identifier: BSD-3-Clause
#include "output/temporaries.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <csignal>
#include <cstddef>
#include <cstdint>

#include <fmt/format.h>
#include <sys/random.h>
#include <unistd.h>

namespace octile::app {
namespace {

constexpr std::size_t longest_name = 255;

enum class State : int { free, reserved, listed };

/// A signal's handler must neither allocate nor lock, so the list has fixed slots, and a state that says which of them it may read.
struct Slot {
  std::atomic<State> state = State::free;
  int folder = -1;
  std::array<char, longest_name + 1> name = {};
};

std::array<Slot, 16>& slots() {
  static std::array<Slot, 16> all;
  return all;
}

std::atomic<bool>& written() {
  static std::atomic<bool> is = false;
  return is;
}

std::atomic<bool>& kept() {
  static std::atomic<bool> is = false;
  return is;
}

/// Whoever changes it from `idle` first has its way.
enum class Phase : int { idle, renaming, ending };

std::atomic<Phase>& phase() {
  static std::atomic<Phase> is = Phase::idle;
  return is;
}

std::atomic<int>& postponed() {
  static std::atomic<int> signal = 0;
  return signal;
}

static_assert(std::atomic<Phase>::is_always_lock_free && std::atomic<int>::is_always_lock_free);
static_assert(std::atomic<State>::is_always_lock_free && std::atomic<bool>::is_always_lock_free);

}  // namespace

std::string random_name() {
  std::uint64_t number = 0;
  if (::getrandom(&number, sizeof number, 0) != sizeof number) {
    number = static_cast<std::uint64_t>(::getpid()) ^ reinterpret_cast<std::uintptr_t>(&number);
  }
  return fmt::format(".octile.{:016x}.tmp", number);
}

ListedTemporary::ListedTemporary(int folder, const std::string& name) {
  if (name.size() > longest_name) return;
  for (std::size_t k = 0; k < slots().size(); ++k) {
    Slot& slot = slots()[k];
    State expected = State::free;
    if (!slot.state.compare_exchange_strong(expected, State::reserved)) continue;
    slot.folder = folder;
    *std::ranges::copy(name, slot.name.begin()).out = '\0';
    slot.state = State::listed;
    place_ = static_cast<int>(k);
    return;
  }
}

ListedTemporary::~ListedTemporary() {
  if (place_ >= 0) slots()[static_cast<std::size_t>(place_)].state = State::free;
}

void remove_temporaries() {
  for (const Slot& slot : slots()) {
    if (slot.state == State::listed) ::unlinkat(slot.folder, slot.name.data(), 0);
  }
}

Renaming::Renaming() {
  Phase expected = Phase::idle;
  // Otherwise another thread is ending the program.
  while (!phase().compare_exchange_strong(expected, Phase::renaming)) {
    ::pause();
    expected = Phase::idle;
  }
}

Renaming::~Renaming() {
  phase() = Phase::idle;
  if (const int signal = postponed().exchange(0); signal != 0) std::raise(signal);
}

bool may_end(int signal) {
  for (;;) {
    Phase expected = Phase::idle;
    if (phase().compare_exchange_strong(expected, Phase::ending)) return true;
    if (expected == Phase::ending) return false;
    postponed() = signal;
    // If the renaming has ended meanwhile, and not seen that, it is for this call to end the program.
    if (phase() == Phase::renaming || postponed().exchange(0) == 0) return false;
  }
}

void say_unfinished_is_kept() { kept() = true; }

bool unfinished_is_kept() { return kept(); }

void say_outputs_are_written() { written() = true; }

bool outputs_are_written() { return written(); }

}  // namespace octile::app
