"""shoal plan and what rests on it: a plan reads no data, and says what a release would show."""

import json
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PUBLIC = ["--bounds", "x=0:1,y=0:1", "--grid", 32, "--percentile", 50, "--runs", 1]


def closure(start):
    """All headers and sources of ours that a file includes, and what they include."""
    found, todo = set(), [start]
    while todo:
        path = todo.pop()
        if path in found:
            continue
        found.add(path)
        for name in re.findall(r'^#include "([^"]+)"', path.read_text(), re.M):
            todo += [folder / name for folder in (ROOT / "include", ROOT / "src", ROOT) if (folder / name).exists()][:1]
    return {str(path.relative_to(ROOT)) for path in found}


def test_nothing_of_a_plan_can_read_points():
    included = closure(ROOT / "src/plan/plan.cpp") | closure(ROOT / "src/plan/plan_report.cpp")
    assert "include/shoal/private_release.hpp" in included  # the code of a release itself
    assert not [name for name in included if re.search(r"csv|json_lines|readers|byte_source|arrow|array_points|engines|files\.hpp", name)]


def test_more_budget_shows_more(shoal):
    names = [shoal.folder / f"plan.{suffix}" for suffix in ("html", "svg", "png", "json")]
    done = shoal("plan", *PUBLIC, "--records", 20000, "--epsilons", "0.05,2", *[part for name in names for part in ("-o", name)])
    assert done.code == 0, done.err
    assert "no data were read" in done.out
    assert all(name.stat().st_size > 500 for name in names)
    page = names[0].read_text()
    assert "Simulated, without data" in page and "Private release" not in page
    facts = json.loads(names[-1].read_text())
    assert facts["format"] == "shoal-plan/1" and len(facts["shapes"]) == 5
    little, much = facts["epsilons"]
    assert much["dsgc"]["mean"] < little["dsgc"]["mean"] and much["rand"]["mean"] > little["rand"]["mean"]
    assert much["size_error"] < little["size_error"]
    assert much["least_records"] is not None and (little["least_records"] is None or much["least_records"] < little["least_records"])
    assert shoal("plan", *PUBLIC, "--records", 20000, "--epsilons", "0.05,2", "--json", "-").json == facts


def test_a_plan_of_shares_speaks_of_people(shoal):
    done = shoal("plan", *PUBLIC, "--wavelet", "db2", "--unit", "who", "--contribution", "share", "--records", 5000, "--epsilons", "2", "-o", "plan.html")
    assert done.code == 0, done.err
    assert "5,000 made-up people" in done.out and "least people" in done.out and "records" not in done.out
    assert "Least people" in (shoal.folder / "plan.html").read_text()


def test_it_plans_releases_that_choose_their_grid_and_others_of_one_axis(shoal):
    assert len(shoal("plan", "--bounds", "0:1,0:1", "--auto", "--records", 5000, "--epsilons", 1, "--runs", 1, "--json", "-").json["epsilons"]) == 1
    assert len(shoal("plan", "--bounds", "0:9", "--grid", 64, "--coverage", 80, "--records", 5000, "--epsilons", 1, "--runs", 1, "--json", "-").json["epsilons"]) == 1


def test_insets_are_planned_beside_the_overview(shoal):
    automatic = ["plan", "--bounds", "0:1,0:1", "--auto", "--runs", 1]
    done = shoal(*automatic, "--insets", 4, "--records", 30000, "--epsilons", "0.02,2", "-o", "plan.json", "-o", "plan.html")
    assert done.code == 0, done.err
    assert "The overview, with 0.2 of epsilon:" in done.out and "An inset, such as 1/8 of each axis with a tenth of the records, with 0.8 of epsilon:" in done.out
    facts = json.loads((shoal.folder / "plan.json").read_text())
    # The overview is an automatic release of a fifth of epsilon.
    plain = shoal(*automatic, "--records", 30000, "--epsilons", "0.004,0.4", "--json", "-").json
    of_the_whole = {"epsilon": 0, "most_sure": ""}  # what an attacker may learn depends on all of epsilon
    assert [{**row, **of_the_whole} for row in facts["epsilons"]] == [{**row, **of_the_whole} for row in plain["epsilons"]]
    assert [row["most_sure"] for row in facts["epsilons"]] == ["51", "89"]
    assert [row["epsilon"] for row in facts["epsilons"]] == [row["epsilon"] for row in facts["insets"]["epsilons"]] == [0.02, 2]
    # An inset is one of four fifths, of an eighth of each axis with a tenth of the records.
    inset = shoal("plan", "--bounds", "0.5:0.625,0.5:0.625", "--auto", "--runs", 1, "--records", 3000, "--epsilons", "0.016,1.6", "--json", "-").json
    for row, other in zip(facts["insets"]["epsilons"], inset["epsilons"], strict=True):
        assert {**row, **of_the_whole} == {**other, **of_the_whole, "finer": row["finer"]}
    little, much = facts["insets"]["epsilons"]
    assert little["finer"] < 2 <= much["finer"] and "too few records" in done.out
    assert much["finest_units"] < facts["epsilons"][1]["finest_units"]
    assert (shoal.folder / "plan.html").read_text().count("<table>") == 2
    said = shoal("release", "none.csv", "--bounds", "x=0:1,y=0:1", "--auto", "--insets", 4, "--records", 30000, "--epsilon", 1, "--dry-run").out
    assert "the overview, with 0.2 of epsilon: epsilon 1: " in said and "with 0.8 of epsilon: epsilon 1: " in said


