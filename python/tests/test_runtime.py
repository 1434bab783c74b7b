# SPDX-License-Identifier: BSD-3-Clause
"""Threads, interruption and the end of the process: each in a Python of its own."""
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import textwrap
import threading
import time

import numpy as np
import pytest

import conftest
import octile
from conftest import random_graph

PREAMBLE = """
    import octile, numpy as np, signal, sys, threading, time, os
    rng = np.random.default_rng(1)
    def graph(n):
        edges = [(i, j) for i in range(n) for j in range(i) if rng.random() < 0.3]
        return octile.Graph(n, edges, rng.uniform(0.5, 2, len(edges)), {"x": rng.normal(size=n)}, {"y": rng.normal(size=len(edges))})
    kernel = octile.Kernel("gaussian(x,0.5)", "gaussian(y,0.5)", backend="reference", normalize=False)

    def many():
        return [graph(40) for _ in range(60)]

    def in_another_thread(graphs):
        # A thread that has begun to solve, and goes on for longer than a test takes.
        def solve():
            try:
                kernel(graphs)
            except octile.Error:
                pass
        solving = threading.Thread(target=solve, daemon=True)
        solving.start()
        time.sleep(1)
        return solving
"""


def run(program, **environment):
    return subprocess.run([sys.executable, "-c", textwrap.dedent(PREAMBLE) + textwrap.dedent(program)], capture_output=True, text=True,
                          timeout=120, check=False, env={**os.environ, **environment})


def test_a_solve_starts_kokkos_and_python_ends_it():
    done = run("print(octile.threads(), kernel([graph(5)]).shape, octile.threads())", OMP_NUM_THREADS="1", OCTILE_THREADS="")
    assert (done.stdout, done.stderr, done.returncode) == ("0 (1, 1) 1\n", "", 0)


def test_the_number_of_threads_can_be_set_before_the_first_solve():
    done = run("""
        octile.set_threads(1)
        kernel([graph(5)])
        try:
            octile.set_threads(7)
        except octile.Error as error:
            print(octile.threads(), error)
    """, OMP_NUM_THREADS="2")
    assert done.stdout.startswith("1 threads is 7; the first solve has started 1"), done.stderr
    assert run("kernel([graph(5)]); print(octile.threads())", OCTILE_THREADS="1", OMP_NUM_THREADS="2").stdout == "1\n"


@pytest.mark.parametrize("variable, value, words", [
    ("OCTILE_THREADS", "many", "OCTILE_THREADS is 'many'; allowed is a number from 0 to 512"),
    ("OCTILE_THREADS", "100000", "OCTILE_THREADS is '100000'; allowed is a number from 0 to 512"),
    ("OCTILE_THREADS", "-1", "OCTILE_THREADS is '-1'"),
    # Kokkos would end the process.
    ("KOKKOS_NUM_THREADS", "many", "KOKKOS_NUM_THREADS in the environment is 'many'; allowed is a number of threads, 1 to 512"),
    ("KOKKOS_NUM_THREADS", "0", "KOKKOS_NUM_THREADS in the environment is '0'")])
def test_numbers_of_threads_that_are_none_are_refused(variable, value, words):
    done = run("kernel([graph(5)])", **{"OCTILE_THREADS": "", variable: value})
    assert done.returncode == 1 and f"octile.Error: {words}" in done.stderr


@pytest.mark.parametrize("threads", (-1, 513, 2**40, 1.5, "2", True, None))
def test_a_number_of_threads_that_is_none_is_refused(threads):
    with pytest.raises(octile.Error, match="threads is .*; allowed is a number from 0 to 512"):
        octile.set_threads(threads)


def test_our_number_of_threads_comes_before_that_of_kokkos():
    done = run("kernel([graph(5)]); print(octile.threads())", OCTILE_THREADS="1", KOKKOS_NUM_THREADS="2")
    assert done.stdout == "1\n", done.stderr


def test_the_number_of_threads_is_set_and_told_while_another_thread_solves():
    done = run("""
        solving = in_another_thread(many())
        octile.set_threads(0)
        octile.set_threads(octile.threads())
        try:
            octile.set_threads(octile.threads() + 1)
        except octile.Error as error:
            print("refused", solving.is_alive())
    """)
    assert (done.stdout, done.returncode) == ("refused True\n", 0), done.stderr


def test_control_c_is_heard_while_another_thread_solves():
    done = run("""
        signal.signal(signal.SIGINT, signal.default_int_handler)
        graphs = many()
        solving = in_another_thread(graphs)
        threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
        try:
            kernel(graphs[:1])
            print("not interrupted")
        except KeyboardInterrupt:
            print("interrupted", solving.is_alive())
    """)
    assert done.stdout == "interrupted True\n", done.stderr


def test_a_solve_within_a_solve_is_refused():
    done = run("""
        def again(done, of, seconds):
            octile.Kernel()([graph(3)])
        kernel.progress = again
        try:
            kernel([graph(10) for _ in range(5)])
        except octile.Error as error:
            print(error)
        kernel.progress = False
        print(kernel([graph(5)]).shape)
    """)
    assert done.stdout.startswith("a kernel is called by a function that a solve calls") and done.stdout.endswith("\n(1, 1)\n"), done.stderr


def test_control_c_ends_a_solve_and_python_goes_on():
    done = run("""
        signal.signal(signal.SIGINT, signal.default_int_handler)  # where the tests run in the background it may be ignored
        graphs = many()
        threading.Timer(1.0, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
        try:
            kernel(graphs)
            print("not interrupted")
        except KeyboardInterrupt:
            print("interrupted")
        print(kernel(graphs[:1]).shape)
    """)
    assert done.stdout == "interrupted\n(1, 1)\n", done.stderr


