"""A table whose values lie where engines differ, and what is counted of it. As a program: counts it on the cluster that is named.

  python spark_table.py master spark://127.0.0.1:7077      python spark_table.py remote 'local[2]'
"""

from __future__ import annotations

import concurrent.futures
import datetime
import decimal
import hashlib
import json
import math
import os
import signal
import sys
from typing import Any

import numpy as np
import pyarrow as pa

import shoal.spark
from shoal import _axes

GRID = {"a": 10, "b": 960, "dose": 20, "income": 24, "lat": 18, "hour": 24, "age": 56, "at": 40, "local": 40, "month": 12, "ward": 3, "price": 49}
TEXTS = {  # as --bounds has them
    "a": "a=0:1",
    "b": "b=-180:180",
    "dose": "dose=0:500:step=12.5",
    "income": "income=1:1e6:log",
    "lat": "lat=-90:90",
    "hour": "hour=0:24:circle",
    "age": "age=0:110:int",
    "at": "at=2026-03-01T00:00:2026-03-31T00:00",
    "local": "local=2026-03-01T00:00:2026-03-31T00:00:zone=+02:00",
    "month": "month=2026-01-01:2026-12-31:month",
    "ward": "ward=A|B's|C:category",
    "price": "price=0.1:0.7",
}
AXES: dict[str, Any] = {**TEXTS, "lat": shoal.Axis("lat", -90, 90, kind="latitude")}
KEY = "0123456789abcdef" * 2
UNITS: dict[str, Any] = {"epsilon": 1, "axes": [AXES["a"], AXES["b"]], "grid": [10, 960], "percentile": 0, "unit": "unit"}
MIDDLE: dict[str, Any] = {
    "a": 0.55,
    "b": 0.1,
    "dose": 250.0,
    "income": 1234.5,
    "lat": 0.5,
    "hour": 12.5,
    "age": 40,
    "at": datetime.datetime(2026, 3, 9, 1, 2, 3, tzinfo=datetime.timezone.utc),
    "local": datetime.datetime(2026, 3, 9, 1, 2, 3),
    "month": datetime.date(2026, 5, 5),
    "ward": "A",
    "price": decimal.Decimal("0.3"),
}
TYPES = {"age": pa.int32(), "at": pa.timestamp("us", "UTC"), "local": pa.timestamp("us"), "month": pa.date32(), "ward": pa.string(), "price": pa.decimal128(22, 18)}
SPECIAL = [math.nan, None, math.inf, -math.inf, 1e308, -1e308, 0.0, -0.0, 5e-324, -5e-324, 1e16, -1e16]


def _beside(edges: list[float]) -> list[Any]:
    found = np.array(edges)
    return [*found, *np.nextafter(found, math.inf), *np.nextafter(found, -math.inf), *SPECIAL]


def _values(name: str) -> list[Any]:
    """On, just below and just above every edge, and where there is none."""
    axis = _axes.declared([AXES[name]])[0].fitted(GRID[name])
    edges = [axis.edge(j) for j in range(axis.cells + 1)]
    if name == "age":
        return [*range(-2, 113), None]
    if name == "ward":
        return ["A", "B's", "C", "D", "", " C\t", "a", None]
    if name == "price":
        return [None, *(decimal.Decimal(x) + decimal.Decimal(i).scaleb(-18) for x in ("0.1", "0.3", "0.5", "0.7", "0", "-1", "99") for i in (-1, 0, 1))]
    if name == "month":
        return [None, *(datetime.date(2025, 12, 30) + datetime.timedelta(days=i) for i in range(370))]
    if axis.is_time:
        zone = datetime.timezone.utc if name == "at" else None
        local = [datetime.datetime.fromtimestamp(edge + axis.offset, datetime.timezone.utc).replace(tzinfo=zone) for edge in edges]
        steps = [datetime.timedelta(microseconds=i) for i in (-1000000, -1, 0, 1, 999999)]
        return [None, *(time + step for time in local for step in steps), datetime.datetime(1900, 1, 1, 0, 0, 0, 1, tzinfo=zone)]
    far = [-1.5, 25.0, 48.0, 7777.25, 24.0 - 1e-12, -1e-18] if name == "hour" else []
    return _beside(edges) + far


def table() -> pa.Table:
    """Every value of an axis, up to four times, so that no shift goes unseen; the other axes at the middle. And a unit whose keys need care."""
    rows = [{**MIDDLE, name: value} for name in AXES for i, value in enumerate(_values(name)) for _ in range(i % 4 + 1)]
    columns = {name: pa.array([row[name] for row in rows], TYPES.get(name, pa.float64())) for name in AXES}
    units = [(f" u{i % 211}\t", f"u{i % 7}", "ü" * (i % 3 + 1))[i % 3] for i in range(len(rows))]
    return pa.table({**columns, "unit": pa.array(units)})


def frame(spark: Any) -> Any:
    """The table in Spark. Times without a zone are TIMESTAMP_NTZ there, which Arrow's would become only by a setting."""
    found = table()
    texts = pa.array([None if value is None else value.isoformat() for value in found.column("local").to_pylist()], pa.string())
    df = spark.createDataFrame(found.set_column(found.column_names.index("local"), "local", texts))
    return df.selectExpr(*[f"cast({name} as timestamp_ntz) as {name}" if name == "local" else name for name in found.column_names])


