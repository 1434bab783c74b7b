# SPDX-License-Identifier: BSD-3-Clause
"""Every command that a document prints runs as printed, and prints what the document says.

README.md's run from the root of a clone, as do those beside the benches; those of docs/ run in examples/demo, as
docs/command_line.md says.

OCTILE_PROGRAM names the program; OCTILE_EXAMPLE, if set, the built example of README.md. Without the first it ends with code
77. A command that is not run stands in NOT_RUN with what it needs.
"""
import importlib.util
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

import documents

PROGRAM = os.environ.get("OCTILE_PROGRAM", "")
SKIPPED = 77
SECONDS = 600  # most for the commands of one document

# (documents, command, what it needs), the first two as regular expressions of the whole.
RESULTS = r"bench/results/.*"
NOT_RUN = [
    (r".*", r"make( .*)?", "a build of its own; that the target is there is tested"),
    (r".*", r"(\S*/)?(pip|python3 -m venv) .*", "the network and a build of its own; `make python` does the same"),
    (r"docs/matrices\.md", r"(mpirun|apt-get) .*", "MPI and a build with it; tests/apps/cli/test_ranks.py begins ranks"),
    (r"docs/results\.md", r"(OCTILE_DATA=\S+ )?examples/results/.*", "minutes, the Python package, and data sets that are not in the clone"),
    (r"CONTRIBUTING\.md", r"\.ci/run.*", "hours: it runs this very test among others"),
    (RESULTS, r"(OMP_NUM_THREADS=1 )?(taskset -c 1 )?octile_bench_(solve|views) .*", "built benches and data sets; `make bench-smoke` runs it on little"),
    (RESULTS, r"(OCTILE_COMMIT=\w+ )?bench/(measure_on_gpu|check_on_gpu|paper_steps) .*", "a GPU, built benches and data sets"),
    (RESULTS, r"bench/(sweep_lowerings|peers/measure) OCTILE .*", "minutes, the second also GraKeL and GraphKernels"),
    (RESULTS, r"octile (gram|reorder) (chembl_drugs_1203|hiv_41913|SET)\..*", "data sets that are not in the clone"),
    (r"bench/peers/README\.md", r".*VENV.*", "GraKeL and GraphKernels from the network"),
]


# The pages that together name every command of the program and every option.
COMMAND_PAGES = ("docs/command_line.md", "docs/matrices.md", "docs/checking.md")


def reason_not_to_run(command):
    """The entry of NOT_RUN that a command falls under, or None."""
    for entry in NOT_RUN:
        if re.fullmatch(entry[0], command.document) and re.fullmatch(entry[1], command.text, re.DOTALL):
            return entry
    return None


def all_commands(document):
    return [command for block in documents.blocks(document)[0] if block.language in ("sh", "console")
            for command in documents.commands(block)]


def long_options(text):
    return set(re.findall(r"(?<![\w-])--[a-z][\w-]*", text))


def matches(expected, actual):
    """Whether lines agree with a document. … matches any text within a line, and alone any lines."""
    pattern = ""
    for line in expected:
        if line.strip() == "…":
            pattern += r"(?:.*\n)*"
        else:
            pattern += ".*".join(re.escape(part) for part in line.rstrip().split("…")) + r"[ ]*\n"
    return re.fullmatch(pattern, actual) is not None


