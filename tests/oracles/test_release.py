"""Release files seen with the eyes of other tools: jsonschema, zlib, XML and HTML parsers."""

import base64
import csv
import html.parser
import io
import json
import pathlib
import random
import re
import struct
import xml.etree.ElementTree as ElementTree
import zlib

import jsonschema
import numpy as np
import pytest

from shoal import _core

DOCS = pathlib.Path(__file__).resolve().parents[2] / "docs"
SCHEMA = json.loads((DOCS / "release.schema.json").read_text())


def counts(shape, seed=1, blobs=3):
    rng = np.random.default_rng(seed)
    result = np.zeros(shape, dtype=np.int64)
    for _ in range(blobs):
        centre = [rng.integers(0, extent) for extent in shape]
        distance = sum((np.arange(extent) - c).reshape([-1 if i == axis else 1 for i in range(len(shape))]) ** 2
                       for axis, (extent, c) in enumerate(zip(shape, centre)))
        result += np.where(distance <= 16, 80 - 3 * distance, 0)
    return result


def release(shape=(32, 24), seed=1, names=None, bounds=None, **options):
    names = names or [f"a{i}" for i in range(len(shape))]
    bounds = bounds or [(-1.0, 3.5)] * len(shape)
    return _core.internal.seeded_release(counts(shape, seed), bounds, names, seed=seed, **options)


SHAPES = [(40,), (32, 24), (17, 9), (9, 8, 7), (5, 4, 5, 4)]


@pytest.mark.parametrize("shape", SHAPES)
def test_files_meet_the_schema(shape):
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    validator = jsonschema.Draft202012Validator(SCHEMA)
    made = release(shape)
    for one in (made, made.reshape(percentile=20), made.reshape(top=5), made.reshape(density=10.0, adjacency="face"),
                made.reshape(wavelet="db2", level=2), made.without_noisy_values()):
        validator.validate(json.loads(one.json()))


def test_schema_refuses_what_the_reader_refuses():
    validator = jsonschema.Draft202012Validator(SCHEMA)
    good = json.loads(release().json())
    changes = [("epsilon", 0), ("level", 0), ("percentile", 100), ("neighbors", "x"), ("unit", "person"), ("axes", []),
               ("private", "yes"), ("format", "shoal-release/3"), ("checksum", "x"), ("extra", 1), ("top", 3)]
    for key, value in changes:
        assert not validator.is_valid({**good, key: value}), key
        with pytest.raises(Exception):
            _core.Release.parse(json.dumps({**good, key: value}))
    for key in SCHEMA["required"]:
        assert not validator.is_valid({k: v for k, v in good.items() if k != key})


@pytest.mark.parametrize("shape", SHAPES)
def test_noisy_counts_unpack_as_documented(shape):
    text = (DOCS / "formats.md").read_text()
    scope = {"zlib": zlib, "base64": base64, "numpy": np}
    exec(re.search(r"```python\n(.*?)```", text, re.S).group(1), scope)
    document = json.loads(release(shape).json())
    noisy = scope["unpack"](document["noisy_counts"])
    assert noisy.shape == shape
    assert abs((noisy - counts(shape)).mean()) < 1.5  # mean of at least 40 noises of scale 1: 6 standard deviations
    sums = np.pad(noisy, [(0, -n % 2) for n in shape])
    for axis, extent in enumerate(sums.shape):
        sums = np.add.reduceat(sums, range(0, extent, 2), axis=axis)
    for cluster in document["clusters"]:
        cells = [cell for first, length in zip(cluster["runs"][::2], cluster["runs"][1::2])
                 for cell in range(first, first + length)]
        assert len(cells) == cluster["cells"]
        assert sums.ravel()[cells].sum() == cluster["noisy_size"]


