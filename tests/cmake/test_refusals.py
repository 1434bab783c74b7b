# SPDX-License-Identifier: BSD-3-Clause
"""What cannot be meant does not compile, and the compiler's first error is a sentence that says why.

Programs are compiled against an installation, none is linked or run. See packages.py for the environment.
"""
import concurrent.futures
import os
import re
import sys
import tempfile
import unittest

import packages
from packages import Installation

# Where nothing on this machine can read: an execution space of the host has no access to it.
COMMON = """#include <octile/base_kernels.hpp>
#include <octile/solve_graphs.hpp>

struct Elsewhere {
  using memory_space = Elsewhere;
  using execution_space = Kokkos::DefaultHostExecutionSpace;
  using device_type = Kokkos::Device<execution_space, Elsewhere>;
  using size_type = std::size_t;
  static constexpr const char* name() { return "Elsewhere"; }
};

using Space = Kokkos::DefaultExecutionSpace;
using Memory = Space::memory_space;
template <class Data>
using Here = Kokkos::View<Data, Memory>;
template <class Data>
using There = Kokkos::View<Data, Elsewhere, Kokkos::MemoryUnmanaged>;
using Prepared = octile::PreparedGraphs<double, int, float, Memory>;

struct OfStrings {
  template <class T>
  T evaluate(const char*, const char*) const { return T(1); }
};
"""

# What is given to a solve where nothing else is said.
GIVEN = {"handle": "octile::SolveHandle<Space>", "graphs": "Prepared", "pairs": "octile::Symmetric", "values": "Here<double**>",
         "results": "octile::NotGiven", "solutions": "octile::NotGiven", "vertex": "octile::KroneckerDelta",
         "edge": "octile::SquareExponential", "start": "octile::NotGiven", "columns": ""}


def solve(**given):
    """A program that solves what is given."""
    of = {**GIVEN, **given}
    columns = f"const {of['columns']}& columns, " if of["columns"] else ""
    return (f"void use(const Space& space, {of['handle']}& handle, const {of['graphs']}& graphs, {columns}const {of['pairs']}& pairs,\n"
            f"         const octile::TypedKernel<{of['vertex']}, {of['edge']}, {of['start']}>& kernel,\n"
            f"         const octile::Outputs<{of['values']}, {of['results']}, {of['solutions']}>& outputs) {{\n"
            f"  octile::solve(space, handle, graphs, {'columns, ' if columns else ''}pairs, kernel, outputs);\n}}\n")


def batch(offsets="Here<int*>", columns="Here<int*>", weights="Here<double*>"):
    """A program that prepares a batch."""
    return (f"void use(const Space& space, const {offsets}& offsets, const {columns}& columns, const {weights}& weights) {{\n"
            "  octile::prepare(space, octile::GraphBatch(offsets, Here<int*>(), columns).weights(weights), {1, 1, 1, 1});\n}\n")


RIGHT = {
    "symmetric": solve(),
    "all that can be given": solve(values="Kokkos::View<float**, Kokkos::LayoutStride, Memory>", results="Here<octile::PairResult*>",
                                   solutions="octile::Nodewise<Here<float*>, Here<const long*>>", start="Here<const float*>"),
    "a list": solve(pairs="octile::PairList<Here<const octile::Pair*>>", values="Here<double*>"),
    "two sets": solve(columns="Prepared", pairs="octile::AllPairs"),
    "a batch": batch("Here<const long*>", "Here<short*>", "Here<const float*>"),
    "where each begins": "void use(const Space& space, const Prepared& graphs, const Here<int*>& begin) {\n"
                         "  octile::nodewise_begin(space, graphs, octile::Symmetric(), begin);\n}\n",
    "where each of two sets begins": "void use(const Space& space, const Prepared& graphs, const Here<long*>& begin) {\n"
                                     "  octile::nodewise_begin(space, graphs, graphs, octile::AllPairs(), begin);\n}\n",
}

