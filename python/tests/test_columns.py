"""Which columns are the coordinates, and what they are called in a release."""

import json

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from conftest import quietly, seeded
from optional import optional

import shoal

pl = optional("polars")

BOUNDS = {"lon": (-180, 180), "lat": (-90, 90)}


@pytest.fixture(scope="module")
def world():
    return shoal.datasets.load("world", points=3000)


@pytest.fixture(scope="module")
def frame(world):
    """More than the coordinates, in another order."""
    return pd.DataFrame({"who": [f"u{i % 50}" for i in range(3000)], "lat": world.X[:, 1], "age": 40, "lon": world.X[:, 0]})


def model(**parameters):
    return seeded(**{"bounds": BOUNDS, "grid": (72, 36), "percentile": 30, **parameters})


def forms(frame):
    yield frame
    yield frame[["lon", "lat", "who"]]
    if pl:
        yield pl.from_pandas(frame)
    yield pa.Table.from_pandas(frame)
    yield pa.Table.from_pandas(frame).to_reader(max_chunksize=500)


def test_order_does_not_matter_where_columns_are_named(world, frame):
    expected = quietly(model(bounds=list(BOUNDS.values()), columns=["lon", "lat"]), world.X)
    assert [axis["name"] for axis in expected.release_.axes] == ["lon", "lat"]
    ways = [{}, {"columns": ["lon", "lat"]}, {"columns": ["lon", "lat"], "bounds": dict(reversed(BOUNDS.items()))}, {"columns": ("lon", "lat"), "bounds": list(BOUNDS.values())}]
    for parameters in ways:
        for form in forms(frame):
            found = quietly(model(**parameters), form)
            assert found.release_ == expected.release_
            assert list(found.feature_names_in_) == ["lon", "lat"] and found.n_features_in_ == 2
            for predict in [found.predict, found.release_.predict]:
                assert all(np.array_equal(predict(other), expected.labels_) for other in forms(frame))
    other_way = quietly(model(bounds=dict(reversed(BOUNDS.items())), grid=(36, 72)), frame)
    assert [axis["name"] for axis in other_way.release_.axes] == ["lat", "lon"]
    plain = [shoal.WaveCluster(bounds=BOUNDS, percentile=30, grid=(72, 36)).fit(form) for form in list(forms(frame))[:-1]]
    assert all(np.array_equal(one.labels_, plain[0].labels_) for one in plain)
    assert np.array_equal(shoal.WaveCluster(columns=["lon", "lat"], percentile=30).fit(frame).labels_, shoal.WaveCluster(percentile=30).fit(world.X).labels_)


def test_batches_are_read_by_name_each(frame):
    halves = [frame.iloc[:1000], frame.iloc[1000:][["lon", "who", "lat"]]]
    expected = quietly(model(unit="who", max_contributions=3), frame)
    for batches in [halves, [pl.from_pandas(half) for half in halves], [(half.drop(columns="who"), half["who"]) for half in halves]]:
        with pytest.warns(shoal.NotPrivateWarning):
            assert model(unit="who", max_contributions=3).fit_batches(batches).release_ == expected.release_
    with pytest.raises(ValueError, match="a batch has the columns lat, lon, but the first had lon, lat"):
        shoal.WaveCluster(bounds=(-180, 180), percentile=30).fit_batches([frame[["lon", "lat"]], frame[["lat", "lon"]]])


def test_arrays_are_named_in_order_or_not_at_all(world):
    with pytest.raises(ValueError, match="an array has none; give columns"):
        quietly(model(), world.X)
    with pytest.raises(ValueError, match="an array has none; give columns"):
        shoal.WaveCluster(bounds=BOUNDS).fit_batches([world.X])
    named = quietly(model(columns=["lat", "lon"], grid=(36, 72)), world.X[:, ::-1])
    assert named.release_.axes[0] == {"name": "lat", "lo": -90, "hi": 90, "cells": 36}
    assert np.array_equal(named.predict(world.X[:, ::-1]), named.labels_)
    with pytest.raises(ValueError, match="X has 2 features, but 1 columns are named"):
        quietly(model(columns=["lon"], bounds=(-180, 180), grid=10), world.X)


def test_more_columns_than_bounds_is_an_error_that_names_them(frame):
    wide = frame.drop(columns="who")
    for form in [wide, pl.from_pandas(wide), pa.Table.from_pandas(wide), pa.Table.from_pandas(wide).to_reader()]:
        with pytest.raises(ValueError, match=r"bounds has 2 pairs, but there are 3 columns \(lat, age, lon\); name the coordinates"):
            quietly(model(bounds=list(BOUNDS.values())), form)
    with pytest.raises(ValueError, match=r"bounds has 2 pairs, but there are 3 columns \(lat, age, lon\)"):
        model(bounds=list(BOUNDS.values())).fit_batches([wide])
    with pytest.raises(ValueError, match="there is no column 'lon'; the columns are lat"):
        quietly(model(), frame[["lat"]])
    with pytest.raises(ValueError, match="more than one column 'lat'"):
        quietly(model(), frame[["lat", "lon", "lat"]])


