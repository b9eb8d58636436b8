"""Ours on one thread; components come numbered by size."""

from shoal import _core

NAME = "shoal, one thread"


def run(data):
    return [_core.connect_mask(mask, threads=1)[0] for mask in data["masks"]]
