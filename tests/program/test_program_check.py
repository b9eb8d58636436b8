"""shoal check: what is wrong with an input. And the options that its messages name."""

import pytest

RELEASE = ("--epsilon", "1", "--grid", "8", "--percentile", "20")


def write(shoal, text, name="data.csv"):
    (shoal.folder / name).write_text(text)
    return name


def test_bad_rows_are_named_with_line_reason_and_the_option_that_helps(shoal):
    data = write(shoal, "x,y,day\n0.1,0.2,2026-01-01\n0,5,0.3,2026-01-02\n\"0,5\",0.3,2026-01-03\nNA,0.3,2026-01-04\n0.2,,2026-01-05\n")
    found = shoal("check", data, "--columns", "x,y", "--bounds", "x=0:1,y=0:1", "--json", "-").json
    assert (found["rows"], found["bad_rows"], found["inside"], found["private"]) == (1, 4, 1, False)
    faults = {line["line"]: line["fault"] for line in found["bad_lines"]}
    assert list(faults) == [3, 4, 5, 6]
    assert "has 4 fields" in faults[3] and "--decimal comma" in faults[4] and "--na NA" in faults[5] and "is empty" in faults[6]
    assert not any("--on-bad-row" in faults[line] for line in (4, 5, 6))
    said = shoal("check", data, "--columns", "x,y", "--bounds", "x=0:1,y=0:1")
    assert said.code == 0 and said.out.startswith("NOT PRIVATE") and "line 5, column 'x'" in said.out


def test_missing_outside_units_groups_and_steps_are_counted(shoal):
    rows = "".join(f"u{i % 7},{'AB'[i % 2]},{i % 110},{i / 1000:.3f}\n" for i in range(1000))
    data = write(shoal, "user,ward,age,y\n" + rows + "u1,C,NA,0.5\nu1,A,200,0.5\nu1,A,999,0.5\n")
    found = shoal("check", data, "--bounds", "age=0:110,y=0:1", "--na", "NA,999", "--unit", "user", "--by", "ward=A|B", "--json", "-").json
    age, y = found["columns"]
    assert (found["rows"], found["bad_rows"], age["missing"], age["above"], found["inside"]) == (1003, 0, 2, 1, 1000)
    assert age["step"] == 1 and y["step"] == 0.001
    assert found["units"]["units"] == 7 and found["groups"] == [{"name": "A", "records": 502}, {"name": "B", "records": 500}]
    assert found["in_no_group"] == 1


def test_swapped_bounds_and_groups_in_the_wrong_case_are_told(shoal):
    data = write(shoal, "lon,lat,ward\n" + "".join(f"{2 + i / 1000},{48 + i / 1000},cardiology\n" for i in range(500)))
    swapped = shoal("check", data, "--columns", "lon,lat", "--bounds", "lon=47:50,lat=1:4")
    assert "if those of lon and lat were swapped" in swapped.out
    wrong = shoal("check", data, "--columns", "lon,lat", "--bounds", "lon=1:4,lat=47:50", "--by", "ward=Cardiology|Oncology")
    assert "check upper and lower case" in wrong.out and "swapped" not in wrong.out
    right = shoal("check", data, "--columns", "lon,lat", "--bounds", "lon=1:4,lat=47:50", "--by", "ward=cardiology|oncology")
    assert "500 rows would be counted" in right.out and "upper and lower case" not in right.out


@pytest.mark.parametrize("first,second,said", [("2026-03-01", "2026-03-02", "all are whole days"), ("2026-03-01T10:00", "2026-03-01T10:15", "all are multiples of 15 minutes"),
                                               ("2026-03-01T10:00", "2026-03-01T11:00", "all are whole hours")])  # fmt: skip
def test_steps_of_dates_are_days_hours_and_minutes(shoal, first, second, said):
    data = write(shoal, "when,x\n" + f"{first},0\n{second},1\n" * 1000)
    done = shoal("check", data, "--bounds", "when=2026-03-01:2026-03-31,x=0:2" if len(first) == 10 else "when=2026-03-01T00:00:2026-03-31T00:00,x=0:2")
    assert said in done.out and "\n2,000 rows would be counted" in done.out, done.out


