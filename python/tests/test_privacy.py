"""What must not leave the owner's process, and what must not be spent in silence."""

import copy
import io
import os
import pickle
import warnings

import cloudpickle
import joblib
import numpy as np
import pandas as pd
import pytest
from conftest import ROOT, quietly, seeded
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

import shoal
from shoal import _options


def private(**parameters):
    return shoal.PrivateWaveCluster(**{"epsilon": 1, "bounds": (0, 1), "grid": 16, "percentile": 20, **parameters})


@pytest.fixture(autouse=True)
def nothing_spent(monkeypatch):
    monkeypatch.setattr(_options, "without_ledger", _options.Spending())


def by_joblib(model):
    buffer = io.BytesIO()
    joblib.dump(model, buffer)
    buffer.seek(0)
    return joblib.load(buffer)


COPIES = {
    "pickle": lambda model: pickle.loads(pickle.dumps(model)),
    "pickle, first protocol": lambda model: pickle.loads(pickle.dumps(model, protocol=0)),
    "cloudpickle": lambda model: pickle.loads(cloudpickle.dumps(model)),
    "joblib": by_joblib,
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
}


def arrays_in(value, seen):
    """Every array that can be reached from a value."""
    if id(value) in seen:
        return
    seen.add(id(value))
    if isinstance(value, np.ndarray):
        yield value
    elif isinstance(value, dict):
        for item in value.values():
            yield from arrays_in(item, seen)
    elif isinstance(value, (list, tuple, set)):
        for item in value:
            yield from arrays_in(item, seen)
    elif hasattr(value, "__dict__"):
        yield from arrays_in(vars(value), seen)


@pytest.fixture(scope="module")
def odd_rows():
    """So many rows that the number is not found by chance, with names that are data."""
    X = np.random.default_rng(7).random((20_011, 2)) ** 2
    return pd.DataFrame(X, columns=["alice@x.org", "0.512345"])


@pytest.mark.parametrize("way", COPIES)
def test_copies_carry_nothing_of_the_data(way, odd_rows):
    model = quietly(seeded(), odd_rows)
    labels = model.labels_
    assert [len(array) for array in arrays_in(model, set()) if len(array) == len(odd_rows)] == [20_011]  # the walk sees labels_
    other = COPIES[way](model)
    assert not [array for array in arrays_in(other, set()) if len(array) >= 2]
    assert not hasattr(other, "feature_names_in_") and other.n_features_in_ == 2
    with pytest.raises(AttributeError, match=r"copies and pickles .* leave out the labels .* predict"):
        other.labels_
    assert other.release_ == model.release_
    assert np.array_equal(other.predict(odd_rows.to_numpy()), labels)
    assert model.labels_ is labels  # the owner keeps them


@pytest.mark.parametrize("dump", [pickle.dumps, lambda model: pickle.dumps(model, protocol=0), cloudpickle.dumps])
def test_bytes_of_a_pickled_model_hold_nothing_of_the_data(dump, odd_rows):
    model = quietly(seeded(), odd_rows)
    whole = dump(make_pipeline(FunctionTransformer(), model))
    for secret in [model.labels_.tobytes()[:800], b"alice", b"0.512345", b"20011", (20_011).to_bytes(8, "little"), (20_011).to_bytes(4, "little")]:
        assert secret not in whole
    assert len(whole) < 20_011  # less than a byte a row


def test_names_that_arguments_gave_are_kept(odd_rows):
    named = odd_rows.set_axis(["x", "y"], axis=1)
    for parameters in [{"columns": ["x", "y"]}, {"bounds": {"x": (0, 1), "y": (0, 1)}}]:
        again = pickle.loads(pickle.dumps(quietly(seeded(**parameters), named)))
        assert list(again.feature_names_in_) == ["x", "y"]


def test_notebooks_do_not_show_how_many_rows_there_were(odd_rows):
    model = quietly(seeded(), odd_rows)
    piped = quietly(make_pipeline(FunctionTransformer(), seeded()), odd_rows.to_numpy())  # other estimators show the names of a frame
    for shown in [repr(model), model._repr_html_(), model._repr_mimebundle_()["text/html"], repr(piped), piped._repr_html_()]:
        assert "20011" not in shown and "20,011" not in shown and "labels_" not in shown.replace("cell_labels_", "").replace("as in labels_", "")
        assert "alice" not in shown and "0.512345" not in shown


def test_plain_models_keep_their_labels_for_they_are_the_owners(spirals):
    truth = shoal.WaveCluster(bounds=(0, 1), grid=40, percentile=10).fit(spirals.X)
    assert np.array_equal(pickle.loads(pickle.dumps(truth)).labels_, truth.labels_)


def test_a_study_is_not_pickled(spirals):
    study = shoal.evaluate(spirals.X, bounds=(0, 1), grid=40, percentile=10, techniques=["privqt"], epsilons=[1], runs=1)
    for way in COPIES.values():
        with pytest.raises(TypeError, match="raw data"):
            way(study)


def test_a_second_release_without_a_ledger_warns_with_the_sum(spirals):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        private(epsilon="0.3").fit(spirals.X)
        quietly(seeded(), spirals.X)  # a study is not a release
    with pytest.warns(shoal.PrivacyBudgetWarning, match=r"2 private releases without a ledger, with a total epsilon of 1;.*ledger.*shoal.evaluate") as caught:
        private(epsilon=0.7).fit(spirals.X)
    assert [os.path.basename(one.filename) for one in caught] == ["test_privacy.py"]
    with pytest.warns(shoal.PrivacyBudgetWarning, match=r"3 private releases without a ledger, with a total epsilon of 3.5;"):
        private(epsilon=2.5).fit_batches([spirals.X])
    assert issubclass(shoal.PrivacyBudgetWarning, UserWarning)


