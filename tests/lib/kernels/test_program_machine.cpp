// SPDX-License-Identifier: BSD-3-Clause
#include <octile/kernels/program.hpp>

#include <csignal>
#include <vector>

#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

using octile::Instruction;

namespace {

double run(const std::vector<Instruction>& program) {
  return octile::detail::run_postfix<double>(
      program.data(), static_cast<int>(program.size()),
      [](const Instruction& instruction) { return instruction.parameter; }, [](int) { return 7.0; },
      [](const Instruction& instruction, double base) { return base + instruction.parameter; });
}

Instruction of(Instruction::Code code, double parameter = 0, int count = 0) {
  Instruction instruction;
  instruction.code = code;
  instruction.parameter = parameter;
  instruction.count = count;
  return instruction;
}

}  // namespace

TEST_CASE("each code does its own, and what stands inside another is passed over") {
  using enum Instruction::Code;
  CHECK(run({of(constant, 2), of(leaf, 3), of(multiply)}) == 6);
  CHECK(run({of(list_leaf, 2), of(scale, 3), of(add)}) == 5);
  CHECK(run({of(constant, 2), of(power, 3)}) == 5);
  CHECK(run({of(convolution, 0, 1), of(leaf, 3), of(constant, 2), of(multiply)}) == 14);
  CHECK(run({of(normalize, 0, 2), of(leaf, 3), of(leaf, 4), of(constant, 2), of(multiply)}) == 14);
}

TEST_CASE("an instruction of no code aborts, and has no value") {
  const pid_t child = ::fork();
  if (child == 0) {
    ::close(STDERR_FILENO);
    std::signal(SIGABRT, SIG_DFL);
    const double value = run({of(static_cast<Instruction::Code>(99), 2)});
    ::_exit(value == 2 ? 2 : 3);
  }
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  CHECK(WIFSIGNALED(status));
  CHECK(WTERMSIG(status) == SIGABRT);
}
