"""A whole private release from points in memory: count, noise, Haar, the k-th largest positive value, components."""

import time

import numpy as np
from scipy import ndimage

from shoal import _core

NAME = "whole release (privqt, epsilon 1)"
UNIT = "points"
POINTS = {"tiny": 50_000, "small": 1_000_000, "full": 10_000_000}
SIDES = {"tiny": 256, "small": 1024, "full": 4096}
CENTRES = 40
EPSILON = 1.0
PERCENTILE = 80.0


def setup(size):
    """Blobs on an even background, all inside the bounds."""
    rng = np.random.default_rng(7)
    rows, side = POINTS[size], SIDES[size]
    blobs = rows * 4 // 5
    centres = rng.uniform(0.1, 0.9, (2, CENTRES))
    which = rng.integers(0, CENTRES, blobs)
    columns = [rng.random(rows) for _ in range(2)]
    for column, centre in zip(columns, centres):
        column[:blobs] = np.clip(rng.normal(centre[which], 0.02), 0, 1)
    grid = _core.Grid([(0, 1)] * 2, [side] * 2)
    counts = _core.quantize(columns, grid).values
    return {"columns": columns, "rows": rows, "side": side, "grid": grid, "counts": counts}


def from_noisy_counts(noisy):
    """What must follow from the noisy counts, by numpy alone: k, the threshold as an integer sum, how many clusters."""
    side = len(noisy) // 2
    sums = noisy.reshape(side, 2, side, 2).sum(axis=(1, 3))
    positive = np.sort(sums[sums > 0])[::-1]
    k = -(-len(positive) * int(100 - PERCENTILE) // 100)
    return k, positive[k - 1], ndimage.label(sums >= positive[k - 1], np.ones((3, 3)))[1]


def check(data, answer):
    """The noise has the mean and the variance of discrete Laplace within six deviations; the rest follows exactly."""
    noisy, k, threshold, clusters = answer
    noise = noisy - data["counts"]
    cells = noise.size
    q = np.exp(-EPSILON)
    variance = 2 * q / (1 - q) ** 2
    fourth = 2 * q * (1 + 10 * q + q * q) / (1 - q) ** 4
    assert abs(noise.mean()) < 6 * np.sqrt(variance / cells)
    assert abs((noise.astype(float) ** 2).mean() - variance) < 6 * np.sqrt((fourth - variance**2) / cells)
    assert (k, threshold, clusters) == from_noisy_counts(noisy)


def work(data):
    return data["rows"]


LIMIT = "sum the points, set the counters, draw the words, copy the counts"


def limit(data):
    start = time.perf_counter()
    for column in data["columns"]:
        _core.internal.sum(column)
    noisy = np.full(data["counts"].shape, 0)
    _core.internal.raw_words(noisy.size)
    np.copyto(noisy, data["counts"])
    return time.perf_counter() - start
