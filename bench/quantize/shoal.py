"""Ours on one thread."""

from shoal import _core

NAME = "shoal, one thread"


def run(data):
    return _core.quantize(data["columns"], data["grid"], threads=1).values
