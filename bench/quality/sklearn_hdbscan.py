"""scikit-learn's HDBSCAN. Rule: a cluster holds at least 1 % of the points. Of more than 15,000 points a sample is clustered; others follow their
nearest neighbour in it."""

from sampled import sampled
from sklearn.cluster import HDBSCAN

NAME = "HDBSCAN"
PRIVATE = False


def labels(points, bounds, epsilon, seed):
    return sampled(points, lambda some: HDBSCAN(min_cluster_size=len(some) // 100, min_samples=10, copy=True).fit(some).labels_)