def test_dates_in_a_declared_layout_are_read_alike(shoal):
    iso = write(shoal, "day,x\n" + "".join(f"2026-01-{i % 28 + 1:02},0.{i % 9}\n" for i in range(300)), "iso.csv")
    european = write(shoal, "day,x\n" + "".join(f"{i % 28 + 1}.01.2026,0.{i % 9}\n" for i in range(300)), "european.csv")
    options = ("--bounds", "day=2026-01-01:2026-01-28,x=0:1", "--grid", "7", "--percentile", "10", "--json", "-")
    refused = shoal("cluster", european, *options)
    assert refused.code == 3 and "--date-format %d.%m.%Y" in refused.err and "skip" not in refused.err
    assert shoal("cluster", european, *options, "--date-format", "%d.%m.%Y").json == shoal("cluster", iso, *options).json
    assert shoal("cluster", iso, *options, "--date-format", "%d.%m.%Y").code == 3  # every record in one layout
    assert shoal("cluster", iso, *options, "--date-format", "%d.%m").code == 3


@pytest.mark.parametrize("option", [("--na", "NA"), ("--date-format", "%d.%m.%Y")])
def test_a_layout_needs_a_header_that_is_known(shoal, option):
    data = write(shoal, "0.1,0.2\n0.3,0.4\n")
    outcome = shoal("cluster", data, "--grid", "4", "--percentile", "10", *option)
    assert outcome.code == (3 if option[0] == "--na" else 0)


def test_it_spends_and_stores_nothing(shoal):
    data = write(shoal, "x,y\n0.1,0.2\n")
    before = sorted(path.name for path in shoal.folder.iterdir())
    assert shoal("check", data, "--columns", "x,y", "--bounds", "x=0:1,y=0:1").code == 0
    assert sorted(path.name for path in shoal.folder.iterdir()) == before


def test_without_bounds_it_checks_what_can_be_checked(shoal):
    data = write(shoal, "x,y\n0.1,0.2\n0.3,0.4\n")
    found = shoal("check", data, "--columns", "x,y", "--json", "-").json
    assert found["rows"] == 2 and [column["name"] for column in found["columns"]] == ["x", "y"]


def whole_ages(shoal, groups=("A",), count=8000):
    import random

    rng = random.Random(7)
    return write(shoal, "ward,age\n" + "".join(f"{rng.choice(groups)},{round(rng.gauss(52, 14))}\n" for _ in range(count)))


def said(outcome):
    return outcome.out + outcome.err


GRID = ("--grid", "128", "--percentile", "20")
STRIPES = "Values of age seem to be whole numbers"
FOUND = "Values of age are whole numbers."


def test_rounded_values_are_told_by_every_command(shoal):
    data = whole_ages(shoal, "AB")
    options = ("--columns", "age", "--bounds", "age=0:110")
    fits = ("--columns", "age", "--bounds", "age=0:110:int")
    assert STRIPES in said(shoal("cluster", data, *options, *GRID)) and STRIPES not in said(shoal("cluster", data, *fits, *GRID))
    assert FOUND in shoal("cluster", data, *options, "--auto").out
    for extra in ((), ("--by", "ward=A|B")):
        given = shoal("release", data, *extra, *options, *GRID, "--epsilon", "1", "-o", "given.json", "--force")
        assert given.code == 0 and STRIPES in said(given) and "--bounds age=0:110:int" in said(given)
        assert STRIPES not in said(shoal("release", data, *extra, *fits, *GRID, "--epsilon", "1", "-o", "fits.json", "--force"))
        found = shoal("release", data, *extra, *options, "--auto", "--epsilon", "10", "-o", "auto.json", "-o", "auto.html", "--static", "--force")
        assert FOUND in found.out and FOUND in (shoal.folder / "auto.html").read_text()
    group = ("--group", "A")
    assert STRIPES in said(shoal("tree", "given.json", *group)) and STRIPES not in said(shoal("tree", "fits.json", *group))


def test_a_release_by_group_says_which_groups_are_empty_and_that_a_grid_is_too_fine(shoal):
    data = whole_ages(shoal, ("Cardiology", "Oncology"))
    options = ("--columns", "age", "--bounds", "age=0:110", "-o", "wards.json", "--force")
    half = shoal("release", data, "--by", "ward=cardiology|Oncology", *options, "--auto", "--epsilon", "1000")  # next to no noise
    assert half.exit_code == 0 and "No more records lie in cardiology than noise alone would show" in said(half)
    both = shoal("release", data, "--by", "ward=Cardiology|Oncology", *options, "--auto", "--epsilon", "1000")  # next to no noise
    assert both.exit_code == 0 and "than noise alone" not in said(both)
    spread = write(shoal, "ward,age\n" + "".join(f"{'AB'[i % 2]},{i * 0.0137 + 0.0001:.4f}\n" for i in range(8000)))  # no two in a cell
    fine = shoal("release", spread, "--by", "ward=A|B", *options, "--grid", "400000", "--percentile", "20", "--epsilon", "0.5")
    assert fine.exit_code == 5 and "No part shows a cluster that is surely real" in said(fine)