@pytest.mark.parametrize("words,code,says", [
    (["--records", 100, "--insets", 3], 2, ["--insets needs --auto"]),
    (["--records", 0], 2, ["number of records"]),
    (["--records", 100, "--epsilons", "0"], 3, ["0"]),
    (["--records", 100, "--technique", "baseline"], 3, ["baseline"]),
    (["--records", 100, "--auto"], 2, ["--auto"]),
    (["--records", 100, "-o", "plan.csv"], 3, ["plan.csv"]),
    ([], 2, ["--records"]),
])
def test_it_refuses_what_it_cannot_plan(refused, words, code, says):
    refused(code, "plan", *PUBLIC, *words, says=says)


def test_the_table_helps_to_choose_and_the_file_holds_the_rest(shoal):
    map_ = ["plan", "--bounds", "lon=13:13.8,lat=52.3:52.7", "--runs", 1, "--epsilons", "0.1,2"]
    said = shoal(*map_, "--auto", "--records", 20000, "-o", "plan.json").out
    assert "at most 53 %" in said and "at most 89 %" in said and " km)" in said and "DSG_C" not in said
    assert json.loads((shoal.folder / "plan.json").read_text())["epsilons"][0]["dsgc"]
    few = shoal(*map_, "--auto", "--records", 300).out
    assert "least records: none at any of these epsilons; more records are needed" in few and "least records  " not in few
    one = shoal(*map_[:-1], "0.1", "--auto", "--records", 300).out
    assert "none at any" not in one and "least records" in one  # with one epsilon there is nothing to compare


def test_a_plan_of_many_axes_says_what_it_cannot_know_of_boxes(shoal):
    five = ",".join(f"x{i}=0:1" for i in range(5))
    planned = shoal("plan", "--bounds", five, "--auto", "--records", 5000, "--epsilons", "0.5,1")
    assert planned.code == 0 and "the least cluster and the finest distance: unknown for boxes, which have no cells" in planned.out, planned.err
    assert "likeness" in planned.out
    dry = shoal("release", "none.csv", "--bounds", five, "--auto", "--epsilon", 1, "--records", 5000, "--dry-run")
    assert dry.code == 0 and "epsilon 1: boxes between places with few records; " in dry.out, dry.err


def test_a_plan_asks_for_people_where_people_are_counted(refused):
    refused(2, "plan", *PUBLIC, "--unit", "patient_id", "--contribution", "share", says=["--records is required", "number of patients"])


def test_a_dry_run_ends_with_the_plan(shoal):
    public = ["release", "none.csv", "--columns", "x,y", "--bounds", "0:1,0:1", "--grid", 32, "--percentile", 50, "--epsilon", 1, "--dry-run"]
    done = shoal(*public, "--records", 20000)
    assert done.code == 0, done.err
    assert re.search(r"It would show, simulated without data: epsilon 1: clusters of about \d+ records or more are found", done.out)
    assert "With --records N" in shoal(*public).out


def test_a_ledger_says_how_many_more_releases_fit(shoal, refused):
    assert shoal("ledger", "create", "l.db", "--dataset", "d", "--cap", "1").code == 0
    done = shoal("ledger", "forecast", "l.db", "--dataset", "d", "--epsilon", "0.3")
    assert done.code == 0, done.err
    assert "3 more releases with epsilon 0.3 fit" in done.out and "together then have epsilon 0.9" in done.out
    assert shoal("ledger", "forecast", "l.db", "--dataset", "d", "--epsilon", "2", "--json", "-").json["releases"] == 0
    planned = shoal("ledger", "forecast", "l.db", "--dataset", "d", "--epsilon", "0.3", "--bounds", "0:1,0:1", "--grid", 32, "--percentile", 50, "--records", 5000)
    assert "Each would show, simulated without data: epsilon 0.3" in planned.out, planned.err
    refused(3, "ledger", "forecast", "l.db", "--dataset", "other", "--epsilon", "0.3", says=["no account 'other'"])
    refused(2, "ledger", "forecast", "l.db", "--dataset", "d", "--epsilon", "0.3", "--records", 100, says=["--bounds"])
