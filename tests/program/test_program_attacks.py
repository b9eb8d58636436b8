"""Faults that an outsider found: each ended a release that was paid for, hung, or said what is not true."""

import json
import os
import re
import resource
import subprocess

import pytest
from conftest import SHOAL

ROWS = "x,y,who,ward\n" + "".join(f"0.{i * 37 % 100:02d},0.{i * 53 % 97:02d},u{i % 7},{'AB'[i % 2]}\n" for i in range(200))
PLANE = ["--bounds", "x=0:1,y=0:1", "--epsilon", "1"]


@pytest.fixture
def data(shoal):
    (shoal.folder / "d.csv").write_text(ROWS)
    assert shoal("ledger", "create", "l.db", "--dataset", "d", "--cap", "100").code == 0
    return "d.csv"


def spent(shoal) -> str:
    return shoal("ledger", "show", "l.db", "--json", "-").json["accounts"][0]["spent"]


# What is scaled to the units of W before it is compared must stay a number above 0.
@pytest.mark.parametrize("technique", ["privqt", "privwave"])
@pytest.mark.parametrize("rule", [["--density", "1.7e308"], ["--density", "5e-324"], ["--coverage", "5e-324"], ["--density", "1e300", "--level", "60"]], ids=" ".join)
def test_a_threshold_at_the_end_of_its_range_is_not_refused_once_it_is_paid_for(shoal, data, technique, rule):
    charge = ["--ledger", "l.db", "--dataset", "d"]
    for run, by in enumerate(([], ["--by", "ward=A|B"])):
        made = shoal("release", data, *PLANE, "--grid", "30", *rule, "--technique", technique, *charge, *by, "-o", f"{run}.json", timeout=600)
        assert made.code == 0, made.err
        assert spent(shoal) == str(run + 1)
        assert shoal("reshape", f"{run}.json", "-o", f"again{run}.json").code == 0


def test_a_machine_without_further_threads_still_keeps_what_is_paid_for(shoal, data, tmp_path):
    shim = SHOAL.parent.parent / "tests" / "libfailing_calls.so"
    assert shim.exists(), f"build it: cmake --build build --target failing_calls ({shim})"
    words = ["release", data, *PLANE, "--grid", "500", "--top", "9", "--threads", "4", "--ledger", "l.db", "--dataset", "d", "-o", "r.json"]
    done = subprocess.run([str(SHOAL), *words], cwd=tmp_path, env={**os.environ, "LD_PRELOAD": str(shim), "FAIL_THREADS": "1"}, capture_output=True, text=True, timeout=600)
    assert done.returncode in (0, 5), done.stderr  # 5: written, but so few records show nothing on this grid
    assert (tmp_path / "r.json").exists() and spent(shoal) == "1"


def test_more_threads_than_any_machine_has_are_not_an_internal_error(shoal, data):
    made = shoal("release", data, *PLANE, "--auto", "--unit", "who", "--max-contributions", "2", "--threads", "100000", "-o", "r.json", timeout=600)
    assert made.code == 0, made.err


# Files hold UTF-8: two names of other bytes would be one in the file, which nothing could read.
def test_lists_that_are_not_utf8_are_refused_before_anything_is_charged(shoal, data):
    for words in (["--by", b"ward=\xfe|\xff"], ["--bounds", b"x=0:1,y=\xfe|\xff:category"]):
        given = [*PLANE[:2], *words] if words[0] == "--by" else words
        done = subprocess.run([str(SHOAL), "release", data, *given, "--epsilon", "1", "--auto", "--ledger", "l.db", "--dataset", "d", "-o", "r.json"],
                              cwd=shoal.folder, capture_output=True, timeout=600)
        assert done.returncode in (2, 3) and b"is not UTF-8" in done.stderr, done
        assert spent(shoal) == "0" and not (shoal.folder / "r.json").exists()


