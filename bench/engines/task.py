"""Rows of two doubles counted on 1024 x 1024 cells, from where engines have them. Ours is the whole program, with its start and the clusters."""

import atexit
import pathlib
import shutil
import sys
import tempfile

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "tests" / "program"))

NAME = "engines"
UNIT = "rows"
CASES = ["Parquet", "PostgreSQL"]
ROWS = {"tiny": 10_000, "small": 1_000_000, "full": 10_000_000}
PART = 1_000_000  # rows made at a time, at most


def write(path, rows, seed=5, groups=1):
    """Writes a Parquet file with `rows` rows, part by part; each part has `groups` row groups."""
    rng, part = np.random.default_rng(seed), min(rows, PART)
    with pq.ParquetWriter(path, pa.schema([("x", pa.float64()), ("y", pa.float64())])) as file:
        for _ in range(rows // part):
            file.write_table(pa.table({"x": rng.random(part), "y": rng.random(part)}), row_group_size=part // groups)


def setup(size, case):
    folder = pathlib.Path(tempfile.mkdtemp())
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    data = {"case": case, "rows": ROWS[size], "path": folder / "points.parquet"}
    if case == "Parquet":
        write(data["path"], data["rows"])
        return data
    from engines import Server

    data["server"] = Server()
    atexit.register(data["server"].close)
    data["server"].ask("create unlogged table points (x float8, y float8)")
    data["server"].ask(f"insert into points select random(), random() from generate_series(1, {data['rows']})")
    data["server"].ask("vacuum analyze points")
    return data


def check(data, answer):
    assert answer == data["rows"], (answer, data["rows"])


def work(data):
    return data["rows"]
