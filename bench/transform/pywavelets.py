"""PyWavelets: one axis after the other, keeping the low-pass half each time (dwt2 would compute all four subbands)."""

import pywt

NAME = "PyWavelets"


def low_pass(values, name):
    for axis in (0, 1):
        values = pywt.dwt(values, name, mode="periodization", axis=axis)[0]
    return values


def run(data):
    return low_pass(data["values"], "haar"), low_pass(data["values"], "bior2.2")
