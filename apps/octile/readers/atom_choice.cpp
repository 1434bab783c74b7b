// SPDX-License-Identifier: BSD-3-Clause
#include "readers/atom_choice.hpp"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include <octile/error.hpp>

#include "readers/text.hpp"

namespace octile::app {
namespace {

/// The words between commas. Throws `Error` for one that is empty or has a blank.
std::vector<std::string> choice_words(std::string_view text, std::string_view allowed) {
  std::vector<std::string> words;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const std::string_view word = trimmed(text.substr(begin, end - begin));
    begin = end + 1;
    if (word.empty() || word.find_first_of(" \t") != std::string_view::npos) {
      throw Error(fmt::format("{}: allowed are {}", in_quotes(text), allowed));
    }
    words.emplace_back(word);
  }
  return words;
}

/// Takes a whole number from the front of a text; nothing if none stands there.
std::optional<int> take_integer(std::string_view& text) {
  int value = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (fault != std::errc()) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return value;
}

/// The first and last number of "10", "10-50" or "-5--1"; nothing for any other text.
std::optional<std::pair<int, int>> number_range(std::string_view text) {
  const std::optional<int> first = take_integer(text);
  if (!first) return std::nullopt;
  if (text.empty()) return std::pair(*first, *first);
  if (text.front() != '-') return std::nullopt;
  text.remove_prefix(1);
  const std::optional<int> last = take_integer(text);
  if (!last || !text.empty() || *last < *first) return std::nullopt;
  return std::pair(*first, *last);
}

bool has(const std::vector<std::string>& names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

}  // namespace

void AtomChoice::set_chains(std::string_view text) {
  chains_ = choice_words(text, "names of chains, such as A or A,B");
  chains_text_ = text;
}

void AtomChoice::set_residues(std::string_view text) {
  constexpr std::string_view allowed =
      "names of residues, and their numbers or ranges of them from the lower to the higher, such as ALA,GLY or 10-50";
  residue_names_.clear();
  residue_numbers_.clear();
  for (std::string& word : choice_words(text, allowed)) {
    if (const auto range = number_range(word)) {
      residue_numbers_.push_back({range->first, range->second});
    } else if (word.find('-') == std::string::npos) {
      residue_names_.push_back(std::move(word));
    } else {
      throw Error(fmt::format("{}: allowed are {}", in_quotes(word), allowed));
    }
  }
  residues_text_ = text;
}

void AtomChoice::set_atoms(std::string_view text) {
  atoms_ = choice_words(text, "names of atoms, such as CA or N,CA,C,O");
  atoms_text_ = text;
}

void AtomChoice::set_model(std::string_view text) {
  std::string_view rest = text;
  const std::optional<int> number = take_integer(rest);
  if (!number || !rest.empty() || *number < 1) {
    throw Error(fmt::format("{}: allowed is a whole number, 1 for the first model of a file", in_quotes(text)));
  }
  model_ = static_cast<std::size_t>(*number);
  model_text_ = text;
}

bool AtomChoice::takes_chain(std::string_view name) const { return chains_.empty() || has(chains_, name); }

bool AtomChoice::takes_residue(std::string_view name, std::optional<int> number) const {
  if (residues_text_.empty() || names_residue(name)) return true;
  return number && std::ranges::any_of(residue_numbers_, [number](const Range& range) {
           return range.first <= *number && *number <= range.last;
         });
}

bool AtomChoice::names_residue(std::string_view name) const { return has(residue_names_, name); }

bool AtomChoice::takes_atom(std::string_view name, bool is_carbon) const {
  return atoms_.empty() || (has(atoms_, name) && (is_carbon || name != "CA"));
}

std::string AtomChoice::text() const {
  std::string all;
  for (const auto& [option, value] : {std::pair("--chain", &chains_text_), std::pair("--residues", &residues_text_),
                                      std::pair("--atoms", &atoms_text_), std::pair("--model", &model_text_)}) {
    if (!value->empty()) all += fmt::format("{}{} {}", all.empty() ? "" : " ", option, *value);
  }
  return all;
}

}  // namespace octile::app
