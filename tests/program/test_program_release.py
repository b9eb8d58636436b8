import csv
import gzip
import json

import pytest
from conftest import published, validate

DS1 = ["--columns", "x,y", "--bounds", "20406:963766,51397:972357", "--grid", "64", "--percentile", "58"]
SPIRALS = ["--columns", "x,y", "--bounds", "0:1,0:1", "--grid", "40", "--percentile", "10"]
TECHNIQUES = ["privwave", "privqt", "privthr", "privthr-em", "baseline"]


def test_a_release_of_ds1_has_about_15_clusters_and_can_be_explored_without_the_data(shoal):
    data = published("shapes/paper_ds1.csv")
    outcome = shoal("release", data, *DS1, "--epsilon", "1", "--technique", "privthr", "-o", "r.json", "-o", "r.html")
    assert outcome.code == 0, outcome.err
    release = json.loads((shoal.folder / "r.json").read_text())
    validate("release", release)
    # Over 10,000 runs the number lay in 13..19; a run outside 8..25 has a chance far below one in a million.
    assert 8 <= len(release["clusters"]) <= 25
    assert release["private"] is True
    assert "Next: shoal predict r.json" in outcome.out or "Next: shoal reshape r.json --density" in outcome.out
    assert shoal("reshape", "r.json", "--percentile", "40", "-o", "again.json", "-o", "again.html").code == 0
    assert shoal("predict", "r.json", data, "-o", "labels.csv").code == 0
    assert sum(1 for _ in open(shoal.folder / "labels.csv")) == 30001


@pytest.mark.parametrize("technique", TECHNIQUES)
def test_every_technique_makes_a_valid_release(shoal, spirals, technique):
    outcome = shoal("release", spirals, *SPIRALS, "--epsilon", "1", "--technique", technique, "-o", "r.json", "-o", "r.csv", "-o", "r.geojson",
                    "-o", "r.html", "-o", "r.svg", "-o", "r.png")
    assert outcome.code == 0, outcome.err
    release = json.loads((shoal.folder / "r.json").read_text())
    validate("release", release)
    assert release["technique"] == technique
    text = (shoal.folder / "r.json").read_text() + (shoal.folder / "r.html").read_text() + outcome.out
    assert "31200" not in text and "31,200" not in text, "the raw number of points must not be there"


def test_public_text_stays_in_the_file_through_a_reshape_that_may_change_it(shoal, spirals):
    words = ["--title", "Visits & stays", "--source", "City", "--date", "May 2026", "--contact", "a@b"]
    outcome = shoal("release", spirals, *SPIRALS, "--epsilon", "1", *words, "-o", "r.json", "-o", "r.svg", "-o", "r.geojson")
    assert outcome.code == 0, outcome.err
    release = json.loads((shoal.folder / "r.json").read_text())
    validate("release", release)
    assert release["publication"] == {"title": "Visits & stays", "source": "City", "date": "May 2026", "contact": "a@b"}
    assert "Visits &amp; stays" in (shoal.folder / "r.svg").read_text()
    assert shoal("reshape", "r.json", "--percentile", "40", "--title", "Other", "-o", "s.json", "-o", "s.html").code == 0
    assert json.loads((shoal.folder / "s.json").read_text())["publication"] == {"title": "Other", "source": "City", "date": "May 2026", "contact": "a@b"}
    assert "<h1>Other</h1>" in (shoal.folder / "s.html").read_text()


def test_public_text_that_is_too_long_is_refused_before_the_debit(shoal, refused, spirals):
    assert shoal("ledger", "create", "budget.db", "--dataset", "spirals", "--cap", "1").code == 0
    words = ["release", spirals, *SPIRALS, "--epsilon", "1", "--ledger", "budget.db", "--dataset", "spirals", "-o", "r.json"]
    refused(3, *words, "--title", "x" * 501, says=["title", "500"])
    refused(3, *words, "--source", "one\ntwo", says=["source", "several lines"])
    assert shoal(*words).code == 0


def test_geojson_states_the_unit_and_has_colours(shoal, spirals):
    assert shoal("release", spirals, *SPIRALS, "--epsilon", "1", "-o", "r.geojson").code == 0
    collection = json.loads((shoal.folder / "r.geojson").read_text())
    assert collection["protects"] == "records" and collection["counted"] == "records"
    for feature in collection["features"]:
        assert feature["properties"]["fill"].startswith("#") and feature["properties"]["stroke"] == "#1d2126"


