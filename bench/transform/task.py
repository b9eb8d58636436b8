"""The average subband of a square of counts: Haar (exact integers for us), then bior2.2, one level each."""

import numpy as np
import pywt

NAME = "wavelet transform: haar and bior2.2, low-pass"
UNIT = "cells"
SIDES = {"tiny": 128, "small": 1024, "full": 4096}
LIMIT = "read the square once for each"


def setup(size):
    rng = np.random.default_rng(7)
    counts = rng.poisson(3.0, (SIDES[size], SIDES[size])).astype(np.int64)
    data = {"counts": counts, "values": counts.astype(float)}
    corner = data["values"][:64, :64]
    data["corner"] = {name: pywt.dwt2(corner, name, mode="periodization")[0] for name in ("haar", "bior2.2")}
    return data


def check(data, answer):
    """haar, bior2.2: compared where the small corner's own wrap-around does not reach."""
    for name, values in zip(("haar", "bior2.2"), answer):
        wanted = data["corner"][name][4:-4, 4:-4]
        assert np.abs(values[4:28, 4:28] - wanted).max() < 1e-9, name
        assert values.shape == tuple(side // 2 for side in data["values"].shape)


def work(data):
    return 2 * data["values"].size


def limit(data):
    import time

    start = time.perf_counter()
    data["counts"].sum()
    data["values"].sum()
    return time.perf_counter() - start
