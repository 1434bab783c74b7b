# SPDX-License-Identifier: BSD-3-Clause
"""Octile as a package: found by CMake from its build tree and from an installation that was moved, part of another project, and
found by pkg-config. Each test is a project of its own, of which mostly the configuration alone is run.
"""
import concurrent.futures
import glob
import os
import re
import shutil
import sys
import tempfile
import unittest

import packages
from packages import CMAKE, Installation, consumer, fake_kokkos, kokkos_arguments, octile

LIBRARY = ("-DOCTILE_BUILD_APPS=OFF", "-DOCTILE_BUILD_TESTS=OFF", "-DOCTILE_WITH_KOKKOS_KERNELS=OFF")
PROGRAM = """#include <octile/gram.hpp>
#include <octile/version.hpp>

#include <Kokkos_Core.hpp>

#include <cstdio>

static_assert(OCTILE_VERSION == OCTILE_VERSION_MAJOR * 10000 + OCTILE_VERSION_MINOR * 100 + OCTILE_VERSION_PATCH);

int main(int argc, char* argv[]) {
  const Kokkos::ScopeGuard kokkos(argc, argv);
  const std::vector<octile::Edge> bonds = {{0, 1}};
  const std::vector<octile::Graph> graphs = {octile::Graph::from_edges("a", 2, bonds, {}, {})};
  const octile::KernelSpec kernel{octile::Expression::parse("1"), octile::Expression::parse("1"),
                                  octile::Stopping::parse("probability:0.5")};
  const octile::GramResult gram = octile::gram(graphs, kernel);
  std::printf("%s %d", OCTILE_VERSION_STRING, gram.pairs[0].status == octile::Status::converged);
}
"""


def cache(build):
    """The entries of a CMake cache, by name."""
    return dict(re.findall(r"^([\w-]+):\w+=(.*)$", packages.read(os.path.join(build, "CMakeCache.txt")), re.MULTILINE))