def test_what_a_ledger_counts_is_not_warned_of(spirals, tmp_path):
    book = shoal.Ledger.create(tmp_path / "budget.db", "spirals", 3)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for _ in range(2):
            private(ledger=book, dataset="spirals").fit(spirals.X)
        with pytest.raises(ValueError):
            private(percentile=-1).fit(spirals.X)  # nothing was spent
        private().fit(spirals.X)


def test_searches_and_clones_add_up(spirals):
    X = spirals.X[:2000]
    count = {"scoring": lambda model, X, y=None: model.n_clusters_, "cv": 3}
    with pytest.warns(shoal.PrivacyBudgetWarning) as caught:
        GridSearchCV(private(), {"percentile": [10, 20]}, **count).fit(X)
    assert len(caught) == 6 and "7 private releases without a ledger, with a total epsilon of 7;" in str(caught[-1].message)
    with pytest.warns(shoal.PrivacyBudgetWarning) as caught:
        cross_validate(private(), X, **count)
    assert "10 private releases" in str(caught[-1].message)
    with pytest.warns(shoal.PrivacyBudgetWarning, match="11 private releases"):
        clone(private()).fit(X)


@pytest.mark.parametrize("technique", ["privqt", "privthr", "privthr-em", "privwave"])
def test_a_fit_with_nothing_inside_the_bounds_says_so(technique, spirals):
    elsewhere = spirals.X + 1000
    for fit in [lambda model: model.fit(elsewhere), lambda model: model.fit_batches([elsewhere])]:
        with pytest.warns(UserWarning, match="inside the bounds") as caught:
            model = fit(seeded(technique=technique))
        assert {os.path.basename(one.filename) for one in caught} == {"test_privacy.py"}
        (notice,) = model.release_.notices
        assert notice in model.release_._repr_html_()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert private(technique=technique).fit(spirals.X).release_.notices == []


def test_a_weak_promise_is_said(spirals):
    with pytest.warns(UserWarning, match="weak guarantee"):
        assert len(private(epsilon=20).fit(spirals.X).release_.notices) == 1


@pytest.mark.parametrize("name", ["unit", "ledger", "dataset", "technique", "wavelet", "neighbors", "outside", "publisher", "base_measure", "adjacency", "grid", "epsilon"])
@pytest.mark.parametrize("empty", ["", " "])
def test_an_argument_that_is_given_and_empty_is_an_error(name, empty, spirals):
    more = {"max_contributions": 1} if name == "unit" else {"dataset": "d"} if name == "ledger" else {"ledger": "l"} if name == "dataset" else {}
    for fit in [lambda model: model.fit(spirals.X), lambda model: model.fit_batches([spirals.X]), lambda model: model.plan(2)]:
        with pytest.raises(ValueError, match=f"{name} is empty"):
            fit(private(**{name: empty, **more}))
    if name == "unit":
        with pytest.raises(ValueError, match="unit is empty"):
            private(unit=empty, max_contributions=1).fit(spirals.X, units=[1] * len(spirals.X))
    if name in ("wavelet", "outside", "adjacency"):
        with pytest.raises(ValueError, match=f"{name} is empty"):
            shoal.WaveCluster(**{name: empty}).fit(spirals.X)


def test_both_of_ledger_and_dataset_may_not_be_empty(spirals):
    with pytest.raises(ValueError, match="is empty"):
        private(ledger="", dataset="").fit(spirals.X)


def test_empty_arguments_of_ledgers_and_studies_are_errors(spirals, tmp_path):
    book = shoal.Ledger.create(tmp_path / "budget.db", "spirals", 1)
    for call in [
        lambda: shoal.Ledger(""),
        lambda: shoal.Ledger.create("", "spirals", 1),
        lambda: shoal.Ledger.create(tmp_path / "budget.db", "", 1),
        lambda: shoal.Ledger.create(tmp_path / "budget.db", "more", ""),
        lambda: book.debit("", 1, "by hand"),
        lambda: book.debit("spirals", 1, ""),
        lambda: book.debit("spirals", "", "by hand"),
        lambda: book.history(""),
        lambda: book.account(""),
        lambda: shoal.evaluate(spirals.X, bounds=(0, 1), percentile=10, name=""),
        lambda: shoal.evaluate(spirals.X, bounds=(0, 1), percentile=10, wavelet=""),
        lambda: shoal.evaluate(spirals.X, bounds=(0, 1), percentile=10, techniques=[""]),
        lambda: shoal.evaluate(spirals.X, bounds=(0, 1), percentile=10, techniques=[]),
        lambda: shoal.evaluate(spirals.X, bounds=(0, 1), percentile=10, epsilons=[]),
        lambda: shoal.evaluate(spirals.X, bounds=(0, 1), percentile=10, epsilons=[""]),
    ]:
        with pytest.raises(ValueError, match="empty"):
            call()
    assert book.account("spirals").debits == 0 and book.history() == []


def test_the_documents_show_no_scaler_that_looks_at_the_data():
    text = (ROOT / "docs/python.md").read_text()
    for block in text.split("```python")[1:]:
        assert "MinMaxScaler()" not in block.split("```")[0] and "StandardScaler()" not in block.split("```")[0]
