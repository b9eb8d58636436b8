"""A record decides about itself alone: files in which one row once changed how all others were read, columns, names, units."""

import json
import random

import pytest

GRID = ["--bounds", "0:1,0:1", "--grid", "2", "--percentile", "0"]
COMMANDS = {
    "release": ["release", *GRID, "--technique", "privqt", "--epsilon", "2", "-o", "out.json", "--force"],
    "synthesize": ["synthesize", *GRID[:2], "--epsilon", "2", "-o", "out.csv", "--force"],
}


def command_words(command, words):
    """The command's own words, without those that the given ones replace."""
    own = COMMANDS[command]
    if "--bounds" in words:
        at = own.index("--bounds")
        own = own[:at] + own[at + 2 :]
    return own


def rows(count):
    rng = random.Random(1)
    return [f"{rng.random():.6f},{rng.random():.6f}" for _ in range(count)]


@pytest.fixture
def charged(shoal, refused):
    """A run that a ledger would pay for, and one that must be refused before anything is charged."""
    assert shoal("ledger", "create", "budget.db", "--dataset", "d", "--cap", "10").code == 0

    def spent():
        shown = shoal("ledger", "show", "budget.db").out.splitlines()[1].split()
        return shown[2]

    def run(command, lines, *words, says=None):
        (shoal.folder / "p.csv").write_text("\n".join(lines) + "\n")
        own = command_words(command, words)
        all_words = [own[0], "p.csv", *own[1:], *words, "--ledger", "budget.db", "--dataset", "d"]
        before = spent()
        if says is not None:
            refused(3, *all_words, says=says)
            assert spent() == before
            return None
        outcome = shoal(*all_words)
        assert outcome.code == 0, outcome.err
        assert spent() != before
        if command == "synthesize":
            return len((shoal.folder / "out.csv").read_text().splitlines()) - 1
        return sum(c["noisy_size"] for c in json.loads((shoal.folder / "out.json").read_text())["clusters"])

    return run


@pytest.mark.parametrize("command", COMMANDS)
def test_an_open_quote_ends_the_run_or_its_own_row_alone(charged, command):
    lines = ["x,y,note", '0.3,0.3,"oops', *[row + ",n" for row in rows(5000)], '0.5,0.5,"b"']
    charged(command, lines, "--columns", "x,y", says=["line 2", "quote", "--multiline"])
    charged(command, lines, "--columns", "x,y", "--multiline", says=["quote"])
    charged(command, lines, "--columns", "x,y", "--multiline", "--on-bad-row", "skip", says=["quote"])
    total = charged(command, lines, "--columns", "x,y", "--on-bad-row", "skip")
    assert abs(total - 5001) < 500


@pytest.mark.parametrize("command", COMMANDS)
def test_the_first_record_does_not_decide_which_rows_are_bad(charged, command):
    lines = ["0.3,0.3,oops", *rows(5000)]
    charged(command, lines, "--columns", "1,2", "--on-bad-row", "skip", says=["--header yes", "by name"])
    charged(command, lines, "--columns", "1,2", says=["line 2 has 2 fields, but line 1 has 3"])
    total = charged(command, ["x,y", *lines], "--columns", "x,y", "--on-bad-row", "skip")
    assert abs(total - 5000) < 500


@pytest.mark.parametrize("command", COMMANDS)
def test_one_row_does_not_flip_the_delimiter(charged, command):
    lines = ["0.3 0.3", *rows(3000)]
    charged(command, lines, "--columns", "1,2", "--on-bad-row", "skip", says=["--header yes", "by name"])
    charged(command, lines, "--columns", "1,2", says=["line 2 has ',' besides ' '", "--delimiter"])
    total = charged(command, ["x,y", *lines], "--columns", "x,y", "--on-bad-row", "skip")
    assert abs(total - 3000) < 500
    # Numbers by ';' and numbers by ',' in the second place: the first line must not choose between them.
    charged(command, ["q,0.1,0.1", *["0.9;0.9;0.9,0.2,0.2"] * 3000], "--columns", "2,3", says=["line 2 has ';' besides ','"])


@pytest.mark.parametrize("first, others, bounds, more", [
    ("2026-01-02 18:00", "2026-07-02", "2026-01-01:2026-12-31", []),
    ("New York", "York", "New York|York|New:category", []),
    ("1 234", "2", "0:2000", ["--thousands", "space"]),
    ("1,5", "2", "0:4", ["--decimal", "comma"]),
])
@pytest.mark.parametrize("command", COMMANDS)
def test_a_record_of_more_than_plain_numbers_tells_no_delimiter(charged, command, first, others, bounds, more):
    words = ["--columns", "1", "--bounds", bounds, "--header", "no", *more]
    lines = [first, *[others] * 3000]
    charged(command, lines, *words, says=["more than plain numbers", "--delimiter"])
    assert abs(charged(command, lines, *words, "--delimiter", "semicolon") - 3001) < 500


