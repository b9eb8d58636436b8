"""The same data, parameters and seed give the same release in Python and from the command line."""

import json
import re
import subprocess

import numpy as np
import pytest
from conftest import PROGRAM, program, quietly, seeded

import shoal

SPIRALS = ["--columns", "x,y", "--bounds", "0:1,0:1", "--grid", "40", "--percentile", "10"]


def python_json(model, X, **more):
    return json.loads(quietly(model.set_params(columns=["x", "y"]), X, **more).release_.to_json())


@pytest.mark.parametrize("technique", shoal.technique_names())
def test_every_technique_gives_the_programs_release(technique, spirals, spirals_csv):
    theirs = program("release", spirals_csv, *SPIRALS, "--epsilon", "0.7", "--technique", technique, "--seed", 42)
    assert python_json(seeded(42, epsilon=0.7, technique=technique), spirals.frame) == theirs


def test_the_default_technique_is_the_programs(spirals, spirals_csv):
    theirs = program("release", spirals_csv, *SPIRALS, "--epsilon", "1", "--seed", 1)
    assert python_json(seeded(1), spirals.frame) == theirs


@pytest.mark.parametrize(
    "ours, theirs",
    [
        ({"technique": "privthr", "alpha": 0.5, "neighbors": "replace"}, ["--technique", "privthr", "--alpha", "0.5", "--neighbors", "replace"]),
        ({"technique": "privthr-em", "max_density": 500, "base_measure": "uniform"}, ["--technique", "privthr-em", "--max-density", "500", "--base-measure", "uniform"]),
        ({"technique": "baseline", "publisher": "privelet"}, ["--technique", "baseline", "--publisher", "privelet"]),
        ({"technique": "privqt", "wavelet": "db2", "level": 2, "adjacency": "face", "min_cells": 2}, ["--technique", "privqt", "--wavelet", "db2", "--level", "2", "--adjacency", "face", "--min-cells", "2"]),
        ({"technique": "privqt", "stationary": True, "outside": "clamp", "bounds": (0.2, 0.8)}, ["--technique", "privqt", "--transform", "stationary", "--outside", "clamp", "--bounds", "0.2:0.8,0.2:0.8"]),
    ],
)
def test_every_option_means_what_it_means_to_the_program(ours, theirs, spirals, spirals_csv):
    words = SPIRALS if "bounds" not in ours else [*SPIRALS[:2], *SPIRALS[4:]]
    assert python_json(seeded(7, **ours), spirals.frame) == program("release", spirals_csv, *words, "--epsilon", "1", "--seed", 7, *theirs)


def test_plain_wavecluster_gives_the_programs_result_and_labels(spirals, spirals_csv, tmp_path):
    theirs = program("cluster", spirals_csv, "--columns", "x,y", "--grid", "33", "--labels", tmp_path / "labels.csv")
    ours = shoal.WaveCluster(grid=33).fit(spirals.frame)
    assert (ours.n_clusters_, ours.k_, ours.threshold_) == (theirs["clusters"], theirs["k"], theirs["threshold"])
    labels = np.loadtxt(tmp_path / "labels.csv", skiprows=1, dtype=int, delimiter=",", usecols=0)
    assert np.array_equal(ours.labels_, labels - 1)


def test_units_are_bounded_as_the_program_bounds_them(spirals, tmp_path):
    X, users = spirals.X[:3000], [f"u{i % 400}" for i in range(3000)]
    rows = "".join(f"{x!r},{y!r},{user}\n" for (x, y), user in zip(X.tolist(), users))
    (tmp_path / "users.csv").write_text("x,y,user\n" + rows)
    theirs = program("release", tmp_path / "users.csv", *SPIRALS, "--epsilon", "1", "--seed", 3, "--unit", "user", "--max-contributions", "2")
    frame = spirals.frame.iloc[:3000].assign(user=users)
    assert python_json(seeded(3, unit="user", max_contributions=2), frame) == theirs


def test_datasets_are_the_programs(spirals, spirals_csv):
    assert np.array_equal(np.loadtxt(spirals_csv, delimiter=",", skiprows=1), spirals.X)


def test_both_read_each_others_files(spirals, tmp_path):
    release = seeded(None, columns=["x", "y"]).fit(spirals.frame).release_
    release.save(tmp_path / "ours.json")
    done = subprocess.run([PROGRAM, "reshape", tmp_path / "ours.json", "--percentile", "40", "-o", tmp_path / "theirs.json"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert shoal.Release.load(tmp_path / "theirs.json") == release.reshape(percentile=40)


def test_a_full_ledger_refuses_in_the_programs_words(spirals, spirals_csv, tmp_path):
    book = shoal.Ledger.create(tmp_path / "budget.db", "spirals", "1.5")
    model = seeded(None, ledger=book, dataset="spirals")
    model.fit(spirals.X)
    done = subprocess.run([PROGRAM, "release", spirals_csv, *SPIRALS, "--epsilon", "1", "--ledger", book, "--dataset", "spirals", "-o", tmp_path / "r.json"], capture_output=True, text=True)
    assert done.returncode == 4
    with pytest.raises(shoal.BudgetRefused) as refused:
        model.fit(spirals.X)
    assert isinstance(refused.value, ValueError)
    assert done.stderr == f"shoal: {refused.value}\n"
    (debit,) = book.history("spirals")
    assert re.fullmatch(r"release [a-z-]+", debit.purpose)
