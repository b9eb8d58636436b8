"""Components against scipy.ndimage.label, thresholds against numpy.sort, and the whole of WaveCluster against both."""

import math
from fractions import Fraction

import numpy as np
import pytest
from placement import approximation
from scipy import ndimage

from shoal import _core

CASES = 3000


def scipy_labels(mask, adjacency):
    """scipy's components, numbered by size and then by first cell as ours are."""
    full = adjacency == "full"
    found, count = ndimage.label(mask, ndimage.generate_binary_structure(mask.ndim, mask.ndim if full else 1))
    sizes = np.bincount(found.ravel(), minlength=count + 1)[1:]
    order = np.argsort(-sizes, kind="stable")  # scipy numbers by first cell
    rank = np.zeros(count + 1, np.uint32)
    rank[order + 1] = np.arange(1, count + 1)
    return rank[found], sizes[order]


def random_mask(rng):
    dimensions = int(rng.integers(1, 6))
    most = {1: 300, 2: 30, 3: 12, 4: 7, 5: 5}[dimensions]
    shape = tuple(rng.integers(1, most + 1, dimensions))
    return rng.random(shape) < rng.uniform(0.02, 0.98)


def test_thousands_of_random_masks_equal_scipy_dense_and_sparse():
    rng = np.random.default_rng(1)
    for case in range(CASES):
        mask = random_mask(rng)
        adjacency = ("full", "face")[case % 2]
        wanted, wanted_sizes = scipy_labels(mask, adjacency)
        labels, sizes = _core.connect_mask(mask, adjacency)
        assert np.array_equal(labels, wanted), (case, mask.shape, adjacency)
        assert np.array_equal(sizes, wanted_sizes)
        cells = np.flatnonzero(mask).astype(np.uint64)
        clusters = _core.connect(mask.shape, cells, adjacency)
        assert np.array_equal(clusters.cells, cells)
        assert np.array_equal(clusters.labels, wanted.ravel()[mask.ravel()])
        assert np.array_equal(clusters.sizes, wanted_sizes)


@pytest.mark.parametrize("adjacency", ["full", "face"])
@pytest.mark.parametrize("share", [0.1, 0.45, 0.6, 0.95])
def test_large_masks_equal_scipy(adjacency, share):
    rng = np.random.default_rng(2)
    for shape in [(701, 1003), (60, 71, 130), (13, 14, 15, 67)]:
        mask = rng.random(shape) < share
        wanted, wanted_sizes = scipy_labels(mask, adjacency)
        labels, sizes = _core.connect_mask(mask, adjacency)
        assert np.array_equal(labels, wanted)
        assert np.array_equal(sizes, wanted_sizes)


def test_small_components_become_noise():
    rng = np.random.default_rng(3)
    for _ in range(200):
        mask = rng.random((20, 30)) < 0.4
        wanted, wanted_sizes = scipy_labels(mask, "face")
        keep = int((wanted_sizes >= 3).sum())
        labels, sizes = _core.connect_mask(mask, "face", min_cells=3)
        assert np.array_equal(labels, np.where(wanted <= keep, wanted, 0))
        assert np.array_equal(sizes, wanted_sizes[:keep])


def exact_k(percentile, positives):
    if positives == 0:
        return 0
    return max(1, math.ceil((1 - Fraction(str(percentile)) / 100) * positives))


def test_k_is_the_exact_ceiling():
    rng = np.random.default_rng(4)
    for _ in range(20000):
        percentile = round(float(rng.uniform(0, 100)), int(rng.integers(0, 10)))
        positives = int(rng.integers(0, 10 ** int(rng.integers(1, 18))))
        if percentile < 100:
            assert _core.significant_count(percentile, positives) == exact_k(percentile, positives)


@pytest.mark.parametrize("kind", [np.int64, np.float64])
def test_coverage_equals_a_sorted_running_sum(kind):
    rng = np.random.default_rng(11)
    for case in range(1000):
        values = rng.integers(-3, 2 + 10 ** int(rng.integers(0, 6)), rng.integers(1, 20, 2)).astype(kind)
        coverage = 12.5 * int(rng.integers(1, 9)) if kind is np.float64 else round(float(rng.uniform(1, 100)), case % 4)
        positives = np.sort(values[values > 0])[::-1].astype(object)  # exact sums
        reached = [Fraction(int(s)) * 100 >= Fraction(str(coverage)) * int(sum(positives)) for s in np.cumsum(positives)] if len(positives) else []
        k = reached.index(True) + 1 if reached else 0
        positive, _, found, threshold, cells = _core.significant_cells(values, coverage=coverage)
        assert (positive, found) == (len(positives), k)
        if k:
            assert threshold == positives[k - 1]
            assert np.array_equal(cells, np.flatnonzero(values.ravel() >= positives[k - 1]))


@pytest.mark.parametrize("kind", [np.int64, np.float64])
def test_significant_cells_equal_a_sort(kind):
    rng = np.random.default_rng(5)
    for _ in range(1000):
        values = rng.integers(-20, 30, tuple(rng.integers(1, 12, int(rng.integers(1, 4))))).astype(kind)
        if kind is np.float64:
            values *= rng.random(values.shape) < 0.5
        percentile = float(rng.integers(0, 1000)) / 10
        positives = np.sort(values[values > 0])[::-1]
        positive, nonpositive, k, threshold, cells = _core.significant_cells(values, percentile=percentile)
        assert (positive, nonpositive) == (len(positives), values.size - len(positives))
        assert k == exact_k(percentile, positive)
        if k:
            assert threshold == positives[k - 1]
            assert np.array_equal(cells, np.flatnonzero(values >= threshold))
        else:
            assert len(cells) == 0


