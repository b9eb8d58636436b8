"""What is not private says so in every format."""

import csv
import json

import pytest

GRID = ["--columns", "x,y", "--bounds", "0:1,0:1", "--grid", "40", "--percentile", "10"]


@pytest.fixture
def study(shoal, spirals):
    """A seeded release, written with --json: the only way there is."""
    assert shoal("release", spirals, *GRID, "--epsilon", "1", "--seed", "7", "--json", "study.json").code == 0
    assert json.loads((shoal.folder / "study.json").read_text())["private"] is False
    return shoal.folder / "study.json"


def test_a_reshaped_study_is_marked_in_every_format(shoal, study):
    names = ["again.json", "r.geojson", "r.csv", "r.html", "r.svg", "r.png"]
    outcome = shoal("reshape", study, "--percentile", "20", *[word for name in names for word in ("-o", name)])
    assert outcome.code == 0 and outcome.out.startswith("NOT PRIVATE"), outcome.err
    assert json.loads((shoal.folder / "again.json").read_text())["private"] is False
    assert json.loads((shoal.folder / "r.geojson").read_text())["private"] is False
    rows = list(csv.DictReader(open(shoal.folder / "r.csv")))
    assert rows and all(row["private"] == "false" for row in rows)
    assert "NOT PRIVATE" in (shoal.folder / "r.svg").read_text()
    assert "do not publish" in (shoal.folder / "r.html").read_text()
    assert json.loads(shoal("reshape", study, "--percentile", "20", "--json", "-").out)["private"] is False


def test_the_mark_of_a_csv_is_in_its_header_when_there_is_no_cluster(shoal, study):
    assert shoal("reshape", study, "--min-cells", "4000", "-o", "none.csv").code == 0
    assert (shoal.folder / "none.csv").read_text() == "cluster,x_lo,x_hi,y_lo,y_hi,noisy_count,lower_95,upper_95,private\n"


def test_a_tree_of_a_study_is_marked(shoal, study):
    assert shoal("tree", study, "-o", "t.json", "-o", "t.svg", "-o", "t.html").code == 0
    assert json.loads((shoal.folder / "t.json").read_text())["private"] is False
    assert "NOT PRIVATE" in (shoal.folder / "t.svg").read_text()
    assert "do not publish" in (shoal.folder / "t.html").read_text().lower()


def test_labels_by_a_study_are_marked(shoal, study, spirals):
    outcome = shoal("predict", study, spirals, "-o", "labels.csv", "--json", "facts.json")
    assert outcome.code == 0 and outcome.out.startswith("NOT PRIVATE"), outcome.err
    rows = list(csv.DictReader(open(shoal.folder / "labels.csv")))
    assert len(rows) == 31200 and {row["private"] for row in rows} == {"false"}
    assert json.loads((shoal.folder / "facts.json").read_text())["private"] is False
    assert shoal("predict", study, spirals).out.startswith("cluster,private\n")
    rows = list(csv.DictReader(shoal("predict", study, spirals, "--strength").out.splitlines()))
    assert list(rows[0]) == ["cluster", "strength", "private"] and len(rows) == 31200
    assert max(float(row["strength"]) for row in rows) == 1
    assert all((float(row["strength"]) == 0) == (row["cluster"] == "0") for row in rows)


def test_what_is_private_bears_no_such_mark(shoal, spirals):
    words = ["release", spirals, *GRID, "--epsilon", "1", "-o", "r.json", "-o", "r.csv", "-o", "r.svg", "-o", "r.geojson", "-o", "r.html"]
    assert shoal(*words).code == 0
    assert (shoal.folder / "r.csv").read_text().startswith("cluster,x_lo,x_hi,y_lo,y_hi,noisy_count,lower_95,upper_95\n")
    assert json.loads((shoal.folder / "r.geojson").read_text())["private"] is True
    assert "NOT PRIVATE" not in (shoal.folder / "r.svg").read_text() + (shoal.folder / "r.html").read_text()
    assert shoal("predict", "r.json", spirals).out.startswith("cluster\n")


def test_the_owners_own_view_is_marked(shoal, spirals):
    assert shoal("cluster", spirals, *GRID, "-o", "c.json", "-o", "c.geojson", "-o", "c.csv", "-o", "c.svg", "-o", "c.html", "--labels", "l.csv").code == 0
    assert json.loads((shoal.folder / "c.json").read_text())["private"] is False
    assert json.loads((shoal.folder / "c.geojson").read_text())["private"] is False
    for name in ("c.csv", "l.csv"):
        assert {row["private"] for row in csv.DictReader(open(shoal.folder / name))} == {"false"}
    assert "NOT PRIVATE" in (shoal.folder / "c.svg").read_text()
