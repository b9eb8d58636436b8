"""Spark counts what the core counts, keeps the records that the core keeps, and sends counts alone."""

import datetime
import decimal
import json
import math
import random
import re
import subprocess
import sys
import warnings

import pytest
import spark_table
from conftest import ROOT, program
from spark_table import AXES, GRID, TEXTS

import shoal

pyspark = pytest.importorskip("pyspark")
import shoal.spark  # noqa: E402

PAIRS = [["a", "b"], ["dose", "income"], ["lat", "hour"], ["age", "at"], ["local", "month"], ["ward", "price"]]


@pytest.fixture(scope="module")
def spark(tmp_path_factory):
    from pyspark.sql import SparkSession

    running = SparkSession.getActiveSession()
    folder = tmp_path_factory.mktemp("spark")
    settings = {
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.sql.shuffle.partitions": "2",
        "spark.driver.memory": "512m",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.local.dir": str(folder),
        "spark.sql.warehouse.dir": str(folder / "warehouse"),
        "spark.log.level": "ERROR",
    }
    session = SparkSession.builder.master("local[2]").config(map=settings).getOrCreate()
    zone = session.conf.get("spark.sql.session.timeZone")
    session.conf.set("spark.sql.session.timeZone", "America/New_York")
    yield session
    session.conf.set("spark.sql.session.timeZone", zone)
    if running is None:
        session.stop()


@pytest.fixture(scope="module")
def table():
    return spark_table.table()


@pytest.fixture(scope="module")
def frame(spark):
    return spark_table.frame(spark).cache()


def quietly(function, *words, **more):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return function(*words, **more)


@pytest.mark.parametrize("names", PAIRS, ids="-".join)
def test_counts_are_those_of_the_same_table_as_csv(frame, table, names, tmp_path):
    """The noise of a seed is the same: releases are equal exactly where the counts are."""
    (tmp_path / "table.csv").write_text(spark_table.as_csv(table, names))
    bounds = ",".join(TEXTS[name] for name in names)
    given = ["--technique", "privqt", "--percentile", "0", "--epsilon", "100", "--seed", "3", *(["--geo"] if "lat" in names else [])]
    theirs = program("release", tmp_path / "table.csv", "--bounds", bounds, "--grid", ",".join(str(GRID[name]) for name in names), *given)
    counts = spark_table.counted(frame, names)
    model = spark_table.model(axes=[AXES[name] for name in names], grid=[GRID[name] for name in names], technique="privqt", epsilon=100, random_state=3)
    ours = quietly(shoal.release_counts, model, counts)
    assert json.loads(ours.to_json())["noisy_counts"] == theirs["noisy_counts"]
    assert json.loads(ours.to_json())["axes"] == theirs["axes"]


def test_counts_of_all_axes_at_once_are_the_cores(frame, table):
    assert spark_table.rows_of(spark_table.counted(frame, list(AXES))) == spark_table.truth(table, list(AXES))


def test_points_outside_are_moved_to_the_bound_where_that_is_asked_for(frame, table):
    names = ["a", "dose", "at", "hour", "income"]
    assert spark_table.rows_of(spark_table.counted(frame, names, outside="clamp")) == spark_table.truth(table, names, "clamp")


@pytest.mark.parametrize("by", ["min_by", "window"])
@pytest.mark.parametrize("most", [1, 3, 100000])
def test_kept_records_are_the_cores_for_the_same_key(frame, table, most, by, monkeypatch):
    if by == "window":
        monkeypatch.setattr(shoal.spark, "_MOST_BY_MIN", 0)
    assert spark_table.rows_of(spark_table.kept(frame, most)) == spark_table.truth_kept(table, most)


def test_units_share_one_weight_as_in_the_core(frame, table):
    found = spark_table.rows_of(spark_table.kept(frame, None))
    assert found == spark_table.truth_kept(table, None)
    assert sum(count for *_, count in found) % 65536 == 0


