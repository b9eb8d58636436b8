import csv
import gzip
import json
import random

import pytest
from conftest import published

# The paper's sets with the authors' bounds: figures computed independently from the authors' data.
FIGURES = {
    "paper_ds1": dict(bounds="20406:963766,51397:972357", grid=64, percentile=58, positive_cells=501, nonpositive_cells=523, k=211,
                      threshold_sum=32, clusters=15, cluster_cells=[8, 12, 13, 13, 13, 13, 14, 14, 15, 15, 15, 16, 16, 16, 18], points=30000),
    "paper_ds2": dict(bounds="90045:964445,87019:955419", grid=40, percentile=10, positive_cells=159, nonpositive_cells=241, k=144,
                      threshold_sum=46, clusters=3, cluster_cells=[47, 48, 49], points=31200),
    "paper_ds3": dict(bounds="100504:1097128,58503:875127", grid=36, percentile=23, positive_cells=197, nonpositive_cells=127, k=152,
                      threshold_sum=104, clusters=5, cluster_cells=[5, 9, 35, 49, 54], points=31520),
}


@pytest.mark.parametrize("name", FIGURES)
def test_the_papers_sets_give_the_known_figures(shoal, name):
    want = FIGURES[name]
    outcome = shoal("cluster", published(f"shapes/{name}.csv"), "--columns", "x,y", "--bounds", want["bounds"], "--grid", want["grid"],
                    "--percentile", want["percentile"], "--json", "-")
    assert outcome.code == 0, outcome.err
    got = outcome.json
    for key in ("positive_cells", "nonpositive_cells", "k", "threshold_sum", "clusters", "cluster_cells", "points"):
        assert got[key] == want[key], key
    assert got["outside"] == 0


def test_the_generated_spirals_are_three_clusters_and_all_files_are_written(shoal, spirals):
    outputs = ["r.html", "r.svg", "r.png", "r.json", "r.csv", "r.geojson"]
    words = [word for name in outputs for word in ("-o", name)]
    outcome = shoal("cluster", spirals, "--bounds", "0:1,0:1", "--grid", 40, "--percentile", 10, *words, "--labels", "labels.csv")
    assert outcome.code == 0, outcome.err
    assert "3 clusters" in outcome.out and "NOT PRIVATE" in outcome.out and "Next: shoal release" in outcome.out
    for name in outputs:
        assert (shoal.folder / name).stat().st_size > 100
    labels = list(csv.DictReader(open(shoal.folder / "labels.csv")))
    assert len(labels) == 31200
    assert {row["cluster"] for row in labels} == {"0", "1", "2", "3"}
    assert "NOT PRIVATE" in (shoal.folder / "r.html").read_text().upper()


def test_labels_agree_with_the_cells(shoal, spirals):
    shoal("cluster", spirals, "--bounds", "x=0:1,y=0:1", "--grid", 40, "--percentile", 10, "-o", "cells.csv", "--labels", "labels.csv")
    cells = list(csv.DictReader(open(shoal.folder / "cells.csv")))
    boxes = [(int(c["cluster"]), *[float(c[k]) for k in ("x_lo", "x_hi", "y_lo", "y_hi")]) for c in cells]
    points = list(csv.DictReader(open(spirals)))
    labels = [int(row["cluster"]) for row in csv.DictReader(open(shoal.folder / "labels.csv"))]
    for row, label in list(zip(points, labels))[::37]:
        x, y = float(row["x"]), float(row["y"])
        inside = [c for c, xl, xh, yl, yh in boxes if xl <= x < xh and yl <= y < yh]
        assert inside == ([label] if label else [])


def test_json_on_standard_output_is_alone_there(shoal, spirals):
    outcome = shoal("cluster", spirals, "--bounds", "0:1,0:1", "--json", "-")
    assert json.loads(outcome.out)["private"] is False
    for key in ("points", "outside", "grid", "wavelet", "level", "percentile", "positive_cells", "nonpositive_cells", "k", "threshold",
                "significant_cells", "clusters", "cluster_cells"):
        assert key in outcome.json


def test_standard_input_gzip_and_file_agree(shoal, spirals):
    words = ["--bounds", "0:1,0:1", "--grid", "40", "--percentile", "10", "--json", "-"]
    by_file = shoal("cluster", spirals, *words).json
    assert shoal("cluster", "-", *words, stdin=spirals.read_bytes()).json == by_file
    packed = shoal.folder / "spirals.csv.gz"
    packed.write_bytes(gzip.compress(spirals.read_bytes()))
    assert shoal("cluster", packed, *words).json == by_file
    assert shoal("cluster", "-", *words, stdin=packed.read_bytes()).json == by_file


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_threads_change_nothing(shoal, spirals, threads):
    words = ["cluster", spirals, "--bounds", "0:1,0:1", "--wavelet", "db4", "--json", "-"]
    assert shoal(*words, "--threads", threads).json == shoal(*words).json


