"""One numbering of clusters, 1, 2, ... by size, in every file, picture and command."""

import csv
import json
import re

import pytest

# Lower corner and side of three squares on a grid of 40 x 40 cells, and where a point of each lies. Each cell holds 60 records: at epsilon 5
# noise changes none of the clusters.
SQUARES = {1: (0.10, 0.60, 12), 2: (0.60, 0.10, 8), 3: (0.10, 0.10, 4)}
OUTPUTS = ["r.json", "r.geojson", "r.csv", "r.html", "r.svg"]


def inside(number: int, x: float, y: float) -> bool:
    left, low, side = SQUARES[number]
    return left <= x <= left + side / 40 and low <= y <= low + side / 40


@pytest.fixture
def squares(shoal):
    rows = [f"{left + (i + 0.5) / 40},{low + (j + 0.5) / 40}\n" for left, low, side in SQUARES.values() for i in range(side) for j in range(side)]
    (shoal.folder / "squares.csv").write_text("x,y\n" + "".join(rows) * 60)
    outcome = shoal("release", "squares.csv", "--columns", "x,y", "--bounds", "0:1,0:1", "--grid", "40", "--percentile", "10", "--epsilon", "5",
                    *[word for name in OUTPUTS for word in ("-o", name)])
    assert outcome.code == 0, outcome.err
    return outcome


def test_files_program_and_labels_agree(shoal, squares):
    release = json.loads((shoal.folder / "r.json").read_text())
    assert [cluster["id"] for cluster in release["clusters"]] == [1, 2, 3]
    assert [cluster["cells"] for cluster in release["clusters"]] == sorted((cluster["cells"] for cluster in release["clusters"]), reverse=True)
    for cluster in release["clusters"]:
        assert inside(cluster["id"], *cluster["centroid"])
    features = json.loads((shoal.folder / "r.geojson").read_text())["features"]
    for feature in features:
        assert inside(feature["properties"]["cluster"], *feature["properties"]["centroid"])
    for row in csv.DictReader(open(shoal.folder / "r.csv")):
        assert inside(int(row["cluster"]), (float(row["x_lo"]) + float(row["x_hi"])) / 2, (float(row["y_lo"]) + float(row["y_hi"])) / 2)
    printed = re.findall(r"^  cluster (\d+) .* around \(([\d.]+), ([\d.]+)\)", squares.out, re.M)
    assert len(printed) == 3 and all(inside(int(number), float(x), float(y)) for number, x, y in printed)
    shown = re.findall(r'</span>(\d+)</td><td class="n">\d+</td><td class="n">[\d,]+</td><td class="n">[\d,]+ to [\d,]+</td><td class="n">([\d.]+)</td><td class="n">([\d.]+)</td>',
                       (shoal.folder / "r.html").read_text())
    assert len(shown) == 3 and all(inside(int(number), float(x), float(y)) for number, x, y in shown)
    assert shoal("predict", "r.json", "squares.csv", "-o", "labels.csv").code == 0
    points = list(csv.DictReader(open(shoal.folder / "squares.csv")))
    for point, label in zip(points, csv.DictReader(open(shoal.folder / "labels.csv")), strict=True):
        assert label["cluster"] == "0" or inside(int(label["cluster"]), float(point["x"]), float(point["y"]))


def test_pictures_show_the_same_numbers_where_the_clusters_lie(shoal, squares):
    picture = (shoal.folder / "r.svg").read_text()
    numbers = {int(text): (float(x), float(y)) for x, y, text in re.findall(r'<text x="([\d.]+)" y="([\d.]+)"[^>]*paint-order[^>]*>([123])</text>', picture)}
    assert set(numbers) == {1, 2, 3}
    # y grows downwards in a picture: 1 lies above 3, and 2 to the right of it.
    assert numbers[1][1] < numbers[3][1] and numbers[2][0] > numbers[3][0]


def test_the_tree_goes_by_the_same_numbers(shoal, squares):
    tree = shoal("tree", "r.json", "--json", "-").json
    leaves = [branch for branch in tree["branches"] if branch["stable"] and branch["leaf"]]
    assert {re.match(r"\d+", branch["name"])[0] for branch in leaves} >= {"1", "2", "3"}
    for branch in leaves:
        number = int(re.match(r"\d+", branch["name"])[0])
        assert number > 3 or inside(number, *branch["centroid"])
    printed = shoal("tree", "r.json").out
    for number, x, y in re.findall(r"^  cluster (\d+)[a-z]* .* around \(([\d.]+), ([\d.]+)\)", printed, re.M):
        assert int(number) > 3 or inside(int(number), float(x), float(y))
