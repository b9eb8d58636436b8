"""The cluster tree beside scipy's labels of the same noisy values, at every threshold."""

import json

import numpy as np
import pytest
from scipy import ndimage

from shoal import _core

internal = _core.internal


def values_of(release):
    """W' of level 1 Haar sums, in the units of W."""
    return _core.noisy_values(release) / 2


@pytest.mark.parametrize("adjacency", ["full", "face"])
@pytest.mark.parametrize("seed", range(6))
def test_cuts_are_the_components_that_scipy_labels(seed, adjacency):
    rng = np.random.default_rng(seed)
    counts = rng.poisson(8 * rng.random((24, 20)) ** 3).astype(np.int64)
    release = internal.seeded_technique("privwave", counts, "0.7", seed, 40.0, 1, adjacency)
    values = values_of(release)
    structure = np.ones((3, 3)) if adjacency == "full" else None
    for threshold in np.unique(values[values > 0]):
        labels, count = ndimage.label(values >= threshold, structure)
        cells, branches = internal.tree_cut(release, float(threshold))
        assert np.array_equal(np.sort(cells), np.flatnonzero(labels))
        pairs = {(labels.ravel()[cell], branch) for cell, branch in zip(cells, branches)}
        assert len(pairs) == count == len(set(branches))


def test_the_release_s_own_density_cuts_its_own_clusters():
    rng = np.random.default_rng(9)
    counts = rng.poisson(20 * rng.random((32, 32)) ** 4).astype(np.int64)
    release = internal.seeded_technique("privwave", counts, "1", 1, 60.0).reshape(density=9.5)
    _cells, branches = internal.tree_cut(release, release.threshold)
    assert len(set(branches)) == release.n_clusters
    tree = json.loads(release.tree_json())
    assert tree["format"] == "shoal-tree/1" and tree["threshold"] == release.threshold
