"""diffprivlib's k-means, private, told how many clusters there are."""

import warnings

import diffprivlib_peer

NAME = "diffprivlib KMeans (private)"
NEEDS = ["diffprivlib"]


def run(data):
    models = diffprivlib_peer.load().models
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = models.KMeans(n_clusters=15, epsilon=1.0, bounds=([0, 0], [1, 1]))
        return model.fit(data["X"]).predict(data["X"])