class Found(unittest.TestCase):
    """find_package(octile)."""

    TEXT = """find_package(octile 0.1...<0.2 CONFIG REQUIRED)
add_executable(consumer)
octile_kokkos_sources(consumer main.cpp)
target_link_libraries(consumer PRIVATE octile::octile)
message(STATUS "version [${octile_VERSION}] extensions [${CMAKE_CXX_EXTENSIONS}]")
"""

    def place(self):
        return [f"-DCMAKE_PREFIX_PATH={Installation.prefix()}", *Installation.kokkos()]

    def test_in_its_build_tree_with_the_kokkos_that_it_was_built_with(self):
        code, output = consumer("build_tree", self.TEXT, f"-Doctile_DIR={packages.BUILD}")
        self.assertEqual(code, 0, output)
        self.assertRegex(output, r"version \[0\.1\.\d+\]")

    def test_in_an_installation_that_was_moved(self):
        code, output = consumer("moved", self.TEXT, *self.place())
        self.assertEqual(code, 0, output)
        self.assertIn("extensions [OFF]", output)

    def test_nothing_remembers_where_it_was_installed_or_built(self):
        for path, text in Installation.texts().items():
            with self.subTest(file=path):
                self.assertNotIn(Installation.first, text)
                self.assertNotIn(packages.BUILD + os.sep, text.replace(packages.KOKKOS, ""))
                self.assertNotIn(packages.SOURCE + os.sep + "lib", text)

    def test_nothing_asks_for_what_only_our_sources_include(self):
        texts = Installation.texts()
        texts["build tree"] = packages.read(os.path.join(packages.BUILD, "octileTargets.cmake"))
        for path, text in texts.items():
            with self.subTest(file=path):
                self.assertIsNone(re.search(r"\b(fmt|Eigen3|KokkosKernels|kokkoskernels)\b::|find_dependency\((fmt|Eigen3|Boost|KokkosKernels)", text))

    def test_by_versions_and_ranges_of_versions(self):
        text = "".join(f'find_package(octile {wanted} CONFIG QUIET)\nmessage(STATUS "[{wanted}: ${{octile_FOUND}}]")\n'
                       for wanted in ("0.2", "1", "0.2...<0.3", "0.0...<0.1", "0.0", "0.1", "0.1...<0.2", "0.0...1"))
        code, output = consumer("versions", text, *self.place())
        self.assertEqual(code, 0, output)
        self.assertEqual(re.findall(r"\[([\d.<]+): (\w+)\]", output),
                         [("0.2", "0"), ("1", "0"), ("0.2...<0.3", "0"), ("0.0...<0.1", "0"), ("0.0", "0"), ("0.1", "1"),
                          ("0.1...<0.2", "1"), ("0.0...1", "1")])

    def test_with_components(self):
        there = "cuda" if packages.HAS_CUDA else "io"
        text = f"""find_package(octile CONFIG QUIET COMPONENTS gpu)
message(STATUS "gpu: ${{octile_NOT_FOUND_MESSAGE}}")
find_package(octile CONFIG REQUIRED COMPONENTS {there} OPTIONAL_COMPONENTS {"io" if there == "cuda" else "cuda"})
message(STATUS "cuda [${{octile_cuda_FOUND}}]")
add_executable(consumer main.cpp)
target_link_libraries(consumer PRIVATE octile::octile $<TARGET_NAME_IF_EXISTS:octile::io>)
"""
        code, output = consumer("components", text, *self.place())
        self.assertEqual(code, 0, output)
        self.assertIn("gpu: Octile has no component 'gpu'; allowed are cuda, io.", output)
        self.assertIn(f"cuda [{'TRUE' if packages.HAS_CUDA else 'FALSE'}]", output)

    @unittest.skipIf(packages.HAS_CUDA, "this build has CUDA")
    def test_a_missing_component_is_told_in_one_sentence(self):
        code, output = consumer("no_cuda", "find_package(octile CONFIG REQUIRED COMPONENTS cuda)\n", *self.place())
        self.assertNotEqual(code, 0)
        self.assertRegex(output, r"this Octile has no component 'cuda': it was built with Kokkos [\d.]+ \(SERIAL.*\); build it with a "
                                 r"Kokkos that has CUDA\.")

    def test_another_kokkos_is_an_error_that_names_both(self):
        for name, version, devices in (("newer", "4.9.9", ("SERIAL", "OPENMP")), ("serial_only", "4.7.0", ("SERIAL",))):
            with self.subTest(kokkos=name):
                other = fake_kokkos("kokkos_" + name, version, devices)
                code, output = consumer("mismatch_" + name, "find_package(octile CONFIG REQUIRED)\n",
                                        f"-DCMAKE_PREFIX_PATH={Installation.prefix()}", f"-DKokkos_DIR={other}")
                self.assertNotEqual(code, 0)
                self.assertRegex(output, r"this Octile was built with Kokkos [\d.]+ \([^)]+\), and "
                                 + re.escape(f"Kokkos {version} ({', '.join(devices)}) was found in '{other}'; "))

    @unittest.skipIf(shutil.which("nvcc") is None, "there is no nvcc")
    def test_users_of_cuda_need_no_flags(self):
        other = fake_kokkos("kokkos_cuda", "4.7.0", ["SERIAL", "CUDA"], ["IMPL_VIEW_LEGACY", "COMPILE_AS_CMAKE_LANGUAGE"])
        code, output = octile("cuda", *LIBRARY, f"-DKokkos_DIR={other}")
        self.assertEqual(code, 0, output)
        # The second enables CUDA itself, for CMake's default of a GPU.
        for name, text in (("finds_cuda", ""), ("has_cuda", "enable_language(CUDA)\n")):
            with self.subTest(consumer=name):
                code, output = consumer(name, text + self.TEXT.replace("REQUIRED", "REQUIRED COMPONENTS cuda"),
                                        f"-Doctile_DIR={packages.WORK}/cuda/build")
                self.assertEqual(code, 0, output)
                rules = packages.read(os.path.join(packages.WORK, name, "build", "build.ninja"))
                flags = re.search(r"FLAGS = (.*compute.*)", rules)[1]
                self.assertIn("-std=c++20", flags)
                self.assertIn("compute_90", flags)
        code, output = consumer("part_with_cuda", "add_subdirectory(${OCTILE_FOLDER} octile)\n",
                                f"-DOCTILE_FOLDER={packages.SOURCE}", f"-DKokkos_DIR={other}")
        self.assertNotEqual(code, 0)
        self.assertIn("say project(... LANGUAGES CXX CUDA) in the project that adds Octile.", output)

    def test_a_kokkos_of_ours_lies_in_a_place_of_its_own(self):
        if not packages.BUILT_KOKKOS:
            self.skipTest("this build took a Kokkos that was there")
        places = {os.path.relpath(os.path.join(top, name), Installation.prefix())
                  for top, _, names in os.walk(Installation.prefix()) for name in names if "okkos" in name}
        ours = {place for place in places if not re.search(r"/cmake/octile/", place) and not place.startswith("include/octile/")}
        self.assertTrue(any(place.endswith("KokkosConfig.cmake") for place in ours))
        self.assertEqual([place for place in ours if not re.match(r"lib\w*/octile/kokkos/", place)], [])
        self.assertEqual([place for place in ours if "KokkosKernels" in place], [])


