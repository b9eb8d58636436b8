"""Ours: quantize, and noise on a copy."""

from shoal import _core


def run(data):
    noisy = _core.quantize(data["columns"], data["grid"]).values.flatten()
    _core.internal.add_laplace(noisy, 1, 1, threads=0)
    return noisy
