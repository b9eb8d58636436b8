"""Axes by kind in Python. Oracles: numpy, pandas and pyarrow."""

import importlib.util
import json
import subprocess

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from conftest import ROOT

import shoal


def days_of(n, seed=1):
    return pd.Timestamp("2023-11-01") + pd.to_timedelta(np.random.default_rng(seed).integers(0, 600 * 86400, n), unit="s")


def counted(X, axes, **parameters):
    return shoal.WaveCluster(axes=axes, percentile=0, stationary=True, **parameters).fit(X)


def test_days_in_any_form_are_the_same(recwarn):
    days = days_of(3000)
    axes = [shoal.Axis("day", "2024-01-01", "2024-12-31")]
    forms = {
        "pandas": pd.DataFrame({"day": days}),
        "pandas, zone": pd.DataFrame({"day": days.tz_localize("UTC").tz_convert("Asia/Tokyo")}),
        "text": pd.DataFrame({"day": days.strftime("%Y-%m-%dT%H:%M:%S")}),
        "text, zone": pd.DataFrame({"day": days.tz_localize("UTC").tz_convert("+05:30").strftime("%Y-%m-%dT%H:%M:%S%z")}),
        "datetime": pd.DataFrame({"day": pd.Series(days.to_pydatetime(), dtype=object)}),
        "epoch": pd.DataFrame({"day": days.astype("M8[s]").astype("int64")}),
        "array": days.to_numpy().reshape(-1, 1),
    }
    for unit in ["s", "ms", "us", "ns"]:
        forms[f"arrow {unit}"] = pa.table({"day": pa.array(days.to_numpy().astype(f"M8[{unit}]"))})
        forms[f"arrow {unit}, zone"] = pa.table({"day": pa.array(days.to_numpy().astype(f"M8[{unit}]")).cast(pa.timestamp(unit, "America/Lima"))})
    forms["arrow date"] = pa.table({"day": pa.array(days.date)})
    first = None
    for name, X in forms.items():
        labels = counted(X, axes, grid=366).labels_
        first = labels if first is None else first
        assert (labels == first).all(), name
    inside = (days >= "2024-01-01") & (days < "2025-01-01")
    assert ((first >= 0) == inside).all()


def test_months_and_leap_days_are_pandas_own():
    days = days_of(4000)
    grid = shoal.Axis("day", "2023-11-01", "2025-06-30", kind="month")._core().fitted(64)
    assert grid.cells == 20
    seconds = days.astype("M8[ns]").astype("int64") / 1e9
    cells = np.array([grid.cell(x) for x in seconds])
    assert (cells == (days.year - 2023) * 12 + days.month - 11).all()


def test_missing_dates_and_unknown_names_lie_in_no_cell():
    frame = pd.DataFrame({"day": ["2026-03-01", "2026-02-30", None, "soon", "2026-03-01"], "ward": ["A", "A", "A", "A", "X"]})
    axes = [shoal.Axis("day", "2026-01-01", "2026-12-31"), shoal.Axis("ward", names=["A", "B"])]
    assert (counted(frame, axes).labels_ >= 0).tolist() == [True, False, False, False, False]
    table = pa.Table.from_pandas(frame)
    assert (counted(table, axes).labels_ >= 0).tolist() == [True, False, False, False, False]
    coded = pa.table({"day": table["day"], "ward": table["ward"].dictionary_encode()})
    assert (counted(coded, axes).labels_ >= 0).tolist() == [True, False, False, False, False]
    rows = frame.to_numpy(dtype=object)
    assert (counted(rows, axes).labels_ >= 0).tolist() == [True, False, False, False, False]


def test_what_other_rows_hold_changes_no_row():
    axes = [shoal.Axis("day", "2026-01-01", "2026-12-31"), shoal.Axis("ward", names=["1", "2"])]
    seconds = pd.Timestamp("2026-03-01 13:30").timestamp()
    for odd_day, odd_ward in [(None, None), ("soon", "x"), (float("nan"), float("nan"))]:
        plain = pd.DataFrame({"day": [int(seconds)] * 2, "ward": [1, 2]})
        mixed = pd.DataFrame({"day": [int(seconds)] * 2 + [odd_day], "ward": pd.Series([1, 2, odd_ward], dtype=object)})
        assert counted(mixed, axes).predict(mixed)[:2].tolist() == counted(plain, axes).predict(plain).tolist() == [0, 1]
        stamps = pd.DataFrame({"day": pd.Series([pd.Timestamp(seconds, unit="s")] * 2 + [odd_day], dtype=object), "ward": ["1", "2", "3"]})
        assert counted(stamps, axes).predict(stamps)[:2].tolist() == [0, 1]
    for wrong in (None, 1.5):  # pandas makes floats of all of them
        with pytest.raises(TypeError, match="floats, which whole numbers become where one is missing"):
            counted(pd.DataFrame({"day": [int(seconds)] * 3, "ward": [1, 2, wrong]}), axes)


