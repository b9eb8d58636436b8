"""One release of 30,000 points on 64 x 64 cells, the size of the paper's DS1, by every technique that works on counts."""

import time

import numpy as np

from shoal import _core, datasets

NAME = "release of 30,000 points on 64 x 64"
UNIT = "releases"
REPEAT = 20
SCORE = "clusters"
LIMIT = "sum the points, set a counter and draw a word for every cell"
TIMES = 200  # of the limit: once is too short for the clock


def setup(size):
    made = datasets.load("ds1", points=30000)
    return {"columns": [made.X[:, 0], made.X[:, 1]], "grid": _core.Grid(made.bounds, made.grid), "percentile": made.percentile}


def release(data, technique):
    options = _core.PrivateOptions(_core.ClusterOptions(percentile=data["percentile"]))
    return _core.release(iter([(data["columns"], None)]), data["grid"], technique, "1", options).at("")


def check(data, answer):
    assert answer.is_private and 5 <= answer.n_clusters <= 200


def score(data, answer):
    return answer.n_clusters


def work(data):
    return 1


def limit(data):
    columns = [np.ascontiguousarray(column) for column in data["columns"]]
    start = time.perf_counter()
    for _ in range(TIMES):
        for column in columns:
            _core.internal.sum(column)
        _core.internal.raw_words(np.full(data["grid"].shape, 0).size)
    return (time.perf_counter() - start) / TIMES
