"""The low-pass subband against PyWavelets, every family: dense, sparse, stationary, and the reach of one input.

Ours is PyWavelets' of a rolled grid (placement.py).
"""

import warnings

import numpy as np
import pytest
import pywt
from placement import approximation, shift, stationary

from shoal import _core

NAMES = _core.wavelet_names()
TOLERANCE = 1e-12  # times the scale of the data, which is 1 here, times how much the filter amplifies it


def assert_close(ours, theirs):
    assert ours.shape == theirs.shape
    assert np.abs(ours - theirs).max() <= TOLERANCE * max(1.0, np.abs(theirs).max())


def test_names_are_the_families_of_pywavelets():
    wanted = ["haar"] + [f"db{i}" for i in range(1, 21)] + [f"sym{i}" for i in range(2, 21)]
    wanted += [f"coif{i}" for i in range(1, 6)] + pywt.wavelist("bior") + pywt.wavelist("rbio")
    assert wanted == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_filter_is_pywavelets_own(name):
    assert _core.low_pass(name) == pywt.Wavelet(name).dec_lo


@pytest.mark.parametrize("name", NAMES)
def test_every_size_and_level_in_one_dimension(name):
    rng = np.random.default_rng(1)
    for size in range(1, 66):
        values = rng.uniform(-1, 1, size)
        for level in (1, 2, 3):
            assert_close(_core.average_subband(values, name, level), approximation(values, name, level))


@pytest.mark.parametrize("dimensions,most,cases", [(2, 65, 12), (3, 17, 6), (4, 9, 4)])
@pytest.mark.parametrize("name", NAMES)
def test_random_boxes_in_more_dimensions(name, dimensions, most, cases):
    rng = np.random.default_rng(dimensions)
    for _ in range(cases):
        values = rng.uniform(-1, 1, rng.integers(1, most + 1, dimensions))
        level = int(rng.integers(1, 4))
        assert_close(_core.average_subband(values, name, level), approximation(values, name, level))


@pytest.mark.parametrize("name", NAMES)
def test_stationary_is_swt_where_swt_is_defined(name):
    rng = np.random.default_rng(4)
    for dimensions in (1, 1, 1, 2, 2, 3):
        level = int(rng.integers(1, 4))
        shape = rng.integers(1, 5 if dimensions > 1 else 9, dimensions) * 2**level
        values = rng.uniform(-1, 1, shape)
        theirs = stationary(values, name, level)
        assert_close(_core.average_subband(values, name, level, "stationary"), theirs)


def sparse_of(values):
    index = np.flatnonzero(values).astype(np.uint64)
    return list(values.shape), index, np.ascontiguousarray(values.ravel()[index.astype(np.int64)])


def dense_of(shape, index, values):
    box = np.zeros(int(np.prod(shape)), values.dtype)
    box[index.astype(np.int64)] = values
    return box.reshape(shape)


@pytest.mark.parametrize("transform", ["decimated", "stationary"])
@pytest.mark.parametrize("name", NAMES)
def test_sparse_gives_the_same_bits_as_dense(name, transform):
    rng = np.random.default_rng(5)
    for dimensions in (1, 2, 3, 4):
        values = rng.uniform(-1, 1, rng.integers(1, 8, dimensions)) * (rng.random() < 0.9)
        values *= rng.random(values.shape) < 0.3
        level = int(rng.integers(1, 4))
        dense = _core.average_subband(values, name, level, transform)
        shape, index, stored = _core.sparse_average_subband(*sparse_of(values), name, level, transform)
        assert np.array_equal(dense_of(shape, index, stored), dense)
        assert np.all(stored != 0) and np.all(np.diff(index.astype(np.int64)) > 0)


def test_haar_sums_are_pywavelets_times_its_unit_exactly():
    rng = np.random.default_rng(6)
    for _ in range(400):
        dimensions = int(rng.integers(1, 5))
        counts = rng.integers(-50, 1000, rng.integers(1, [66, 20, 9, 6][dimensions - 1], dimensions))
        level = int(rng.integers(1, 4))
        theirs = approximation(counts.astype(float), "haar", level) * 2 ** (dimensions * level / 2)
        assert np.array_equal(_core.haar_sums(counts, level), np.rint(theirs).astype(np.int64))
        for transform in ("decimated", "stationary"):
            dense = _core.haar_sums(counts, level, transform)
            assert np.array_equal(dense_of(*_core.sparse_haar_sums(*sparse_of(counts), level, transform)), dense)


