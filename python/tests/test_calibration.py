"""What a release says of its clusters is true of the population as often as it says. docs/studies/confidence.md has the whole study, over more populations."""

import pathlib
import sys
import warnings

import numpy as np
import pytest

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "scripts"))
import confidence_study


@pytest.fixture(scope="module")
def found():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return confidence_study.calibration(["privqt", "privthr-em", "privwave"], sets=120, runs=1, seed=11)


@pytest.mark.parametrize(("statement", "off"), [("real", 0.03), ("connected", 0.05), ("separate", 0.06)])  # 480 sets: 0.022; chance in 120 sets adds up to 0.03
def test_statements_are_as_often_true_as_they_say(found, statement, off):
    cases = np.array([case for key, cases in found.items() if key[0] == statement for case in cases], float)
    said, true = cases.T
    error = 0.0
    for low, high in zip(confidence_study.EDGES, confidence_study.EDGES[1:]):
        inside = (said >= low) & (said < high)
        error += abs((said - true)[inside].sum()) / len(cases)
        assert inside.sum() < 200 or abs((said - true)[inside].mean()) < 0.05, (low, high)
    assert error < off
    assert ((said - true) ** 2).mean() < 0.5 * true.var() or statement == "connected"  # better than any constant; nearly all are connected
