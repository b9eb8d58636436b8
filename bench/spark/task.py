"""Rows of a Parquet file of two doubles, counted on 1024 x 1024 cells by Spark on two threads of this machine; counts arrive in the driver."""

import atexit
import pathlib
import shutil
import tempfile

NAME = "spark"
UNIT = "rows"
CASES = ["records", "5 records a unit"]
ROWS = {"tiny": 10_000, "small": 1_000_000, "full": 10_000_000}


def write(path, rows):
    import numpy as np
    import pyarrow as pa
    import pyarrow.parquet as pq

    rng, part = np.random.default_rng(5), min(rows, 1_000_000)
    with pq.ParquetWriter(path, pa.schema([("x", pa.float64()), ("y", pa.float64()), ("unit", pa.int64())])) as file:
        for _ in range(rows // part):
            file.write_table(pa.table({"x": rng.random(part), "y": rng.random(part), "unit": rng.integers(0, rows // 10, part)}))


def session(folder):
    from pyspark.sql import SparkSession

    settings = {"spark.ui.enabled": "false", "spark.ui.showConsoleProgress": "false", "spark.driver.memory": "3g", "spark.local.dir": str(folder)}
    return SparkSession.builder.master("local[2]").config(map={**settings, "spark.sql.shuffle.partitions": "4", "spark.log.level": "ERROR"}).getOrCreate()


def setup(size, case):
    folder = pathlib.Path(tempfile.mkdtemp())
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    write(folder / "points.parquet", ROWS[size])
    return {"case": case, "rows": ROWS[size], "frame": session(folder).read.parquet(str(folder / "points.parquet"))}


def check(data, answer):
    assert answer == data["rows"] if data["case"] == "records" else 0 < answer <= data["rows"], answer


def work(data):
    return data["rows"]
