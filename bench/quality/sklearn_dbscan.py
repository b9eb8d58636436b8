"""scikit-learn's DBSCAN. Rule: a core point has 1 % of the points around it; the radius is the knee of the sorted distances to that neighbour (Ester et al.
1996; Satopaa et al. 2011), without the last percent of them. With 4 neighbours, as for small sets, it finds the lumps that enlarging makes and is worse. Of
more than 15,000 points a sample is clustered; others follow their nearest neighbour in it."""

import numpy as np
from sampled import sampled
from sklearn.cluster import DBSCAN
from sklearn.neighbors import NearestNeighbors

NAME = "DBSCAN"
PRIVATE = False


def knee(distances):
    """Where the curve lies farthest below the line between its ends."""
    curve = np.sort(distances)[: int(0.99 * len(distances))]
    line = curve[0] + (curve[-1] - curve[0]) * np.linspace(0, 1, len(curve))
    return float(curve[np.argmax(line - curve)])


def clustered(points):
    neighbours = len(points) // 100
    distances, _ = NearestNeighbors(n_neighbors=neighbours).fit(points).kneighbors(points)
    return DBSCAN(eps=knee(distances[:, -1]), min_samples=neighbours).fit(points).labels_


def labels(points, bounds, epsilon, seed):
    return sampled(points, clustered)
