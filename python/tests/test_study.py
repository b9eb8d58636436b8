import csv
import io
from decimal import Decimal

import numpy as np
import pytest
from conftest import program
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from optional import optional
from sklearn.metrics import adjusted_mutual_info_score, adjusted_rand_score

import shoal
from shoal import metrics

plt = optional("matplotlib.pyplot")

PAIRS = st.integers(1, 40).flatmap(lambda n: st.tuples(*[hnp.arrays(np.int64, n, elements=st.integers(-1, 5))] * 2))


@pytest.fixture(scope="module")
def study(spirals):
    return shoal.evaluate(spirals.X, bounds=(0, 1), grid=40, percentile=10, techniques=["privqt", "privthr"], epsilons=[0.1, "1"], runs=3, classify=True)


def test_rows_are_techniques_by_budgets_by_runs(study):
    assert [(row["technique"], row["epsilon"], row["run"]) for row in study.rows] == [(t, e, r) for t in ["privqt", "privthr"] for e in [0.1, 1] for r in [1, 2, 3]]
    assert (study.clusters_true, study.k_true) == (3, 114)
    read = list(csv.DictReader(io.StringIO(study.to_csv())))
    assert list(read[0]) == "dataset,technique,epsilon,run,k_true,k,clusters_true,clusters,dsgc,f_measure,ocm,two_ce,seconds,adjusted_rand,adjusted_rand_truth".split(",")
    assert [float(row["dsgc"]) for row in read] == study.to_pandas()["dsgc"].tolist()
    assert "epsilon" in study.advice


def test_a_row_depends_on_its_own_run_alone(study, spirals):
    alone = shoal.evaluate(spirals.X, bounds=(0, 1), grid=40, percentile=10, techniques=["privthr"], epsilons=[1], runs=1, threads=1)
    (row,) = alone.rows
    (same,) = [other for other in study.rows if (other["technique"], other["epsilon"], other["run"]) == ("privthr", 1, 1)]
    assert (row["k"], row["dsgc"], row["f_measure"]) == (same["k"], same["dsgc"], same["f_measure"])


def test_it_is_drawn_and_saved(study, tmp_path):
    pytest.importorskip("matplotlib", reason="matplotlib is not installed: make test ALL=1")
    axes = study.plot(["dsgc", "f_measure", "ocm", "clusters"])
    assert [len(ax.lines) for ax in axes] == [2, 2, 2, 3]
    axes[0].figure.canvas.draw()
    plt.close("all")
    for suffix in ["csv", "json", "html"]:
        study.save(tmp_path / f"study.{suffix}")
    assert len(list(tmp_path.iterdir())) == 3
    kept = (tmp_path / "study.csv").read_bytes()
    with pytest.raises(FileExistsError, match="overwrite=True"):
        study.save(tmp_path / "study.csv")
    study.save(tmp_path / "study.csv", overwrite=True)
    assert (tmp_path / "study.csv").read_bytes() == kept == study.to_csv().encode()
    with pytest.raises(ValueError, match="suffix .* is unknown"):
        study.save(tmp_path / "study.xlsx")
    with pytest.raises(ValueError, match="no measure"):
        study.plot(["beauty"])
    assert "privthr" in study._repr_html_()


def test_progress_is_told_and_what_it_raises_stops_the_study(spirals):
    steps = []
    shoal.evaluate(spirals.X, bounds=(0, 1), grid=40, percentile=10, techniques=["privqt"], epsilons=[1], runs=4, progress=lambda done, of: steps.append((done, of)))
    assert steps[-1] == (4, 4) and steps == sorted(steps)

    def stop(done, of):
        raise InterruptedError

    with pytest.raises(InterruptedError):
        shoal.evaluate(spirals.X, bounds=(0, 1), grid=40, percentile=10, runs=5000, progress=stop)


SMALL = {"bounds": (0, 1), "grid": 20, "epsilons": [1], "runs": 2}


def test_all_techniques_that_take_the_threshold_are_studied(spirals):
    by_percentile = shoal.evaluate(spirals.X[:5000], percentile=10, **SMALL)
    assert {row["technique"] for row in by_percentile.rows} == set(shoal.technique_names())
    by_coverage = shoal.evaluate(spirals.X[:5000], coverage=80, **SMALL)
    studied = {row["technique"] for row in by_coverage.rows}
    assert "privwave" in studied and "privthr-em" not in studied
    assert by_percentile.unit == {"unit": "record", "max_contributions": 1, "neighbors": "add-remove"}
    assert "one record" in by_percentile.compared and by_percentile.compared in by_percentile._repr_html_()


def test_releases_that_choose_their_grid_are_studied(spirals):
    pytest.importorskip("matplotlib", reason="matplotlib is not installed: make test ALL=1")
    study = shoal.evaluate(spirals.X, bounds=(0, 1), grid="auto", epsilons=[1], runs=2)
    assert {row["technique"] for row in study.rows} == {"privwave --auto"}
    assert study.k_true is None and study.clusters_true is None
    assert all(row["clusters_true"] > 0 for row in study.rows)
    study.plot(["dsgc", "clusters"])[0].figure.canvas.draw()
    plt.close("all")
    assert "privwave --auto" in study._repr_html_()
    with pytest.raises(ValueError, match="auto"):
        shoal.evaluate(spirals.X, bounds=(0, 1), grid="auto", percentile=10)


