"""Ours on two threads."""

from shoal import _core

NAME = "shoal, two threads"


def run(data):
    return _core.internal.sum_csv(data["path"], ["x", "y"], 2)
