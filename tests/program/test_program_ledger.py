"""What an owner sees of a ledger's chain."""

import sqlite3

import pytest


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
    refused(2, "ledger", "verify", ledger, says=["--head"])


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
