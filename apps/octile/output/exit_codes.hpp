// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <string_view>

namespace octile::app {

/// How the program ends. docs/command_line.md repeats the table below for readers.
enum ExitCode : int {
  exit_success = 0,
  exit_input = 1,
  exit_usage = 2,
  exit_unconverged = 3,
  exit_output = 4,
  exit_disagreement = 5,
  exit_internal = 70,
  exit_interrupted = 130,
};

struct ExitMeaning {
  ExitCode code;
  std::string_view meaning;
};

/// The one table of exit codes, printed at the foot of `octile --help`.
inline constexpr std::array exit_meanings = {
    ExitMeaning{exit_success, "done; every pair converged, and in octile verify none is out of tolerance"},
    ExitMeaning{exit_input,
                "an input was refused: a file, a line, a graph, a label; nothing was written; in octile verify a row "
                "was not solved, or time sufficed for no value"},
    ExitMeaning{exit_usage, "the command line was refused; nothing was written"},
    ExitMeaning{exit_unconverged, "done and written, but some pairs did not converge; they are listed"},
    ExitMeaning{exit_output, "the output could not be written; with --resume, what is done is kept"},
    ExitMeaning{exit_disagreement,
                "octile verify, octile audit: a value is out of tolerance, or a check failed; it is listed"},
    ExitMeaning{exit_internal,
                "a fault of the program or its machine, such as no GPU for a build with CUDA, or out of memory"},
    ExitMeaning{
        exit_interrupted,
        "interrupted (Ctrl-C, SIGTERM or SIGHUP); nothing was written, or all, or what is done is kept, as the message "
        "says"},
};

}  // namespace octile::app