def as_csv(found: pa.Table, names: list[str]) -> str:
    """The same values as texts."""

    def text(value: Any) -> str:
        if value is None:
            return "nan"
        if isinstance(value, datetime.datetime):
            return value.isoformat().replace("+00:00", "Z")
        return repr(value) if isinstance(value, float) else str(value)

    columns = [found.column(name).to_pylist() for name in names]
    return "".join(",".join(row) + "\n" for row in [names, *([text(value) for value in values] for values in zip(*columns))])


def model(**given: Any) -> shoal.PrivateWaveCluster:
    return shoal.PrivateWaveCluster(**{"epsilon": 1, "percentile": 0, **given})


def counted(df: Any, names: list[str], **given: Any) -> pa.Table:
    return shoal.spark.counts(model(axes=[AXES[name] for name in names], grid=[GRID[name] for name in names], **given), df)


def truth(found: pa.Table, names: list[str], outside: str = "drop") -> list[list[int]]:
    """Cells and counts by the core."""
    if "price" in names:
        price = pa.array([None if value is None else float(value) for value in found.column("price").to_pylist()], pa.float64())
        found = found.set_column(found.column_names.index("price"), "price", price)
    counting = model(axes=[AXES[name] for name in names], grid=[GRID[name] for name in names])
    return _rows(shoal._core.count(counting._read(found.select(names), None).batches, counting._public(names)[0], outside, 1))


def _rows(counts: shoal._core.Counts) -> list[list[int]]:
    index = np.flatnonzero(counts.values) if counts.is_dense else np.asarray(counts.index)
    cells = [*np.unravel_index(index, counts.grid.shape), np.asarray(counts.values).ravel()[index] if counts.is_dense else np.asarray(counts.values)]
    return sorted(map(list, zip(*[column.tolist() for column in cells])))


def truth_kept(found: pa.Table, most: int | None) -> list[list[int]]:
    """The records that the core keeps with the key, or the parts of units' weights."""
    counting = shoal.PrivateWaveCluster(**UNITS, max_contributions=most or 1)
    source = counting._read(found.select(["a", "b", "unit"]), None)
    return _rows(shoal._core.internal.bounded_counts(source.batches, counting._public(["a", "b"])[0], most or 1, KEY, 1 if most else 1 << 16))


def rows_of(found: pa.Table) -> list[list[int]]:
    return sorted(map(list, zip(*[column.to_pylist() for column in found.columns])))


def digest(rows: Any) -> str:
    return hashlib.sha256(json.dumps(rows if isinstance(rows, list) else rows_of(rows)).encode()).hexdigest()


def kept(df: Any, most: int | None) -> pa.Table:
    """With a key that is known. None: shares."""
    how = {"contribution": "share"} if most is None else {"max_contributions": most}
    return shoal.spark._counted(df, shoal.PrivateWaveCluster(**UNITS, **how), KEY)


def session(how: str, address: str) -> Any:
    from pyspark.sql import SparkSession

    builder = getattr(SparkSession.builder, how)(address).config("spark.sql.shuffle.partitions", "2").config("spark.log.level", "OFF")
    if how == "master":
        small = {"spark.driver.host": "127.0.0.1", "spark.ui.enabled": "false", "spark.executor.memory": "512m", "spark.driver.memory": "512m"}
        builder = builder.config(map={**small, "spark.sql.adaptive.coalescePartitions.enabled": "false"})
    return builder.getOrCreate()


def many(ids: Any) -> tuple[Any, Any, Any]:
    """Returns a, b and a unit for each id, by operations that NumPy and SQL have in common."""
    return (ids * 7919 % 1009) / 1009, (ids * 104729 % 3607) / 10 - 180.0, ids % 5003


def killing(df: Any, group: int) -> tuple[Any, int]:
    """Kept records of the frame; the process group is killed once the shuffle is being read. And how many attempts of tasks failed."""
    tracker, failed = df.sparkSession.sparkContext.statusTracker(), {}
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        counting, alive = pool.submit(kept, df, 3), True
        while not counting.done():
            for stage in filter(None, map(tracker.getStageInfo, tracker.getActiveStageIds())):
                failed[stage.stageId, stage.currentAttemptId] = stage.numFailedTasks
                if alive and stage.numTasks == PARTITIONS and 0 < stage.numCompletedTasks < PARTITIONS // 2:
                    os.killpg(group, signal.SIGKILL)
                    alive = False
            concurrent.futures.wait([counting], timeout=0.01)
        return counting.result(), sum(failed.values())


PARTITIONS, MANY = 16, 100_000


def on_cluster(how: str, address: str, group: str = "") -> str:
    """Digests of all axes and of kept records. With a process group: then of many kept records, during which that group dies."""
    spark = session(how, address)
    try:
        df = frame(spark)
        found = f"{digest(counted(df, list(AXES)))} {digest(kept(df, 3))} {digest(kept(df, None))}"
        if not group:
            return found
        spark.conf.set("spark.sql.shuffle.partitions", PARTITIONS)
        a, b = "(id * 7919 % 1009) / cast(1009 as double) as a", "(id * 104729 % 3607) / cast(10 as double) - cast(180 as double) as b"
        survived, failed = killing(spark.range(MANY).selectExpr(a, b, "id % 5003 as unit"), int(group))
        return f"{found} {digest(survived)} {failed}"
    finally:
        spark.stop()


if __name__ == "__main__":
    print(on_cluster(*sys.argv[1:]))
