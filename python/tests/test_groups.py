"""Releases by group in Python."""

import datetime
import pickle
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest

import shoal

MODEL = {"epsilon": 1000, "bounds": [(0, 1), (0, 1)], "grid": 8, "percentile": 0, "technique": "privqt", "random_state": 3}


@pytest.fixture(scope="module")
def visits():
    rng = np.random.default_rng(4)
    rows = 900
    frame = pd.DataFrame(rng.uniform(0, 1, (rows, 2)), columns=["x", "y"])
    frame["ward"] = rng.choice(list("AABCD"), rows)
    frame["day"] = pd.Timestamp("2025-12-29") + pd.to_timedelta(rng.integers(0, 22, rows), "D")
    frame["person"] = rng.integers(0, 80, rows)
    return frame


def counts(release):
    return int(shoal._core.noisy_values(release._core).sum())


@pytest.mark.filterwarnings("ignore::shoal.NotPrivateWarning")
class TestStudies:
    def test_each_group_holds_its_rows_in_the_order_of_the_list(self, visits):
        model = shoal.PrivateWaveCluster(**MODEL, groups=["C", "A"]).fit(visits[["x", "y"]].to_numpy(), by=visits.ward)
        made = model.release_
        labels = made.predict(visits[["x", "y"]].to_numpy(), by=visits.ward)
        assert (model.labels_ == labels).all() and (model.predict(visits[["x", "y"]].to_numpy(), by=visits.ward) == labels).all()
        assert model.n_clusters_ == sum(release.n_clusters for release in made.values()) and not hasattr(model, "k_")
        assert list(made) == ["C", "A"] and made.by == "ward" and len(made) == 2 and "B" not in made
        assert [counts(release) for release in made.values()] == [(visits.ward == name).sum() for name in "CA"]
        assert made.epsilon == made["A"].epsilon == Decimal(1000) and not made.private
        with pytest.raises(KeyError):
            made["B"]

    @pytest.mark.parametrize("form", ["timestamps", "dates", "texts", "weeks", "numpy"])
    def test_weeks_in_every_form(self, visits, form):
        calendar = visits.day.dt.isocalendar()
        weeks = calendar.year.astype(str) + "-W" + calendar.week.astype(str).str.zfill(2)
        by = {
            "timestamps": visits.day,
            "dates": [stamp.date() for stamp in visits.day],
            "texts": visits.day.dt.strftime("%Y-%m-%d"),
            "weeks": weeks,
            "numpy": visits.day.to_numpy(),
        }[form]
        made = shoal.PrivateWaveCluster(**MODEL, groups="2026-W01..2026-W03").fit(visits[["x", "y"]], by=by).release_
        assert list(made) == ["2026-W01", "2026-W02", "2026-W03"]
        assert [counts(release) for release in made.values()] == [(weeks == name).sum() for name in made]

    def test_a_column_of_the_frame_and_units(self, visits):
        given = {**MODEL, "bounds": {"x": (0, 1), "y": (0, 1)}, "unit": "person", "max_contributions": 1}
        wards = visits[visits.ward.isin(list("ABC"))].groupby("person").ward.nunique()
        for most in (1, 2, 3):
            made = shoal.PrivateWaveCluster(**given, groups=["A", "B", "C"], max_groups=most).fit(visits, by="ward").release_
            assert made.epsilon == 1000 * most and made.max_groups == most
            assert sum(map(counts, made.values())) == wards.clip(upper=most).sum()

    def test_arrow_batches_have_their_labels(self, visits):
        pyarrow = pytest.importorskip("pyarrow")
        table = pyarrow.Table.from_pandas(visits[["x", "y"]])
        table = pyarrow.concat_tables([table.slice(0, 400), table.slice(400)])
        model = shoal.PrivateWaveCluster(**MODEL, groups=["A", "B"])
        made = model.fit(table, by=visits.ward).release_
        plain = model.fit(visits[["x", "y"]], by=visits.ward).release_
        assert made["A"]._core.json() != "" and [counts(made[name]) for name in "AB"] == [counts(plain[name]) for name in "AB"]

    def test_the_same_as_the_program(self, visits, tmp_path):
        made = shoal.PrivateWaveCluster(**MODEL, groups=["A", "B"]).fit(visits[["x", "y"]].to_numpy(), by=visits.ward.to_numpy()).release_
        again = shoal.ReleaseSet.from_json(made.to_json())
        assert again.to_json() == made.to_json() and again["A"] == made["A"]
        with pytest.raises(ValueError, match="not private"):
            made.save(tmp_path / "study.json")

    def test_each_row_is_labelled_by_its_own_group(self, visits):
        given = {**MODEL, "bounds": {"x": (0, 1), "y": (0, 1)}, "percentile": 70}
        for by, groups, own in (
            ("ward", ["B", "A"], visits.ward),
            ("day", "2026-W01..2026-W02", visits.day.dt.strftime("%G-W%V")),
        ):
            made = shoal.PrivateWaveCluster(**given, groups=groups).fit(visits, by=by).release_
            expected = np.full(len(visits), -1)
            for name, release in made.items():
                expected[own == name] = release.predict(visits[own == name], doubtful=True)
            assert (expected == -1).sum() > (~own.isin(list(made))).sum() > 50 and expected.max() > 0
            for again in (made, shoal.ReleaseSet.from_json(made.to_json()), made.reshape()):
                assert again.predict(visits, doubtful=True).tolist() == expected.tolist()
                assert again.predict(visits[["x", "y"]], by=own, doubtful=True).tolist() == expected.tolist()
            assert (made.predict(visits) == -1).all()  # of uniform points all clusters are doubtful
        assert (made.predict(visits, assign="nearest", doubtful=True)[own.isin(list(made))] >= 0).all()

    def test_labels_need_the_group_of_each_row(self, visits):
        points = visits[["x", "y"]].to_numpy()
        made = shoal.PrivateWaveCluster(**MODEL, groups=["A"]).fit(points, by=visits.ward.to_numpy()).release_
        with pytest.raises(ValueError, match="names no column of its groups"):
            made.predict(points)
        with pytest.raises(ValueError, match="labels were given"):
            made.predict(points, by=["A"])
        named = shoal.PrivateWaveCluster(**MODEL, groups=["A"]).fit(points, by=visits.ward).release_
        with pytest.raises(ValueError, match="no column 'ward'"):
            named.predict(points)

    def test_reshape_and_compare(self, visits):
        made = shoal.PrivateWaveCluster(**MODEL, groups=["AA", "AB"]).fit(visits[["x", "y"]], by="A" + visits.ward).release_
        denser = made.reshape(percentile=50)
        assert denser.epsilon == made.epsilon and denser["AB"] == made["AB"].reshape(percentile=50)
        steps = made.compare().facts["changes"]
        assert [(step["before"], step["after"]) for step in steps] == [("AA", "AB")]


