"""shoal compare: JSON, pictures, what it prints, and what it refuses."""

import json

import pytest

PLANE = ["--columns", "x,y", "--bounds", "0:1,0:1", "--grid", 32, "--percentile", 20, "--epsilon", 1]


def blobs(path, moved=0.0, third=True):
    rows = ["x,y"]
    for cx, cy, count in [(0.25 + moved, 0.25, 1500), (0.75, 0.3, 1500), *([(0.5, 0.8, 800)] if third else [])]:
        for i in range(count):
            rows.append(f"{cx + 0.08 * ((i * 7919 % 1000) / 1000 - 0.5):.5f},{cy + 0.08 * ((i * 104729 % 997) / 997 - 0.5):.5f}")
    path.write_text("\n".join(rows) + "\n")


@pytest.fixture
def releases(shoal):
    for name, changes in {"a": {}, "b": {}, "c": {"moved": 0.1, "third": False}}.items():
        blobs(shoal.folder / f"{name}.csv", **changes)
        done = shoal("release", f"{name}.csv", *PLANE, "-o", f"{name}.json")
        assert done.code == 0, done.err
    return ["a.json", "b.json", "c.json"]


def kinds(step):
    return sorted(found["change"] for cluster in step["clusters"] if cluster["changed"] for found in cluster["found"])


def test_it_writes_every_format_and_finds_what_was_made(shoal, releases):
    names = [shoal.folder / f"changes.{suffix}" for suffix in ("html", "svg", "png", "json")]
    done = shoal("compare", *releases, *[part for name in names for part in ("-o", name)])
    assert done.code == 0, done.err
    assert "a.json to b.json: 0 of" in done.out and "b.json to c.json: 2 of" in done.out
    assert all(name.stat().st_size > 500 for name in names)
    facts = json.loads(names[-1].read_text())
    assert facts["format"] == "shoal-compare/1" and facts["private"] is True
    same, other = facts["changes"]
    assert kinds(same) == [] and kinds(other) == ["gone", "moved"]
    [moved] = [of for of in other["clusters"] if any(found["change"] == "moved" for found in of["found"])]
    assert moved["move"][0] == pytest.approx(0.1, abs=0.03) and abs(moved["move"][1]) < 0.03
    assert shoal("compare", *releases, "--json", "-").json == facts


def test_it_refuses_what_it_cannot_compare(shoal, refused, releases):
    refused(3, "compare", "a.json", says=["give two or more"])
    refused(3, "compare", "a.json", "none.json", says=["none.json"])
    refused(3, "compare", "a.json", "b.json", "-o", "changes.csv", says=["changes.csv", ".html, .svg, .png or .json"])
    assert shoal("release", "a.csv", "--columns", "x,y", "--bounds", "0:2,0:1", *PLANE[4:], "-o", "wide.json").code == 0
    refused(3, "compare", "a.json", "wide.json", says=["different planes", "x=0:1,y=0:1", "x=0:2,y=0:1"])
    assert shoal("release", "a.csv", *PLANE[:4], "--grid", 48, *PLANE[6:], "-o", "fine.json").code == 0
    refused(3, "compare", "a.json", "fine.json", says=["32 x 32 and 48 x 48 cells", "--like"])


def test_studies_are_marked(shoal, releases):
    assert shoal("release", "a.csv", *PLANE, "--seed", 1, "--json", "study.json").code == 0
    done = shoal("compare", "a.json", "study.json", "-o", "s.json", "-o", "s.svg", "-o", "s.html")
    assert done.code == 0, done.err
    assert json.loads((shoal.folder / "s.json").read_text())["private"] is False
    assert "NOT PRIVATE" in (shoal.folder / "s.svg").read_text() and "do not publish" in (shoal.folder / "s.html").read_text()
