// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "readers/formats.hpp"
#include "readers/read_ahead.hpp"
#include "readers/table_file.hpp"
#include "readers/target.hpp"
#include "readers/text.hpp"
#include "readers/text_file.hpp"

namespace octile::app {
namespace {

class MoleculeTable {
 public:
  MoleculeTable(const std::string& path, char separator, const ReadOptions& options)
      : file_(path, separator),
        base_(file_name(path)),
        parse_(molecule_parser(options.max_vertices, options.molecules)) {
    const Columns& columns = options.columns;
    if (!file_.next(names_))
      throw Error(fmt::format("{}: is empty; expected are the names of its columns", shown(path)));
    for (std::string& name : names_) name = std::string(trimmed(name));
    smiles_ = columns.smiles.empty() ? smiles_column() : column(columns.smiles, "--smiles-column");
    if (!columns.name.empty()) name_ = column(columns.name, "--name-column");
    for (const std::string& target : columns.targets) targets_.emplace(target, column(target, "--target-column"));
  }

  std::optional<ReadGraph> next() {
    return ahead_.next([this] { return read(); }, [](const Record& record) { return record.bytes; },
                       [this](const Record& record) { return graph_of(record); });
  }

 private:
  struct Record {
    std::vector<std::string> fields;
    std::string place;
    std::string default_name;
    std::size_t line = 0;
    std::size_t bytes = 0;
  };

  std::optional<Record> read() {
    Record record;
    if (!file_.next(record.fields)) return std::nullopt;
    for (const std::string& field : record.fields) record.bytes += field.size();
    record.place = file_.place();
    record.line = file_.line_number();
    record.default_name = fmt::format("{}:{}", base_, record.line);
    return record;
  }

  ReadGraph graph_of(const Record& record) const {
    try {
      return {parsed(record), record.line};
    } catch (const Error& error) {
      throw RefusedGraph(fmt::format("{}: {}", record.place, error.what()));
    }
  }

  Graph parsed(const Record& record) const;
  std::size_t column(const std::string& name, std::string_view option) const;
  std::size_t smiles_column() const;
  std::string all_names() const { return fmt::format("'{}'", fmt::join(names_, "', '")); }

  TableFile file_;
  std::string base_;
  MoleculeParser parse_;
  std::vector<std::string> names_;  ///< of the columns
  std::size_t smiles_ = 0;
  std::optional<std::size_t> name_;
  std::map<std::string, std::size_t> targets_;
  ReadAhead<Record> ahead_;
};

std::size_t MoleculeTable::column(const std::string& name, std::string_view option) const {
  const auto found = std::ranges::find(names_, name);
  if (found == names_.end()) {
    throw Error(
        fmt::format("{}: {}: there is no column '{}'; allowed are {}", file_.place(), option, name, all_names()));
  }
  if (std::count(names_.begin(), names_.end(), name) > 1) {
    throw Error(fmt::format("{}: {}: '{}' is the name of several columns; allowed is that of one", file_.place(),
                            option, name));
  }
  return static_cast<std::size_t>(found - names_.begin());
}

std::size_t MoleculeTable::smiles_column() const {
  const auto is_smiles = [](const std::string& name) { return lower_case(name) == "smiles"; };
  const auto found = std::ranges::find_if(names_, is_smiles);
  if (found == names_.end() || std::find_if(found + 1, names_.end(), is_smiles) != names_.end()) {
    throw Error(fmt::format("{}: {} called 'smiles'; --smiles-column says which of {} is meant", file_.place(),
                            found == names_.end() ? "no column is" : "several columns are", all_names()));
  }
  return static_cast<std::size_t>(found - names_.begin());
}

Graph MoleculeTable::parsed(const Record& record) const {
  const std::vector<std::string>& fields = record.fields;
  if (fields.size() != names_.size()) {
    throw Error(
        fmt::format("has {}; allowed are {}, as in the first line", counted(fields.size(), "field"), names_.size()));
  }
  const std::string_view name = name_ ? trimmed(fields[*name_]) : std::string_view();
  Graph graph = parse_(std::string(trimmed(fields[smiles_])), name.empty() ? record.default_name : std::string(name));
  std::map<std::string, double> targets;
  for (const auto& [target, place] : targets_) {
    if (const auto value = target_value(target, fields[place])) targets.emplace(target, *value);
  }
  graph.set_targets(std::move(targets));
  return graph;
}

}  // namespace

GraphReader molecule_table_reader(const std::string& path, char separator, const ReadOptions& options) {
  const auto table = std::make_shared<MoleculeTable>(path, separator, options);
  return [table] { return table->next(); };
}

}  // namespace octile::app
