"""Ours on two threads, from arrays."""

import secrets

from shoal import _core

NAME = "shoal, two threads"


def run(data, threads=2):
    grid = _core.Grid([(0, 1), (0, 1)], [1024, 1024])
    batches = [([data["x"], data["y"]], _core.Units.of_numbers(data["units"]))]
    return _core.internal.bounded_counts(batches, grid, 5, secrets.token_hex(16), threads=threads).values
