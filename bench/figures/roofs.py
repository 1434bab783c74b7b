# SPDX-License-Identifier: BSD-3-Clause
"""The roofs of devices, how a roofline is drawn, and the paper's formulas for what lies under it."""
import collections
import re

import numpy as np
from matplotlib.ticker import FuncFormatter, NullFormatter

from appearance import HUES, INK, MARKERS, QUIET, beside, plain_axes

Roofs = collections.namedtuple("Roofs", "name peak memory l2 shared")

# Operations and bytes a second. V100: 80 multiprocessors of 64 multiply-adds and 128 bytes of shared memory a cycle, at
# 1530 MHz; memory as specified; L2 as measured by Jia and others, whom the paper cites. H200: 132 of 128 and 128, at the
# 1980 MHz at which it ran here; memory as specified; its L2 cache has no specified rate.
V100 = Roofs("NVIDIA V100, as specified", 2 * 80 * 64 * 1.53e9, 0.9e12, 2.155e12, 80 * 128 * 1.53e9)
H200 = Roofs("NVIDIA H200, as specified", 2 * 132 * 128 * 1.98e9, 4.8e12, None, 132 * 128 * 1.98e9)

FAMILIES = ["naive", "shared-tiling", "register-blocking", "tiling-blocking"]
STYLES = {family: (HUES[k], MARKERS[k]) for k, family in enumerate(["tiling-blocking", "shared-tiling",
                                                                   "register-blocking", "naive"])}
NAMES = {family: family.replace("-", " ") for family in FAMILIES[:3]} | {"tiling-blocking": "tiling-blocking"}
Counted = collections.namedtuple("Counted", "rate intensities")
OPERATIONS = {f"smsp__sass_thread_inst_executed_op_{name}_pred_on.sum": weight
              for name, weight in {"fadd": 1, "fmul": 1, "ffma": 2}.items()}
# Metric and bytes of each of it; a wavefront of shared memory moves 128.
BYTES = {"global_intensity": ("dram__bytes.sum", 1), "l2_intensity": ("lts__t_bytes.sum", 1),
         "shared_intensity": ("l1tex__data_pipe_lsu_wavefronts_mem_shared.sum", 128)}
PRIMITIVE = re.compile(r"([a-z-]+)(?::(\d+),(\d+))?$")
RATES = [(1e12, "T"), (1e9, "G"), (1e6, "M")]


def measured_roofs(results, device, context):
    """The higher of what octile_bench_ceilings measured of a device and what the bench of `context` did beside its
    cases: a ceiling is the best that was seen."""
    told_beside = [float(context.get(f"peak_{field}", 0)) for field in (
        "f32_flop_per_s", "memory_bytes_per_s", "l2_bytes_per_s", "scratch_bytes_per_s")]
    file = f"{device}-ceilings.json"
    cases = results.cases(file) if results.has(file) else []

    def first(what, field, key, value):
        """Of the default execution space, which comes first."""
        return next((case.counters[field] for case in cases
                     if case.what == f"ceiling/{what}" and case.keys.get(key) == value), 0)

    alone = [first("fma", "FLOP/s", "scalar", "f32"), *(first(what, "bytes/s", "access", "read")
                                                        for what in ("memory", "l2", "scratch"))]
    return Roofs(f"{context.get('device', 'this device')}, as measured", *map(max, told_beside, alone))


def primitive_cases(cases):
    """Those of the dense primitives and the naive one, as (family, t, r, E, F, X, case)."""
    for case in cases:
        keys = case.keys
        if case.what == "xmv" and "E" in keys:
            yield *family_of(keys["primitive"]), *(float(keys[key]) for key in "EFX"), case


def counted(runs):
    """FLOP/s and operations a byte by ncu's counters of some kernels together; None for bytes that were not counted."""
    def sum_of(metric):
        return sum(run.get(metric, 0) for run in runs)

    operations = sum(weight * sum_of(metric) for metric, weight in OPERATIONS.items())
    intensities = {field: operations / (scale * sum_of(metric)) if sum_of(metric) else None
                   for field, (metric, scale) in BYTES.items()}
    return Counted(operations / sum_of("gpu__time_duration.sum"), intensities)


def family_of(primitive):
    """The family of a name such as shared-tiling:8,4, and its t and r, by default 8."""
    family, t, r = PRIMITIVE.match(primitive).groups()
    return family, int(t or 8), int(r or 8)


def paper_intensities(family, t, r, e, f, x):
    """The paper's table: operations a byte of global and of shared memory, for large graphs; None if it has none."""
    if family == "naive":
        return 2 / f, None
    streamed = t * t * x / (t / r * e + (1 + t / r) * f)
    if family == "shared-tiling":
        return streamed, x / ((1 + 1 / r) * e + (2 + 1 / r) * f)
    if family == "register-blocking":
        return streamed, x / ((1 + 1 / t ** 2) * f)
    return t * t * x / (e + 2 * f), x / ((1 / r + 1 / t) * (e + f))


def told(rate, unit):
    factor, prefix = next((entry for entry in RATES if rate >= entry[0]), (1, ""))
    return f"{rate / factor:.3g} {prefix}{unit}"


def draw_roofs(axes, roofs, bandwidths, limits, rates=None):
    """The flat roof and a slope for each of `bandwidths`, a list of (name, bytes a second or None), between the ends of
    both axes."""
    lowest, highest = limits
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlim(lowest, highest)
    known = [(name, rate) for name, rate in bandwidths if rate]
    ridge = min(roofs.peak / rate for _, rate in known)
    axes.plot([max(lowest, ridge), highest], [roofs.peak] * 2, color=INK, linewidth=1.6, zorder=2)
    axes.text(highest / 1.1, roofs.peak * 1.12, told(roofs.peak, "FLOP/s"), fontsize=8, ha="right", va="bottom")
    axes.set_ylim(*rates or (0.8 * lowest * min(rate for _, rate in known), 2.2 * roofs.peak))
    for k, (name, rate) in enumerate(known):
        ends = np.array([lowest, roofs.peak / rate])
        axes.plot(ends, rate * ends, color=INK, linewidth=1.2, zorder=2)
        close = k > 0 and known[k - 1][1] < 1.5 * rate
        place = lowest * (6 if close else 1.25)
        beside(axes, f"{name}, {told(rate, 'B/s')}", (place, rate * place), (0, 3), fontsize=7.5, color=QUIET,
               rotation=slope_in_degrees(axes), rotation_mode="anchor", va="bottom")
    plain_axes(axes)
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: told(value, "").strip()))
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_minor_formatter(NullFormatter())


def slope_in_degrees(axes):
    """The angle of a line y ∝ x as it is drawn."""
    box = axes.get_position()
    width, height = axes.figure.get_size_inches() * [box.width, box.height]
    decades = [np.log10(high / low) for low, high in (axes.get_xlim(), axes.get_ylim())]
    return float(np.degrees(np.arctan2(height / decades[1], width / decades[0])))
