"""numpy.histogram2d with a number of bins and a range: its fastest way."""

import numpy as np

NAME = "numpy.histogram2d"


def run(data):
    return np.histogram2d(*data["columns"], bins=1024, range=[(0, 1), (0, 1)])[0]
