"""shoal.compare: what changed between releases."""

import numpy as np
import pytest
from conftest import quietly, seeded

import shoal


@pytest.fixture(scope="module")
def releases():
    rng = np.random.default_rng(1)
    blob = rng.normal(0, 0.03, (2000, 2))
    before = np.vstack([blob + 0.3, blob + 0.7])
    after = np.vstack([blob + (0.4, 0.3), blob + 0.7])
    return [quietly(seeded(seed, grid=32, percentile=50), points).release_ for seed, points in [(1, before), (2, before), (3, after)]]


def test_it_finds_the_move_and_nothing_else(releases):
    comparison = shoal.compare(releases, names=["one", "two", "three"])
    assert [step["after"] for step in comparison.facts["changes"]] == ["two", "three"]
    [moved] = comparison.changed
    assert [found["change"] for found in moved["found"]] == ["moved"]
    assert moved["move"][0] == pytest.approx(0.1, abs=0.02)
    assert comparison.to_svg().startswith("<svg") and "<h2>two to three</h2>" in comparison.to_html()


def test_it_refuses_other_planes_and_names(releases):
    with pytest.raises(ValueError, match="3 releases have 1 names"):
        shoal.compare(releases, names=["one"])
    with pytest.raises(ValueError, match="two or more"):
        shoal.compare(releases[:1])
    other = quietly(seeded(1, grid=40, percentile=50), np.full((100, 2), 0.5)).release_
    with pytest.raises(ValueError, match="32 x 32 and 40 x 40 cells"):
        shoal.compare([releases[0], other])