class Clone:
    """A clone in its state after `make demo`, with the program where the build puts it."""

    def __init__(self):
        self._holder = tempfile.TemporaryDirectory()
        self.folder = os.path.join(self._holder.name, "octile")
        for name in ("bench", "examples"):  # what commands read
            shutil.copytree(os.path.join(documents.ROOT, name), os.path.join(self.folder, name))
        os.makedirs(os.path.join(self.folder, "build/host/apps/octile"))
        os.symlink(os.path.abspath(PROGRAM), os.path.join(self.folder, "build/host/apps/octile/octile"))

    def close(self):
        self._holder.cleanup()

    def run(self, commands):
        """Runs the commands of a document one after the other in one shell; (exit code, output) of each."""
        document = commands[0].document
        results = os.path.join(self._holder.name, "results")
        os.makedirs(results)
        script = ""
        for number, command in enumerate(commands):
            # `$?` is that of the previous command, so that a document can print an exit code with `echo $?`.
            script += (f"{{\n{command.text}\n}} > '{results}/{number}' 2>&1; code=$?\n"
                       f"echo $code > '{results}/{number}.code'; (exit $code)\n")
        environment = dict(os.environ)
        if document != "README.md":  # which says itself how the program comes on the path
            environment["PATH"] = os.path.join(self.folder, "build/host/apps/octile") + os.pathsep + environment["PATH"]
        folder = os.path.join(self.folder, "examples/demo") if document.startswith("docs/") else self.folder
        subprocess.run(["bash"], input=script, text=True, cwd=folder, env=environment, timeout=SECONDS,
                       stdout=subprocess.DEVNULL, check=False)
        found = []
        for number in range(len(commands)):
            with open(f"{results}/{number}", encoding="utf-8") as output:
                with open(f"{results}/{number}.code", encoding="utf-8") as code:
                    found.append((int(code.read()), output.read()))
        return found


class Commands(unittest.TestCase):
    def test_blocks_say_what_they_are(self):
        for document in documents.documents():
            for block in documents.blocks(document)[0]:
                with self.subTest(block=block.where()):
                    if block.language is None or block.language not in ("sh", "console", "synopsis"):
                        found = [line for line in block.lines if documents.COMMAND.match(line)]
                        self.assertEqual(found, [], "a command stands in a block ```sh, ```console or ```synopsis")
                    if block.language is not None:
                        self.assertIn(block.language, documents.LANGUAGES)

    def test_commands_run_as_printed(self):
        for document in documents.documents():
            commands = [command for command in all_commands(document) if not reason_not_to_run(command)]
            if not commands:
                continue
            clone = Clone()
            self.addCleanup(clone.close)
            results = clone.run(commands)
            for command, following, (code, output) in zip(commands, commands[1:] + [None], results):
                with self.subTest(command=command.where()):
                    if not (following and following.text == "echo $?"):
                        self.assertEqual(code, 0, output)
                    if command.output is not None:
                        self.assertTrue(matches(command.output, output),
                                        "printed:\n" + output + "\nbut the document says:\n" + "\n".join(command.output))

    def test_every_reason_not_to_run_is_needed(self):
        used = {reason_not_to_run(command) for document in documents.documents() for command in all_commands(document)}
        for entry in NOT_RUN:
            with self.subTest(entry=entry):
                self.assertIn(entry, used, "no document prints such a command any more")

    def test_the_demo_is_as_readme_tells(self):
        clone = Clone()
        self.addCleanup(clone.close)
        # Without PYTHON there is no heat map, which needs matplotlib.
        done = subprocess.run(["examples/demo/run"], cwd=clone.folder, capture_output=True, text=True, check=False,
                              env={**os.environ, "OCTILE": os.path.abspath(PROGRAM), "PYTHON": "false"})
        self.assertEqual(done.returncode, 0, done.stderr)
        most = re.search(r"most similar pairs.*\n +([\d.]+)  (.*) - (.*)\n", done.stdout)
        sentence = f"by it {most[2]} and {most[3]} are the most similar pair, with a normalised K of {float(most[1]):.2f}."
        self.assertIn(sentence, " ".join(documents.read("README.md").split()))

    def test_make_targets_exist(self):
        targets = set(re.findall(r"^([a-z-]+):", documents.read("Makefile"), re.MULTILINE))
        for document in documents.documents():
            texts = [command.text for command in all_commands(document)]
            texts += [span for _, span in documents.code_spans(document)]
            for text in texts:
                if re.match(r"make \S", text):
                    named = [word for word in text.split("#")[0].split()[1:] if "=" not in word]
                    with self.subTest(document=document, command=text):
                        self.assertLessEqual(set(named), targets)

    def test_json_is_read(self):
        for document in documents.documents():
            for block in documents.blocks(document)[0]:
                if block.language == "json":
                    with self.subTest(block=block.where()), tempfile.TemporaryDirectory() as folder:
                        path = os.path.join(folder, "graphs.jsonl")
                        with open(path, "w", encoding="utf-8") as file:
                            file.write(block.text())
                        done = subprocess.run([PROGRAM, "info", path], capture_output=True, text=True, check=False)
                        self.assertEqual(done.returncode, 0, done.stderr)


    def test_python_writes_what_octile_reads(self):
        if importlib.util.find_spec("networkx") is None:
            self.skipTest("the blocks of Python need networkx")
        for document in documents.documents():
            for block in documents.blocks(document)[0]:
                if block.language == "python":
                    with self.subTest(block=block.where()), tempfile.TemporaryDirectory() as folder:
                        subprocess.run([sys.executable, "-c", block.text()], cwd=folder, check=True)
                        for name in os.listdir(folder):
                            done = subprocess.run([PROGRAM, "info", name], cwd=folder, capture_output=True, text=True,
                                                  check=False)
                            self.assertEqual(done.returncode, 0, done.stderr)


