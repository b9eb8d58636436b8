import pickle
import warnings
from typing import Any

import numpy as np
import pytest
from conftest import quietly, seeded
from sklearn.base import clone
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

import shoal

# Some checks have ten columns, and noise goes to every cell: the grid must be coarse. Fifty points in blobs need a
# large epsilon to be told apart.
PRIVATE: Any = {"epsilon": 100, "bounds": (-2.5, 2.5), "grid": 4, "percentile": 60, "adjacency": "face", "outside": "clamp"}


@parametrize_with_checks(
    [
        shoal.WaveCluster(),
        shoal.WaveCluster(grid=12, percentile=30, adjacency="face"),
        shoal.PrivateWaveCluster(**PRIVATE),
        shoal.PrivateWaveCluster(**PRIVATE, random_state=0),
    ]
)
@pytest.mark.filterwarnings("ignore::shoal.NotPrivateWarning", "ignore::shoal.PrivacyBudgetWarning")
def test_it_is_an_estimator(estimator, check):
    check(estimator)


def test_models_are_cloned_piped_and_pickled(spirals):
    scaled = make_pipeline(MinMaxScaler(), shoal.WaveCluster(bounds=(0, 1), grid=40, percentile=10))
    assert len(np.unique(scaled.fit_predict(spirals.X * 7 - 3))) >= 3

    truth = shoal.WaveCluster(bounds=(0, 1), grid=40, percentile=10).fit(spirals.X)
    again = pickle.loads(pickle.dumps(truth))
    assert np.array_equal(again.predict(spirals.X), truth.labels_)
    assert np.array_equal(again.cell_labels_, truth.cell_labels_)

    model = quietly(seeded(), spirals.X)
    again = pickle.loads(pickle.dumps(model))
    assert again.release_ == model.release_
    assert np.array_equal(again.predict(spirals.X), model.labels_)
    assert quietly(clone(model), spirals.X).release_ == model.release_


def test_plain_wavecluster_finds_the_three_spirals(spirals):
    truth = shoal.WaveCluster(bounds=(0, 1), grid=40, percentile=10).fit(spirals.X)
    assert (truth.n_clusters_, truth.k_) == (3, 114)
    assert shoal.metrics.f_measure(spirals.labels, truth.labels_) > 0.98
    assert np.bincount(truth.cell_labels_[truth.cell_labels_ >= 0]).tolist() == [40, 38, 36]


def test_a_release_needs_epsilon_bounds_and_percentile(spirals):
    good = {"epsilon": 1, "bounds": (0, 1), "percentile": 10}
    for missing in good:
        with pytest.raises(ValueError, match=f"a release needs .*{missing}"):
            shoal.PrivateWaveCluster(**{**good, missing: None}).fit(spirals.X)


def test_random_state_makes_a_run_that_is_not_private_and_says_so(spirals, tmp_path):
    with pytest.warns(shoal.NotPrivateWarning, match="NOT private"):
        model = seeded().fit(spirals.X)
    assert not model.release_.private
    assert "NOT PRIVATE" in repr(model.release_)
    with pytest.raises(ValueError, match="not private"):
        model.release_.save(tmp_path / "release.json")
    shoal.Ledger.create(tmp_path / "budget.db", "spirals", 1)
    with pytest.raises(ValueError, match="not private"):
        seeded(ledger=tmp_path / "budget.db", dataset="spirals").fit(spirals.X)
    assert shoal.Ledger(tmp_path / "budget.db").account("spirals").debits == 0


def test_without_random_state_runs_are_private_silent_and_differ(spirals):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", shoal.PrivacyBudgetWarning)
        first, second = (seeded(seed=None).fit(spirals.X) for _ in range(2))
    assert first.release_.private
    assert first.release_ != second.release_


def test_a_release_carries_no_labels_and_no_totals(spirals):
    model = seeded(seed=None).fit(spirals.X)
    assert len(model.labels_) == len(spirals.X)
    assert "31200" not in model.release_.to_json()
    assert not hasattr(model.release_, "labels_")


def test_a_plan_reads_no_data():
    shares = shoal.PrivateWaveCluster(epsilon="0.3", bounds=[(0, 1)] * 3, percentile=50, technique="privthr").plan()
    assert sum(share.epsilon for share in shares) == shares[0].epsilon + shares[1].epsilon
    assert str(sum(share.epsilon for share in shares)) == "0.30"
    with pytest.raises(ValueError, match="n_features"):
        shoal.PrivateWaveCluster(epsilon=1, bounds=(0, 1), percentile=50).plan()
