"""Example datasets that are generated from a seed. They contain no personal data."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from . import _core


class Dataset(NamedTuple):
    """Points, their true labels and suitable settings."""

    X: npt.NDArray[np.float64]
    labels: npt.NDArray[np.int64]  # shape from which each row was generated, starting at 0; -1 for background
    names: list[str]
    bounds: list[tuple[float, float]]
    grid: list[int]
    percentile: float

    @property
    def frame(self) -> Any:
        """Return the points as a pandas frame with named columns."""
        import pandas

        return pandas.DataFrame({name: self.X[:, i] for i, name in enumerate(self.names)})


def names() -> list[str]:
    """Names of the datasets. ds1, ds2 and ds3 resemble those of the paper, world resembles check-ins, visits holds days in seconds. mixtureN has N axes, 1 to 16.

    >>> names()
    ['ds1', 'ds2', 'ds3', 'world', 'visits', 'mixture2', 'mixture3']
    """
    return list(_core.dataset_names())


def load(name: str, *, seed: int = 1, points: int | None = None) -> Dataset:
    """Return the rows that `shoal datasets NAME --seed SEED` writes.

    >>> spirals = load("ds2", points=1000)
    >>> spirals.X.shape, spirals.names, spirals.bounds
    ((1000, 2), ['x', 'y'], [(0.0, 1.0), (0.0, 1.0)])
    """
    made = _core.make_dataset(name, seed, 0 if points is None else points)
    X = np.stack(made["columns"]).T  # each column is contiguous, so that it is read in place
    labels = np.asarray(made["labels"]).astype(np.int64) - 1
    return Dataset(X, labels, made["names"], made["bounds"], made["grid"], made["percentile"])
