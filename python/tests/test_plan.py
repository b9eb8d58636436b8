"""shoal.plan: what a release would show, without data."""

import pytest

import shoal


def test_more_budget_shows_more():
    plan = shoal.plan(records=5000, bounds={"x": (0, 1), "y": (0, 1)}, grid=24, percentile=50, epsilons=[0.05, 2], runs=1)
    little, much = plan.epsilons
    assert much["rand"]["mean"] > little["rand"]["mean"] and much["size_error"] < little["size_error"]
    assert plan.to_svg().startswith("<svg") and "no data were read" in plan.to_html()


def test_insets_are_planned_beside_the_overview():
    plan = shoal.plan(records=30000, bounds=[(0, 1), (0, 1)], grid="auto", insets=4, epsilons=[1], runs=1)
    [inset] = plan.facts["insets"]["epsilons"]
    assert inset["finer"] >= 2 and inset["finest_units"] < plan.epsilons[0]["finest_units"]
    assert "insets" not in shoal.plan(records=3000, bounds=[(0, 1), (0, 1)], grid="auto", epsilons=[1], runs=1).facts
    for given, words in (({"grid": 16, "percentile": 50, "insets": 2}, "automatic"), ({"grid": "auto", "insets": 65}, "1 to 64")):
        with pytest.raises(ValueError, match=words):
            shoal.plan(records=3000, bounds=[(0, 1)], **given)


def test_it_refuses_what_it_cannot_plan():
    with pytest.raises(ValueError, match="number of records"):
        shoal.plan(records=0, bounds=[(0, 1)], grid=16, percentile=50)
    with pytest.raises(ValueError, match="threshold"):
        shoal.plan(records=100, bounds=[(0, 1)], grid=16)
    with pytest.raises(TypeError, match="ledger"):
        shoal.plan(records=100, bounds=[(0, 1)], grid=16, percentile=50, ledger="l.db")
