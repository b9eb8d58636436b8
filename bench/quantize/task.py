"""Counts of float64 pairs in memory on a square of 1024 x 1024 cells."""

import time

import numpy as np
from shoal import _core

NAME = "quantize pairs on 1024 x 1024"
UNIT = "points"
ROWS = {"small": 5_000_000, "full": 100_000_000}
CELLS = 1024
LIMIT = "a plain sum of both arrays, one thread"


def setup(size):
    """A dense half and an even half, all inside the bounds: peers differ in what they do outside."""
    rng = np.random.default_rng(7)
    columns = []
    for _ in range(2):
        column = rng.random(ROWS[size])
        half = column[: len(column) // 2]
        np.multiply(half, 0.2, out=half)
        np.add(half, 0.4, out=half)
        columns.append(column)
    return {"columns": columns, "rows": ROWS[size], "grid": _core.Grid([(0, 1)] * 2, [CELLS] * 2)}


def check(data, answer):
    """The total, and every row of cells against numpy: the width of a cell is a power of two, edges are exact."""
    assert answer.shape == (CELLS, CELLS) and answer.sum() == data["rows"]
    if "rows_of_cells" not in data:
        data["rows_of_cells"] = np.bincount((data["columns"][0] * CELLS).astype(np.int32), minlength=CELLS)
    assert np.array_equal(answer.sum(axis=1), data["rows_of_cells"])


def work(data):
    return data["rows"]


def limit(data):
    start = time.perf_counter()
    for column in data["columns"]:
        _core.internal.sum(column)
    return time.perf_counter() - start
