"""Releases by group: the program from --by to compare."""

import csv
import datetime
import io
import json
import random
import re

import pytest
from conftest import validate

# Next to no noise, and every cell with a record.
EXACT = ("--epsilon", "1000", "--grid", "16", "--percentile", "0", "--technique", "privqt")


@pytest.fixture(scope="module")
def visits(tmp_path_factory):
    """Three weeks and a day of another; wards A to D; a person in several of each."""
    rng = random.Random(4)
    path = tmp_path_factory.mktemp("groups") / "visits.csv"
    with path.open("w") as file:
        file.write("person,day,week,ward,x,y\n")
        for _ in range(3000):
            day = datetime.date(2025, 12, 29) + datetime.timedelta(days=rng.randrange(22))
            year, week, _weekday = day.isocalendar()
            x, y = rng.choice([(0.25, 0.3), (0.7, 0.6)])
            row = [f"p{rng.randrange(200)}", day.isoformat(), f"{year}-W{week:02}", rng.choice("AABCD")]
            file.write(",".join([*row, f"{rng.gauss(x, 0.05):.4f}", f"{rng.gauss(y, 0.05):.4f}"]) + "\n")
    return path


def rows_of(path):
    return list(csv.DictReader(io.StringIO(path.read_text())))


def total(release):
    return sum(cluster["noisy_size"] for cluster in release["clusters"])


def release(shoal, visits, *options, by="ward=A|B|C"):
    outcome = shoal("release", visits, "--by", by, "--bounds", "x=0:1,y=0:1", "--json", "-", *options)
    assert outcome.code == 0, outcome.err
    return outcome.json


def test_each_group_gets_a_release_in_one_file(shoal, visits):
    made = release(shoal, visits, *EXACT)
    validate("groups", made)
    assert made["format"] == "shoal-groups/1" and made["by"] == "ward" and made["max_groups"] == 1
    assert [group["name"] for group in made["groups"]] == ["A", "B", "C"]
    assert made["epsilon"] == 1000 and made["spent"] == [{"name": "groups", "sensitivity": 1, "epsilon": 1000, "epsilon_exact": "1000"}]
    wards = [row["ward"] for row in rows_of(visits)]
    for group in made["groups"]:
        assert total(group["release"]) == wards.count(group["name"])


@pytest.mark.parametrize("column", ["day", "week"])
def test_weeks_are_those_of_the_calendar(shoal, visits, column):
    made = release(shoal, visits, *EXACT, by=f"{column}=2026-W01..2026-W03")
    weeks = [row["week"] for row in rows_of(visits)]
    assert [group["name"] for group in made["groups"]] == ["2026-W01", "2026-W02", "2026-W03"]
    for group in made["groups"]:
        assert total(group["release"]) == weeks.count(group["name"]) > 800
    assert weeks.count("2026-W04") > 50


def test_months_and_days(shoal, visits):
    days = [row["day"] for row in rows_of(visits)]
    made = release(shoal, visits, *EXACT, by="day=2025-12..2026-01")
    assert [total(group["release"]) for group in made["groups"]] == [sum(day < "2026" for day in days), sum(day >= "2026" for day in days)]
    made = release(shoal, visits, *EXACT, by="day=2026-01-02..2026-01-04")
    assert [total(group["release"]) for group in made["groups"]] == [days.count(f"2026-01-0{i}") for i in (2, 3, 4)]


def test_a_unit_is_in_at_most_so_many_groups(shoal, visits):
    people = {}
    for row in rows_of(visits):
        if row["ward"] in "ABC":
            people.setdefault(row["person"], set()).add(row["ward"])
    for most in (1, 2, 3):
        unit = ("--unit", "person", "--max-contributions", "1", "--max-groups", most)
        made = release(shoal, visits, *EXACT, *unit)
        validate("groups", made)
        assert made["epsilon"] == 1000 * most and made["max_groups"] == most
        assert all(group["release"]["epsilon"] == 1000 for group in made["groups"])
        kept = sum(total(group["release"]) for group in made["groups"])
        assert kept == sum(min(most, len(wards)) for wards in people.values())


def test_shared_weights_count_once_in_each_group(shoal, visits):
    people = {}
    for row in rows_of(visits):
        if row["ward"] in "ABC":
            people.setdefault(row["person"], set()).add(row["ward"])
    for most in (1, 3):
        made = release(shoal, visits, *EXACT, "--unit", "person", "--contribution", "share", "--max-groups", most)
        validate("groups", made)
        assert made["epsilon"] == 1000 * most and made["unit"] == {"column": "person", "contribution": "share"}
        kept = sum(total(group["release"]) for group in made["groups"])
        expected = sum(min(most, len(wards)) for wards in people.values())
        assert abs(kept - expected) < 0.1 * expected  # sizes are rounded to whole people


