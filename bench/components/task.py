"""Connected components of masks: a noisy one, the kind that private clustering meets, and a smooth one."""

import time

import numpy as np
from scipy import ndimage

NAME = "connected components, full adjacency"
UNIT = "cells"
CASES = ["2-D", "3-D"]
# side, share of cells that are set in the noisy mask, width of the smooth one
SIZES = {
    ("tiny", "2-D"): (64, 0.35, 4),
    ("small", "2-D"): (1024, 0.35, 4),
    ("full", "2-D"): (4096, 0.35, 4),
    ("tiny", "3-D"): (24, 0.1, 3),
    ("small", "3-D"): (96, 0.1, 3),
    ("full", "3-D"): (320, 0.1, 3),
}
LIMIT = "read each mask and write as many labels"


def smooth(rng, shape, width):
    return ndimage.gaussian_filter(rng.standard_normal(shape, np.float32), width, mode="wrap") > 0


def setup(size, case):
    side, share, width = SIZES[size, case]
    shape = (side,) * int(case[0])
    rng = np.random.default_rng(7)
    masks = [rng.random(shape) < share, smooth(rng, shape, width)]
    return {
        "masks": [mask.astype(np.uint8) for mask in masks],
        "counts": [ndimage.label(mask, np.ones((3,) * mask.ndim))[1] for mask in masks],
        "labels": np.zeros(shape, np.uint32),
    }


def check(data, answer):
    """As many components as scipy finds, background where the mask has none, and neighbours of a row alike."""
    for mask, wanted, labels in zip(data["masks"], data["counts"], answer):
        assert labels.max() == wanted
        assert np.array_equal(labels != 0, mask != 0)
        both = (mask[..., 1:] != 0) & (mask[..., :-1] != 0)
        assert (labels[..., 1:][both] == labels[..., :-1][both]).all()


def work(data):
    return sum(mask.size for mask in data["masks"])


def limit(data):
    start = time.perf_counter()
    for mask in data["masks"]:
        np.copyto(data["labels"], mask, casting="unsafe")
    return time.perf_counter() - start