def others_changed(frame, units, bounded) -> int:
    """How far the counts of all others change when one of these units is taken out."""

    def counts(part):
        return {tuple(cell): count for *cell, count in spark_table.rows_of(bounded(part))}

    everyone, changed = counts(frame), 0
    for unit in units:
        own, others = frame.where(f"trim(both ' \t' from unit) = '{unit}'"), frame.where(f"trim(both ' \t' from unit) != '{unit}'")
        alone, without = counts(own), counts(others)
        assert alone and sum(alone.values()) in (1, 2, 65536)
        for cell in {*everyone, *alone, *without}:
            changed += abs(everyone.get(cell, 0) - alone.get(cell, 0) - without.get(cell, 0))
    return changed


def test_taking_one_unit_out_changes_its_own_counts_alone(frame, monkeypatch):
    units = [row.unit for row in frame.where("a = 0.55 and b = 0.1").selectExpr("trim(both ' \t' from unit) as unit").distinct().orderBy("unit").limit(3).collect()]
    assert others_changed(frame, units, lambda part: spark_table.kept(part, 2)) == 0
    assert others_changed(frame, units[:1], lambda part: spark_table.kept(part, None)) == 0

    def seeded(cells, most, key):
        place = "row_number() over (partition by unit order by rand(42)) as place"
        return cells.selectExpr("cell", place).where(f"place <= {most}").select("cell")

    monkeypatch.setattr(shoal.spark, "_bounded", seeded)
    assert others_changed(frame, units, lambda part: spark_table.kept(part, 2)) > 0


SCHEMA = "x double, n bigint, d decimal(30, 20), t timestamp, l timestamp_ntz, w string, u string"
WAYS = [
    {"columns": ["x"], "bounds": (0, 1)},
    {"axes": ["n=0:10:int", "d=0:1"]},
    {"axes": ["t=2026-01-01:2026-12-31", "l=2026-01-01T00:00:2026-12-31T00:00:zone=+02:00"]},
    {"axes": ["w=A|A b|7|007:category", "n=0|1|7:category"]},
    {"columns": ["x"], "bounds": (0, 1), "unit": "u", "max_contributions": 2},
    {"axes": ["n=0:10:int"], "where": "not x < 0.2 or w like '%7' or d > 0.05 and t >= date '2026-03-01'"},
]


@pytest.mark.parametrize("given", WAYS, ids=["number", "whole number and decimal", "date and zone", "category", "unit", "condition"])
def test_one_record_changes_its_own_counts_alone(spark, given):
    """A short version of test_reading.py: the schema is declared, and each value decides about its own row."""
    rng = random.Random(str(given))
    at = datetime.datetime(2026, 3, 4, 5, 6, 7)
    values = [[0.0, 0.25, math.nan, math.inf, 1e308, None], [0, 1, 7, 2**53 + 1, None], [decimal.Decimal("0.1"), None], [at, None], [at, None], ["A", " A b", "7", "007", "A\0", None], ["7", "007", " 7", "a"]]
    rows = [tuple(rng.choice(some) for some in values) for _ in range(12)]
    gone = rows[0][6].strip()
    kept = [row for row in rows if row[6].strip() != gone] if "unit" in given else rows[1:]
    given, condition = {name: value for name, value in given.items() if name != "where"}, given.get("where", "x is null or x is not null")
    frames = [shoal.where(spark.createDataFrame(some, SCHEMA), condition) for some in (rows, kept)]
    one, other = ({tuple(cell): count for *cell, count in spark_table.rows_of(shoal.spark.counts(spark_table.model(**given), frame))} for frame in frames)
    moved = sum(abs(one.get(cell, 0) - other.get(cell, 0)) for cell in {*one, *other})
    assert one and moved <= given.get("max_contributions", 1) and all(one.get(cell, 0) >= count for cell, count in other.items() if "unit" not in given)


