"""shoal explain: what a release promises, in plain words, for plain releases, groups and insets."""

import hashlib
import json
import math
import random
import re

import pytest

PLAIN = ["--columns", "x,y", "--bounds", "0:1,0:1", "--grid", "16", "--percentile", "10"]
HEADINGS = ["Who is protected", "What an attacker can learn at most", "What was public", "What was spent", "What is not promised", "How to check this statement"]


@pytest.fixture
def visits(shoal):
    rng = random.Random(1)
    rows = [f"{p},{rng.gauss(0.4, 0.05):.4f},{rng.gauss(0.6, 0.05):.4f},{rng.choice('AB')}" for p in range(600) for _ in range(3)]
    (shoal.folder / "visits.csv").write_text("patient_id,x,y,ward\n" + "\n".join(rows) + "\n")
    return shoal.folder / "visits.csv"


def one_line(text):
    return re.sub(r"\s+", " ", text)


def test_it_says_who_is_protected_what_can_be_learnt_and_what_was_spent(shoal, visits):
    assert shoal("release", visits, *PLAIN, "--epsilon", "1", "-o", "r.json").code == 0
    said = shoal("explain", "r.json")
    assert said.code == 0 and all(heading in said.out for heading in HEADINGS), said.err
    text = one_line(said.out)
    assert "This release protects single records" in text and "not for all of them together" in text
    assert "at most e^1, about 2.72," in text and "cannot become more than 74 % sure" in text
    assert "x: 0 to 1" in text and "16 \u00d7 16 cells" in text and "percentile 10" in text
    assert "Total 1" in text and "names no entry of a ledger" in text
    assert hashlib.sha256((shoal.folder / "r.json").read_bytes()).hexdigest() in said.out
    assert shoal("--version").out.strip() in said.out
    assert max(map(len, said.out.splitlines())) <= 110


@pytest.mark.parametrize("axes", [2, 3, 6])
def test_every_noisy_answer_is_explained_in_words(shoal, axes):
    """Also those of --auto in many axes."""
    assert shoal("datasets", f"mixture{axes}", "--points", "5000", "-o", "points.csv").code == 0
    bounds = ",".join(["0:1"] * axes)
    assert shoal("release", "points.csv", "--columns", ",".join(map(str, range(1, axes + 1))), "--bounds", bounds, "--auto", "--epsilon", "1", "-o", "r.json").code == 0
    spent = next(s for s in shoal("explain", "r.json", "--json", "-").json["sections"] if s["heading"] == "What was spent")
    answers = [row[0] for row in spent["table"]["rows"][:-1]]
    assert answers and all(re.fullmatch(r"\w.* \(\w+\)", answer) for answer in answers), answers
    # The plane is not asked where it has structure, and three axes then have a grid.
    for words, least_axes in [("in slices of each axis, which show where it has structure (histograms)", 3), ("in each box (boxes)", 6)]:
        assert any(answer.endswith(words) for answer in answers) == (axes >= least_axes), answers


@pytest.mark.parametrize("epsilon", ["0.1", "0.5", "1", "3"])
def test_what_can_be_learnt_is_rounded_up(shoal, visits, epsilon):
    assert shoal("release", visits, *PLAIN, "--epsilon", epsilon, "-o", "r.json").code == 0
    table = shoal("explain", "r.json", "--json", "-").json["sections"][1]["table"]
    assert len(table["head"]) == 5
    for before, after in zip(table["head"][1:], table["rows"][0][1:], strict=True):
        guess, factor = float(before.split()[0]) / 100, math.exp(float(epsilon))
        exact = 100 * guess * factor / (1 - guess + guess * factor)
        assert exact <= float(after.split()[0]) <= exact + 1


def test_units_are_called_what_the_owner_calls_them(shoal, visits):
    unit = ["--unit", "patient_id", "--max-contributions", "2"]
    assert shoal("release", visits, *PLAIN, *unit, "--epsilon", "1", "-o", "r.json").code == 0
    assert shoal("release", visits, *PLAIN, *unit, "--unit-name", "guest/guests of honour", "--epsilon", "1", "-o", "named.json").code == 0
    text = one_line(shoal("explain", "r.json").out)
    assert "protects patients: all records of a patient together" in text and "At most 2 records of each patient were used" in text
    assert "Several patients at once. 4 of them together, such as a family, have epsilon 4" in text
    assert "protects guests of honour: all records of a guest together" in one_line(shoal("explain", "named.json").out)
    assert json.loads((shoal.folder / "named.json").read_text())["unit"]["name"] == "guest/guests of honour"


