"""Counts that an engine made by itself: released like counts of the same points, and refused if a cell is not on the grid."""

import warnings
from decimal import Decimal

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
import scipy.sparse
from optional import optional

import shoal
from shoal import _options

pl = optional("polars")

GIVEN = {"bounds": (0, 1), "grid": 8, "percentile": 40, "epsilon": 1}


@pytest.fixture(autouse=True)
def nothing_spent(monkeypatch):
    monkeypatch.setattr(_options, "without_ledger", _options.Spending())


def model(**given) -> shoal.PrivateWaveCluster:
    return shoal.PrivateWaveCluster(**{**GIVEN, **given})


def points() -> np.ndarray:
    return np.random.default_rng(4).beta(2, 5, size=(3000, 2))


def seeded(*counts, **given) -> str:
    with pytest.warns(shoal.NotPrivateWarning):
        return shoal.release_counts(model(random_state=3, **given), *counts)._core.json()


def of_points(**given) -> str:
    with pytest.warns(shoal.NotPrivateWarning):
        return shoal.PrivateWaveCluster(random_state=3, **{**GIVEN, **given}).fit(points()).release_._core.json()


def counted(cells: int = 8) -> tuple[np.ndarray, np.ndarray]:
    return np.unique((points() * cells).astype(int), axis=0, return_counts=True)


def test_counts_in_every_form_give_the_release_of_their_points():
    cells, counts = counted()
    dense = np.zeros((8, 8))
    dense[tuple(cells.T)] = counts
    frame = pd.DataFrame({"count": counts, "b": cells[:, 0], "a": cells[:, 1]})
    expected = of_points()
    assert seeded(dense) == expected
    assert seeded(dense.astype(int).tolist()) == expected
    assert seeded(counts[::-1], cells[::-1]) == expected
    assert seeded(list(counts), cells.tolist()) == expected
    assert seeded(scipy.sparse.csr_array(dense)) == expected
    assert seeded(scipy.sparse.coo_matrix(dense)) == expected
    assert seeded(frame) == expected
    assert seeded(pl.from_pandas(frame)) == expected
    assert seeded(pa.Table.from_pandas(frame)) == expected


@pytest.mark.parametrize("technique", ["privwave", "privthr", "privthr-em", "privqt"])
def test_every_technique_of_counts_takes_them(technique):
    cells, counts = counted()
    assert seeded(counts, cells, technique=technique) == of_points(technique=technique)


def test_names_come_from_arguments_and_choose_the_columns():
    cells, counts = counted()
    frame = pd.DataFrame({"y": cells[:, 1], "x": cells[:, 0], "count": counts})
    bounds = {"x": (0, 1), "y": (0, 1)}
    assert seeded(frame, bounds=bounds) == seeded(counts, cells, columns=["x", "y"])
    assert '"y"' not in seeded(frame)


def test_an_automatic_release_takes_counts_on_its_finest_grid():
    axes = shoal.counted_axes(model(bounds={"x": (0, 1), "y": (0, 1)}, grid="auto", percentile=None))
    assert [(axis["name"], axis["lo"], axis["hi"]) for axis in axes] == [("x", 0, 1), ("y", 0, 1)]
    cells, counts = counted(axes[0]["cells"])
    given = {"grid": "auto", "percentile": None}
    assert seeded(counts, cells, **given) == of_points(**given)
    with pytest.raises(ValueError, match=r"shape \(8, 8\), but the grid has \(960, 960\)"):
        shoal.release_counts(model(grid="auto", percentile=None), np.ones((8, 8)))


def test_a_table_that_says_its_grid_is_refused_on_another():
    cells, counts = counted()
    grid = shoal._core.Grid([(0, 1), (0, 1)], [8, 8], ["x", "y"])
    table = pa.table({"x": cells[:, 0], "y": cells[:, 1], "count": counts}).replace_schema_metadata({"shoal.axes": grid.json})
    assert seeded(table) == seeded(counts, cells)
    for wrong in ({"grid": 9}, {"bounds": (0, 2)}, {"bounds": None, "axes": ["x=1:2:log", "y=0:1"]}):
        with pytest.raises(ValueError, match="counted on another grid"):
            shoal.release_counts(model(**wrong), table)


@pytest.mark.parametrize(
    "cells, counts, says",
    [
        ([[0, 8]], [1], "row 1 of the counts has a cell outside the grid: axis 'axis 2' has the cells 0 to 7"),
        ([[0, -1]], [1], "outside the grid"),
        ([[0, 0.5]], [1], "not whole"),
        ([[0, 0], [1, 1], [0, 0]], [1, 2, 3], "row 3 of the counts repeats"),
        ([[0, 0]], [-987], "a negative count"),
        ([[0, 0]], [987.25], "not whole"),
        ([[0, 0]], [float("nan")], "has no count"),
        ([[0, 0]], [2**53], "too large"),
        ([[0, 0]], np.array([2**64 - 1], dtype=np.uint64), "too large"),
        ([[0, 0]], [1, 2], "a row for each count"),
        ([[0, 0, 0]], [1], "3 axes, but 2 are named"),
        ([0, 0], [1, 1], "a column for each axis"),
    ],
)
def test_what_is_no_count_on_the_grid_is_refused_and_nothing_is_charged(cells, counts, says, tmp_path):
    ledger = shoal.Ledger.create(tmp_path / "owner.ledger", "trips", cap=1)
    with pytest.raises(ValueError, match=says) as refused:
        shoal.release_counts(model(columns=["axis 1", "axis 2"], ledger=ledger, dataset="trips"), counts, cells)
    assert "987" not in str(refused.value)
    assert ledger.history() == []


def test_what_needs_points_or_is_no_table_is_refused():
    cells, counts = counted()
    for wrong, says in [
        ({"technique": "baseline"}, "baseline needs the points"),
        ({"epsilon": None}, "needs epsilon"),
        ({"percentile": None}, "needs a threshold"),
        ({"unit": "user"}, "max_contributions"),
    ]:
        with pytest.raises(ValueError, match=says):
            shoal.release_counts(model(**wrong), counts, cells)
    for frame, says in [
        (pd.DataFrame({"x": [0], "y": [0], "n": [1]}), "no column 'count'"),
        (pd.DataFrame({"x": [0.0, np.nan], "y": [0, 1], "count": [1, 1]}), "row 2 of the counts has no cell on axis 'axis 1'"),
    ]:
        with pytest.raises(ValueError, match=says):
            shoal.release_counts(model(), frame)
    with pytest.raises(ValueError, match="give one of them"):
        shoal.release_counts(model(), pd.DataFrame({"x": [0], "y": [0], "count": [1]}), cells)
    with pytest.raises(ValueError, match="sparse matrix or a table"):
        shoal.release_counts(model(), 3)


def test_a_unit_scales_the_noise_and_the_ledger_is_charged(tmp_path):
    cells, counts = counted()
    ledger = shoal.Ledger.create(tmp_path / "owner.ledger", "trips", cap=1)
    given = {**GIVEN, "unit": "user", "max_contributions": 5, "ledger": ledger, "dataset": "trips"}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        release = shoal.release_counts(model(**given), counts, cells)
        with pytest.raises(shoal.BudgetRefused):
            shoal.release_counts(model(**given), counts, cells)
    assert release.private and {share.sensitivity for share in release.spent} == {5}
    assert [(entry.purpose, entry.epsilon) for entry in ledger.history()] == [("release privwave", Decimal(1))]
    shoal.release_counts(model(), counts, cells)
    with pytest.warns(shoal.PrivacyBudgetWarning):
        shoal.release_counts(model(), counts, cells)