class Options(unittest.TestCase):
    """The options that documents name, compared with --help."""

    @classmethod
    def setUpClass(cls):
        cls.overview = subprocess.run([PROGRAM, "--help"], capture_output=True, text=True, check=True).stdout
        cls.help = {name: subprocess.run([PROGRAM, name, "--help"], capture_output=True, text=True, check=True).stdout
                    for name in re.findall(r"^  ([a-z]+) ", cls.overview, re.MULTILINE)}
        cls.options = {name: long_options(text) for name, text in cls.help.items()}

    def check(self, text):
        words = text.split()
        self.assertIn(words[1], self.options)
        self.assertLessEqual(long_options(text) - {"--help"}, self.options[words[1]])

    def test_usage_names_commands_and_options_that_exist(self):
        for document in documents.documents():
            for block in documents.blocks(document)[0]:
                if block.language == "synopsis":
                    for line in re.sub(r"\\?\n\s+", " ", block.text()).splitlines():
                        if line.startswith("octile ") and line.split()[1] != "COMMAND":
                            with self.subTest(usage=f"{block.where()}: {line}"):
                                self.check(line)

    def test_code_spans_name_commands_and_options_that_exist(self):
        for document in documents.documents():
            for number, span in documents.code_spans(document):
                if re.match(r"octile [a-z]", span):
                    with self.subTest(span=f"{document}:{number}: {span}"):
                        self.check(span)

    def test_the_command_line_is_documented_whole(self):
        text = "\n".join(documents.read(page) for page in COMMAND_PAGES)
        for name, options in self.options.items():
            with self.subTest(command=name):
                self.assertIn(f"octile {name}", text)
                self.assertLessEqual(options - {"--help"}, long_options(text))

    def test_defaults_are_documented(self):
        documented = set()
        for page in COMMAND_PAGES:
            command = None
            for number, line in documents.blocks(page)[1]:
                heading = re.match(r"## (?:octile ([a-z]+))?", line)
                row = re.match(r"\| `(--[\w-]+)", line)
                command = heading[1] if heading else command
                default = row and re.search(rf"^  {row[1]} \S+=\[?([^\s\]]+)", self.help[command], re.MULTILINE)
                if default:
                    documented.add(command)
                    with self.subTest(option=f"{page}:{number}: {row[1]}"):
                        self.assertIn(default[1], re.split(r"[ `|;,:]+", line.split(" | ", 2)[2]))
        self.assertLessEqual({"gram", "reorder", "audit", "verify"}, documented, "the table of their options is gone")

    def test_every_leaf_kernel_has_a_row_and_its_parameters_are_named(self):
        text = documents.read("docs/kernels.md")
        rows = [line for line in text.splitlines() if line.startswith("| `")]
        leaves = re.findall(r"^(\w+)\(attribute, (.*)\)$", subprocess.run(
            [PROGRAM, "kernels"], capture_output=True, text=True, check=True).stdout, re.MULTILINE)
        self.assertGreaterEqual(len(leaves), 3)
        for name, parameters in leaves:
            row = "".join(line for line in rows if line.startswith(f"| `{name}("))
            with self.subTest(leaf=name):
                self.assertTrue(row, f"docs/kernels.md has no row | `{name}(…)` …")
                for parameter in re.findall(r"\w+", parameters):
                    self.assertRegex(row, rf"\b{parameter}\b")

    def test_exit_codes_are_documented(self):
        told = re.findall(r"^ +(\d+)  (\S.*)$", self.overview, re.MULTILINE)
        self.assertGreaterEqual(len(told), 8)
        for code, meaning in told:
            with self.subTest(code=code):
                self.assertIn(f"| {code} | {meaning} |", documents.read("docs/command_line.md"))

    def test_no_other_option_is_documented(self):
        known = set().union(*self.options.values()) | {"--help"}
        for page in COMMAND_PAGES:
            with self.subTest(page=page):
                self.assertLessEqual(long_options(documents.read(page)), known)
        for document in documents.documents():
            if document == "README.md" or document.startswith("docs/"):
                for number, span in documents.code_spans(document):
                    if span.startswith("--"):
                        with self.subTest(span=f"{document}:{number}: {span}"):
                            self.assertLessEqual(long_options(span), known)


