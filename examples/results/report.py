# SPDX-License-Identifier: BSD-3-Clause
"""What the programs of this folder share: where the data are, and the table that each ends with."""
import json
import os
import pathlib
import sys
import time

import octile

_begin = time.monotonic()


def data(*parts):
    """A file or a folder of the data sets, which OCTILE_DATA names."""
    folder = os.environ.get("OCTILE_DATA")
    if not folder:
        raise SystemExit("octile: OCTILE_DATA is not set, so nothing is measured; it names the folder of the data sets (docs/results.md)")
    path = pathlib.Path(folder, *parts)
    if not path.exists():
        raise SystemExit(f"octile: there is no '{path}', so nothing is measured; OCTILE_DATA names the folder of the data sets")
    return path


def show(rows, json_path=None):
    """Prints rows, mappings with the same keys, as a table, and writes them with the command and its seconds if there is a path."""
    header = list(rows[0])
    lines = [header, ["---"] * len(header), *([_text(row[key]) for key in header] for row in rows)]
    print(*("| " + " | ".join(line) + " |" for line in lines), sep="\n")
    seconds = round(time.monotonic() - _begin, 1)
    print(f"{seconds} s with {octile.threads()} threads on {os.cpu_count()} cores")
    if json_path:
        found = {"command": sys.argv, "octile": octile.__version__, "commit": os.environ.get("OCTILE_COMMIT", "not recorded"),
                 "threads": octile.threads(), "cores": os.cpu_count(), "seconds": seconds, "rows": rows}
        pathlib.Path(json_path).write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


def _text(value):
    return f"{value:.4g}" if isinstance(value, float) else str(value)
