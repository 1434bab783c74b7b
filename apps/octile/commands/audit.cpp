// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cstddef>
#include <iterator>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <octile/accuracy.hpp>
#include <octile/error.hpp>
#include <octile/problem.hpp>
#include <octile/start.hpp>

#include "commands/commands.hpp"
#include "commands/kokkos_scope.hpp"
#include "commands/load.hpp"
#include "commands/order_arguments.hpp"
#include "commands/read_arguments.hpp"
#include "output/failures.hpp"
#include "output/matrix_names.hpp"
#include "output/stored_matrix.hpp"
#include "readers/structure_attributes.hpp"
#include "readers/text.hpp"
#include "readers/unify_labels.hpp"
#include "tiles/request.hpp"
#include "verify/audit.hpp"

namespace octile::app {
namespace {

struct AuditArguments {
  std::string matrix;
  std::vector<std::string> inputs;
  std::vector<std::string> columns;
  std::string errors;
  ReadArguments reading;
  AuditSample sample;
  bool strict = false;
  bool quiet = false;
};

/// What K.json or K.h5 says that was asked for.
struct AskedFor {
  KernelSpec kernel;
  Start start;
  bool normalized;
  double allowed;
  bool proven;
};

AskedFor asked_for(const StoredMatrix& matrix) {
  const nlohmann::json& names = matrix.names();
  try {
    const nlohmann::json& kernel = names.at("kernel");
    // One by one: where a part of nested braces throws, GCC 12 destroys those before it twice.
    Expression vertex = Expression::parse(kernel.at("vertex").get<std::string>());
    Expression edge = Expression::parse(kernel.at("edge").get<std::string>());
    const Stopping stopping = Stopping::parse(kernel.at("stopping").get<std::string>());
    const Start start = Start::parse(names.at("start").get<std::string>());
    const bool normalized = names.at("normalized").get<bool>();
    const nlohmann::json& shortest_walk = names.at("lmin");
    if (shortest_walk != 0 && shortest_walk != 1) {
      throw Error(fmt::format("\"lmin\" is {}; allowed is 0 or 1", in_quotes(shortest_walk.dump())));
    }
    AskedFor asked{{std::move(vertex), std::move(edge), stopping}, start, normalized, 0, false};
    asked.kernel.shortest_walk = shortest_walk == 1 ? 1 : 0;
    // What stops on an estimate or a residual has no proof: ten times of it is taken for an agreement, as octile verify does.
    constexpr double unproven = 10;
    if (names.contains("accuracy")) {
      const Accuracy accuracy = Accuracy::parse(names.at("accuracy").get<std::string>());
      asked.proven = accuracy.kind == Accuracy::Kind::certified;
      asked.allowed = asked.proven ? accuracy.value : unproven * accuracy.value;
    } else {
      asked.allowed = unproven * names.at("tolerance").get<double>();
    }
    return asked;
  } catch (const nlohmann::json::exception&) {
    throw Error(fmt::format("{}: does not say what was asked for; allowed is what octile gram writes beside a matrix",
                            names_path(matrix.path())));
  } catch (const Error& error) {
    throw Error(fmt::format("{}: {}", names_path(matrix.path()), error.what()));
  }
}

/// Whether the graphs are as many, and have as many vertices and edges, as K.json says of `axis`; nothing where it does not say.
std::optional<std::string> difference_in(const nlohmann::json& names, const char* axis, std::span<const Graph> graphs) {
  const auto described = names.find(axis);
  if (described == names.end() || !described->is_object()) return std::nullopt;
  nlohmann::json vertices = nlohmann::json::array();
  nlohmann::json edges = nlohmann::json::array();
  for (const Graph& graph : graphs) {
    vertices.push_back(graph.vertex_count());
    edges.push_back(graph.edge_count());
  }
  for (const auto& [key, now] : {std::pair("vertices", &vertices), std::pair("edges", &edges)}) {
    const auto before = described->find(key);
    if (before != described->end() && *before != *now)
      return fmt::format("their {} are others than when it was written", key);
  }
  return std::nullopt;
}

/// Whether the graphs fit the matrix by number and sizes, for a K.json that does not say what its values depend on.
AuditFinding check_sizes(const StoredMatrix& matrix, std::span<const Graph> graphs, std::size_t rows) {
  const std::size_t columns = rows == graphs.size() ? rows : graphs.size() - rows;
  if (matrix.rows() != rows || matrix.columns() != columns) {
    return {"graphs",
            fmt::format("{} has {} rows and {} columns; the graphs that are given make {} and {}",
                        printable(matrix.path()), matrix.rows(), matrix.columns(), rows, columns),
            AuditVerdict::wrong};
  }
  for (const auto& [axis, some] : {std::pair("rows", graphs.first(rows)), std::pair("columns", graphs.subspan(rows))}) {
    if (const auto difference = difference_in(matrix.names(), axis, some))
      return {"graphs", *difference, AuditVerdict::wrong};
  }
  return {"graphs",
          fmt::format("{}: no checksum of them was written with it; only their number and sizes are the same",
                      counted(graphs.size(), "graph")),
          AuditVerdict::not_checked};
}

/// The graphs are those that the values are said to be of.
AuditFinding check_graphs(const StoredMatrix& matrix, const AskedFor& asked, std::span<const Graph> graphs,
                          std::size_t rows) {
  if (!matrix.names().contains("identity")) return check_sizes(matrix, graphs, rows);
  const MatrixRequest request{graphs, rows, &asked.kernel, asked.start.to_string(), {}, false};
  const nlohmann::json now = identity_of(request);
  const nlohmann::json& before = matrix.identity();
  for (const char* const key : {"number of rows", "number of columns", "graphs of the rows", "graphs of the columns"}) {
    const nlohmann::json was = before.value(key, nlohmann::json());
    const nlohmann::json is = now.value(key, nlohmann::json());
    if (was != is) {
      return {"graphs", fmt::format("{}: {} when it was written, {} now", key, was.dump(), is.dump()),
              AuditVerdict::wrong};
    }
  }
  return {"graphs", fmt::format("{}: the same as when it was written", counted(graphs.size(), "graph")),
          AuditVerdict::good};
}

std::string_view word_of(AuditVerdict verdict) {
  switch (verdict) {
    case AuditVerdict::good: return "good";
    case AuditVerdict::wrong: return "WRONG";
    case AuditVerdict::not_checked: return "not checked";
  }
  return "";
}

ExitCode print_verdict(const AuditArguments& arguments, const std::vector<AuditFinding>& findings) {
  std::size_t bad = 0;
  std::string missing;
  ExitCode code = exit_success;
  for (const AuditFinding& finding : findings) {
    const bool not_checked = finding.verdict == AuditVerdict::not_checked;
    if (not_checked) missing += fmt::format("{}{}", missing.empty() ? "; not checked: " : ", ", finding.check);
    const bool wrong = finding.verdict == AuditVerdict::wrong;
    if (wrong) ++bad;
    // A wrong value says more than a pair that did not converge.
    if ((wrong || (not_checked && arguments.strict)) && code != exit_disagreement) code = finding.code;
    if (!arguments.quiet || finding.verdict != AuditVerdict::good) {
      fmt::print("{:<12} {:<11} {}\n", finding.check, word_of(finding.verdict), finding.words);
    }
  }
  fmt::print("{}: {}{}\n", printable(arguments.matrix),
             bad == 0 ? "nothing wrong was found" : fmt::format("{} found something wrong", counted(bad, "check")),
             missing);
  return code;
}

ExitCode run_audit(const AuditArguments& arguments) {
  if (!arguments.errors.empty() && (is_hdf5(arguments.matrix) || is_hdf5(arguments.errors))) {
    throw UsageError(
        fmt::format("--errors {}: a file of HDF5 has the bounds of its values within; allowed is E.npy for K.npy",
                    arguments.errors));
  }
  const StoredMatrix values(arguments.matrix);
  const AskedFor asked = asked_for(values);
  if (values.names().contains("identity")) values.identity();  // or an error, before the work
  std::optional<StoredMatrix> errors = values.bounds();
  if (!arguments.errors.empty()) errors.emplace(arguments.errors, values);
  std::vector<std::string> inputs = arguments.inputs;
  std::ranges::copy(arguments.columns, std::back_inserter(inputs));
  arguments.reading.rule_for(inputs);
  const ReadOptions reading = arguments.reading.options_for(inputs);
  const KokkosScope kokkos(0);
  std::vector<Graph> graphs = load_graphs(arguments.inputs, reading, arguments.quiet).graphs;
  const std::size_t rows = graphs.size();
  if (!arguments.columns.empty()) {
    std::ranges::move(load_graphs(arguments.columns, reading, arguments.quiet).graphs, std::back_inserter(graphs));
    unify_labels(graphs);
  }
  add_structure_attributes(graphs, asked.kernel.vertex);
  asked.start.apply_to(graphs, asked.kernel.stopping);

  std::vector<AuditFinding> findings{check_graphs(values, asked, graphs, rows)};
  const bool comparable = findings.front().verdict != AuditVerdict::wrong;
  if (comparable) findings.push_back(check_checksums(values, errors ? &*errors : nullptr));
  // Values of other graphs say nothing, nor do those that cannot be read: HDF5 reads no chunk that is damaged.
  if (comparable && (findings.back().verdict != AuditVerdict::wrong || values.hdf5() == nullptr)) {
    if (const auto bounds = check_bounds(values, errors ? &*errors : nullptr)) findings.push_back(*bounds);
    findings.push_back(check_convergence(values));
    const AuditedMatrix matrix{
        &values, errors ? &*errors : nullptr, graphs, &asked.kernel, asked.normalized, asked.allowed, asked.proven};
    if (matrix.symmetric()) {
      findings.push_back(check_symmetry(matrix, arguments.sample));
      findings.push_back(check_diagonal(matrix));
    }
    findings.push_back(check_values(matrix, arguments.sample));
    if (matrix.symmetric()) findings.push_back(check_eigenvalues(matrix, arguments.sample));
  }
  return print_verdict(arguments, findings);
}

}  // namespace

void add_audit_command(CLI::App& program, ExitCode& exit_code) {
  CLI::App* command =
      program.add_subcommand("audit", "Look whether a matrix that was written is that of its graphs, by samples");
  const auto arguments = std::make_shared<AuditArguments>();
  command
      ->add_option("MATRIX", arguments->matrix, "What octile gram --out wrote: K.npy with its names beside it, or K.h5")
      ->required();
  command
      ->add_option("--columns", arguments->columns,
                   "The graphs of the columns, if the matrix was written with --columns")
      ->type_name("LIBRARY");
  command
      ->add_option("--errors", arguments->errors, "The bounds that were written with it: values have to keep to them")
      ->type_name("E.npy");
  add_number(*command, "--pairs", arguments->sample.pairs, "Random pairs that the reference solves", positive_number);
  add_number(*command, "--seed", arguments->sample.seed, "Seed of the samples; equal seeds give equal samples");
  arguments->reading.add_with_inputs_to(*command, arguments->inputs);
  command->add_flag("--strict", arguments->strict, "What cannot be checked counts as wrong (code 5)");
  command->add_flag("--quiet", arguments->quiet, "The verdict, and what is wrong or not checked");
  command->callback([arguments, &exit_code] { exit_code = run_audit(*arguments); });
}

}  // namespace octile::app