OUTPUTS = "the output Views must lie where the execution space writes: take a View of its memory space, and copy"
WRONG = {
    "values elsewhere": (solve(values="There<double**>"), OUTPUTS),
    "results elsewhere": (solve(results="There<octile::PairResult*>"), OUTPUTS),
    "x elsewhere": (solve(solutions="octile::Nodewise<There<double*>, Here<int*>>"), OUTPUTS),
    "vertices by graphs elsewhere": (solve(solutions="octile::VerticesByGraphs<There<double**>>"), OUTPUTS),
    "places to begin elsewhere": (solve(solutions="octile::Nodewise<Here<double*>, There<int*>>"),
                                  "the places to begin must lie where the execution space reads: copy them to its memory space"),
    "pairs elsewhere": (solve(pairs="octile::PairList<There<octile::Pair*>>", values="Here<double*>"),
                        "the pairs must lie where the execution space reads: copy them to its memory space"),
    "starting probabilities elsewhere": (solve(start="There<double*>"),
                                         "the starting probabilities must lie where the execution space reads: copy them to its "
                                         "memory space"),
    "two sets, values elsewhere": (solve(columns="Prepared", pairs="octile::AllPairs", values="There<double**>"), OUTPUTS),
    "a batch elsewhere": (batch("There<int*>"), "the batch's Views must be readable where the graphs are prepared: copy them there, or "
                                                "prepare on the host"),
    "weights elsewhere": (batch(weights="There<double*>"), "the batch's Views must be readable where the graphs are prepared: copy them "
                                                           "there, or prepare on the host"),
    "graphs elsewhere": (solve(graphs="octile::PreparedGraphs<double, int, float, Elsewhere>"),
                         "the graphs lie in another memory space: prepare them on an instance of this execution space"),
    "graphs elsewhere that are assigned": ("void use(const Space& space, octile::PreparedGraphs<double, octile::NoLabel, octile::NoLabel, "
                                           "Elsewhere>& graphs, const octile::GraphBatch<Here<int*>, Here<int*>, Here<int*>>& batch) {\n"
                                           "  graphs.assign(space, batch);\n}\n",
                                           "the graphs lie where this execution space has no access: assign on one of the space they "
                                           "were prepared on"),
    "places to begin of graphs elsewhere": ("void use(const Space& space, const octile::PreparedGraphs<double, int, float, Elsewhere>& "
                                            "graphs, const Here<int*>& begin) {\n"
                                            "  octile::nodewise_begin(space, graphs, octile::Symmetric(), begin);\n}\n",
                                            "the graphs lie in another memory space: count on an instance of the space they were "
                                            "prepared on"),
    "offsets of numbers": (batch(offsets="Here<double*>"), "offsets and columns are Views of integers"),
    "values that are const": (solve(values="Here<const double**>"), "the output Views are written: take Views of what is not const"),
    "values of integers": (solve(values="Here<int**>"), "values and solutions are Views of float or double"),
    "values of a list for a matrix": (solve(values="Here<double*>"),
                                      "values are of rank 2 for a matrix or rectangle, 1 for a list or diagonal"),
    "vertices by graphs of a list": (solve(pairs="octile::PairList<Here<octile::Pair*>>", values="Here<double*>",
                                           solutions="octile::VerticesByGraphs<Here<double**>>"),
                                     "vertices by graphs are a matrix, of Symmetric, Rectangle or AllPairs"),
    "results of numbers": (solve(results="Here<double*>"), "the results are a View of rank 1 of octile::PairResult"),
    "a vector for values": (solve(values="std::vector<double>"), "an output is a Kokkos::View, or octile::NotGiven()"),
    "another precision": (solve(handle="octile::SolveHandle<Space, float>"),
                          "handle and graphs differ in precision: SolveHandle<Space, float> goes with prepare<float>"),
    "pairs of two sets of one": (solve(pairs="octile::AllPairs"),
                                 "pairs of one set are Symmetric, Diagonal, a Rectangle or a PairList"),
    "pairs of one set of two": (solve(columns="Prepared"), "pairs of two sets are AllPairs or a PairList"),
    "a vertex kernel of strings": (solve(vertex="OfStrings"), "the vertex kernel has no evaluate<T>(label, label)"),
    "an edge kernel of strings": (solve(edge="OfStrings"), "the edge kernel has no evaluate<T>(label, label)"),
    "a handle of another space": (solve(handle="octile::SolveHandle<Kokkos::Serial>"),
                                  "the handle is of another execution space: take a SolveHandle of the type of `space`"),
}


@unittest.skipIf(packages.HAS_CUDA, "with CUDA these headers are nvcc's to compile, and take minutes")
class Refusals(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.work = cls.enterClassContext(tempfile.TemporaryDirectory())
        cls.common = os.path.join(cls.work, "common.hpp")
        packages.write(cls.common, COMMON)
        code, output = packages.run(packages.COMPILER, *Installation.compile_flags(), "-x", "c++-header", cls.common, "-o",
                                    cls.common + ".gch")
        if code:
            raise AssertionError(output)

    def compiled(self, name, program):
        """(exit code, errors) of a program."""
        source = os.path.join(self.work, name.replace(" ", "_") + ".cpp")
        packages.write(source, program)
        code, output = packages.run(packages.COMPILER, *Installation.compile_flags(), "-include", self.common, "-fsyntax-only", source)
        return code, re.findall(r"error: (.*)", output)

    def all_compiled(self, programs):
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            return dict(zip(programs, pool.map(self.compiled, programs, programs.values())))

    def test_what_is_right_compiles(self):
        for name, (code, errors) in self.all_compiled(RIGHT).items():
            with self.subTest(program=name):
                self.assertEqual((code, errors), (0, []))

    def test_what_is_wrong_is_told_in_a_sentence(self):
        results = self.all_compiled({name: program for name, (program, _) in WRONG.items()})
        for name, (_, sentence) in WRONG.items():
            code, errors = results[name]
            with self.subTest(program=name):
                self.assertNotEqual(code, 0)
                self.assertEqual(errors[:1], ["static assertion failed: " + sentence])
                # Nothing that the reader has to look through.
                self.assertLessEqual(len(errors), 2, errors)


if __name__ == "__main__":
    if not packages.BUILD:
        print("skipped: OCTILE_BUILD names no build tree")
        sys.exit(77)
    unittest.main(verbosity=2)
