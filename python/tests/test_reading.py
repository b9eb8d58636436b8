"""A record decides about itself alone, in every container: two inputs that differ in one record are read alike, or one is refused."""

from __future__ import annotations

import datetime
import random
import warnings

import duckdb
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.dataset
import pyarrow.parquet
import pytest
from optional import optional

import shoal
from shoal import _axes

pl = optional("polars")

ZONE = datetime.timezone(datetime.timedelta(hours=9))
# Values of a column, by its kind. Containers give some of them one type where another is beside them.
VALUES = {
    "category": [0, 1, 1, 2, "0", "1", "007", "7", 7, None, 1.0, float("nan"), "1.0", "x", True, 2**53 + 1, "A b", b"1"],
    "number": [0, 1, 0.25, 0.75, None, float("nan"), 2**60, -1, True, np.float32(0.3)],
    "date": ["2026-01-02", "2026-03-04T05:06:07", datetime.date(2026, 1, 2), datetime.datetime(2026, 6, 1, 12), None, 1767312000, 1.7673e9, "soon", np.datetime64("2026-02-03")],
    "zone": [datetime.datetime(2026, 1, 1, 5, tzinfo=ZONE), datetime.datetime(2026, 1, 1, 5), "2026-01-01T05:00+09:00", None, pd.Timestamp("2026-01-01T05:00", tz="UTC")],
}
AXES = {
    "category": shoal.Axis("c", names=["0", "1", "7", "007", "1.0", "9007199254740993", "9007199254740992", "A b", "True"]),
    "number": shoal.Axis("c", 0, 1),
    "date": shoal.Axis("c", "2026-01-01", "2026-12-31"),
    "zone": shoal.Axis("c", "2025-12-31T00:00", "2026-01-03T00:00", zone="+02:00"),
}
UNITS = ["a", "7", "007", 7, 8, " a", None, 7.0, True]


def natural_polars(values):
    return pl.Series("c", values, strict=False)


REFUSED_BY_POLARS = (pl.exceptions.PolarsError,) if pl else ()

# How people put values into a column; what cannot be put there is refused by the container.
CONTAINERS = {
    "list": list,
    "tuple": tuple,
    "NumPy": np.array,
    "NumPy, objects": lambda values: np.array([*values, None], dtype=object)[:-1],
    "pandas": pd.Series,
    "pandas, objects": lambda values: pd.Series(values, dtype=object),
    "pandas, Int64": lambda values: pd.Series(values, dtype="Int64"),
    "pandas, categories": lambda values: pd.Series(values, dtype=object).astype("category"),
    "pandas, converted": lambda values: pd.Series(values, dtype=object).convert_dtypes(),
    "pandas, string": lambda values: pd.Series(values, dtype="string"),
    "polars": natural_polars,
    "polars, categories": lambda values: pl.Series("c", values, dtype=pl.Categorical),
    "pyarrow": pa.array,
    "pyarrow, chunks": lambda values: pa.chunked_array([pa.array(values)]),
    "pyarrow, dictionary": lambda values: pa.array(values).dictionary_encode(),
    "masked": lambda values: np.ma.masked_array([0 if value is None else value for value in values], [value is None for value in values]),
}


# These give some Python values another meaning when they are made: True becomes 1 beside a number, a number becomes a time beside a time, and
# a time without a zone becomes one in UTC beside one with a zone. What they then hold is the input; values that they would change are not put into them.
# polars makes texts of times beside a text.
CONVERTING = ("NumPy", "polars", "polars, categories", "pandas", "pandas, Int64", "pandas, string", "pyarrow", "pyarrow, chunks", "pyarrow, dictionary", "masked")


def values_of(kind, name):
    if name not in CONVERTING:
        return VALUES[kind]
    naive = [value for value in VALUES["zone"] if isinstance(value, datetime.datetime) and value.tzinfo is None]
    if kind == "zone" and name.startswith("polars"):
        naive += [value for value in VALUES["zone"] if isinstance(value, str)]
    return [value for value in VALUES[kind] if value is not True and not (kind == "zone" and value in naive) and not (kind == "date" and isinstance(value, (int, float)))]


def frame_of(name, values, numbers):
    """A table of the column `c` and numbers `n`, of the container's own kind; None: it has no tables."""
    column = CONTAINERS[name](values)
    if name.startswith("pandas"):
        return pd.DataFrame({"c": column, "n": numbers})
    if name.startswith("polars"):
        return pl.DataFrame({"c": column, "n": numbers})
    if name.startswith("pyarrow"):
        return pa.table({"c": column, "n": pa.array(numbers)})
    if name == "NumPy":
        return np.array([[value, number] for value, number in zip(values, numbers)])
    if name == "NumPy, objects":
        return np.array([[value, number] for value, number in zip(values, numbers)], dtype=object)
    if name == "list":
        return [[value, number] for value, number in zip(values, numbers)]
    return None


