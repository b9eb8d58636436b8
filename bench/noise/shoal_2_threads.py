"""Ours on two threads, a generator each."""

import numpy as np

from shoal import _core

NAME = "shoal, two threads"


def prepare(data):
    data["ours_2"] = np.zeros(data["count"], dtype=np.int64)


def run(data):
    _core.internal.add_laplace(data["ours_2"], 1, 1, threads=2)
    return data["ours_2"]
