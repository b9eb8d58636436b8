"""Sources that make their rows when they are read, and points of GeoDataFrames: the same points as an array of them."""

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.dataset
import pyarrow.parquet
import pytest
from conftest import quietly, seeded
from optional import optional

import shoal

geopandas = optional("geopandas")
pl = optional("polars")

RNG = np.random.default_rng(5)
X = np.where(RNG.random((3000, 2)) < 0.01, np.nan, RNG.normal(0.5, 0.2, (3000, 2)))
UNITS = RNG.integers(0, 300, 3000)
TABLE = pa.table({"word": ["w"] * 3000, "y": X[:, 1], "who": UNITS, "x": X[:, 0]})


def plain():
    return shoal.WaveCluster(columns=["x", "y"], bounds=(0, 1), grid=8, percentile=20)


@pytest.fixture(params=["DuckDB relation", "DuckDB query", "dataset of files", "filtered dataset", "LazyFrame"])
def source(request, tmp_path):
    pyarrow.parquet.write_table(TABLE.slice(0, 1000), tmp_path / "a.parquet")
    pyarrow.parquet.write_table(TABLE.slice(1000), tmp_path / "b.parquet")
    files = pyarrow.dataset.dataset(str(tmp_path), format="parquet")
    connection = duckdb.connect()
    connection.execute("set threads = 2")
    yield {
        "DuckDB relation": lambda: connection.read_parquet([str(tmp_path / "a.parquet"), str(tmp_path / "b.parquet")]),
        "DuckDB query": lambda: connection.sql(f"select who, x, y from '{tmp_path}/*.parquet'"),
        "dataset of files": lambda: files,
        "filtered dataset": lambda: files.filter(pyarrow.dataset.field("who") >= 0),
        "LazyFrame": lambda: pl.scan_parquet(tmp_path / "*.parquet").with_columns(pl.col("x") * 1),
    }[request.param]()
    connection.close()


def test_it_gives_what_the_array_gives(source):
    model, other = plain().fit(X), plain().fit(source)
    assert np.array_equal(other.labels_, model.labels_)
    assert np.array_equal(other.cell_labels_, model.cell_labels_)
    assert np.array_equal(other.predict(source), model.labels_)
    assert list(other.feature_names_in_) == ["x", "y"]


def test_units_are_a_column_of_it(source):
    private = {"columns": ["x", "y"], "bounds": (0, 1), "grid": 8, "percentile": 20, "epsilon": 1, "technique": "privthr", "max_contributions": 2, "random_state": 3}
    model = quietly(shoal.PrivateWaveCluster(unit="who", **private), X, units=UNITS)
    other = quietly(shoal.PrivateWaveCluster(unit="who", **private), source)
    assert other.release_.to_json() == model.release_.to_json()


def test_fit_batches_takes_it(source):
    assert plain().fit_batches(source).n_clusters_ == plain().fit(X).n_clusters_


def test_a_column_that_is_not_there(source):
    with pytest.raises(ValueError, match="no column 'z'"):
        shoal.WaveCluster(columns=["x", "z"], bounds=(0, 1), grid=8, percentile=20).fit(source)


def test_text_is_refused(tmp_path):
    with pytest.raises(TypeError, match="numbers"):
        shoal.WaveCluster(columns=["x", "word"], bounds=(0, 1), grid=8, percentile=20).fit(duckdb.from_arrow(TABLE))


def test_decimals_and_dictionaries_are_the_numbers_they_say():
    relation = duckdb.sql("select x, 0.5::decimal(4, 2) as y from (values (0.1::decimal(30, 20)), (0.9), (null)) t(x)")
    numbers = pa.table({"x": pa.array([0.1, 0.9, None]).dictionary_encode(), "y": pa.array([0.5, 0.5, 0.5], pa.float16())})
    expected = plain().fit(np.array([[0.1, 0.5], [0.9, 0.5], [np.nan, 0.5]]))
    for form in (relation, numbers):
        assert np.array_equal(plain().fit(form).cell_labels_, expected.cell_labels_)


@pytest.mark.skipif(not geopandas, reason="geopandas is not installed: make test ALL=1")
class TestGeoDataFrame:
    if geopandas:
        POINTS = geopandas.GeoDataFrame({"who": UNITS, "name": ["n"] * 3000}, geometry=geopandas.points_from_xy(X[:, 0], X[:, 1]))

    def test_its_points_are_x_and_y(self):
        for parameters in ({}, {"columns": ["x", "y"]}):
            model = shoal.WaveCluster(bounds=(0, 1), grid=8, percentile=20, **parameters).fit(self.POINTS)
            assert np.array_equal(model.labels_, plain().fit(X).labels_)

    def test_degrees_are_lon_and_lat(self):
        frame = self.POINTS.set_crs("EPSG:4326")
        model = shoal.WaveCluster(bounds={"lat": (0, 1), "lon": (0, 1)}, grid=8, percentile=20).fit(frame)
        assert np.array_equal(np.sort(model.labels_), np.sort(plain().fit(X).labels_))
        with pytest.raises(ValueError, match="no column 'lat'"):
            shoal.WaveCluster(bounds={"lat": (0, 1), "lon": (0, 1)}, grid=8, percentile=20).fit(self.POINTS)

    def test_units_and_missing_points(self):
        frame = self.POINTS.copy()
        frame.loc[0, "geometry"] = None
        fitted = quietly(seeded(grid=8, unit="who", max_contributions=1), frame)
        assert fitted.n_features_in_ == 2
        assert plain().fit(frame).labels_[0] == -1

    def test_only_points(self):
        with pytest.raises(TypeError, match="must hold points"):
            plain().fit(self.POINTS.assign(geometry=self.POINTS.geometry.buffer(1)))
