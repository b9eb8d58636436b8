"""Releases with insets: the program from --insets to predict."""

import csv
import io
import json
import random

import pytest
from conftest import validate

BOUNDS = ("--bounds", "x=0:1,y=0:1")
CITIES = [(0.2, 0.3), (0.7, 0.6)]


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    """Two small cities of two quarters each in a wide, thin country."""
    rng = random.Random(5)
    path = tmp_path_factory.mktemp("insets") / "world.csv"
    with path.open("w") as file:
        file.write("person,x,y\n")
        for i in range(3000):
            file.write(f"p{i % 400},{rng.random():.5f},{rng.random():.5f}\n")
        for x, y in CITIES:
            for i in range(6000):
                quarter = rng.choice([-0.006, 0.006])
                file.write(f"p{i % 400},{rng.gauss(x + quarter, 0.0015):.5f},{rng.gauss(y, 0.0015):.5f}\n")
    return path


@pytest.fixture
def released(shoal, world, tmp_path):
    outcome = shoal("release", world, *BOUNDS, "--auto", "--insets", "3", "--epsilon", "1", "-o", "insets.json", "-o", "insets.csv")
    assert outcome.code == 0, outcome.err
    return outcome


def test_one_file_holds_the_overview_and_the_insets(shoal, world, released, tmp_path):
    made = json.loads((tmp_path / "insets.json").read_text())
    validate("insets", made)
    assert made["format"] == "shoal-insets/1" and made["private"] and made["epsilon"] == 1
    assert [(spent["name"], spent["epsilon_exact"]) for spent in made["spent"]] == [("overview", "0.2"), ("insets", "0.8")]
    assert [part["name"] for part in made["parts"]][:3] == ["overview", "1", "2"]
    assert "epsilon 0.8" in released.out and "inset 1: x " in released.out
    assert (tmp_path / "insets.csv").read_text().startswith("inset,cluster,x_lo,")


def test_the_quarters_of_a_city_are_told_apart_in_its_inset_alone(shoal, world, released, tmp_path):
    (tmp_path / "at.csv").write_text("x,y\n" + "".join(f"{x + quarter},{y}\n" for x, y in CITIES for quarter in (-0.006, 0.006)) + "0.95,0.05\n")
    outcome = shoal("predict", "insets.json", "at.csv", "-o", "labels.csv")
    assert outcome.code == 0, outcome.err
    rows = list(csv.DictReader(io.StringIO((tmp_path / "labels.csv").read_text())))
    assert list(rows[0]) == ["inset", "cluster"]
    for first, second in (rows[0:2], rows[2:4]):
        assert first["inset"] == second["inset"] != "0"
        assert first["cluster"] != second["cluster"] and "0" not in (first["cluster"], second["cluster"])
    assert rows[0]["inset"] != rows[2]["inset"] and rows[4]["inset"] == "0"
    overview = shoal("predict", "insets.json", "at.csv", "--group", "overview")
    labels = overview.out.split()[1:]
    assert overview.out.split()[0] == "cluster" and labels[0] == labels[1] != "0"
    strong = shoal("predict", "insets.json", "at.csv", "--strength")
    assert strong.out.startswith("inset,cluster,strength\n") and float(strong.out.split()[1].split(",")[2]) > 0.5


def test_the_file_can_be_reshaped_and_its_parts_chosen(shoal, refused, released, tmp_path):
    outcome = shoal("reshape", "insets.json", "--coverage", "50", "-o", "other.json", "-o", "other.geojson")
    assert outcome.code == 0 and "no further budget was spent" in outcome.out, outcome.err
    other = json.loads((tmp_path / "other.json").read_text())
    validate("insets", other)
    assert all(part["release"]["coverage"] == 50 for part in other["parts"])
    assert shoal("tree", "insets.json", "--group", "1").code == 0
    one = shoal("reshape", "insets.json", "--group", "2", "--json", "-")
    assert one.json["format"] == "shoal-release/1"
    assert shoal("reshape", "insets.json", "--group", "1", "-o", "inset.html").code == 0
    refused(2, "tree", "insets.json", says=["overview and", "--group overview"])
    refused(2, "compare", "insets.json", "insets.json", says=["choose one, such as --group overview"])
    refused(3, "reshape", "insets.json", "--group", "9", "-o", "x.json", says=["no part '9'"])


def test_it_is_charged_once(shoal, world, tmp_path):
    assert shoal("ledger", "create", "l.db", "--dataset", "d", "--cap", "1").code == 0
    arguments = ("release", world, *BOUNDS, "--auto", "--insets", "3", "--epsilon", "0.7", "--ledger", "l.db", "--dataset", "d")
    assert shoal(*arguments, "-o", "a.json").code == 0
    assert shoal(*arguments, "-o", "b.json").code == 4
    assert "up to 3 insets" in shoal("ledger", "history", "l.db").out


def test_counts_and_units(shoal, world, tmp_path):
    plan = shoal("release", "--counts", "c.csv", *BOUNDS, "--auto", "--insets", "3", "--epsilon", "1", "--dry-run", "--json", "-").json
    assert [axis["cells"] for axis in plan["counted_axes"]] == [61440, 61440] and plan["insets"] == 3
    assert sum(float(spent["epsilon"]) for spent in plan["spent"]) == pytest.approx(1)
    cells = {}
    for row in csv.DictReader(io.StringIO(world.read_text())):
        at = (min(int(float(row["x"]) * 61440), 61439), min(int(float(row["y"]) * 61440), 61439))
        cells[at] = cells.get(at, 0) + 1
    (tmp_path / "c.csv").write_text("x,y,count\n" + "".join(f"{x},{y},{n}\n" for (x, y), n in cells.items()))
    seeded = ("--auto", "--insets", "3", "--epsilon", "1", "--seed", "2", "--json", "-")
    by_counts = shoal("release", "--counts", "c.csv", *BOUNDS, *seeded)
    assert by_counts.code == 0, by_counts.err
    assert by_counts.json == shoal("release", world, *BOUNDS, *seeded).json
    person = shoal("release", world, *BOUNDS, *seeded, "--unit", "person", "--max-contributions", "2")
    assert person.json["unit"]["max_contributions"] == 2 and person.json["spent"][1]["sensitivity"] == 2
    replaced = shoal("release", world, *BOUNDS, *seeded, "--neighbors", "replace")
    assert replaced.json["spent"][0]["sensitivity"] == 2 and replaced.json["epsilon"] == 1


def test_what_cannot_be_is_refused(refused, world):
    always = ("--epsilon", "1", "-o", "x.json")
    refused(2, "release", world, *BOUNDS, "--grid", "8", "--percentile", "5", "--insets", "3", *always, says=["--insets needs --auto"])
    refused(2, "release", world, *BOUNDS, "--auto", "--by", "person=p1|p2", "--insets", "3", *always, says=["--by"])
    refused(3, "release", world, *BOUNDS, "--auto", "--insets", "65", *always, says=["1 to 64"])
    refused(3, "release", world, "--bounds", "x=0:1:int,y=0:1:int", "--auto", "--insets", "3", *always, says=["without a step"])