class Part(unittest.TestCase):
    """Octile in the tree of another project."""

    TEXT = """set(CMAKE_MODULE_PATH here)
%(before)s
get_cmake_property(variables_before VARIABLES)
foreach(name IN LISTS variables_before)
  set("value_${name}" "${${name}}")
endforeach()
%(add)s
get_cmake_property(variables_after VARIABLES)
foreach(name IN LISTS variables_after)
  if(name MATCHES "^(CMAKE_.*|BUILD_.*)$" AND NOT name MATCHES "^CMAKE_(MATCH|CURRENT|PROJECT_VERSION|HAVE_LIBC_PTHREAD)" AND NOT "${value_${name}}" STREQUAL "${${name}}")
    message(SEND_ERROR "${name} was '${value_${name}}' and is '${${name}}'")
  endif()
endforeach()
get_property(testing DIRECTORY ${octile_folder} PROPERTY TESTS)
message(STATUS "tests [${testing}] launcher [${CMAKE_CXX_COMPILER_LAUNCHER}]")
add_executable(consumer)
octile_kokkos_sources(consumer main.cpp)
target_link_libraries(consumer PRIVATE octile::octile)
"""
    FOUND = "find_package(Kokkos CONFIG REQUIRED)"
    ADD = "add_subdirectory(${OCTILE_FOLDER} octile)\nset(octile_folder ${OCTILE_FOLDER})"
    FETCH = """include(FetchContent)
FetchContent_Declare(octile URL https://nowhere.invalid/octile.tar.gz)
FetchContent_MakeAvailable(octile)
set(octile_folder ${octile_SOURCE_DIR})"""

    def check(self, name, before, add, *arguments):
        arguments = (f"-DOCTILE_FOLDER={packages.SOURCE}", *kokkos_arguments(), *arguments)
        code, output = consumer(name, self.TEXT % {"before": before, "add": add}, *arguments)
        self.assertEqual(code, 0, output)
        self.assertIn("tests [] launcher []", output)
        build = os.path.join(packages.WORK, name, "build")
        entries = cache(build)
        for entry in ("CMAKE_CXX_COMPILER_LAUNCHER", "OCTILE_CCACHE", "BUILD_TESTING"):
            self.assertNotIn(entry, entries)
        self.assertEqual(entries["CMAKE_BUILD_TYPE"], "")
        self.assertEqual(entries["OCTILE_WITH_KOKKOS_KERNELS"], "OFF")
        rules = [os.path.join(top, "cmake_install.cmake") for top, _, names in os.walk(build) if "cmake_install.cmake" in names]
        self.assertEqual([path for path in rules if "file(INSTALL" in packages.read(path)], [])
        for target in ("octile_program", "test_gram"):
            self.assertNotIn(target, packages.read(os.path.join(build, "build.ninja")))

    @unittest.skipIf(packages.HAS_CUDA, "these projects are C++ alone")
    def test_beside_a_kokkos_of_the_parent(self):
        self.check("with_parents", self.FOUND, self.ADD, "-DCMAKE_DISABLE_FIND_PACKAGE_ccache=ON")

    @unittest.skipIf(packages.HAS_CUDA, "these projects are C++ alone")
    def test_with_a_kokkos_that_octile_finds(self):
        self.check("with_found", "", self.ADD)

    @unittest.skipIf(packages.HAS_CUDA, "these projects are C++ alone")
    def test_by_fetch_content_without_a_network(self):
        self.check("fetched", "", self.FETCH, f"-DFETCHCONTENT_SOURCE_DIR_OCTILE={packages.SOURCE}",
                   "-DFETCHCONTENT_FULLY_DISCONNECTED=ON")

    @unittest.skipIf(packages.HAS_CUDA, "this project is C++ alone")
    def test_beside_the_sources_of_kokkos_in_the_parents_tree(self):
        sources = glob.glob(os.path.join(packages.SOURCE, "build/downloads/*/tpls/kokkos"))
        if not sources:
            self.skipTest("there are no sources of Kokkos: this build took one that was there")
        code, output = consumer("in_tree", "set(CMAKE_CXX_STANDARD 20)\nadd_subdirectory(${KOKKOS_FOLDER} kokkos)\n"
                                + self.TEXT % {"before": "", "add": self.ADD}, f"-DOCTILE_FOLDER={packages.SOURCE}",
                                f"-DKOKKOS_FOLDER={sources[0]}", "-DKokkos_ENABLE_SERIAL=ON")
        self.assertEqual(code, 0, output)
        self.assertRegex(output, r"Octile: taking Kokkos [\d.]+ \(SERIAL\), the parent project's")
        rules = packages.read(os.path.join(packages.WORK, "in_tree", "build", "build.ninja"))
        self.assertIn("instances/serial.cpp", rules)
        self.assertNotIn("instances/openmp.cpp", rules)

    def test_a_kokkos_target_of_the_parent_is_the_one_that_is_judged(self):
        other = fake_kokkos("kokkos_of_parent", "4.7.1", ["THREADS"])
        code, output = consumer("judged", "find_package(Kokkos CONFIG REQUIRED)\nadd_subdirectory(${OCTILE_FOLDER} octile)\n",
                                f"-DOCTILE_FOLDER={packages.SOURCE}", f"-DKokkos_DIR={other}")
        self.assertNotEqual(code, 0)
        self.assertIn("Octile cannot use Kokkos 4.7.1 (THREADS), the parent project's: it has neither Serial nor OpenMP (rebuild it "
                      "with -DKokkos_ENABLE_SERIAL=ON).", output)