def test_a_ledger_refuses_the_second_release(shoal, refused, spirals):
    assert shoal("ledger", "create", "budget.db", "--dataset", "spirals", "--cap", "1.5").code == 0
    words = ["release", spirals, *SPIRALS, "--epsilon", "1", "--ledger", "budget.db", "--dataset", "spirals"]
    assert shoal(*words, "-o", "one.json").code == 0
    refused(4, *words, "-o", "two.json", says=["0.5", "spirals"])
    account = shoal("ledger", "show", "budget.db", "--json", "-").json["accounts"][0]
    assert (account["cap"], account["spent"], account["left"], account["debits"]) == ("1.5", "1", "0.5", 1)
    assert len(shoal("ledger", "history", "budget.db", "--json", "-").json["history"]) == 1


@pytest.mark.parametrize("command", ["release", "synthesize"])
def test_what_a_ledger_refuses_reads_no_data(shoal, refused, tmp_path, command):
    (tmp_path / "bad.csv").write_text("x,y\n0.5,0.5\n0.5,oops\n")
    assert shoal("ledger", "create", "budget.db", "--dataset", "trips", "--cap", "0.5").code == 0
    more = ["--percentile", "10", "-o", "r.json"] if command == "release" else ["-o", "r.csv"]
    words = [command, "bad.csv", "--columns", "x,y", "--bounds", "0:1,0:1", *more, "--epsilon", "1", "--ledger", "budget.db"]
    refused(4, *words, "--dataset", "trips", says=["epsilon 1 is refused"])
    refused(3, *words, "--dataset", "checkins", says=["no account for 'checkins'"])


def test_epsilon_bounds_and_percentile_have_no_default(refused, spirals):
    refused(2, "release", spirals, "--bounds", "0:1,0:1", "--percentile", "10", "-o", "r.json", says=["--epsilon"])
    refused(2, "release", spirals, "--epsilon", "1", "--percentile", "10", "-o", "r.json", says=["--bounds"])
    refused(2, "release", spirals, "--epsilon", "1", "--bounds", "0:1,0:1", "-o", "r.json", says=["--percentile"])


@pytest.mark.parametrize("epsilon", ["0", "-1", "nan", "inf", "abc", "1e-13", "0.1234567890123", "1e9"])
def test_epsilons_that_make_no_sense_are_refused(refused, spirals, epsilon):
    refused(3, "release", spirals, *SPIRALS, f"--epsilon={epsilon}", "-o", "r.json", says=["epsilon"])


def test_a_seeded_run_is_marked_and_cannot_be_released_or_charged(shoal, refused, spirals):
    words = ["release", spirals, *SPIRALS, "--epsilon", "1", "--seed", "7"]
    refused(3, *words, "-o", "r.json", says=["not private", "--seed"])
    shoal("ledger", "create", "budget.db", "--dataset", "d", "--cap", "9")
    refused(3, *words, "--json", "-", "--ledger", "budget.db", "--dataset", "d", says=["not private"])
    one, two = shoal(*words, "--json", "-"), shoal(*words, "--json", "-", "--threads", "2")
    assert one.json["private"] is False and one.json == two.json


def test_a_dry_run_touches_no_data(shoal):
    outcome = shoal("release", "no-such-file.csv", *SPIRALS, "--epsilon", "1", "--technique", "privthr", "--dry-run", "--json", "-")
    assert outcome.code == 0, outcome.err
    assert [(s["epsilon"], s["sensitivity"]) for s in outcome.json["spent"]] == [("0.9", 1), ("0.1", 1)]


