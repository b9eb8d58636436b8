"""shoal tree: JSON, pictures, what it prints, and what it refuses."""

import json

import pytest


@pytest.fixture
def release(shoal, spirals):
    done = shoal("release", spirals, "--columns", "x,y", "--bounds", "0:1,0:1", "--grid", 40, "--percentile", 10, "--epsilon", 1, "-o", "release.json")
    assert done.code == 0, done.err
    return shoal.folder / "release.json"


def test_it_writes_every_format_and_says_what_to_do_next(shoal, release):
    names = [shoal.folder / f"tree.{suffix}" for suffix in ("html", "svg", "png", "json")]
    done = shoal("tree", release, *[part for name in names for part in ("-o", name)])
    assert done.code == 0, done.err
    assert "stable clusters over all thresholds" in done.out and "Numbers are the cluster numbers of the release" in done.out
    assert "Data without structure show more than one stable cluster in at most 5 % of releases. Rounded values" in done.out
    assert "records (95 %: " in done.out
    assert all(name.stat().st_size > 500 for name in names)
    tree = json.loads(names[-1].read_text())
    assert tree["family_wise_error"] == 0.05 and tree["accounts_for_sample"]
    stable = [branch for branch in tree["branches"] if branch["stable"] and branch["leaf"]]
    assert len(stable) >= 3 and tree["level"]["stable"] >= 3
    for branch in tree["branches"]:
        assert branch["birth"] >= branch["death"] and branch["k_birth"] <= branch["k_death"]
        assert branch["parent"] is None or tree["branches"][branch["parent"] - 1]["death"] <= branch["death"]


def test_the_level_it_names_shows_the_clusters_it_says(shoal, release):
    tree = shoal("tree", release, "--json", "-").json  # nothing but JSON there
    assert tree["format"] == "shoal-tree/1"
    other = shoal("reshape", release, "--density", tree["level"]["density"], "--json", "-").json
    assert len(other["clusters"]) >= tree["level"]["stable"]


def test_it_refuses_what_it_cannot_do(shoal, release, refused):
    refused(3, "tree", release, "-o", "tree.csv", says=["tree.csv", ".html, .svg, .png or .json"])
    refused(3, "tree", release, "-o", "tree.txt", says=["tree.txt"])
    refused(3, "tree", "none.json", says=["none.json"])
    (shoal.folder / "bad.json").write_text("{}")
    refused(3, "tree", "bad.json", says=["bad.json", "is not a release but another kind of JSON"])
    refused(2, "tree", says=["RELEASE"])
