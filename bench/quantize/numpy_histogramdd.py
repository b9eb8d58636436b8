"""numpy.histogramdd with numbers of bins and a range: its fastest way; histogram2d calls it."""

import numpy as np

NAME = "numpy.histogramdd"


def run(data):
    return np.histogramdd(data["columns"], bins=data["shape"], range=[(0, 1)] * len(data["shape"]))[0]