class Built(unittest.TestCase):
    """Octile's own configuration."""

    def refused(self, name, *arguments):
        code, output = octile(name, *LIBRARY, *arguments)
        self.assertNotEqual(code, 0)
        return output

    def with_kokkos(self, name, version, devices, options=()):
        return self.refused("refused_" + name, f"-DKokkos_DIR={fake_kokkos('kokkos_' + name, version, devices, options)}")

    def test_without_a_kokkos_it_tells_the_three_ways_and_builds_none(self):
        output = self.refused("no_kokkos", "-DCMAKE_DISABLE_FIND_PACKAGE_Kokkos=ON")
        self.assertIn("Octile needs Kokkos 4.7.0 or newer and found none. There are three ways: install Kokkos and point "
                      "CMAKE_PREFIX_PATH or Kokkos_DIR at it; bring it into your own project before Octile, so that the target "
                      "Kokkos::kokkos is there; or have it built from pinned sources with -DOCTILE_BUILD_KOKKOS=ON.", output)

    def test_a_kokkos_that_is_too_old_is_refused(self):
        self.assertIn("Octile cannot use Kokkos 3.5.0 (SERIAL), in ", self.with_kokkos("old", "3.5.0", ["SERIAL"]))

    def test_views_that_nvcc_breaks_are_refused_with_how_to_rebuild(self):
        output = self.with_kokkos("mdspan", "4.7.0", ["SERIAL", "CUDA"], ["COMPILE_AS_CMAKE_LANGUAGE"])
        self.assertRegex(output, r"Octile cannot use Kokkos 4\.7\.0 \(SERIAL, CUDA; COMPILE_AS_CMAKE_LANGUAGE\), in \S+: with CUDA its "
                                 r"Views based on mdspan write out of bounds \(rebuild it with -DKokkos_ENABLE_IMPL_VIEW_LEGACY=ON\)\.")

    def test_cuda_that_is_asked_for_and_missing_is_refused(self):
        if shutil.which("nvcc") is None:
            self.skipTest("there is no nvcc")
        other = fake_kokkos("kokkos_host", "4.7.0", ["SERIAL"])
        output = self.refused("no_cuda_asked", f"-DKokkos_DIR={other}", "-DOCTILE_ENABLE_CUDA=ON", "-DCMAKE_CUDA_ARCHITECTURES=90")
        self.assertIn("it has no CUDA, which OCTILE_ENABLE_CUDA asks for (rebuild it with -DKokkos_ENABLE_CUDA=ON)", output)

    def test_any_execution_space_and_any_view_will_do(self):
        for name, devices in (("serial", ["SERIAL"]), ("openmp", ["OPENMP"])):
            with self.subTest(devices=devices):
                other = fake_kokkos("kokkos_only_" + name, "4.7.0", devices)
                code, output = octile("only_" + name, *LIBRARY, f"-DKokkos_DIR={other}")
                self.assertEqual(code, 0, output)
                rules = packages.read(os.path.join(packages.WORK, "only_" + name, "build", "build.ninja"))
                self.assertIn(f"instances/{name}.cpp", rules)
                for space in {"serial", "openmp", "cuda"} - {name}:
                    self.assertNotIn(f"instances/{space}.cpp", rules)

    def test_the_library_looks_for_nothing_of_the_programs(self):
        others = ("RDKit", "Gemmi", "CLI11", "ZLIB", "Zstd", "EXPAT", "Hdf5", "nlohmann_json", "doctest", "rapidcheck")
        code, output = octile("core", *LIBRARY, *kokkos_arguments(), *(f"-DCMAKE_DISABLE_FIND_PACKAGE_{name}=ON" for name in others))
        self.assertEqual(code, 0, output)
        entries = cache(os.path.join(packages.WORK, "core", "build"))
        self.assertEqual([entry for entry in entries if re.match(rf"({'|'.join(others)})_", entry)], [])

    def test_options_of_the_program_say_what_is_lost_without_them(self):
        lost = {"RDKIT": ("RDKit", "the program reads no molecules (.smi, .csv, .tsv, .sdf, .mol)"),
                "GEMMI": ("Gemmi", "the program reads no atoms in space (.xyz, .extxyz, .pdb, .ent, .cif)"),
                "ZLIB": ("ZLIB", "the program reads no files compressed with gzip (.gz)"),
                "ZSTD": ("Zstd", "the program reads no files compressed with zstd (.zst)"),
                "EXPAT": ("EXPAT", "the program reads no GraphML (.graphml)"),
                "HDF5": ("Hdf5", "the program writes and reads no matrices in HDF5 (.h5)"),
                "CLI11": ("CLI11", "there is no program, but the readers of graphs alone")}
        program = ("-DOCTILE_BUILD_APPS=ON", "-DOCTILE_BUILD_TESTS=OFF", "-DOCTILE_WITH_KOKKOS_KERNELS=OFF", *kokkos_arguments())
        absent = tuple(f"-DCMAKE_DISABLE_FIND_PACKAGE_{package}=ON" for package, _ in lost.values())
        code, output = octile("without", *program, *absent, *(f"-DOCTILE_WITH_{option}=OFF" for option in lost))
        self.assertEqual(code, 0, output)
        for option, (_, what) in lost.items():
            self.assertIn(f"Octile: OCTILE_WITH_{option} is off, so {what}", output)
        for option, (package, what) in lost.items():
            with self.subTest(missing=package):
                others_off = (f"-DOCTILE_WITH_{other}=OFF" for other in lost if other != option)
                code, output = octile("missing_" + package, *program, *absent, *others_off)
                self.assertNotEqual(code, 0)
                self.assertIn(f"Octile found no {package} for its program. Install it (on Debian by cmake/debian-packages), or say "
                              f"-DOCTILE_WITH_{option}=OFF: then {what}.", output)


