"""What people use instead: labels for the points of a set like the paper's DS1, fifteen round clusters that touch.

The score is the adjusted Rand index against the labels that the points were made with. Settings of the peers were set once by hand, not
searched for; the private ones get epsilon 1 and the bounds, and k-means the number of clusters.
"""

import time

import numpy as np
from sklearn.metrics import adjusted_rand_score

from shoal import _core, datasets

NAME = "labels for 15 clusters"
UNIT = "points"
SCORE = "Rand"
ROWS = {"tiny": 5000, "small": 5000, "full": 30000}
LIMIT = "sum the points twice, write a label each, draw a word for every cell"
CELLS = 64 * 64
TIMES = 200  # of the limit: once is too short for the clock


def setup(size):
    made = datasets.load("ds1", points=ROWS[size])
    return {"X": made.X, "labels": made.labels}


def score(data, labels):
    return adjusted_rand_score(data["labels"], labels)


def check(data, labels):
    assert len(labels) == len(data["labels"]) and score(data, labels) > 0.2


def work(data):
    return len(data["X"])


def limit(data):
    flat = np.ascontiguousarray(data["X"]).ravel()
    start = time.perf_counter()
    for _ in range(TIMES):
        _core.internal.sum(flat)
        _core.internal.sum(flat)
        np.full(len(data["X"]), -1)
        _core.internal.raw_words(CELLS)
    return (time.perf_counter() - start) / TIMES
