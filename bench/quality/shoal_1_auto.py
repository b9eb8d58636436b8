"""Ours, private: grid="auto"."""

import shoal

NAME = "shoal --auto (private)"
PRIVATE = True


def labels(points, bounds, epsilon, seed):
    return shoal.PrivateWaveCluster(epsilon=epsilon, bounds=bounds, grid="auto", random_state=seed).fit(points).labels_
