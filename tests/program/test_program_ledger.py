"""What an owner sees of a ledger's chain."""

import json
import sqlite3

import pytest
from conftest import validate


@pytest.fixture
def ledger(shoal):
    for dataset in ("trips", "visits"):
        assert shoal("ledger", "create", "budget.db", "--dataset", dataset, "--cap", "3").code == 0
    (shoal.folder / "p.csv").write_text("x,y\n0.1,0.2\n0.3,0.4\n")
    for name in ("one.json", "two.json"):
        words = ["release", "p.csv", "--bounds", "0:1,0:1", "--grid", "8", "--percentile", "10", "--epsilon", "1", "-o", name]
        assert shoal(*words, "--ledger", "budget.db", "--dataset", "trips").code == 0
    return shoal.folder / "budget.db"


def test_show_and_history_say_that_the_chain_is_intact(shoal, ledger):
    head = shoal("ledger", "show", ledger, "--json", "-").json
    assert head["entries"] == 4 and len(head["head"]) == 64
    for command in ("show", "history"):
        assert f"chain intact, 4 entries, head {head['head'][:16]}" in shoal("ledger", command, ledger).out


def test_a_head_noted_earlier_is_found_or_missed(shoal, refused, ledger):
    head = shoal("ledger", "show", ledger, "--json", "-").json["head"]
    assert shoal("ledger", "create", ledger, "--dataset", "more", "--cap", "1").code == 0
    assert "1 added since" in shoal("ledger", "verify", ledger, "--head", head[:16]).out
    assert shoal("ledger", "verify", ledger, "--head", head, "--json", "-").json["since"] == 1
    refused(3, "ledger", "verify", ledger, "--head", "0" * 16, says=["no entry", "0" * 16])
    refused(3, "ledger", "verify", ledger, "--head", head[:8], says=["16"])
    refused(2, "ledger", "verify", ledger, says=["--head", "--release"])


def test_a_release_proves_that_it_is_recorded(shoal, refused, ledger):
    one, two = (json.loads((shoal.folder / name).read_text()) for name in ("one.json", "two.json"))
    assert len(one["ledger_head"]) == 64 and one["ledger_head"] != two["ledger_head"]
    validate("release", one)
    assert two["ledger_head"] == shoal("ledger", "show", ledger, "--json", "-").json["head"]
    outcome = shoal("ledger", "verify", ledger, "--release", "one.json")
    assert outcome.code == 0 and "'one.json' is recorded" in outcome.out and "1 added since" in outcome.out, outcome.err
    refused(2, "ledger", "verify", ledger, "--release", "one.json", "--head", one["ledger_head"], says=["one of them"])
    assert shoal("reshape", "one.json", "--percentile", "20", "-o", "other.json").code == 0
    assert "'other.json' is recorded" in shoal("ledger", "verify", ledger, "--release", "other.json").out
    bounds = ["--bounds", "0:1,0:1", "--grid", "8", "--percentile", "10", "--epsilon", "1"]
    assert shoal("release", "p.csv", *bounds, "-o", "free.json").code == 0
    assert "ledger_head" not in json.loads((shoal.folder / "free.json").read_text())
    refused(3, "ledger", "verify", ledger, "--release", "free.json", says=["names no entry of a ledger"])
    assert shoal("ledger", "create", "another.db", "--dataset", "trips", "--cap", "3").code == 0
    refused(3, "ledger", "verify", "another.db", "--release", "one.json", says=["does not record", "one.json"])


def test_groups_and_insets_are_recorded_as_one_debit(shoal, refused, ledger):
    (shoal.folder / "g.csv").write_text("x,y,w\n0.1,0.2,A\n0.3,0.4,B\n")
    charged = ["--ledger", "budget.db", "--dataset", "visits"]
    by = ["--columns", "x,y", "--bounds", "0:1,0:1", "--by", "w=A|B", "--grid", "8", "--percentile", "10"]
    assert shoal("release", "g.csv", *by, "--epsilon", "0.5", *charged, "-o", "groups.json").code == 0
    insets = shoal("release", "p.csv", "--bounds", "0:1,0:1", "--auto", "--insets", "2", "--epsilon", "0.5", *charged, "-o", "insets.json")
    assert insets.code == 0, insets.err
    for name in ("groups.json", "insets.json"):
        outcome = shoal("ledger", "verify", ledger, "--release", name)
        assert outcome.code == 0 and "is recorded" in outcome.out, outcome.err
        validate(name.removesuffix(".json"), json.loads((shoal.folder / name).read_text()))


@pytest.mark.parametrize("sql, says", [
    ("DROP TRIGGER debit_kept", "triggers"),
    ("DROP TRIGGER debit_stays; DELETE FROM debit", "triggers"),
    ("INSERT INTO debit SELECT 3, time, dataset, 1, purpose, 5, hash FROM debit WHERE id = 2", "entry 5"),
])
def test_a_ledger_that_another_program_changed_is_not_used(shoal, refused, ledger, sql, says):
    with sqlite3.connect(ledger) as connection:
        connection.executescript(sql)
    connection.close()
    words = ["release", "p.csv", "--bounds", "0:1,0:1", "--grid", "8", "--percentile", "10", "--epsilon", "1", "-o", "three.json"]
    refused(3, *words, "--ledger", "budget.db", "--dataset", "trips", says=["changed by another program", says])
    refused(3, "ledger", "show", ledger, says=["changed by another program", says])
