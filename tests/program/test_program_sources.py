"""A record decides about itself alone, from every source of the program: two inputs that differ in one record are read alike, or one is refused."""

from __future__ import annotations

import gzip
import json
import random

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import shoal as shoal_module

# Under one seed the noise is the same: what differs between two releases are their raw counts.
SEEDED = ["--grid", "6", "--percentile", "10", "--epsilon", "1", "--technique", "privqt", "--seed", "1", "--json", "-"]
VALUES = {
    "x": [0, 1, 0.25, 0.75, "0.5", None, "nan", 2**60],
    "t": ["2026-01-02", "2026-03-04 05:06:07", "2026-06-01T12:00+09:00", "2026-12-31", None],
    "w": ["A", "A b", "7", "007", "1;5", None],
    "u": ["7", "007", "a", "b c"],
    "d": ["02.01.2026", "4.3.2026", "31.12.2026", "NA", None],
}
# How a case reads the columns: options, how far one record may move the counts.
WAYS = {
    "number": (["--columns", "x", "--bounds", "0:1"], 1),
    "date": (["--columns", "x,t", "--bounds", "x=0:1,t=2026-01-01:2026-12-31"], 1),
    "zone": (["--columns", "t", "--bounds", "t=2026-01-01T00:00:2026-12-31T00:00:zone=+02:00"], 1),
    "category": (["--columns", "w,x", "--bounds", "w=A|A b|7|007|1;5:category,x=0:1"], 1),
    "group": (["--columns", "x", "--bounds", "x=0:1", "--by", "w=A|7|007"], 1),
    "condition": (["--columns", "x,w", "--bounds", "x=0:1,w=A|7|007:category", "--where", "w <> '7'"], 1),
    "condition on numbers": (["--columns", "x", "--bounds", "0:1", "--where", "not (x between 0.2 and 0.6) or x is null"], 1),
    "condition on dates": (["--columns", "x", "--bounds", "0:1", "--where", "t >= date '2026-03-01' or t is null"], 1),
    "condition on units": (["--columns", "x", "--bounds", "0:1", "--where", "u like '%7' or not w in ('A', '1;5')", "--unit", "u", "--max-contributions", "2"], 2),
    "missing values": (["--columns", "x", "--bounds", "0:1", "--na", "NA,0.5,0.75"], 1),
    "layout of dates": (["--columns", "d", "--bounds", "d=2026-01-01:2026-12-31", "--date-format", "%d.%m.%Y", "--na", "NA", "--where", "d < date '2026-06-01' or d is null"], 1),
    "unit": (["--columns", "x", "--bounds", "x=0:1", "--unit", "u", "--max-contributions", "2"], 2),
}
TYPES = {"x": "double", "t": "varchar", "w": "varchar", "u": "varchar", "d": "varchar"}


def quoted(value):
    return '"' + ("" if value is None else str(value).replace('"', '""')) + '"'


def as_csv(rows):
    return ",".join(VALUES) + "\n" + "".join(",".join(quoted("nan" if row[name] is None and name in "xt" else row[name]) for name in VALUES) + "\n" for row in rows)


def as_json(rows):
    return "".join(json.dumps(row) + "\n" for row in rows)


def natural(rows, name):
    """A column as pyarrow types it by its values: one record may decide the type of its file."""
    values = [row[name] for row in rows]
    return pa.array(list(map(str, values)) if name == "u" and str in map(type, values) else values)


def as_table(rows):
    return pa.table({name: natural(rows, name) for name in VALUES})


def sql(value):
    return "null" if value is None else "'" + str(value).replace("'", "''") + "'"


