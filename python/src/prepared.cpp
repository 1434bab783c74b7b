// SPDX-License-Identifier: BSD-3-Clause
#include "prepared.hpp"

#include "arrays.hpp"
#include "graphs.hpp"
#include "runtime.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <octile/accuracy.hpp>
#include <octile/backends.hpp>
#include <octile/error.hpp>
#include <octile/gram_operator.hpp>
#include <octile/interruption.hpp>
#include <octile/pairs/sameness.hpp>
#include <octile/prepared_set.hpp>
#include <octile/problem.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace nb = nanobind;

namespace octile::python {
namespace {

/// Asks Python a few times a second whether to go on: after Ctrl-C, or an exception in the caller's own function, it is not to.
/// Used by the thread that solves, which does not hold the GIL.
class Watch {
 public:
  /// `progress` may be None. It must live as long as the watch is on duty.
  void begin(nb::handle progress) {
    progress_ = progress;
    asked_ = Clock::now();
    go_on_ = true;
  }

  bool go_on() { return go_on(nullptr); }
  bool go_on(const Progress& progress) { return go_on(&progress); }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::milliseconds pause{100};

  bool go_on(const Progress* progress) {
    if (!go_on_) return false;
    if (Runtime::instance().finishing()) return go_on_ = false;
    const bool last = progress != nullptr && progress->pairs_done == progress->pairs_total;
    if (!last && Clock::now() - asked_ < pause) return true;
    asked_ = Clock::now();
    const nb::gil_scoped_acquire gil;
    // The exception stays set, and is Python's once the solve has returned.
    if (PyErr_CheckSignals() != 0) return go_on_ = false;
    if (progress == nullptr || progress_.is_none()) return true;
    PyObject* result = PyObject_CallFunction(progress_.ptr(), "nnd", static_cast<Py_ssize_t>(progress->pairs_done),
                                             static_cast<Py_ssize_t>(progress->pairs_total), progress->seconds);
    Py_XDECREF(result);
    return go_on_ = result != nullptr;
  }