def test_the_ledger_is_charged_for_all_groups_at_once(shoal, visits, tmp_path):
    ledger = tmp_path / "budget.db"
    assert shoal("ledger", "create", ledger, "--dataset", "visits", "--cap", "1").code == 0
    command = ("release", visits, "--by", "ward=A|B|C", "--bounds", "x=0:1,y=0:1", "--grid", "16", "--percentile", "30")
    command += ("--unit", "person", "--max-contributions", "2", "--ledger", ledger, "--dataset", "visits")
    refused = shoal(*command, "--epsilon", "0.4", "--max-groups", "3", "-o", tmp_path / "a.json")
    assert refused.code == 4 and "1.2" in refused.err and not (tmp_path / "a.json").exists()
    assert shoal(*command, "--epsilon", "0.4", "--max-groups", "2", "-o", tmp_path / "a.json").code == 0
    assert shoal("ledger", "show", ledger, "--json", "-").json["accounts"][0]["spent"] in ("0.8", 0.8)


def test_every_format_is_written(shoal, visits, tmp_path):
    names = [tmp_path / f"groups.{suffix}" for suffix in ("json", "geojson", "csv", "html", "svg", "png")]
    outputs = [part for name in names for part in ("-o", name)]
    outcome = shoal("release", visits, "--by", "ward=A|B", "--bounds", "x=0:1,y=0:1", "--auto", "--epsilon", "2", *outputs)
    assert outcome.code == 0, outcome.err
    assert "epsilon 2 for each of 2 groups, 2 in all" in outcome.out and "Next: shoal compare" in outcome.out
    document = json.loads(names[0].read_text())
    validate("groups", document)
    features = json.loads(names[1].read_text())["features"]
    assert {feature["properties"]["group"] for feature in features} == {"A", "B"}
    assert len({feature["id"] for feature in features}) == len(features)
    rows = rows_of(names[2])
    assert {row["group"] for row in rows} == {"A", "B"} and len(rows) == sum(c["cells"] for g in document["groups"] for c in g["release"]["clusters"])
    assert "all groups together" in names[3].read_text()


@pytest.fixture
def made(shoal, visits, tmp_path):
    path = tmp_path / "weeks.json"
    outcome = shoal("release", visits, "--by", "day=2026-W01..2026-W03", "--bounds", "x=0:1,y=0:1", "--auto", "--epsilon", "2", "-o", path)
    assert outcome.code == 0, outcome.err
    return path


def test_groups_of_one_file_are_compared_in_order(shoal, made, tmp_path):
    outcome = shoal("compare", made, "-o", tmp_path / "changes.html", "--json", "-")
    assert outcome.code == 0, outcome.err
    assert [step["before"] for step in outcome.json["changes"]] == ["2026-W01", "2026-W02"]
    assert [step["after"] for step in outcome.json["changes"]] == ["2026-W02", "2026-W03"]
    two = shoal("compare", made, made, "--group", "2026-W02")
    assert two.code == 0, two.err
    assert "0 of 2 clusters changed" in two.out


def test_one_group_is_reshaped_labelled_and_drawn_as_a_release(shoal, made, visits, tmp_path):
    one = shoal("reshape", made, "--group", "2026-W02", "--json", "-")
    assert one.code == 0, one.err
    document = json.loads(made.read_text())
    assert one.json["noisy_sums"] == document["groups"][1]["release"]["noisy_sums"] and one.json["format"] == "shoal-release/1"
    every = shoal("reshape", made, "--coverage", "50", "--json", "-")
    assert every.code == 0, every.err
    validate("groups", every.json)
    assert every.json["epsilon"] == 2 and all(group["release"]["coverage"] == 50 for group in every.json["groups"])
    labels = shoal("predict", made, visits, "--group", "2026-W01", "-o", tmp_path / "labels.csv")
    assert labels.code == 0, labels.err
    assert shoal("tree", made, "--group", "2026-W03").code == 0


def counted(rows, column, cells=16):
    """As GROUP BY the group and the cell gives it; other columns and another order do not matter."""
    counts = {}
    for row in rows:
        x, y = float(row["x"]), float(row["y"])
        if 0 <= x <= 1 and 0 <= y <= 1:
            at = (row[column], min(int(x * cells), cells - 1), min(int(y * cells), cells - 1))
            counts[at] = counts.get(at, 0) + 1
    return counts


