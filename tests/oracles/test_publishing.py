"""Publishers against numpy: dense least squares, dense Haar matrices, histograms."""

import numpy as np
import pytest

from shoal import _core

internal = _core.internal


@pytest.mark.parametrize("fanout,height", [(2, 1), (2, 5), (3, 3), (4, 4), (8, 2)])
def test_tree_inference_is_weighted_least_squares(fanout, height):
    rng = np.random.default_rng(fanout * 10 + height)
    budget = rng.uniform(0.05, 1, height + 1)
    levels = [rng.normal(0, 100, fanout**depth) for depth in range(height + 1)]
    # Every node is a sum of leaves: rows of the design matrix, weighted by the level's budget.
    leaves = fanout**height
    rows, observed = [], []
    for depth, level in enumerate(levels):
        width = leaves // fanout**depth
        for node, value in enumerate(level):
            row = np.zeros(leaves)
            row[node * width : (node + 1) * width] = budget[depth]
            rows.append(row)
            observed.append(value * budget[depth])
    best, *_ = np.linalg.lstsq(np.array(rows), np.array(observed), rcond=None)
    ours = internal.tree_least_squares([list(level) for level in levels], list(budget), fanout)
    for depth, level in enumerate(ours):
        np.testing.assert_allclose(level, best.reshape(fanout**depth, -1).sum(axis=1), rtol=1e-8, atol=1e-7)


def haar_matrix(size):
    """Row 0 sums all; the next rows, depth by depth, are left half less right half of each block."""
    rows = [np.ones(size, dtype=np.int64)]
    width = size
    while width > 1:
        for start in range(0, size, width):
            row = np.zeros(size, dtype=np.int64)
            row[start : start + width // 2] = 1
            row[start + width // 2 : start + width] = -1
            rows.append(row)
        width //= 2
    return np.array(rows)


@pytest.mark.parametrize("shape", [(1,), (16,), (8, 4), (2, 4, 8), (2, 2, 2, 4)])
def test_privelet_coefficients_are_the_tensor_product_of_haar_matrices(shape):
    rng = np.random.default_rng(len(shape))
    values = rng.integers(0, 1000, shape)
    matrix = np.ones((1, 1), dtype=np.int64)
    for size in shape:
        matrix = np.kron(matrix, haar_matrix(size))
    coefficients = internal.haar_coefficients(values.ravel().tolist(), list(shape))
    np.testing.assert_array_equal(coefficients, matrix @ values.ravel())
    assert np.abs(matrix).sum(axis=0).max() == np.prod([1 + int(np.log2(size)) for size in shape])
    noisy = np.asarray(coefficients) + rng.integers(-50, 50, values.size)
    inverse = internal.haar_inverse(noisy.astype(float).tolist(), list(shape))
    np.testing.assert_allclose(inverse, np.linalg.solve(matrix.astype(float), noisy), rtol=1e-9, atol=1e-9)


def skewed_points(rows, dimensions):
    rng = np.random.default_rng(rows + dimensions)
    return [np.where(rng.random(rows) < 0.6, rng.beta(2, 9, rows), rng.random(rows)) * 7 - 2 for _ in range(dimensions)]


# Budgets at which the noise on every count is zero but for a chance below exp(-90): more for trees, which share theirs.
EPSILONS = {"adaptive-grid": "200", "uniform-grid": "200", "quadtree": "10000", "kd-tree": "10000", "privelet": "20000"}


@pytest.mark.parametrize("publisher", ["adaptive-grid", "uniform-grid", "quadtree", "kd-tree", "privelet"])
@pytest.mark.parametrize("dimensions", [1, 2, 3])
def test_boxes_hold_what_numpy_counts_in_them(publisher, dimensions):
    columns = skewed_points(400, dimensions)
    boxes, counts = internal.publish_seeded(
        publisher, [c.tolist() for c in columns], [(-2, 5)] * dimensions, 12, EPSILONS[publisher], 1
    )
    boxes, counts = np.asarray(boxes), np.asarray(counts)
    width = np.prod(boxes[:, 1::2] - boxes[:, 0::2], axis=1)
    assert np.isclose(width.sum(), 7.0**dimensions)
    assert np.isclose(counts.sum(), 400)
    found = np.zeros(len(counts))
    for point in np.array(columns).T:
        inside = np.all((boxes[:, 0::2] <= point) & (point < boxes[:, 1::2]), axis=1)
        assert inside.sum() == 1
        found += inside
    np.testing.assert_allclose(counts, found, atol=1e-6)


def test_privelet_counts_are_numpys_histogram():
    columns = skewed_points(1000, 2)
    _, counts = internal.publish_seeded("privelet", [c.tolist() for c in columns], [(-2, 5)] * 2, 21, EPSILONS["privelet"], 1)
    expected, *_ = np.histogram2d(*columns, bins=21, range=[(-2, 5)] * 2)
    np.testing.assert_allclose(np.reshape(counts, (21, 21)), expected, atol=1e-6)