def test_units_scale_the_sensitivity_and_bound_the_rows(shoal, spirals):
    rows = list(csv.reader(open(spirals)))
    with open(shoal.folder / "users.csv", "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["who", *rows[0]])
        writer.writerows([f"user {i % 500}", *row] for i, row in enumerate(rows[1:]))
    outcome = shoal("release", "users.csv", *SPIRALS, "--epsilon", "1", "--technique", "privqt", "--unit", "who", "--max-contributions", "3",
                    "--neighbors", "replace", "-o", "r.json")
    assert outcome.code == 0, outcome.err
    release = json.loads((shoal.folder / "r.json").read_text())
    assert release["spent"][0]["sensitivity"] == 6
    assert "user 1" not in (shoal.folder / "r.json").read_text()
    # 500 users with 3 rows each: the noisy sizes add up to about 1,500, not to 31,200.
    assert sum(c["noisy_size"] for c in release["clusters"]) < 15000


def test_units_need_a_bound(refused, spirals):
    refused(2, "release", spirals, *SPIRALS, "--epsilon", "1", "--unit", "who", "-o", "r.json", says=["--max-contributions"])
    refused(3, "release", spirals, *SPIRALS, "--epsilon", "1", "--unit", "who", "--max-contributions", "2", "-o", "r.json", says=["who"])


def test_altered_and_truncated_files_are_refused(shoal, refused, spirals):
    shoal("release", spirals, *SPIRALS, "--epsilon", "1", "-o", "r.json")
    whole = (shoal.folder / "r.json").read_bytes()
    bad = shoal.folder / "bad.json"
    for length in range(0, len(whole) - 2, max(1, len(whole) // 60)):
        bad.write_bytes(whole[:length])
        refused(3, "reshape", "bad.json", "--percentile", "40", "-o", "x.json", says=["bad.json"])
    altered = json.loads(whole)
    altered["epsilon"] = 0.5
    bad.write_text(json.dumps(altered))
    refused(3, "reshape", "bad.json", "--percentile", "40", "-o", "x.json", says=["bad.json"])


def test_predict_takes_the_columns_by_name_and_keeps_the_order(shoal, spirals):
    shoal("release", spirals, *SPIRALS, "--epsilon", "5", "-o", "r.json")
    (shoal.folder / "new.csv").write_text("y,extra,x\n50,a,50\n1000,b,1000\n")
    outcome = shoal("predict", "r.json", "new.csv")
    assert outcome.code == 0, outcome.err
    lines = outcome.out.split()
    assert lines[0] == "cluster" and len(lines) == 3 and lines[2] == "0"


def test_threads_change_nothing_in_the_labels(shoal, spirals):
    """The file has many blocks of text, so that several threads take turns; the labels change within each block."""
    shoal("release", spirals, *SPIRALS, "--epsilon", "5", "-o", "r.json")
    rows = list(csv.reader(spirals.read_text().splitlines()))
    columns = [rows[0].index(name) for name in ("x", "y")]
    body = "".join(f"{row[columns[0]]},{row[columns[1]]}\n" for row in rows[1:])
    (shoal.folder / "many.csv").write_text("x,y\n" + body * (3_000_000 // len(body) + 1))
    (shoal.folder / "many.csv.gz").write_bytes(gzip.compress((shoal.folder / "many.csv").read_bytes(), 1))
    once = shoal("predict", "r.json", spirals).out.splitlines()[1:]
    assert len(set(once)) > 1
    for name in ("many.csv", "many.csv.gz"):
        for threads in ("1", "2", "5"):
            labels = shoal("predict", "r.json", name, "--threads", threads).out.splitlines()[1:]
            assert labels == once * (len(labels) // len(once)) and len(labels) > 50_000, (name, threads)
    few = [shoal("predict", "r.json", "many.csv", "--where", "x < 0.5", "--strength", "--threads", threads).out for threads in ("1", "4")]
    assert few[0] == few[1] and few[0].count("\n") > 10_000


@pytest.mark.parametrize("grid", ["300", "1100"])
def test_threads_change_nothing_in_the_confidence(shoal, spirals, grid):
    """On the first grid all cells are drawn, on the second only those in clusters and beside them."""
    words = ["release", spirals, "--columns", "x,y", "--bounds", "0:1,0:1", "--grid", grid, "--percentile", "60", "--epsilon", "1", "--seed", "3", "--json", "-"]
    one, two, five = (shoal(*words, "--threads", threads).out for threads in ("1", "2", "5"))
    assert one == two == five
    assert all("confidence" in cluster for cluster in json.loads(one)["clusters"])


def test_a_bad_row_is_named_on_any_number_of_threads(shoal, spirals):
    shoal("release", spirals, *SPIRALS, "--epsilon", "5", "-o", "r.json")
    (shoal.folder / "bad.csv").write_text("x,y\n" + "0.5,0.5\n" * 200_000 + "0.5,wrong\n" + "0.5,0.5\n" * 200_000)
    for threads in ("1", "4"):
        outcome = shoal("predict", "r.json", "bad.csv", "-o", "labels.csv", "--threads", threads)
        assert outcome.code == 3 and "line 200002" in outcome.err
        assert not (shoal.folder / "labels.csv").exists()


def test_two_releases_differ(shoal, spirals):
    for name in ("a.json", "b.json"):
        shoal("release", spirals, *SPIRALS, "--epsilon", "1", "-o", name)
    assert (shoal.folder / "a.json").read_bytes() != (shoal.folder / "b.json").read_bytes()


def test_a_release_of_nothing_is_valid(shoal):
    (shoal.folder / "p.csv").write_text("x,y\n")
    for technique in TECHNIQUES:
        outcome = shoal("release", "p.csv", *SPIRALS, "--epsilon", "0.001", "--technique", technique, "-o", "r.json", "-o", "r.html", "--force")
        assert outcome.code == 0, outcome.err


def test_a_ledger_says_what_is_wrong(refused, shoal, spirals):
    refused(3, "ledger", "show", "none.db", says=["none.db"])
    (shoal.folder / "text.db").write_text("hello, this is not a database at all" * 100)
    refused(3, "ledger", "show", "text.db", says=["text.db"])
    shoal("ledger", "create", "b.db", "--dataset", "d", "--cap", "1")
    refused(3, "ledger", "create", "b.db", "--dataset", "d", "--cap", "2", says=["d"])
    refused(3, "release", spirals, *SPIRALS, "--epsilon", "1", "--ledger", "b.db", "--dataset", "other", "-o", "r.json", says=["other"])


COVERED = ["--columns", "x,y", "--bounds", "0:1,0:1", "--grid", "40", "--coverage", "95"]


def test_a_coverage_is_a_rule_of_release_reshape_cluster_and_evaluate(shoal, spirals):
    outcome = shoal("release", spirals, *COVERED, "--epsilon", "2", "-o", "r.json", "-o", "r.html")
    assert outcome.code == 0, outcome.err
    release = json.loads((shoal.folder / "r.json").read_text())
    validate("release", release)
    assert release["coverage"] == 95 and "percentile" not in release
    assert release["k_from"] == "profile" and [share["name"] for share in release["spent"]] == ["profile", "sums"]
    assert "Coverage" in (shoal.folder / "r.html").read_text()
    assert shoal("reshape", "r.json", "--coverage", "60", "-o", "less.json").code == 0
    less = json.loads((shoal.folder / "less.json").read_text())
    assert less["coverage"] == 60 and less["k"] < release["k"]
    truth = shoal("cluster", spirals, *COVERED, "--json", "-").json
    assert truth["coverage"] == 95 and truth["percentile"] is None
    assert abs(release["k"] / truth["k"] - 1) < 0.2
    study = shoal("evaluate", spirals, *COVERED, "--techniques", "privwave,privqt,baseline", "--epsilons", "1", "--runs", "2", "--no-classifier",
                  "--csv", "rows.csv")
    assert study.code == 0, study.err
    assert {row["k_true"] for row in csv.DictReader(open(shoal.folder / "rows.csv"))} == {str(truth["k"])}


def test_coverages_that_mean_nothing_or_too_much_are_refused(refused, spirals):
    refused(2, "release", spirals, *COVERED, "--percentile", "10", "--epsilon", "1", "-o", "r.json", says=["--coverage", "--percentile"])
    refused(2, "cluster", spirals, *COVERED, "--top", "10", says=["--coverage", "--top"])
    for coverage in ("0", "-5", "100.5"):
        refused(3, "release", spirals, *COVERED[:-1], coverage, "--epsilon", "1", "-o", "r.json", says=["coverage"])
        refused(3, "cluster", spirals, *COVERED[:-1], coverage, says=["coverage"])
    for technique in ("privthr", "privthr-em"):
        refused(3, "release", spirals, *COVERED, "--epsilon", "1", "--technique", technique, "-o", "r.json", says=["percentile"])


AUTO = ["--columns", "x,y", "--bounds", "0:1,0:1", "--auto"]


def test_auto_needs_neither_grid_nor_threshold_and_says_what_it_chose(shoal, spirals):
    outcome = shoal("release", spirals, *AUTO, "--epsilon", "1", "-o", "r.json", "-o", "r.html")
    assert outcome.code == 0, outcome.err
    release = json.loads((shoal.folder / "r.json").read_text())
    validate("release", release)
    assert release["technique"] == "privwave" and release["spent"][0] == {"name": "records", "sensitivity": 1, "epsilon": 0.05, "epsilon_exact": "0.05"}
    chosen = release["automatic"]
    assert release["modes"] is True and len(release["clusters"]) == 3
    assert abs(chosen["records"] - 31200) < 800  # beyond that noise of rate 0.05 has a chance below 1e-17
    assert {axis["cells"] for axis in release["axes"]} == {120}
    assert "chosen: grid" in outcome.out
    assert "The noisy number of records" in (shoal.folder / "r.html").read_text() and "the expected share of chance among all peaks" in (shoal.folder / "r.html").read_text()
    assert shoal("reshape", "r.json", "--percentile", "20", "-o", "again.json").code == 0
    again = json.loads((shoal.folder / "again.json").read_text())
    validate("release", again)
    assert again["automatic"] == chosen


def test_labels_reach_as_far_as_told(shoal, spirals):
    assert shoal("release", spirals, *AUTO, "--epsilon", "1", "-o", "r.json").code == 0

    def clustered(release, *more):
        return shoal("predict", release, spirals, *more, "-o", "labels.csv", "--force", "--json", "-").json["clustered"]

    assert shoal("reshape", "r.json", "--percentile", "90", "-o", "dense.json").code == 0
    none, halo, nearest = (clustered("dense.json", "--assign", how) for how in ("none", "halo", "nearest"))
    assert none < halo < nearest == 31200
    assert clustered("dense.json") == none
    assert clustered("r.json") == clustered("r.json", "--assign", "halo")  # after --auto
    assert shoal("predict", "r.json", spirals, "--assign", "far").code == 2


def test_auto_shows_its_plan_without_data(shoal):
    plan = shoal("release", "there-is-no-such-file.csv", *AUTO, "--epsilon", "1", "--dry-run", "--json", "-").json
    assert [(share["name"], share["epsilon"]) for share in plan["spent"]] == [
        ("records", "0.05"), ("rounding", "0.01"), ("rounding or sums", "0.24"), ("sums", "0.7")]
    assert plan["grids"][0] == 8 and plan["grids"][-1] == 960
    planned = shoal("release", "there-is-no-such-file.csv", *AUTO, "--epsilon", "1", "--dry-run")
    assert planned.code == 0 and "The noisy number of records selects the grid" in planned.out
    assert "Noisy histograms select boxes" not in planned.out
    five = ",".join(f"x{i}=0:1" for i in range(5))
    boxes = shoal("release", "there-is-no-such-file.csv", "--bounds", five, "--auto", "--epsilon", "1", "--dry-run")
    assert boxes.code == 0 and "Noisy histograms select boxes" in boxes.out and "selects the grid" not in boxes.out


def test_auto_with_what_it_would_not_heed_is_refused(refused, spirals):
    for more in (["--grid", "40"], ["--percentile", "10"], ["--coverage", "80"], ["--wavelet", "db2"], ["--level", "2"], ["--transform", "stationary"],
                 ["--technique", "privqt"]):
        refused(2, "release", spirals, *AUTO, *more, "--epsilon", "1", "-o", "r.json", says=["--auto"])
    nine = ",".join(["0:1"] * 9)
    refused(3, "release", spirals, "--columns", "1,2,3,4,5,6,7,8,9", "--bounds", nine, "--auto", "--epsilon", "1", "--dry-run", says=["8 axes"])


def test_auto_is_charged_to_the_ledger_once(shoal, refused, spirals):
    assert shoal("ledger", "create", "budget.db", "--dataset", "spirals", "--cap", "1").code == 0
    words = ["release", spirals, *AUTO, "--epsilon", "1", "--ledger", "budget.db", "--dataset", "spirals"]
    assert shoal(*words, "-o", "one.json").code == 0
    refused(4, *words, "-o", "two.json", says=["spirals"])


@pytest.fixture
def users(shoal, spirals):
    """5,000 users with several records each."""
    rows = list(csv.reader(open(spirals)))
    with open(shoal.folder / "users.csv", "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["who", *rows[0]])
        writer.writerows([f"user {i % 5000}", *row] for i, row in enumerate(rows[1:]))
    return "users.csv"


def test_with_shares_each_unit_counts_once(shoal, users):
    words = ["release", users, "--columns", "x,y", "--bounds", "0:1,0:1", "--epsilon", "1", "--auto", "--unit", "who", "--contribution", "share"]
    outcome = shoal(*words, "--neighbors", "replace", "-o", "r.json", "-o", "r.html")
    assert outcome.code == 0, outcome.err
    release = json.loads((shoal.folder / "r.json").read_text())
    assert release["unit"] == {"column": "who", "contribution": "share"}
    # Each unit counts once per question, and the question about rounding has one histogram per axis.
    assert {spent["name"]: spent["sensitivity"] for spent in release["spent"]} == {"records": 2, "rounding": 4, "sums": 2}
    assert abs(release["automatic"]["records"] - 5000) < 600
    assert sum(cluster["noisy_size"] for cluster in release["clusters"]) < 7000
    assert "one person (counted once with all records)" in (shoal.folder / "r.html").read_text()
    assert "people" in outcome.out
    outcome = shoal("reshape", "r.json", "--percentile", "20", "-o", "other.json")
    assert outcome.code == 0, outcome.err
    outcome = shoal(*words, "--dry-run", "--records", "5000", "--json", "-")
    assert outcome.code == 0, outcome.err
    assert {spent["sensitivity"] for spent in outcome.json["spent"] if "rounding" not in spent["name"]} == {1}


def test_shares_are_charged_with_other_wavelets_and_past_the_dense_limit(shoal, refused, users):
    assert shoal("ledger", "create", "budget.db", "--dataset", "users", "--cap", "8").code == 0
    words = ["release", users, "--columns", "x,y", "--bounds", "0:1,0:1", "--epsilon", "4", "--percentile", "30", "--unit", "who", "--contribution", "share"]
    charged = [*words, "--ledger", "budget.db", "--dataset", "users"]
    for name, options in {"filtered": ["--wavelet", "db2", "--grid", "32"], "sparse": ["--grid", "16384"]}.items():
        planned = shoal(*words, *options, "--dry-run", "--json", "-")
        assert planned.code == 0, planned.err
        outcome = shoal(*charged, *options, "-o", f"{name}.json", "-o", f"{name}.html", "--static")
        assert outcome.code == 0, outcome.err
        assert " people" in outcome.out and " records" not in outcome.out.replace("with all records", "")
        release = json.loads((shoal.folder / f"{name}.json").read_text())
        assert {spent["name"]: spent["sensitivity"] for spent in release["spent"]}.items() <= {spent["name"]: spent["sensitivity"] for spent in planned.json["spent"]}.items()
        assert ("floor" in release.get("noisy_sums", {})) == (name == "sparse")
        assert "one person (counted once with all records)" in (shoal.folder / f"{name}.html").read_text()
    refused(4, *charged, "--grid", "32", "-o", "more.json", says=["users"])
    refused(3, *charged, "--grid", "32", "--technique", "privthr-em", "-o", "more.json", says=["privthr-em counts whole records"])


@pytest.mark.parametrize(
    "options",
    [
        ("--bounds", "5:6,5:6", "--auto"),
        ("--bounds", "0:1,0:1", "--grid", "2000", "--percentile", "20"),
        ("--bounds", "0:1,0:1", "--grid", "16", "--percentile", "20", "--by", "class=Cardiology|Oncology"),
    ],
)
def test_a_release_that_shows_nothing_ends_with_exit_code_5_and_is_kept(shoal, tmp_path, options):
    data = tmp_path / "points.csv"
    data.write_text("class,x,y\n" + "".join(f"cardiology,0.{i % 89 + 10},0.{i % 83 + 10}\n" for i in range(3000)))
    made = shoal("release", data, "--columns", "x,y", *options, "--epsilon", "1", "-o", tmp_path / "made.json")
    assert made.exit_code == 5, made.err
    assert "epsilon 1 is spent and the release is written, but it shows nothing" in made.err
    assert (tmp_path / "made.json").exists()


def test_a_release_says_before_it_spends_that_no_json_is_written(shoal, spirals, tmp_path):
    options = ("--columns", "x,y", "--bounds", "0:1,0:1", "--auto", "--epsilon", "1")
    says = "No .json is written"
    made = shoal("release", spirals, *options, "-o", tmp_path / "only.png")
    assert made.exit_code == 0 and made.err.startswith(says)
    assert says in shoal("release", spirals, *options, "-o", tmp_path / "planned.png", "--dry-run").err
    assert says not in shoal("release", spirals, *options, "-o", tmp_path / "kept.json", "-o", tmp_path / "kept.png").err
