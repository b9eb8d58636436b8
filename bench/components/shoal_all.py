"""Ours on two threads; components come numbered by size."""

from shoal import _core

NAME = "shoal, two threads"


def run(data):
    return [_core.connect_mask(mask, threads=2)[0] for mask in data["masks"]]