def test_a_release_keeps_its_axes_and_predicts_by_them(tmp_path):
    rng = np.random.default_rng(4)
    frame = pd.DataFrame({"hour": rng.normal(0, 1, 4000) % 24, "ward": rng.choice(["A", "B"], 4000), "age": rng.integers(20, 30, 4000)})
    axes = [shoal.Axis("hour", 0, 24, circle=True), shoal.Axis("ward", names=["A", "B"]), shoal.Axis("age", 0, 110, kind="int")]
    model = shoal.PrivateWaveCluster(epsilon=5, axes=axes, grid=24, coverage=95).fit(frame)
    release = model.release_
    release.save(tmp_path / "a.json")
    again = shoal.Release.load(tmp_path / "a.json")
    assert (again.predict(frame[["age", "ward", "hour"]]) == model.labels_).all()
    assert (again.predict(pa.Table.from_pandas(frame)) == model.labels_).all()
    assert again.reshape(coverage=50)._facts["axes"] == again._facts["axes"]
    assert [axis.get("border") for axis in again._facts["axes"]] == ["circle", "apart", None]
    schema = json.loads((ROOT / "docs/release.schema.json").read_text())
    jsonschema = pytest.importorskip("jsonschema")
    jsonschema.validate(json.loads((tmp_path / "a.json").read_text()), schema)
    made = shoal.synthesize(frame, epsilon=5, axes=axes)
    points = made.draw()
    assert points.shape[1] == 3
    assert (points[:, 2] % 1 == 0).all()
    assert set(points[:, 1]) <= {0, 1}


def test_wrong_axes_are_refused_at_once():
    for wrong in [
        {"lower": "2026-02-30", "upper": "2026-12-31"},
        {"lower": 0, "upper": 1, "kind": "log"},
        {"lower": 0.5, "upper": 2, "kind": "int"},
        {"lower": 0, "upper": 1, "kind": "whole"},
        {"names": ["A", "B", "A"]},
        {"names": ["A", "B"], "lower": 0, "upper": 1},
        {},
    ]:
        with pytest.raises(ValueError):
            shoal.Axis("x", **wrong)
    with pytest.raises(ValueError, match="leave out"):
        shoal.WaveCluster(axes=["x=0:1"], bounds=(0, 1)).fit([[0.5]])


def example(name):
    spec = importlib.util.spec_from_file_location(name, ROOT / f"examples/{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_hospital_finds_its_three_groups(tmp_path):
    hospital = example("hospital")
    release = hospital.released(random_state=1)
    for ward, age, day, _ in hospital.TRUTH:
        near = [
            c for c in release.clusters
            if round(c.centroid[2]) == hospital.WARDS.index(ward) and abs(c.centroid[0] - age) < 8 and abs(c.centroid[1] - pd.Timestamp(day).timestamp()) < 25 * 86400
        ]
        assert len(near) == 1, (ward, [c.centroid for c in release.clusters])
    hospital.main(tmp_path)
    assert "2026-07" in (tmp_path / "hospital.html").read_text()


def test_the_city_finds_a_gathering_over_the_turn_of_the_week(tmp_path):
    city = example("city")
    city.main(tmp_path)
    assert (tmp_path / "city.html").exists()
    release = city.released(random_state=1)
    for lon, lat, hour, *_ in city.TRUTH:
        near = [
            c for c in release.clusters
            if abs(c.centroid[0] - lon) < 0.02 and abs(c.centroid[1] - lat) < 0.02 and abs((c.centroid[2] - hour + 84) % 168 - 84) < 8
        ]
        assert len(near) == 1, (hour, [c.centroid for c in release.clusters])


def test_the_city_has_its_third_gathering_in_june_alone(tmp_path):
    city = example("city")
    program = ROOT / "build/bin/shoal"
    city.by_month(tmp_path, program)
    assert (tmp_path / "changes.html").exists()
    for words in ([*city.BY_MONTH, "--seed", "1", "--json", "seeded.json"], ["compare", "seeded.json", "--json", "changes.json"]):
        subprocess.run([program, *words], cwd=tmp_path, check=True, stdout=subprocess.DEVNULL)
    groups = json.loads((tmp_path / "seeded.json").read_text())["groups"]
    assert [group["name"] for group in groups] == list(city.MONTHS)
    for group in groups:
        for lon, lat, hour, _, months in city.TRUTH:
            near = [
                c for c in (cluster["centroid"] for cluster in group["release"]["clusters"] if cluster["noisy_size"] > 1000)
                if abs(c[0] - lon) < 0.02 and abs(c[1] - lat) < 0.02 and abs((c[2] - hour + 84) % 168 - 84) < 8
            ]
            assert len(near) == (group["name"] in months), (group["name"], hour, near)
    assert "new" in (tmp_path / "changes.json").read_text()


def test_the_shop_finds_its_three_kinds_of_purchases(tmp_path):
    shop = example("shop")
    shop.main(tmp_path)
    assert (tmp_path / "shop.html").exists()
    release = shop.released(random_state=1)
    for amount, things, _ in shop.TRUTH:
        near = [c for c in release.clusters if abs(np.log(c.centroid[0] / amount)) < 0.7 and abs(c.centroid[1] - things) < 6]
        assert len(near) == 1, (amount, [c.centroid for c in release.clusters])
