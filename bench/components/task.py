"""Connected components of masks: a noisy one, the kind that private clustering meets, and a smooth one."""

import numpy as np
from scipy import ndimage

NAME = "connected components, 2-D, full adjacency"
UNIT = "cells"
SIDES = {"small": 1024, "full": 4096}


def smooth(rng, shape, width):
    return ndimage.gaussian_filter(rng.standard_normal(shape, np.float32), width, mode="wrap") > 0


def setup(size):
    side = SIDES[size]
    rng = np.random.default_rng(7)
    masks = [rng.random((side, side)) < 0.35, smooth(rng, (side, side), 4)]
    return {"masks": [mask.astype(np.uint8) for mask in masks], "counts": [count(mask) for mask in masks]}


def count(mask):
    return ndimage.label(mask, np.ones((3,) * mask.ndim))[1]


def check(data, answer):
    """As many components as scipy finds, background where the mask has none, and neighbours of a row alike."""
    for mask, wanted, labels in zip(data["masks"], data["counts"], answer):
        assert labels.max() == wanted
        assert np.array_equal(labels != 0, mask != 0)
        both = (mask[..., 1:] != 0) & (mask[..., :-1] != 0)
        assert (labels[..., 1:][both] == labels[..., :-1][both]).all()


def work(data):
    return sum(mask.size for mask in data["masks"])
