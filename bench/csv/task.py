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
ROWS = {"small": 1_000_000, "full": 10_000_000}
PART = 100_000  # the file is this many rows over and over: what they are does not matter to a parser


def setup(size):
    rng = random.Random(17)
    rows = [(f"{rng.random():.17f}", f"{rng.random():.17f}") for _ in range(PART)]
    handle, path = tempfile.mkstemp(suffix=".csv")
    atexit.register(pathlib.Path(path).unlink, missing_ok=True)
    part = "".join(f"{x},{y}\n" for x, y in rows)
    with os.fdopen(handle, "w") as file:
        file.write("x,y\n")
        for _ in range(ROWS[size] // PART):
            file.write(part)
    times = ROWS[size] // PART
    sums = [times * math.fsum(float(row[i]) for row in rows) for i in (0, 1)]
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