def test_any_character_may_be_the_delimiter(shoal, refused):
    for character in "|:~_x!@":
        (shoal.folder / "p.csv").write_text(f"0.1{character}0.2\n0.3{character}0.4\n")
        assert shoal("cluster", "p.csv", "--bounds", "0:1,0:1", "--delimiter", character, "--json", "-").json["points"] == 2
    for wrong in ["ab", "\u00a7", "5", '"', "."]:
        outcome = shoal("cluster", "p.csv", "--bounds", "0:1,0:1", "--delimiter", wrong)
        assert outcome.code in (2, 3) and "delimiter" in outcome.err and outcome.err.count("\n") == 1


def test_spaces_around_a_unit_make_nobody_else(shoal):
    text = "u,x,y\n" + "".join(f"{form % i},0.5,0.5\n" for i in range(1000) for form in ["%d", " %d", "%d ", "\t%d", '" %d"'])
    (shoal.folder / "p.csv").write_text(text)
    words = ["release", "p.csv", "--columns", "x,y", *GRID, "--technique", "privqt", "--epsilon", "2", "--unit", "u", "--max-contributions", "1"]
    assert shoal(*words, "--seed", "1", "--json", "r.json").code == 0
    release = json.loads((shoal.folder / "r.json").read_text())
    assert abs(sum(c["noisy_size"] for c in release["clusters"]) - 1000) < 100


# ---- names

def names_of(shoal):
    return [axis["name"] for axis in json.loads((shoal.folder / "out.json").read_text())["axes"]]


def test_the_first_row_of_a_file_never_names_the_axes(shoal, refused):
    words = ["release", "p.csv", *GRID, "--technique", "privqt", "--epsilon", "2", "-o", "out.json", "-o", "out.html"]
    for first in ["alice@x.org,nowhere", "0.512345,0.25"]:
        (shoal.folder / "p.csv").write_text("\n".join([first, *rows(50)]) + "\n")
        for more in [[], ["--columns", "1,2"]]:
            outcome = shoal(*words, *more)
            assert outcome.code == 0, outcome.err
            assert names_of(shoal) == ["axis 1", "axis 2"]
            for part in first.split(","):
                assert part not in (shoal.folder / "out.html").read_text() + outcome.out
            for output in shoal.folder.glob("out.*"):
                output.unlink()
    refused(3, *words, "--header", "yes", says=["0.512345", "number", "--header no"])
    outcome = shoal("synthesize", "p.csv", "--bounds", "0:1,0:1", "--epsilon", "2", "-o", "out.csv")
    assert (shoal.folder / "out.csv").read_text().splitlines()[0] == "axis 1,axis 2"


def test_a_file_without_names_may_be_labelled_by_a_release_with_names(shoal):
    (shoal.folder / "p.csv").write_text("\n".join(rows(50)) + "\n")
    assert shoal("release", "p.csv", "--bounds", "lon=0:1,lat=0:1", "--header", "no", *GRID[2:], "--epsilon", "2", "-o", "out.json").code == 0
    outcome = shoal("predict", "out.json", "p.csv", "--header", "no", "-o", "labels.csv")
    assert outcome.code == 0, outcome.err
    outcome = shoal("predict", "out.json", "p.csv", "-o", "more.csv")
    assert outcome.code == 3 and "no column 'lon'" in outcome.err and "by position" in outcome.err


def test_names_come_from_columns_bounds_or_a_header_that_is_known(shoal):
    (shoal.folder / "p.csv").write_text("x,y\n0.1,0.2\n")
    words = ["release", "p.csv", "--grid", "2", "--percentile", "0", "--epsilon", "2", "-o", "out.json"]
    for more, names in [
        (["--bounds", "0:1,0:1", "--columns", "y,x"], ["y", "x"]),
        (["--bounds", "0:1,0:1", "--columns", "y, x"], ["y", "x"]),
        (["--bounds", "0:1,0:1", "--header", "yes"], ["x", "y"]),
        (["--bounds", "y=0:1,x=0:1"], ["y", "x"]),
        (["--bounds", "y=0:1,x=0:1", "--columns", "x,y"], ["x", "y"]),
    ]:
        outcome = shoal(*words, *more)
        assert outcome.code == 0, outcome.err
        assert names_of(shoal) == names
        assert f"columns {', '.join(names)}" in outcome.out
        (shoal.folder / "out.json").unlink()
    (shoal.folder / "p.csv").write_text("0.1,0.2\n")
    assert shoal(*words, "--bounds", "lon=0:1,lat=0:1", "--header", "no").code == 0
    assert names_of(shoal) == ["lon", "lat"]


# ---- columns and bounds

