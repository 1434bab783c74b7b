# SPDX-License-Identifier: BSD-3-Clause
"""The paper's theoretical roofline, on its device and on ours, with its intensities and those that we count."""
from appearance import INK, QUIET, beside, plt, title
from roofs import FAMILIES, H200, NAMES, STYLES, V100, draw_roofs, paper_intensities, primitive_cases

FILES = ["h200-primitives-dense.json", "host-primitives-dense.json"]  # counts do not depend on the device
E, F, X, T, R = 4, 4, 14, 8, 8  # one float as label; κe, three products and a sum
REUSES, REUSE_OPERATIONS = (4, 16, 64), 3  # the paper's vertical lines: unlabelled, X = 3
LIMITS, RATES = (0.03, 1500), (2e10, 6e14)


def counted(results):
    """{family: (global, shared) intensity} by our counters, for the E, F, X, t and r above."""
    file = results.either(*FILES)
    if not results.has(file):
        return {}
    return {family: (case.counters.get("global_intensity"), case.counters.get("shared_intensity"))
            for family, *numbers, case in primitive_cases(results.cases(file)) if numbers == [T, R, E, F, X]}


def draw_reuses(axes, roofs):
    for reuse in REUSES:
        intensity = reuse * REUSE_OPERATIONS / F
        top = min(roofs.peak, intensity * roofs.memory)
        axes.plot([intensity] * 2, [RATES[0], top], color=QUIET, linewidth=0.8, linestyle=(0, (3, 2)), zorder=1)
        beside(axes, f"c = {reuse}", (intensity, RATES[0]), (2, 4), fontsize=7.5, color=QUIET, rotation=90, va="bottom")


def draw_primitive(axes, roofs, family, ours):
    """Marks under the roof that an intensity meets: filled by the paper's formulas, a ring by our counters."""
    colour, marker = STYLES[family]
    for k, (formula, rate) in enumerate(zip(paper_intensities(family, T, R, E, F, X), (roofs.memory, roofs.shared))):
        if formula is None:
            continue
        height = min(roofs.peak, formula * rate)
        axes.scatter(formula, height, s=42, color=colour, marker=marker, zorder=4, linewidth=0)
        if ours and ours[k]:
            axes.scatter(ours[k], min(roofs.peak, ours[k] * rate), s=120, facecolor="none", edgecolor=colour,
                         marker="o", zorder=4, linewidth=1.2)
        if k == 1:
            above = family != "shared-tiling"
            beside(axes, NAMES[family], (formula, height), (0, 7) if above else (7, -12), fontsize=8, color=colour,
                   rotation=32 if above else 0, rotation_mode="anchor")
        elif family == "naive":
            beside(axes, NAMES[family], (formula, height), (8, -4), fontsize=8, color=colour)


def draw(results):
    ours = counted(results)
    figure, panels = plt.subplots(1, 2, figsize=(10, 4.7), sharey=True)
    figure.subplots_adjust(left=0.065, right=0.985, top=0.80, bottom=0.165, wspace=0.06)
    for axes, roofs in zip(panels, (V100, H200)):
        slopes = [("shared memory", roofs.shared), ("L2", roofs.l2), ("memory", roofs.memory)]
        draw_roofs(axes, roofs, slopes, LIMITS, RATES)
        draw_reuses(axes, roofs)
        for family in FAMILIES:
            draw_primitive(axes, roofs, family, ours.get(family))
        intensity = paper_intensities("tiling-blocking", T, R, E, F, X)[0]
        axes.text(intensity, roofs.peak / 1.25, "all three, of\nglobal memory", fontsize=8, va="top", color=QUIET)
        axes.set_title(roofs.name, loc="left", fontsize=10, fontweight="bold", color=INK)
        axes.set_xlabel("operations a byte, of shared memory or of global memory")
    panels[0].set_ylabel("operations a second")
    rings = "; rings: as our counters have it" if ours else ""
    title(figure, "What the paper's primitives can reach, by its formulas",
          f"E = F = {E} bytes, X = {X} operations an element, t = r = {T}{rings}. "
          "Dashed: unlabelled, X = 3, c uses of a loaded element")
    results.sources.append("roofs as specified, L2 of V100 as measured by Jia et al., arXiv:1804.06826")
    return figure
