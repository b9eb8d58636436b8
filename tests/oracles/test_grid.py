"""Quantization against numpy.histogramdd: dense and sparse, one and several threads, columns in place."""

import numpy as np
import pytest

from shoal import _core

CASES = 2000


def random_case(rng):
    """Dyadic bounds and coordinates: edges are exact in both implementations, and many points lie on them."""
    dimensions = int(rng.integers(1, 6))
    most = {1: 200, 2: 40, 3: 15, 4: 8, 5: 5}[dimensions]
    cells = [int(c) for c in 2 ** rng.integers(0, int(np.log2(most)) + 1, dimensions)]
    lo = rng.integers(-8, 8, dimensions) / 4
    bounds = [(float(a), float(a + w)) for a, w in zip(lo, 2.0 ** rng.integers(-2, 4, dimensions))]
    rows = int(rng.integers(0, 300))
    columns = []
    for (a, b), count in zip(bounds, cells):
        on_edges = a + (b - a) * rng.integers(-2, count + 3, rows) / count
        anywhere = rng.uniform(a - 0.1 * (b - a), b + 0.1 * (b - a), rows)
        columns.append(np.where(rng.random(rows) < 0.5, on_edges, anywhere))
    return bounds, cells, columns


def histogram(bounds, cells, columns):
    edges = [np.linspace(a, b, c + 1) for (a, b), c in zip(bounds, cells)]
    return np.histogramdd(np.column_stack(columns), bins=edges)[0].astype(np.int64)


def densified(counts):
    if counts.is_dense:
        return counts.values
    values = np.zeros(counts.grid.cell_count, np.int64)
    values[counts.index] = counts.values
    return values.reshape(counts.grid.shape)


def test_thousands_of_random_cases_equal_histogramdd():
    rng = np.random.default_rng(1)
    for case in range(CASES):
        bounds, cells, columns = random_case(rng)
        grid = _core.Grid(bounds, cells)
        wanted = histogram(bounds, cells, columns)
        for limit in (1 << 27, 0):
            counts = _core.quantize(columns, grid, dense_limit=limit, threads=1 + case % 2)
            assert counts.is_dense == (limit > 0)
            assert np.array_equal(densified(counts), wanted), (case, bounds, cells)
            assert counts.points == len(columns[0])
            assert counts.outside == len(columns[0]) - wanted.sum()


def test_sizes_that_are_not_powers_of_two_equal_histogramdd_away_from_edges():
    rng = np.random.default_rng(2)
    for _ in range(300):
        dimensions = int(rng.integers(1, 5))
        cells = [int(c) for c in rng.integers(1, 14, dimensions)]
        bounds = [(float(a), float(a + w)) for a, w in rng.uniform(0.5, 90, (dimensions, 2))]
        rows = 200
        columns = []
        for (a, b), count in zip(bounds, cells):
            inside = rng.integers(-1, count + 1, rows) + rng.uniform(0.001, 0.999, rows)
            columns.append(a + (b - a) * inside / count)
        counts = _core.quantize(columns, _core.Grid(bounds, cells))
        assert np.array_equal(counts.values, histogram(bounds, cells, columns))


def test_columns_of_a_matrix_are_read_in_place():
    points = np.random.default_rng(3).random((5001, 3))
    grid = _core.Grid([(0, 1)] * 3, [7, 5, 3])
    by_row = _core.quantize([points[:, i] for i in range(3)], grid)
    by_column = _core.quantize(list(np.asfortranarray(points).T), grid)
    backwards = _core.quantize([points[::-1, i] for i in range(3)], grid)
    assert np.array_equal(by_row.values, by_column.values)
    assert np.array_equal(by_row.values, backwards.values)


def test_clamping_is_numpys_clip():
    rng = np.random.default_rng(4)
    columns = list(rng.normal(0.5, 1, (2, 4000)))
    columns[0][::7] = np.inf
    columns[1][::11] = -np.inf
    grid = _core.Grid([(0, 1), (0, 1)], [8, 16])
    counts = _core.quantize(columns, grid, outside="clamp")
    assert np.array_equal(counts.values, histogram([(0, 1)] * 2, [8, 16], [np.clip(c, 0, 1) for c in columns]))
    assert counts.outside == 0


def test_nan_is_never_counted_in_a_cell():
    column = np.array([0.5, np.nan, 0.5])
    for outside in ("drop", "clamp"):
        counts = _core.quantize([column], _core.Grid([(0, 1)], [2]), outside=outside)
        assert counts.outside == 1
        assert counts.values.tolist() == [0, 2]


def test_counts_outlive_the_object_they_came_from():
    values = _core.quantize([np.zeros(3)], _core.Grid([(0, 1)], [2])).values
    assert values.tolist() == [3, 0]


@pytest.mark.parametrize("bounds, cells", [([(0, 0)], [4]), ([(1, 0)], [4]), ([(0, 1)], [0]), ([], []), ([(0, 1)], [4, 4])])
def test_bad_grids_are_refused(bounds, cells):
    with pytest.raises((RuntimeError, ValueError)):
        _core.Grid(bounds, cells)


def test_columns_that_do_not_match_are_refused():
    grid = _core.Grid([(0, 1)] * 2, [4, 4])
    with pytest.raises((RuntimeError, ValueError)):
        _core.quantize([np.zeros(3)], grid)
    with pytest.raises((RuntimeError, ValueError)):
        _core.quantize([np.zeros(3), np.zeros(4)], grid)
