# SPDX-License-Identifier: BSD-3-Clause
"""Arrays of numbers as SVG."""
from __future__ import annotations

import base64
import html
import struct
import zlib

import numpy as np

_CELL = 18  # pixels
_FONT = 'font-family="sans-serif" font-size="11"'
# Of numbers from the least to the greatest: from light to dark. Of numbers on both sides of 0: these two, with white between.
_LIGHT_TO_DARK = np.array([[253, 231, 37], [94, 201, 98], [33, 145, 140], [59, 82, 139], [68, 1, 84]], dtype=float)[::-1]


def _colours(values):
    """The colours of numbers from the least to the greatest: bytes, with a last axis of 3."""
    low, high = values.min(), values.max()
    at = (values - low) / (high - low) if high > low else np.ones_like(values)
    steps = np.arange(len(_LIGHT_TO_DARK)) / (len(_LIGHT_TO_DARK) - 1)
    return np.stack([np.interp(at, steps, band) for band in _LIGHT_TO_DARK.T], axis=-1).round().astype(np.uint8)


def _png(pixels):
    """An image, rows × columns × 3 bytes, in the format PNG."""
    def chunk(kind, content):
        return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))

    rows, columns, _ = pixels.shape
    lines = b"".join(b"\0" + row.tobytes() for row in pixels)
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", columns, rows, 8, 2, 0, 0, 0)) +
            chunk(b"IDAT", zlib.compress(lines, 9)) + chunk(b"IEND", b""))


def heat_map(values, rows=(), columns=()):
    """The text of an SVG: one pixel a value, enlarged; with names where they can be read, and the least and the greatest value."""
    cell = _CELL if max(values.shape) <= 60 else max(1, 1080 // max(values.shape))
    named = cell == _CELL and len(rows) > 0
    left = 12 + 7 * max(map(len, rows)) if named else 4
    top = 12 + 7 * max(map(len, columns)) if named else 4
    height, width = cell * values.shape[0], cell * values.shape[1]
    image = base64.b64encode(_png(_colours(values))).decode("ascii")
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{left + max(width, 160) + 8}" height="{top + height + 30}">',
             '<rect width="100%" height="100%" fill="white"/>',
             f'<image x="{left}" y="{top}" width="{width}" height="{height}" preserveAspectRatio="none" '
             f'style="image-rendering:pixelated" href="data:image/png;base64,{image}"/>']
    if named:
        parts += [f'<text x="{left - 4}" y="{top + cell * k + 13}" text-anchor="end" {_FONT}>{html.escape(name)}</text>'
                  for k, name in enumerate(rows)]
        parts += [f'<text transform="translate({left + cell * k + 13},{top - 4}) rotate(-90)" {_FONT}>{html.escape(name)}</text>'
                  for k, name in enumerate(columns)]
    parts.append(f'<text x="{left}" y="{top + height + 20}" {_FONT}>dark {values.min():.3g} … light {values.max():.3g}</text></svg>')
    return "\n".join(parts)
