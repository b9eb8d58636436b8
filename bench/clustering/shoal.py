"""Ours, private: PrivWave."""

import warnings

import shoal

warnings.simplefilter("ignore", shoal.PrivacyBudgetWarning)  # the points are generated, so no budget protects anybody
NAME = "shoal, private (privwave)"


def run(data):
    model = shoal.PrivateWaveCluster(epsilon=1.0, bounds=[(0, 1)] * 2, grid=64, percentile=58)
    return model.fit(data["X"]).predict(data["X"])
