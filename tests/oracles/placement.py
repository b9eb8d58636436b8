"""PyWavelets' average subband of a grid that was rolled so that each value describes the cells under its filter's centre."""

import math
import warnings

import numpy as np
import pywt


def delay(name, transform):
    """Cells of one level by which the centre of gravity of the filter lies ahead of its output."""
    weights = np.array(pywt.Wavelet(name).dec_lo)
    centre = np.sum(np.arange(len(weights)) * weights) / np.sum(weights)
    return len(weights) // 2 - centre - (0.5 if transform == "decimated" else 0)


def nearest(value):
    """The nearest whole number; of two, the one nearer to 0."""
    return int(math.copysign(max(0, math.ceil(abs(value) - 0.5 - 1e-4)), value))


def shift(name, level, transform):
    """Cells of the grid to roll by."""
    return nearest((2**level - 1) * delay(name, transform))


def shifts_of_levels(name, level):
    """The same as a roll before each level, which matters on odd sizes: no level strays from its blocks."""
    left, each = shift(name, level, "decimated"), delay(name, "decimated")
    result = []
    for q in range(level, 0, -1):
        result.append(nearest((left - (2 ** (q - 1) - 1) * each) / 2 ** (q - 1)))
        left -= 2 ** (q - 1) * result[-1]
    assert left == 0
    return result[::-1]


def approximation(values, name, level):
    axes = tuple(range(values.ndim))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # PyWavelets warns about levels that wrap
        for by in shifts_of_levels(name, level):
            values = np.pad(values, [(0, size % 2) for size in values.shape], mode="edge")
            values = pywt.dwtn(np.roll(values, by, axes), name, mode="periodization")["a" * values.ndim]
    return values


def stationary(values, name, level):
    axes = tuple(range(values.ndim))
    rolled = np.roll(values, shift(name, level, "stationary"), axes)
    return pywt.swtn(rolled, name, level, trim_approx=True, norm=False)[0]
