"""Ours without privacy: WaveCluster with grid="auto"."""

import shoal

NAME = "shoal cluster --auto"
PRIVATE = False


def labels(points, bounds, epsilon, seed):
    return shoal.WaveCluster(bounds=bounds, grid="auto").fit(points).labels_
