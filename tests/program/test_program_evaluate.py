import csv
import statistics

import numpy as np
from sklearn.metrics import adjusted_rand_score

WORDS = ["--columns", "x,y", "--bounds", "0:1,0:1", "--grid", "40", "--percentile", "10", "--epsilons", "0.5,2", "--runs", "6"]


def test_every_number_printed_is_recomputed_from_the_rows(shoal, spirals):
    outcome = shoal("evaluate", spirals, *WORDS, "--techniques", "privqt,privthr,privthr-em-literal-not-private", "--csv", "rows.csv", "--json", "-",
                    "--html", "report.html", "--bounds-of-theory")
    assert outcome.code == 0, outcome.err
    rows = list(csv.DictReader(open(shoal.folder / "rows.csv")))
    assert list(rows[0]) == "dataset,technique,epsilon,run,k_true,k,clusters_true,clusters,dsgc,f_measure,ocm,two_ce,seconds,adjusted_rand,adjusted_rand_truth".split(",")
    assert len(rows) == 3 * 2 * 6
    html = (shoal.folder / "report.html").read_text()
    for summary in outcome.json["summary"]:
        mine = [r for r in rows if r["technique"] == summary["technique"] and float(r["epsilon"]) == float(summary["epsilon"])]
        assert len(mine) == 6
        for measure in ("dsgc", "f_measure", "ocm", "two_ce", "adjusted_rand"):
            mean = statistics.fmean(float(r[measure]) for r in mine)
            assert abs(summary[measure]["mean"] - mean) < 1e-9
            assert f"{mean:.3f}" in html
    assert "NOT PRIVATE" in html.upper() and "<svg" in html


def test_the_same_seed_gives_the_same_rows_on_any_number_of_threads(shoal, spirals):
    for threads in ("1", "2"):
        shoal("evaluate", spirals, *WORDS, "--techniques", "privthr", "--threads", threads, "--csv", f"{threads}.csv")
    strip = lambda name: [{**row, "seconds": ""} for row in csv.DictReader(open(shoal.folder / name))]
    assert strip("1.csv") == strip("2.csv")


def test_unknown_techniques_are_refused(refused, spirals):
    refused(3, "evaluate", spirals, *WORDS, "--techniques", "privfoo", says=["privfoo", "privthr"])
    refused(2, "evaluate", spirals, "--columns", "x,y", "--bounds", "0:1,0:1", says=["--percentile"])


def labels_in(path):
    return [int(row["cluster"]) for row in csv.DictReader(open(path))]


def test_agreement_of_points_is_that_of_the_labels_that_the_program_writes(shoal):
    """At a budget without noise a release is plain WaveCluster, whose labels scikit-learn compares with those of the data."""
    rng = np.random.default_rng(3)
    points = np.concatenate([rng.normal(centre, 0.04, (1500, 2)) for centre in [(0.25, 0.3), (0.7, 0.35), (0.5, 0.75)]] + [rng.random((300, 2))])
    truth = np.repeat(["west", "east", "north", "noise"], [1500, 1500, 1500, 300])
    people = np.arange(len(points)) % 2400
    inside = ((points >= 0) & (points < 1)).all(axis=1)
    with open(shoal.folder / "blobs.csv", "w") as file:
        file.write("x,y,label,person\n" + "".join(f"{x!r},{y!r},{label},{person}\n" for (x, y), label, person in zip(points.tolist(), truth, people, strict=True)))
    common = ["blobs.csv", "--columns", "x,y", "--bounds", "0:1,0:1", "--grid", "64", "--coverage", "80"]
    assert shoal("cluster", *common, "--labels", "plain.csv").code == 0
    plain = np.array(labels_in(shoal.folder / "plain.csv"))
    ours = adjusted_rand_score(truth[inside], plain[inside])
    assert 0.4 < ours < 0.99

    sure = shoal("evaluate", *common, "--techniques", "privqt", "--epsilons", "1000", "--runs", "1", "--no-classifier", "--truth", "label", "--json", "-").json
    (row,) = sure["rows"]
    assert row["adjusted_rand"] == 1
    assert abs(sure["adjusted_rand_truth"] - ours) < 1e-9 and abs(row["adjusted_rand_truth"] - ours) < 1e-9

    noisy = shoal("evaluate", *common, "--techniques", "privqt,privwave", "--epsilons", "0.02", "--runs", "2", "--truth", "label", "--csv", "rows.csv",
                  "--html", "report.html", "--json", "-")
    assert noisy.code == 0, noisy.err
    rows = list(csv.DictReader(open(shoal.folder / "rows.csv")))
    assert min(float(row["adjusted_rand"]) for row in rows) < 0.9 and "Adjusted Rand (labels)" in (shoal.folder / "report.html").read_text()
    assert [float(row["adjusted_rand_truth"]) for row in rows] == [row["adjusted_rand_truth"] for row in noisy.json["rows"]]

    by_unit = shoal("evaluate", *common, "--unit", "person", "--max-contributions", "2", "--techniques", "privqt", "--epsilons", "1000", "--runs", "1",
                    "--no-classifier", "--truth", "label", "--json", "-")
    assert by_unit.code == 0, by_unit.err
    assert abs(by_unit.json["adjusted_rand_truth"] - ours) < 1e-9


def test_truth_columns_that_cannot_be_used_are_refused(shoal, refused, spirals):
    refused(3, "evaluate", spirals, *WORDS, "--techniques", "privqt", "--truth", "label", says=["label", "'x', 'y'"])
    (shoal.folder / "gap.csv").write_text("x,y,label,person\n" + "0.5,0.5,a,1\n" * 30 + "0.5,0.5,,1\n")
    refused(3, "evaluate", "gap.csv", *WORDS, "--techniques", "privqt", "--truth", "label", says=["line 32", "label"])
    refused(2, "evaluate", "-", *WORDS, "--techniques", "privqt", "--truth", "label", "--unit", "person", "--max-contributions", "1",
            says=["read only once"], stdin=b"x,y,label,person\n0.5,0.5,a,1\n")


def test_labels_stay_with_their_rows_where_units_are_given(shoal, refused):
    """Each of the last two rows lacks something else. If both readings skipped one, the label of the first would go to the unit of the second."""
    (shoal.folder / "gaps.csv").write_text("x,y,label,person\n" + "0.5,0.5,a,1\n" * 30 + "0.5,0.5,b,\n0.5,0.5,,2\n")
    words = ["evaluate", "gaps.csv", *WORDS, "--techniques", "privqt", "--no-classifier", "--truth", "label", "--on-bad-row", "skip"]
    refused(2, *words, "--unit", "person", "--max-contributions", "1", says=["a unit and a label", "--on-bad-row skip"])
    assert shoal(*words).code == 0
