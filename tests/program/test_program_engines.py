"""Engines: the same table gives the same counts through every one of them, and every fault is one clear line."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import struct
import subprocess
import time

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from conftest import ROOT, SHOAL

import shoal as shoal_module
from engines import Adversarial, answering

# Under one seed the noise is the same: equal releases have equal raw counts.
SEEDED = ["--percentile", "10", "--epsilon", "1", "--technique", "privthr", "--seed", "1", "--json", "-"]
GRID = ["--columns", "x,f,n,t,w", "--bounds", Adversarial.BOUNDS, "--grid", "10"]
PLANE = ["--columns", "x,y", "--bounds", "0:1,0:1"]


@pytest.fixture(scope="module")
def table():
    return Adversarial()


@pytest.fixture
def places(shoal, server, table):
    """The table where every engine has it: name, words of a command line."""
    return written(shoal.folder, server, table, "adversarial")


def written(folder, server, table, name):
    (folder / f"{name}.csv").write_text(table.csv())
    arrow = table.arrow()
    pq.write_table(arrow, folder / f"{name}.parquet", row_group_size=100)
    parts = folder / f"{name}-parts"
    parts.mkdir()
    for i, first in enumerate(range(0, len(arrow), 500)):
        pq.write_table(arrow.slice(first, 500), parts / f"{i}.parquet")
    (folder / f"{name}.jsonl").write_text(table.json_lines())
    with duckdb.connect(str(folder / f"{name}.duckdb")) as database:
        database.execute("create schema own")
        database.register("arrow", arrow)
        database.execute(f'create table own."{name}" as select * from arrow')
    server.ask(f"drop table if exists {name}")
    table.fill(server, name)
    return {
        "CSV": [f"{name}.csv"],
        "Parquet": [f"{name}.parquet"],
        "Parquet files": [f"{name}-parts/*.parquet"],
        "JSON lines": [f"{name}.jsonl", "--na", "none"],  # null is an empty field
        "DuckDB": [f"{name}.duckdb", "--table", f"own.{name}"],
        "PostgreSQL": [server.address, "--table", f"public.{name}"],
    }


def noisy_counts(shoal, words):
    outcome = shoal("release", *words)
    assert outcome.code == 0, outcome.err
    return outcome.json


def test_every_engine_gives_the_same_counts(shoal, places):
    results = {name: noisy_counts(shoal, [*words, *GRID, *SEEDED]) for name, words in places.items()}
    assert results["CSV"]["noisy_counts"]
    for name, result in results.items():
        assert result == results["CSV"], name
    counted = {name: shoal("cluster", *words, *GRID, "--json", "-").json for name, words in places.items()}
    assert counted["CSV"]["points"] == 1200 and 0 < counted["CSV"]["outside"] < 1200
    assert all(result == counted["CSV"] for result in counted.values())


def test_a_table_of_integers_decimals_and_small_types(shoal, server):
    """Types by name, also those that a CSV would not tell apart."""
    rows = "(1::smallint, 2::int, 3::bigint, 4.5::real, 0.5::numeric(4,2))"
    server.ask(f"create table small as select * from (values {rows}) t(a, b, c, d, e)")
    outcome = shoal("cluster", server.address, "--table", "small", "--bounds", "0:8,0:8,0:8,0:8,0:8", "--grid", "8", "--json", "-")
    assert outcome.json["points"] == 1 and outcome.json["outside"] == 0
    columns = {"a": pa.int8(), "b": pa.uint16(), "c": pa.uint64(), "d": pa.float16(), "e": pa.decimal128(3, 1)}
    pq.write_table(pa.table({name: pa.array([3], pa.int8()).cast(pa.float32()).cast(kind) for name, kind in columns.items()}), shoal.folder / "s.parquet")
    outcome = shoal("cluster", "s.parquet", "--bounds", "0:8,0:8,0:8,0:8,0:8", "--grid", "8", "--json", "-")
    assert outcome.json["points"] == 1 and outcome.json["outside"] == 0


def test_values_that_no_double_holds_are_missing(shoal, server):
    values = "('NaN'), ('Infinity'), ('-Infinity'), (1e400), (-1e400), (1e-400), (-1e-400), (null), (0.25)"
    server.ask(f"create table wide as select n::numeric as x, 0.5 as y from (values {values}) t(n)")
    outcome = shoal("cluster", server.address, "--table", "wide", *PLANE, "--json", "-")
    assert outcome.code == 0, outcome.err
    assert outcome.json["points"] == 9 and outcome.json["outside"] == 7  # 1e-400 is above 0, -1e-400 below it


def test_times_without_end_are_missing(shoal, server):
    values = "('infinity'), ('-infinity'), ('290000-01-01'), ('4000-01-01 BC'), ('2026-01-05'), (null)"
    server.ask(f"create table ever as select t::timestamp as t, t::timestamptz as z, t::date as d from (values {values}) v(t)")
    for column in ("t", "z", "d"):
        outcome = shoal("cluster", server.address, "--table", "ever", "--bounds", f"{column}=2026-01-01:2026-01-31", "--json", "-")
        assert outcome.code == 0, outcome.err
        assert outcome.json["points"] == 6 and outcome.json["outside"] == 5


@pytest.mark.parametrize("where", ["u < 50", "w in ('A', 'B') and (x > 0.2 or x is null)", "t >= '2026-01-02'"])
def test_a_condition_leaves_the_same_counts_of_every_engine(shoal, places, where):
    for name in ("Parquet", "DuckDB", "PostgreSQL"):
        assert shoal("cluster", *places[name], *GRID, "--where", where, "--json", "-").json["points"] < 1200, name
    filtered = [noisy_counts(shoal, [*places[name], *GRID, *SEEDED, "--where", where]) for name in ("Parquet", "DuckDB", "PostgreSQL")]
    assert filtered[0] == filtered[1] == filtered[2]


def test_sql_is_for_experts_and_in_no_release(shoal, places):
    sql = "select x, f, n, t, w from input where u < 50"
    outcome = shoal("release", *places["Parquet"], *GRID, *SEEDED, "--sql", sql)
    assert "LIMIT, DISTINCT" in outcome.err and "epsilon does not hold" in outcome.err
    assert outcome.json == noisy_counts(shoal, [*places["Parquet"], *GRID, *SEEDED, "--where", "u < 50"])
    assert "select" not in outcome.out
    other = shoal("release", places["PostgreSQL"][0], *GRID, *SEEDED, "--sql", sql.replace("input", "adversarial") + " ; ")
    assert other.json == outcome.json


def test_units_are_texts_or_whole_numbers(shoal, places, refused):
    bounded = [*GRID, *SEEDED, "--unit", "u", "--max-contributions", "3"]
    results = {name: noisy_counts(shoal, [*words, *bounded]) for name, words in places.items()}
    for name, result in results.items():
        assert result == results["CSV"], name
    refused(3, "release", *places["PostgreSQL"], *GRID, *SEEDED, "--unit", "f", "--max-contributions", "3", says=["column 'f'", "cannot tell units apart"])


def test_a_row_without_a_unit_is_refused_or_skipped(shoal, refused):
    pq.write_table(pa.table({"x": [0.5, 0.5, 0.5], "y": [0.5, 0.5, 0.5], "u": ["a", None, " "]}), shoal.folder / "t.parquet")
    words = ["release", "t.parquet", *PLANE, *SEEDED, "--unit", "u", "--max-contributions", "1"]
    refused(3, *words, says=["unit"])
    (shoal.folder / "one.csv").write_text("x,y,u\n0.5,0.5,a\n")
    expected = shoal("release", "one.csv", *words[2:])
    assert shoal(*words, "--on-bad-row", "skip").json == expected.json


def test_a_unit_changes_its_own_counts_alone(shoal, server, table, places):
    """Under one seed the key of the choice and the noise are the same: what differs is what the unit adds, the same through every engine."""
    bounded = [*GRID, *SEEDED, "--unit", "u", "--max-contributions", "3"]
    counts = {name: shoal_module.Release.from_json(json.dumps(noisy_counts(shoal, [*words, *bounded]))).noisy_values for name, words in places.items()}
    gone = max(range(97), key=lambda unit: sum(row[5] == unit for row in table.rows))
    others = written(shoal.folder, server, table.without_unit(gone), "neighbour")
    for name, words in others.items():
        without = shoal_module.Release.from_json(json.dumps(noisy_counts(shoal, [*words, *bounded]))).noisy_values
        added = counts[name] - without
        assert added.min() == 0 and 1 <= added.sum() <= 3, name
        assert np.array_equal(added, counts["CSV"] - without), name


def test_groups_are_released_through_engines(shoal, places):
    words = ["--columns", "x,f", "--bounds", "0:1,-1:1", "--grid", "8", "--by", "w=A|B", *SEEDED]
    results = [noisy_counts(shoal, [*places[name], *words]) for name in ("CSV", "Parquet", "PostgreSQL")]
    assert results[0] == results[1] == results[2]


def test_predict_and_synthesize_and_evaluate_read_engines(shoal, server):
    rows = [(i / 1000, (i * 7 % 1000) / 1000) for i in range(1000)]
    (shoal.folder / "p.csv").write_text("x,y\n" + "".join(f"{x},{y}\n" for x, y in rows))
    pq.write_table(pa.table({"x": [x for x, _ in rows], "y": [y for _, y in rows]}), shoal.folder / "p.parquet")
    server.ask("create table p (x float8, y float8)")
    server.ask("copy p from stdin (format csv, header)", (shoal.folder / "p.csv").read_text())
    inputs = {"p.csv": ["p.csv"], "p.parquet": ["p.parquet"], "p": [server.address, "--table", "p"]}
    assert shoal("release", "p.csv", *PLANE, "--grid", "8", "--percentile", "10", "--epsilon", "9", "-o", "r.json").code == 0
    labels = [shoal("predict", "r.json", *words).out for words in inputs.values()]
    assert labels[0].count("\n") == 1001 and labels[0] == labels[1] == labels[2]
    twice = [shoal("cluster", *words, "--columns", "x,y", "--percentile", "10", "--labels", f"labels-{i}.csv") for i, words in enumerate(inputs.values())]
    assert [outcome.code for outcome in twice] == [0, 0, 0], twice[2].err
    assert len({(shoal.folder / f"labels-{i}.csv").read_text() for i in range(3)}) == 1
    for words in inputs.values():
        made = shoal("synthesize", *words, *PLANE, "--epsilon", "1", "-o", f"made-{len(words)}-{words[0][:1]}.csv", "--force")
        assert made.code == 0, made.err
    studied = [shoal("evaluate", *words, *PLANE, "--grid", "8", "--percentile", "10", "--epsilons", "1", "--runs", "1", "--no-classifier", "--json", "-") for words in inputs.values()]
    assert [study.code for study in studied] == [0, 0, 0], studied[0].err


def test_labels_of_parquet_keep_the_order_of_the_rows_on_many_threads(shoal):
    """Many row groups, so that DuckDB and Shoal both work on several of them at once."""
    rng = np.random.default_rng(3)
    rows = {"x": rng.random(400_000), "y": rng.random(400_000)}
    pq.write_table(pa.table(rows), shoal.folder / "p.parquet", row_group_size=20_000)
    (shoal.folder / "p.csv").write_text("x,y\n" + "".join(f"{x!r},{y!r}\n" for x, y in zip(rows["x"].tolist(), rows["y"].tolist(), strict=True)))
    assert shoal("release", "p.csv", *PLANE, "--grid", "16", "--percentile", "50", "--epsilon", "9", "-o", "r.json").code == 0
    wanted = shoal("predict", "r.json", "p.csv", "--doubtful", "--threads", "1").out
    assert len(set(wanted.split())) > 2
    for more in (["p.parquet"], ["p.parquet", "--where", "x >= 0"], ["p.csv"]):
        assert shoal("predict", "r.json", *more, "--doubtful", "--threads", "4").out == wanted, more


# ---- what is refused


def test_a_missing_driver_is_one_command_away(shoal, table):
    pq.write_table(table.arrow(), shoal.folder / "t.parquet")
    for variable, words in [("SHOAL_DUCKDB_LIB", ["t.parquet"]), ("SHOAL_POSTGRES_DRIVER", ["postgresql://a@b/c", "--table", "t"])]:
        done = subprocess.run([SHOAL, "cluster", *words, *GRID], cwd=shoal.folder, capture_output=True, text=True, env={**os.environ, variable: "/nowhere.so"})
        assert done.returncode == 3 and done.stderr.count("\n") == 1
        assert "scripts/bootstrap engines" in done.stderr and variable in done.stderr
    # A program without drivers beside it.
    alone = shoal.folder / "elsewhere" / "bin"
    alone.mkdir(parents=True)
    shutil.copy(SHOAL, alone / "shoal")
    done = subprocess.run([alone / "shoal", "cluster", "t.parquet", *GRID], cwd=shoal.folder, capture_output=True, text=True)
    assert done.returncode == 3 and "run: scripts/bootstrap engines" in done.stderr


def test_json_lines_need_no_engine(shoal, refused):
    (shoal.folder / "t.jsonl").write_text('{"x": 0.5, "y": 0.5}\n' * 3)
    words = [SHOAL, "cluster", "t.jsonl", *PLANE, "--json", "-"]
    done = subprocess.run(words, cwd=shoal.folder, capture_output=True, text=True, env={**os.environ, "SHOAL_DUCKDB_LIB": "/nowhere.so"})
    assert done.returncode == 0 and json.loads(done.stdout)["points"] == 3, done.stderr
    refused(2, "cluster", "t.jsonl", *PLANE, "--sql", "select x, y from input", says=["--where"])
    refused(2, "cluster", "t.jsonl", *PLANE, "--table", "t", says=["--table"])
    for option in (["--delimiter", "tab"], ["--header", "yes"], ["--multiline"], ["--decimal", "comma"], ["--thousands", "space"]):
        refused(2, "cluster", "t.jsonl", *PLANE, *option, says=["delimited text", option[0]])
    refused(3, "columns", "t.jsonl", says=["JSON lines", "no columns"])
    refused(3, "cluster", "s3://bucket/t.jsonl", *PLANE, says=["Parquet", "copy the file here"])


@pytest.fixture
def charged(shoal, refused):
    """A release that fails: as `refused`, and the ledger has no entry."""
    assert shoal("ledger", "create", "l.db", "--dataset", "d", "--cap", "1").code == 0

    def run(*words, says):
        before = shoal("ledger", "show", "l.db").out
        outcome = refused(3, "release", *words, "--percentile", "10", "--epsilon", "1", "--ledger", "l.db", "--dataset", "d", "-o", "r.json", says=says)
        assert shoal("ledger", "show", "l.db").out == before
        return outcome

    return run


def test_faults_of_files(shoal, charged, table):
    pq.write_table(table.arrow(), shoal.folder / "t.parquet")
    whole = (shoal.folder / "t.parquet").read_bytes()
    (shoal.folder / "cut.parquet").write_bytes(whole[: len(whole) // 2])
    footer = len(whole) - 8 - int.from_bytes(whole[-8:-4], "little")
    (shoal.folder / "footer.parquet").write_bytes(whole[:footer] + bytes(40) + whole[footer + 40 :])
    (shoal.folder / "text.parquet").write_text("x,y\n")
    (shoal.folder / "other.duckdb").write_bytes(b"no database" * 1000)
    for name in ("cut.parquet", "footer.parquet", "text.parquet"):
        charged(name, *PLANE, says=[f"DuckDB cannot read '{name}'", "--verbose"])
    charged("other.duckdb", "--table", "t", *PLANE, says=["DuckDB cannot read 'other.duckdb'"])
    charged("none.parquet", *PLANE, says=["no such file"])
    charged("none/*.parquet", *PLANE, says=["no file matches"])
    charged("t.parquet", *PLANE, says=["no column 'y'", "'x', 'f', 'n', 't', 'w', 'u'"])
    charged("t.parquet", "--columns", "x,w", "--bounds", "0:1,0:1", says=["column 'w'", "holds text"])
    charged("t.parquet", "--columns", "x,t", "--bounds", "0:1,0:1", says=["column 't'", "dates"])


def test_faults_of_json_lines(shoal, charged):
    (shoal.folder / "bad.jsonl").write_text('{"x":1,"y":2}\n{"x":\n')
    charged("bad.jsonl", *PLANE, says=["bad.jsonl, line 2 is not valid JSON at byte 6", "--on-bad-row skip"])
    charged("bad.jsonl", "--columns", "lon,lat", *PLANE[2:], says=["line 1, column 'lon' is null, empty or not there"])
    charged("none.jsonl", *PLANE, says=["cannot read 'none.jsonl'"])
    charged("none/*.jsonl", *PLANE, says=["no file matches"])
    charged("bad.jsonl", "--columns", "1,2", *PLANE[2:], says=["names and no positions"])
    (shoal.folder / "bad.jsonl").write_text('{"x":1,"y":2,"record":7}\n')
    charged("bad.jsonl", *PLANE, "--unit", "record", says=["line 1 has a member 'record'", "single records"])


def test_a_database_that_a_program_writes_to_is_locked(shoal, charged):
    with duckdb.connect(str(shoal.folder / "city.duckdb")) as writer:
        writer.execute("create table t as select 0.5 as x, 0.5 as y")
        writer.execute("checkpoint")
        charged("city.duckdb", "--table", "t", *PLANE, says=["DuckDB cannot read 'city.duckdb' (IO)", "locked by a program that writes to it"])
    assert shoal("cluster", "city.duckdb", "--table", "t", *PLANE).code == 0
    charged("city.duckdb", "--table", "u", *PLANE, says=["no such table", "'city.duckdb'", "--table"])


def test_faults_of_a_server(server, charged):
    server.ask("create table words (x text, y float8, price money)")
    server.ask("insert into words values ('secret 4711', 1, 12.34)")
    at = [server.address, "--table", "words"]
    charged(*at, *PLANE, says=["column 'x'", "holds text"])
    charged(*at, "--columns", "price", "--bounds", "0:1", says=["(42846)", "does not convert"])
    charged(server.address, "--table", "none", *PLANE, says=["no such table", "--table"])
    charged(*at, "--columns", "y", "--bounds", "0:1", "--where", "z > 1", says=["no column 'z'"])
    charged(server.address, "--columns", "y", "--bounds", "0:1", "--sql", "select z from words", says=["(42703)", "character 8"])
    outcome = charged(server.address, "--columns", "y", "--bounds", "0:1", "--sql", "select y from words where x::int > 1", says=["(22P02)"])
    assert "4711" not in outcome.err
    charged(server.address.replace(str(server.port), "1"), "--table", "words", *PLANE, says=["connection was refused"])
    charged(server.address.replace("/postgres", "/none"), "--table", "words", *PLANE, says=["no such user or database"])


def test_values_are_shown_to_the_owner_who_asks(shoal, server):
    server.ask("create table notes as select 'secret 4711' as x, 1 as y")
    words = ["cluster", server.address, "--columns", "y", "--bounds", "0:1", "--sql", "select y from notes where x::int > 1"]
    assert "4711" not in shoal(*words).err
    assert "4711" in shoal(*words, "--verbose").err


def test_passwords_come_from_the_environment(shoal, server, refused):
    server.ask("create role guest login password 'sesame'")
    server.ask("create table open_table as select 0.5::float8 as x, 0.5::float8 as y; grant select on open_table to guest")
    rules = server.folder / "data" / "pg_hba.conf"
    before = rules.read_text()
    try:
        rules.write_text("local all all trust\nhost all all 127.0.0.1/32 scram-sha-256\n")
        server.ask("select pg_reload_conf()")
        address = server.address.replace("owner@", "guest@")
        words = [SHOAL, "cluster", address, "--table", "open_table", *PLANE]
        for password, code, says in [("sesame", 0, ""), ("mellon", 3, "the password is wrong"), (None, 3, "password")]:
            env = {k: v for k, v in os.environ.items() if k != "PGPASSWORD"} | ({"PGPASSWORD": password} if password else {})
            done = subprocess.run(words, cwd=shoal.folder, env=env, capture_output=True, text=True)
            assert (done.returncode, says in done.stderr) == (code, True), done.stderr
            assert "mellon" not in done.stdout + done.stderr
    finally:
        rules.write_text(before)
        server.ask("select pg_reload_conf()")
    for address in ("postgresql://a:hunter2@b/c", "postgres://a@b/c?password=hunter2", "postgresql://a:hunter2", "mysql://a:hunter2@b/c", "postgresql://a:hun@ter2@b/c"):
        outcome = refused(3, "cluster", address, "--table", "t", *PLANE, says=["address"])
        assert "hunter2" not in outcome.err and "ter2" not in outcome.err


def test_only_reading_is_allowed(server, refused, shoal):
    server.ask("create sequence counter")
    refused(3, "cluster", server.address, "--sql", "select nextval('counter')::float8 as x, 1 as y", *PLANE, says=["(25006)", "only reading"])
    assert server.ask("select last_value, is_called from counter") == "1|f"


# ---- queries that end early


@contextlib.contextmanager
def running(server, words, folder):
    """The program in the middle of its query."""
    program = subprocess.Popen([str(SHOAL), *words], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    while server.ask("select count(*) from pg_stat_activity where query like '%c0%' and state = 'active' and pid <> pg_backend_pid()") == "0":
        assert program.poll() is None, program.communicate()
    try:
        yield program
    finally:
        program.kill()
        program.wait()


NEVER = "select 0.5::float8 as x, 0.5::float8 as y from pg_sleep(100000)"
ALWAYS = "select 0.5::float8 as x, 0.5::float8 as y from generate_series(1, 100000) a, generate_series(1, 100000) b"


def test_an_interrupt_cancels_the_query(shoal, server):
    """While a query sends nothing, the server does not notice that the program has ended."""
    words = ["release", server.address, "--sql", NEVER, *PLANE, "--percentile", "1", "--epsilon", "1", "-o", "r.json"]
    with running(server, words, shoal.folder) as program:
        program.send_signal(signal.SIGINT)
        out, err = program.communicate(timeout=60)
    assert program.returncode == 130 and (out, err) == ("", "")
    end = time.monotonic() + 60
    while server.ask("select count(*) from pg_stat_activity where query like '%c0%' and state = 'active' and pid <> pg_backend_pid()") != "0":
        assert time.monotonic() < end
    assert list(shoal.folder.iterdir()) == []


def test_a_server_that_dies_in_the_middle(shoal, server):
    assert shoal("ledger", "create", "l.db", "--dataset", "d", "--cap", "1").code == 0
    before, files = shoal("ledger", "show", "l.db").out, sorted(shoal.folder.iterdir())
    words = ["release", server.address, "--sql", ALWAYS, *PLANE, "--percentile", "1", "--epsilon", "1", "-o", "r.json", "--ledger", "l.db", "--dataset", "d"]
    with running(server, words, shoal.folder) as program:
        server.kill()
        out, err = program.communicate(timeout=60)
        server.start()
    assert program.returncode == 3, err
    assert out == "" and err.count("\n") == 1 and err.startswith("shoal: PostgreSQL cannot read")
    assert shoal("ledger", "show", "l.db").out == before and sorted(shoal.folder.iterdir()) == files


def message(kind: bytes, content: bytes) -> bytes:
    return kind + struct.pack("!i", 4 + len(content)) + content


NO_CODE = message(b"E", b"SFATAL\0Mgone\0\0")  # drivers up to 1.10 throw where an error has no code, as one of libpq's own
COPYING = message(b"H", struct.pack("!bhhh", 1, 2, 1, 1))


@pytest.mark.parametrize("request_", [b"default_transaction", b"limit 0", b"as c0", b"COPY ("])
@pytest.mark.parametrize("answer", [b"", NO_CODE, COPYING + NO_CODE, COPYING + message(b"d", b"\xff" * 30), b"\xff" * 99], ids=["end", "no code", "copying, no code", "copying, no header", "no message"])
def test_an_answer_that_ends_early(refused, server, request_, answer):
    with answering(server, request_, answer) as address:
        words = ["--sql", "select 0.5::float8 as x, 0.5::float8 as y", *PLANE, "--percentile", "1", "--epsilon", "1", "-o", "r.json"]
        refused(3, "release", address, *words, says=["PostgreSQL cannot read the table"])


# ---- nothing is left


def test_duckdb_writes_nothing(shoal, table):
    """No spill, no log, no extension: it also runs where the home folder cannot be written."""
    pq.write_table(table.arrow(), shoal.folder / "t.parquet")
    home = shoal.folder / "home"
    home.mkdir()
    done = subprocess.run([SHOAL, "cluster", "t.parquet", *GRID, "--sql", "select * from input order by x, f, n"], cwd=shoal.folder, env={**os.environ, "HOME": str(home)}, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert list(home.iterdir()) == [] and sorted(path.name for path in shoal.folder.iterdir()) == ["home", "t.parquet"]


def test_extensions_are_not_fetched(refused):
    refused(3, "cluster", "s3://bucket/t.parquet", *PLANE, says=["extension httpfs", "docs/engines.md"])


def test_no_output_replaces_a_file_that_a_pattern_matches(shoal, table, refused):
    (shoal.folder / "in").mkdir()
    pq.write_table(table.arrow(), shoal.folder / "in" / "a.parquet")
    os.link(shoal.folder / "in" / "a.parquet", shoal.folder / "a.json")
    refused(3, "cluster", "in/*.parquet", *GRID, "-o", "a.json", "--force", says=["a.json"])


def test_names_with_pattern_characters_are_names(shoal, table):
    pq.write_table(table.arrow(), shoal.folder / "we[i]rd*.parquet")
    pq.write_table(table.arrow().slice(600), shoal.folder / "weird2.parquet")
    assert shoal("cluster", "we[i]rd*.parquet", *GRID, "--json", "-").json["points"] == 1200


def test_drivers_are_those_of_the_project():
    assert (SHOAL.parent.parent / "lib" / "shoal").resolve() == (ROOT / ".cache" / "engines").resolve()