class Sources:
    """Writes records where a source has them, and gives the words of INPUT."""

    def __init__(self, folder, server):
        self.folder, self.server = folder, server

    def csv(self, rows):
        (self.folder / "r.csv").write_text(as_csv(rows))
        return ["r.csv"]

    def gzip(self, rows):
        (self.folder / "r.csv.gz").write_bytes(gzip.compress(as_csv(rows).encode()))
        return ["r.csv.gz"]

    def zstd(self, rows):
        (self.folder / "r.csv.zst").write_bytes(pa.compress(as_csv(rows).encode(), codec="zstd", asbytes=True))
        return ["r.csv.zst"]

    def json_lines(self, rows):
        (self.folder / "r.jsonl").write_text(as_json(rows))
        return ["r.jsonl"]

    def json_files(self, rows):
        (self.folder / "j").mkdir(exist_ok=True)
        (self.folder / "j" / "a.jsonl").write_text(as_json(rows[::2]))
        (self.folder / "j" / "b.jsonl").write_text(as_json(rows[1::2]))
        return ["j/*.jsonl"]

    def parquet(self, rows):
        pq.write_table(as_table(rows), self.folder / "r.parquet")
        return ["r.parquet"]

    def parquet_files(self, rows):
        (self.folder / "p").mkdir(exist_ok=True)
        pq.write_table(as_table(rows[:2]), self.folder / "p" / "a.parquet")
        pq.write_table(as_table(rows[2:]), self.folder / "p" / "b.parquet")
        return ["p/*.parquet"]

    def duckdb(self, rows):
        (self.folder / "r.duckdb").unlink(missing_ok=True)
        with duckdb.connect(str(self.folder / "r.duckdb")) as database:
            database.execute("create table r (" + ", ".join(f"{name} {kind}" for name, kind in TYPES.items()) + ")")
            database.executemany("insert into r values (?, ?, ?, ?, ?)", [[row[name] for name in VALUES] for row in rows])
        return ["r.duckdb", "--table", "r"]

    def postgresql(self, rows):
        columns = ", ".join(f"{name} {kind.replace('double', 'float8')}" for name, kind in TYPES.items())
        values = ", ".join("(" + ", ".join(sql(row[name]) for name in VALUES) + ")" for row in rows)
        self.server.ask(f"drop table if exists r; create table r ({columns}); insert into r values {values}")
        return [self.server.address, "--table", "r"]

    def parquet_files_cast(self, rows):
        """The fault of old: DuckDB reads all files by the types of the first."""
        self.parquet_files(rows)
        with duckdb.connect() as engine:
            engine.execute(f"copy (select * from read_parquet('{self.folder}/p/*.parquet')) to '{self.folder}/cast.parquet' (format parquet)")
        return ["cast.parquet"]


SOURCES = ["csv", "gzip", "zstd", "json_lines", "json_files", "parquet", "parquet_files", "duckdb", "postgresql"]


def record(rng, typed):
    """typed: of values that decide whether a column of a file holds whole numbers."""
    row = {name: rng.choice(values) for name, values in VALUES.items()}
    return {**row, "x": rng.choice([0, 1, 0, 1, 0.25, 0.75]), "u": rng.choice([7, 7, 8, 7, "007"])} if typed else row


def counts(shoal, words, options):
    outcome = shoal("release", *words, *options, *SEEDED)
    if outcome.code != 0:
        assert outcome.code == 3, outcome.err
        return None
    parts = outcome.json.get("groups")
    releases = [outcome.json] if parts is None else [part["release"] for part in parts]
    return np.concatenate([np.ravel(shoal_module.Release.from_json(json.dumps(release)).noisy_values) for release in releases])


def fault(shoal, server, source, way, seed):
    """What is wrong with a case; "": nothing; None: a run was refused."""
    rng = random.Random(f"{source.removesuffix('_cast')} {way} {seed}")
    options, most = WAYS[way]
    typed = source.startswith("parquet")
    rows = [record(rng, typed) for _ in range(rng.randrange(3, 7))]
    if most == 2:
        neighbour = [row for row in rows if str(row["u"]) != str(rows[0]["u"])]
    else:
        neighbour = list(rows)
        neighbour.insert(rng.randrange(len(rows) + 1), record(rng, typed))
    if not neighbour:
        return None
    try:
        found = [counts(shoal, getattr(Sources(shoal.folder, server), source)(some), options) for some in (rows, neighbour)]
    except (pa.ArrowException, duckdb.Error):
        return None  # such values make no such file
    if found[0] is None or found[1] is None:
        return None
    moved = int(np.abs(found[0] - found[1]).sum())
    return "" if moved <= most else f"{way}: {rows} and {neighbour} differ by {moved}"