def matrix_of(name, size, level, transform):
    """Columns from unit vectors, by PyWavelets, or by ours where swt is not defined."""
    unit = np.eye(size)
    if transform == "decimated":
        return np.stack([approximation(unit[i], name, level) for i in range(size)])
    if size % 2**level == 0:
        return np.stack([stationary(unit[i], name, level) for i in range(size)])
    return np.stack([_core.average_subband(unit[i], name, level, transform) for i in range(size)])


@pytest.mark.parametrize("transform", ["decimated", "stationary"])
@pytest.mark.parametrize("name", NAMES)
def test_reach_is_that_of_the_worst_column(name, transform):
    for size in (1, 2, 3, 5, 8, 13, 24, 33):
        for level in (1, 2, 3):
            columns = matrix_of(name, size, level, transform)
            outputs, l1, l2 = _core.reach(name, size, level, transform)
            assert l1 == pytest.approx(np.abs(columns).sum(1).max(), rel=1e-12)
            assert l2 == pytest.approx(np.sqrt((columns**2).sum(1)).max(), rel=1e-12)
            # Never fewer than what is visibly not zero; more only where weights cancel.
            assert outputs >= (np.abs(columns) > 1e-13).sum(1).max()
            assert outputs <= columns.shape[1]


@pytest.mark.parametrize("name", ["haar", "db2", "bior2.2", "rbio1.3", "rbio3.1", "sym4"])
def test_reach_on_long_axes_equals_that_of_all_columns(name):
    for size in (195, 196, 197, 199, 200, 203, 205):
        for level in (1, 2, 3):
            columns = matrix_of(name, size, level, "decimated")
            outputs, l1, l2 = _core.reach(name, size, level)
            assert outputs == (columns != 0).sum(1).max()
            assert l1 == pytest.approx(np.abs(columns).sum(1).max(), rel=1e-12)
            assert l2 == pytest.approx(np.sqrt((columns**2).sum(1)).max(), rel=1e-12)


def test_cancelled_weights_still_count_as_touched():
    # The taps -a a b b a -a on a circle of four cells: two outputs get -a + a.
    assert (matrix_of("bior1.3", 4, 1, "stationary") != 0).sum(1).max() == 2
    assert _core.reach("bior1.3", 4, 1, "stationary")[0] == 4


@pytest.mark.parametrize("transform", ["decimated", "stationary"])
@pytest.mark.parametrize("name", NAMES)
def test_values_describe_the_cells_under_the_centre_of_their_filter(name, transform):
    """On the whole numbers 0, 1, 2, ... a value of W is the middle of its block, to within half a cell of the grid."""
    for level in (1, 2, 3, 4):
        size = 2**level * (2 * len(_core.low_pass(name)) + 8)  # the ends, where the numbers jump, are out of reach
        w = _core.average_subband(np.arange(size, dtype=float), name, level, transform)
        ones = _core.average_subband(np.ones(size), name, level, transform)
        block = 2**level if transform == "decimated" else 1
        middles = (np.arange(len(w)) + 0.5) * block - 0.5
        inner = slice(len(w) // 2 - 2, len(w) // 2 + 3)
        assert np.abs(w / ones - middles)[inner].max() <= 0.5 + 1e-3


@pytest.mark.parametrize("name", NAMES)
def test_one_roll_of_the_grid_places_axes_of_whole_blocks(name):
    rng = np.random.default_rng(9)
    for level in (1, 2, 3, 4):
        values = rng.uniform(-1, 1, (5 * 2**level, 3 * 2**level))
        by = shift(name, level, "decimated")
        rolled = np.roll(values, (by, by), (0, 1))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # PyWavelets warns about levels that wrap
            for _ in range(level):
                rolled = pywt.dwtn(rolled, name, mode="periodization")["aa"]
        assert_close(_core.average_subband(values, name, level), rolled)


def test_decimated_haar_needs_no_roll():
    for name in ("haar", "db1", "bior1.1", "rbio1.1", "rbio1.3", "rbio1.5"):
        assert all(shift(name, level, "decimated") == 0 for level in range(1, 20))
