#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""cmake/check-layers, on source trees made for the test."""
import graphlib
import pathlib
import runpy
import subprocess
import sys
import tempfile
import unittest

CHECK = pathlib.Path(__file__).parents[2] / "cmake/check-layers"


def check(files):
    """Runs the check on a tree of these files; returns its exit code and its messages."""
    with tempfile.TemporaryDirectory() as folder:
        for name, text in files.items():
            path = pathlib.Path(folder, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        run = subprocess.run([sys.executable, str(CHECK), folder], capture_output=True, text=True, check=False)
        return run.returncode, run.stderr


SOUND = {
    "lib/include/octile/error.hpp": "#pragma once\n#include <stdexcept>\n",
    "lib/include/octile/graph.hpp": "#pragma once\n#include <octile/error.hpp>\n",
    "reorder/octile/orders.hpp": "#include <octile/graph.hpp>\n",
    "backends/octile/plan/costs.hpp": "#include <octile/graph.hpp>\n",
    "backends/octile/portable/solver.hpp": "#include <octile/graph.hpp>\n",
    "backends/octile/cuda/solver.cuh": "#include <octile/plan/costs.hpp>\n",
    "backends/include/octile/gram.hpp": "#include <octile/portable/solver.hpp>\n#include <octile/orders.hpp>\n",
    "apps/octile/readers/text.hpp": "#include <octile/graph.hpp>\n",
    "apps/octile/output/table.hpp": '#include "readers/text.hpp"\n#include <octile/gram.hpp>\n',
    "apps/octile/tiles/journal.hpp": '#include "output/table.hpp"\n',
    "apps/octile/verify/audit.hpp": '#include "output/table.hpp"\n#include "readers/text.hpp"\n',
    "apps/octile/commands/commands.hpp": '#include "tiles/journal.hpp"\n#include "verify/audit.hpp"\n',
    "apps/octile/interrupt.hpp": "",
    "apps/octile/main.cpp": '#include "commands/commands.hpp"\n#include "interrupt.hpp"\n#include <octile/error.hpp>\n',
    "python/src/arrays.hpp": "#include <octile/graph.hpp>\n",
    "python/src/module.cpp": '#include "arrays.hpp"\n#include <octile/gram.hpp>\n',
}


class Layers(unittest.TestCase):
    def test_a_tree_that_includes_downward_only_passes(self):
        self.assertEqual(check(SOUND), (0, ""))

    def test_a_header_of_the_standard_library_is_not_a_program_of_its_name(self):
        self.assertEqual(check({**SOUND, "bench/compare": "", "lib/octile/pairs/pair.hpp": "#include <compare>\n"}), (0, ""))

    def refuse(self, name, line, *words):
        code, complaint = check({**SOUND, name: f"// first\n{line}\n"})
        self.assertEqual(code, 1)
        self.assertEqual(len(complaint.splitlines()), 1, complaint)
        for word in (f"{name}:2", line, *words):
            self.assertIn(word, complaint)

    def test_the_library_includes_nothing_above_it(self):
        self.refuse("lib/octile/base/array.hpp", "#include <octile/gram.hpp>", "nothing else")
        self.refuse("lib/octile/pairs/agreement.hpp", "#include <octile/orders.hpp>", "lib/octile/kernels")

    def test_the_folders_of_the_library_include_downward(self):
        sound = {"lib/octile/kernels/program.hpp": "#include <octile/graph.hpp>\n", "lib/octile/certify/exact_set.hpp": "#include <octile/kernels/program.hpp>\n"}
        self.assertEqual(check({**SOUND, **sound}), (0, ""))
        code, complaint = check({**SOUND, **sound, "lib/octile/graphs/octile.hpp": "#include <octile/kernels/program.hpp>\n"})
        self.assertEqual((code, len(complaint.splitlines())), (1, 1), complaint)
        self.assertIn("lib/octile/graphs may include itself and lib/octile/base", complaint)

    def test_a_public_header_is_in_the_layer_that_it_is_about(self):
        self.refuse("lib/include/octile/precision.hpp", "#include <octile/gram.hpp>", "lib/octile/base may", "nothing else")
        self.refuse("lib/include/octile/stopping.hpp", "#include <octile/gram.hpp>", "lib/octile/graphs may")
        code, complaint = check({**SOUND, "lib/include/octile/unlisted.hpp": ""})
        self.assertEqual(code, 1)
        self.assertIn("lib/include/octile/unlisted.hpp: it is in no folder of the table", complaint)
        self.refuse("backends/include/octile/cuda/gram.cuh", "#include <octile/portable/solver.hpp>", "backends/octile/plan")

    def test_a_backend_includes_neither_another_nor_the_front(self):
        self.refuse("backends/octile/cuda/gram.cuh", "#include <octile/portable/solver.hpp>", "backends/octile/plan")
        self.refuse("backends/octile/reference/solver.hpp", "#include <octile/plan/costs.hpp>")
        self.refuse("backends/octile/plan/pairwise.hpp", "#include <octile/gram.hpp>")
        self.refuse("backends/octile/portable/octiles.hpp", "#include <octile/orders.hpp>")

    def test_the_program_goes_through_the_front(self):
        self.refuse("apps/octile/verify/table.cpp", '#include "octile/portable/solver.hpp"')

    def test_the_folders_of_the_program_include_downward(self):
        self.refuse("apps/octile/readers/read.cpp", '#include "output/table.hpp"', "apps/octile/readers may", "lib/octile")
        self.refuse("apps/octile/output/neighbours.cpp", '#include "tiles/journal.hpp"', "apps/octile/readers")
        self.refuse("apps/octile/tiles/solver.cpp", '#include "commands/commands.hpp"', "apps/octile/output")
        self.refuse("apps/octile/tiles/solver.cpp", '#include "verify/audit.hpp"')
        self.refuse("apps/octile/verify/audit.cpp", '#include "tiles/journal.hpp"')
        self.refuse("apps/octile/verify/audit.cpp", '#include "../tiles/journal.hpp"')
        self.refuse("apps/octile/commands/gram.cpp", '#include "interrupt.hpp"', "apps/octile/tiles")
        self.refuse("apps/octile/readers/read.hpp", "#include <output/table.hpp>")

    def test_the_library_and_python_include_nothing_of_the_program(self):
        self.refuse("backends/octile/front.cpp", '#include "readers/text.hpp"')
        self.refuse("python/src/graphs.cpp", '#include "readers/text.hpp"')
        self.refuse("python/src/graphs.cpp", '#include "array.hpp"', "no such file")

    def test_folders_of_the_portable_backend_include_downward(self):
        sound = {
            "backends/octile/portable/xmv/rows.hpp": "#include <octile/graph.hpp>\n",
            "backends/octile/portable/iterate/solve.hpp": "#include <octile/portable/xmv/rows.hpp>\n",
            "backends/octile/portable/typed/octiles.hpp": "#include <octile/portable/iterate/solve.hpp>\n",
            "backends/octile/portable/instances/serial.cpp": "#include <octile/portable/typed/octiles.hpp>\n",
            "backends/octile/portable/paper/dense.hpp": "#include <octile/portable/typed/octiles.hpp>\n",
            "backends/octile/portable/refined.hpp": "#include <octile/portable/iterate/solve.hpp>\n",
        }
        self.assertEqual(check({**SOUND, **sound}), (0, ""))
        self.refuse("backends/octile/portable/xmv/rows.hpp", "#include <octile/portable/solver.hpp>", "lib/octile")
        self.refuse("backends/octile/portable/instances/serial.cpp", "#include <octile/plan/costs.hpp>")

    def test_a_folder_includes_none_that_it_lies_in(self):
        self.refuse("backends/octile/portable/typed/octiles.hpp", "#include <octile/portable/solver.hpp>", "backends/octile/portable/iterate")
        self.refuse("backends/octile/cuda/instances/table.cpp", "#include <octile/cuda/solver.cuh>", "backends/octile/cuda/typed")
        self.refuse("backends/include/octile/mpi/communicator.hpp", "#include <octile/gram.hpp>", "lib/octile")

    def test_no_row_of_the_table_lists_a_folder_that_it_lies_in(self):
        check_layers = runpy.run_path(str(CHECK))
        self.assertEqual(list(check_layers["listed_parents"](check_layers["LAYERS"])), [])
        complaints = list(check_layers["listed_parents"]({"a": ["a/b", "ab"], "ab/c": ["a"], "a/b": [], "a/b/c": ["a/b", "a"], "a/bc": ["a/b"]}))
        self.assertEqual([complaint.split(";")[0] for complaint in complaints],
                         ["a/b/c: the table lists a/b, in which it lies", "a/b/c: the table lists a, in which it lies"])

    def test_mpi_is_for_the_files_that_are_named(self):
        self.assertEqual(check({**SOUND, "apps/octile/tiles/ranks_mpi.cpp": "#include <mpi.h>\n"}), (0, ""))
        for name in ["apps/octile/tiles/rank_work.cpp", "backends/octile/gram.cpp", "tests/apps/test_ranks.cpp"]:
            self.refuse(name, "#include <mpi.h>", "MPI's header is for", "apps/octile/tiles/ranks_mpi.cpp")

    def test_the_papers_wings_are_for_builds_that_have_them(self):
        wing = {"backends/octile/cuda/paper/kernels.cuh": "", "tests/backends/test_kernels.cpp": "#include <octile/cuda/paper/kernels.cuh>\n"}
        include = "#include <octile/cuda/paper/kernels.cuh>\n"
        guarded = {**SOUND, **wing, "backends/octile/cuda/typed/solver.cuh": f"#ifdef OCTILE_PAPER\n{include}#endif\n"}
        self.assertEqual(check(guarded), (0, ""))
        for text in [include, f"#ifndef OCTILE_PAPER\n{include}#endif\n", f"#ifdef OCTILE_PAPER\n#else\n{include}#endif\n",
                     f"#ifdef OCTILE_PAPER\n#endif\n{include}"]:
            code, complaint = check({**guarded, "backends/octile/cuda/typed/solver.cuh": text})
            self.assertEqual((code, len(complaint.splitlines())), (1, 1), complaint)
            self.assertIn("under #ifdef OCTILE_PAPER", complaint)

    def test_nothing_includes_tests_or_benches(self):
        helpers = {"tests/common/graphs.hpp": "", "bench/program.hpp": "#include <octile/graph.hpp>\n",
                   "tests/lib/test_graph.cpp": '#include "common/graphs.hpp"\n#include "readers/text.hpp"\n'}
        self.assertEqual(check({**SOUND, **helpers}), (0, ""))
        for name, line in [("backends/octile/gram.cpp", '#include "program.hpp"'), ("lib/octile/pairs/pair.cpp", '#include "common/graphs.hpp"'),
                           ("bench/solve.cpp", '#include "common/graphs.hpp"'),
                           ("bench/solve.cpp", '#include "commands/commands.hpp"'), ("tests/apps/test_gram.cpp", '#include "commands/commands.hpp"')]:
            code, complaint = check({**SOUND, **helpers, name: f"{line}\n"})
            self.assertEqual((code, len(complaint.splitlines())), (1, 1), complaint)
            self.assertIn(f"{name}:1: {line}", complaint)

    def test_the_table_has_no_circles(self):
        graphlib.TopologicalSorter(runpy.run_path(str(CHECK))["LAYERS"]).prepare()

    def test_a_long_source_is_told_unless_it_is_a_test(self):
        for name, first in [("lib/octile/graphs/graph.hpp", "// first"), ("python/octile/kernel.py", "# first"),
                            ("cmake/Install.cmake", "# first"), ("CMakeLists.txt", "# first"), ("bench/sweep", "#!/usr/bin/env bash")]:
            with self.subTest(name=name):
                self.assertEqual(check({**SOUND, name: first + "\n" * 400}), (0, ""))
                code, complaint = check({**SOUND, name: first + "\n" * 401})
                self.assertEqual((code, len(complaint.splitlines())), (1, 1), complaint)
                self.assertIn(f"{name}: it has 401 lines; allowed are 400", complaint)
        for name in ("tests/lib/test_graph.py", "python/tests/test_graph.py", "bench/results/table.json", "docs/page.md", "bench/NOTES"):
            with self.subTest(name=name):
                self.assertEqual(check({**SOUND, name: "first" + "\n" * 401}), (0, ""))

    def test_a_file_that_comes_to_kokkos_is_named_as_one(self):
        files = {
            **SOUND,
            "lib/octile/base/place.hpp": "#include <Kokkos_Core.hpp>\n",
            "lib/octile/base/sums.cpp": "#include <octile/base/place.hpp>\n",
            "lib/CMakeLists.txt": "target_sources(octile PRIVATE octile/base/sums.cpp)\n",
            "backends/octile/portable/spaces/serial.cpp": "#include <Kokkos_Core.hpp>\n",
            "backends/octile/portable/listed/openmp.cpp": "#include <Kokkos_Core.hpp>\n",
            "backends/CMakeLists.txt": "octile_kokkos_sources(octile\n  octile/portable/spaces/${space}.cpp)\n"
                                       "list(APPEND on_cpus octile/portable/listed/${space}.cpp)\n"
                                       "octile_kokkos_sources_together(octile ${on_cpus})\n",
            "tests/lib/test_plain.cpp": "#include <octile/graph.hpp>\n",
            "tests/lib/test_place.cpp": "#include <octile/base/place.hpp>\n",
            "tests/CMakeLists.txt": "octile_test(lib/plain)\noctile_test(lib/place KOKKOS HOST)\n",
        }
        code, complaint = check(files)
        self.assertEqual((code, len(complaint.splitlines())), (1, 1), complaint)
        for word in ("lib/octile/base/sums.cpp", "octile/base/place.hpp", "Kokkos_Core.hpp", "octile_kokkos_sources"):
            self.assertIn(word, complaint)
        files["lib/CMakeLists.txt"] = "octile_kokkos_sources(octile octile/base/sums.cpp)\n"
        self.assertEqual(check(files), (0, ""))

    def test_an_include_of_nothing_and_a_file_without_a_layer_are_told(self):
        self.refuse("lib/octile/graphs/graph.cpp", "#include <octile/grpah.hpp>", "no such file")
        code, complaint = check({**SOUND, "backends/other/solver.hpp": ""})
        self.assertEqual(code, 1)
        self.assertIn("backends/other/solver.hpp", complaint)


if __name__ == "__main__":
    unittest.main()