def test_a_circle_of_many_values_takes_no_longer_than_others(shoal, data):
    """2^53 - 111 is a prime number."""
    planned = shoal("release", data, "--bounds", "x=0:1,y=0:9007199254740880:int:circle", "--auto", "--epsilon", "1", "--dry-run", timeout=60)
    assert planned.code == 0, planned.err


def test_one_is_counted_as_one_and_none_as_none(shoal):
    (shoal.folder / "one.csv").write_text("x,y,who,ward\n0.5,0.5,a,A\n")
    many = ["--bounds", "x=0:1,y=0:1", "--epsilon", "1000"]  # noise that is nearly always 0
    grouped = shoal("release", "one.csv", *many, "--grid", "2", "--top", "1", "--by", "ward=A|B", "-o", "g.json")
    assert "about 1 record (95 %: 1 to 1)\n" in grouped.out and "about 0 records (95 %: 0 to 0)\n" in grouped.out, grouped.out + grouped.err
    alone = shoal("release", "one.csv", *many, "--grid", "2", "--top", "1", "--by", "ward=A", "-o", "a.json")
    assert "for each of 1 group, 1000 in all" in alone.out
    assert "\n1 group of ward;" in "\n" + shoal("reshape", "a.json", "-o", "again.json").out
    inside = shoal("release", "one.csv", *many, "--grid", "2", "--top", "1", "-o", "r.json")
    assert "About 1 record lies inside the bounds" in inside.out
    shares = shoal("release", "one.csv", *many, "--grid", "2", "--top", "1", "--by", "ward=A|B", "--unit", "who", "--contribution", "share",
                   "-o", "s.json", "-o", "s.html", "--static")
    assert "about 1 person (95 %: " in shares.out and "record" not in shares.out.split("Groups of")[1]
    page = (shoal.folder / "s.html").read_text()
    assert "People in clusters (noisy)" in page and "Records" not in page
    compared = shoal("compare", "s.json", "-o", "c.html")
    assert "all that are counted: 1 to 0 people (" in compared.out and "All that are counted: from 1 to 0 people (" in (shoal.folder / "c.html").read_text()


def test_nobody_is_less_than_no_one(shoal):
    """Empty groups: about half of the noisy totals are below 0."""
    (shoal.folder / "none.csv").write_text("x,y,ward\n")
    names = [f"g{i}" for i in range(40)]
    made = shoal("release", "none.csv", "--bounds", "x=0:1,y=0:1", "--grid", "2", "--top", "1", "--epsilon", "0.1", "--technique", "privqt", "--by", "ward=" + "|".join(names),
                 "-o", "g.json", timeout=600)
    assert made.code == 0, made.err
    compared = shoal("compare", "g.json", "-o", "c.html", timeout=600)
    assert compared.code == 0, compared.err
    assert len(re.findall(r"all together: \d+ to \d+ records \(", compared.out)) == 39
    assert not re.search(r"(?:from|to) [\u2212-]\d", compared.out) and not re.search(r"All records: -?[\u2212]|, [\u2212-]\d+ after", (shoal.folder / "c.html").read_text())


def test_releases_of_different_units_are_not_compared(shoal, data, refused):
    """The same people would seem to have become more."""
    units = {"records": [], "shares": ["--unit", "who", "--contribution", "share"], "few": ["--unit", "who", "--max-contributions", "2"]}
    for name, words in units.items():
        assert shoal("release", data, *PLANE, "--grid", "8", "--top", "5", *words, "-o", f"{name}.json").code == 0
    for one, other in (("records", "shares"), ("records", "few"), ("few", "shares")):
        refused(3, "compare", f"{one}.json", f"{other}.json", says=["one release counts", "compare releases of one unit"])
    assert shoal("compare", "shares.json", "shares.json").code == 0


def test_stationary_releases_can_be_compared(shoal, data):
    assert shoal("release", data, *PLANE, "--grid", "8", "--top", "5", "--transform", "stationary", "--technique", "privqt", "-o", "s.json").code == 0
    compared = shoal("compare", "s.json", "s.json", "--json", "-")
    assert compared.code == 0, compared.err
    assert json.loads(compared.out)


