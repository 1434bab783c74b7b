# SPDX-License-Identifier: BSD-3-Clause
"""What the tests of the package share: projects of their own, Kokkos of any kind, and an installation that was moved.

The environment says what is tested: see tests/CMakeLists.txt.
"""
import atexit
import os
import shutil
import subprocess
import tempfile
import unittest

SOURCE = os.environ.get("OCTILE_SOURCE", "")
BUILD = os.environ.get("OCTILE_BUILD", "")
CMAKE = os.environ.get("OCTILE_CMAKE", "cmake")
COMPILER = os.environ.get("OCTILE_COMPILER", "c++")
KOKKOS = os.environ.get("OCTILE_KOKKOS_DIR", "")
KOKKOS_KERNELS = os.environ.get("OCTILE_KOKKOS_KERNELS_DIR", "")
HAS_CUDA = os.environ.get("OCTILE_HAS_CUDA", "") == "ON"
BUILT_KOKKOS = os.environ.get("OCTILE_BUILT_KOKKOS", "") == "ON"
CUDA_HEADERS = os.environ.get("OCTILE_PUBLIC_CUDA_HEADERS", "").split()
HEADERS = os.environ.get("OCTILE_PUBLIC_HEADERS", "").split()

WORK = tempfile.mkdtemp(prefix="octile-packages-")
atexit.register(shutil.rmtree, WORK, ignore_errors=True)

PROLOGUE = """cmake_minimum_required(VERSION 3.25)
project(consumer LANGUAGES CXX)
set(CMAKE_CXX_EXTENSIONS OFF)
"""


def folder(name):
    path = os.path.join(WORK, name)
    os.makedirs(path, exist_ok=True)
    return path


def write(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def read(path):
    with open(path, encoding="utf-8", errors="replace") as file:
        return file.read()


def run(*command, environment=None):
    """(exit code, output) of a command."""
    done = subprocess.run(command, capture_output=True, text=True, check=False, env={**os.environ, **(environment or {})})
    return done.returncode, done.stdout + done.stderr


def configure(source, build, *arguments):
    """(exit code, output in one line) of a configuration from nothing."""
    shutil.rmtree(build, ignore_errors=True)
    code, output = run(CMAKE, "-S", source, "-B", build, "-G", "Ninja", f"-DCMAKE_CXX_COMPILER={COMPILER}",
                       *arguments, environment={"CMAKE_PREFIX_PATH": ""})
    return code, " ".join(output.split())


def consumer(name, text, *arguments):
    """The same of a project of its own with these lines."""
    source = folder(name)
    write(os.path.join(source, "CMakeLists.txt"), PROLOGUE + text)
    write(os.path.join(source, "main.cpp"), "int main() {}\n")
    return configure(source, os.path.join(source, "build"), *arguments)


def octile(name, *arguments):
    """The same of Octile itself."""
    return configure(SOURCE, os.path.join(folder(name), "build"), *arguments)


def kokkos_arguments():
    arguments = [f"-DKokkos_DIR={KOKKOS}"]
    if KOKKOS_KERNELS:
        arguments.append(f"-DKokkosKernels_DIR={KOKKOS_KERNELS}")
    return arguments


def fake_kokkos(name, version, devices, options=()):
    """A Kokkos with nothing in it but what its configuration file tells; the folder of that."""
    path = os.path.join(folder(name), "lib/cmake/Kokkos")
    enabled = "".join(f"set(Kokkos_ENABLE_{word} ON)\n" for word in (*devices, *options))
    write(os.path.join(path, "KokkosConfig.cmake"),
          "add_library(Kokkos::kokkoscore STATIC IMPORTED)\n"
          f"set_target_properties(Kokkos::kokkoscore PROPERTIES IMPORTED_LOCATION {path}/libkokkoscore.a)\n"
          "add_library(Kokkos::kokkos INTERFACE IMPORTED)\n"
          "set(Kokkos_CUDA_ARCHITECTURES 90)\n" + enabled)
    write(os.path.join(path, "KokkosConfigVersion.cmake"),
          f"set(PACKAGE_VERSION {version})\nset(PACKAGE_VERSION_COMPATIBLE TRUE)\n")
    return path


class Installation:
    """Octile, installed and then moved elsewhere."""

    _prefix = None
    first = os.path.join(WORK, "installed")

    @classmethod
    def prefix(cls):
        if cls._prefix is None:
            code, output = run(CMAKE, "--install", BUILD, "--prefix", cls.first)
            if code:
                raise AssertionError("nothing is installed: " + output)
            cls._prefix = os.path.join(folder("elsewhere"), "moved")
            os.rename(cls.first, cls._prefix)
        return cls._prefix

    @classmethod
    def texts(cls):
        """The text files of the package that CMake or pkg-config reads, by path."""
        found = {}
        for top, _, names in os.walk(cls.prefix()):
            if os.path.join("octile", "kokkos") in top:
                continue
            for name in names:
                if name.endswith((".cmake", ".pc")):
                    found[os.path.relpath(os.path.join(top, name), cls.prefix())] = read(os.path.join(top, name))
        return found

    @classmethod
    def pkg_config(cls, *arguments):
        """(exit code, output) of pkg-config, for this package."""
        places = [top for top, _, names in os.walk(cls.prefix()) if "octile.pc" in names]
        return run("pkg-config", *arguments, "octile", environment={"PKG_CONFIG_PATH": os.pathsep.join(places)})

    @classmethod
    def include_folders(cls):
        """Where headers are looked for, as the package says: those behind the public ones first."""
        include = os.path.join(cls.prefix(), "include")
        return [os.path.join(include, "octile/internal"), include]

    @classmethod
    def compile_flags(cls):
        """What a compiler is told so that it finds the headers."""
        kokkos = os.path.dirname(os.path.dirname(os.path.dirname(KOKKOS)))
        if BUILT_KOKKOS:
            kokkos = next(top for top, _, names in os.walk(cls.prefix()) if top.endswith("octile/kokkos"))
        return ["-std=c++20", "-fopenmp", *(f"-I{folder}" for folder in cls.include_folders()), "-isystem", os.path.join(kokkos, "include")]

    @classmethod
    def kokkos(cls):
        """What a consumer says of Kokkos: nothing, where it came with Octile."""
        return [] if BUILT_KOKKOS else kokkos_arguments()
