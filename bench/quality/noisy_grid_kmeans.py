"""Noisy counts on a grid, then k-means of the cells by their counts. Public rules: sqrt(n epsilon / 10) cells an axis (uniform grid), ten clusters."""

import numpy as np
from sklearn.cluster import KMeans

NAME = "noisy grid + k-means, k = 10 (private)"
PRIVATE = True


def labels(points, bounds, epsilon, seed):
    rng = np.random.default_rng(seed)
    low, high = np.array(bounds).T
    cells = max(10, round(np.sqrt(len(points) * epsilon / 10)))
    at = np.minimum(((points - low) / (high - low) * cells).astype(int), cells - 1)
    counts = np.zeros((cells, cells))
    np.add.at(counts, tuple(at.T), 1)
    noisy = np.maximum(counts + rng.laplace(0, 1 / epsilon, counts.shape), 0)
    middles = (np.argwhere(noisy > 0) + 0.5) / cells * (high - low) + low
    model = KMeans(10, n_init=3, random_state=seed).fit(middles, sample_weight=noisy[noisy > 0])
    return model.predict(points)
