// SPDX-License-Identifier: BSD-3-Clause
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <exception>
#include <new>
#include <string>
#include <string_view>
#include <system_error>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <octile/version.hpp>

#include "commands/commands.hpp"
#include "interrupt.hpp"
#include "last_words.hpp"
#include "output/failures.hpp"
#include "output/message.hpp"
#include "output/temporaries.hpp"
#include "readers/text.hpp"

namespace octile::app {
namespace {

std::string exit_code_table() {
  std::string table = "Exit codes:\n";
  for (const ExitMeaning& row : exit_meanings) {
    table += fmt::format("  {:>3}  {}\n", static_cast<int>(row.code), row.meaning);
  }
  return table;
}

ExitCode fail(ExitCode code, std::string_view what) {
  // Messages of libraries, and names of files in ours, may have further lines.
  say(fmt::format("octile: {}{}\n", printable(trimmed(what)), outputs_are_written() ? after_all_is_written : ""));
  return code;
}

/// Refuses a missing or unknown command, since CLI11 would say only that a command is required.
void check_command(const CLI::App& program, int argc, char** argv) {
  std::string known;
  for (const CLI::App* command : program.get_subcommands(nullptr)) {
    known += fmt::format("{}{}", known.empty() ? "" : ", ", command->get_name());
    if (argc > 1 && command->get_name() == argv[1]) return;
  }
  if (argc < 2) throw UsageError(fmt::format("a command is missing; allowed are {} (octile --help says more)", known));
  if (argv[1][0] != '-') throw UsageError(fmt::format("{} is no command; allowed are {}", in_quotes(argv[1]), known));
}

/// Refuses an empty value of any option. It would count as if the option were not there, where a script meant to give a value.
void refuse_empty_values(CLI::App& program) {
  for (CLI::App* command : program.get_subcommands(nullptr)) {
    for (CLI::Option* option : command->get_options()) {
      option->check([](const std::string& value) { return std::string(value.empty() ? "a value is missing" : ""); });
    }
  }
}

ExitCode run(int argc, char** argv) {
  CLI::App program{"Octile: marginalized graph kernels on CPUs and GPUs"};
  ExitCode exit_code = exit_success;
  program.set_version_flag("--version", fmt::format("octile {}", OCTILE_VERSION_STRING));
  program.require_subcommand(1);
  program.footer(exit_code_table());
  add_gram_command(program, exit_code);
  add_merge_command(program, exit_code);
  add_audit_command(program, exit_code);
  add_info_command(program, exit_code);
  add_convert_command(program, exit_code);
  add_nodes_command(program, exit_code);
  add_backends_command(program, exit_code);
  add_kernels_command(program, exit_code);
  add_reorder_command(program, exit_code);
  add_verify_command(program, exit_code);
  refuse_empty_values(program);
  check_command(program, argc, argv);
  try {
    program.parse(argc, argv);
  } catch (const CLI::Success& help) {
    program.exit(help);
  } catch (const CLI::ParseError& error) {
    const auto chosen = program.get_subcommands();
    return fail(exit_usage, fmt::format("{} (octile {}--help says what is allowed)", error.what(),
                                        chosen.empty() ? "" : chosen.front()->get_name() + " "));
  }
  return exit_code;
}

ExitCode fail_output(int code) {
  if (code == EPIPE) {
    // Whoever read it has gone, such as `head`, which had enough: the program ends as others do then.
    std::signal(SIGPIPE, SIG_DFL);
    std::raise(SIGPIPE);
  }
  return fail(exit_output, fmt::format("standard output cannot be written: {}", std::strerror(code)));
}

/// Flushes stdout. Output that is lost, for example on a full disk, is a failure too.
ExitCode flushed(ExitCode code) {
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return code;
  return fail_output(errno);
}

ExitCode guarded(int argc, char** argv) {
  try {
    return flushed(run(argc, argv));
  } catch (const UsageError& error) {
    return fail(exit_usage, error.what());
  } catch (const OutputError& error) {
    return fail(exit_output, error.what());
  } catch (const StartError& error) {
    return fail(exit_internal, error.what());
  } catch (const Error& error) {
    return fail(exit_input, error.what());
  } catch (const std::bad_alloc&) {
    return fail(exit_internal, "out of memory");
  } catch (const std::system_error& error) {
    // fmt::print throws if stdout cannot be written.
    if (std::ferror(stdout) != 0) return fail_output(error.code().value());
    return fail(exit_internal, fmt::format("internal error: {}", error.what()));
  } catch (const std::exception& error) {
    return fail(exit_internal, fmt::format("internal error: {}", error.what()));
  }
}

}  // namespace
}  // namespace octile::app

int main(int argc, char** argv) {
  octile::app::keep_streams_apart();
  octile::app::leave_last_words();
  octile::app::catch_interrupts();
  const int code = octile::app::guarded(argc, argv);
  octile::app::end_is_meant();
  return code;
}
