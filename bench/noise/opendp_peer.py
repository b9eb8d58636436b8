"""OpenDP's vector-valued discrete Laplace measurement of scale 1."""

import numpy as np

NAME = "OpenDP"
NEEDS = ["opendp"]
SHARE = 0.005


def prepare(data):
    import opendp.prelude as dp

    dp.enable_features("contrib")
    space = dp.vector_domain(dp.atom_domain(T="i64")), dp.l1_distance(T="i64")
    data["opendp"] = dp.m.make_laplace(*space, scale=1.0)
    data["opendp_values"] = np.zeros(int(data["count"] * SHARE), dtype=np.int64)


def run(data):
    return np.asarray(data["opendp"](data["opendp_values"]))
