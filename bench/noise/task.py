"""Exact discrete Laplace of epsilon 1 added to a square grid of 64-bit integers, from bits that a release may use."""

import time

import numpy as np

from shoal import _core

NAME = "discrete Laplace noise, epsilon 1"
UNIT = "samples"
COUNT = {"tiny": 256 * 256, "small": 1024 * 1024, "full": 4096 * 4096}
LIMIT = "as many AES-256-CTR words, one thread"
EPSILON = 1


def setup(size):
    return {"count": COUNT[size]}


def check(data, noise):
    """Every frequency within six standard deviations of the exact one (a false alarm in 10^7 runs)."""
    for x in range(-12, 13):
        chance = np.tanh(EPSILON / 2) * np.exp(-EPSILON * abs(x))
        spread = np.sqrt(len(noise) * chance * (1 - chance))
        assert abs(np.count_nonzero(noise == x) - len(noise) * chance) < 6 * spread + 5, f"frequency of {x}"


def work(data):
    return data["count"]


def limit(data):
    start = time.perf_counter()
    _core.internal.raw_words(data["count"])
    return time.perf_counter() - start
