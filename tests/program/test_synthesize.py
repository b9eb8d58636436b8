import csv
import json

import pytest

PUBLISHERS = ["adaptive-grid", "uniform-grid", "quadtree", "kd-tree", "privelet"]
SPIRALS = ["--columns", "x,y", "--bounds", "0:1,0:1"]


def rows(path):
    with open(path) as file:
        return list(csv.reader(file))


@pytest.mark.parametrize("publisher", PUBLISHERS)
def test_points_lie_inside_the_bounds_and_the_budget_adds_up(shoal, spirals, publisher):
    outcome = shoal("synthesize", spirals, *SPIRALS, "--publisher", publisher, "--epsilon", "2", "-o", "s.csv", "--json", "s.json")
    assert outcome.code == 0, outcome.err
    header, *points = rows(shoal.folder / "s.csv")
    assert header == ["x", "y"]
    assert all(0 <= float(value) <= 1 for point in points for value in point)
    said = json.loads((shoal.folder / "s.json").read_text())
    assert said["synthetic_points"] == len(points)
    assert said["private"] is True
    assert sum(round(float(share["epsilon"]) * 10**12) for share in said["spent"]) == 2 * 10**12
    # Dropping negative counts adds points, never a multiple of them at this budget.
    assert 25000 < len(points) < 100000
    assert "Next: shoal cluster s.csv" in outcome.out
    assert shoal("cluster", "s.csv", "--bounds", "0:1,0:1", "--grid", "40", "--percentile", "10").code == 0


def test_dry_run_reads_no_data(shoal):
    outcome = shoal("synthesize", "nowhere.csv", *SPIRALS, "--epsilon", "1", "--publisher", "quadtree", "--dry-run", "--json", "-")
    assert outcome.code == 0, outcome.err
    assert len(outcome.json["spent"]) == 11


def test_a_ledger_is_charged_and_refuses(shoal, spirals, refused):
    assert shoal("ledger", "create", "l.db", "--dataset", "spirals", "--cap", "1.5").code == 0
    words = ["synthesize", spirals, *SPIRALS, "--epsilon", "1", "--ledger", "l.db", "--dataset", "spirals"]
    assert shoal(*words, "-o", "s.csv").code == 0
    refused(4, *words, "-o", "t.csv", says=["0.5"])


def test_more_points_than_wanted_are_thinned_and_not_lost(shoal, spirals):
    outcome = shoal("synthesize", spirals, *SPIRALS, "--epsilon", "1", "--max-points", "1000", "-o", "s.csv", "--json", "s.json")
    assert outcome.code == 0, outcome.err
    assert "--max-points: one in" in outcome.out
    points = (shoal.folder / "s.csv").read_text().splitlines()
    facts = json.loads((shoal.folder / "s.json").read_text())
    assert 900 < len(points) - 1 <= 1000 and facts["synthetic_points"] == len(points) - 1
    assert 1 / 45 < facts["share"] < 1 / 30


def test_bad_calls_are_refused_and_leave_nothing(refused, spirals):
    refused(2, "synthesize", spirals, *SPIRALS, "--epsilon", "1", says=["-o FILE"])
    refused(2, "synthesize", spirals, *SPIRALS, "--epsilon", "1", "-o", "-", "--json", "-", says=["standard output"])
    refused(3, "synthesize", spirals, *SPIRALS, "--epsilon", "1", "--publisher", "voronoi", "-o", "s.csv", says=["voronoi", "adaptive-grid"])


def test_with_shares_points_stand_for_units(shoal):
    rows = [f"{u},{0.2 + u % 3 * 0.3 + i * 0.001:.3f},0.5" for u in range(300) for i in range(1 + u % 20)]
    (shoal.folder / "trips.csv").write_text("who,x,y\n" + "\n".join(rows) + "\n")
    given = ["--columns", "x,y", "--bounds", "0:1,0:1", "--unit", "who", "--contribution", "share", "--epsilon", "100"]
    outcome = shoal("synthesize", "trips.csv", *given, "-o", "s.csv", "--json", "-")
    assert outcome.code == 0, outcome.err
    assert 250 < outcome.json["synthetic_points"] < 500 and all(share["sensitivity"] == 1 for share in outcome.json["spent"])
    released = shoal("release", "trips.csv", *given, "--technique", "baseline", "--grid", "8", "--percentile", "0", "-o", "r.json")
    assert released.code == 0 and " people" in released.out and "about" in released.out
