"""scipy.ndimage.label with all neighbours."""

import numpy as np
from scipy import ndimage

NAME = "scipy.ndimage.label"


def run(data):
    return [ndimage.label(mask, np.ones((3,) * mask.ndim))[0] for mask in data["masks"]]
