"""numpy's histogram with OpenDP's discrete Laplace on its counts."""

import numpy as np

NAME = "numpy + OpenDP"
NEEDS = ["opendp"]


def prepare(data):
    import opendp.prelude as dp

    dp.enable_features("contrib")
    space = dp.vector_domain(dp.atom_domain(T="i64")), dp.l1_distance(T="i64")
    data["opendp"] = dp.m.make_laplace(*space, scale=1.0)


def run(data):
    counts = np.histogram2d(*data["columns"], bins=data["side"], range=[(0, 1), (0, 1)])[0]
    return np.asarray(data["opendp"](counts.astype(np.int64).ravel()))
