"""The published sets, enlarged: DATA/shapes/*.csv with columns x, y, label. Fewer than 27,000 points become 30,000, each several times with jitter."""

from __future__ import annotations

import pathlib
from collections.abc import Iterator

import numpy as np

POINTS = 30000
JITTERS = {
    "uniform": lambda rng, n: rng.uniform(0, 0.005, (n, 2)),
    "normal1": lambda rng, n: rng.normal(0, 0.01, (n, 2)),
    "normal2": lambda rng, n: rng.normal(0, 0.02, (n, 2)),
}


def enlarged(path: pathlib.Path, jitter: str) -> tuple[np.ndarray, np.ndarray]:
    rows = np.loadtxt(path, delimiter=",", skiprows=1)
    points, labels = rows[:, :2], rows[:, 2].astype(int)
    if len(points) < 27000:
        index = np.resize(np.arange(len(points)), POINTS)
        shift = JITTERS[jitter](np.random.default_rng(7), POINTS) * np.ptp(points, axis=0)
        points, labels = points[index] + shift, labels[index]
    return points, labels


def bounds_of(points: np.ndarray) -> list[tuple[float, float]]:
    """Returns bounds 5 % wider than the points. In a release the bounds would be public."""
    low, high = points.min(axis=0), points.max(axis=0)
    pad = (high - low) * 0.025
    return list(zip((low - pad).tolist(), (high + pad).tolist(), strict=True))


def all_sets(data: pathlib.Path, jitter: str) -> Iterator[tuple[str, np.ndarray, np.ndarray, list[tuple[float, float]]]]:
    for path in sorted(data.glob("shapes/*.csv")):
        points, labels = enlarged(path, jitter)
        yield path.stem, points, labels, bounds_of(points)