def test_a_release_takes_no_names_from_the_data(world):
    """A first row that was taken for a header is not published."""
    raw = pd.DataFrame(world.X, columns=["alice@x.org", "0.512345"])
    for form in [raw, pl.from_pandas(raw), pa.Table.from_pandas(raw)]:
        fitted = quietly(model(bounds=list(BOUNDS.values())), form)
        for text in [fitted.release_.to_json(), fitted.release_.html(), fitted.release_.svg(), fitted.release_._repr_html_(), repr(fitted), fitted._repr_html_()]:
            assert "alice" not in text and "0.512345" not in text
        assert [axis["name"] for axis in fitted.release_.axes] == ["axis 1", "axis 2"]
        assert np.array_equal(fitted.predict(form), fitted.labels_)
        assert np.array_equal(fitted.release_.predict(form), fitted.labels_)


@pytest.mark.parametrize("name", ["0.512345", "17", " 3 ", "1e5", "nan", "-inf"])
def test_a_name_that_is_a_number_is_refused(name, world):
    for parameters in [{"columns": [name, "lat"], "bounds": (0, 1)}, {"bounds": {name: (0, 1), "lat": (0, 1)}}]:
        with pytest.raises(ValueError, match="a number"):
            quietly(model(**parameters), pd.DataFrame(world.X, columns=[name, "lat"]))


def test_names_that_are_none_are_refused(world):
    for parameters, kind, says in [
        ({"columns": [0, 1]}, TypeError, "must be a string, not int"),
        ({"columns": "ab"}, TypeError, "a list of names"),
        ({"columns": []}, ValueError, "columns is empty"),
        ({"bounds": {}}, ValueError, "bounds is empty"),
        ({"columns": ["a", ""]}, ValueError, "name is empty"),
        ({"columns": ["a", "a"]}, ValueError, "named twice"),
        ({"columns": ["a", "b"], "bounds": BOUNDS}, ValueError, "the same names"),
    ]:
        with pytest.raises(kind, match=says):
            quietly(model(**{"bounds": (0, 1), **parameters}), world.X)
        with pytest.raises(kind, match=says):
            model(**{"bounds": (0, 1), **parameters}).plan(2)


def test_a_release_with_names_reads_frames_by_them_alone(frame, world):
    release = quietly(model(), frame).release_
    assert np.array_equal(release.predict(world.X), release.predict(frame))
    with pytest.raises(ValueError, match="there is no column 'lon'; the columns are Lat, Lon"):
        release.predict(frame.rename(columns={"lat": "Lat", "lon": "Lon"})[["Lat", "Lon"]])


def test_a_column_named_record_is_refused_where_every_row_is_a_unit(frame):
    odd = frame.rename(columns={"who": "record"})
    with pytest.raises(ValueError, match="also a column 'record'; rename the column"):
        quietly(model(), odd)
    assert shoal.WaveCluster(bounds=BOUNDS, percentile=30).fit(odd).n_clusters_ > 0
    with pytest.raises(ValueError, match="units are given, but there is also a column 'who'"):
        quietly(model(unit="who", max_contributions=1), frame, units=[1] * 3000)


def test_a_plan_and_a_study_take_names_too(frame):
    assert len(shoal.PrivateWaveCluster(epsilon=1, bounds=BOUNDS, percentile=30, technique="privthr").plan()) == 2
    study = shoal.evaluate(frame, bounds=BOUNDS, grid=(36, 18), percentile=30, techniques=["privqt"], epsilons=[1], runs=1)
    same = shoal.evaluate(frame[["lon", "lat"]], bounds=list(BOUNDS.values()), grid=(36, 18), percentile=30, techniques=["privqt"], epsilons=[1], runs=1)
    assert [row["dsgc"] for row in study.rows] == [row["dsgc"] for row in same.rows]


def test_every_coordinate_is_read_by_itself():
    """No text, date or type of another row changes how a number is read."""
    rows = [[np.float32(0.1), 0.5], [0.2, 0.5]]
    assert json.loads(json.dumps(shoal._input.as_array(rows).astype(float).tolist()))[0][0] == float(np.float32(0.1))
    dated = [[np.datetime64("2020-01-01")], [np.datetime64("2020-01-01T00:00:01")]]
    for wrong in [[*rows, ["0.3", 0.5]], np.array([["0.1", "0.5"]]), dated, np.array(dated), np.array([["0.1", 0.5]], dtype=object)]:
        for fit in [lambda X: shoal.WaveCluster(bounds=(0, 1)).fit(X), lambda X: shoal.WaveCluster(bounds=(0, 1)).fit_batches([X])]:
            with pytest.raises(TypeError, match="must be numbers, not strings or dates"):
                fit(wrong)
    for column in [["0.1", "0.2"], pd.to_datetime(["2020-01-01", "2020-01-02"]), pd.Categorical(["0.1", "0.2"]), pd.array([0.1, "0.2"], dtype=object)]:
        with pytest.raises(TypeError, match="must be numbers, not strings or dates"):
            shoal.WaveCluster(bounds=(0, 1)).fit(pd.DataFrame({"x": column}))
    with pytest.raises(TypeError, match="give numbers"):
        shoal.WaveCluster(bounds=(0, 1)).fit(pl.DataFrame({"x": ["0.1", "0.2"]}))