class Snippets(unittest.TestCase):
    def sources(self):
        """The text of every C++ source in examples and tests, by path."""
        return {path: documents.read(path) for path in documents.project_files() if re.match(r"(examples|tests)/.*\.cpp$", path)}

    def runs(self, path):
        """Whether a source is that of a program that CTest runs: by itself, or as an example with a project of its own."""
        lists = documents.read("tests/CMakeLists.txt") + documents.read("tests/docs/CMakeLists.txt")
        folder, name = os.path.split(path.removesuffix(".cpp"))
        if folder.startswith("tests/"):
            test = f"{folder.removeprefix('tests/')}/{name.removeprefix('test_')}"
            return re.search(rf"octile_test\({re.escape(test)}[ )]", lists) is not None
        if f'/{path}"' in lists:
            return True
        return f'/{folder}"' in lists and re.search(rf"\b{name}\b", documents.read(f"{folder}/CMakeLists.txt")) is not None

    def test_readme_shows_the_example_and_what_it_prints(self):
        shown = documents.blocks("README.md")[0]
        program = next(block for block in shown if block.language == "cpp")
        source = documents.read("examples/gram/main.cpp")
        self.assertEqual(program.text(), source[source.index("#include"):])
        project = next(block for block in shown if block.language == "cmake")
        for line in project.lines:
            self.assertIn(line.split("#")[0].strip(), documents.read("examples/gram/CMakeLists.txt"))

    def test_the_example_prints_what_readme_says(self):
        example = os.environ.get("OCTILE_EXAMPLE", "")
        if not example:
            self.skipTest("OCTILE_EXAMPLE names no program")
        shown = documents.blocks("README.md")[0]
        output = next(block for block in shown if block.language == "text")
        done = subprocess.run([example], capture_output=True, text=True, check=False)
        self.assertEqual((done.returncode, done.stdout), (0, output.text()))

    def test_cpp_stands_in_a_source_that_is_compiled(self):
        def words(text):
            return " ".join(text.split())
        sources = {path: words(text) for path, text in self.sources().items() if self.runs(path)}
        self.assertGreaterEqual(len(sources), 10)
        for document in documents.documents():
            for block in documents.blocks(document)[0]:
                if block.language == "cpp":
                    with self.subTest(block=block.where()):
                        self.assertTrue(any(words(block.text()) in text for text in sources.values()),
                                        "no example or test that runs has these lines")

    def test_cmake_stands_in_a_project_that_is_configured(self):
        for document in documents.documents():
            for block in documents.blocks(document)[0]:
                if block.language == "cmake":
                    with self.subTest(block=block.where()):
                        lines = {line.split("#")[0].strip() for line in block.lines}
                        self.assertTrue(any(lines <= {line.strip() for line in documents.read(path).splitlines()}
                                            for path in documents.project_files()
                                            if re.fullmatch(r"examples/\w+/CMakeLists\.txt", path)))


if __name__ == "__main__":
    if not PROGRAM:
        print("skipped: OCTILE_PROGRAM names no program")
        sys.exit(SKIPPED)
    unittest.main()
