"""shoal release --counts: cells and counts of an engine that counted by itself."""

import csv
import json

import pytest

GRID = "--bounds x=0:1,y=0:1 --grid 20"
RELEASE = f"release --counts cells.csv {GRID} --percentile 30 --epsilon 1"


def count(source, cells: int) -> str:
    """As SQL does: group by cell."""
    counts: dict[tuple[int, ...], int] = {}
    with open(source, newline="") as rows:
        for row in csv.DictReader(rows):
            cell = tuple(min(int(float(row[name]) * cells), cells - 1) for name in "xy")
            counts[cell] = counts.get(cell, 0) + 1
    return "".join(f"{y},{n},{x}\n" for (x, y), n in counts.items())


@pytest.mark.parametrize("technique", ["privwave", "privthr", "privthr-em", "privqt"])
def test_counts_give_the_release_of_their_points(shoal, spirals, technique):
    (shoal.folder / "cells.csv").write_text("y,count,x\n" + count(spirals, 20))
    options = f"{GRID} --percentile 30 --epsilon 1 --seed 3 --json - --technique {technique}".split()
    expected = shoal("release", "spirals.csv", "--columns", "x,y", *options)
    found = shoal("release", "--counts", "cells.csv", "--columns", "x,y", *options)
    assert found.code == 0 and found.json == expected.json
    assert shoal("release", "--counts", "cells.csv", *options).json == expected.json
    piped = shoal("release", "--counts", "-", *options, stdin=(shoal.folder / "cells.csv").read_bytes())
    assert piped.json == expected.json


def test_an_automatic_release_says_which_grid_to_count_on_and_takes_it(shoal, spirals):
    auto = "--bounds x=0:1,y=0:1 --auto --epsilon 1".split()
    plan = shoal("release", "--counts", "cells.csv", *auto, "--dry-run")
    assert "  x: 960 cells from 0 to 1\n  y: 960 cells from 0 to 1\n" in plan.out
    planned = shoal("release", "--counts", "cells.csv", *auto, "--dry-run", "--json", "-").json
    assert [axis["cells"] for axis in planned["counted_axes"]] == [960, 960]
    (shoal.folder / "cells.csv").write_text("y,count,x\n" + count(spirals, 960))
    seeded = [*auto, "--seed", "3", "--json", "-"]
    assert shoal("release", "--counts", "cells.csv", *seeded).json == shoal("release", "spirals.csv", *seeded).json


def test_parquet_and_databases_hold_counts_too(shoal):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"y": [1, 0, 3], "count": [500, 400, 20], "x": [2, 0, 0]})
    frame.to_csv(shoal.folder / "cells.csv", index=False)
    frame.to_parquet(shoal.folder / "cells.parquet")
    options = "--bounds x=0:1,y=0:1 --grid 4 --percentile 0 --epsilon 1 --seed 3 --json -".split()
    expected = shoal("release", "--counts", "cells.csv", *options)
    found = shoal("release", "--counts", "cells.parquet", *options)
    assert found.code == 0 and found.json == expected.json, found.err
    assert shoal("release", "--counts", "cells.parquet", *[word.replace("x=0:1,y=0:1", "0:1,0:1") for word in options]).code == 0
    frame["count"] = [1, None, 2]
    frame.to_parquet(shoal.folder / "missing.parquet")
    missing = shoal("release", "--counts", "missing.parquet", *options)
    assert missing.code == 3 and "row 2 of the counts has no count" in missing.err


def test_columns_without_names_are_read_in_their_order(shoal):
    (shoal.folder / "cells.csv").write_text("a,count,b\n0,500,1\n3,400,2\n")
    done = shoal(*"release --counts cells.csv --bounds 0:1,0:1 --grid 4,3 --percentile 0 --epsilon 1 --json -".split())
    assert done.code == 0, done.err
    assert [axis["name"] for axis in done.json["axes"]] == ["a", "b"]


def test_bounding_is_said_to_be_the_engines_task_and_scales_the_noise(shoal):
    (shoal.folder / "cells.csv").write_text("x,y,count\n0,1,500\n")
    done = shoal(*RELEASE.split(), "-o", "r.json")
    assert done.code == 0 and "each record must be counted once" in done.out and "in cells of x, y" in done.out
    done = shoal(*RELEASE.split(), "--unit", "user", "--max-contributions", "7", "-o", "u.json")
    assert "the program that counted must have kept at most 7 records of each 'user'" in done.out
    spent = json.loads((shoal.folder / "u.json").read_text())["spent"]
    assert {share["sensitivity"] for share in spent} == {7}


@pytest.mark.parametrize(
    "table, says",
    [
        ("x,y,count\n0,0,1\n20,0,5\n", ["row 2 of the counts", "outside the grid", "axis 'x' has the cells 0 to 19"]),
        ("x,y,count\n0,-1,1\n", ["outside the grid"]),
        ("x,y,count\n0,0.5,1\n", ["not whole", "indices of cells"]),
        ("x,y,count\n0,nan,1\n", ["no cell on axis 'y'"]),
        ("x,y,count\n0,0,-987\n", ["negative"]),
        ("x,y,count\n0,0,987.5\n", ["not whole"]),
        ("x,y,count\n0,0,1e300\n", ["too large"]),
        ("x,y,count\n1,1,987\n0,0,1\n1,1,987\n", ["row 3 of the counts repeats"]),
        ("x,y,n\n0,0,1\n", ["count"]),
        ("x,y,count\n0,,1\n", ["line 2", "'y'"]),
    ],
)
def test_what_is_no_count_on_the_grid_is_refused_before_anything_is_charged(shoal, refused, table, says):
    assert shoal(*"ledger create l.db --dataset trips --cap 2".split()).code == 0
    (shoal.folder / "cells.csv").write_text(table)
    outcome = refused(3, *RELEASE.split(), "-o", "r.json", "--ledger", "l.db", "--dataset", "trips", says=says)
    assert "987" not in outcome.err
    assert shoal(*"ledger show l.db --json -".split()).json["accounts"][0]["spent"] == "0"


@pytest.mark.parametrize(
    "words, says",
    [
        (RELEASE.replace("release", "release points.csv"), ["INPUT and --counts are both given"]),
        (RELEASE.replace("--counts cells.csv", ""), ["INPUT"]),
        (RELEASE.replace("--counts cells.csv", "--counts="), ["--counts is empty"]),
        (RELEASE + " --technique baseline", ["baseline needs the points"]),
        (RELEASE + " --outside clamp", ["--outside"]),
        (RELEASE + " --header no", ["--header"]),
        (RELEASE + " --on-bad-row skip", ["--on-bad-row"]),
        (RELEASE + " --unit user", ["--max-contributions"]),
    ],
)
def test_what_is_about_points_is_refused_before_anything_is_read(refused, words, says):
    refused(2, *words.split(), "-o", "r.json", says=says)