def write_counts(path, column, counts):
    path.write_text(f"y,count,{column},x\n" + "".join(f"{y},{n},{name},{x}\n" for (name, x, y), n in counts.items()))


@pytest.mark.parametrize("options, cells", [(EXACT[2:], 16), (("--auto",), 960), (("--grid", "16", "--percentile", "30", "--technique", "privthr"), 16)])
@pytest.mark.parametrize("by, column", [("ward=A|B|C", "ward"), ("week=2026-W01..2026-W03", "week")])
def test_counts_by_group_give_the_releases_of_their_records(shoal, visits, tmp_path, by, column, options, cells):
    """Ward D and the fourth week are in the file and not in the list."""
    write_counts(tmp_path / "cells.csv", column, counted(rows_of(visits), column, cells))
    options = ("--by", by, "--bounds", "x=0:1,y=0:1", *options, "--epsilon", "1", "--seed", "3", "--json", "-")
    expected = shoal("release", visits, *options)
    found = shoal("release", "--counts", tmp_path / "cells.csv", *options)
    assert expected.code == found.code == 0, found.err
    assert found.json == expected.json
    assert "each record must be counted once" in found.err


def test_counts_by_group_say_what_the_engine_must_have_kept(shoal, refused, visits, tmp_path):
    counts = counted(rows_of(visits), "ward")
    write_counts(tmp_path / "cells.csv", "ward", counts)
    command = ("release", "--counts", tmp_path / "cells.csv", "--by", "ward=A|B|C", "--bounds", "x=0:1,y=0:1", "--grid", "16", "--percentile", "30", "--epsilon", "0.5")
    unit = ("--unit", "person", "--max-contributions", "4", "--max-groups", "2")
    done = shoal(*command, *unit, "-o", tmp_path / "wards.json")
    assert done.code == 0, done.err
    assert "at most 4 records of each 'person' in each of at most 2 groups" in done.out
    made = json.loads((tmp_path / "wards.json").read_text())
    validate("groups", made)
    assert made["epsilon"] == 1 and made["max_groups"] == 2
    plan = shoal(*command, *unit, "--dry-run")
    assert "1 in all" in plan.out and "  x: 16 cells from 0 to 1\n" in plan.out
    refused(2, *command, "--technique", "baseline", "-o", tmp_path / "b.json", says=["baseline needs the points"])
    with (tmp_path / "cells.csv").open("a") as file:
        file.write("3,1,A,16\n")
    refused(3, *command, "-o", tmp_path / "b.json", says=[f"row {len(counts) + 1} of the counts", "axis 'x' has the cells 0 to 15"])
    (tmp_path / "cells.csv").write_text("x,y,count\n1,2,3\n")
    refused(3, *command, "-o", tmp_path / "b.json", says=["no column 'ward'"])
    (tmp_path / "cells.csv").write_text("ward,x,y,count\nA,1,2,3\nD,1,2,3\nA,1,2,4\n")
    refused(3, *command, "-o", tmp_path / "b.json", says=["row 3 of the counts repeats"])


def labels_of(outcome):
    assert outcome.code == 0, outcome.err
    return list(csv.DictReader(io.StringIO(outcome.out)))


@pytest.mark.parametrize("by, column", [("ward=A|B|C", "ward"), ("day=2026-W01..2026-W03", "week")])
def test_each_row_is_labelled_by_its_own_group(shoal, visits, tmp_path, by, column):
    """A fifth of the rows lies in ward D and some in a fourth week: in no group."""
    path = tmp_path / "groups.json"
    made = shoal("release", visits, "--by", by, "--bounds", "x=0:1,y=0:1", "--auto", "--epsilon", "2", "-o", path)
    assert made.code == 0, made.err
    names = [group["name"] for group in json.loads(path.read_text())["groups"]]
    rows = rows_of(visits)
    labels = labels_of(shoal("predict", path, visits, "--strength"))
    assert len(labels) == len(rows) and list(labels[0]) == ["group", "cluster", "strength"]
    alone = {name: labels_of(shoal("predict", path, visits, "--group", name, "--strength")) for name in names}
    for i, (row, label) in enumerate(zip(rows, labels, strict=True)):
        if row[column] in names:
            assert label == {"group": row[column], **alone[row[column]][i]}
        else:
            assert label == {"group": "", "cluster": "0", "strength": "0.000"}
    assert len({(label["group"], label["cluster"]) for label in labels}) > 6
    outcome = shoal("predict", path, visits, "-o", tmp_path / "labels.csv", "--json", tmp_path / "facts.json")
    in_none = sum(row[column] not in names for row in rows)
    assert in_none > 50 and f" unclustered, {in_none} of them in no group; wrote" in outcome.out
    assert json.loads((tmp_path / "facts.json").read_text())["in_no_group"] == in_none


