// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <string>

namespace octile::app {

/// Throws `OutputError` unless a file can be made in the folder of `path`, and
/// `path` is free or a regular file. Leaves nothing behind: to be called before
/// long work, not after.
void check_output(const std::string& path);

/// Makes `path` whole or not at all: `write` gets the name of a temporary file in
/// the same folder, which is flushed to the disk and renamed once `write` returns,
/// and removed where anything fails. Throws `OutputError`.
void write_output(const std::string& path, const std::function<void(const std::string& temporary)>& write);

/// `write_output` of a text.
void write_text(const std::string& path, const std::string& text);

}  // namespace octile::app