def test_a_configuration_file_serves_and_the_command_line_wins(shoal, spirals):
    (shoal.folder / "c.toml").write_text('grid = 20\n[cluster]\nbounds = "0:1,0:1"\npercentile = 10\ncolumns = ["x", "y"]\n')
    got = shoal("cluster", spirals, "--config", "c.toml", "--grid", "40", "--json", "-").json
    assert got["grid"] == [40, 40] and got["percentile"] == 10 and got["clusters"] == 3


def test_bad_configuration_is_refused(refused, shoal, spirals):
    (shoal.folder / "c.toml").write_text("[cluster]\nprecentile = 10\n")
    refused(3, "cluster", spirals, "--config", "c.toml", says=["c.toml", "line 2", "precentile", "not an option"])
    (shoal.folder / "c.toml").write_text("= 10\n")
    refused(3, "cluster", spirals, "--config", "c.toml", says=["c.toml", "line 1"])
    refused(3, "cluster", spirals, "--config", "none.toml", says=["none.toml"])


# What is wrong, where, and how to mend it.
BAD_FILES = {
    "text": (b"x,y\n1,2\n3,abc\n", ["line 3", "abc", "--na abc"]),
    "ragged": (b"x,y\n1,2\n3\n", ["line 3"]),
    "empty": (b"", ["empty"]),
    "missing column": (b"x,z\n1,2\n", ["no column 'y'", "'x', 'z'"]),
    "bad utf-8": (b"x,y\n1,2\n\xff\xfe,3\n", ["line 3"]),
    "truncated gzip": (gzip.compress(b"x,y\n" + b"1,2\n" * 10000)[:-20], ["gzip"]),
}


@pytest.mark.parametrize("kind", BAD_FILES)
def test_bad_files_are_refused_in_one_clear_line(refused, shoal, kind):
    content, says = BAD_FILES[kind]
    (shoal.folder / "bad.csv").write_bytes(content)
    refused(3, "cluster", "bad.csv", "--columns", "x,y", "--bounds", "0:1,0:1", "-o", "out.html", "--labels", "l.csv", says=["bad.csv", *says])


def test_bad_rows_can_be_skipped(shoal):
    (shoal.folder / "bad.csv").write_bytes(b"x,y\n.1,.2\nfoo,1\n.3,.4\n")
    got = shoal("cluster", "bad.csv", "--bounds", "x=0:1,y=0:1", "--grid", 2, "--percentile", 0, "--on-bad-row", "skip", "--json", "-").json
    assert got["points"] == 2


@pytest.mark.parametrize("words, code, says", [
    (["--bounds", "0:1"], 3, ["2 columns, but 1 is needed", "--columns"]),
    (["--bounds", "1:0,0:1"], 3, ["lower"]),
    (["--bounds", "0:0,0:1"], 3, ["lower"]),
    (["--bounds", "nan:1,0:1"], 3, ["finite"]),
    (["--bounds", "0:inf,0:1"], 3, ["finite"]),
    (["--bounds", "a:1,0:1"], 2, ["'a'", "number"]),
    (["--bounds", "0:1,0:1", "--grid", "0"], 3, ["cells"]),
    (["--bounds", "0:1,0:1", "--grid", "-4"], 2, ["--grid"]),
    (["--bounds", "0:1,0:1", "--grid", "64,64,64"], 2, ["--grid"]),
    (["--bounds", "0:1,0:1", "--grid", "99999999999999999999"], 2, ["--grid"]),
    (["--bounds", "0:1,0:1", "--percentile", "100"], 3, ["percentile"]),
    (["--bounds", "0:1,0:1", "--percentile", "nan"], 3, ["percentile"]),
    (["--bounds", "0:1,0:1", "--percentile", "10", "--top", "3"], 2, ["give only one of", "--top"]),
    (["--bounds", "0:1,0:1", "--wavelet", "foo"], 3, ["foo", "haar"]),
    (["--bounds", "0:1,0:1", "--level", "0"], 3, ["level"]),
    (["--bounds", "0:1,0:1", "--adjacency", "diagonal"], 2, ["adjacency", "face"]),
    (["--bounds", "0:1,0:1", "-o", "x.pdf"], 3, [".pdf", ".html"]),
    (["--bounds", "0:1,0:1", "-o", "no/such/folder/x.html"], 3, ["no/such/folder"]),
    (["--bounds", "0:1,0:1", "--no-such-option"], 2, ["--no-such-option"]),
])
def test_bad_parameters_are_refused(refused, shoal, words, code, says):
    (shoal.folder / "p.csv").write_text("x,y\n.1,.2\n.5,.6\n")
    refused(code, "cluster", "p.csv", *words, says=says)


def test_no_such_file_and_a_folder_are_refused(refused, shoal):
    refused(3, "cluster", "none.csv", "--bounds", "0:1,0:1", says=["none.csv"])
    (shoal.folder / "dir").mkdir()
    refused(3, "cluster", "dir", "--bounds", "0:1,0:1", says=["dir"])


def test_a_full_disk_is_said_and_leaves_nothing(shoal, spirals):
    outcome = shoal("cluster", spirals, "--bounds", "0:1,0:1", "--json", "/dev/full")
    assert outcome.code == 3 and "/dev/full" in outcome.err


