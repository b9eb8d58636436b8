"""Ours on one thread."""

import shoal_all

NAME = "shoal, one thread"


def run(data):
    return shoal_all.run(data, threads=1)
