// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <charconv>
#include <limits>
#include <memory>
#include <system_error>

#include <fmt/format.h>

#include "readers/atoms.hpp"
#include "readers/formats.hpp"
#include "readers/text.hpp"
#include "readers/text_file.hpp"
#include "readers/xyz_comment.hpp"

namespace octile::app {
namespace {

/// Reads consecutive frames:
///
///     number of atoms
///     comment
///     ELEMENT X Y Z ...     one line an atom
class XyzFrames {
 public:
  XyzFrames(const std::string& path, const SpatialRule& rule) : file_(path), base_(file_name(path)), rule_(rule) {}

  std::optional<ReadGraph> next() {
    // Blank lines may stand between frames.
    do {
      if (!file_.next(line_)) return std::nullopt;
    } while (trimmed(line_).empty());
    ++frame_;
    const std::size_t atoms = read_count();
    const std::string start = file_.place();
    const std::size_t line = file_.line_number();
    return ReadGraph{read_frame(atoms, start), line};
  }

 private:
  std::size_t read_count() const;
  Graph read_frame(std::size_t atom_count, const std::string& start);
  void add_atom(const XyzComment& comment, Atoms& atoms) const;

  TextFile file_;
  std::string base_;
  SpatialRule rule_;
  std::string line_;
  std::size_t frame_ = 0;
};

/// The first `count` words of a line.
std::vector<std::string_view> first_words(std::string_view line, std::size_t count) {
  std::vector<std::string_view> words;
  for (line = trimmed(line); !line.empty() && words.size() < count; line = trimmed(line)) {
    words.push_back(line.substr(0, line.find_first_of(" \t")));
    line.remove_prefix(words.back().size());
  }
  return words;
}

std::size_t XyzFrames::read_count() const {
  const std::string_view text = trimmed(line_);
  std::int32_t count = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), count);
  if (fault == std::errc() && end == text.data() + text.size() && count >= 0) return static_cast<std::size_t>(count);
  // The beginning of the next frame is unknown, so reading cannot go on after this frame.
  throw Error(fmt::format("{}: {} is no number of atoms, with which frame {} should begin; allowed is 1 to {}",
                          file_.place(), in_quotes(text), frame_, std::numeric_limits<std::int32_t>::max()));
}

void XyzFrames::add_atom(const XyzComment& comment, Atoms& atoms) const {
  const std::size_t columns = std::max(comment.element + 1, comment.coordinates + 3);
  const std::vector<std::string_view> words = first_words(line_, columns);
  if (words.size() < columns) {
    throw Error(fmt::format("{} has {}; allowed are {} or more, among them the element and x, y, z", in_quotes(line_),
                            counted(words.size(), "column"), columns));
  }
  const std::optional<int> number = atomic_number_of(words[comment.element]);
  if (!number) {
    throw Error(fmt::format("{} is no element; allowed is a symbol, such as C or Cl, or an atomic number",
                            in_quotes(words[comment.element])));
  }
  Place place = {};
  for (std::size_t axis = 0; axis < place.size(); ++axis) {
    const std::string_view word = words[comment.coordinates + axis];
    const std::optional<double> value = finite_number(word);
    if (!value) {
      throw Error(fmt::format("{} is no coordinate {}; allowed is a finite number in Å", in_quotes(word), "xyz"[axis]));
    }
    place[axis] = *value;
  }
  atoms.add(*number, place);
}

Graph XyzFrames::read_frame(std::size_t atom_count, const std::string& start) {
  // All lines of a refused frame are read, so that the next frame is found. The first reason is reported at the end.
  std::string refused;
  const auto attempt = [&](const std::string& place, const auto& work) {
    try {
      if (refused.empty()) work();
    } catch (const Error& error) {
      refused = fmt::format("{}: frame {} of {}: {}", place, frame_, counted(atom_count, "atom"), error.what());
    }
  };
  const auto next_line = [&](std::size_t done) {
    if (file_.next(line_)) return;
    throw Error(refused.empty() ? fmt::format("{}: the file ends in frame {}, after {} of its {}", file_.place(),
                                              frame_, done, counted(atom_count, "atom"))
                                : refused);
  };
  next_line(0);
  XyzComment comment;
  attempt(file_.place(), [&] { comment = parse_xyz_comment(line_); });
  Atoms atoms;
  atoms.cell = comment.cell;
  for (std::size_t k = 0; k < atom_count; ++k) {
    next_line(k);
    attempt(file_.place(), [&] { add_atom(comment, atoms); });
  }
  const std::string name = comment.name.empty() ? fmt::format("{}:{}", base_, frame_) : comment.name;
  std::optional<Graph> graph;
  attempt(start, [&] { graph = graph_of_atoms(name, atoms, rule_); });
  if (graph) graph->set_targets(comment.targets);
  if (!graph) throw RefusedGraph(refused);
  return *std::move(graph);
}

}  // namespace

GraphReader xyz_reader(const std::string& path, const ReadOptions& options) {
  const auto frames = std::make_shared<XyzFrames>(path, options.rule);
  return [frames] { return frames->next(); };
}

}  // namespace octile::app
