"""Ours on one thread."""

from shoal import _core

NAME = "shoal, one thread"


def run(data):
    return _core.internal.sum_csv(data["path"], ["x", "y"], 1)