class Installed(unittest.TestCase):
    """What an installation holds."""

    @unittest.skipIf(packages.HAS_CUDA, "with CUDA these headers are nvcc's to compile, and take minutes")
    def test_each_public_header_compiles_alone_without_the_libraries_of_our_sources(self):
        flags = Installation.compile_flags()
        with tempfile.TemporaryDirectory() as work:
            core = os.path.join(work, "core.hpp")
            packages.write(core, "#include <Kokkos_Core.hpp>\n")
            code, output = packages.run(packages.COMPILER, *flags, "-x", "c++-header", core, "-o", core + ".gch")
            self.assertEqual(code, 0, output)

            def compiled(header):
                """(header, exit code, complaints, files that were read)"""
                source = os.path.join(work, header.replace("/", "_") + ".cpp")
                packages.write(source, f"#include <{header}>\n")
                # Those that read Kokkos' core anyway get it compiled before.
                quick = ["-include", core] if self.reads_kokkos(header) else []
                code, output = packages.run(packages.COMPILER, *flags, *quick, "-fsyntax-only", "-MD", "-MF", source + ".d", source)
                return header, code, output, packages.read(source + ".d") if code == 0 else ""

            with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
                results = list(pool.map(compiled, packages.HEADERS))
        self.assertGreaterEqual(len(results), 10)
        for header, code, output, reads in results:
            with self.subTest(header=header):
                self.assertEqual(code, 0, output)
                self.assertEqual(re.findall(r"\S*/(?:fmt|Eigen|boost|KokkosKernels\w*|nlohmann)/\S*", reads), [])

    def reads_kokkos(self, header, seen=None):
        seen = set() if seen is None else seen
        paths = [os.path.join(folder, header) for folder in Installation.include_folders()]
        path = next((path for path in paths if os.path.isfile(path)), paths[0])
        if header in seen or not os.path.isfile(path):
            return header == "Kokkos_Core.hpp"
        seen.add(header)
        return any(self.reads_kokkos(name, seen) for name in re.findall(r"^#include <(.*)>", packages.read(path), re.MULTILINE))

    def test_no_header_includes_the_libraries_of_our_sources(self):
        found = []
        for top, _, names in os.walk(os.path.join(Installation.prefix(), "include", "octile")):
            for name in names:
                path = os.path.join(top, name)
                found += [f"{path}: {line}" for line in re.findall(r"#\s*include\s*[<\"](?:fmt|Eigen|boost)/.*", packages.read(path))]
        self.assertEqual(found, [])

    def test_the_library_merges_no_functions_of_other_libraries_into_a_program(self):
        library = next(os.path.join(top, "liboctile.a") for top, _, names in os.walk(Installation.prefix()) if "liboctile.a" in names)
        code, output = packages.run("nm", "--defined-only", "--extern-only", "--demangle", library)
        self.assertEqual(code, 0, output)
        names = [line.split(" ", 2)[2] for line in output.splitlines() if re.match(r"[0-9a-f]+ \w ", line)]
        self.assertTrue(any("octile::gram" in name for name in names))
        merged = [name for name in names if re.search(r"\b(?:fmt::v\d+|Eigen|boost)::", name) and not name.endswith("boost::none")]
        self.assertEqual(merged[:10], [])

    @unittest.skipIf(packages.HAS_CUDA or shutil.which("pkg-config") is None, "no pkg-config, or files for nvcc")
    def test_pkg_config_builds_a_program_that_knows_its_version(self):
        code, output = Installation.pkg_config("--cflags", "--libs")
        self.assertEqual(code, 0, output)
        with tempfile.TemporaryDirectory() as work:
            source = os.path.join(work, "main.cpp")
            packages.write(source, PROGRAM)
            code, messages = packages.run(packages.COMPILER, "-O0", source, *output.split(), "-o", os.path.join(work, "main"))
            self.assertEqual(code, 0, messages)
            code, printed = packages.run(os.path.join(work, "main"))
        self.assertEqual((code, printed), (0, Installation.pkg_config("--modversion")[1].strip() + " 1"))