def test_an_exception_in_the_function_of_progress_ends_the_solve():
    done = run("""
        def refuse(done, of, seconds):
            raise RuntimeError("enough")
        kernel.progress = refuse
        try:
            kernel([graph(10) for _ in range(5)])
        except RuntimeError as error:
            print(error)
    """)
    assert done.stdout == "enough\n", done.stderr


def test_python_ends_while_another_thread_solves():
    done = run("""
        in_another_thread(many())
        print("end")
    """)
    assert (done.stdout, done.returncode) == ("end\n", 0), done.stderr


def test_a_fork_after_a_solve_is_told_so():
    done = run("""
        kernel([graph(5)])
        child = os.fork()
        if child == 0:
            try:
                kernel([graph(6)])
            except octile.Error as error:
                print(error, flush=True)
            os._exit(0)
        os.waitpid(child, 0)
    """)
    assert "forked" in done.stdout and "'spawn'" in done.stdout, done.stderr


def test_other_threads_of_python_run_while_one_solves(rng):
    graphs = [random_graph(rng, 25) for _ in range(12)]
    kernel = octile.Kernel("gaussian(charge,0.5)", "gaussian(length,0.5)", backend="reference", normalize=False)
    solving = threading.Thread(target=kernel, args=(graphs,))
    counted = 0
    solving.start()
    while solving.is_alive():
        time.sleep(0.001)
        counted += 1
    # With the GIL held it would be one or two.
    assert counted > 10


def test_several_threads_solve_at_once(rng):
    graphs = [random_graph(rng, 8) for _ in range(6)]
    kernels = [octile.Kernel("delta(kind,0.5)", stopping=f"probability:{q}") for q in (0.05, 0.1, 0.2, 0.3)]
    expected = [kernel(graphs) for kernel in kernels]
    octile.forget()
    found = [None] * len(kernels)
    workers = [threading.Thread(target=lambda k=k: found.__setitem__(k, kernels[k](graphs))) for k in range(len(kernels))]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert all(np.allclose(a, b, rtol=1e-6) for a, b in zip(found, expected))


def test_the_module_shows_nothing_but_its_entry():
    symbols = subprocess.run(["nm", "--dynamic", "--defined-only", "--format=just-symbols", octile._core.__file__], capture_output=True,
                             text=True, check=True).stdout.split()
    assert symbols == ["PyInit__core"]
    needed = subprocess.run(["objdump", "-p", octile._core.__file__], capture_output=True, text=True, check=True).stdout
    assert not [word for word in ("RDKit", "hdf5", "mpi", "kokkos") if word.lower() in needed.lower().replace("octile", "")]


OTHER = """
#include <Kokkos_Core.hpp>

extern "C" {
void start() { Kokkos::initialize(Kokkos::InitializationSettings().set_num_threads(2).set_disable_warnings(true)); }
double sum(int count) {
  double total = 0;
  Kokkos::parallel_reduce(count, [](int k, double& part) { part += k; }, total);
  return total;
}
int finish() {
  Kokkos::finalize();
  return Kokkos::is_finalized();
}
}
"""


@pytest.fixture(scope="module")
def other_extension(tmp_path_factory):
    """A library of another author, which holds a Kokkos of its own and shows all of its symbols."""
    # `python/check` names the Kokkos of the build.
    config = os.environ.get("OCTILE_KOKKOS", "")
    if not os.path.isdir(config) or not shutil.which("c++") or conftest.CUDA:
        pytest.skip("there is no Kokkos for CPUs, or no compiler, to build another extension with")
    folder, libraries = tmp_path_factory.mktemp("other"), pathlib.Path(config).parents[1]
    (folder / "other.cpp").write_text(OTHER, encoding="utf-8")
    subprocess.run(["c++", "-std=c++20", "-O1", "-fPIC", "-shared", "-fopenmp", "-I", libraries.parent / "include", folder / "other.cpp", "-o",
                    folder / "other.so", libraries / "libkokkoscore.a", "-ldl"], check=True)
    shown = subprocess.run(["nm", "--dynamic", "--defined-only", folder / "other.so"], capture_output=True, text=True, check=True).stdout
    assert "Kokkos" in shown
    return folder / "other.so"


@pytest.mark.parametrize("first", ("ours", "theirs"))
def test_it_works_beside_another_extension_that_holds_a_kokkos(other_extension, first):
    begin = ["kernel([graph(5)])", "other.start()"]
    done = run("import ctypes\n" + f"""
other = ctypes.CDLL({str(other_extension)!r}, mode=ctypes.RTLD_GLOBAL)
other.sum.restype = ctypes.c_double
{chr(10).join(begin if first == "ours" else reversed(begin))}
graphs = [graph(9) for _ in range(20)]
values = kernel(graphs)
assert other.sum(1000) == 499500
octile.forget()
assert np.array_equal(kernel(graphs), values)
assert other.finish() == 1
octile.forget()
assert np.array_equal(kernel(graphs), values)
print("both", octile.threads())
""", OCTILE_THREADS="1")
    assert (done.stdout, done.stderr, done.returncode) == ("both 1\n", "", 0)


def test_the_package_is_typed_and_says_its_version():
    folder = pathlib.Path(octile.__file__).parent
    assert octile.__version__ == octile._core.version
    assert all((folder / name).is_file() for name in ("py.typed", "_core.pyi", "kernels.pyi"))
    for function in (octile.Kernel.__init__, octile.Kernel.solve, octile.Graph.__init__, octile.from_smiles, octile.gp.Regressor.fit):
        assert function.__annotations__


def test_backends_are_listed():
    names = [name for name, _, available in octile.backends() if available]
    assert "reference" in names and len(names) > 1
