"""--auto finds what is there: the adjusted Rand index of seeded runs on generated sets stays above a floor. docs/quality.md has the published sets."""

import numpy as np
import pytest
from conftest import quietly
from sklearn.metrics import adjusted_rand_score

import shoal

POINTS = 30000


def lattice(rng):
    """A hundred round clusters that touch, of a thousand points each."""
    label = np.repeat(np.arange(100), 1000)
    return (np.c_[label // 10, label % 10] + 0.5 + rng.normal(0, 0.2, (100000, 2))) / 10, label


def densities(rng):
    """Five of equal size and very different density."""
    label = rng.integers(0, 5, POINTS)
    centre = np.array([[0.2, 0.2], [0.75, 0.2], [0.25, 0.7], [0.65, 0.6], [0.85, 0.85]])
    return centre[label] + rng.normal(size=(POINTS, 2)) * np.array([0.05, 0.09, 0.03, 0.015, 0.04])[label, None], label


def rings(rng):
    """Two rings around a disc."""
    label = rng.integers(0, 3, POINTS)
    turn = rng.uniform(0, 2 * np.pi, POINTS)
    radius = np.where(label == 0, 0.1 * np.sqrt(rng.uniform(size=POINTS)), 0.1 + 0.14 * label + rng.normal(0, 0.015, POINTS))
    return 0.5 + np.c_[radius * np.cos(turn), radius * np.sin(turn)], label


def enlarged(rng):
    """Four hundred points, each many times with jitter: these lumps are not clusters."""
    label = rng.integers(0, 4, 400)
    points = np.array([[0.25, 0.25], [0.75, 0.3], [0.3, 0.75], [0.75, 0.75]])[label] + rng.normal(0, 0.06, (400, 2))
    index = np.resize(np.arange(400), POINTS)
    return points[index] + rng.normal(0, 0.01, (POINTS, 2)), label[index]


def example(name):
    def load(_):
        made = shoal.datasets.load(name)
        return made.X, made.labels

    return load


# The lowest scores allowed at epsilon 0.1, 0.5 and 1, and without noise.
FLOORS = {
    "ds1": (example("ds1"), 0.95, 0.95, 0.95, 0.95),
    "ds2": (example("ds2"), 0.97, 0.97, 0.97, 0.97),
    "ds3": (example("ds3"), 0.97, 0.97, 0.97, 0.97),
    "lattice": (lattice, 0, 0, 0, 0),
    "densities": (densities, 0.95, 0.95, 0.95, 0.95),
    "rings": (rings, 0.7, 0.97, 0.97, 0.97),
    "enlarged": (enlarged, 0.95, 0.95, 0.95, 0.95),
}


@pytest.mark.parametrize("name", FLOORS)
def test_auto_finds_what_is_there(name):
    make, *floors = FLOORS[name]
    points, truth = make(np.random.default_rng(1))
    found = [
        np.mean([adjusted_rand_score(truth, quietly(shoal.PrivateWaveCluster(epsilon=epsilon, bounds=(0, 1), grid="auto", random_state=seed), points).labels_)
                 for seed in range(2)])
        for epsilon in (0.1, 0.5, 1)
    ]  # fmt: skip
    found.append(adjusted_rand_score(truth, shoal.WaveCluster(bounds=(0, 1), grid="auto").fit(points).labels_))
    print(name, np.round(found, 3))
    assert all(index >= floor for index, floor in zip(found, floors, strict=True)), np.round(found, 3)


@pytest.mark.parametrize(("size", "seed"), [(1000, 18), (10000, 96), (100000, 0), (100000, 110)])
def test_a_second_cluster_that_chance_made_is_not_called_separate(size, seed):
    # Of 450 such samples of even data, these four show two clusters.
    points = np.random.default_rng(seed).uniform(size=(size, 1))
    release = quietly(shoal.PrivateWaveCluster(epsilon=10, bounds=[(0, 1)], grid="auto", random_state=seed), points).release_
    assert release.n_clusters == 2
    assert all(cluster.confidence.separate < 0.8 for cluster in release.clusters)
