"""Ours: the counts that a release draws its noise on."""

import shoal.spark

NAME = "shoal.spark.counts"
NEEDS = ["pyspark"]


def run(data):
    units = {} if data["case"] == "records" else {"unit": "unit", "max_contributions": 5}
    counts = shoal.spark.counts(shoal.PrivateWaveCluster(epsilon=1, columns=["x", "y"], bounds=(0, 1), grid=1024, percentile=0, **units), data["frame"])
    return sum(counts.column("count").to_pylist())