def test_a_ledger_adds_what_is_left_and_its_head(shoal, refused, visits):
    charged = ["--ledger", "l.db", "--dataset", "visits"]
    assert shoal("ledger", "create", "l.db", "--dataset", "visits", "--cap", "2").code == 0
    assert shoal("release", visits, *PLAIN, *charged, "--epsilon", "0.5", "-o", "r.json").code == 0
    assert shoal("release", visits, *PLAIN, "--epsilon", "0.5", "-o", "other.json").code == 0
    text = one_line(shoal("explain", "r.json", "--ledger", "l.db").out)
    head = shoal("ledger", "show", "l.db", "--json", "-").json["head"]
    assert "Entry 1 of the ledger 'l.db'" in text and f"Its head is {head}" in text
    assert "may spend epsilon 2 in total. It has spent 0.5, this release included, and has 1.5 left" in text
    assert "someone who guesses at 50 % becomes at most 89 % sure" in text
    assert "the owner proves it" in one_line(shoal("explain", "r.json").out).lower()
    refused(3, "explain", "other.json", "--ledger", "l.db", says=["names no entry of a ledger"])
    assert shoal("ledger", "create", "m.db", "--dataset", "visits", "--cap", "2").code == 0
    refused(3, "explain", "r.json", "--ledger", "m.db", says=["does not record the release"])


def test_groups_and_insets_are_stated_with_what_all_of_them_cost(shoal, visits):
    auto = ["--bounds", "x=0:1,y=0:1", "--auto", "--epsilon", "0.5", "--unit", "patient_id", "--contribution", "share"]
    assert shoal("release", visits, *auto, "--by", "ward=A|B", "--max-groups", "2", "-o", "groups.json").code == 0
    text = one_line(shoal("explain", "groups.json").out)
    assert "Each group is a release of epsilon 0.5. One patient can change at most 2 groups, so all of them together cost epsilon 1." in text
    assert "Groups of ward A, B" in text and "cannot become more than 74 % sure that a patient" in text
    assert "chosen from noisy values" in text
    assert shoal("release", visits, *auto, "--insets", "2", "-o", "insets.json").code == 0
    text = one_line(shoal("explain", "insets.json").out)
    assert "map of the whole plane (overview) 0.1" in text and "all finer maps together (insets) 0.4" in text and "Total 0.5" in text and "finer maps, placed by noisy values" in text


def test_the_page_has_no_script_and_loads_nothing(shoal, visits):
    (shoal.folder / "b.csv").write_text(visits.read_text().replace("ward", "<script>alert(1)</script>"))
    by = ["--by", "<script>alert(1)</script>=A|B"]
    assert shoal("release", "b.csv", *PLAIN, *by, "--epsilon", "1", "-o", "r.json").code == 0
    done = shoal("explain", "r.json", "-o", "statement.html", "-o", "statement.txt")
    assert done.code == 0 and "wrote statement.html" in done.out
    page = (shoal.folder / "statement.html").read_text()
    assert "default-src 'none'; style-src 'unsafe-inline'" in page and "@media print" in page
    assert "<script" not in page and "&lt;script&gt;" in page and "http:" not in page and "https:" not in page and "src=" not in page
    assert all(f"<h2>{heading}</h2>" in page for heading in HEADINGS)
    assert (shoal.folder / "statement.txt").read_text().startswith("Privacy statement\n")


def test_what_cannot_be_stated_is_refused(shoal, refused, visits):
    (shoal.folder / "seeded.json").write_text(shoal("release", visits, *PLAIN, "--epsilon", "1", "--seed", "1", "--json", "-").out)
    refused(3, "explain", "seeded.json", says=["made with a seed", "not private"])
    refused(3, "explain", "seeded.json", "-o", "x.pdf", says=["x.pdf", ".html or .txt"])
    assert shoal("release", visits, *PLAIN, "--epsilon", "12", "-o", "weak.json").code == 0
    assert "Epsilon 12 is a weak guarantee" in one_line(shoal("explain", "weak.json").out)
    assert shoal("explain", "weak.json", "-o", "weak.html").code == 0
    assert '<body class="weak">' in (shoal.folder / "weak.html").read_text()
