// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <string>

namespace octile::app {

/// Throws `OutputError` unless a file can be created in the folder of `path`, and
/// `path` does not exist or is a regular file. Leaves nothing behind. Call it before
/// long work.
void check_output(const std::string& path);

/// Writes `path` completely or not at all. `write` gets the name of a temporary file in
/// the same folder. It is flushed to the disk and renamed after `write` returns,
/// and removed if anything fails. Throws `OutputError`.
void write_output(const std::string& path, const std::function<void(const std::string& temporary)>& write);

/// `write_output` of a text.
void write_text(const std::string& path, const std::string& text);

}  // namespace octile::app
