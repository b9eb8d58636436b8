"""--where means the same for every source, and a record is selected by its own values alone."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from conftest import ROOT, SHOAL

import shoal as shoal_module

sys.path.insert(0, str(ROOT / "tests/support"))
import condition_table

# At this epsilon the noise is 0 except with a probability below 1e-40: the release shows which rows were counted.
COUNTED = ["--columns", "id", "--bounds", "id=0:63:int", "--grid", "64", "--percentile", "0", "--technique", "privqt", "--epsilon", "100", "--seed", "1", "--json", "-"]


@pytest.fixture(scope="module")
def sources(tmp_path_factory, server):
    """The table in every source: words of a command line, and what goes to standard input."""
    folder = tmp_path_factory.mktemp("where")
    csv, arrow = condition_table.as_csv(), condition_table.as_arrow()
    (folder / "t.csv").write_text(csv)
    (folder / "t.csv.gz").write_bytes(gzip.compress(csv.encode()))
    subprocess.run(["zstd", "-q", str(folder / "t.csv")], check=True)
    (folder / "t.jsonl").write_text(condition_table.as_json_lines())
    pq.write_table(arrow, folder / "t.parquet", row_group_size=10)
    with duckdb.connect(str(folder / "t.duckdb")) as database:
        database.register("arrow", arrow)
        database.execute("create table t as select * from arrow")
        database.execute("create table collated (id bigint, s varchar collate nocase)")
        database.execute("insert into collated select id, s from arrow")
    kinds = "id bigint, n float8, i bigint, s text, m text, d date, t timestamp, b boolean, \"Odd name\" varchar"
    server.ask(f"create table t ({kinds})")
    server.ask("copy t from stdin (format csv, header, force_null (id, n, i, s, m, d, t, b))", csv)
    return {
        "CSV": ([str(folder / "t.csv")], None),
        "gzip": ([str(folder / "t.csv.gz")], None),
        "zstd": ([str(folder / "t.csv.zst")], None),
        "standard input": (["-"], csv.encode()),
        "JSON lines": ([str(folder / "t.jsonl")], None),
        "Parquet": ([str(folder / "t.parquet")], None),
        "DuckDB": ([str(folder / "t.duckdb"), "--table", "t"], None),
        "PostgreSQL": ([server.address, "--table", "t"], None),
    }


def selected(source, where):
    words, stdin = source
    done = subprocess.run([str(SHOAL), "release", *words, *COUNTED, "--where", where], input=stdin, capture_output=True, timeout=60)
    assert done.returncode == 0, (where, done.stderr)
    values = shoal_module.Release.from_json(done.stdout.decode()).noisy_values
    assert set(values.tolist()) <= {0, 1}, where
    return [id for id, count in enumerate(values.tolist()) if count]


@pytest.mark.parametrize("name", ["CSV", "JSON lines", "Parquet", "DuckDB", "PostgreSQL"])
def test_each_condition_selects_the_rows_that_are_written_down(sources, name):
    for where, expected in condition_table.WRITTEN:
        assert selected(sources[name], where) == expected, (name, where)


def test_compressed_and_piped_csv_are_read_alike(sources):
    for name in ("gzip", "zstd", "standard input"):
        for where, expected in condition_table.WRITTEN[::8]:
            assert selected(sources[name], where) == expected, (name, where)


@pytest.mark.parametrize("name", ["CSV", "JSON lines", "Parquet", "DuckDB", "PostgreSQL"])
def test_random_conditions_mean_the_same_everywhere(sources, name):
    for where, expected in condition_table.random_conditions(seed=23, count=15):
        assert selected(sources[name], where) == expected, (name, where)


def test_the_collation_of_a_column_changes_nothing(sources, server):
    folder_words = sources["DuckDB"][0]
    expected = [row["id"] for row in condition_table.ROWS if row["s"] == "A"]
    assert selected(([folder_words[0], "--table", "collated"], None), "s = 'A'") == expected
    server.ask("create collation loose (provider = icu, locale = 'und-u-ks-level2', deterministic = false)")
    server.ask("create table collated as select id, s collate loose as s from t")
    assert selected(([server.address, "--table", "collated"], None), "s = 'A'") == expected
    assert selected(([server.address, "--table", "collated"], None), "s < 'a' and s > '9'") == selected(sources["CSV"], "s < 'a' and s > '9'")


def test_types_that_only_a_database_has(server, refused):
    server.ask("create type mood as enum ('sad', 'happy')")
    values = "(1, 'happy'::mood, 1.5::numeric, 'a1b2c3d4-0000-0000-0000-000000000000'::uuid, 'x'::char(5), 3::smallint, '2026-01-01 00:00+02'::timestamptz, array[1], 'infinity'::date)"
    server.ask(f"create table odd as select * from (values {values}) v(id, m, n, u, c, s, z, l, e)")
    where = "m = 'happy' and n = 1.5 and n < 2 and u like 'a1b2%' and c = 'x' and s = 3 and z = '2025-12-31 22:00' and z < '2026-01-01' and e is null"
    assert selected(([server.address, "--table", "odd"], None), where) == [1]
    refused(3, "cluster", server.address, "--table", "odd", "--columns", "id", "--where", "l = 1", says=["column 'l'", "a condition cannot compare"])


@pytest.mark.parametrize(
    ("where", "says"),
    [
        ("stats(id) is not null", ["character 6", "no functions"]),
        ("vector_type(id) = 'FLAT_VECTOR'", ["character 12", "no functions"]),
        ("id > (select avg(id) from input)", ["character 6", "expected a value"]),
        ("id > 0 limit 5", ["character 8"]),
        ("rowid < 5", ["no column 'rowid'"]),
        ("file_row_number < 5", ["no column 'file_row_number'"]),
        ("ctid = '(0,1)'", ["no column 'ctid'"]),
        ('U&"\\0063tid" = 1', ["character 2", "'&'"]),
    ],
)
def test_what_could_see_other_rows_is_refused_by_every_source(sources, refused, where, says):
    for name in ("CSV", "JSON lines", "Parquet", "DuckDB", "PostgreSQL"):
        if name == "JSON lines" and "no column" in says[0]:
            continue  # a field that a line does not have is missing
        words, stdin = sources[name]
        refused(3, "release", *words, *COUNTED, "--where", where, says=says, stdin=stdin)


def test_a_number_is_not_a_text_and_a_text_is_a_date_where_the_column_says_so(sources, refused):
    for name in ("Parquet", "DuckDB", "PostgreSQL"):
        words, _stdin = sources[name]
        refused(3, "release", *words, *COUNTED, "--where", "n = '5'", says=["character 5", "column 'n' holds numbers", "without quotes"])
        refused(3, "release", *words, *COUNTED, "--where", "d = 'soon'", says=["character 5", "column 'd' holds dates"])
        assert selected(sources[name], "d = '2026-01-01' and id < 10") == [0, 5]


def test_the_declared_layout_of_dates_and_the_marks_of_numbers_hold_for_conditions(shoal):
    """Otherwise every test is unknown, and a release that is paid for counts nothing."""
    days = ["03.01.2026", "11.02.2026", "12.2.2026", "2026-02-13", ""]
    rows = [{"x": f"0,{i}", "day": day} for i, day in enumerate(days, 1)]
    (shoal.folder / "p.csv").write_text("x;day\n" + "".join(f"{row['x']};{row['day']}\n" for row in rows))
    (shoal.folder / "p.jsonl").write_text("".join(json.dumps({**row, "x": float(row["x"].replace(",", "."))}) + "\n" for row in rows))
    pq.write_table(pa.table({"x": [0.1, 0.2, 0.3, 0.4, 0.5], "day": days}), shoal.folder / "p.parquet")
    words = ["--columns", "x", "--bounds", "0:1", "--grid", "10", "--percentile", "0", "--date-format", "%d.%m.%Y", "--json", "-"]
    for input in (["p.csv", "--decimal", "comma"], ["p.jsonl"], ["p.parquet"]):
        for where, expected in [("day >= date '2026-02-01'", 2), ("not day >= date '2026-02-01'", 1), ("x > 0.15 and day < date '2026-02-12'", 1), ("day = '2026-02-13'", 1), ("day is null", 1)]:
            outcome = shoal("cluster", *input, *words, "--where", where)
            assert outcome.code == 0, outcome.err
            assert outcome.json["points"] == expected, (input, where)


def test_missing_values_that_are_declared_are_missing_in_conditions(shoal):
    ages = [20, 70, 999, 80]
    (shoal.folder / "p.csv").write_text("x,age\n" + "".join(f"0.{i},{age}\n" for i, age in enumerate(ages)) + "0.4,NA\n")
    (shoal.folder / "p.jsonl").write_text("".join(json.dumps({"x": 0.1, "age": age}) + "\n" for age in [*ages, "NA"]))
    pq.write_table(pa.table({"x": [0.1] * 5, "age": pa.array([*ages, None], pa.int64())}), shoal.folder / "p.parquet")
    words = ["--columns", "x", "--bounds", "0:1", "--grid", "10", "--percentile", "0", "--na", "NA,999", "--json", "-"]
    for input in ("p.csv", "p.jsonl", "p.parquet"):
        for where, expected in [("age > 65", 2), ("not age < 65", 2), ("age is null", 2), ("age is null or age <= 20", 3), ("age in (20, 999)", 1)]:
            outcome = shoal("cluster", input, *words, "--where", where)
            assert outcome.code == 0, outcome.err
            assert outcome.json["points"] == expected, (input, where)


# ---- a record decides about itself alone


def test_one_record_changes_no_other(sources, shoal):
    """Each value that occurs, in one record more: the others are selected as before."""
    for value in ["text", "", "1e999", "2026-01-01", "nan", '"quoted"', "7", " "]:
        lines = condition_table.as_csv().splitlines(keepends=True)
        field = '"' + value.replace('"', '""') + '"'
        more = ",".join(['"63"', *[field] * (len(condition_table.NAMES) - 1)]) + "\n"
        for place in (1, 30, len(lines)):
            (shoal.folder / "t.csv").write_text("".join([*lines[:place], more, *lines[place:]]))
            for where in ("m = 7", "s < 'b' or n > 0", "not d = date '2026-01-01'"):
                done = shoal("release", "t.csv", *COUNTED, "--where", where)
                counts = shoal_module.Release.from_json(done.out).noisy_values.tolist()
                plain = selected(sources["CSV"], where)
                assert [id for id in range(63) if counts[id]] == [id for id in plain if id < 63], (value, place, where)


# ---- declared missing values and layouts of dates, from every format


@pytest.mark.parametrize("words, inside", [
    (["--bounds", "d=2026-01-01:2026-12-31", "--date-format", "%d.%m.%Y", "--na", "NA"], 4),
    (["--bounds", "d=2026-01-01:2026-12-31", "--date-format", "%d.%m.%Y", "--na", "NA,1.1.2026"], 2),
    (["--bounds", "d=2026-01-01:2026-12-31", "--date-format", "%d.%m.%Y", "--na", "NA,1.1.2026", "--where", "d > date '2026-02-02' or d is null"], 1),
    (["--bounds", "w=7|x y|none:category", "--na", "NA"], 5),
    (["--bounds", "w=7|x y|none:category", "--na", "none,7"], 2),
    (["--bounds", "w=7|x y|none:category", "--na", "none,7", "--where", "w is null"], 0),
])
def test_what_is_declared_missing_is_missing_in_dates_and_categories(shoal, words, inside):
    rows = [("1.1.2026", "7"), ("1.1.2026", "x y"), ("2.2.2026", "none"), ("3.3.2026", "x y"), ("NA", "7"), ("", "Rome")]
    table = {"d": [d or None for d, _ in rows], "w": [w for _, w in rows]}
    (shoal.folder / "p.csv").write_text("d,w\n" + "".join(f"{d},{w}\n" for d, w in rows))
    (shoal.folder / "p.jsonl").write_text("".join(json.dumps({"d": d or None, "w": int(w) if w == "7" else w}) + "\n" for d, w in rows))
    pq.write_table(pa.table(table), shoal.folder / "p.parquet")
    pq.write_table(pa.table({name: pa.array(values).dictionary_encode() for name, values in table.items()}), shoal.folder / "q.parquet")
    for input in ("p.csv", "p.jsonl", "p.parquet", "q.parquet"):
        done = shoal("cluster", input, *words, "--percentile", "0", "--json", "-")
        assert done.code == 0, done.err
        assert done.json["points"] - done.json["outside"] == inside, input


# ---- a table is one of the database


def test_a_file_is_not_a_table(shoal, refused):
    (shoal.folder / "secret.csv").write_text("x,y\n0.5,0.5\n")
    pq.write_table(pa.table({"x": [0.5], "y": [0.5]}), shoal.folder / "secret.parquet")
    with duckdb.connect(str(shoal.folder / "c.duckdb")) as database:
        database.execute("create table trips as select 0.5::double as x, 0.5::double as y")
        database.execute(f"create view outside as select * from read_csv('{shoal.folder}/secret.csv')")
        database.execute("create schema own; create table own.trips as select 0.5::double as x, 0.25::double as y")
    words = ["--columns", "x,y", "--bounds", "0:1,0:1", "--json", "-"]
    assert shoal("cluster", "c.duckdb", "--table", "trips", *words).json["points"] == 1
    assert shoal("cluster", "c.duckdb", "--table", "own.trips", *words).json["points"] == 1
    for table in ('"secret.csv"', '"secret.parquet"', f'"{shoal.folder}/secret.csv"', "read_csv('secret.csv')", "nothing", "system.trips", "information_schema.tables", "Trips"):
        refused(3, "cluster", "c.duckdb", "--table", table, *words, says=["no such table", "--table"])
        refused(3, "columns", "c.duckdb", "--table", table, says=["no such table", "--table"])
    for sql in ("select * from 'secret.csv'", "select * from read_parquet('secret.parquet')", "select * from outside"):
        refused(3, "cluster", "c.duckdb", "--sql", sql, *words, says=["DuckDB cannot read"])
    refused(3, "cluster", "c.duckdb", "--table", "outside", *words, says=["DuckDB cannot read"])
    refused(3, "cluster", "c.duckdb", "--table", "a.b.c", *words, says=["SCHEMA.NAME"])


def test_a_table_of_postgresql_is_in_its_catalogue(shoal, refused, server):
    server.ask('create schema "my.own"; create table "my.own"."Trips" as select 0.5::float8 as x, 0.5::float8 as y')
    words = ["--columns", "x,y", "--bounds", "0:1,0:1", "--json", "-"]
    assert shoal("cluster", server.address, "--table", '"my.own"."Trips"', *words).json["points"] == 1
    for table in ('"my.own".trips', "generate_series(1, 5)", "nothing", '"Trips"'):
        refused(3, "cluster", server.address, "--table", table, *words, says=["no such table", "--table"])


# ---- the rest of the program


def test_every_command_that_reads_rows_takes_a_condition(shoal):
    lines = ["x,y,kind"] + [f"{i / 100},{i * 7 % 100 / 100},{'ab'[i % 2]}" for i in range(100)]
    (shoal.folder / "p.csv").write_text("\n".join(lines) + "\n")
    (shoal.folder / "a.csv").write_text("\n".join(line for line in lines if not line.endswith("b")) + "\n")
    words = ["--columns", "x,y", "--bounds", "0:1,0:1"]
    where = ["--where", "kind = 'a'"]
    for command in (["cluster", "--percentile", "10", "--json", "-"], ["evaluate", "--percentile", "10", "--epsilons", "9", "--runs", "1", "--no-classifier", "--seed", "1", "--json", "-"]):
        one, other = (shoal(command[0], *input, *words, *command[1:]) for input in (["p.csv", *where], ["a.csv"]))
        assert one.code == 0, one.err
        assert {**one.json, "dataset": 0, "seconds": 0}.keys() == {**other.json, "dataset": 0, "seconds": 0}.keys()
        assert one.json.get("points") == other.json.get("points")
    assert shoal("release", "a.csv", *words, "--grid", "8", "--percentile", "10", "--epsilon", "9", "-o", "r.json").code == 0
    assert shoal("predict", "r.json", "p.csv", *where).out == shoal("predict", "r.json", "a.csv").out
    (shoal.folder / "shoal.toml").write_text("where = \"kind = 'a'\"\n")
    assert shoal("cluster", "p.csv", *words, "--percentile", "10", "--config", "shoal.toml", "--json", "-").json["points"] == 50


def test_the_condition_is_in_no_release(shoal, sources):
    words, _ = sources["Parquet"]
    outcome = shoal("release", *words, *COUNTED, "--where", "s = 'New York'")
    assert json.loads(outcome.out) and "New York" not in outcome.out