def test_a_zone_holds_for_labels_too(shoal, tmp_path):
    """22:30 in Greenwich is the next day two hours further east."""
    (tmp_path / "at.csv").write_text("at,x,y\n" + "2026-01-01T22:30:00Z,.2,.2\n2026-01-02T22:30:00Z,.2,.2\n2025-12-31T21:00:00Z,.2,.2\n")
    by = "at=2026-01-01..2026-01-02:zone=+02:00"
    assert shoal("release", tmp_path / "at.csv", "--by", by, "--bounds", "x=0:1,y=0:1", *EXACT, "-o", tmp_path / "days.json").code == 0
    labels = labels_of(shoal("predict", tmp_path / "days.json", tmp_path / "at.csv"))
    assert [label["group"] for label in labels] == ["2026-01-02", "", ""]


def test_names_with_commas_are_quoted_and_seeded_labels_marked(shoal, tmp_path):
    (tmp_path / "p.csv").write_text('ward,x,y\n"A, left",.2,.2\nB,.2,.2\n')
    made = shoal("release", tmp_path / "p.csv", "--by", "ward=A, left|C", "--bounds", "x=0:1,y=0:1", *EXACT, "--seed", "1", "--json", tmp_path / "s.json")
    assert made.code == 0, made.err
    outcome = shoal("predict", tmp_path / "s.json", tmp_path / "p.csv", "--doubtful")
    assert outcome.out == 'group,cluster,private\n"A, left",1,false\n,0,false\n'


def test_labels_by_group_need_the_column(shoal, made, tmp_path):
    (tmp_path / "p.csv").write_text("x,y\n.2,.2\n")
    outcome = shoal("predict", made, tmp_path / "p.csv")
    assert outcome.code == 3 and outcome.out == "" and len(outcome.err.splitlines()) == 1
    assert "no column 'day'" in outcome.err and "--group 2026-W01" in outcome.err


def test_a_dry_run_says_the_whole_cost(shoal, visits):
    command = ("release", "none.csv", "--by", "ward=A|B|C|D", "--bounds", "x=0:1,y=0:1", "--grid", "8", "--percentile", "30")
    command += ("--unit", "person", "--max-contributions", "3", "--epsilon", "0.5", "--dry-run")
    outcome = shoal(*command, "--max-groups", "3")
    assert outcome.code == 0, outcome.err
    assert "epsilon 0.5 for each of 4 groups, 1.5 in all" in outcome.out
    planned = shoal(*command, "--max-groups", "1", "--records", "8000")
    assert "Each group, of about 2000 records, would show, simulated without data: " in planned.out
    replaced = shoal(*command, "--max-groups", "1", "--neighbors", "replace", "--json", "-")
    assert replaced.json["total_epsilon"] == "1" and replaced.json["groups"] == ["A", "B", "C", "D"]


BASE = ("--bounds", "x=0:1,y=0:1", "--grid", "8", "--percentile", "30", "--epsilon", "1", "--json", "-")


@pytest.mark.parametrize(
    "code, options, says",
    [
        (2, ("--by", "ward=A|B|A"), ["group 'A' twice"]),
        (2, ("--by", "ward="), ["empty"]),
        (2, ("--by", "ward"), ["--by", "ward=A|B|C"]),
        (2, ("--by", "day=2026-W03..2026-W01"), ["ends before it begins"]),
        (2, ("--by", "day=2026-W60..2026-W61"), ["a range is of weeks"]),
        (3, ("--by", "clinic=A|B"), ["no column 'clinic'"]),
        (2, ("--by", "x=0|1"), ["both name column 'x'"]),
        (2, ("--by", "person=a|b", "--unit", "person", "--max-contributions", "1"), ["both name column 'person'"]),
        (2, ("--by", "ward=A|B", "--max-groups", "2"), ["--max-groups needs --unit"]),
        (2, ("--max-groups", "2"), ["--max-groups needs --by"]),
        (3, ("--by", "ward=A|B", "--unit", "person", "--max-contributions", "1", "--max-groups", "3"), ["there are 2 groups"]),
        (3, ("--by", "ward=A|B", "--unit", "person", "--max-contributions", "1", "--max-groups", "0"), ["max-groups is 0"]),
    ],
)
def test_bad_input_is_refused_in_one_line(shoal, visits, code, options, says):
    outcome = shoal("release", visits, *BASE, *options)
    assert outcome.code == code and outcome.out == "" and len(outcome.err.splitlines()) == 1, outcome.err
    for word in says:
        assert word in outcome.err