@pytest.mark.parametrize("text", ["x,y\n", "x,y\n.5,.5\n", "x,y\nnan,1\ninf,-inf\n"])
def test_empty_single_and_unusable_points_give_a_valid_answer(shoal, text):
    (shoal.folder / "p.csv").write_text(text)
    outcome = shoal("cluster", "p.csv", "--bounds", "0:1,0:1", "--percentile", 0, "--json", "-", "-o", "p.html", "-o", "p.geojson")
    assert outcome.code == 0, outcome.err
    assert outcome.json["clusters"] == (1 if ".5" in text else 0)


def test_one_cell(shoal):
    (shoal.folder / "p.csv").write_text("x,y\n0,0\n1,1\n2,2\n")
    got = shoal("cluster", "p.csv", "--bounds", "0:1,0:1", "--grid", 1, "--percentile", 0, "--json", "-").json
    assert (got["points"], got["outside"], got["clusters"]) == (3, 1, 1)
    got = shoal("cluster", "p.csv", "--bounds", "0:1,0:1", "--grid", 1, "--percentile", 0, "--outside", "clamp", "--json", "-").json
    assert got["outside"] == 0


def test_three_dimensions_show_projections(shoal):
    assert shoal("datasets", "mixture3", "-o", "m.csv").code == 0
    outcome = shoal("cluster", "m.csv", "--columns", "1,2,3", "--grid", 16, "-o", "m.html", "-o", "m.svg")
    assert outcome.code == 0, outcome.err
    assert (shoal.folder / "m.svg").read_text().count("<svg") >= 1


def test_auto_needs_no_setting_and_suggests_the_private_one(shoal, spirals):
    outcome = shoal("cluster", spirals, "--bounds", "0:1,0:1", "--auto", "--labels", "labels.csv", "--json", "facts.json", "-o", "r.html", "-o", "r.svg")
    assert outcome.code == 0, outcome.err
    assert "3 clusters" in outcome.out and "NOT PRIVATE" in outcome.out and "--auto --epsilon 1" in outcome.out
    facts = json.loads((shoal.folder / "facts.json").read_text())
    assert facts["clusters"] == 3 and facts["modes"] is True and facts["percentile"] is None
    labels = [int(row["cluster"]) for row in csv.DictReader(open(shoal.folder / "labels.csv"))]
    assert len(labels) == 31200 and labels.count(0) < 1000
    for given in (["--grid", 40], ["--percentile", 10], ["--wavelet", "db2"]):
        assert shoal("cluster", spirals, "--bounds", "0:1,0:1", "--auto", *given).code == 2


def test_auto_shows_no_clusters_in_a_plain(shoal):
    numbers = random.Random(1)
    (shoal.folder / "plain.csv").write_text("x,y\n" + "".join(f"{numbers.random()},{numbers.random()}\n" for _ in range(20000)))
    outcome = shoal("cluster", "plain.csv", "--bounds", "0:1,0:1", "--auto", "--json", "-")
    assert outcome.code == 0 and outcome.json["clusters"] <= 1


def test_check_ins_of_the_world(shoal):
    outcome = shoal("cluster", published("geo/gowalla_world.csv.gz"), "--columns", "lon,lat", "--bounds", "-180:180,-90:90", "--grid",
                    1024, "--percentile", 31, "--json", "-", "-o", "world.html", "-o", "world.geojson")
    assert outcome.code == 0, outcome.err
    assert outcome.json["points"] == 620683
    world = json.loads((shoal.folder / "world.geojson").read_text())
    for feature in world["features"][:50]:
        shape = feature["geometry"]
        polygons = shape["coordinates"] if shape["type"] == "MultiPolygon" else [shape["coordinates"]]
        for polygon in polygons:
            for lon, lat in polygon[0]:
                assert -180 <= lon <= 180 and -90 <= lat <= 90


@pytest.mark.parametrize("command", ["cluster", "release", "reshape", "predict", "ledger", "datasets", "synthesize", "evaluate", "reproduce", "audit"])
def test_every_command_explains_itself_with_an_example(shoal, command):
    outcome = shoal(command, "--help")
    assert outcome.code == 0 and "Example" in outcome.out and f"shoal {command}" in outcome.out


def test_no_command_is_a_usage_error(shoal):
    assert shoal().code == 2
    assert shoal("frobnicate").code == 2


def test_the_next_command_keeps_the_wavelet_and_all_that_was_given(shoal, spirals):
    words = ["--wavelet", "db2", "--level", "2", "--transform", "stationary", "--adjacency", "face", "--min-cells", "3"]
    common = ["--columns", "x,y", "--bounds", "0:1,0:1", "--grid", "32", "--percentile", "10"]
    kept = "--percentile 10 " + " ".join(words)
    assert kept in shoal("cluster", spirals, *common, *words).out
    assert kept in shoal("evaluate", spirals, *common, *words, "--techniques", "privqt", "--epsilons", "1", "--runs", "1", "--no-classifier").out
    assert "--percentile 10 --epsilon" in shoal("cluster", spirals, *common).out
