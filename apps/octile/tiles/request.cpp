// SPDX-License-Identifier: BSD-3-Clause
#include "tiles/request.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <octile/backends.hpp>
#include <octile/lowerings.hpp>
#include <octile/orders.hpp>
#include <octile/version.hpp>

#include "output/checksum.hpp"
#include "output/failures.hpp"
#include "readers/text.hpp"

namespace octile::app {
namespace {

void add_value(Checksum& sum, const std::string& text) { sum.add(std::string_view(text)); }
void add_value(Checksum& sum, double number) { sum.add(std::span(&number, 1)); }
void add_value(Checksum& sum, std::int64_t number) { sum.add(static_cast<std::uint64_t>(number)); }

template <class Value>
void add_value(Checksum& sum, const std::vector<Value>& list) {
  sum.add(list.size());
  for (const Value& value : list) add_value(sum, value);
}

void add_labels(Checksum& sum, const LabelColumns& columns) {
  sum.add(columns.size());
  for (const auto& [name, column] : columns) {
    add_value(sum, name);
    sum.add(column.index());
    std::visit([&sum](const auto& values) { add_value(sum, values); }, column);
  }
}

std::string checksum_of(std::span<const Graph> graphs) {
  Checksum sum;
  for (const Graph& graph : graphs) {
    add_value(sum, graph.name());
    sum.add(static_cast<std::uint64_t>(graph.vertex_count()));
    sum.add(graph.edge_count());
    for (const Edge& edge : graph.edges()) {
      sum.add(static_cast<std::uint64_t>(edge.i)).add(static_cast<std::uint64_t>(edge.j));
      add_value(sum, edge.weight);
    }
    add_labels(sum, graph.vertex_labels());
    add_labels(sum, graph.edge_labels());
    sum.add(graph.starting_probability());
    for (const auto& [name, value] : graph.targets()) {
      add_value(sum, name);
      add_value(sum, value);
    }
  }
  return sum.text();
}

}  // namespace

nlohmann::json identity_of(const MatrixRequest& request) {
  const GramOptions& options = request.options;
  const KernelSpec& kernel = *request.kernel;
  nlohmann::json identity;
  identity["version"] = OCTILE_VERSION_STRING;
  identity["graphs of the rows"] = checksum_of(request.graphs.first(request.rows));
  identity["number of rows"] = request.rows;
  identity["number of columns"] = request.columns();
  if (!request.symmetric()) identity["graphs of the columns"] = checksum_of(request.graphs.subspan(request.rows));
  identity["--vertex"] = kernel.vertex.text();
  identity["--edge"] = kernel.edge.text();
  identity["--stopping"] = kernel.stopping.to_string();
  identity["--lmin"] = kernel.shortest_walk;
  identity["--start"] = request.start;
  identity["--normalize"] = options.normalize;
  identity["--errors"] = request.errors;
  identity["--out-precision"] = scalar_name(request.written);
  identity["--backend"] = backend_name(options.backend);
  identity["--primitive"] = options.primitive.name();
  identity["--lowering"] = lowering_name(options.lowering);
  identity["--order"] = reorder::find_order(options.order).name;
  identity["--precision"] = options.precision ? scalar_name(*options.precision) : "auto";
  identity["--accuracy"] = options.accuracy ? options.accuracy->to_string() : "none";
  identity["--tolerance"] = options.accuracy ? nlohmann::json("none") : nlohmann::json(options.solve.tolerance);
  identity["--max-iterations"] = options.solve.max_iterations;
  identity["--no-refine"] = !options.refine;
  // As it will be read again: bytes that are no UTF-8 are replaced.
  return nlohmann::json::parse(identity.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
}

std::string choice_of(const SolveFacts& facts) {
  constexpr std::string_view separator = "; ";
  constexpr std::string_view prediction = ", predicted ";
  std::string choice;
  for (std::string_view rest = facts.description; !rest.empty();) {
    const std::size_t end = std::min(rest.find(separator), rest.size());
    if (!rest.starts_with("the set takes")) choice.append(rest.substr(0, end)).append(separator);
    rest.remove_prefix(std::min(end + separator.size(), rest.size()));
  }
  for (std::size_t at = choice.find(prediction); at != std::string::npos; at = choice.find(prediction)) {
    choice.erase(at, choice.find_first_of(",;", at + prediction.size()) - at);
  }
  return fmt::format("{}order {}", choice, reorder::find_order(facts.order.id).name);
}

void add_prepared(nlohmann::json& identity, std::size_t edge, const SolveFacts& facts) {
  identity[edge_key] = edge;
  identity[choice_key] = choice_of(facts);
}

void require_same(const nlohmann::json& before, const nlohmann::json& now, const std::string& file,
                  const std::string& allowed) {
  std::set<std::string> keys;
  // Numbers before checksums, which say less.
  const auto shown = [](const nlohmann::json& document, const std::string& key) {
    if (!document.contains(key)) return std::string("not given");
    const nlohmann::json& value = document.at(key);
    return shortened(printable(value.is_string() ? value.get<std::string>() : value.dump()),
                     key == choice_key ? 400 : 80);
  };
  for (const auto& [key, value] : before.items()) keys.insert(key);
  for (const auto& [key, value] : now.items()) keys.insert(key);
  const auto refuse = [&](const std::string& key) {
    const std::string message = fmt::format("{}: is of another request: {} was {}, and is {} now; allowed is {}", file,
                                            key, shown(before, key), shown(now, key), allowed);
    if (key.starts_with("--")) throw UsageError(message);
    throw Error(message);
  };
  for (const std::string first : {"version", "number of rows", "number of columns"}) keys.erase(first);
  const auto check = [&](const std::string& key) {
    if (before.value(key, nlohmann::json()) != now.value(key, nlohmann::json())) refuse(key);
  };
  for (const std::string first : {"version", "number of rows", "number of columns"}) check(first);
  for (const std::string& key : keys) check(key);
}

void require_same_so_far(const nlohmann::json& before, nlohmann::json now, const std::string& file,
                         const std::string& allowed) {
  for (const char* const key : known_when_prepared) {
    if (!now.contains(key) && before.contains(key)) now[key] = before[key];
  }
  require_same(before, now, file, allowed);
}

}  // namespace octile::app