@unittest.skipUnless(packages.HAS_CUDA, "this build has no CUDA")
class CudaHeaders(unittest.TestCase):
    """The headers for users of CUDA, compiled by nvcc from an installation, without a flag by hand."""

    def test_each_compiles_alone(self):
        text = """find_package(octile CONFIG REQUIRED COMPONENTS cuda)
add_library(headers OBJECT)
target_link_libraries(headers PRIVATE octile::octile)
"""
        for number, header in enumerate(packages.CUDA_HEADERS):
            text += f"file(WRITE ${{CMAKE_BINARY_DIR}}/{number}.cpp \"#include <{header}>\\n\")\n"
            text += f"octile_kokkos_sources(headers ${{CMAKE_BINARY_DIR}}/{number}.cpp)\n"
        code, output = consumer("cuda_headers", text, f"-DCMAKE_PREFIX_PATH={Installation.prefix()}", *Installation.kokkos())
        self.assertEqual(code, 0, output)
        code, output = packages.run(CMAKE, "--build", os.path.join(packages.WORK, "cuda_headers", "build"))
        self.assertEqual(code, 0, output)
        self.assertIn("Building CUDA object", output)


if __name__ == "__main__":
    if not packages.BUILD:
        print("skipped: OCTILE_BUILD names no build tree")
        sys.exit(77)
    unittest.main(verbosity=2)
