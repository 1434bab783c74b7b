// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/error.hpp>
#include <octile/solve.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

// Memory, events and streams that the native solver keeps from call to call.
namespace octile::cuda {

inline void require_success(cudaError_t status, const char* what) {
  if (status != cudaSuccess) throw Error(std::string("CUDA: ") + what + ": " + cudaGetErrorString(status));
}

template <class T>
using Array = Kokkos::View<T*, Kokkos::LayoutRight, Kokkos::Cuda::memory_space>;

/// Pinned host memory: the device copies from and to it asynchronously.
template <class T>
using PinnedArray = Kokkos::View<T*, Kokkos::LayoutRight, Kokkos::SharedHostPinnedSpace>;

/// Makes `array` at least `length` elements long. Memory that is large enough is kept; a new allocation drops the values.
template <class View>
void grow(const Kokkos::Cuda& space, View& array, const char* name, std::size_t length) {
  if (array.extent(0) >= length) return;
  array = {};
  const std::string label = std::string("octile::") + name;
  if constexpr (std::is_same_v<typename View::memory_space, Kokkos::Cuda::memory_space>) {
    array = View(Kokkos::view_alloc(space, Kokkos::WithoutInitializing, label), length);
  } else {
    array = View(Kokkos::view_alloc(Kokkos::WithoutInitializing, label), length);
  }
}

template <class View>
auto first_of(const View& array, std::size_t count) {
  return Kokkos::subview(array, std::pair<std::size_t, std::size_t>(0, count));
}

/// A point in a stream that the host can wait for.
class Event {
 public:
  Event& operator=(Event&&) = delete;  // neither copied nor moved
  ~Event() {
    if (event_ != nullptr) cudaEventDestroy(event_);
  }

  void record(cudaStream_t stream) {
    if (event_ == nullptr) {
      require_success(cudaEventCreateWithFlags(&event_, cudaEventDisableTiming), "an event");
    }
    require_success(cudaEventRecord(event_, stream), "an event");
  }

  /// Blocks the host until the stream has passed the last recorded point. Returns at once if nothing was recorded.
  void wait() const {
    if (event_ != nullptr) require_success(cudaEventSynchronize(event_), "an event's wait");
  }

  /// Lets another stream wait for it.
  void hold(cudaStream_t stream) const { require_success(cudaStreamWaitEvent(stream, event_), "a stream's wait"); }

 private:
  cudaEvent_t event_ = nullptr;
};

/// Measures the time that the device takes between two points in a stream.
class Stopwatch {
 public:
  Stopwatch& operator=(Stopwatch&&) = delete;  // neither copied nor moved
  ~Stopwatch() {
    for (const cudaEvent_t event : span_) {
      if (event != nullptr) cudaEventDestroy(event);
    }
  }

  void start(cudaStream_t stream) {
    for (cudaEvent_t& event : span_) {
      if (event == nullptr) require_success(cudaEventCreate(&event), "an event");
    }
    require_success(cudaEventRecord(span_[0], stream), "an event");
  }

  void stop(cudaStream_t stream) { require_success(cudaEventRecord(span_[1], stream), "an event"); }

  /// Seconds from the last `start` to its `stop`, which the stream must have passed; 0 if nothing was timed.
  double seconds() const {
    float milliseconds = 0;
    if (span_[0] != nullptr) require_success(cudaEventElapsedTime(&milliseconds, span_[0], span_[1]), "a time");
    return 1e-3 * static_cast<double>(milliseconds);
  }

 private:
  std::array<cudaEvent_t, 2> span_{};
};

/// Streams that fork from the caller's stream and join it again, so that the last pairs of one tier overlap the first of
/// the next. Work stays ordered in the caller's stream and the host does not wait. Where several have blocks to begin, those
/// of an earlier stream come first: without priorities the device would choose, and perhaps begin the longest last. A device has
/// few priorities, so later streams share the lowest, which is that of streams without one. So kernels of the first streams go
/// before what else the caller has queued on the device elsewhere.
class Streams {
 public:
  Streams& operator=(Streams&&) = delete;  // neither copied nor moved
  ~Streams() {
    for (const cudaStream_t stream : streams_) cudaStreamDestroy(stream);
    for (const cudaEvent_t event : events_) cudaEventDestroy(event);
  }

  cudaStream_t operator[](std::size_t k) const { return streams_[k]; }

  /// Has so many streams. To make one takes as long as a small kernel, so this is to be called before a time begins.
  void reserve(std::size_t count) {
    int last = 0;
    int first = 0;  // the highest priority is the lowest number
    if (streams_.size() < count) {
      require_success(cudaDeviceGetStreamPriorityRange(&last, &first), "the priorities of streams");
    }
    while (streams_.size() < count) {
      const int priority = std::min(first + static_cast<int>(streams_.size()), last);
      require_success(cudaStreamCreateWithPriority(&streams_.emplace_back(), cudaStreamNonBlocking, priority),
                      "a stream");
    }
    while (events_.size() < count) {
      require_success(cudaEventCreateWithFlags(&events_.emplace_back(), cudaEventDisableTiming), "an event");
    }
  }

  void fork(cudaStream_t from, std::size_t count) {
    reserve(count);
    forked_.record(from);
    for (std::size_t k = 0; k < count; ++k) forked_.hold(streams_[k]);
  }

  void join(cudaStream_t into, std::size_t count) {
    for (std::size_t k = 0; k < count; ++k) {
      require_success(cudaEventRecord(events_[k], streams_[k]), "an event");
      require_success(cudaStreamWaitEvent(into, events_[k]), "a stream's wait");
    }
  }

 private:
  std::vector<cudaStream_t> streams_;
  std::vector<cudaEvent_t> events_;
  Event forked_;
};

}  // namespace octile::cuda
