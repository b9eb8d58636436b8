"""Axes by kind: whole numbers, steps, logarithms, dates, circles, categories, places on Earth. Oracles: numpy and pandas."""

import csv
import io
import json
import random
import re

import numpy as np
import pandas as pd
import pytest


def write(shoal, name, **columns):
    pd.DataFrame(columns).to_csv(shoal.folder / name, index=False)
    return name


def cells_of(shoal, name, bounds, *words):
    """Points per cell of the grid, by a clustering that keeps all occupied cells and pools none of them away."""
    done = shoal("cluster", name, "--bounds", bounds, "--percentile", "0", "--transform", "stationary", "--json", "-", *words)
    assert done.code == 0, done.err
    return done.json


def exported(shoal, name, bounds, *words):
    """Rows of the CSV of all occupied cells, of the transform's blocks."""
    done = shoal("cluster", name, "--bounds", bounds, "--percentile", "0", "-o", "cells.csv", "--force", *words)
    assert done.code == 0, done.err
    return list(csv.DictReader(io.StringIO((shoal.folder / "cells.csv").read_text())))


@pytest.mark.parametrize("grid", ["7", "33", "64", "100", "500"])
def test_uniform_whole_numbers_show_no_stripes_on_any_grid(shoal, grid):
    name = write(shoal, "ages.csv", age=np.repeat(np.arange(111), 50))
    rows = exported(shoal, name, "age=0:110:int", "--grid", grid)
    points = [int(row["points"]) for row in rows]
    assert max(points[:-1]) == min(points[:-1]), points
    assert points[-1] <= points[0]
    assert int(rows[0]["age_lo"]) == 0 and int(rows[-1]["age_hi"]) >= 110
    for row, after in zip(rows, rows[1:]):
        assert int(row["age_hi"]) + 1 == int(after["age_lo"])


def test_plain_cells_make_stripes_of_whole_numbers(shoal):
    name = write(shoal, "ages.csv", age=np.repeat(np.arange(111), 50))
    points = [int(row["points"]) for row in exported(shoal, name, "age=0:110", "--grid", "64")]
    assert max(points[:-1]) > min(points[:-1])


def test_whole_number_ages_under_auto_give_no_clusters_of_their_own(shoal):
    rng = np.random.default_rng(1)
    name = write(shoal, "ages.csv", age=rng.integers(0, 111, 20000))
    for seed in range(3):
        done = shoal("release", name, "--bounds", "age=0:110:int", "--auto", "--epsilon", "1", "--seed", seed, "--json", "-")
        assert done.code == 0, done.err
        assert len(done.json["clusters"]) <= 1
        assert done.json["axes"][0]["step"] == 1
        (axis,) = done.json["axes"]
        assert (axis["hi"] - axis["lo"]) % axis["cells"] == 0


