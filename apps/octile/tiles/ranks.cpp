// SPDX-License-Identifier: BSD-3-Clause
#include "tiles/ranks.hpp"

#include <array>
#include <cstdlib>
#include <string>
#include <utility>

#include <fmt/format.h>

#include <octile/batch_runner.hpp>

#include "output/failures.hpp"

namespace octile::app {

Ranks::Ranks(std::size_t processes) : connection_(join_by_mpi()) {
  if (processes <= 1) return;
  if (connection_) {
    throw UsageError(fmt::format("--devices: allowed without {}, whose processes take a GPU each", launch().launcher));
  }
  connection_ = begin_local(processes);
}

template <class Call>
auto Ranks::timed(const Call& call) {
  const Clock::time_point start = Clock::now();
  auto result = call();
  waited_seconds_ += seconds_since(start);
  return result;
}

std::string Ranks::broadcast(const std::string& text) {
  return timed([&] { return connection_ ? connection_->broadcast(text) : text; });
}

std::vector<std::string> Ranks::gather(const std::string& text) {
  if (!first()) {
    send(text);
    return {};
  }
  return timed([&] {
    std::vector<std::string> texts(size());
    texts.front() = text;
    for (std::size_t k = 1; k < texts.size(); ++k) {
      RankMessage message = *receive(true);
      texts[message.rank] = std::move(message.text);
    }
    return texts;
  });
}

std::size_t Ranks::claim() {
  return timed([this] { return connection_ ? connection_->claim() : next_++; });
}

void Ranks::send(const std::string& text) {
  if (connection_) connection_->send(text);
}

void Ranks::deliver() {
  if (connection_) connection_->deliver();
}

std::optional<RankMessage> Ranks::receive(bool wait) { return connection_ ? connection_->receive(wait) : std::nullopt; }

Launch launch() {
  // The variables of Open MPI, of MPICH and its relatives, of Slurm with PMI-2, and of Slurm itself, which sets its own
  // for each `srun`.
  constexpr std::array sizes = {std::pair("OMPI_COMM_WORLD_SIZE", "mpirun"), std::pair("PMI_SIZE", "a launcher of PMI"),
                                std::pair("MPI_LOCALNRANKS", "mpirun"), std::pair("SLURM_STEP_NUM_TASKS", "srun")};
  // By one of these a process that MPI does not know yet finds the others.
  constexpr std::array meetings = {"OMPI_COMM_WORLD_SIZE", "PMI_RANK", "PMI_FD", "PMI_SIZE",
                                   "MPI_LOCALNRANKS",      "PMIX_RANK"};
  Launch found;
  for (const char* const name : meetings) found.can_meet = found.can_meet || std::getenv(name) != nullptr;
  for (const auto& [name, launcher] : sizes) {
    const char* const text = std::getenv(name);
    if (text == nullptr) continue;
    found.launcher = launcher;
    found.several = std::string(text) != "1";
    found.counted = true;
    return found;
  }
  // A launcher of PMIx says the number of processes to those alone that ask by its library.
  if (std::getenv("PMIX_RANK") != nullptr) {
    found.launcher = "a launcher of PMIx";
    found.several = true;
  }
  return found;
}

}  // namespace octile::app
