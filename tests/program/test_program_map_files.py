"""GeoPackage and GeoTIFF, as GDAL reads them (pyogrio and rasterio carry it)."""

import csv
import json
import sqlite3

import numpy
import pytest
from optional import optional

geopandas = optional("geopandas")
rasterio = optional("rasterio")

CITY = ["--columns", "lat,lon", "--bounds", "40.5:40.9,-74.2:-73.7", "--grid", "32", "--percentile", "60"]


@pytest.fixture
def visits(shoal):
    """Two crowds in New York; the northern one is in the west."""
    random = numpy.random.default_rng(4)
    north = random.normal([40.8, -74.1], 0.02, (4000, 2))
    south = random.normal([40.6, -73.8], 0.02, (8000, 2))
    rows = [[week, *row] for week, crowd in (("a", north), ("b", south)) for row in crowd]
    with open(shoal.folder / "visits.csv", "w", newline="") as file:
        csv.writer(file).writerows([["week", "lat", "lon"], *rows])
    return "visits.csv"


def test_gdal_reads_the_clusters_and_cells_of_a_geopackage(shoal, visits):
    outcome = shoal("release", visits, *CITY, "--epsilon", "1", "-o", "r.json", "-o", "r.gpkg", "-o", "r.geojson")
    assert outcome.code == 0, outcome.err
    path = shoal.folder / "r.gpkg"
    features = json.loads((shoal.folder / "r.geojson").read_text())["features"]
    clusters = geopandas.read_file(path, layer="clusters")
    assert clusters.crs.to_epsg() == 4326
    assert list(clusters["cluster"]) == [feature["properties"]["cluster"] for feature in features]
    assert list(clusters["noisy_size"]) == [feature["properties"]["noisy_size"] for feature in features]
    assert list(clusters["fill"]) == [feature["properties"]["fill"] for feature in features]
    largest = clusters.sort_values("noisy_size").iloc[-1]
    assert -74 < largest.geometry.centroid.x < -73.7 and 40.5 < largest.geometry.centroid.y < 40.7
    assert clusters.geometry.is_valid.all() and (clusters.geometry.area > 0).all()
    cells = geopandas.read_file(path, layer="cells")
    for _, cluster in clusters.iterrows():
        inside = cells[cells["cluster"] == cluster["cluster"]]
        assert len(inside) == cluster["cells"]
        assert inside.geometry.union_all().symmetric_difference(cluster.geometry).area < 1e-12
        assert inside["noisy_count"].sum() == cluster["noisy_size"]
    with sqlite3.connect(path) as database:
        styles = dict(database.execute("SELECT f_table_name, styleQML FROM layer_styles WHERE useAsDefault"))
        assert styles.keys() == {"clusters", "cells"} and all("fillColor" in style for style in styles.values())
        assert database.execute("PRAGMA integrity_check").fetchone() == ("ok",)


def test_gdal_reads_the_density_and_the_clusters_of_a_geotiff(shoal, visits):
    assert shoal("release", visits, *CITY, "--epsilon", "1", "-o", "r.json", "-o", "r.tif", "-o", "r.gpkg", "-o", "r.csv").code == 0
    with rasterio.open(shoal.folder / "r.tif") as raster:
        assert raster.crs.to_epsg() == 4326
        assert raster.descriptions == ("noisy records", "cluster")
        assert raster.tags()["private"] == "true"
        numpy.testing.assert_allclose(raster.bounds[:2], (-74.2, 40.5))
        numpy.testing.assert_allclose(raster.bounds[2:], (-73.7, 40.9))
        density, cluster = raster.read()
        # The larger crowd lies in the south-east: low rows of the raster are in the north.
        half = len(density) // 2
        assert numpy.nansum(density[half:, half:]) > numpy.nansum(density[:half, :half]) > 2000
        for _, cell in geopandas.read_file(shoal.folder / "r.gpkg", layer="cells").iterrows():
            row, column = raster.index(cell.geometry.centroid.x - 1e-4, cell.geometry.centroid.y - 1e-4)
            assert cluster[row, column] == cell["cluster"]


def test_groups_have_a_column_in_the_geopackage_and_a_page_each_in_the_geotiff(shoal, visits):
    groups = ["--by", "week=a|b"]
    outcome = shoal("release", visits, *CITY, "--epsilon", "1", *groups, "-o", "g.json", "-o", "g.gpkg", "-o", "g.tif")
    assert outcome.code == 0, outcome.err
    assert set(geopandas.read_file(shoal.folder / "g.gpkg", layer="clusters")["part"]) <= {"a", "b"}
    totals = []
    for page, name in ((1, "a"), (2, "b")):
        with rasterio.open(f"GTIFF_DIR:{page}:{shoal.folder / 'g.tif'}") as raster:
            assert raster.tags()["TIFFTAG_IMAGEDESCRIPTION"] == name
            totals.append(numpy.nansum(raster.read(1)))
    # 256 cells, each with noise of deviation 1.6, and some 15 records in cells that the noise hides.
    assert abs(totals[0] - 4000) < 400 and abs(totals[1] - 8000) < 400


def test_cells_that_were_raised_to_the_lowest_value_are_unknown_in_a_geotiff(shoal, visits):
    """Empty cells were shown with the lowest value: 256 cells held thousands of records too many."""
    words = [*CITY[:-1], "80", "--epsilon", "1", "-o", "r.json", "-o", "r.tif"]
    assert shoal("release", visits, *words).code == 0
    lowest = json.loads((shoal.folder / "r.json").read_text())["noisy_sums"]["lowest"]
    with rasterio.open(shoal.folder / "r.tif") as raster:
        density = raster.read(1)
    assert numpy.isnan(density).sum() > 100 and numpy.nanmin(density) > lowest


def test_what_these_formats_cannot_hold_is_refused_before_the_debit(shoal, refused, visits):
    assert shoal("ledger", "create", "budget.db", "--dataset", "v", "--cap", "1").code == 0
    paid = ["--epsilon", "1", "--ledger", "budget.db", "--dataset", "v"]
    one = ["release", visits, "--columns", "lat", "--bounds", "40.5:40.9", "--grid", "16", "--percentile", "50", *paid]
    refused(3, *one, "-o", "r.gpkg", says=["two"])
    equal_area = ["release", visits, "--columns", "lon,lat", "--bounds", "lon=-74.2:-73.7,lat=40.5:40.9", "--geo", "--grid", "16", "--percentile", "50"]
    refused(3, *equal_area, *paid, "-o", "r.tif", says=["equal width", "lat"])
    refused(3, "cluster", visits, *CITY, "-o", "c.gpkg", says=["releases"])
    assert shoal("release", visits, *CITY, *paid, "-o", "r.tif").code == 0