def test_saved_and_loaded(visits, tmp_path):
    model = shoal.PrivateWaveCluster(epsilon=Decimal("0.5"), bounds=(0, 1), grid="auto", groups=["A", "B"])
    made = model.fit(visits[["x", "y"]], by=visits.ward).release_
    assert made.private and made["A"].private and made["A"].axes == made["B"].axes
    for suffix in ("json", "geojson", "csv", "html", "svg", "png"):
        made.save(tmp_path / f"wards.{suffix}")
        assert (tmp_path / f"wards.{suffix}").stat().st_size > 50
    with pytest.raises(FileExistsError):
        made.save(tmp_path / "wards.json")
    again = shoal.ReleaseSet.load(tmp_path / "wards.json")
    assert again == made == pickle.loads(pickle.dumps(made)) and repr(again) == "ReleaseSet(by='ward', parts=['A', 'B'], epsilon=0.5)"
    with pytest.raises(ValueError, match="several releases"):
        shoal.Release.load(tmp_path / "wards.json")


def test_the_reader_is_warned_as_of_one_release(visits):
    model = shoal.PrivateWaveCluster(epsilon=6, bounds=(0, 1), grid=8, percentile=30, unit="person", max_contributions=1, groups=["A", "B"], max_groups=2)
    points, given = visits[["x", "y"]], {"by": visits.ward, "units": visits.person}
    with pytest.warns(UserWarning, match="Epsilon 12 is a weak guarantee") as caught:
        weak = model.fit(points, **given).release_
    assert caught[0].filename == __file__
    assert len(weak.notices) == 1 and weak.notices[0] in weak.html()
    elsewhere = shoal.PrivateWaveCluster(epsilon=1, bounds=(5, 6), grid=8, percentile=30, random_state=1, groups=["A", "B"])
    with pytest.warns(UserWarning, match="No part shows more records inside the bounds than noise alone would; check the names and the bounds") as caught:
        elsewhere.fit(points, by=visits.ward)
    assert {one.filename for one in caught} == {__file__}


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("most, said", [(1, True), (2, True), (3, False)])
def test_groups_say_that_a_person_counts_in_some_of_them(visits, most, said):
    model = shoal.PrivateWaveCluster(**MODEL, unit="person", contribution="share", columns=["x", "y"], groups=["A", "B", "C"], max_groups=most)
    made = model.fit(visits, by="ward").release_
    assert any("Each person counts in" in notice for notice in made.notices) == said
    compared = made.compare().facts
    assert ("counts" in compared) == said
    assert not said or not {one["change"] for step in compared["changes"] for of in step["clusters"] for one in of["found"]} & {"grew", "shrank"}


