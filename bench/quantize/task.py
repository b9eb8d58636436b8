"""Counts of float64 points in memory, on grids that fit the caches and on fine ones that do not."""

import time

import numpy as np

from shoal import _core

NAME = "quantize"
UNIT = "points"
CASES = ["1024 x 1024", "8192 x 8192", "256 x 256 x 256"]
ROWS = {
    ("small", "1024 x 1024"): 5_000_000,
    ("full", "1024 x 1024"): 100_000_000,
    ("small", "8192 x 8192"): 2_000_000,
    ("full", "8192 x 8192"): 20_000_000,
    ("small", "256 x 256 x 256"): 2_000_000,
    ("full", "256 x 256 x 256"): 20_000_000,
}
LIMIT = "a plain sum of the arrays, and setting the counters to 0"


def setup(size, case):
    """A dense half and an even half, all inside the bounds: peers differ in what they do outside."""
    rng = np.random.default_rng(7)
    shape = [int(extent) // (4 if size == "tiny" else 1) for extent in case.split(" x ")]
    rows = ROWS[size, case] if size != "tiny" else 100_000
    columns = []
    for _ in shape:
        column = rng.random(rows)
        half = column[: len(column) // 2]
        np.multiply(half, 0.2, out=half)
        np.add(half, 0.4, out=half)
        columns.append(column)
    grid = _core.Grid([(0, 1)] * len(shape), shape)
    return {"columns": columns, "rows": rows, "shape": shape, "grid": grid}


def check(data, answer):
    """The total, and every slice of cells against numpy: the width of a cell is a power of two, edges are exact."""
    assert list(answer.shape) == data["shape"] and answer.sum() == data["rows"]
    first = data["shape"][0]
    if "slices" not in data:
        data["slices"] = np.bincount((data["columns"][0] * first).astype(np.int32), minlength=first)
    assert np.array_equal(answer.reshape(first, -1).sum(axis=1), data["slices"])


def work(data):
    return data["rows"]


def limit(data):
    start = time.perf_counter()
    for column in data["columns"]:
        _core.internal.sum(column)
    np.full(data["shape"], 0)
    return time.perf_counter() - start
