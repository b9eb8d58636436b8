"""shoal.check: what is wrong with data, before anything is spent."""

import numpy as np
import pytest

import shoal


def model(**changes):
    return shoal.PrivateWaveCluster(epsilon=1, bounds={"lon": (-10, 10), "lat": (40, 60)}, grid=16, percentile=20, **changes)


def frame(rows=1000):
    pandas = pytest.importorskip("pandas")
    rng = np.random.default_rng(1)
    return pandas.DataFrame(
        {"lon": np.round(rng.uniform(-10, 10, rows), 2), "lat": rng.uniform(40, 60, rows), "user": rng.integers(0, 100, rows), "ward": "cardiology"}
    )


def test_it_counts_missing_values_rows_outside_units_and_steps():
    data = frame()
    data.loc[:9, "lon"] = np.nan
    data.loc[10:14, "lat"] = 99
    found = shoal.check(model(unit="user", contribution="share"), data)
    lon, lat = found["columns"]
    assert (found["rows"], found["inside"], lon["missing"], lat["above"]) == (1000, 985, 10, 5)
    assert lon["step"] == 0.01 and lon["step_share"] == 1 and lat["step"] is None
    assert found["units"]["units"] == data["user"].nunique() and found["advice"] == []


def test_it_says_that_bounds_are_swapped_and_that_no_group_matches():
    data = frame().rename(columns={"lon": "lat", "lat": "lon"})
    assert any("swapped" in sentence for sentence in shoal.check(model(), data)["advice"])
    found = shoal.check(model(groups=["Cardiology"]), frame(), by="ward")
    assert found["groups"] == {"Cardiology": 0} and found["in_no_group"] == 1000
    assert any("upper and lower case" in sentence for sentence in found["advice"])


def test_it_spends_nothing(tmp_path):
    ledger = shoal.Ledger.create(tmp_path / "ledger", dataset="a", cap=1) if hasattr(shoal.Ledger, "create") else None
    shoal.check(model(), frame())
    assert ledger is None or not ledger.history()
