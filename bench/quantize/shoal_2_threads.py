"""Ours on two threads."""

from shoal import _core

NAME = "shoal, two threads"


def run(data):
    return _core.quantize(data["columns"], data["grid"], threads=2).values
