"""Private synthetic points."""

from __future__ import annotations

import os
from collections.abc import Sequence
from decimal import Decimal
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import _core
from ._axes import Axis
from ._estimators import PrivateWaveCluster
from ._options import Bounds, Decimals, decimal_text
from ._release import Share


class Synthesis:
    """The result of synthesize. Drawing points from it spends no further budget."""

    def __init__(self, found: _core.Synthesis) -> None:
        self._found = found

    @property
    def spent(self) -> list[Share]:
        """Budget of each mechanism. The sum is exactly epsilon."""
        return [Share(mechanism, sensitivity, Decimal(epsilon)) for mechanism, sensitivity, epsilon in self._found.spent()]

    @property
    def private(self) -> bool:
        """Whether the points are private. False for a run with random_state."""
        return self._found.is_private

    @property
    def boxes(self) -> int:
        """Number of boxes. They tile the bounds, and each has a noisy number of records."""
        return self._found.boxes

    def draw(self, max_points: int = 10_000_000) -> NDArray[np.float64]:
        """Return synthetic points as rows. If there are more than max_points, a random sample is returned."""
        points, _ = self._found.draw(max_points)
        return points

    def __repr__(self) -> str:
        return f"<Synthesis of {self.boxes} boxes{'' if self.private else ', NOT private'}>"


def synthesize(
    X: Any,
    *,
    epsilon: Decimals,
    bounds: Bounds | None = None,
    columns: Sequence[str] | None = None,
    axes: Sequence[Axis | str] | None = None,
    publisher: str = "adaptive-grid",
    grid: int | Sequence[int] = 64,
    outside: str = "drop",
    neighbors: str = "add-remove",
    unit: str = "record",
    max_contributions: int | None = None,
    contribution: str | None = None,
    units: Any = None,
    ledger: str | os.PathLike[str] | None = None,
    dataset: str | None = None,
    random_state: Any = None,
) -> Synthesis:
    """Spend epsilon once on private synthetic points.

    Parameters
    ----------
    X : array, frame or Arrow stream
        The points.
    publisher : {"adaptive-grid", "uniform-grid", "quadtree", "kd-tree", "privelet"}, default="adaptive-grid"
        Publishing method.
    grid : int or list of int, default=64
        Cells per axis. Only privelet uses it.
    epsilon, bounds, columns, outside, neighbors, unit, max_contributions, contribution, units, ledger, dataset, random_state
        As in PrivateWaveCluster.

    Returns
    -------
    Synthesis

    Examples
    --------
    >>> import shoal
    >>> spirals = shoal.datasets.load("ds2", points=5000)
    >>> made = shoal.synthesize(spirals.X, epsilon=1, bounds=(0, 1))
    >>> made.private, made.draw().shape[1]
    (True, 2)
    """
    model = PrivateWaveCluster(
        epsilon=epsilon,
        bounds=bounds,
        columns=columns,
        axes=axes,
        grid=grid,
        percentile=0,
        technique="baseline",
        publisher=publisher,
        outside=outside,
        neighbors=neighbors,
        unit=unit,
        max_contributions=max_contributions,
        contribution=contribution,
        ledger=ledger,
        dataset=dataset,
        random_state=random_state,
    )
    source = model._read(X, units)
    counted_on, options, _ = model._public(source.names, source.found)
    cost = decimal_text(epsilon, "epsilon")
    found = _core.synthesize(
        source.batches,
        counted_on,
        cost,
        options,
        outside=outside,
        seed=model._seed(),
        ledger=None if ledger is None else os.fspath(ledger),
        dataset=dataset or "",
    )
    model._warn_of_spending(cost)
    return Synthesis(found)