def test_wavecluster_equals_its_steps_in_numpy_and_scipy():
    rng = np.random.default_rng(6)
    for _ in range(200):
        side = 2 * int(rng.integers(2, 20))
        points = np.concatenate([rng.normal(c, 0.08, (200, 2)) for c in rng.random((3, 2))])
        grid = _core.Grid([(0, 1)] * 2, [side, side])
        columns = [points[:, 0], points[:, 1]]
        counts = _core.quantize(columns, grid)
        percentile = int(rng.integers(0, 100))
        adjacency = ("full", "face")[int(rng.integers(2))]
        options = _core.ClusterOptions(percentile=percentile, adjacency=adjacency)
        found = _core.wavecluster(counts, options)

        sums = counts.values.reshape(side // 2, 2, side // 2, 2).sum(axis=(1, 3))
        positives = np.sort(sums[sums > 0])[::-1]
        assert (found.positive, found.nonpositive) == (len(positives), sums.size - len(positives))
        assert found.k == exact_k(percentile, len(positives))
        assert found.threshold_sum == positives[found.k - 1]
        assert found.threshold == positives[found.k - 1] / 2
        wanted, wanted_sizes = scipy_labels(sums >= positives[found.k - 1], adjacency)
        assert np.array_equal(found.clusters.sizes, wanted_sizes)

        labels = _core.ClusterMap(grid, options, found.clusters).label(columns)
        inside = ((points >= 0) & (points <= 1)).all(axis=1)
        at = np.minimum((points[inside] * side).astype(int), side - 1) // 2
        assert np.array_equal(labels[inside], wanted[at[:, 0], at[:, 1]])
        assert not labels[~inside].any()


FILTERED = [name for name in _core.wavelet_names() if name not in ("haar", "db1", "bior1.1", "rbio1.1", "rbio1.3", "rbio1.5")]


def points_of(counts):
    """Points in the middles of cells: as many as the counts say."""
    places = np.repeat(np.argwhere(np.ones(counts.shape)), counts.ravel(), axis=0)
    return [(places[:, axis] + 0.5) / size for axis, size in enumerate(counts.shape)]


def test_wavelets_other_than_haar_have_the_ties_of_pywavelets():
    # Values that are equal in exact arithmetic must not fall on both sides of a threshold. The same rounding is applied to both:
    # docs/techniques.md.
    rng = np.random.default_rng(8)
    for case in range(600):
        dimensions = int(rng.integers(1, 4))
        shape = rng.integers(2, {1: 200, 2: 30, 3: 10}[dimensions], dimensions)
        counts = rng.integers(0, int(rng.integers(2, 6)), shape) * (rng.random(shape) < rng.uniform(0.2, 1))
        if not counts.any():
            continue
        name, level, percentile = str(rng.choice(FILTERED)), int(rng.integers(1, 3)), int(rng.integers(0, 100))
        options = _core.ClusterOptions(percentile=percentile, wavelet=name, level=level)
        grid = _core.Grid([(0, 1)] * dimensions, [int(n) for n in shape])
        found = _core.wavecluster(_core.quantize(points_of(counts), grid), options)

        w = approximation(counts.astype(float), name, level)
        step = 2.0 ** (-20 - math.ceil(dimensions * level / 2))
        w = np.floor(w / step + 1 / 3) * step
        positives = np.sort(w[w > 0])[::-1]
        assert (found.positive, found.nonpositive) == (len(positives), w.size - len(positives)), (case, name)
        assert found.k == exact_k(percentile, len(positives))
        assert found.threshold == positives[found.k - 1], (case, name)
        wanted, wanted_sizes = scipy_labels(w >= positives[found.k - 1], "full")
        assert np.array_equal(found.clusters.cells, np.flatnonzero(wanted)), (case, name, percentile)
        assert np.array_equal(found.clusters.sizes, wanted_sizes)


def area(ring):
    x, y = np.array(ring).T
    return float(np.sum(x[:-1] * y[1:] - x[1:] * y[:-1]) / 2)


def test_outlines_have_the_area_of_their_cells():
    rng = np.random.default_rng(7)
    for _ in range(200):
        shape = tuple(int(n) for n in rng.integers(1, 15, 2))
        grid = _core.Grid([(0, n) for n in shape], shape)
        cells = np.flatnonzero(rng.random(shape) < 0.6).astype(np.uint64)
        clusters = _core.connect(shape, cells)
        map_ = _core.ClusterMap(grid, _core.ClusterOptions(percentile=0, transform="stationary"), clusters)
        for cluster, size in enumerate(clusters.sizes, 1):
            rings = [ring for exterior, holes in map_.outline(cluster) for ring in (exterior, *holes)]
            assert sum(map(area, rings)) == size


def test_masks_of_wide_items_and_unknown_names_are_refused():
    with pytest.raises(TypeError):
        _core.connect_mask(np.zeros((3, 3), np.int64))
    with pytest.raises(ValueError):
        _core.connect_mask(np.zeros((3, 3), bool), "diagonal")
    with pytest.raises(ValueError):
        _core.ClusterOptions(percentile=5, top=3)
    with pytest.raises(ValueError):
        _core.ClusterOptions()
