# SPDX-License-Identifier: BSD-3-Clause
"""The documents of the project and their contents: blocks, commands, code spans, headings and links."""
import os
import re
import shlex

ROOT = os.environ.get("OCTILE_SOURCE") or os.path.abspath(os.path.join(os.path.dirname(__file__), "..", ".."))

# The folders of the project. Other folders in its root (builds, outputs) are the user's.
TOPS = (".ci", "apps", "backends", "bench", "cmake", "docs", "examples", "lib", "python", "reorder", "tests")

# What a block may be: `sh` are commands, `console` commands after `$ ` with what they print, `synopsis` how a command is
# put together. The others are no commands.
LANGUAGES = {"sh", "console", "synopsis", "cpp", "cmake", "python", "pycon", "json", "mermaid", "text"}

# A line that starts like this is a command in any block.
COMMAND = re.compile(
    r"^\s*(\$ )?(export |[A-Z_]+=\S* )*"
    r"(octile|octile_bench_\w+|make|cmake|ctest|ninja|python3?|pip|ncu|apt-get|git|cd|\.ci/run|"
    r"(bench|examples|cmake)/[\w/]+|\S+/bin/\w+)( |$)")


def project_files():
    """The paths of all files of the project, from the root."""
    found = {name for name in os.listdir(ROOT) if os.path.isfile(os.path.join(ROOT, name))}
    for top in TOPS:
        for folder, _, files in os.walk(os.path.join(ROOT, top)):
            found |= {os.path.relpath(os.path.join(folder, name), ROOT) for name in files}
    return found


def documents():
    """The paths of all Markdown files, from the root."""
    return sorted(path for path in project_files() if path.endswith(".md"))


def read(path):
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        return file.read()


class Block:
    """A fenced block, or an indented one, whose language is None."""

    def __init__(self, document, line, language):
        self.document, self.line, self.language, self.lines = document, line, language, []

    def where(self):
        return f"{self.document}:{self.line}"

    def text(self):
        return "\n".join(self.lines) + "\n"


def blocks(document):
    """All code blocks of a document, and its other lines, as (blocks, [(number, line)])."""
    found, prose, fenced, indented = [], [], None, None
    blank = True
    for number, line in enumerate(read(document).splitlines(), 1):
        if fenced:
            if line.strip() == "```":
                fenced = None
            else:
                fenced.lines.append(line)
            continue
        opening = re.fullmatch(r"```\s*(\w*)\s*", line)
        if opening:
            fenced = Block(document, number + 1, opening[1])
            found.append(fenced)
            indented, blank = None, False
        elif line.startswith("    ") and (indented or blank):
            if not indented:
                indented = Block(document, number, None)
                found.append(indented)
            indented.lines.append(line[4:])
        elif line.strip() or not indented:
            indented = None
            prose.append((number, line))
        blank = not line.strip()
    if fenced:
        raise AssertionError(f"{fenced.where()}: the block does not end")
    return found, prose


class Command:
    """A command of a document, the output that the document shows (None if none), and its position."""

    def __init__(self, document, line, text, output):
        self.document, self.line, self.text, self.output = document, line, text, output

    def where(self):
        return f"{self.document}:{self.line}: {self.text}"

    def words(self):
        """Its words, split as by a shell, up to a pipe or another command."""
        words = shlex.split(self.text.replace("\\\n", " "), comments=True)
        for end, word in enumerate(words):
            if word in ("|", "&&", ";", ">"):
                return words[:end]
        return words


def commands(block):
    """The commands of a block of `sh` or `console`."""
    found, open_command = [], None
    for number, line in enumerate(block.lines, block.line):
        if open_command:
            open_command.text += "\n" + line
        elif block.language == "sh" or line.startswith("$ "):
            text = line.removeprefix("$ ")
            if not text.strip() or text.startswith("#"):
                continue
            open_command = Command(block.document, number, text, None if block.language == "sh" else [])
            found.append(open_command)
        elif found:
            found[-1].output.append(line)
            continue
        else:
            raise AssertionError(f"{block.document}:{number}: output before the first command")
        if not line.endswith("\\"):
            open_command = None
    return found


def code_spans(document):
    """(line number, text) of each `span` in the prose of a document."""
    return [(number, span) for number, line in blocks(document)[1] for span in re.findall(r"`([^`]+)`", line)]