def test_units_are_studied_as_they_are_released(spirals, tmp_path):
    X, users = spirals.X[::10], np.arange(3120) % 500
    by_user = {"unit": "user", "max_contributions": 2}
    study = shoal.evaluate(X, units=users, percentile=10, techniques=["privqt", "privwave"], **by_user, **SMALL)
    assert study.unit == {"unit": "user", "max_contributions": 2, "neighbors": "add-remove"}
    assert "unit user" in repr(study) and "at most 2 records" in study.compared
    frame = spirals.frame.iloc[::10].assign(user=users)
    for other in (frame, frame[["user", "y", "x"]]):
        again = shoal.evaluate(other, columns=["x", "y"], percentile=10, techniques=["privqt", "privwave"], **by_user, **SMALL)
        assert [row["dsgc"] for row in again.rows] == [row["dsgc"] for row in study.rows]
    frame.to_csv(tmp_path / "users.csv", index=False)
    words = ["--columns", "x,y", "--bounds", "0:1,0:1", "--grid", "20", "--percentile", "10", "--epsilons", "1", "--runs", "2", "--techniques", "privqt,privwave", "--no-classifier"]
    theirs = program("evaluate", tmp_path / "users.csv", *words, "--unit", "user", "--max-contributions", "2")
    assert [(row["k"], row["dsgc"], row["f_measure"]) for row in theirs["rows"]] == [(row["k"], row["dsgc"], row["f_measure"]) for row in study.rows]
    with pytest.raises(ValueError, match="max_contributions"):
        shoal.evaluate(X, units=users, unit="user", percentile=10, **SMALL)
    with pytest.raises(ValueError, match="unit is 'record'"):
        shoal.evaluate(X, units=users, percentile=10, **SMALL)


def test_what_makes_no_sense_in_a_study_is_refused(spirals):
    with pytest.raises(TypeError, match="does not take random_state"):
        shoal.evaluate(spirals.X, bounds=(0, 1), percentile=10, random_state=1)
    with pytest.raises(ValueError, match=r"no technique|magic"):
        shoal.evaluate(spirals.X, bounds=(0, 1), percentile=10, techniques=["magic"])


@given(PAIRS)
def test_measures_agree_with_scikit_learn(pair):
    truth, found = pair
    assert metrics.adjusted_rand(truth, found) == pytest.approx(adjusted_rand_score(truth, found), abs=1e-9)
    assert metrics.adjusted_mutual_information(truth, found) == pytest.approx(adjusted_mutual_info_score(truth, found), abs=1e-6)


@given(PAIRS, st.permutations(range(6)))
def test_measures_do_not_care_for_the_numbers_of_clusters(pair, renumbered):
    truth, found = pair
    other = np.where(found < 0, -1, np.asarray(renumbered)[np.maximum(found, 0)])
    for measure in [metrics.dsg_c, metrics.f_measure, metrics.ocm, metrics.two_ce]:
        assert measure(truth, found) == pytest.approx(measure(truth, other))
        assert measure(truth, truth) == (1 if measure is metrics.f_measure else 0)


def test_measures_take_models_and_refuse_what_are_no_labels(spirals):
    truth = shoal.WaveCluster(bounds=(0, 1), grid=40, percentile=10).fit(spirals.X)
    model = shoal.PrivateWaveCluster(epsilon=50, bounds=(0, 1), grid=40, percentile=10).fit(spirals.X)
    assert metrics.dsg_c(truth, model.release_) == metrics.dsg_c(truth.cell_labels_, model.cell_labels_) < 0.2
    with pytest.raises(TypeError, match="whole numbers"):
        metrics.ocm([0.5], [1])
    with pytest.raises(ValueError, match="shape"):
        metrics.f_measure([1, 2], [1])


def test_a_ledger_counts_exactly(tmp_path):
    book = shoal.Ledger.create(tmp_path / "budget.db", "trips", "0.3")
    for amount in [0.1, Decimal("0.1"), "0.1"]:
        book.debit("trips", amount, "by hand")
    assert book.account("trips") == ("trips", Decimal("0.3"), Decimal("0.3"), 0, 3)
    with pytest.raises(shoal.BudgetRefused):
        book.debit("trips", "0.000000000001", "one too many")
    assert [entry.epsilon for entry in book.history()] == [Decimal("0.1")] * 3
    entries, hash = book.head()
    assert entries == 4 and book.verify(hash) == book.verify(hash[:16]) == 0
    shoal.Ledger.create(tmp_path / "budget.db", "more", 1)
    assert book.head() != (entries, hash) and book.verify(hash) == 1
    with pytest.raises(ValueError, match="no entry with this hash"):
        book.verify("0" * 64)
    with pytest.raises(ValueError, match="no account"):
        book.account("others")
    with pytest.raises(ValueError):
        shoal.Ledger(tmp_path / "none.db")
    with pytest.raises(TypeError, match="cap must be a number"):
        shoal.Ledger.create(tmp_path / "budget.db", "others", None)


def test_labels_of_the_data_are_compared_as_scikit_learn_does(spirals):
    truth = np.where(spirals.X[:, 0] < 0.5, "left", "right")
    common = {"bounds": (0, 1), "grid": 40, "percentile": 10}
    sure = shoal.evaluate(spirals.X, **common, techniques=["privqt"], epsilons=[1000], runs=1, truth=truth)
    plain = shoal.WaveCluster(**common).fit(spirals.X)
    (row,) = sure.rows
    assert row["adjusted_rand"] == 1
    assert row["adjusted_rand_truth"] == sure.adjusted_rand_truth == pytest.approx(adjusted_rand_score(truth, plain.labels_))
    without = shoal.evaluate(spirals.X, **common, techniques=["privqt"], epsilons=[1000], runs=1)
    assert without.adjusted_rand_truth is None and without.rows[0]["adjusted_rand_truth"] is None
    for wrong in [truth[:-1], truth.reshape(-1, 1)]:
        with pytest.raises(ValueError, match="one (label )?per row"):
            shoal.evaluate(spirals.X, **common, techniques=["privqt"], truth=wrong)