def test_units_keep_their_weight_in_every_group_of_synthetic_points(shoal):
    """A unit of two rows has two halves of a weight, not two of 65,536 parts."""
    (shoal.folder / "d.csv").write_text("x,y,who,ward\n" + "".join(f"0.1,0.1,u{i // 2},{'AB'[i % 80 < 20]}\n" for i in range(160)))
    made = shoal("release", "d.csv", "--bounds", "x=0:1,y=0:1", "--grid", "4", "--top", "1", "--technique", "baseline", "--epsilon", "100000", "--unit", "who",
                 "--contribution", "share", "--by", "ward=A|B", "-o", "g.json")
    assert made.code == 0, made.err
    sizes = {group["name"]: group["release"]["clusters"][0]["noisy_size"] for group in json.loads((shoal.folder / "g.json").read_text())["groups"]}
    assert abs(sizes["A"] - 60) <= 2 and abs(sizes["B"] - 20) <= 2, sizes


def test_a_plan_tells_no_error_of_sizes_where_nothing_is_found(shoal):
    plan = ["plan", "--bounds", "x=0:1", "--grid", "16", "--density", "1e300", "--records", "1000", "--runs", "1", "--epsilons", "1"]
    assert shoal(*plan, "--json", "-").json["epsilons"][0]["size_error"] is None
    words = shoal("release", "none.csv", "--bounds", "x=0:1", "--grid", "16", "--density", "1e300", "--epsilon", "1", "--dry-run", "--records", "1000")
    assert words.code == 0 and "no cluster is found whose size could be told" in words.out
    assert "Simulated with 1 made-up record of" in shoal("plan", "--bounds", "x=0:1", "--grid", "4", "--top", "1", "--records", "1", "--runs", "1", "--epsilons", "1").out
    each = shoal("release", "none.csv", "--bounds", "x=0:1", "--grid", "4", "--top", "1", "--epsilon", "1", "--by", "ward=A|B", "--dry-run", "--records", "2")
    assert "Each group, of about 1 record, would show" in each.out


def test_groups_that_no_memory_holds_are_refused_before_anything_is_charged(shoal, data, refused):
    """1,000 days of 121 million cells: a terabyte."""
    refused(3, "release", data, *PLANE, "--grid", "11000", "--top", "9", "--transform", "stationary", "--technique", "privqt", "--by", "ward=" + "|".join(f"g{i}" for i in range(1000)),
            "--ledger", "l.db", "--dataset", "d", "-o", "r.json", says=["the noisy values of 1000 groups would need", "TiB of memory", "use fewer groups"])
    assert spent(shoal) == "0"


def test_a_release_that_a_limit_of_memory_forbids_is_refused_before_anything_is_charged(shoal, data):
    """1,000 groups on chosen grids, where the process may use 3 GiB."""
    words = ["release", data, *PLANE, "--auto", "--by", "ward=" + "|".join(f"g{i}" for i in range(1000)), "--ledger", "l.db", "--dataset", "d", "-o", "r.json"]
    done = subprocess.run([str(SHOAL), *map(str, words)], cwd=shoal.folder, capture_output=True, text=True, timeout=120,
                          preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (3 << 30, 3 << 30)))
    assert done.returncode == 3 and "the noisy values of 1000 groups would need" in done.stderr, done.stderr
    assert spent(shoal) == "0"


def test_a_cost_that_depends_on_the_number_of_groups_is_not_said_to_hold_for_any(shoal, data):
    """Under replace two groups of a person go and two others come: four times epsilon, but here there are two or five groups."""
    for groups, holds in (("A|B", False), ("A|B|C|D|E", True)):
        name = f"{len(groups)}.html"
        made = shoal("release", data, *PLANE, "--grid", "4", "--top", "1", "--by", f"ward={groups}", "--unit", "who", "--max-contributions", "1", "--max-groups", "2",
                     "--neighbors", "replace", "-o", name, "--static")
        assert made.code == 0, made.err
        assert ("whatever the number of groups" in (shoal.folder / name).read_text()) == holds
