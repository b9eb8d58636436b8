"""Several resolutions at once: cluster --levels and reshape --levels."""

import json

import pytest

COMMON = ["--columns", "x,y", "--bounds", "0:1,0:1", "--grid", "64"]


@pytest.fixture
def release(shoal, spirals):
    outcome = shoal("release", spirals, *COMMON, "--coverage", "90", "--epsilon", "5", "--technique", "privqt", "-o", "clusters.json")
    assert outcome.code == 0, outcome.err
    return shoal.folder / "clusters.json"


def test_cluster_shows_every_level_and_what_holds_what(shoal, spirals):
    outcome = shoal("cluster", spirals, *COMMON, "--percentile", "10", "--levels", "1-4", "--json", "-",
                    "-o", "levels.svg", "-o", "levels.png", "-o", "levels.html", "-o", "levels.json")
    assert outcome.code == 0, outcome.err
    assert outcome.json == json.loads((shoal.folder / "levels.json").read_text())
    assert outcome.json["private"] is False and [level["level"] for level in outcome.json["levels"]] == [1, 2, 3, 4]
    for level in outcome.json["levels"]:
        alone = shoal("cluster", spirals, *COMMON, "--percentile", "10", "--level", level["level"], "--json", "-").json
        assert sorted(cluster["cells"] for cluster in level["clusters"]) == alone["cluster_cells"]
        assert (level["k"], level["threshold"], level["shape"]) == (alone["k"], alone["threshold"], [64 >> level["level"]] * 2)
    for fine, coarse in zip(outcome.json["levels"], outcome.json["levels"][1:], strict=False):
        known = {cluster["id"] for cluster in coarse["clusters"]}
        assert all(cluster["held_by"] in known or cluster["held_by"] is None for cluster in fine["clusters"])
    assert "NOT PRIVATE" in (shoal.folder / "levels.svg").read_text() and "NOT PRIVATE" in (shoal.folder / "levels.html").read_text()


def test_reshape_shows_every_level_and_spends_nothing(shoal, release):
    outcome = shoal("reshape", release, "--levels", "1-4", "-o", "levels.html", "-o", "levels.json", "-o", "levels.svg")
    assert outcome.code == 0, outcome.err
    assert "no further budget was spent" in outcome.out and "of level 2" in outcome.out
    levels = json.loads((shoal.folder / "levels.json").read_text())
    assert levels["format"] == "shoal-levels/1" and levels["private"] is True
    for level in levels["levels"]:
        alone = shoal("reshape", release, "--level", level["level"], "--json", "-").json
        assert [cluster["cells"] for cluster in level["clusters"]] == [cluster["cells"] for cluster in alone["clusters"]]
    assert "Which cluster holds which" in (shoal.folder / "levels.svg").read_text()


def test_levels_that_cannot_be_given_are_refused_with_one_sentence(shoal, refused, spirals, release):
    refused(3, "cluster", spirals, *COMMON, "--percentile", "10", "--levels", "1-6", says=["level 6", "choose levels up to 5"])
    refused(3, "reshape", release, "--levels", "1-6", says=["level 6", "choose levels up to 5"])
    refused(2, "reshape", release, "--levels", "5-1", says=["not a list of levels"])
    refused(2, "reshape", release, "--levels", "1-3", "--level", "2", says=["--level and --levels"])
    refused(3, "reshape", release, "--levels", "1-3", "-o", "levels.csv", says=["levels.csv", ".html"])
    refused(2, "cluster", spirals, *COMMON, "--levels", "1-3", "--labels", "labels.csv", says=["--labels needs one level"])
    refused(2, "cluster", spirals, "--columns", "x,y", "--bounds", "0:1,0:1", "--auto", "--levels", "1-3", says=["--auto"])
    sums = shoal("release", spirals, *COMMON, "--coverage", "80", "--level", "2", "--epsilon", "5", "-o", "sums.json")
    assert sums.code == 0, sums.err
    refused(3, "reshape", shoal.folder / "sums.json", "--levels", "1-3", says=["noisy sums of level 2", "level 1 is finer"])
