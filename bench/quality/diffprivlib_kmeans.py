"""diffprivlib's k-means. Public rule: ten clusters, as nothing private tells how many there are."""

import diffprivlib_peer

NAME = "diffprivlib KMeans, k = 10 (private)"
PRIVATE = True
NEEDS = ["diffprivlib"]


def labels(points, bounds, epsilon, seed):
    low, high = zip(*bounds, strict=True)
    model = diffprivlib_peer.load().models.KMeans(n_clusters=10, epsilon=epsilon, bounds=(list(low), list(high)), random_state=seed)
    return model.fit(points).predict(points)
