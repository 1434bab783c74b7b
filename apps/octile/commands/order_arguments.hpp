// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include <CLI/CLI.hpp>

namespace octile::app {

/// Throws `UsageError`, which lists the names, if there is no such order.
void check_order(const std::string& name);

/// Throws `UsageError` unless the number of host threads is allowed: 0 is for all cores.
void check_threads(int threads);

/// A CLI11 validator: what is wrong with an option's text, "" for a whole number. CLI11 itself takes -1, and numbers
/// that are too large, for 2^64 - 1, and 010 for 8.
std::string whole_number(const std::string& text);
/// A CLI11 validator: what is wrong with an option's text, "" for a whole number above 0.
std::string positive_number(const std::string& text);

/// An option for a number, which `check` validates. Help shows its default.
template <class Number>
void add_number(CLI::App& command, const std::string& name, Number& value, const std::string& help,
                std::string (*check)(const std::string&) = whole_number) {
  command.add_option(name, value, help)->type_name("N")->check(check)->capture_default_str();
}

}  // namespace octile::app
