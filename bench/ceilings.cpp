// SPDX-License-Identifier: BSD-3-Clause
#include "ceilings.hpp"

#include <octile/portable/iterate/solve.hpp>
#include <octile/portable/xmv/team_scratch.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <type_traits>

#include "ceiling_arithmetic.hpp"
#include "ceiling_memory.hpp"
#include "timed_launch.hpp"

namespace octile::bench {
namespace {

constexpr std::size_t mebibyte = std::size_t(1) << 20;

/// A kernel of ceiling_arithmetic.hpp or ceiling_memory.hpp with its policy.
template <class Policy, class Kernel>
class Launched : public Ceiling {
 public:
  Launched(const Policy& policy, const Kernel& kernel, double amount)
      : policy_(policy), kernel_(kernel), amount_(amount) {}

  double seconds() override { return timed_launch("octile::bench_ceiling", policy_, kernel_); }

  double amount() const override { return amount_; }

  std::string fault() override {
    seconds();
    const auto out = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), kernel_.out);
    const double expected = kernel_.expected();
    for (std::size_t k = 0; k < out.extent(0); ++k) {
      const auto value = static_cast<double>(out(k));
      if (!(std::abs(value - expected) <= 1e-4 * std::abs(expected))) {
        return "wrong answer: " + std::to_string(value) + "; expected is " + std::to_string(expected);
      }
    }
    return {};
  }

 private:
  Policy policy_;
  Kernel kernel_;
  double amount_;
};

template <class Policy, class Kernel>
std::unique_ptr<Ceiling> launched(const Policy& policy, const Kernel& kernel, double amount) {
  return std::make_unique<Launched<Policy, Kernel>>(policy, kernel, amount);
}

/// The ceilings of one execution space.
template <class Space>
struct Measures {
  using Memory = typename Space::memory_space;
  static constexpr bool gpu = portable::fine_grained<Space>;
  /// Independent chains of operations in a thread: enough to hide the latency of one.
  static constexpr int chains = gpu ? 16 : 32;
  using Block = Wide<gpu ? 4 : 1>;
  static constexpr int team = gpu ? 256 : 1;

  bool brief;
  Space space{};

  int rounds(int all) const { return brief ? std::max(all / 64, 16) : all; }
  int threads() const { return space.concurrency() * (gpu ? 1 : 4); }
  int teams() const { return gpu ? 4 * space.concurrency() / team : space.concurrency(); }

  template <class Scalar>
  std::unique_ptr<Ceiling> fma() const {
    const int count = rounds(gpu ? 8192 : 1 << 19);
    return launched(Kokkos::RangePolicy<Space>(space, 0, threads()),
                    MultiplyAdds<Scalar, chains, Memory>(static_cast<std::size_t>(threads()), count),
                    2.0 * chains * count * threads());
  }

  std::unique_ptr<Ceiling> exponentials() const {
    const int count = rounds(gpu ? 2048 : 1 << 14);
    return launched(Kokkos::RangePolicy<Space>(space, 0, threads()),
                    Exponentials<chains, Memory>(static_cast<std::size_t>(threads()), count),
                    1.0 * chains * count * threads());
  }

  /// Reads `bytes` `passes` times, in chunks of a team. Each pass begins `stride` chunks further on.
  std::unique_ptr<Ceiling> read(std::size_t bytes, int chunks, int passes, int stride) const {
    const int chunk = static_cast<int>(bytes / sizeof(Block)) / chunks;
    return launched(Kokkos::TeamPolicy<Space>(space, chunks, team),
                    ReadChunks<Block, Memory>(chunks, chunk, team, passes, stride),
                    static_cast<double>(chunk) * chunks * passes * sizeof(Block));
  }

  std::unique_ptr<Ceiling> memory_read() const {
    const std::size_t bytes = (brief ? 8 : gpu ? 2048 : 256) * mebibyte;
    return read(bytes, gpu ? 8 * teams() : teams(), 1, 0);
  }

  std::unique_ptr<Ceiling> l2_read() const {
    // A host thread keeps its part. On a GPU a multiprocessor's part must change, or its L1 cache would hold it.
    return gpu ? read(16 * mebibyte, space.concurrency() / team, rounds(256), 61)
               : read(static_cast<std::size_t>(teams()) * mebibyte / 4, teams(), rounds(2048), 0);
  }

  std::unique_ptr<Ceiling> memory_copy() const {
    const std::size_t bytes = (brief ? 8 : gpu ? 2048 : 256) * mebibyte;
    const std::size_t count = bytes / sizeof(Block);
    return launched(Kokkos::RangePolicy<Space>(space, 0, count), CopyElements<Block, Memory>(count),
                    2.0 * static_cast<double>(count) * sizeof(Block));
  }

  std::unique_ptr<Ceiling> scratch_read() const {
    const int elements = static_cast<int>((gpu ? 32768 : 16384) / sizeof(Block));
    const int count = rounds(gpu ? 512 : 1 << 15);
    Kokkos::TeamPolicy<Space> policy(space, teams(), team);
    ReadScratch<Block, Memory> kernel(teams(), elements, team, count);
    kernel.total_scratch = kernel.bytes();
    policy.set_scratch_size(0,
                            Kokkos::PerTeam(static_cast<int>(kernel.total_scratch + portable::TeamScratch::alignment)));
    return launched(policy, kernel, static_cast<double>(elements) * count * teams() * sizeof(Block));
  }
};

template <class Space>
void add_ceilings(std::vector<CeilingEntry>& list, bool brief) {
  const std::string space = Space::name();
  const auto add = [&](const char* name, const char* unit, auto make) {
    list.push_back({name, unit, space, [brief, make] { return make(Measures<Space>{brief}); }});
  };
  add("fma/scalar:f32", "FLOP/s", [](const auto& measures) { return measures.template fma<float>(); });
  add("fma/scalar:f64", "FLOP/s", [](const auto& measures) { return measures.template fma<double>(); });
  add("exp/scalar:f32", "evaluations/s", [](const auto& measures) { return measures.exponentials(); });
  add("memory/access:read", "bytes/s", [](const auto& measures) { return measures.memory_read(); });
  add("memory/access:copy", "bytes/s", [](const auto& measures) { return measures.memory_copy(); });
  add("l2/access:read", "bytes/s", [](const auto& measures) { return measures.l2_read(); });
  add("scratch/access:read", "bytes/s", [](const auto& measures) { return measures.scratch_read(); });
}

}  // namespace

std::vector<CeilingEntry> ceilings(bool brief) {
  std::vector<CeilingEntry> list;
  add_ceilings<Kokkos::DefaultExecutionSpace>(list, brief);
  if constexpr (!std::is_same_v<Kokkos::DefaultExecutionSpace, Kokkos::DefaultHostExecutionSpace>) {
    add_ceilings<Kokkos::DefaultHostExecutionSpace>(list, brief);
  }
  return list;
}

}  // namespace octile::bench
