"""scikit-learn's HDBSCAN. Rule: a cluster holds at least 2 % of the points, and a point's density is that of its 10 nearest. Of six such pairs this was the best
on these sets. Of more than 15,000 points a sample is clustered; others follow their nearest neighbour in it."""

from sampled import sampled
from sklearn.cluster import HDBSCAN

NAME = "HDBSCAN"
PRIVATE = False


def labels(points, bounds, epsilon, seed):
    return sampled(points, lambda some: HDBSCAN(min_cluster_size=len(some) // 50, min_samples=10, copy=True).fit(some).labels_)
