"""Ours without privacy: WaveCluster."""

import shoal

NAME = "shoal, not private (WaveCluster)"


def run(data):
    return shoal.WaveCluster(bounds=[(0, 1)] * 2, grid=64, percentile=58).fit(data["X"]).labels_