def model(**parameters):
    """At this epsilon the noise is 0: a release holds the raw counts."""
    return shoal.PrivateWaveCluster(**{"epsilon": 1000, "technique": "privqt", "grid": 16, "percentile": 0, "random_state": 1, **parameters})


def noisy(release):
    return shoal._core.noisy_values(release._core)


def by_axis(kind, name, rows):
    X = frame_of(name, [row["c"] for row in rows], [row["n"] for row in rows])
    if X is None:
        return None
    return noisy(model(axes=[AXES[kind], shoal.Axis("n", 0, 1)]).fit(X).release_)


def by_group(kind, name, rows):
    groups = list(AXES["category"].names) if kind == "category" else "2026-01-01..2026-03-31"
    made = model(bounds=(0, 1), groups=groups).fit(np.array([[row["n"]] for row in rows]), by=CONTAINERS[name]([row["c"] for row in rows])).release_
    return np.stack([noisy(release) for release in made.values()])


def by_unit(kind, name, rows):
    units = CONTAINERS[name]([row["u"] for row in rows])
    return noisy(model(bounds=(0, 1), unit="u", max_contributions=2).fit(np.array([[row["n"]] for row in rows]), units=units).release_)


CONDITIONS = {
    "category": "c = '7' or c like '1%' or c is null",
    "number": "not c between 0.2 and 0.6 or c is null",
    "date": "c >= date '2026-02-01' or c is null",
    "zone": "c < date '2026-01-01'",
}


def by_condition(kind, name, rows):
    X = frame_of(name, [row["c"] for row in rows], [row["n"] for row in rows])
    if X is None:
        return None
    return noisy(model(columns=["n"], bounds=(0, 1)).fit(shoal.where(X, CONDITIONS[kind])).release_)


WAYS = {"axis": by_axis, "group": by_group, "unit": by_unit, "condition": by_condition}
TABLES = ("pandas", "polars", "pyarrow")


def rows_of(rng, kind, name, alike):
    """Records; alike: mostly of one type, as real columns are."""
    values, units = values_of(kind, name), UNITS
    if alike:
        one, other = type(rng.choice(values)), type(rng.choice(units[:6]))
        values = [value for value in values if type(value) is one]
        units = [unit for unit in units if type(unit) is other]
    return [{"c": rng.choice(values), "n": rng.choice([0.1, 0.3, 0.9]), "u": rng.choice(units)} for _ in range(rng.randrange(1, 6))]


@pytest.fixture(autouse=True)
def seeded_on_purpose():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", shoal.NotPrivateWarning)
        yield


