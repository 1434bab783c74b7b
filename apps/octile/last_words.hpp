// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace octile::app {

/// Makes the streams of the program safe to use: none of the descriptors 0 to 2 is free for a file to get, where what is said to a
/// closed stream would be written into that file. A reader that goes away and a file that grows too large are errors of the write,
/// not signals that end the program.
void keep_streams_apart();

/// From now on a failure that no code can catch ends the program with one line and the code exit_internal, and removes temporary
/// files: memory that a thread lacks, a thread that cannot start, a library that calls `exit`, a crash.
void leave_last_words();

/// The program ends as it is meant to: `exit` is no failure any more.
void end_is_meant();

}  // namespace octile::app
