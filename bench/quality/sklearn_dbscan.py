"""scikit-learn's DBSCAN. Rule: the radius is the 90 % quantile of the distances to the 20th neighbour, and a core point has 20. Of more than 15,000 points a
sample is clustered; others follow their nearest neighbour in it."""

import numpy as np
from sampled import sampled
from sklearn.cluster import DBSCAN
from sklearn.neighbors import NearestNeighbors

NAME = "DBSCAN"
PRIVATE = False


def clustered(points):
    distances, _ = NearestNeighbors(n_neighbors=20).fit(points).kneighbors(points)
    return DBSCAN(eps=float(np.quantile(distances[:, -1], 0.9)), min_samples=20).fit(points).labels_


def labels(points, bounds, epsilon, seed):
    return sampled(points, clustered)