def test_the_ledger_is_charged_for_all_groups(visits, tmp_path):
    shoal.Ledger.create(tmp_path / "budget.db", "visits", cap=1)
    given = {"bounds": {"x": (0, 1), "y": (0, 1)}, "grid": 8, "percentile": 30, "unit": "person", "max_contributions": 2}
    given |= {"ledger": tmp_path / "budget.db", "dataset": "visits"}
    with pytest.raises(shoal.BudgetRefused):
        shoal.PrivateWaveCluster(epsilon=0.4, **given, groups=["A", "B", "C"], max_groups=3).fit(visits, by="ward")
    shoal.PrivateWaveCluster(epsilon=0.4, **given, groups=["A", "B", "C"], max_groups=2).fit(visits, by="ward")
    assert shoal.Ledger(tmp_path / "budget.db").accounts()[0].spent == Decimal("0.8")


@pytest.mark.parametrize(
    "given, words",
    [
        ({"groups": ["A", "A"]}, "twice"),
        ({"groups": []}, "empty"),
        ({"groups": "A"}, "list of names"),
        ({"groups": "2026-W12..2026-W01"}, "ends before"),
        ({"groups": ["A", "B"], "max_groups": 2}, "no unit column"),
        ({"groups": ["A", "B"], "max_groups": 0}, "max-groups is 0"),
        ({"groups": ["A"], "by": "clinic"}, "no column 'clinic'"),
        ({"groups": ["A"], "by": "x"}, "axis and the group"),
        ({"groups": ["A"], "by": ["A", "B"]}, "labels were given"),
        ({"groups": ["A"], "by": ["A"] * 901}, "labels were given"),
        ({"groups": ["A"], "by": None}, "give by"),
        ({"groups": None}, "has no groups"),
        ({"groups": ["A"], "insets": 3}, "groups and insets"),
    ],
)
def test_what_cannot_be_is_refused(visits, given, words):
    by = given.pop("by", "ward")
    model = shoal.PrivateWaveCluster(epsilon=1, bounds={"x": (0, 1), "y": (0, 1)}, grid=8, percentile=30, **given)
    with pytest.raises(ValueError, match=words):
        model.fit(visits, by=by)


def test_a_date_is_a_group_too(visits):
    model = shoal.PrivateWaveCluster(epsilon=5, bounds=(0, 1), grid=8, percentile=30, groups="2026-01-01..2026-01-03")
    made = model.fit(visits[["x", "y"]], by=visits.day).release_
    assert list(made) == [f"2026-01-0{i}" for i in (1, 2, 3)]
    assert isinstance(datetime.date.fromisoformat(next(iter(made))), datetime.date)


@pytest.mark.filterwarnings("ignore::shoal.NotPrivateWarning")
def test_rounding_is_told_with_the_groups_that_it_holds_for():
    rng = np.random.default_rng(3)
    ages = rng.normal(52, 14, (20000, 1))
    ward = np.where(np.arange(len(ages)) % 2 == 0, "A", "B")
    model = shoal.PrivateWaveCluster(epsilon=10, bounds=(0, 110), grid="auto", random_state=1)
    whole = np.round(ages)
    assert model.fit(whole).release_.rounding == ["Values of axis 1 are whole numbers."]
    assert model.fit(ages).release_.rounding == []
    model.set_params(groups=["A", "B"])
    both = model.fit(whole, by=ward).release_
    assert both.rounding == ["Values of axis 1 are whole numbers."]
    one = model.fit(np.where(ward[:, None] == "A", whole, ages), by=ward).release_
    assert one.rounding == ["A: Values of axis 1 are whole numbers."]
