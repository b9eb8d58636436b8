"""shoal.where selects the rows that the program's --where selects, from tables of every kind."""

import json

import condition_table
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from optional import optional

import shoal

pl = optional("polars")

ARROW = condition_table.as_arrow()
TABLES = {
    "pyarrow": ARROW,
    "chunks": pa.concat_tables([ARROW.slice(0, 7), ARROW.slice(7)]),
    "record batch": ARROW.to_batches()[0],
    **({"polars": pl.from_arrow(ARROW)} if pl else {}),
    "pandas": pd.DataFrame({name: pd.Series([row[name] for row in condition_table.ROWS], dtype=kind) for name, kind in zip(condition_table.NAMES, ["int64", "float64", "Int64", object, object, object, "datetime64[us]", "boolean", object])}).assign(
        d=lambda frame: pd.to_datetime(frame["d"])
    ),
    "pandas of Arrow": ARROW.to_pandas(types_mapper=pd.ArrowDtype),
}


def selected(table, condition):
    return list(map(int, shoal.where(table, condition)["id"].to_pylist() if isinstance(table, (pa.Table, pa.RecordBatch)) else shoal.where(table, condition)["id"]))


@pytest.mark.parametrize("name", TABLES)
def test_each_condition_selects_the_rows_that_are_written_down(name):
    for condition, expected in condition_table.WRITTEN:
        assert selected(TABLES[name], condition) == expected, (name, condition)


@pytest.mark.parametrize("name", TABLES)
def test_random_conditions_mean_the_same_everywhere(name):
    for condition, expected in condition_table.random_conditions(seed=24, count=300):
        assert selected(TABLES[name], condition) == expected, (name, condition)


def test_a_table_stays_what_it_is():
    for table in TABLES.values():
        assert type(shoal.where(table, "id < 3")) is type(table)
    reader = shoal.where(ARROW.to_reader(max_chunksize=10), "id in (3, 33)")
    assert reader.read_all()["id"].to_pylist() == [3, 33]
    model = shoal.WaveCluster(bounds=[(0, 64)], columns=["id"], grid=8, percentile=0)
    assert np.array_equal(model.fit(shoal.where(TABLES["pandas"], "n is not null")).cell_labels_, model.fit(TABLES["pandas"].dropna(subset=["n"])).cell_labels_)


def test_what_does_not_fit_is_refused():
    for table in TABLES.values():
        with pytest.raises(ValueError, match="character 5"):
            shoal.where(table, "id =")
        with pytest.raises(ValueError, match="no column 'rowid'"):
            shoal.where(table, "rowid < 3")
        with pytest.raises(ValueError, match="column 'n' holds numbers"):
            shoal.where(table, "n = '5'")
    for other in (np.zeros((3, 2)), [[1, 2]], pl.LazyFrame({"id": [1]})):
        with pytest.raises(TypeError, match="collect it"):
            shoal.where(other, "id < 3")
    with pytest.raises(ValueError, match="type that a condition cannot compare"):
        shoal.where(pa.table({"id": [[1]]}), "id = 1")


def test_one_value_changes_no_type():
    """Objects of several types are refused: pandas and pyarrow would give all rows a type that one of them decides."""
    for values in (["1", 1], [1, 2], ["a", 1.5], [b"\xff", "a"]):
        with pytest.raises(TypeError, match="column 'v' holds objects") as caught:
            shoal.where(pd.DataFrame({"v": pd.Series(values, dtype=object)}), "v = '1'")
        assert caught.value.__cause__ is None and caught.value.__suppress_context__
    words = pd.DataFrame({"v": pd.Categorical(["a", "b", None, "a"])})
    assert list(shoal.where(words, "v = 'a'").index) == [0, 3]


# ---- Spark


@pytest.fixture(scope="module")
def frame():
    pytest.importorskip("pyspark")
    from pyspark.sql import SparkSession

    running = SparkSession.getActiveSession()
    settings = {"spark.ui.enabled": "false", "spark.sql.shuffle.partitions": "1", "spark.driver.memory": "512m", "spark.driver.host": "127.0.0.1", "spark.driver.bindAddress": "127.0.0.1", "spark.log.level": "ERROR"}
    session = SparkSession.builder.master("local[1]").config(map=settings).getOrCreate()
    zone = session.conf.get("spark.sql.session.timeZone")
    session.conf.set("spark.sql.session.timeZone", "America/New_York")
    kinds = "id bigint, n double, i bigint, s string, m string, d date, t timestamp_ntz, b boolean, `Odd name` string"
    yield session.createDataFrame([tuple(row.values()) for row in condition_table.ROWS], kinds)
    session.conf.set("spark.sql.session.timeZone", zone)
    if running is None:
        session.stop()


def test_conditions_mean_the_same_in_spark(frame):
    """All conditions at once, as columns of one query."""
    cases = [*condition_table.WRITTEN, *condition_table.random_conditions(seed=25, count=40)]
    taken, expressions = [], []
    from shoal import _core
    from shoal.spark import _condition

    types = {"id": "long", "n": "double", "i": "long", "s": "string", "m": "string", "d": "date", "t": "timestamp_ntz", "b": "boolean", "Odd name": "string"}
    for condition, expected in cases:
        columns = _core.condition_columns(condition)
        tree = json.loads(_core.condition_json(condition, [condition_table.COLUMNS[name] for name in columns]))
        try:
            expressions.append(f"coalesce({_condition(tree, columns, types)}, false) as c{len(taken)}")
        except TypeError as refused:
            assert "convert it to timestamps" in str(refused)
            continue
        taken.append((condition, expected))
    assert len(taken) > 50
    rows = frame.selectExpr("id", *expressions).collect()
    for place, (condition, expected) in enumerate(taken):
        assert sorted(row["id"] for row in rows if row[place + 1]) == expected, condition


def test_rows_are_selected_before_they_are_counted(frame):
    shown = shoal.where(frame, "id < 5 and s = 'a'")
    assert [row["id"] for row in shown.collect()] == [0]
    zoned = frame.selectExpr("id", "to_timestamp('2026-01-01 00:00:00') as z")  # midnight in New York
    assert shoal.where(zoned, "z = '2026-01-01 05:00'").count() == 64
    with pytest.raises(ValueError, match="no column 'rowid'"):
        shoal.where(frame, "rowid < 3")
    with pytest.raises(TypeError, match="cannot compare"):
        shoal.where(frame.selectExpr("array(id) as id"), "id = 3")
