// SPDX-License-Identifier: BSD-3-Clause
// Kernels by small tables of their attributes: the values of their programs, whatever their form and however many records there are.
#include <doctest/doctest.h>

#include <octile/kernels/attribute_tables.hpp>
#include <octile/kernels/lowering.hpp>
#include <octile/kernels/program.hpp>
#include <octile/pairs/attribute_kernel.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "common/graphs.hpp"
#include "common/kernels.hpp"
#include "common/many_records.hpp"
#include "common/tolerances.hpp"

using namespace octile;
using namespace octile::test;

namespace {

using Space = Kokkos::DefaultHostExecutionSpace;
using Kernel = AttributeKernel<Space::memory_space>;

/// By the kernel's whole program.
double by_program(const LoweredKernel& kernel, std::uint32_t a, std::uint32_t b) {
  const RecordPointers labels{kernel.records.data(), kernel.list_begin.data(), kernel.list_values.data(), kernel.slots};
  return run_program<double>(kernel.program.data(), static_cast<int>(kernel.program.size()), labels, a, b);
}

/// Checks values of records from all over the set, and returns what they come from.
AttributeTables checked(const std::vector<Graph>& graphs, const std::string& text) {
  CAPTURE(text);
  const LoweredKernel kernel = lower(graphs, Expression::parse(text), LabelSite::vertex);
  AttributeTables tables(kernel);
  const Kernel by_tables(Space(), kernel, tables);
  const auto count = static_cast<std::uint32_t>(kernel.record_count);
  for (std::uint32_t k = 0; k < 40; ++k) {
    const std::uint32_t a = k * 7919U % count;
    for (std::uint32_t l = 0; l < 40; ++l) {
      const std::uint32_t b = l < 20 ? l * 104729U % count : (a + l - 20) % count;
      const double value = by_tables.evaluate(a, b);
      CHECK(value == doctest::Approx(by_program(kernel, a, b)).epsilon(1e-14));
      CHECK(value == by_tables.evaluate(b, a));
    }
  }
  return tables;
}

}  // namespace

TEST_CASE("solvers that follow one another share their tables") {
  const LoweredKernel kernel = lower(large_graphs(), Expression::parse("delta(kind,0.4)"), LabelSite::vertex);
  SharedTables shared;
  const auto first = tables_of(&shared, kernel);
  CHECK(first.get() == tables_of(&shared, kernel).get());
  CHECK(first.get() != tables_of(nullptr, kernel).get());
}

TEST_CASE("kernels of every kind have the values of their programs") {
  for (const KernelCase& one : kernel_cases()) checked(large_graphs(), one.vertex);
}

TEST_CASE("tables take the place of a program where attributes have few values, whatever joins them") {
  const std::vector<Graph> graphs = graphs_of_many_records(2400, 30);
  REQUIRE(lower(graphs, Expression::parse(many_records_kernel), LabelSite::vertex).record_count > UINT16_MAX);
  for (const std::string& text :
       {std::string(many_records_kernel),
        std::string("normalize(2*delta(a0,0.2)+3*delta(a1,0.3)*gaussian(x,1)+delta(a2,0.1))"),
        std::string("delta(a0,0.2)*(0.5*delta(a1,0.3)*delta(a2,0.2)*delta(a3,0.5)*gaussian(x,2)+0.5*delta(a4,0.3)*"
                    "delta(x,0.1))"),
        std::string("power(delta(a0,0.2)*gaussian(x,3),2)*delta(a1,0.7)*normalize(1+dot(x))")}) {
    const AttributeTables tables = checked(graphs, text);
    CHECK(tables.columns == tables.steps.size());
    CHECK(tables.program.empty());
    CHECK(tables.steps.size() < 6);
  }
}

TEST_CASE("what has too many values stays a piece of the program") {
  const std::vector<Graph> graphs = graphs_of_many_records(300, 30);
  const AttributeTables one = checked(graphs, "delta(a0,0.2)*delta(a1,0.5)*delta(id,0.5)");
  CHECK(one.description() == "1 table and 1 piece of the program");
  CHECK(checked(graphs, "delta(id,0.5)").description() == "1 piece of the program");
  CHECK(checked(graphs, "delta(a0,0.5)").description() == "1 table");
  CHECK(checked(graphs, "power(0.5*delta(id,0.5)+0.5*gaussian(id,100),2)*delta(a0,0.5)").description() ==
        "1 table and 1 piece of the program");
  checked(graphs, "0.5*delta(id,0.2)+0.5*delta(a0,0.3)");
  checked(graphs, "normalize(delta(id,0.2)+delta(a0,0.3)*delta(a1,0.5)+tanimoto(tags))*delta(a2,0.5)");
  // Two sums of which neither has a table.
  checked(graphs, "(0.5*delta(id,0.2)+0.5*delta(a0,0.3))*(0.3*delta(a1,0.2)+0.7*gaussian(id,100))");
}
