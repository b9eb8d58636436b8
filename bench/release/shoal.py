"""Ours on all cores."""

import task

from shoal import _core

NAME = "shoal"
THREADS = 0


class Answer:
    """Reads what the check wants only when it is asked for."""

    def __init__(self, release):
        self.release = release

    def __iter__(self):
        noisy = _core.noisy_values(self.release)
        yield from (noisy, self.release.k, round(self.release.threshold * 2), self.release.n_clusters)


def release(data, technique, threads):
    cluster = _core.ClusterOptions(percentile=task.PERCENTILE, threads=threads)
    options = _core.PrivateOptions(cluster)
    return _core.release(iter([(data["columns"], None)]), data["grid"], technique, str(task.EPSILON), options).at("")


def run(data):
    return Answer(release(data, "privqt", THREADS))
