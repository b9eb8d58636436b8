"""scikit-learn's HDBSCAN, told about how small a cluster may be."""

from sklearn.cluster import HDBSCAN

NAME = "scikit-learn HDBSCAN"


def run(data):
    return HDBSCAN(min_cluster_size=len(data["X"]) // 60, copy=True).fit(data["X"]).labels_