  nb::handle progress_;
  Clock::time_point asked_;
  bool go_on_ = true;
};

/// What a set's preparation and its solves share.
struct Prepared {
  std::shared_ptr<Watch> watch;
  std::optional<PreparedSet> set;
};

/// Whether a thread that waits for another one's solve is to go on. Signals reach Python's main thread alone.
bool no_signal() {
  const nb::gil_scoped_acquire gil;
  return PyErr_CheckSignals() == 0;
}

/// Runs `work` without the GIL, alone in Kokkos.
template <class Work>
auto run(Watch& watch, nb::handle progress, const Work& work) {
  std::exception_ptr failure;
  std::optional<decltype(work())> result;
  {
    const Runtime::Visit visit;
    const nb::gil_scoped_release release;
    try {
      const Runtime::Turn turn = Runtime::instance().enter(no_signal);
      watch.begin(progress);
      result.emplace(work());
    } catch (...) {
      failure = std::current_exception();
    }
  }
  // What Python raised, in a signal's handler or in the function of progress, is why the work ended.
  if (PyErr_Occurred() != nullptr) throw nb::python_error();
  try {
    if (failure) std::rethrow_exception(failure);
  } catch (const Interrupted&) {
    throw Error("interrupted, because Python is ending");
  }
  return std::move(*result);
}

std::optional<Precision> parse_precision(const std::string& name) {
  if (name == "auto") return std::nullopt;
  for (const Precision precision : {Precision::float32, Precision::float64}) {
    if (name == scalar_name(precision)) return precision;
  }
  throw Error("precision is '" + name + "'; allowed are 'auto', 'float32' and 'float64'");
}

std::unique_ptr<Prepared> prepare(const std::vector<const SharedGraph*>& graphs, const std::string& backend,
                                  const std::string& accuracy, const std::string& precision) {
  auto made = std::make_unique<Prepared>();
  made->watch = std::make_shared<Watch>();
  GramOptions options;
  options.backend = parse_backend(backend);
  options.accuracy = Accuracy::parse(accuracy);
  options.precision = parse_precision(precision);
  options.on_reorder = [watch = made->watch](std::size_t, std::size_t) { return watch->go_on(); };
  options.on_prepare = [watch = made->watch] { return watch->go_on(); };
  options.on_progress = [watch = made->watch](const Progress& progress) { return watch->go_on(progress); };
  std::vector<Graph> copies;
  copies.reserve(graphs.size());
  for (const SharedGraph* shared : graphs) copies.push_back(*shared->graph);
  run(*made->watch, nb::none(), [&] { return made->set.emplace(std::move(copies), options).size(); });
  return made;
}

Derivatives parse_derivatives(const std::string& name) {
  if (name == "each") return Derivatives::each;
  return name == "weighted" ? Derivatives::weighted : Derivatives::not_asked;
}

std::vector<Pair> to_pairs(const Given<std::int32_t, 2>& given) {
  std::vector<Pair> pairs(given.shape(0));
  for (std::size_t k = 0; k < pairs.size(); ++k) pairs[k] = {given.data()[2 * k], given.data()[2 * k + 1]};
  return pairs;
}

NodeOutput parse_nodes(const std::string& name) {
  if (name == "pairs") return NodeOutput::pairs;
  return name == "first" ? NodeOutput::first : NodeOutput::not_asked;
}

/// The status of each value: the worst of those of its pair and, if values are normalised, of both graphs with themselves.
std::vector<std::int8_t> status_of_values(const SetAnswer& answer, const SetRequest& request, std::size_t graphs) {
  std::vector<Status> own(graphs, Status::converged);
  for (const auto& [graph, result] : answer.own) own[static_cast<std::size_t>(graph)] = result.status;
  const auto each = [&](const auto& work) {
    if (request.pairs) {
      for (std::size_t k = 0; k < answer.results.size(); ++k)
        work(k, (*request.pairs)[k].first, (*request.pairs)[k].second);
      return;
    }
    std::size_t k = 0;
    for (std::int32_t i = 0; i < static_cast<std::int32_t>(graphs); ++i) {
      for (std::int32_t j = i; j < static_cast<std::int32_t>(graphs); ++j) work(k++, i, j);
    }
  };
  if (request.normalize) {
    each([&](std::size_t k, std::int32_t i, std::int32_t j) {
      if (i == j) own[static_cast<std::size_t>(i)] = answer.results[k].status;
    });
  }
  std::vector<std::int8_t> status(answer.results.size());
  each([&](std::size_t k, std::int32_t i, std::int32_t j) {
    const auto worst =
        std::max({answer.results[k].status, own[static_cast<std::size_t>(i)], own[static_cast<std::size_t>(j)]});
    status[k] = static_cast<std::int8_t>(worst);
  });
  return status;
}

/// Derivatives by what graphs hold, graph after graph.
nb::dict to_dict(GraphDerivatives found) {
  nb::dict made;
  made["vertex_begin"] = to_numpy(std::vector<std::int64_t>(found.vertex_begin.begin(), found.vertex_begin.end()));
  made["edge_begin"] = to_numpy(std::vector<std::int64_t>(found.edge_begin.begin(), found.edge_begin.end()));
  made["starting"] = to_numpy(std::move(found.starting));
  made["edge_weights"] = to_numpy(std::move(found.edge_weights));
  made["edge_numbers"] = to_numpy(std::move(found.edge_numbers));
  return made;
}

/// The answer as a dictionary of arrays.
nb::dict to_dict(SetAnswer answer, const SetRequest& request, std::size_t graphs) {
  const Derivatives asked = request.derivatives;
  const std::size_t count = answer.results.size();
  const std::size_t parameters = answer.parameters.size();
  std::vector<std::int8_t> status = status_of_values(answer, request, graphs);
  std::vector<std::int32_t> iterations(count);
  std::vector<double> raw(count);
  for (std::size_t k = 0; k < count; ++k) {
    iterations[k] = answer.results[k].iterations;
    raw[k] = answer.results[k].value;
  }
  std::vector<std::string> names;
  for (const Parameter& parameter : answer.parameters) names.push_back(parameter.name);
  nb::dict made;
  made["values"] = to_numpy(std::move(answer.values));
  made["bounds"] = to_numpy(std::move(answer.error_bounds));
  made["raw"] = to_numpy(std::move(raw));
  made["status"] = to_numpy(std::move(status));
  made["iterations"] = to_numpy(std::move(iterations));
  made["parameters"] = names;
  if (asked == Derivatives::each) made["derivatives"] = to_numpy(std::move(answer.derivatives), {count, parameters});
  if (asked == Derivatives::weighted) made["derivatives"] = to_numpy(std::move(answer.derivatives));
  if (request.by_graphs) made["by_graphs"] = to_dict(std::move(answer.by_graphs));
  made["nodes"] = to_numpy(std::move(answer.nodes));
  made["node_errors"] = to_numpy(std::move(answer.node_errors));
  made["nodes_begin"] = to_numpy(std::vector<std::int64_t>(answer.nodes_begin.begin(), answer.nodes_begin.end()));
  made["refined"] = answer.refined;
  made["setup_seconds"] = answer.setup_seconds;
  made["solve_seconds"] = answer.solve_seconds;
  made["description"] = answer.description;
  return made;
}

nb::dict solve(Prepared& self, const KernelSpec& kernel, const std::optional<Given<std::int32_t, 2>>& pairs,
               bool normalize, const std::string& derivatives, const std::optional<Given<double, 1>>& weights,
               const std::string& nodes, nb::handle progress, const std::optional<std::string>& by_graphs,
               const std::optional<Given<double, 1>>& node_weights) {
  SetRequest request;
  const std::vector<Pair> list = pairs ? to_pairs(*pairs) : std::vector<Pair>();
  if (pairs) request.pairs = list;
  request.normalize = normalize;
  request.derivatives = parse_derivatives(derivatives);
  if (weights) request.weights = {weights->data(), weights->size()};
  request.nodes = parse_nodes(nodes);
  request.by_graphs = by_graphs.has_value();
  if (by_graphs) request.edge_attribute = *by_graphs;
  if (node_weights) request.node_weights = {node_weights->data(), node_weights->size()};
  SetAnswer answer = run(*self.watch, progress, [&] { return self.set->solve(kernel, request); });
  return to_dict(std::move(answer), request, self.set->size());
}

/// The tiles of a Gram matrix, for iterative methods.
struct Tiles {
  std::shared_ptr<Watch> watch;
  std::optional<GramOperator> gram;
};

std::unique_ptr<Tiles> make_tiles(Prepared& prepared, const KernelSpec& kernel, bool normalize, std::size_t tile_size,
                                  const std::string& storage, nb::handle progress) {
  GramOperatorOptions options;
  options.normalize = normalize;
  options.tile_size = tile_size;
  options.storage = parse_precision(storage).value_or(Precision::float64);
  auto made = std::make_unique<Tiles>();
  made->watch = prepared.watch;
  run(*made->watch, progress, [&] { return made->gram.emplace(*prepared.set, kernel, options).kept(); });
  return made;
}

nb::object apply(Tiles& self, const Given<double, 2>& v) {
  const std::size_t columns = v.shape(1);
  std::vector<double> product = run(*self.watch, nb::none(), [&] {
    return self.gram->apply({v.data(), v.size()}, columns);
  });
  return to_numpy(std::move(product), {v.shape(0), columns});
}

nb::object bilinear_derivative(Tiles& self, const Given<double, 2>& left, const Given<double, 2>& right,
                               nb::handle progress) {
  if (left.shape(1) != right.shape(1))
    throw Error("vectors on the left and on the right differ in number; allowed are pairs of them");
  return to_numpy(run(*self.watch, progress, [&] {
    return self.gram->bilinear_derivative({left.data(), left.size()}, {right.data(), right.size()}, left.shape(1));
  }));
}

/// What to warn of before these graphs are solved, or an empty text.
std::string sameness(const std::vector<const SharedGraph*>& graphs, const KernelSpec& kernel) {
  std::vector<const Graph*> all;
  all.reserve(graphs.size());
  for (const SharedGraph* shared : graphs) all.push_back(shared->graph.get());
  return sameness_warning(all, kernel);
}

nb::list backend_list() {
  nb::list all;
  for (const Backend& backend : backends()) {
    all.append(nb::make_tuple(std::string(backend.name), std::string(backend.description), backend.available));
  }
  return all;
}

}  // namespace

void bind_prepared(nb::module_& module) {
  nb::class_<Prepared>(module, "PreparedSet")
      .def_prop_ro("size", [](const Prepared& self) { return self.set->size(); })
      .def("solve", solve, nb::arg("kernel"), nb::arg("pairs").none(), nb::arg("normalize"), nb::arg("derivatives"),
           nb::arg("weights").none(), nb::arg("nodes"), nb::arg("progress").none(), nb::arg("by_graphs") = nb::none(),
           nb::arg("node_weights") = nb::none());
  nb::class_<Tiles>(module, "Tiles")
      .def_static("make", make_tiles, nb::arg("prepared"), nb::arg("kernel"), nb::arg("normalize"),
                  nb::arg("tile_size"), nb::arg("storage"), nb::arg("progress").none(), nb::keep_alive<0, 1>())
      .def_prop_ro("kept", [](const Tiles& self) { return self.gram->kept(); })
      .def_prop_ro("unconverged", [](const Tiles& self) { return self.gram->unconverged(); })
      .def_prop_ro("largest_error", [](const Tiles& self) { return self.gram->largest_error(); })
      .def("diagonal", [](const Tiles& self) { return to_numpy(std::vector<double>(self.gram->diagonal())); })
      .def("apply", apply, nb::arg("v"))
      .def("bilinear_derivative", bilinear_derivative, nb::arg("left"), nb::arg("right"), nb::arg("progress").none());
  module.def("prepare", prepare, nb::arg("graphs"), nb::arg("backend"), nb::arg("accuracy"), nb::arg("precision"));
  module.def("sameness", sameness, nb::arg("graphs"), nb::arg("kernel"));
  module.def("backends", backend_list);
  nb::list statuses;
  for (const Status status : {Status::converged, Status::stagnated, Status::iteration_limit, Status::breakdown}) {
    statuses.append(std::string(status_name(status)));
  }
  module.attr("statuses") = nb::tuple(statuses);
}

}  // namespace octile::python
