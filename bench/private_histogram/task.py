"""A private histogram: counts of points on a square of cells, with noise of epsilon 1 on every cell."""

import time

import numpy as np

from shoal import _core

NAME = "private histogram, epsilon 1"
UNIT = "cells"
SIDES = {"tiny": 32, "small": 64, "full": 128}
ROWS = 1_000_000
EPSILON = 1
LIMIT = "sum the points, set a counter and draw a word for every cell"
TIMES = 20  # of the limit: once is too short for the clock


def setup(size):
    rng = np.random.default_rng(7)
    columns = [rng.random(ROWS) for _ in range(2)]
    grid = _core.Grid([(0, 1)] * 2, [SIDES[size]] * 2)
    return {"columns": columns, "side": SIDES[size], "grid": grid, "counts": _core.quantize(columns, grid).values}


def check(data, noisy):
    """Mean and variance of the noise within six deviations. No cell is near 0, where a peer cuts its values off."""
    noise = np.asarray(noisy).reshape(data["counts"].shape) - data["counts"]
    q = np.exp(-EPSILON)
    variance = 2 * q / (1 - q) ** 2
    fourth = 2 * q * (1 + 10 * q + q * q) / (1 - q) ** 4
    assert data["counts"].min() > 20
    assert abs(noise.mean()) < 6 * np.sqrt(variance / noise.size)
    assert abs((noise**2).mean() - variance) < 6 * np.sqrt((fourth - variance**2) / noise.size)


def work(data):
    return data["side"] ** 2


def limit(data):
    start = time.perf_counter()
    for _ in range(TIMES):
        for column in data["columns"]:
            _core.internal.sum(column)
        _core.internal.raw_words(np.full(data["counts"].shape, 0).size)
    return (time.perf_counter() - start) / TIMES
