// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>

namespace octile::app {

/// A name for a temporary file, `.octile.….tmp`, that no other run can guess, nor have by chance.
std::string random_name();

/// A file that is there only while outputs are written, listed so that a signal's handler can remove it. At most 16 are listed
/// at a time; one beyond that, or with a longer name than 255 bytes, is not removed by `remove_temporaries`.
class ListedTemporary {
 public:
  /// The file of this name in the open folder.
  ListedTemporary(int folder, const std::string& name);
  ListedTemporary& operator=(ListedTemporary&&) = delete;  // neither copied nor moved
  /// Takes it off the list.
  ~ListedTemporary();

 private:
  int place_ = -1;
};

/// Removes all that are listed. May be called by a signal's handler.
void remove_temporaries();

/// During its lifetime outputs are renamed, and no signal's handler ends the program in between: neither on this thread nor on
/// another, to which the system may give a signal. One that came is raised again at the end.
class Renaming {
 public:
  Renaming();
  Renaming& operator=(Renaming&&) = delete;  // neither copied nor moved
  ~Renaming();
};

/// Whether a signal's handler may end the program now; then nothing is renamed any more. If not, the signal is raised again later.
bool may_end(int signal);

/// Says that what this run has done is kept for the next one.
void say_unfinished_is_kept();
/// Whether what this run has done is kept for the next one. May be called by a signal's handler.
bool unfinished_is_kept();

/// Says that outputs of this run have replaced older ones.
void say_outputs_are_written();
/// Whether outputs of this run have replaced older ones. May be called by a signal's handler.
bool outputs_are_written();
/// What a message of a failure ends with once outputs have replaced older ones.
inline constexpr std::string_view after_all_is_written = " (after the outputs were written)";

}  // namespace octile::app