@pytest.mark.parametrize("source", SOURCES)
def test_one_record_changes_its_own_counts_or_the_run_is_refused(shoal, server, source):
    verdicts = [fault(shoal, server, source, way, seed) for way in WAYS for seed in range(2)]
    assert [verdict for verdict in verdicts if verdict] == []
    assert verdicts.count("") >= (1 if source == "parquet_files" else 6), "almost everything was refused: the property says nothing"


def test_the_property_finds_files_that_are_cast_to_the_types_of_the_first(shoal, server):
    for way in ("number", "unit"):
        found = next((seed + 1 for seed in range(40) if fault(shoal, server, "parquet_files_cast", way, seed)), None)
        assert found, "the planted fault was not found"
        print(f"{way}: found after {found} cases")


# ---- files of one pattern


@pytest.fixture
def files(shoal):
    def write(*tables):
        (shoal.folder / "in").mkdir(exist_ok=True)
        for i, table in enumerate(tables):
            pq.write_table(pa.table(table), shoal.folder / "in" / f"{i}.parquet")
        return "in/*.parquet"

    return write


@pytest.mark.parametrize("first, second, says", [
    ({"x": [0, 1, 0, 1]}, {"x": [0.75]}, ["column 'x' is BIGINT in the first and DOUBLE in the second"]),
    ({"x": [0.5], "u": ["007"]}, {"x": [0.5], "u": [7]}, ["column 'u' is VARCHAR in the first and BIGINT in the second"]),
    ({"x": [0.5], "t": pa.array([1], pa.timestamp("us"))}, {"x": [0.5], "t": pa.array([1], pa.timestamp("us", "UTC"))}, ["TIMESTAMP in the first and TIMESTAMP WITH TIME ZONE"]),
    ({"x": [0.5], "l": [[1]]}, {"x": [0.5], "l": [[1.5]]}, ["differ"]),
    ({"x": [0.5], "s": [{"a": 1}]}, {"x": [0.5], "s": [{"a": 1, "b": 2}]}, ["differ"]),
    ({"x": [0.5]}, {"x": [0.5], "y": [1]}, ["the first has 1 columns and the second 2"]),
    ({"x": [0.5], "y": [1.5]}, {"y": [0.5], "x": [1.5]}, ["column 1 is 'x' in the first and 'y' in the second"]),
])
def test_files_of_other_schemas_are_refused_before_the_debit(shoal, refused, files, first, second, says):
    assert shoal("ledger", "create", "l.db", "--dataset", "d", "--cap", "1").code == 0
    before = shoal("ledger", "show", "l.db").out
    words = ["release", files(first, second), "--columns", "x", "--bounds", "0:1", "--percentile", "0", "--epsilon", "1", "--ledger", "l.db", "--dataset", "d", "-o", "r.json"]
    outcome = refused(3, *words, says=["'in/0.parquet' and 'in/1.parquet' differ", *says])
    assert "0.75" not in outcome.err and "007" not in outcome.err
    refused(3, *words, "--sql", "select x from input", says=["differ"])
    assert shoal("ledger", "show", "l.db").out == before
    refused(3, "columns", "in/*.parquet", says=["differ"])


def test_files_of_one_schema_are_read(shoal, files):
    nullable = pa.table({"x": [0.5], "u": ["a"]})
    required = nullable.cast(pa.schema([pa.field("x", pa.float64(), nullable=False), pa.field("u", pa.string())]))
    pattern = files(nullable, required, nullable.slice(0, 0))
    assert shoal("cluster", pattern, "--columns", "x", "--bounds", "0:1", "--percentile", "0", "--json", "-").json["points"] == 2
