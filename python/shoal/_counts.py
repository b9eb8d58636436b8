"""Releases of counts that another engine computed."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

import numpy as np

from . import _core, _input
from ._estimators import PrivateWaveCluster
from ._release import Release
from ._release_set import ReleaseSet

COUNT = "count"  # name of the column of counts in a table
METADATA = b"shoal.axes"  # key in the metadata of an Arrow table for the grid of its counts


def release_counts(model: PrivateWaveCluster, counts: Any, cells: Any = None) -> Release | ReleaseSet:
    """Spend epsilon on one release of counts per cell that another engine computed.

    The counts are used as given. Each record must be counted once, in one cell. If model.unit is a column, the engine must have kept at
    most max_contributions records per unit, chosen independently of other units. With contribution="share", the engine must have
    distributed 65536 parts over the cells of each unit, and the counts are in parts. The model is not fitted.

    Parameters
    ----------
    model : PrivateWaveCluster
        The parameters of the release. The engine counted on the axes that shoal.counted_axes returns. The technique "baseline" needs the
        points, and so do groups.
    counts : array, sparse matrix or table
        All counts of the grid, as an array or a SciPy sparse array of its shape; or a table (pandas, polars, Arrow) with a column of
        cell indices for each axis and a column "count"; or, with cells, one count per row of cells. Counts are whole numbers.
    cells : array of shape (n, axes), default=None
        Indices of the cells along each axis, starting at 0. Cells that are not listed hold no record.

    Returns
    -------
    Release, or ReleaseSet if the model has insets

    Examples
    --------
    >>> import numpy as np, shoal
    >>> spirals = shoal.datasets.load("ds2")
    >>> counts, *_ = np.histogramdd(spirals.X, bins=40, range=[(0, 1), (0, 1)])
    >>> model = shoal.PrivateWaveCluster(bounds=(0, 1), grid=40, percentile=10, epsilon=1)
    >>> shoal.release_counts(model, counts).private
    True
    """
    model._check()
    if model.technique == "baseline":
        raise ValueError("baseline needs the points; give another technique, or fit the points")
    source = _Table(counts, cells, _input.named(model))
    source.check(counted_grid(model, source.names))
    return model._draw(source.batches, model._public(source.names), model.insets, counted=True)


def counted_axes(model: PrivateWaveCluster) -> list[dict[str, Any]]:
    """Axes on which counts for release_counts must lie: lower bound (lo), upper bound (hi) and number of cells of each.

    >>> import shoal
    >>> model = shoal.PrivateWaveCluster(epsilon=1, bounds={"x": (0, 1), "y": (0, 1)}, grid="auto")
    >>> [axis["cells"] for axis in shoal.counted_axes(model)]
    [960, 960]
    """
    model._check()
    names = _input.named(model).names
    if names is None and np.ndim(model.bounds) != 2:  # type: ignore[arg-type]
        raise ValueError("bounds is one pair for all axes; give columns, the names of the axes")
    axes_found: list[dict[str, Any]] = json.loads(counted_grid(model, names or [""] * len(model.bounds)).json)  # type: ignore[arg-type]
    return axes_found


def counted_grid(model: PrivateWaveCluster, names: list[str]) -> _core.Grid:
    if model.groups is not None:
        raise ValueError("counts of groups cannot be released in Python; use the program, or remove groups")
    grid, options, automatic = model._public(names)
    return _core.counted_grid(grid, options, automatic, model.insets)


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
