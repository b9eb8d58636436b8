"""Releases of counts that another engine computed."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from . import _core, _input
from ._axes import Axis
from ._estimators import PrivateWaveCluster
from ._options import DEFAULT_TECHNIQUE, Bounds, Decimals, is_automatic
from ._release import Release

COUNT = "count"  # name of the column of counts in a table
METADATA = b"shoal.axes"  # key in the metadata of an Arrow table for the grid of its counts


def release_counts(
    counts: Any,
    cells: Any = None,
    *,
    epsilon: Decimals,
    bounds: Bounds | None = None,
    columns: Sequence[str] | None = None,
    axes: Sequence[Axis | str] | None = None,
    grid: int | Sequence[int] | str = 64,
    percentile: float | None = None,
    top: int | None = None,
    density: float | None = None,
    coverage: float | None = None,
    technique: str = DEFAULT_TECHNIQUE,
    wavelet: str = "haar",
    level: int = 1,
    stationary: bool = False,
    adjacency: str = "full",
    min_cells: int = 1,
    alpha: float | None = None,
    max_density: float | None = None,
    base_measure: str = "logarithmic",
    neighbors: str = "add-remove",
    unit: str = "record",
    max_contributions: int | None = None,
    contribution: str | None = None,
    ledger: str | os.PathLike[str] | None = None,
    dataset: str | None = None,
    random_state: Any = None,
    threads: int = 0,
) -> Release:
    """Spend epsilon on one release of counts per cell that another engine computed.

    The counts are used as given. Each record must be counted once, in one cell. If unit is a column, the engine must have kept at most
    max_contributions records per unit, chosen independently of other units. With contribution="share", the engine must have
    distributed 65536 parts over the cells of each unit, and the counts are in parts.

    Parameters
    ----------
    counts : array, sparse matrix or table
        All counts of the grid, as an array or a SciPy sparse array of its shape; or a table (pandas, polars, Arrow) with a column of
        cell indices for each axis and a column "count"; or, with cells, one count per row of cells. Counts are whole numbers.
    cells : array of shape (n, axes), default=None
        Indices of the cells along each axis, starting at 0. Cells that are not listed hold no record.
    epsilon, bounds, columns, axes, grid, unit, max_contributions, contribution, neighbors, ledger, dataset, random_state
        As in PrivateWaveCluster. bounds and grid are those on which the engine counted. With grid="auto", the engine counts on a
        fine grid, which shoal.counted_axes returns.
    percentile, coverage, top, density, technique, wavelet, level, stationary, adjacency, min_cells, alpha, max_density, base_measure, threads
        As in PrivateWaveCluster. The technique "baseline" needs the points.

    Returns
    -------
    Release

    Examples
    --------
    >>> import numpy as np, shoal
    >>> spirals = shoal.datasets.load("ds2")
    >>> counts, *_ = np.histogramdd(spirals.X, bins=40, range=[(0, 1), (0, 1)])
    >>> shoal.release_counts(counts, bounds=(0, 1), grid=40, percentile=10, epsilon=1).private
    True
    """
    model = PrivateWaveCluster(
        epsilon=epsilon,
        bounds=bounds,
        columns=columns,
        axes=axes,
        grid=grid,
        percentile=percentile,
        top=top,
        density=density,
        coverage=coverage,
        technique=technique,
        wavelet=wavelet,
        level=level,
        stationary=stationary,
        adjacency=adjacency,
        min_cells=min_cells,
        alpha=alpha,
        max_density=max_density,
        base_measure=base_measure,
        neighbors=neighbors,
        unit=unit,
        max_contributions=max_contributions,
        contribution=contribution,
        ledger=ledger,
        dataset=dataset,
        random_state=random_state,
        threads=threads,
    )
    model._check()
    return released(model, counts, cells)


def released(model: PrivateWaveCluster, counts: Any, cells: Any = None) -> Release:
    """Release counts with the parameters of the model."""
    if model.technique == "baseline":
        raise ValueError("baseline needs the points; give another technique, or fit the points")
    source = _Table(counts, cells, _input.named(model))
    public, options, automatic = model._public(source.names)
    source.check(_core.finest_grid(public) if automatic else public)
    return Release(model._draw(_core.release_counts, source.batches, public, options, automatic=automatic))


def counted_axes(
    *,
    bounds: Bounds | None = None,
    columns: Sequence[str] | None = None,
    axes: Sequence[Axis | str] | None = None,
    grid: int | Sequence[int] | str = 64,
) -> list[dict[str, Any]]:
    """Axes on which counts for release_counts must lie: lower bound (lo), upper bound (hi) and number of cells of each.

    >>> import shoal
    >>> [axis["cells"] for axis in shoal.counted_axes(bounds={"x": (0, 1), "y": (0, 1)}, grid="auto")]
    [960, 960]
    """
    model = PrivateWaveCluster(epsilon=1, bounds=bounds, columns=columns, axes=axes, grid=grid, percentile=None if is_automatic(grid) else 0)
    model._check()
    names = _input.named(model).names
    if names is None and np.ndim(bounds) != 2:  # type: ignore[arg-type]
        raise ValueError("bounds is one pair for all axes; give columns, the names of the axes")
    axes_found: list[dict[str, Any]] = json.loads(counted_grid(model, names or [""] * len(bounds)).json)  # type: ignore[arg-type]
    return axes_found


def counted_grid(model: PrivateWaveCluster, names: list[str]) -> _core.Grid:
    public, _, automatic = model._public(names)
    return _core.finest_grid(public) if automatic else public


def _without_names(axes: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{key: value for key, value in axis.items() if key != "name"} for axis in axes]


class _Table:
    """Counts in any form, as batches of columns: one column of cell indices per axis, and the counts."""

    names: list[str]  # names of the axes, "" if they have none
    batches: Iterable[_input.Batch]

    def __init__(self, counts: Any, cells: Any, axes: _input.Axes) -> None:
        self._shape: tuple[int, ...] | None = None
        self._metadata: bytes | None = None
        found = _input.names_of(counts)
        if found is not None:
            if cells is not None:
                raise ValueError("cells are given, and counts is a table, which holds them; give one of them")
            self._read_frame(counts, found, axes)
            return
        if cells is not None:
            columns = [np.asarray(column) for column in np.asarray(cells).T]
            values = np.asarray(counts)
            if values.ndim != 1 or np.ndim(cells) != 2 or len(values) != len(cells):
                raise ValueError("cells must have a row for each count, and a column for each axis")
        elif hasattr(counts, "tocoo"):
            listed = counts.tocoo(copy=True)
            listed.sum_duplicates()
            self._shape = tuple(counts.shape)
            columns, values = [np.asarray(index) for index in getattr(listed, "coords", (listed.row, listed.col))], listed.data
        else:
            dense = np.asarray(counts)
            if not dense.ndim:
                raise ValueError("counts must be an array of the shape of the grid, a sparse matrix or a table")
            self._shape = dense.shape
            columns, values = list(np.nonzero(dense)), dense[np.nonzero(dense)]
        if axes.names is not None and len(axes.names) != len(columns):
            raise ValueError(f"the counts have {len(columns)} axes, but {len(axes.names)} are named")
        self.names = axes.names or [""] * len(columns)
        self.batches = [([_input.readable(column) for column in [*columns, values]], None)]

    def _read_frame(self, table: Any, found: list[str], axes: _input.Axes) -> None:
        if COUNT not in found:
            raise ValueError(f"the table has no column '{COUNT}'; name the column of counts so")
        read = axes.names or [name for name in found if name != COUNT]
        self.names = axes.names or [""] * len(read)
        schema = getattr(table, "schema", None)
        metadata = getattr(schema, "metadata", None) or {}
        self._metadata = metadata.get(METADATA) if isinstance(metadata, dict) else None
        table_axes = _input.Axes([*read, COUNT])
        self.batches = _input._frame(table, table_axes, None, None, _input.Types()).batches

    def check(self, grid: _core.Grid) -> None:
        """Raise ValueError if the counts state another grid."""
        if self._shape is not None and self._shape != grid.shape:
            raise ValueError(f"the counts have the shape {self._shape}, but the grid has {grid.shape}; count on this grid")
        if self._metadata is not None and _without_names(json.loads(self._metadata)) != _without_names(json.loads(grid.json)):
            raise ValueError("the table was counted on another grid than bounds and grid say; give those that it was counted on")