def test_checksum_is_computed_as_documented():
    document = json.loads(release(bounds=[(0, 32), (0, 24)]).json())  # no exponents: Python writes them differently
    stored = document.pop("checksum")
    canonical = json.dumps(document, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    assert f"{zlib.crc32(canonical.encode()):08x}" == stored


def test_truncated_or_altered_files_are_refused(tmp_path):
    text = release().json()
    rng = random.Random(3)
    for length in rng.sample(range(len(text) - 2), 200):
        with pytest.raises(Exception, match="cannot be read as a release"):
            _core.Release.parse(text[:length])
    for _ in range(500):
        at = rng.randrange(len(text))
        altered = text[:at] + chr(rng.randrange(32, 127)) + text[at + 1:]
        try:
            assert _core.Release.parse(altered).json() == text
        except Exception as error:
            assert "cannot be read as a release" in str(error) or "is not a release but" in str(error)


def test_predict_follows_the_cells():
    made = release((32, 24), bounds=[(0, 32), (0, 24)])
    document = json.loads(made.json())
    labels = np.zeros(16 * 12, dtype=int)
    for cluster in document["clusters"]:
        for first, length in zip(cluster["runs"][::2], cluster["runs"][1::2]):
            labels[first:first + length] = cluster["id"]
    rng = np.random.default_rng(1)
    points = rng.uniform([-2, -2], [34, 26], (5000, 2))
    inside = ((points >= 0) & (points <= [32, 24])).all(axis=1)
    cell = np.minimum(np.floor(points).astype(int), [31, 23]) // 2
    expected = np.where(inside, labels.reshape(16, 12)[np.clip(cell[:, 0], 0, 15), np.clip(cell[:, 1], 0, 11)], 0)
    assert (made.predict(points, doubtful=True) == expected).all()
    assert (made.predict(np.asfortranarray(points), doubtful=True) == expected).all()
    assert (made.without_noisy_values().predict(points, doubtful=True) == expected).all()


def ring_area(ring):
    x, y = np.array(ring).T
    return float((x[:-1] * y[1:] - x[1:] * y[:-1]).sum() / 2)


@pytest.mark.parametrize("names", [["lon", "lat"], ["x", "y"], ["latitude", "LNG"]])
def test_geojson_polygons_are_valid(names):
    bounds = [(-80, 80), (-80, 80)]
    made = release((40, 40), names=names, bounds=bounds, percentile=70.0)
    collection = json.loads(made.geojson(True))  # with doubtful clusters
    assert collection["type"] == "FeatureCollection" and collection["private"] is False
    document = json.loads(made.json())
    assert len(collection["features"]) == len(document["clusters"]) > 0
    for feature, cluster in zip(collection["features"], document["clusters"]):
        geometry = feature["geometry"]
        polygons = [geometry["coordinates"]] if geometry["type"] == "Polygon" else geometry["coordinates"]
        area = 0.0
        for polygon in polygons:
            for i, ring in enumerate(polygon):
                assert ring[0] == ring[-1] and len(ring) >= 5
                assert len({tuple(point) for point in ring[:-1]}) == len(ring) - 1  # never touches itself
                assert (ring_area(ring) > 0) == (i == 0)  # right-hand rule
                area += ring_area(ring)
        assert area == pytest.approx(cluster["cells"] * 8.0 * 8.0)  # a cell of W is 8 x 8 degrees
        assert feature["properties"]["noisy_size"] == cluster["noisy_size"]
    if names[0] == "latitude":
        assert collection["features"][0]["properties"]["centroid"] == document["clusters"][0]["centroid"][::-1]


def test_csv_lists_the_clustered_cells():
    made = release()
    rows = list(csv.DictReader(io.StringIO(made.csv())))
    document = json.loads(made.json())
    for cluster in document["clusters"]:
        mine = [row for row in rows if int(row["cluster"]) == cluster["id"]]
        assert len(mine) == cluster["cells"]
        assert sum(int(row["noisy_count"]) for row in mine) == cluster["noisy_size"]
        assert np.mean([(float(r["a0_lo"]) + float(r["a0_hi"])) / 2 for r in mine]) == pytest.approx(cluster["centroid"][0])


@pytest.mark.parametrize("shape", [*SHAPES, (300, 280), (1, 1), (3000, 2)])
def test_pictures_are_well_formed(shape):
    made = release(shape, names=[f'<a>&"{i}' for i in range(len(shape))])
    root = ElementTree.fromstring(made.svg())
    assert root.tag.endswith("svg")
    width, height = (float(root.get(side)) for side in ("width", "height"))
    for text in root.iter("{http://www.w3.org/2000/svg}text"):
        assert 0 <= float(text.get("x")) <= width and 0 <= float(text.get("y")) <= height
    texts = [text.text for text in root.iter("{http://www.w3.org/2000/svg}text")]
    assert '<a>&"0' in texts
    png = made.png(1.0)
    assert png.startswith(b"\x89PNG\r\n\x1a\n") and png.endswith(b"IEND\xaeB`\x82")
    assert struct.unpack(">II", png[16:24]) == (int(np.ceil(width)), int(np.ceil(height)))


class Page(html.parser.HTMLParser):
    void = {"meta", "br", "path", "rect"}

    def __init__(self):
        super().__init__()
        self.open, self.text, self.links = [], [], []

    def handle_starttag(self, tag, attributes):
        self.links += [value for name, value in attributes if name in ("src", "href") and not value.startswith("data:")]
        assert tag != "script" or "src" not in dict(attributes)
        if tag not in self.void:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.links += [value for name, value in attributes if name in ("src", "href") and not value.startswith("data:")]

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text.append(data)


@pytest.mark.parametrize("shape", SHAPES)
def test_reports_are_well_formed_and_stand_alone(shape):
    page = Page()
    text = release(shape).html()
    assert "<script" not in text or "default-src 'none'" in text  # a page with scripts forbids itself the network
    page.feed(text)
    assert page.open == [] and page.links == []
    text = " ".join(page.text)
    assert "NOT PRIVATE" in text  # a seeded study says so
    assert "Epsilon" in text and "Sensitivity" in text and "shoal predict" in text


def test_reshape_is_what_a_release_with_those_options_would_be():
    made = release((40, 40))
    for options in ({"percentile": 10.0}, {"percentile": 90.0}, {"top": 12}, {"level": 2}, {"wavelet": "bior2.2"},
                    {"adjacency": "face"}, {"min_cells": 4}):
        again = made.reshape(**options)
        back = again.reshape(percentile=50.0, level=1, wavelet="haar", adjacency="full", min_cells=1)
        assert back.json() == made.json()
    for percentile in (10.0, 30.0, 90.0):
        direct = release((40, 40), percentile=percentile)
        assert made.reshape(percentile=percentile).json() == direct.json()
