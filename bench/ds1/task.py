"""One release of 30,000 points on 64 x 64 cells, the size of the paper's DS1, by every technique that works on counts."""

from shoal import _core, datasets

NAME = "release of 30,000 points on 64 x 64"
UNIT = "releases"
REPEAT = 20
SCORE = "clusters"


def setup(size):
    made = datasets.load("ds1", points=30000)
    return {"columns": [made.X[:, 0], made.X[:, 1]], "grid": _core.Grid(made.bounds, made.grid), "percentile": made.percentile}


def release(data, technique):
    options = _core.PrivateOptions(_core.ClusterOptions(percentile=data["percentile"]))
    return _core.release(iter([(data["columns"], None)]), data["grid"], technique, "1", options)


def check(data, answer):
    assert answer.is_private and 5 <= answer.n_clusters <= 200


def score(data, answer):
    return answer.n_clusters


def work(data):
    return 1