def test_columns_without_names_are_refused(shoal, visits):
    outcome = shoal("release", visits, "--by", "ward=A|B", "--bounds", "0:1,0:1", "--grid", "8", "--percentile", "30", "--epsilon", "1", "--json", "-")
    assert outcome.code == 2 and "--columns" in outcome.err and len(outcome.err.splitlines()) == 1


def test_a_choice_of_group_that_does_not_fit_is_refused(shoal, made, tmp_path, visits):
    outcome = shoal("tree", made)
    assert outcome.code == 2 and "choose one, such as --group 2026-W01" in outcome.err
    outcome = shoal("tree", made, "--group", "2026-W09")
    assert outcome.code == 3 and "no group '2026-W09'" in outcome.err and "2026-W03" in outcome.err
    assert shoal("reshape", made, "--group", "2026-W01", "-o", tmp_path / "one.json").code == 0
    outcome = shoal("tree", tmp_path / "one.json", "--group", "A")
    assert outcome.code == 2 and "without groups" in outcome.err
    outcome = shoal("compare", tmp_path / "one.json")
    assert outcome.code == 3 and "give two or more" in outcome.err


def test_groups_of_different_planes_are_not_compared(shoal, made, visits, tmp_path):
    other = tmp_path / "other.json"
    command = ("release", visits, "--by", "ward=A|B", "--bounds", "x=0:2,y=0:1", "--auto", "--epsilon", "2", "-o", other)
    assert shoal(*command).code == 0
    outcome = shoal("compare", made, other)
    assert outcome.code == 3 and "different planes" in outcome.err and len(outcome.err.splitlines()) == 1


def test_a_damaged_file_is_refused_with_its_group(shoal, made, tmp_path):
    document = json.loads(made.read_text())
    document["groups"][1]["release"]["k"] += 1
    (tmp_path / "bad.json").write_text(json.dumps(document))
    outcome = shoal("compare", tmp_path / "bad.json")
    assert outcome.code == 3 and "2026-W02" in outcome.err and "checksum" in outcome.err


def test_a_group_of_people_says_that_each_counts_once(shoal, visits, tmp_path):
    unit = ("--unit", "person", "--contribution", "share")
    options = ("--by", "day=2026-W01..2026-W03", "--bounds", "x=0:1,y=0:1", *EXACT, *unit)
    weeks = tmp_path / "weeks.json"
    made = shoal("release", visits, *options, "-o", weeks, "-o", tmp_path / "weeks.geojson", "-o", tmp_path / "weeks.html")
    says = "Each person counts in one of the weeks in which it has records"
    assert made.code == 0 and says in made.out
    assert says in (tmp_path / "weeks.html").read_text() and says in json.loads((tmp_path / "weeks.geojson").read_text())["counts"]
    for group in json.loads(weeks.read_text())["groups"]:
        assert group["release"]["unit"]["groups"] == {"word": "week", "most": 1, "groups": 3}
    compared = shoal("compare", weeks)
    assert says in compared.out and "grew" not in compared.out and "shrank" not in compared.out
    one = tmp_path / "one.json"
    assert says in shoal("reshape", weeks, "--group", "2026-W02", "-o", one).out  # a group alone still says so
    assert says in shoal("compare", one, one, "--json", "-").json["counts"]
    whole = shoal("release", visits, *options, "--max-groups", "3", "-o", tmp_path / "whole.json")
    assert whole.code == 0 and "counts in" not in whole.out


