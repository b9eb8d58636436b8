import csv
import statistics

WORDS = ["--columns", "x,y", "--bounds", "0:1,0:1", "--grid", "40", "--percentile", "10", "--epsilons", "0.5,2", "--runs", "6"]


def test_every_number_printed_is_recomputed_from_the_rows(shoal, spirals):
    outcome = shoal("evaluate", spirals, *WORDS, "--techniques", "privqt,privthr,privthr-em-literal-not-private", "--csv", "rows.csv", "--json", "-",
                    "--html", "report.html", "--bounds-of-theory")
    assert outcome.code == 0, outcome.err
    rows = list(csv.DictReader(open(shoal.folder / "rows.csv")))
    assert list(rows[0]) == "dataset,technique,epsilon,run,k_true,k,clusters_true,clusters,dsgc,f_measure,ocm,two_ce,seconds".split(",")
    assert len(rows) == 3 * 2 * 6
    html = (shoal.folder / "report.html").read_text()
    for summary in outcome.json["summary"]:
        mine = [r for r in rows if r["technique"] == summary["technique"] and float(r["epsilon"]) == float(summary["epsilon"])]
        assert len(mine) == 6
        for measure in ("dsgc", "f_measure", "ocm", "two_ce"):
            mean = statistics.fmean(float(r[measure]) for r in mine)
            assert abs(summary[measure]["mean"] - mean) < 1e-9
            assert f"{mean:.3f}" in html
    assert "NOT PRIVATE" in html.upper() and "<svg" in html


def test_the_same_seed_gives_the_same_rows_on_any_number_of_threads(shoal, spirals):
    for threads in ("1", "2"):
        shoal("evaluate", spirals, *WORDS, "--techniques", "privthr", "--threads", threads, "--csv", f"{threads}.csv")
    strip = lambda name: [line.rsplit(",", 1)[0] for line in open(shoal.folder / name)]
    assert strip("1.csv") == strip("2.csv")


def test_unknown_techniques_are_refused(refused, spirals):
    refused(3, "evaluate", spirals, *WORDS, "--techniques", "privfoo", says=["privfoo", "privthr"])
    refused(2, "evaluate", spirals, "--columns", "x,y", "--bounds", "0:1,0:1", says=["--percentile"])
