# SPDX-License-Identifier: BSD-3-Clause
"""Every Python example of the documents runs, and prints what they say. They run in examples/demo, as commands of docs/ do."""
import doctest
import pathlib

import pytest

ROOT = pathlib.Path(__file__).parents[2]
DOCUMENTS = ["README.md", "docs/python.md", "docs/tutorial.md"]


@pytest.mark.parametrize("document", DOCUMENTS)
def test_examples_print_what_the_document_says(document, monkeypatch):
    monkeypatch.chdir(ROOT / "examples/demo")
    text = (ROOT / document).read_text(encoding="utf-8")
    # Other text becomes blank lines, so that a failure names the document's own line.
    lines, inside = [], False
    for line in text.splitlines():
        fence = line.startswith("```")
        if fence:
            inside = line == "```pycon"
        lines.append("" if fence or not inside else line)
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
    complaints = []
    runner.run(doctest.DocTestParser().get_doctest("\n".join(lines), {}, document, document, 0), out=complaints.append)
    assert runner.failures == 0, "".join(complaints)
    assert runner.tries > 0
