// SPDX-License-Identifier: BSD-3-Clause
#include "expressions.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <octile/error.hpp>
#include <octile/expression.hpp>
#include <octile/kernels/leaf_table.hpp>
#include <octile/parameters.hpp>
#include <octile/problem.hpp>
#include <octile/stopping.hpp>

#include <string>
#include <utility>
#include <vector>

namespace nb = nanobind;

namespace octile::python {
namespace {

using Kind = Expression::Kind;

/// A node as a tuple: ("constant", number), ("leaf", name, attribute, numbers), ("convolution", attribute, child),
/// ("power", child, exponent), ("normalize", child), or ("product" | "sum", children).
nb::tuple to_tuple(const Expression::Node& node) {
  nb::list children;
  for (const Expression::Node& child : node.children) children.append(to_tuple(child));
  switch (node.kind) {
    case Kind::constant: return nb::make_tuple("constant", node.parameters[0]);
    case Kind::leaf: return nb::make_tuple("leaf", std::string(node.leaf->name), node.attribute, node.parameters);
    case Kind::list_leaf:
      return nb::make_tuple("leaf", std::string(node.list_leaf->name), node.attribute, node.parameters);
    case Kind::power: return nb::make_tuple("power", children[0], node.parameters[0]);
    case Kind::normalize: return nb::make_tuple("normalize", children[0]);
    case Kind::convolution: return nb::make_tuple("convolution", node.attribute, children[0]);
    case Kind::product: return nb::make_tuple("product", children);
    case Kind::sum: break;
  }
  return nb::make_tuple("sum", children);
}

/// One dictionary a leaf kernel, with its parameters.
nb::list leaves() {
  nb::list all;
  for (const LeafRow& row : leaf_table()) {
    nb::list parameters;
    for (const LeafParameter& parameter : row.parameters) {
      nb::dict entry;
      entry["name"] = std::string(parameter.name);
      entry["low"] = parameter.low;
      entry["high"] = parameter.high;
      entry["allowed"] = parameter.allowed();
      entry["learnt"] = parameter.differentiable();
      entry["standard"] = parameter.standard ? nb::cast(*parameter.standard) : nb::none();
      parameters.append(entry);
    }
    nb::dict leaf;
    leaf["name"] = std::string(row.name);
    leaf["parameters"] = parameters;
    leaf["usage"] = row.usage();
    leaf["equation"] = std::string(row.equation);
    all.append(leaf);
  }
  for (const ListLeafRow& row : list_leaf_table()) {
    nb::dict leaf;
    leaf["name"] = std::string(row.name);
    leaf["parameters"] = nb::list();
    leaf["usage"] = std::string(row.name) + "(attribute)";
    leaf["equation"] = std::string(row.equation);
    all.append(leaf);
  }
  return all;
}

KernelSpec make_spec(const std::string& vertex, const std::string& edge, const std::string& stopping,
                     int shortest_walk) {
  if (shortest_walk != 0 && shortest_walk != 1) {
    throw Error("lmin is " + std::to_string(shortest_walk) + "; allowed are 0 and 1");
  }
  KernelSpec spec{Expression::parse(vertex), Expression::parse(edge), Stopping::parse(stopping), shortest_walk};
  spec.vertex.require_vertex_kernel();
  spec.edge.require_edge_kernel();
  return spec;
}

}  // namespace

void bind_expressions(nb::module_& module) {
  module.def("parse", [](const std::string& text) { return to_tuple(Expression::parse(text).root()); });
  module.def("leaves", leaves);
  module.def("parse_stopping", [](const std::string& text) {
    const Stopping stopping = Stopping::parse(text);
    return nb::make_tuple(stopping.meaning() == StoppingMeaning::weight ? "weight" : "probability", stopping.q());
  });
  nb::class_<KernelSpec>(module, "KernelSpec")
      .def_static("make", make_spec, nb::arg("vertex"), nb::arg("edge"), nb::arg("stopping"), nb::arg("shortest_walk"))
      .def_prop_ro("parameters", [](const KernelSpec& self) {
        std::vector<std::string> names;
        for (const Parameter& parameter : parameters(self)) names.push_back(parameter.name);
        return names;
      });
}

}  // namespace octile::python
