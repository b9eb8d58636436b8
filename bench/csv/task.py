"""A plain CSV file of two columns with 17 decimals: count the rows and add up both columns."""

import atexit
import math
import os
import pathlib
import random
import tempfile

NAME = "CSV, two columns of 17 digits"
UNIT = "bytes"
LIMIT = "read the file (cached) and nothing else"
ROWS = {"tiny": 100_000, "small": 1_000_000, "full": 10_000_000}
PART = 100_000  # rows made at a time


def setup(size):
    """All rows differ: a grouped count must not meet the same cells over and over."""
    rng = random.Random(17)
    handle, path = tempfile.mkstemp(suffix=".csv")
    atexit.register(pathlib.Path(path).unlink, missing_ok=True)
    sums = [0.0, 0.0]
    with os.fdopen(handle, "w") as file:
        file.write("x,y\n")
        for _ in range(ROWS[size] // PART):
            rows = [(f"{rng.random():.17f}", f"{rng.random():.17f}") for _ in range(PART)]
            file.write("".join(f"{x},{y}\n" for x, y in rows))
            sums = [total + math.fsum(float(row[i]) for row in rows) for i, total in enumerate(sums)]
    return {"path": path, "rows": ROWS[size], "sums": sums}


def check(data, answer):
    rows, sums = answer
    assert rows == data["rows"], (rows, data["rows"])
    for got, want in zip(sums, data["sums"], strict=True):
        assert math.isclose(got, want, rel_tol=1e-9), (got, want)


def work(data):
    return os.path.getsize(data["path"])


def limit(data):
    import time

    buffer = bytearray(1 << 18)
    start = time.perf_counter()
    with open(data["path"], "rb", buffering=0) as file:
        while file.readinto(buffer):
            pass
    return time.perf_counter() - start
