"""Ours on one thread."""

import shoal_all

from shoal import _core

NAME = "shoal, one thread"


def run(data):
    return (
        shoal_all.Halved(_core.haar_sums(data["counts"], threads=1)),
        _core.average_subband(data["values"], "bior2.2", threads=1),
    )
