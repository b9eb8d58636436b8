"""Pictures with matplotlib, in the colours of the reports: Okabe and Ito's, which colour-blind readers can tell apart."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from . import _core

COLORS = ["#0072b2", "#e69f00", "#009e73", "#cc79a7", "#d55e00", "#56b4e9", "#f0e442", "#882255", "#503ca0"]
MARKERS = ["o", "s", "^", "D", "v", "P", "X", "<", ">"]
LINES = ["-", "--", "-.", ":"]
MOST_AXES = 6  # of a picture of pairs
MOST_NUMBERS = 30  # of clusters, the largest first
NUMBERS = "numbers as in labels_\n(files start at 1)"
MEASURES = {"dsgc": "DSG$_C$ (lower is better)", "f_measure": "F-measure", "ocm": "OCM (lower is better)", "two_ce": "2CE (lower is better)",
            "adjusted_rand": "adjusted Rand index", "adjusted_rand_truth": "adjusted Rand index (labels)",
            "k": "significant cells", "clusters": "clusters"}  # fmt: skip


class Axis(NamedTuple):
    lo: float
    hi: float
    name: str
    ticks: list[tuple[float, str]] | None = None  # where the kind of the axis has its own


def axis_of(axis: _core.Axis) -> Axis:
    return Axis(axis.lo, axis.hi, axis.label) if axis.is_plain else Axis(0, 1, axis.label, axis.ticks(5))


def _set_ticks(of: Any, axis: Axis) -> None:
    if axis.ticks is not None:
        of.set_ticks([at for at, _ in axis.ticks], [text for _, text in axis.ticks], fontsize="small")


def _pyplot() -> Any:
    try:
        import matplotlib.pyplot as plt
    except ImportError:
        raise ImportError("plots need matplotlib: pip install matplotlib") from None
    return plt


def _projected(values: npt.NDArray[Any], keep: tuple[int, ...], how: Any) -> npt.NDArray[Any]:
    others = tuple(i for i in range(values.ndim) if i not in keep)
    flat = how(values, axis=others) if others else values
    return flat if list(keep) == sorted(keep) else flat.T


def _edges(axis: Axis, cells: int) -> npt.NDArray[np.float64]:
    return np.linspace(axis.lo, axis.hi, cells + 1)


def _bars(ax: Any, axis: Axis, labels: npt.NDArray[Any], density: npt.NDArray[Any] | None, colors: list[str]) -> None:
    heights = np.ones(len(labels)) if density is None else np.maximum(density, 0)
    edges = _edges(axis, len(heights))
    at = np.minimum(np.arange(len(heights)) * len(labels) // len(heights), len(labels) - 1)
    shades = [colors[labels[i]] if labels[i] >= 0 else "#b8b8b8" for i in at]
    ax.bar(edges[:-1], heights, width=np.diff(edges), align="edge", color=shades)
    for number in range(min(MOST_NUMBERS, int(labels.max(initial=-1)) + 1)):
        inside = np.flatnonzero(labels[at] == number)
        if len(inside):
            highest = inside[np.argmax(heights[inside])]
            ax.text((edges[highest] + edges[highest + 1]) / 2, heights[highest], str(number), ha="center", va="bottom", weight="bold", clip_on=True)
    ax.set_xlabel(axis.name)
    _set_ticks(ax.xaxis, axis)
    ax.set_ylabel("noisy count" if density is not None else "")


def _map(ax: Any, axes: list[Axis], labels: npt.NDArray[Any], density: npt.NDArray[Any] | None, colors: list[str]) -> None:
    from matplotlib.colors import ListedColormap

    if density is not None:
        shown = np.sqrt(np.maximum(density, 0)).T
        ax.pcolormesh(_edges(axes[0], density.shape[0]), _edges(axes[1], density.shape[1]), shown, cmap="Greys", vmax=1.6 * max(shown.max(), 1))
    if colors:
        clustered = np.ma.masked_less(labels.T, 0)
        ax.pcolormesh(_edges(axes[0], labels.shape[0]), _edges(axes[1], labels.shape[1]), clustered, cmap=ListedColormap(colors),
                      vmin=-0.5, vmax=len(colors) - 0.5, alpha=0.75 if density is not None else 1)  # fmt: skip
    _numbers(ax, axes, labels)
    ax.set_xlabel(axes[0].name)
    ax.set_ylabel(axes[1].name)
    _set_ticks(ax.xaxis, axes[0])
    _set_ticks(ax.yaxis, axes[1])
    ax.set_xlim(axes[0].lo, axes[0].hi)
    ax.set_ylim(axes[1].lo, axes[1].hi)


def _numbers(ax: Any, axes: list[Axis], labels: npt.NDArray[Any]) -> None:
    """The label of every large cluster, on a cell of it that lies nearest to its middle."""
    from matplotlib import patheffects

    for number in range(min(MOST_NUMBERS, int(labels.max(initial=-1)) + 1)):
        cells = np.argwhere(labels == number)
        if not len(cells):
            continue
        middle = cells[np.argmin(((cells - cells.mean(0)) ** 2).sum(1))]
        x, y = [axis.lo + (axis.hi - axis.lo) * (c + 0.5) / n for axis, c, n in zip(axes, middle, labels.shape)]
        rim = [patheffects.withStroke(linewidth=2.5, foreground="white")]
        ax.text(x, y, str(number), ha="center", va="center", weight="bold", path_effects=rim, clip_on=True)


def clusters(
    ax: Any,
    axes: list[Axis],
    labels: npt.NDArray[Any],
    density: npt.NDArray[Any] | None,
    colors: list[str] | None,
    title: str,
    keep: tuple[int, int] | None = None,
) -> Any:
    if colors is None:
        colors = [COLORS[i % len(COLORS)] for i in range(int(labels.max(initial=-1)) + 1)]
    if len(axes) > 2 and ax is None and keep is None:
        return _pairs(axes, labels, density, colors, title)
    keep = keep or (0, 1)
    if len(axes) > 1 and not (len(set(keep)) == 2 and all(0 <= i < len(axes) for i in keep)):
        raise ValueError(f"axes is {keep}; choose two different axes from 0 to {len(axes) - 1}")
    if ax is None:
        ax = _pyplot().subplots(figsize=(6.4, 5.2), layout="constrained")[1]
    if len(axes) == 1:
        _bars(ax, axes[0], labels, density, colors)
    else:
        pair = [axes[keep[0]], axes[keep[1]]]
        flat = None if density is None else _projected(density, keep, np.sum)
        _map(ax, pair, _projected(labels, keep, np.max), flat, colors)
    ax.set_title(title, loc="left", fontsize="medium")
    if colors and title:
        ax.set_title(NUMBERS, loc="right", fontsize="x-small", color="#555555")
    return ax


def _pairs(axes: list[Axis], labels: npt.NDArray[Any], density: npt.NDArray[Any] | None, colors: list[str], title: str) -> Any:
    """Every pair of axes seen from above, as a triangle: a column for each axis but the last, a row for each but the first."""
    shown = min(len(axes), MOST_AXES)
    side = 2.6 if shown > 3 else 3.6
    fig, panels = _pyplot().subplots(shown - 1, shown - 1, figsize=(side * (shown - 1), side * (shown - 1)), layout="constrained", squeeze=False)
    for row in range(shown - 1):
        for column in range(shown - 1):
            ax = panels[row, column]
            if column > row:
                ax.set_axis_off()
                continue
            clusters(ax, axes, labels, density, colors, "", (column, row + 1))
            if row < shown - 2:
                ax.set_xlabel("")
            if column > 0:
                ax.set_ylabel("")
    fig.suptitle(title + (f" (the first {shown} of {len(axes)} axes)" if shown < len(axes) else ""), x=0.01, ha="left", fontsize="medium")
    if colors:
        panels[0, -1].set_title(NUMBERS, loc="right", fontsize="x-small", color="#555555")
    return panels


def evaluation(summary: list[dict[str, Any]], measures: list[str], axes: Any, truth: dict[str, int | None]) -> Any:
    unknown = [measure for measure in measures if measure not in MEASURES]
    if unknown:
        raise ValueError(f"there is no measure {', '.join(unknown)}; choose from {', '.join(MEASURES)}")
    missing = [measure for measure in measures if any(row[measure] is None for row in summary)]
    if missing:
        raise ValueError(f"{', '.join(missing)} was not measured; evaluate with classify=True")
    if axes is None:
        axes = _pyplot().subplots(1, len(measures), figsize=(4.6 * len(measures), 3.6), layout="constrained", squeeze=False)[1][0]
    axes = np.atleast_1d(np.asarray(axes, dtype=object))
    techniques = list(dict.fromkeys(row["technique"] for row in summary))
    for ax, measure in zip(axes, measures):
        for i, technique in enumerate(techniques):
            rows = sorted((row for row in summary if row["technique"] == technique), key=lambda row: float(row["epsilon"]))
            at = [row["epsilon"] for row in rows]
            mean, low, high = ([row[measure][part] for row in rows] for part in ("mean", "low", "high"))
            color = COLORS[i % len(COLORS)]
            ax.plot(at, mean, color=color, marker=MARKERS[i % len(MARKERS)], linestyle=LINES[i % len(LINES)], label=technique)
            ax.fill_between(at, low, high, color=color, alpha=0.15, linewidth=0)
        if truth.get(measure) is not None:
            ax.axhline(truth[measure], color="black", linewidth=1, linestyle=":", label="truth")
        ax.set_xscale("log")
        ax.set_xlabel("ε")
        ax.set_ylabel(MEASURES[measure])
        ax.grid(alpha=0.25)
    axes[0].legend(frameon=False)
    return axes
