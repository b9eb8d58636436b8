"""What may be noise, chance or a part of a uniform area is said to be so, and is left out of maps and labels unless asked for. Seeded runs."""

import json
import re

import numpy as np
import pytest

PUBLIC = ["--columns", "x,y", "--bounds", "0:1,0:1"]
CUT = [*PUBLIC, "--grid", "64", "--percentile", "60", "--epsilon", "1", "--seed", "1"]


@pytest.fixture(scope="module")
def uniform(tmp_path_factory):
    path = tmp_path_factory.mktemp("uniform") / "uniform.csv"
    np.savetxt(path, np.random.default_rng(1).random((30000, 2)), "%.6f", ",", header="x,y", comments="")
    return path


def test_fragments_of_uniform_data_are_counted_and_listed_apart(shoal, uniform):
    made = shoal("release", uniform, *CUT)
    assert made.code == 0, made.err
    assert "The threshold runs through a uniform area" in made.out + made.err
    doubtful = int(re.search(r"^no clusters, (\d+) doubtful in columns x, y", made.out, re.M)[1])
    assert doubtful > 5
    listed = made.out.split("doubtful:\n")[1]
    assert listed.count("one with its neighbours") == min(doubtful, 20)
    assert re.search(r"cluster \d+ +\d+ cells?, about \d+ records? \(95 %: \d+ to \d+\), around", listed)


def test_doubtful_clusters_are_in_no_map_and_no_label_unless_asked_for(shoal, uniform):
    release = shoal.folder / "uniform.json"
    release.write_text(shoal("release", uniform, *CUT, "--json", "-").out)
    clusters = json.loads(release.read_text())["clusters"]
    for more, shown in (([], 0), (["--doubtful"], len(clusters))):
        assert shoal("reshape", release, *more, "-o", "map.geojson", "--force").code == 0
        assert len(json.loads((shoal.folder / "map.geojson").read_text())["features"]) == shown
        labelled = shoal("predict", release, uniform, *more, "-o", "labels.csv", "--force")
        assert labelled.code == 0, labelled.err
        assert f"in one of {shown} cluster" in labelled.out
        labels = (shoal.folder / "labels.csv").read_text().split()[1:]
        assert {label.split(",")[0] for label in labels} == {str(i) for i in range(shown + 1)}
    feature = json.loads((shoal.folder / "map.geojson").read_text())["features"][0]
    low, high = feature["properties"]["size_95"]
    assert 0 <= low <= high


def test_auto_says_that_uniform_data_have_no_structure(shoal, uniform):
    made = shoal("release", uniform, *PUBLIC, "--auto", "--epsilon", "1", "--seed", "1")
    assert "No structure beyond one uniform area" in made.out + made.err
    assert "neither sampling nor noise explains" not in made.out  # there is nothing to explain
    assert re.search(r"^no clusters, 1 doubtful in", made.out, re.M)
    assert re.search(r"for about \d+ records \(95 %: \d+ to \d+\)", made.out)


def test_a_disc_inside_wide_bounds_is_one_cluster(shoal):
    rng = np.random.default_rng(2)
    angle, radius = rng.random(30000) * 2 * np.pi, 0.3 * np.sqrt(rng.random(30000))
    np.savetxt(shoal.folder / "disc.csv", np.stack([0.5 + radius * np.cos(angle), 0.5 + radius * np.sin(angle)], 1), "%.6f", ",", header="x,y", comments="")
    made = shoal("release", "disc.csv", *PUBLIC, "--auto", "--epsilon", "1", "--seed", "1")
    assert re.search(r"^1 cluster in", made.out, re.M) and "almost surely real" in made.out