def read(way, kind, name, rows):
    """The counts, or None where the container or the package refuses."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return WAYS[way](kind, name, rows)
        except (TypeError, ValueError, OverflowError, pa.ArrowException, *REFUSED_BY_POLARS):
            return None


def moved(one, other):
    return int(np.abs(one.astype(np.int64) - other.astype(np.int64)).sum())


def fault(way, name, seed):
    """What is wrong with a case; "": nothing; None: a run was refused."""
    rng = random.Random(f"{way} {name} {seed}")
    kind = rng.choice(["category", "category", "date", "zone"] if way == "group" else ["category"] if way == "unit" else list(VALUES))
    rows = rows_of(rng, kind, name, rng.random() < 0.7)
    if way == "unit":
        gone = rng.choice(rows)["u"]
        neighbour = [row for row in rows if str(row["u"]).strip() != str(gone).strip()]
        most = 2
    else:
        neighbour, most = list(rows), 1
        more = rows_of(rng, kind, name, False)[0]
        if way == "condition" and rng.random() < 0.7:  # objects of several types are refused
            more["c"] = rng.choice([value for value in values_of(kind, name) if type(value) in (type(rows[0]["c"]), type(None))] or [None])
        neighbour.insert(rng.randrange(len(rows) + 1), more)
    if not neighbour:
        return None
    one, other = read(way, kind, name, rows), read(way, kind, name, neighbour)
    if one is None or other is None:
        return None
    return "" if moved(one, other) <= most else f"{kind}: {rows} and {neighbour} differ by {moved(one, other)}"


CASES = 60


@pytest.mark.parametrize("name", CONTAINERS)
@pytest.mark.parametrize("way", WAYS)
def test_one_record_changes_its_own_counts_or_the_run_is_refused(way, name):
    if way == "axis" and frame_of(name, ["1"], [0.5]) is None:
        pytest.skip("holds columns, not tables")
    if way == "condition" and not name.startswith(TABLES):
        pytest.skip("a condition selects rows of tables with named columns")
    verdicts = [fault(way, name, seed) for seed in range(CASES)]
    assert [verdict for verdict in verdicts if verdict] == []
    assert verdicts.count("") >= 3, "almost everything was refused: the property says nothing"


# ---- the property sees the faults that were there


def cases_until_found(tried, has_fault):
    """After how many cases a planted fault is seen; None: not at all."""
    found = next((seed + 1 for seed in range(tried) if has_fault(seed)), None)
    print(f"found after {found} cases")
    return found


def promoted(values, axis):
    """As labels were read: by way of an array of NumPy, which gives all of them one type."""
    array = values.to_numpy() if hasattr(values, "to_numpy") else np.asarray(values)
    if array.dtype.kind not in "OSUiuf":
        raise TypeError("not the subject of this fault")
    return shoal._core.object_coordinates([None if value is None or value != value else str(value) for value in array.tolist()], axis)


@pytest.mark.parametrize("name", ["list", "NumPy", "polars", "pyarrow, chunks", "pandas"])
def test_the_property_finds_labels_that_numpy_promoted(name, monkeypatch):
    monkeypatch.setattr(_axes, "coordinates", promoted)
    found = cases_until_found(600, lambda seed: fault("group", name, seed))
    assert found, "the planted fault was not found"


def test_the_property_finds_a_record_too_many_of_a_unit(monkeypatch):
    fewer = shoal.PrivateWaveCluster._read

    def one_more(self, X, units):
        self.set_params(max_contributions=3)
        return fewer(self, X, units)

    monkeypatch.setattr(shoal.PrivateWaveCluster, "_read", one_more)
    found = cases_until_found(300, lambda seed: fault("unit", "list", seed))
    assert found, "the planted fault was not found"


# ---- each fault by itself


@pytest.mark.parametrize("name", ["list", "polars", "pyarrow", "pyarrow, chunks", "pandas, Int64", "pandas, objects", "pandas, categories", "masked"])
def test_a_missing_label_leaves_the_others_as_they_are(name):
    values = [0] * 504 + [1] * 501
    rows = [{"c": value, "n": 0.5} for value in values]
    one, other = (by_group("category", name, rows + more) for more in ([], [{"c": None, "n": 0.5}]))
    assert one.sum(axis=1)[:2].tolist() == other.sum(axis=1)[:2].tolist() == [504, 501]


@pytest.mark.parametrize("container", [lambda v: pd.Series(v, dtype=float), lambda v: np.array(v, float), lambda v: pl.Series(v, dtype=pl.Float64), lambda v: pa.array(v, pa.float64()), list])
def test_floats_are_no_categories(container):
    points = np.full((3, 1), 0.5)
    with pytest.raises(TypeError, match="text and whole numbers|strings or whole numbers"):
        model(bounds=(0, 1), groups=["0", "1"]).fit(points, by=container([0.0, 1.0, 1.0]))


def test_a_list_is_read_value_by_value():
    rows = [[1, 0.5], ["1", 0.5], [b"1", 0.5], [None, 0.5], [np.int8(1), np.float32(0.5)]]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        counts = noisy(model(axes=[shoal.Axis("c", names=["0", "1"]), shoal.Axis("n", 0, 1)]).fit(rows).release_)
    assert counts.sum(axis=1).tolist() == [0, 4]


def test_batches_of_other_types_are_refused():
    axes = [shoal.Axis("c", names=["7", "007"]), shoal.Axis("n", 0, 1)]
    numbers, texts = ({"c": values, "n": [0.5, 0.5]} for values in ([7, 7], ["007", "7"]))
    for table in (pd.DataFrame, pl.DataFrame, pa.table):
        with pytest.raises(TypeError, match="a batch has strings or objects in the column 'c', but the first had whole numbers"):
            model(axes=axes).fit_batches([table(numbers), table(texts)])


# ---- pyarrow's datasets of several files


@pytest.fixture
def files(tmp_path):
    def write(*tables, **options):
        for i, table in enumerate(tables):
            pyarrow.parquet.write_table(table, tmp_path / f"{i}.parquet")
        return pyarrow.dataset.dataset(str(tmp_path), **{"format": "parquet", **options})

    return write


def test_files_of_other_types_are_refused_with_both_named(files):
    whole, real = pa.table({"x": [0, 1], "y": [0.5, 0.5]}), pa.table({"x": [0.75], "y": [0.5]})
    plain = shoal.WaveCluster(columns=["x", "y"], bounds=(0, 1), grid=8, percentile=0)
    with pytest.raises(TypeError, match=r"0\.parquet' and '.*1\.parquet' differ: column 'x' is int64 in the first and double in the second"):
        plain.fit(files(whole, real))
    with pytest.raises(TypeError, match="column 'z' is not there in the first"):
        plain.fit(files(whole, pa.table({"x": [1], "y": [0.5], "z": [1]})))
    same = files(whole, whole)
    assert plain.fit(same).n_clusters_ == plain.fit(pa.concat_tables([whole, whole])).n_clusters_
    assert (plain.fit(same.filter(pyarrow.dataset.field("x") > 0)).labels_ >= 0).sum() == 2
    with pytest.raises(TypeError, match="give the dataset itself"):
        plain.fit(same.scanner())


def test_types_that_pyarrow_guesses_are_refused(tmp_path):
    (tmp_path / "a.csv").write_text("x,y\n1,0.5\n")
    plain = shoal.WaveCluster(columns=["x", "y"], bounds=(0, 1), grid=8, percentile=0)
    with pytest.raises(TypeError, match="guesses the types of CSV"):
        plain.fit(pyarrow.dataset.dataset(str(tmp_path / "a.csv"), format="csv"))
    (tmp_path / "who=007").mkdir()
    pyarrow.parquet.write_table(pa.table({"x": [0.5], "y": [0.5]}), tmp_path / "who=007" / "a.parquet")
    folders = pyarrow.dataset.dataset(str(tmp_path / "who=007"), format="parquet", partitioning=pyarrow.dataset.partitioning(flavor="hive"), partition_base_dir=str(tmp_path))
    with pytest.raises(ValueError, match="names of folders has no declared type"):
        model(columns=["x", "y"], bounds=(0, 1), unit="who", max_contributions=1).fit(folders)


def test_relations_of_files_of_other_types_are_refused(tmp_path):
    connection = duckdb.connect()
    plain = shoal.WaveCluster(columns=["x", "y"], bounds=(0, 1), grid=8, percentile=0)
    for i, x in enumerate([[0, 1], [0.75]]):
        pyarrow.parquet.write_table(pa.table({"x": x, "y": [0.5] * len(x)}), tmp_path / f"{i}.parquet")
    for relation in (connection.read_parquet(f"{tmp_path}/*.parquet"), connection.sql(f"select * from '{tmp_path}/*.parquet' where x >= 0"), connection.read_parquet([f"{tmp_path}/{i}.parquet" for i in range(2)])):
        with pytest.raises(TypeError, match=r"0\.parquet' and '.*1\.parquet' differ: column 'x' is BIGINT in the first and DOUBLE"):
            plain.fit(relation)
    assert plain.fit(connection.read_parquet(f"{tmp_path}/0.parquet")).n_clusters_ > 0
    connection.execute(f"create view v as from '{tmp_path}/*.parquet'")
    with pytest.raises(TypeError, match="a view of Parquet files"):
        plain.fit(connection.table("v"))
    (tmp_path / "a.csv").write_text("x,y\n1,0.5\n")
    with pytest.raises(TypeError, match="guesses the types of CSV"):
        plain.fit(connection.read_csv(str(tmp_path / "a.csv")))


# ---- messages


def test_no_message_of_an_engine_quotes_a_value(files):
    secret = "secret 4711"
    failing = pa.RecordBatchReader.from_batches(pa.schema([("x", pa.float64()), ("y", pa.float64())]), (_ for _ in ()))

    def broken():
        yield pa.record_batch({"x": [0.5], "y": [0.5]})
        raise ValueError(secret)

    failing = pa.RecordBatchReader.from_batches(pa.schema([("x", pa.float64()), ("y", pa.float64())]), broken())
    dataset = files(pa.table({"x": [secret], "y": ["0.5"]}), schema=pa.schema([("x", pa.int64()), ("y", pa.int64())]))
    inputs = {
        "Arrow": failing,
        "DuckDB": duckdb.sql(f"select cast(x as double) as x, 0.5::double as y from (values ('0.5'), ('{secret}')) t(x)"),
        "polars": pl.LazyFrame({"x": [secret], "y": [0.5]}).with_columns(pl.col("x").cast(pl.Float64)),
        "pyarrow dataset": dataset,
        "objects": np.array([[secret, object()]], dtype=object),
        "pandas": pd.DataFrame({"x": [secret], "y": [0.5]}),
        "list": [[secret, 0.5]],
    }
    for name, X in inputs.items():
        with pytest.raises((TypeError, ValueError)) as raised:
            shoal.WaveCluster(columns=["x", "y"], bounds=(0, 1), grid=8, percentile=0).fit(X)
        assert "4711" not in str(raised.value), name
        assert raised.value.__cause__ is None
    dated = [shoal.Axis("x", "2026-01-01", "2026-12-31"), shoal.Axis("y", 0, 1)]
    with pytest.raises(TypeError) as raised:
        shoal.WaveCluster(axes=dated, grid=8, percentile=0).fit([["2026-01-02", secret]])
    assert "4711" not in str(raised.value)
