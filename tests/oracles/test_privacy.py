"""The samplers against SciPy's discrete Laplace and exact rational weights; the ledger from Python."""

from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

from shoal import _core

ALARM = 1e-6  # seeds are fixed: a right sampler passes for ever


def draws(numerator, denominator, count, seed):
    values = np.zeros(count, dtype=np.int64)
    _core.internal.add_laplace(values, numerator, denominator, seed=seed, threads=2)
    return values


@pytest.mark.parametrize(("numerator", "denominator"), [(1, 3000), (1, 40), (2, 7), (1, 1), (31, 10), (9, 1)])
def test_laplace_is_scipys(numerator, denominator):
    rate = numerator / denominator
    values = draws(numerator, denominator, 2_000_000, seed=3)
    exact = stats.dlaplace(rate)
    edges = np.unique(np.floor(exact.ppf(np.linspace(0.0005, 0.9995, 400)))).astype(np.int64)
    observed = np.bincount(np.searchsorted(edges, values), minlength=len(edges) + 1)
    expected = len(values) * np.diff(np.concatenate([[0], exact.cdf(edges), [1]]))
    keep = expected > 5
    observed = np.append(observed[keep], observed[~keep].sum())
    expected = np.append(expected[keep], expected[~keep].sum())
    if expected[-1] == 0:
        observed, expected = observed[:-1], expected[:-1]
    assert stats.chisquare(observed, expected).pvalue > ALARM


def test_laplace_moments():
    for numerator, denominator in [(1, 100), (1, 2), (3, 1)]:
        exact = stats.dlaplace(numerator / denominator)
        values = draws(numerator, denominator, 1_000_000, seed=4).astype(float)
        assert abs(values.mean()) < 6 * exact.std() / 1000
        assert abs(values.var() / exact.var() - 1) < 6 * np.sqrt((exact.stats("k") + 2) / 1e6)


def test_choose_is_the_exponential_mechanism():
    rng = np.random.default_rng(5)
    for numerator, denominator in [(1, 10), (1, 3), (2, 1)]:
        intervals = [(int(m), int(c)) for m, c in zip(rng.integers(0, 1000, 15), rng.integers(0, 12, 15))]
        chosen = _core.internal.choose(intervals, numerator, denominator, 6, 100_000)
        weights = np.array([m * np.exp(-float(Fraction(numerator, denominator)) * c) for m, c in intervals])
        expected = len(chosen) * weights / weights.sum()
        observed = np.bincount(chosen.astype(np.int64), minlength=len(intervals))
        assert observed[weights == 0].sum() == 0
        keep = expected > 5
        rest = observed[~keep].sum()
        assert rest <= expected[~keep].sum() + 6 * np.sqrt(expected[~keep].sum() + 1)
        scale = observed[keep].sum() / expected[keep].sum()
        assert stats.chisquare(observed[keep], expected[keep] * scale).pvalue > ALARM


def test_secure_draws_differ():
    first, second = np.zeros(100, dtype=np.int64), np.zeros(100, dtype=np.int64)
    _core.internal.add_laplace(first, 1, 1_000_000)
    _core.internal.add_laplace(second, 1, 1_000_000)
    assert not np.array_equal(first, second)


def test_ledger(tmp_path):
    path = str(tmp_path / "owner.ledger")
    _core.Ledger.create(path, "trips", "1.5")
    ledger = _core.Ledger(path)
    assert ledger.debit("trips", "1", "test") == 1
    with pytest.raises(Exception, match=r"0.5 is left of 1.5"):
        ledger.debit("trips", "0.6", "test")
    (account,) = ledger.accounts()
    assert (account.dataset, account.cap, account.spent, account.debits) == ("trips", "1.5", "1", 1)
    assert [(e.id, e.epsilon, e.purpose) for e in ledger.history()] == [(1, "1", "test")]
