"""What trees, comparisons, labels, groups and synthetic points claim, tried where it is true and where it is false.

Each sentence stands in exactly the outputs in which it is true, and the outputs hold both cases.
"""

import random
import subprocess

import pytest
from conftest import SHOAL

BOUNDS = ("--columns", "x,y", "--bounds", "x=0:1,y=0:1")
ON_A_GRID = ("--grid", "32", "--percentile", "60")


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    folder = tmp_path_factory.mktemp("claims")

    def run(*words):
        done = subprocess.run([str(SHOAL), *map(str, words)], cwd=folder, capture_output=True, text=True, timeout=300, check=False)
        assert done.returncode in (0, 5), (words, done.stderr)
        return done.stdout + done.stderr

    rng = random.Random(6)
    kinds = {
        "blobs": lambda i: (rng.gauss([0.25, 0.7][i % 2], 0.05), rng.gauss(0.3, 0.05)),
        "moved": lambda i: (rng.gauss([0.19, 0.7][i % 2], 0.05), rng.gauss(0.3, 0.05)),
        "uniform": lambda i: (rng.random(), rng.random()),
    }
    lines = {kind: [f"{kind},{'{:.5f},{:.5f}'.format(*place(i))}\n" for i in range(8000)] for kind, place in kinds.items()}
    lines["grown"] = [f"grown,{'{:.5f},{:.5f}'.format(*kinds['blobs'](0))}\n" for _ in range(4000)] + lines["blobs"]
    lines["all"] = lines["blobs"] + lines["uniform"]
    for kind, rows in lines.items():
        (folder / f"{kind}.csv").write_text("kind,x,y\n" + "".join(rows))

    def made(name, data, *options):
        (folder / f"{name}.json").write_text(run("release", f"{data}.csv", *BOUNDS, *options, "--seed", "1", "--json", "-"))

    for kind in ("blobs", "moved", "grown"):
        made(kind, kind, *ON_A_GRID, "--epsilon", "2")
    made("again", "blobs", *ON_A_GRID, "--epsilon", "1.9")
    made("flat", "uniform", "--auto", "--epsilon", "1")
    made("baseline", "blobs", *ON_A_GRID, "--technique", "baseline", "--epsilon", "2")
    run("release", "blobs.csv", *BOUNDS, *ON_A_GRID, "--epsilon", "2", "-o", "private.json")
    run.folder = folder
    return run


def page(run, name, *words):
    run(*words, "-o", name)
    return (run.folder / name).read_text()


def check(outputs, truths):
    """truths: sentence -> the names of the outputs in which it is true."""
    for sentence, true in truths.items():
        said = {name for name, text in outputs.items() if sentence in text}
        assert true and true < set(outputs), f"no output tries both cases: {sentence}"
        assert said == true, f"'{sentence}' stands in {said} and is true in {true}"


def test_claims_of_a_tree(run):
    outputs = {name: run("tree", f"{name}.json") + page(run, f"tree-{name}.html", "tree", f"{name}.json") for name in ("blobs", "flat", "baseline")}
    check(
        outputs,
        {
            "2 stable clusters over all thresholds": {"blobs"},
            "No stable cluster at any threshold": {"flat", "baseline"},
            "No cluster stands out from the noise at any threshold": {"flat"},
            "The noise of this release is unknown, so no cluster can be called": {"baseline"},
            "Data without structure show more than one stable cluster in at most 5 %": {"blobs", "flat"},
            "The number of stable clusters is largest at threshold": {"blobs"},
        },
    )


def test_claims_of_a_comparison(run):
    """grown: the first blob holds twice as many records. moved: it lies elsewhere. again: the same data."""
    outputs = {
        name: run("compare", "blobs.json", f"{name}.json") + page(run, f"compare-{name}.html", "compare", "blobs.json", f"{name}.json")
        for name in ("grown", "moved", "again")
    }
    check(
        outputs,
        {
            " grew: from": {"grown"},
            " moved: from": {"moved"},
            ">no cluster changed<": {"again"},
            ": 0 of 2 clusters changed": {"again"},
            ": 1 of 2 clusters changed": {"grown", "moved"},
        },
    )
    for text in outputs.values():
        for never in ("joined", "split", "shrank", "new", "gone"):
            assert f" {never}: from" not in text and f"<b>{never}" not in text, never


def test_a_comparison_is_private_if_and_only_if_all_releases_are(run):
    pairs = {"none": ("blobs", "again"), "one": ("private", "again"), "both": ("private", "private")}
    check(
        {name: page(run, f"marks-{name}.html", "compare", *(f"{of}.json" for of in pair)) for name, pair in pairs.items()},
        {"Made from private releases alone": {"both"}, "At least one of the releases was made with a seed": {"none", "one"}},
    )


def test_claims_of_groups(run):
    """With one group, a record that is replaced by another changes no second group: more groups would cost more."""
    rows = ("all.csv", *BOUNDS, "--auto", "--epsilon", "1", "--static")
    groups = {"one": "kind=blobs", "two": "kind=blobs|uniform"}
    outputs = {name: page(run, f"{name}.html", "release", *rows, "--by", by, "-o", f"{name}.json") for name, by in groups.items()}
    outputs["replaced"] = page(run, "replaced.html", "release", *rows, "--by", groups["one"], "--neighbors", "replace", "-o", "replaced.json")
    check(outputs, {", whatever the number of groups": {"one", "two"}})


def test_claims_of_labels_and_synthetic_points(run):
    check(
        {name: run("predict", f"{name}.json", "blobs.csv", "-o", f"labels-{name}.csv") for name in ("blobs", "private")},
        {"NOT PRIVATE: these labels come from a seeded study": {"blobs"}},
    )
    points = ("synthesize", "blobs.csv", *BOUNDS, "--epsilon", "1")
    check(
        {"all": run(*points, "-o", "synthetic.csv"), "some": run(*points, "--max-points", "500", "-o", "some.csv")},
        {"points was written, sampled at random": {"some"}},
    )


def test_claims_of_the_owners_view(run):
    places = ("--columns", "x,y", "--bounds", "x=0:1,y=0:1", "--grid", "32", "--density")
    check(
        {"dense": page(run, "dense.html", "cluster", "blobs.csv", *places, "5"), "none": page(run, "no-cell.html", "cluster", "blobs.csv", *places, "1e9")},
        {"No cell is dense enough": {"none"}},
    )