def test_the_key_is_fresh_and_in_no_plan(frame, monkeypatch):
    plans, keys = [], []
    bounded, arrow = shoal.spark._bounded, shoal.spark._to_arrow
    monkeypatch.setattr(shoal.spark, "_bounded", lambda cells, most, key: (keys.append(key), bounded(cells, most, key))[1])
    monkeypatch.setattr(shoal.spark, "_to_arrow", lambda df: (arrow(df), plans.append(df._jdf.queryExecution().toString()))[0])
    for _ in range(2):
        shoal.spark.counts(spark_table.model(columns=["a", "b"], bounds=(0, 1), unit="unit", max_contributions=2), frame)
    assert len(set(keys)) == 2 and all(len(key) == 32 for key in keys)
    assert all("xxhash64" in plan and key not in plan for plan, key in zip(plans, keys))


def test_a_row_in_a_cell_without_a_unit_is_refused(spark):
    given = {"columns": ["x"], "bounds": (0, 1), "unit": "who", "max_contributions": 2}
    for unit in (None, "", " \t"):
        df = spark.createDataFrame([(0.5, "a"), (0.5, unit)], "x double, who string")
        with pytest.raises(ValueError, match="a row has an empty unit"):
            shoal.spark.counts(spark_table.model(**given), df)
    df = spark.createDataFrame([(0.5, 7), (2.5, None)], "x double, who int")
    assert spark_table.rows_of(shoal.spark.counts(spark_table.model(**given), df)) == [[32, 1]]


def test_a_release_is_that_of_the_same_points(spark, spirals):
    df = spark.createDataFrame(spirals.frame)
    given = {"columns": ["x", "y"], "bounds": (0, 1), "epsilon": 1, "random_state": 3}
    for more in ({"grid": 40, "percentile": 10}, {"grid": "auto"}):
        ours = quietly(shoal.spark.release, shoal.PrivateWaveCluster(**given, **more), df)
        theirs = quietly(shoal.PrivateWaveCluster(**given, **more).fit, spirals.frame)
        assert ours.to_json() == theirs.release_.to_json()


def test_the_example_of_the_document_runs(spark, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (example,) = re.findall(r"^```py\n(.*?)^```$", (ROOT / "docs/spark.md").read_text(), re.M | re.S)
    quietly(exec, example, {"spark": spark})
    assert (tmp_path / "clusters.json").exists()


def test_what_parameters_decide_is_refused_before_the_cluster_counts(frame, tmp_path):
    ledger = shoal.Ledger.create(tmp_path / "owner.ledger", "trips", cap=1)
    good = {"columns": ["a", "b"], "bounds": (0, 1), "grid": 8, "percentile": 0, "epsilon": 1}
    for wrong, says in [
        ({"technique": "baseline"}, "baseline needs the points"),
        ({"columns": None}, "name the columns"),
        ({"columns": ["a", "c"]}, "there is no column 'c'"),
        ({"columns": ["a", "ward"]}, "column 'ward' has the type string; convert it to numbers"),
        ({"columns": ["a", "at"]}, "column 'at' has the type timestamp"),
        ({"columns": ["a", "count"]}, "named 'count'"),
        ({"unit": "unit"}, "max_contributions"),
        ({"unit": "price", "max_contributions": 2}, "units must be strings or whole numbers"),
        ({"percentile": None}, "needs a threshold"),
        ({"epsilon": 2, "ledger": ledger, "dataset": "trips"}, "trips"),
    ]:
        with pytest.raises((ValueError, TypeError, shoal.BudgetRefused), match=says):
            shoal.spark.release(shoal.PrivateWaveCluster(**{**good, **wrong}), frame)
    assert ledger.history() == []


def test_the_package_does_not_import_spark_by_itself():
    code = "import sys, shoal; assert not any(name.startswith('pyspark') for name in sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_a_version_that_was_not_tested_is_refused(frame, monkeypatch):
    monkeypatch.setattr(shoal.spark, "_OLDEST", (99, 0))
    with pytest.raises(ValueError, match=r"Spark 4\S* is older than 99\.0, the oldest that was tested"):
        shoal.spark.counts(spark_table.model(columns=["a", "b"], bounds=(0, 1)), frame)
