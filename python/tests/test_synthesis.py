"""Private synthetic points: the same flow as the program's, charged once and before any noise."""

from decimal import Decimal

import numpy as np
import pytest

import shoal
from shoal import _options


@pytest.fixture(autouse=True)
def nothing_spent(monkeypatch):
    monkeypatch.setattr(_options, "without_ledger", _options.Spending())


def test_points_stand_for_the_data_and_cost_nothing_to_draw_again(spirals):
    made = shoal.synthesize(spirals.X, epsilon=5, bounds=(0, 1))
    assert made.private and made.boxes > 1
    assert sum(share.epsilon for share in made.spent) == 5
    first, again = made.draw(), made.draw()
    assert first.dtype == np.float64 and first.shape[1] == 2
    assert not np.array_equal(first, again)
    for points in (first, again):
        assert abs(len(points) - len(spirals.X)) < 0.1 * len(spirals.X)
        assert points.min() >= 0 and points.max() <= 1
    assert len(made.draw(max_points=100)) <= 100


def test_several_without_a_ledger_are_warned_of(spirals):
    shoal.synthesize(spirals.X, epsilon=1, bounds=(0, 1))
    with pytest.warns(shoal.PrivacyBudgetWarning, match="with a total epsilon of 2;"):
        shoal.synthesize(spirals.X, epsilon=1, bounds=(0, 1))


def test_a_seed_repeats_a_run_that_is_not_private(spirals):
    def seeded():
        with pytest.warns(shoal.NotPrivateWarning):
            return shoal.synthesize(spirals.X, epsilon=1, bounds=(0, 1), publisher="quadtree", random_state=3)

    one, other = seeded(), seeded()
    assert not one.private and "NOT private" in repr(one)
    assert np.array_equal(one.draw(), other.draw())


def test_a_ledger_is_charged_and_refuses_more_than_its_cap(spirals, tmp_path):
    ledger = shoal.Ledger.create(tmp_path / "owner.ledger", "trips", cap=1)
    given = {"bounds": (0, 1), "ledger": ledger, "dataset": "trips"}
    shoal.synthesize(spirals.X, epsilon="0.7", **given)
    with pytest.raises(shoal.BudgetRefused):
        shoal.synthesize(spirals.X, epsilon="0.4", **given)
    assert [(entry.purpose, entry.epsilon) for entry in ledger.history()] == [("synthesize adaptive-grid", Decimal("0.7"))]


@pytest.mark.parametrize(
    "wrong, says",
    [
        ({"publisher": "voronoi"}, "voronoi"),
        ({"bounds": None}, "needs bounds"),
        ({"unit": "user"}, "give units"),
        ({"ledger": "owner.ledger"}, "give both ledger"),
    ],
)
def test_what_cannot_be_followed_is_refused(spirals, wrong, says):
    with pytest.raises(ValueError, match=says):
        shoal.synthesize(spirals.X, **{"epsilon": 1, "bounds": (0, 1), **wrong})


def test_with_shares_points_stand_for_units():
    rng = np.random.default_rng(3)
    units = rng.integers(0, 300, 4000)
    made = shoal.synthesize(rng.random((4000, 2)), epsilon=8, bounds=(0, 1), publisher="uniform-grid", unit="who", contribution="share", units=units, random_state=1)
    assert 250 < len(made.draw()) < 400
    assert {share.sensitivity for share in made.spent} == {1}
