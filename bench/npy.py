# SPDX-License-Identifier: BSD-3-Clause
"""Reads the matrices that the program writes, for the scripts of this folder."""
import struct


def read_npy(path):
    """The numbers of a file .npy of float64, row by row."""
    with open(path, "rb") as file:
        data = file.read()
    start = 10 + int.from_bytes(data[8:10], "little")
    return struct.unpack(f"<{(len(data) - start) // 8}d", data[start:])
