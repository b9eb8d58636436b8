"""Releases with insets."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import shoal

CITIES = [(0.2, 0.3), (0.7, 0.6)]


def world() -> np.ndarray:
    rng = np.random.default_rng(2)
    quarters = [rng.normal((x + side, y), 0.0015, (3000, 2)) for x, y in CITIES for side in (-0.006, 0.006)]
    return np.concatenate([rng.random((3000, 2)), *quarters])


def model(**options) -> shoal.PrivateWaveCluster:
    return shoal.PrivateWaveCluster(**{"epsilon": 1, "bounds": (0, 1), "grid": "auto", "random_state": 3, "insets": 8, **options})


@pytest.fixture(scope="module")
def released() -> shoal.ReleaseSet:
    with pytest.warns(shoal.NotPrivateWarning):
        release = model(insets=3).fit(world()).release_
    assert isinstance(release, shoal.ReleaseSet)
    return release


def test_warnings_name_the_line_of_the_caller():
    with pytest.warns(UserWarning, match="Epsilon 20 is a weak guarantee") as caught:
        weak = model(epsilon=20, random_state=None).fit(world()).release_
    with pytest.warns(UserWarning, match="No part shows more records inside the bounds"), pytest.warns(shoal.NotPrivateWarning) as seeded:
        model(bounds=(5, 6)).fit(world())
    assert {one.filename for one in [*caught, *seeded]} == {__file__}
    assert weak.notices == [str(caught[0].message)]


def test_the_parts_have_names_and_one_cost(released):
    assert list(released)[:3] == ["overview", "1", "2"]
    assert released.epsilon == 1 and released.overview.epsilon + released.insets[0].epsilon == 1
    assert not released.private and "NOT PRIVATE" in repr(released) and "NOT PRIVATE" in released.html() and released.svg().startswith("<svg")
    assert shoal.ReleaseSet.from_json(released.to_json()) == released == pickle.loads(pickle.dumps(released))
    with pytest.raises(ValueError, match="not private"):
        released.save("x.json")
    with pytest.raises(ValueError, match="several releases"):
        shoal.Release.from_json(released.to_json())


def test_rows_are_labelled_by_the_finest_part(released):
    at = np.array([(x + side, y) for x, y in CITIES for side in (-0.006, 0.006)] + [(0.95, 0.05), (7, 7)])
    parts, labels = released.parts_of(at), released.predict(at)
    assert parts[0] == parts[1] != parts[2] == parts[3] and 0 not in parts[:4] and list(parts[4:]) == [0, 0]
    assert len(set(labels[:4])) == 4 and -1 not in labels[:4] and labels[5] == -1
    first = len(released.overview.clusters) + sum(len(inset.clusters) for inset in released.insets[: parts[0] - 1])
    assert labels[0] == first + released.insets[parts[0] - 1].predict(at)[0]
    assert len(set(released.overview.predict(at)[:2])) == 1


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_it_is_saved_and_reshaped(tmp_path):
    private = model(random_state=None, epsilon=500).fit(world()).release_
    private.save(tmp_path / "a.json")
    assert shoal.ReleaseSet.load(tmp_path / "a.json").to_json() == private.to_json()
    with pytest.raises(FileExistsError):
        private.save(tmp_path / "a.json")
    other = private.reshape(coverage=50)
    assert other.epsilon == 500 and list(other) == list(private) and other.to_json() != private.to_json()


def test_what_cannot_be_is_refused():
    with pytest.raises(ValueError, match="grid='auto'"):
        model(grid=64, percentile=10).fit(world())
    for insets, words in ((0, "1 to 64"), (65, "64"), ("many", "insets")):
        with pytest.raises((ValueError, TypeError), match=words), pytest.warns(shoal.NotPrivateWarning):
            model(insets=insets).fit(world())


def test_a_ledger_is_charged_once(tmp_path):
    ledger = shoal.Ledger.create(tmp_path / "l.db", "d", "1")
    model(random_state=None, epsilon="0.7", ledger=tmp_path / "l.db", dataset="d").fit(world())
    assert str(ledger.account("d").spent) == "0.7"
    with pytest.raises(shoal.BudgetRefused):
        model(random_state=None, epsilon="0.7", ledger=tmp_path / "l.db", dataset="d").fit(world())
