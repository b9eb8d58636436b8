"""--basemap: the owner's own map under the clusters. It is public, and a bad one is refused before anything is charged."""

import json
import re

import pytest
from conftest import validate

CITY = ["--columns", "lon,lat", "--bounds", "lon=13.1:13.7,lat=52.3:52.7", "--auto", "--epsilon", "1"]


def feature(shape, coordinates, **properties):
    return {"type": "Feature", "properties": properties, "geometry": {"type": shape, "coordinates": coordinates}}


def square(west, south, side):
    return [[[west, south], [west + side, south], [west + side, south + side], [west, south + side], [west, south]]]


MAP = {
    "type": "FeatureCollection",
    "attribution": "Base map: City of Springfield, 2026.",
    "features": [
        feature("Polygon", square(13.2, 52.35, 0.1), name="Smalltown"),
        feature("Polygon", square(13.3, 52.45, 0.2), name="Bigtown"),
        feature("MultiPolygon", [square(13.25, 52.5, 0.03)], kind="water"),
        feature("LineString", [[13.0, 52.4], [13.3, 52.40001], [13.9, 52.4]], kind="river"),
        feature("Point", [13.45, 52.6], name="North <Station>"),
        feature("Polygon", square(14.5, 52.5, 0.1), name="Elsewhere"),
    ],
}


@pytest.fixture
def city(shoal):
    import random

    draw = random.Random(5)
    rows = [f"{draw.gauss(13.55, 0.03):.5f},{draw.gauss(52.45, 0.02):.5f}" for _ in range(6000)]
    (shoal.folder / "city.csv").write_text("lon,lat\n" + "\n".join(rows) + "\n")
    (shoal.folder / "map.geojson").write_text(json.dumps(MAP))
    return "city.csv"


def test_the_owners_map_lies_under_page_and_pictures_and_stays_with_the_release(shoal, city):
    outputs = ["-o", "r.json", "-o", "r.html", "-o", "r.svg", "-o", "r.png"]
    assert shoal("release", city, *CITY, "--basemap", "map.geojson", *outputs).code == 0
    release = json.loads((shoal.folder / "r.json").read_text())
    validate("release", release)
    base = release["publication"]["base_map"]
    assert base["credits"] == "Base map: City of Springfield, 2026."
    # Points first, then polygons by their size. What lies outside the bounds is gone.
    assert [place[0] for place in base["places"]] == ["North <Station>", "Bigtown", "Smalltown"]
    assert len(base["land"]) == 2 and len(base["lakes"]) == 1
    assert len(base["rivers"]) == 1 and len(base["rivers"][0]) == 4  # the point on the line is gone
    for name in ("r.svg", "r.html"):
        text = (shoal.folder / name).read_text()
        assert "Bigtown" in text and "City of Springfield" in text and "Natural Earth" not in text, name
        assert "<Station>" not in text, name
    (shoal.folder / "map.geojson").unlink()  # from here on the release is enough
    for again in ("again.svg", "again.html", "again.json"):
        assert shoal("reshape", "r.json", "-o", again).code == 0
    assert (shoal.folder / "again.svg").read_text() == (shoal.folder / "r.svg").read_text()
    assert json.loads((shoal.folder / "again.json").read_text())["publication"] == release["publication"]
    assert shoal("compare", "r.json", "again.json", "-o", "changes.svg").code == 0


def letters(path):
    """Texts of an SVG file, without their lines."""
    return " ".join(re.findall(r"<text[^>]*>([^<]*)</text>", path.read_text()))


def test_pictures_of_several_maps_show_the_texts_and_the_source_of_the_map(shoal, city):
    rows = (shoal.folder / city).read_text().splitlines()
    grouped = ["ward," + rows[0]] + [f"{'AB'[i % 2]},{row}" for i, row in enumerate(rows[1:])]
    (shoal.folder / "wards.csv").write_text("\n".join(grouped) + "\n")
    title = "Where the people of two wards of a town with a long name spend the evenings of a rainy week in May"
    texts = ["--title", title, "--source", "City of Springfield", "--date", "May 2026"]
    assert shoal("release", "wards.csv", *CITY, "--by", "ward=A|B", *texts, "-o", "r.json", "-o", "r.svg").code == 0
    said = letters(shoal.folder / "r.svg")
    for text in (title, "2 groups of ward", "City of Springfield", "May 2026", "Base map: Natural Earth"):
        assert text in said, text
    assert shoal("compare", "r.json", "-o", "changes.html", "-o", "changes.svg").code == 0
    assert "Base map: Natural Earth" in (shoal.folder / "changes.html").read_text()
    assert "Base map: Natural Earth" in letters(shoal.folder / "changes.svg")
    # The picture of levels as well; it leaves out cells that noise may explain.
    assert shoal("release", city, *CITY, *texts, "-o", "titled.json").code == 0
    assert shoal("reshape", "titled.json", "--levels", "1-2", "-o", "levels.svg").code == 0
    said = letters(shoal.folder / "levels.svg")
    for text in (title, "Clusters at 2 levels", "City of Springfield", "Base map: Natural Earth"):
        assert text in said, text
    # A picture without a title has the headline.
    assert shoal("release", city, *CITY, "-o", "one.json", "-o", "one.svg").code == 0
    assert re.match(r"(Most records on this map|\w+ areas? stands? out|No area)", letters(shoal.folder / "one.svg"))


