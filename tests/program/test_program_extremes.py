"""No hint, default or error offers a value that was read off the data: its extremes are looked for in everything that commands print or release."""

import random

import pytest

EXTREMES = ["0.123456789012", "0.765432109876", "0.234567890123", "0.876543210987"]
# As they would be printed in full, in six digits, and cut off.
FULL = [x[2:] for x in EXTREMES]
SHORT = [f"{float(x):.6g}" for x in EXTREMES] + [x[:8] for x in EXTREMES]
PUBLIC = ["--columns", "x,y", "--bounds", "0:1,0:1"]


@pytest.fixture
def extreme(shoal):
    draw = random.Random(1)
    rows = [(draw.gauss(*draw.choice([(0.3, 0.03), (0.6, 0.03)])), draw.gauss(0.5, 0.05), i % 300) for i in range(6000)]
    rows += [(EXTREMES[0], "0.5", 7), (EXTREMES[1], "0.5", 8), ("0.5", EXTREMES[2], 9), ("0.5", EXTREMES[3], 10)]
    inside = [row for row in rows if 0.13 < float(row[0]) < 0.76 or row[0] in EXTREMES]
    path = shoal.folder / "data.csv"
    path.write_text("x,y,who\n" + "".join(f"{x},{y},{who}\n" for x, y, who in inside if 0.24 < float(y) < 0.87 or y in EXTREMES))
    return path


def assert_silent(text: str, what: str, looked_for=(*FULL, *SHORT)):
    for part in looked_for:
        assert part not in text, f"{what} tells {part}"


RELEASES = [["--grid", "40", "--percentile", "30", "--technique", technique] for technique in ("privwave", "privthr-em", "privthr", "privqt", "baseline")]
RELEASES += [["--auto"], ["--grid", "40", "--coverage", "80"], ["--grid", "40", "--percentile", "30", "--wavelet", "db2"],
             ["--grid", "40", "--percentile", "30", "--unit", "who", "--max-contributions", "3"], ["--grid", "20", "--percentile", "30", "--outside", "clamp"]]


@pytest.mark.parametrize("options", RELEASES, ids=" ".join)
def test_releases_and_what_is_made_of_them_tell_no_extreme(shoal, extreme, options):
    outputs = [f"r.{suffix}" for suffix in ("json", "html", "csv", "geojson", "svg")]
    made = shoal("release", extreme, *PUBLIC, *options, "--epsilon", "1", *[word for name in outputs for word in ("-o", name)])
    assert made.code == 0, made.err
    runs = [made, shoal("reshape", "r.json", "--percentile", "95", "-o", "again.html", "-o", "again.json"), shoal("tree", "r.json", "-o", "tree.html"),
            shoal("predict", "r.json", extreme, "-o", "labels.csv"), shoal("release", extreme, *PUBLIC, *options, "--epsilon", "1", "--dry-run")]
    for run in runs:
        assert_silent(run.out + run.err, "the terminal")
    for name in [*outputs, "again.html", "again.json", "tree.html", "labels.csv"]:
        if (shoal.folder / name).exists():
            assert_silent((shoal.folder / name).read_text(), name)


def test_the_owners_views_offer_no_extreme_for_a_release(shoal, extreme):
    without = shoal("cluster", extreme, "--columns", "x,y", "--percentile", "30", "-o", "owner.html")
    assert without.code == 0, without.err
    assert "--bounds LOW:HIGH,LOW:HIGH --grid 64" in without.out
    assert "A release needs bounds that were chosen without looking at the data" in without.out
    given = shoal("cluster", extreme, *PUBLIC, "--percentile", "30", "-o", "given.html")
    assert "Next: shoal release" in given.out and "--bounds 0:1,0:1 --grid 64" in given.out
    study = shoal("evaluate", extreme, *PUBLIC, "--grid", "20", "--percentile", "30", "--epsilons", "0.5,1,2", "--runs", "2", "--no-classifier", "--html", "e.html")
    assert study.code == 0, study.err
    assert "--epsilon E " in study.out.split("Next:")[1], "a budget chosen by the study would tell of the data"
    for run in (without, given, study):
        assert_silent(run.out + run.err, "the terminal")


def test_synthetic_points_tell_no_extreme(shoal, extreme):
    for publisher in ("adaptive-grid", "uniform-grid", "quadtree", "kd-tree", "privelet"):
        made = shoal("synthesize", extreme, *PUBLIC, "--epsilon", "1", "--publisher", publisher, "-o", f"{publisher}.csv")
        assert made.code == 0, made.err
        assert_silent(made.out + made.err, "the terminal")
        assert_silent((shoal.folder / f"{publisher}.csv").read_text(), publisher, FULL)  # short digits fall there by chance


def test_errors_offer_no_extreme(shoal, extreme):
    release = ["release", extreme, "--epsilon", "1", "-o", "r.json", "--percentile", "30"]
    for words in ([*release, "--columns", "x,y"], [*release, "--columns", "x,y", "--bounds", "0:1"], [*release, "--columns", "x", "--bounds", "2:1"],
                  [*release, *PUBLIC, "--unit", "who"], [*release, *PUBLIC, "--unit", "nobody", "--max-contributions", "2"],
                  [*release, *PUBLIC, "--max-density", "0", "--technique", "privthr-em"], ["evaluate", extreme, "--columns", "x,y", "--bounds", "2:3,2:3", "--percentile", "30"],
                  ["cluster", extreme, "--columns", "x,z"], ["synthesize", extreme, "--columns", "x,y", "--epsilon", "1", "-o", "s.csv"]):
        outcome = shoal(*words)
        assert outcome.code in (2, 3), outcome.out
        assert_silent(outcome.out + outcome.err, "an error")