def test_compare_never_calls_more_people_counted_a_growth(shoal, tmp_path):
    """Nobody is new: half of the people stay away in the first week, so more of the others count in the second."""
    rng = random.Random(2)
    path = tmp_path / "people.csv"
    with path.open("w") as file:
        file.write("person,day,x,y\n")
        for person in range(4000):
            for day in ["2026-01-06", "2026-01-13"][0 if person % 2 else 1 :]:
                file.write(f"p{person},{day},{rng.gauss(0.5, 0.05):.4f},{rng.gauss(0.5, 0.05):.4f}\n")
    weeks = tmp_path / "weeks.json"
    unit = ("--unit", "person", "--contribution", "share", "--by", "day=2026-W02..2026-W03")
    made = shoal("release", path, "--bounds", "x=0:1,y=0:1", "--epsilon", "10", "--grid", "16", "--percentile", "40", *unit, "-o", weeks)
    assert made.code == 0, made.err
    found = {one["change"] for step in shoal("compare", weeks, "--json", "-").json["changes"] for cluster in step["clusters"] for one in cluster["found"]}
    assert "more counted" in found and not found & {"grew", "shrank"}


WEEKS = [f"2026-W{week:02}" for week in range(2, 6)]
OF_PEOPLE = ("release", "people.csv", "--bounds", "x=0:1,y=0:1", "--unit", "person", "--contribution", "share", "--by", "week=2026-W02..2026-W05")


def people_of_weeks(path, people):
    """Everybody comes in about half of the weeks, and more of them in later ones. Returns how many were there in each week."""
    rng = random.Random(8)
    there = dict.fromkeys(WEEKS, 0)
    with path.open("w") as file:
        file.write("person,week,x,y\n")
        for person in range(people):
            for i, week in enumerate(WEEKS):
                if rng.random() < 0.3 + 0.15 * i:
                    there[week] += 1
                    for _ in range(rng.choice([1, 1, 3])):
                        file.write(f"p{person},{week},{rng.gauss(0.5, 0.08):.4f},{rng.gauss(0.5, 0.08):.4f}\n")
    return there


def intervals_of(outcome):
    """What the line of each group says: whether only some count, the number, and the ends of its interval."""
    found = re.findall(r"(2026-W\d\d) .*, (counted: )?about (\d+) people \(95 %: (\d+) to (\d+)\)", outcome.out)
    assert [week for week, *_ in found] == WEEKS, outcome.out
    return {week: (bool(counted), int(about), int(least), int(most)) for week, counted, about, least, most in found}


ON_A_GRID = ("--grid", "16", "--percentile", "30")


@pytest.mark.parametrize("options", [("--auto",), ON_A_GRID, (*ON_A_GRID, "--technique", "privqt")])
def test_with_max_groups_the_truth_of_each_week_lies_in_its_interval(shoal, options):
    there = people_of_weeks(shoal.folder / "people.csv", 1000)
    inside, shown = 0, 0
    for seed in range(10):
        made = shoal(*OF_PEOPLE, "--max-groups", "4", "--epsilon", "0.5", *options, "--seed", seed)
        for week, (counted, about, least, most) in intervals_of(made).items():
            assert not counted and least <= about <= most
            inside, shown = inside + (least <= there[week] <= most), shown + 1
    assert shown == 40 and inside >= 35  # 38 of 40, and two deviations


def test_without_it_at_least_as_many_were_there_as_count(shoal):
    there = people_of_weeks(shoal.folder / "people.csv", 3000)
    for seed in range(5):
        made = shoal(*OF_PEOPLE, "--epsilon", "0.5", "--auto", "--seed", seed)
        assert "at least that many were there" in made.out
        for week, (counted, _, _, most) in intervals_of(made).items():
            assert counted and most < there[week]  # many count in another week


def test_a_plan_says_what_all_groups_cost(shoal, refused):
    plan = ("plan", "--bounds", "x=0:1,y=0:1", "--grid", "16", "--percentile", "30", "--records", "2000", "--epsilons", "0.1,0.5", "--runs", "1")
    people = ("--unit", "person", "--contribution", "share", "--by", "week=2026-W01..2026-W12")
    for most, cost in (("1", (0.1, 0.5)), ("12", (1.2, 6))):
        said = shoal(*plan, *people, "--max-groups", most)
        words = f"Each row is about one of 12 weeks, with 2,000 people in it. All of them together cost epsilon {cost[0]:g} at 0.1, {cost[1]:g} at 0.5."
        assert words in said.out, said.out
        facts = shoal(*plan, *people, "--max-groups", most, "--json", "-").json
        assert [row["total_epsilon"] for row in facts["epsilons"]] == list(cost) and facts["max_groups"] == int(most)
    assert "groups" not in shoal(*plan, "--json", "-").json and "All of them together" not in shoal(*plan).out
    refused(2, *plan, "--max-groups", "2", says=["--max-groups needs --by"])
