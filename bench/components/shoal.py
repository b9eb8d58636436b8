"""Ours on one thread; components come numbered by size."""

from shoal import _core


def run(data):
    return [_core.connect_mask(mask)[0] for mask in data["masks"]]