def test_a_release_by_group_keeps_the_map_once_for_all_parts(shoal, city):
    rows = (shoal.folder / city).read_text().splitlines()
    grouped = ["ward," + rows[0]] + [f"{'AB'[i % 2]},{row}" for i, row in enumerate(rows[1:])]
    (shoal.folder / "wards.csv").write_text("\n".join(grouped) + "\n")
    outcome = shoal("release", "wards.csv", *CITY, "--by", "ward=A|B", "-o", "r.json", "-o", "r.svg")
    assert outcome.code == 0, outcome.err
    assert shoal("reshape", "r.json", "--basemap", "map.geojson", "--title", "Wards", "-o", "own.json", "-o", "own.html").code == 0
    parts = json.loads((shoal.folder / "own.json").read_text())["groups"]
    assert ["base_map" in part["release"]["publication"] for part in parts] == [True, False]
    assert all(part["release"]["publication"]["title"] == "Wards" for part in parts)
    # A part that is taken out has the map too.
    assert shoal("reshape", "own.json", "--group", "B", "-o", "b.json").code == 0
    assert "base_map" in json.loads((shoal.folder / "b.json").read_text())["publication"]
    page = (shoal.folder / "own.html").read_text()
    assert "Bigtown" in re.search(r'id="shoal-coast">(.*?)</script>', page, re.S).group(1)


BAD = {
    "not JSON": ("{", "not JSON"),
    "another place": (json.dumps(feature("Point", [2.3, 48.8], name="Paris")), "nothing of it lies within the bounds"),
    "metres": (json.dumps(feature("Point", [392000, 5820000], name="x")), "not a place in degrees"),
    "another system": (json.dumps(MAP | {"crs": {"type": "name", "properties": {"name": "EPSG:25833"}}}), "not in degrees"),
    "an unknown kind": (json.dumps(feature("LineString", [[13.2, 52.4], [13.3, 52.5]], kind="motorway")), "must be one of border, river, state"),
    "an open ring": (json.dumps(feature("Polygon", [[[13.2, 52.4], [13.3, 52.4], [13.3, 52.5]]])), "its last is its first"),
    "no geometry": (json.dumps({"type": "FeatureCollection", "features": [{"type": "Feature", "geometry": {"type": "Circle"}}]}), "is no geometry"),
    "a table": ("[1, 2]", "must be an object"),
    "too much": (
        json.dumps(feature("MultiLineString", [[[13.1 + i / 50000, 52.31], [13.1 + i / 50000, 52.69]] for i in range(20000)])),
        "Simplify it",
    ),
}


@pytest.mark.parametrize("case", BAD)
def test_a_bad_map_is_refused_before_anything_is_charged(shoal, refused, city, case):
    text, says = BAD[case]
    assert shoal("ledger", "create", "budget.db", "--dataset", "city", "--cap", "1").code == 0
    (shoal.folder / "map.geojson").write_text(text)
    refused(3, "release", city, *CITY, "--basemap", "map.geojson", "--ledger", "budget.db", "--dataset", "city", "-o", "r.json",
            says=["--basemap 'map.geojson'", says])
    account = shoal("ledger", "show", "budget.db", "--json", "-").json
    assert "0.5" not in json.dumps(account) and '"spent": "1' not in json.dumps(account)
    assert shoal("release", city, *CITY, "--ledger", "budget.db", "--dataset", "city", "-o", "r.json").code == 0  # the whole cap is left


def test_a_map_without_a_source_says_who_supplied_it(shoal, city):
    bare = {key: value for key, value in MAP.items() if key != "attribution"}
    (shoal.folder / "map.geojson").write_text(json.dumps(bare))
    assert shoal("release", city, *CITY, "--basemap", "map.geojson", "-o", "r.json", "-o", "r.svg").code == 0
    assert "Base map: supplied by the publisher." in (shoal.folder / "r.svg").read_text()


def test_a_map_needs_longitude_and_latitude(shoal, refused, city):
    (shoal.folder / "plane.csv").write_text("x,y\n0.5,0.5\n")
    refused(3, "release", "plane.csv", "--bounds", "x=0:1,y=0:1", "--auto", "--epsilon", "1", "--basemap", "map.geojson", "-o", "r.json",
            says=["needs axes of longitude and latitude"])


def test_no_output_replaces_the_map(shoal, refused, city):
    refused(3, "release", city, *CITY, "--basemap", "map.geojson", "--json", "map.geojson", says=["map.geojson"])


def test_a_damaged_map_in_a_release_is_refused(shoal, refused, city):
    assert shoal("release", city, *CITY, "--basemap", "map.geojson", "-o", "r.json").code == 0
    text = (shoal.folder / "r.json").read_text()
    for old, new in (('"Bigtown"', '"Bigtowm"'), ('"land"', '"lands"')):
        (shoal.folder / "bad.json").write_text(text.replace(old, new, 1))
        refused(3, "reshape", "bad.json", "-o", "out.svg", says=["bad.json"])