@pytest.mark.parametrize("bounds", ["age=0:110:int", "age=0:999:int", "age=1:60:int", "age=0:23:int:circle", "age=0:500:step=12.5", "age=0:96:int"])
def test_uniform_values_show_no_stripes_under_auto(shoal, bounds):
    """Not private, so that each value counts the same: every cell but the last is as full as the others."""
    lower, upper = (float(bound) for bound in bounds.split("=", 1)[1].split(":")[:2])
    step = 12.5 if "step" in bounds else 1
    values = np.arange(lower, upper + step / 2, step)
    name = write(shoal, "values.csv", age=np.repeat(values, 400_000 // len(values)))
    done = shoal("cluster", name, "--bounds", bounds, "--auto", "--json", "-")
    assert done.code == 0, done.err
    private = shoal("release", name, "--bounds", bounds, "--auto", "--epsilon", "1", "--seed", "1", "--json", "-").json
    (axis,) = private["axes"]
    each = (axis["hi"] - axis["lo"]) / axis["cells"] / step
    assert each == round(each) and axis["cells"] <= len(values) + 1
    assert done.json["clusters"] <= 1 and len(private["clusters"]) <= 1
    rows = exported(shoal, name, bounds, "--grid", str(axis["cells"]))
    points = [int(row["points"]) for row in rows]
    assert max(points[:-1]) == min(points[:-1]), points


def test_the_bounds_of_auto_are_those_declared(shoal):
    """A coarse grid would move the upper bound up to the end of its last cell."""
    name = write(shoal, "values.csv", x=[*range(1000), 1003])
    assert shoal("cluster", name, "--bounds", "x=0:999:int", "--auto", "--json", "-").json["outside"] == 1
    axes = shoal("release", name, "--bounds", "x=0:999:int", "--auto", "--epsilon", "1", "--seed", "1", "--json", "-").json["axes"]
    assert axes[0]["lo"] == -0.5


def test_days_are_counted_as_pandas_counts_them(shoal):
    rng = np.random.default_rng(2)
    days = pd.Timestamp("2023-12-01") + pd.to_timedelta(rng.integers(0, 500, 3000), unit="D")
    name = write(shoal, "days.csv", day=days.strftime("%Y-%m-%d"))
    inside = pd.Series(days[(days >= "2024-01-01") & (days <= "2024-12-31")])
    rows = exported(shoal, name, "day=2024-01-01:2024-12-31", "--grid", "366")
    by_two = inside.groupby((inside - pd.Timestamp("2024-01-01")).dt.days // 2).size()
    assert [int(row["points"]) for row in rows] == by_two.tolist()
    assert rows[29]["day_lo"] == "2024-02-28" and rows[29]["day_hi"] == "2024-02-29"  # a leap day
    assert rows[30]["day_lo"] == "2024-03-01"


@pytest.mark.parametrize("zone, offset", [("Z", 0), ("+05:30", 19800), ("-03:00", -10800)])
def test_times_with_zones_epochs_and_texts_agree(shoal, zone, offset):
    rng = np.random.default_rng(3)
    seconds = rng.integers(1_767_225_600, 1_767_225_600 + 7 * 86400, 2000)
    local = pd.to_datetime(seconds + offset, unit="s")
    words = "t=2026-01-01T00:00Z:2026-01-08T00:00Z"
    texts = write(shoal, "texts.csv", t=[f"{t:%Y-%m-%dT%H:%M:%S}{zone}" for t in local])
    epochs = write(shoal, "epochs.csv", t=seconds)
    millis = write(shoal, "millis.csv", t=seconds * 1000)
    counts = []
    for name, bounds in [(texts, words), (epochs, words), (millis, words + ":epoch=ms")]:
        counts.append([(row["t_lo"], row["points"]) for row in exported(shoal, name, bounds, "--grid", "168")])
    assert counts[0] == counts[1] == counts[2]
    hours = pd.Series(pd.to_datetime(seconds, unit="s")).dt.floor("2h").value_counts().sort_index()
    assert [int(points) for _, points in counts[0]] == hours.tolist()
    assert [lo for lo, _ in counts[0]] == [f"{t:%Y-%m-%dT%H:%M}Z" for t in hours.index]


def test_logarithmic_cells_are_numpys_geomspace(shoal):
    values = np.exp(np.random.default_rng(4).uniform(-1, 15, 5000))
    name = write(shoal, "income.csv", income=values)
    rows = exported(shoal, name, "income=1:1e6:log", "--grid", "60")
    wanted, _ = np.histogram(values, np.geomspace(1, 1e6, 31))
    assert [int(row["points"]) for row in rows] == [count for count in wanted if count]


def pairs(edges):
    """The edges of pairs of cells, as the transform's first level has them."""
    return np.append(edges[:-1:2], edges[-1])


def kinds():
    rng = np.random.default_rng(11)
    n = 4000
    months = pd.period_range("2023-03", "2028-02", freq="M").start_time.to_numpy("M8[s]").astype(float)
    hours = rng.uniform(-48, 72, n)
    sines = np.linspace(np.sin(np.radians(-60)), np.sin(np.radians(70)), 65)
    return [
        ("x=0:110:int", rng.integers(0, 111, n), None, np.arange(-0.5, 112, 2)),
        ("x=-7:56:int", rng.integers(-7, 57, n), None, np.arange(-7.5, 57)),
        ("x=0:500:step=12.5", rng.integers(0, 41, n) * 12.5, None, np.arange(-6.25, 507, 12.5)),
        ("x=1:1e4:log", np.exp(rng.uniform(-1, 10, n)), None, np.geomspace(1, 1e4, 65)),
        ("x=0:24:circle", hours, hours % 24, np.linspace(0, 24, 65)),
        ("x=1:12:int:circle", rng.integers(1, 13, n), None, np.arange(0.5, 13)),
        ("lat=-60:70", rng.uniform(-80, 80, n), None, np.degrees(np.arcsin(sines))),
        ("x=2023-03-01:2028-02-29:month", rng.integers(1_672_531_200, 1_861_920_000, n), None, np.append(months, pd.Timestamp("2028-03-01").timestamp())),
    ]


@pytest.mark.parametrize("bounds, values, meant, edges", kinds())
def test_cells_of_every_kind_are_numpys(shoal, bounds, values, meant, edges):
    name = bounds.split("=")[0]
    write(shoal, "values.csv", **{name: values})
    rows = exported(shoal, "values.csv", bounds, *(["--geo"] if name == "lat" else []))
    wanted, _ = np.histogram(values if meant is None else meant, pairs(edges))
    assert [int(row["points"]) for row in rows] == [count for count in wanted if count]


def test_outlines_of_curved_scales_lie_on_the_edges_of_cells(shoal):
    rng = np.random.default_rng(12)
    name = write(shoal, "values.csv", income=np.exp(rng.normal(5, 1, 5000)), age=rng.normal(40, 10, 5000).round().clip(0, 110).astype(int))
    bounds = "income=1:1e6:log,age=0:110:int"
    assert shoal("cluster", name, "--bounds", bounds, "--grid", "60", "--percentile", "50", "-o", "a.geojson").code == 0
    across, up = np.geomspace(1, 1e6, 61), np.arange(-0.5, 112, 2)
    corners = 0
    for feature in json.loads((shoal.folder / "a.geojson").read_text())["features"]:
        shape = feature["geometry"]
        for polygon in [shape["coordinates"]] if shape["type"] == "Polygon" else shape["coordinates"]:
            for x, y in polygon[0]:
                assert np.abs(np.log(across / x)).min() < 1e-9 and np.abs(up - y).min() < 1e-9
                corners += 1
    assert corners > 8


def test_a_cluster_over_midnight_is_one(shoal):
    rng = np.random.default_rng(5)
    hours = np.concatenate([rng.normal(0, 1.2, 4000) % 24, rng.normal(12, 1, 4000)])
    name = write(shoal, "hours.csv", hour=hours, x=np.concatenate([rng.normal(2, 0.4, 4000), rng.normal(7, 0.4, 4000)]))
    found = {}
    for bounds in ["hour=0:24,x=0:10", "hour=0:24:circle,x=0:10"]:
        done = shoal("cluster", name, "--bounds", bounds, "--grid", "48", "--percentile", "45", "--min-cells", "4", "--json", "-")
        found[bounds] = done.json["clusters"]
        private = shoal("release", name, "--bounds", bounds, "--auto", "--epsilon", "1", "--seed", "1", "--json", "-").json
        found[bounds + " auto"] = len(private["clusters"])
    assert list(found.values()) == [3, 3, 2, 2], found
    centre = next(c["centroid"][0] for c in private["clusters"] if c["centroid"][1] < 5)
    assert min(centre, 24 - centre) < 0.5


def test_categories_are_never_mixed(shoal):
    rng = np.random.default_rng(6)
    wards = np.repeat(["A", "B", "C", "D"], 1500)
    name = write(shoal, "wards.csv", ward=wards, age=rng.normal(40, 3, 6000).round().astype(int))
    bounds = "age=0:110:int,ward=A|B|C:category"
    done = shoal("cluster", name, "--bounds", bounds, "--percentile", "60", "--json", "-").json
    assert done["clusters"] == 3 and done["outside"] == 1500
    rows = exported(shoal, name, bounds, "--columns", "ward,age")
    assert {row["ward_lo"] for row in rows} == {"A", "B", "C"}
    assert all(row["ward_lo"] == row["ward_hi"] for row in rows)
    for word in [["--auto"], ["--percentile", "60"], ["--percentile", "60", "--technique", "privqt"], ["--percentile", "60", "--technique", "baseline"]]:
        private = shoal("release", name, "--bounds", bounds, *word, "--epsilon", "2", "--seed", "3", "--json", "-")
        assert private.code == 0, private.err
        if word[-1] != "baseline":
            assert {round(c["centroid"][1]) for c in private.json["clusters"]} == {0, 1, 2}


def test_geographic_cells_cover_equal_areas_and_the_date_line_joins(shoal):
    rng = np.random.default_rng(7)
    z = rng.uniform(-1, 1, 64000)
    sphere = write(shoal, "sphere.csv", lon=rng.uniform(-180, 180, z.size), lat=np.degrees(np.arcsin(z)))
    rows = exported(shoal, sphere, "lon=-180:180,lat=-90:90", "--grid", "16", "--geo")
    points = np.array([int(row["points"]) for row in rows])
    assert len(points) == 64 and abs(points - 1000).max() < 6 * 1000**0.5
    fiji = write(shoal, "fiji.csv", lon=(rng.normal(0, 4, 5000) % 360) - 180, lat=rng.normal(-17, 4, 5000))
    done = shoal("cluster", fiji, "--bounds", "lon=-180:180,lat=-90:90", "--grid", "64", "--geo", "--percentile", "30", "--min-cells", "2", "-o", "fiji.geojson", "-o", "fiji.png")
    assert done.code == 0, done.err
    (feature,) = json.loads((shoal.folder / "fiji.geojson").read_text())["features"]
    assert feature["geometry"]["type"] == "MultiPolygon" and len(feature["geometry"]["coordinates"]) == 2
    assert abs(abs(feature["properties"]["centroid"][0]) - 180) < 6
    for polygon in feature["geometry"]["coordinates"]:
        assert all(-180 <= x <= 180 for x, _ in polygon[0])


def test_decimal_commas_and_thousands_marks(shoal):
    values = [1234.5, 0.25, 1234567.75, -12.5]
    (shoal.folder / "comma.csv").write_text("x;y\n" + "".join(f"{t};1\n" for t in ["1.234,5", "0,25", "1.234.567,75", "-12,5"]))
    (shoal.folder / "point.csv").write_text("x;y\n" + "".join(f"{v};1\n" for v in values))
    bounds = "x=-100:2000000,y=0:2"
    comma = exported(shoal, "comma.csv", bounds, "--grid", "4096,2", "--decimal", "comma", "--thousands", "point")
    assert comma == exported(shoal, "point.csv", bounds, "--grid", "4096,2")


def test_marks_in_the_wrong_place_make_a_bad_row(shoal, refused):
    for text in ["12.34,5", "1.2345", "1,2,3", "1234.567,5", ".5"]:
        (shoal.folder / "bad.csv").write_text(f"x;y\n{text};1\n")
        refused(3, "cluster", "bad.csv", "--bounds", "x=0:1,y=0:2", "--decimal", "comma", "--thousands", "point", says=["line 2", "is not a number"])


def test_all_kinds_survive_release_reshape_predict_and_synthesize(shoal):
    rng = np.random.default_rng(8)
    n = 4000
    days = pd.Timestamp("2026-01-01") + pd.to_timedelta(rng.integers(0, 365, n), unit="D")
    frame = {"age": rng.integers(0, 100, n), "day": days.strftime("%Y-%m-%d"), "ward": rng.choice(["A", "B, north", "C"], n)}
    name = write(shoal, "stays.csv", **frame)
    bounds = "age=0:110:int:years,day=2026-01-01:2026-12-31,ward=A|B; north|C:category"
    frame["ward"] = np.where(frame["ward"] == "B, north", "B; north", frame["ward"])
    name = write(shoal, "stays.csv", **frame)
    done = shoal("release", name, "--bounds", bounds, "--grid", "16", "--coverage", "90", "--epsilon", "5", "-o", "a.json", "-o", "a.csv", "-o", "a.html", "-o", "a.svg", "-o", "a.png")
    assert done.code == 0, done.err
    assert "2026-" in done.out and "years" in (shoal.folder / "a.html").read_text()
    axes = json.loads((shoal.folder / "a.json").read_text())["axes"]
    assert [axis.get("scale") for axis in axes] == [None, "time", None] and axes[2]["names"] == ["A", "B; north", "C"]
    assert shoal("reshape", "a.json", "--coverage", "50", "-o", "b.json").code == 0
    assert json.loads((shoal.folder / "b.json").read_text())["axes"] == axes
    assert shoal("tree", "a.json", "-o", "t.html").code == 0
    labels = shoal("predict", "a.json", name, "-o", "-")
    assert labels.code == 0 and labels.out.count("\n") == n + 1, labels.err
    made = shoal("synthesize", name, "--bounds", bounds, "--epsilon", "5", "-o", "made.csv")
    assert made.code == 0, made.err
    points = pd.read_csv(shoal.folder / "made.csv", parse_dates=["day"])
    assert set(points["ward"]) <= {"A", "B; north", "C"} and points["age"].dtype.kind == "i"
    assert points["day"].min() >= pd.Timestamp("2026-01-01") and points["day"].max() <= pd.Timestamp("2027-01-07")
    assert shoal("cluster", "made.csv", "--bounds", bounds, "--grid", "16").code == 0


@pytest.mark.parametrize("publisher", ["adaptive-grid", "uniform-grid", "quadtree", "kd-tree", "privelet"])
def test_synthetic_amounts_follow_the_records_by_ratio(shoal, publisher):
    amounts = np.exp(np.random.default_rng(9).normal(4, 1.2, 20000))
    name = write(shoal, "amounts.csv", amount=amounts)
    done = shoal("synthesize", name, "--bounds", "amount=1:10000:log", "--publisher", publisher, "--epsilon", "5", "-o", "made.csv")
    assert done.code == 0, done.err
    made = pd.read_csv(shoal.folder / "made.csv")["amount"]
    shares = [0.1, 0.25, 0.5, 0.75, 0.9]
    assert np.abs(np.log(made.quantile(shares).to_numpy() / np.quantile(amounts, shares))).max() < 0.15


def test_a_plan_states_distances_in_the_units_of_the_axis(shoal):
    done = shoal("plan", "--bounds", "day=2026-01-01:2026-12-31,x=0:10", "--auto", "--records", "20000", "--epsilons", "1")
    assert done.code == 0 and " days " in done.out, done.out


WRONG = [
    ("day=2026-02-30:2026-12-31", 2, "not a calendar date"),
    ("day=2026-01-01:100", 2, "one bound is a date"),
    ("x=0:10:log", 3, "begins above 0"),
    ("x=0.5:10:int", 3, "give whole numbers"),
    ("x=0:10:step=3", 3, "not a whole number of steps"),
    ("x=A|B|A:category", 3, "'A' twice"),
    ("day=2026-01-01:2026-12-31:zone=Europe/Berlin", 2, "not an offset from UTC"),
    ("x=0:1:circel", 2, "did you mean circle"),
    ("x=0:10:INT", 2, "did you mean int? Else write unit=INT"),
    ("x=0:10:integer", 2, "did you mean int?"),
    ("x=1:10:Log", 2, "did you mean log?"),
    ("x=0:10:periodic", 2, "did you mean circle?"),
    ("x=-90:90:latitude", 2, "did you mean --geo?"),
    ("x=0:1:category", 2, "category goes with a list"),
    ("x=A|B:cm", 2, "a list ends in :category"),
    ("x=A||B:category", 3, "a category without a name"),
    ("x=0:10:int:log", 2, "log does not go with"),
    ("x=0:10:step=0", 2, "a number above 0"),
    ("x=0:10:cm:kg", 2, "two units"),
    ("x=-5:10:log", 3, "begins above 0"),
    ("x=0:24:month", 2, "month goes with dates"),
    ("x=0:24:epoch=ms", 2, "epoch goes with dates"),
    ("day=2026-01-01:2026-12-31:int", 2, "int goes with numbers"),
    ("day=2026-01-01:2026-12-31:circle", 2, "circle goes with numbers"),
    ("day=2026-12-31:2026-01-01", 3, "the lower must be below the upper"),
    ("day=2023-02-29:2026-01-01", 2, "not a calendar date"),
    ("day=2026-01-01:2026-12-31T10:00", 2, "a time of day and the other none"),
    ("day=2026-01-01:2026-12-31:zone=+25:00", 2, "not an offset from UTC"),
    ("day=2026-01-01:2026-12-31:epoch=min", 2, "epoch= takes one of"),
]


@pytest.mark.parametrize("bounds, code, said", WRONG)
def test_wrong_kinds_are_refused_before_anything_is_read_or_charged(shoal, refused, bounds, code, said):
    name = bounds.split("=")[0]
    (shoal.folder / "points.csv").write_text(f"{name}\n1\n")
    assert shoal("ledger", "create", "budget.db", "--dataset", "d", "--cap", "1").code == 0
    refused(code, "release", "points.csv", "--bounds", bounds, "--percentile", "10", "--epsilon", "1", "-o", "a.json", "--ledger", "budget.db", "--dataset", "d", says=[said])
    assert shoal("ledger", "show", "budget.db").out.splitlines()[1].split() == ["d", "1", "0", "1", "0"]  # cap, spent, left, debits


def test_a_date_that_does_not_parse_is_a_bad_row_of_its_own(shoal, refused):
    (shoal.folder / "days.csv").write_text("day,x\n2026-01-05,1\n2026-02-30,1\n2026-03-05,1\n")
    bounds = "day=2026-01-01:2026-12-31,x=0:2"
    refused(3, "cluster", "days.csv", "--bounds", bounds, says=["line 3", "is not a date"])
    assert shoal("cluster", "days.csv", "--bounds", bounds, "--on-bad-row", "skip", "--json", "-").json["points"] == 2


def test_a_file_without_names_must_say_so_where_records_hold_texts(shoal, refused):
    (shoal.folder / "bare.csv").write_text("2026-01-05,A\n2026-02-05,B\n")
    bounds = "2026-01-01:2026-12-31,A|B:category"
    refused(3, "cluster", "bare.csv", "--bounds", bounds, says=["--header yes or no"])
    refused(3, "cluster", "bare.csv", "--bounds", bounds, "--header", "no", says=["more than plain numbers", "--delimiter"])
    assert shoal("cluster", "bare.csv", "--bounds", bounds, "--header", "no", "--delimiter", "comma", "--json", "-").json["points"] == 2


@pytest.mark.parametrize("axes", [3, 4, 5, 7, 8])
def test_auto_takes_three_to_eight_axes(shoal, axes):
    rng = random.Random(axes)
    names = [f"x{i}" for i in range(axes)]
    rows = [",".join(f"{min(max(rng.gauss(center, 0.04), 0), 1):.6f}" for _ in names) for center in (0.25, 0.7) for _ in range(2000)]
    (shoal.folder / "d.csv").write_text("\n".join([",".join(names), *rows, ""]))
    bounds = ",".join(f"{name}=0:1" for name in names)
    made = shoal("release", "d.csv", "--bounds", bounds, "--auto", "--epsilon", "5", "-o", "r.json", "-o", "r.csv")
    assert made.exit_code == 0, made.err
    assert re.search(r"2 clusters(, \d+ more doubtful)? in columns x0", made.out), made.out
    assert shoal("reshape", "r.json", "-o", "again.json", "-o", "r.html").code == 0
    assert (shoal.folder / "again.json").read_bytes() == (shoal.folder / "r.json").read_bytes()
    assert shoal("release", "--dry-run", "d.csv", "--bounds", bounds, "--auto", "--epsilon", "1").code == 0


def test_auto_takes_no_more_than_eight_axes(refused, shoal):
    names = [f"x{i}" for i in range(9)]
    (shoal.folder / "d.csv").write_text(",".join(names) + "\n" + ",".join("1" * 9) + "\n")
    bounds = ",".join(f"{name}=0:1" for name in names)
    refused(3, "release", "d.csv", "--bounds", bounds, "--auto", "--epsilon", "1", "-o", "r.json", says=["up to 8 axes"])