def test_bounds_by_name_go_to_their_columns_in_any_order(shoal):
    (shoal.folder / "p.csv").write_text("id,lat,lon\n1,10,100\n2,20,110\n3,-30,-170\n")
    outputs = []
    for words in [
        ["--bounds", "lon=-180:180,lat=-90:90"],
        ["--bounds", "lat=-90:90,lon=-180:180", "--columns", "lon,lat"],
        ["--bounds", "lon=-180:180,lat=-90:90", "--columns", "lon,lat"],
    ]:
        outcome = shoal("cluster", "p.csv", *words, "--grid", "4", "--percentile", "0", "--json", "-")
        assert outcome.code == 0, outcome.err
        outputs.append(outcome.json)
    assert outputs[0] == outputs[1] == outputs[2]
    assert outputs[0]["axes"] == [{"name": "lon", "lo": -180, "hi": 180, "cells": 4}, {"name": "lat", "lo": -90, "hi": 90, "cells": 4}]
    assert outputs[0]["outside"] == 0


@pytest.mark.parametrize("words, says", [
    (["--bounds", "x=0:1,0:1"], ["name all axes or none"]),
    (["--bounds", "x=0:1,x=0:1"], ["two bounds for 'x'"]),
    (["--bounds", "x=0:1,z=0:1", "--columns", "x,y"], ["'z'", "--columns x,y"]),
    (["--bounds", "x=0:1,y=0:1", "--columns", "1,2"], ["--columns uses positions", "--header no"]),
    (["--bounds", "1=0:1,2=0:1"], ["number"]),
    (["--bounds", "=0:1,y=0:1"], ["no name before ="]),
    (["--bounds", "x=0,y=0:1"], ["LOWER:UPPER", "x=0:1,y=0:1"]),
    (["--bounds", "x=0:1", "--columns", "x,y"], ["1 range", "2 columns"]),
])
def test_bounds_that_do_not_fit_the_columns_are_refused(refused, shoal, words, says):
    (shoal.folder / "p.csv").write_text("x,y\n0.1,0.2\n")
    refused(2, "cluster", "p.csv", *words, says=says)


def test_a_name_that_is_no_column_is_refused_with_those_there_are(refused, shoal):
    (shoal.folder / "p.csv").write_text("user_id,lat,lon\n1,10,100\n")
    refused(3, "cluster", "p.csv", "--bounds", "lon=-180:180,latitude=-90:90", says=["'latitude'", "'user_id', 'lat', 'lon'"])


@pytest.mark.parametrize("command", ["cluster", *COMMANDS])
def test_columns_are_asked_for_where_there_are_more_than_bounds(refused, shoal, command):
    words = [*COMMANDS.get(command, ["cluster", *GRID])]
    (shoal.folder / "p.csv").write_text("user_id,lat,lon\n1,0.1,0.2\n")
    refused(3, words[0], "p.csv", *words[1:], says=["3 columns", "2 are needed", "--columns", "'user_id', 'lat', 'lon'"])
    (shoal.folder / "p.csv").write_text("1,0.1,0.2\n")
    refused(3, words[0], "p.csv", *words[1:], says=["3 columns", "--columns", "1 to 3"])


def test_a_plain_look_asks_for_columns_too(refused, shoal):
    (shoal.folder / "p.csv").write_text("user_id,lat,lon\n1,0.1,0.2\n")
    refused(3, "cluster", "p.csv", says=["3 columns", "--columns"])


def test_predict_takes_a_file_without_names_for_a_release_without_names(shoal):
    (shoal.folder / "p.csv").write_text("\n".join(rows(50)) + "\n")
    assert shoal("release", "p.csv", *GRID, "--epsilon", "2", "-o", "out.json").code == 0
    outcome = shoal("predict", "out.json", "p.csv", "-o", "labels.csv")
    assert outcome.code == 0, outcome.err
    assert "50 rows of columns 1, 2" in outcome.out


# ---- units

def test_a_unit_that_may_be_a_column_or_the_word_is_refused(refused, shoal):
    (shoal.folder / "p.csv").write_text("x,y,record\n0.1,0.2,a\n")
    words = ["p.csv", "--columns", "x,y", "--epsilon", "2", "--bounds", "0:1,0:1"]
    for command in [["release", *words, "--percentile", "0", "-o", "out.json"], ["synthesize", *words, "-o", "out.csv"]]:
        refused(3, *command, "--unit", "record", says=["column named 'record'", "remove --unit", "--unit 3"])
        refused(2, *command, "--unit", "", "--max-contributions", "1", says=["--unit", "empty"])
        refused(2, *command, "--unit", " ", "--max-contributions", "1", says=["--unit", "empty"])
        assert shoal(*command).code == 0
        for output in shoal.folder.glob("out.*"):
            output.unlink()
        assert shoal(*command, "--unit", "3", "--max-contributions", "1").code == 0
        for output in shoal.folder.glob("out.*"):
            output.unlink()
