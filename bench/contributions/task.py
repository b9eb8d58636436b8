"""At most 5 records of each unit, counted on 1024 x 1024 cells: a million units, and some where one has a quarter of the rows."""

import numpy as np

NAME = "contributions"
UNIT = "rows"
CASES = ["1 M units", "299 k units, one with a quarter of the rows"]
ROWS = {"tiny": 50_000, "small": 1_000_000, "full": 10_000_000}
MOST = 5


def setup(size, case):
    rng = np.random.default_rng(5)
    rows = ROWS[size]
    skewed = case != CASES[0]
    units = rng.integers(0, (299_000 if skewed else 1_000_000) * rows // ROWS["full"], rows)
    if skewed:
        units[rng.integers(0, 4, rows) == 0] = 7
    return {"x": rng.random(rows), "y": rng.random(rows), "units": units, "rows": rows}


def check(data, answer):
    """Every unit keeps all it has, up to 5. Where it has no more, its cells are known."""
    if "kept" not in data:
        data["kept"] = int(np.minimum(np.bincount(data["units"]), MOST).sum())
    assert answer.sum() == data["kept"], (int(answer.sum()), data["kept"])
    few = np.bincount(data["units"])[data["units"]] <= MOST
    cells = (data["x"][few] * 1024).astype(np.int64) * 1024 + (data["y"][few] * 1024).astype(np.int64)
    assert (answer.reshape(-1) >= np.bincount(cells, minlength=1024 * 1024)).all()


def work(data):
    return data["rows"]
