// SPDX-License-Identifier: BSD-3-Clause
#include "expressions.hpp"
#include "graphs.hpp"
#include "prepared.hpp"
#include "runtime.hpp"

#include <nanobind/nanobind.h>

#include <octile/error.hpp>
#include <octile/version.hpp>

namespace nb = nanobind;

NB_MODULE(_core, module) {
  using octile::python::Runtime;
  module.doc() = "What the package octile has in C++: graphs of arrays, base kernels, prepared sets and their solves.";
  module.attr("version") = OCTILE_VERSION_STRING;
  // By the name under which users find it.
  nb::exception<octile::Error>(module, "Error", PyExc_ValueError).attr("__module__") = "octile";
  octile::python::bind_graphs(module);
  octile::python::bind_expressions(module);
  octile::python::bind_prepared(module);
  // A thread that starts Kokkos holds the settings. It needs no GIL for that, but others do.
  module.def(
      "set_threads", [](int threads) { Runtime::instance().set_threads(threads); }, nb::arg("threads"),
      nb::call_guard<nb::gil_scoped_release>());
  module.def(
      "threads", [] { return Runtime::instance().threads(); }, nb::call_guard<nb::gil_scoped_release>());
  // Before Python takes its objects down, and after all that users have registered.
  nb::module_::import_("atexit").attr("register")(nb::cpp_function([] {
    const nb::gil_scoped_release release;
    Runtime::instance().finish();
  }));
}
