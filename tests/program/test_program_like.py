"""--like RELEASE: the plane, grid, unit and settings of an earlier release, so that the two can be compared."""

import json
import random

import pytest

AUTO = ["--bounds", "x=0:1,y=0:1", "--auto"]
STUDY = ["--seed", "1", "--json"]  # seeded, since chance may find a step and widen the cells
FIXED = ["--columns", "x,y", "--bounds", "0:1,0:1", "--grid", "20,16", "--wavelet", "db2", "--level", "2", "--percentile", "30", "--technique", "privqt"]


def month(shoal, name, rows, seed, rounded=False):
    rng = random.Random(seed)
    lines = [f"{i % (rows // 2)},{round(rng.gauss(0.4, 0.08), 2 if rounded else 5)},{rng.gauss(0.6, 0.08):.5f}" for i in range(rows)]
    (shoal.folder / name).write_text("who,x,y\n" + "\n".join(lines) + "\n")


@pytest.fixture
def months(shoal):
    month(shoal, "january.csv", 12000, 1)
    month(shoal, "february.csv", 600, 2)


def document(shoal, name):
    return json.loads((shoal.folder / name).read_text())


@pytest.mark.parametrize("unit", [[], ["--unit", "who", "--contribution", "share"]])
def test_a_later_automatic_release_gets_the_grid_of_the_first_and_can_be_compared(shoal, months, unit):
    assert shoal("release", "january.csv", *AUTO, *unit, "--epsilon", "1", *STUDY, "january.json").code == 0
    assert shoal("release", "february.csv", *AUTO, *unit, "--epsilon", "1", *STUDY, "alone.json").code == 0
    assert "--like" in shoal("compare", "january.json", "alone.json").err  # --auto chose another grid
    done = shoal("release", "february.csv", "--like", "january.json", "--epsilon", "0.5", *STUDY, "february.json")
    assert done.code == 0 and "as before: grid" in done.out, done.err
    first, second = document(shoal, "january.json"), document(shoal, "february.json")
    for key in ("axes", "unit", "neighbors", "technique", "wavelet", "level", "transform", "adjacency", "min_cells", "modes"):
        assert first[key] == second[key], key
    assert second["epsilon"] == 0.5
    compared = shoal("compare", "january.json", "february.json")
    assert compared.code == 0 and "january.json to february.json" in compared.out, compared.err


def test_all_settings_of_a_release_on_a_given_grid_are_taken(shoal, months):
    assert shoal("release", "january.csv", *FIXED, "--adjacency", "face", "--min-cells", "2", "--neighbors", "replace", "--epsilon", "1", "-o", "a.json").code == 0
    done = shoal("release", "february.csv", "--like", "a.json", "--epsilon", "1", "-o", "b.json")
    assert done.code == 0, done.err
    first, second = document(shoal, "a.json"), document(shoal, "b.json")
    for key in ("axes", "unit", "neighbors", "technique", "wavelet", "level", "transform", "adjacency", "min_cells", "percentile"):
        assert first[key] == second[key], key


def test_rounding_that_was_found_before_is_known_again(shoal):
    month(shoal, "january.csv", 12000, 1, rounded=True)
    month(shoal, "february.csv", 300, 2, rounded=True)
    assert shoal("release", "january.csv", *AUTO, "--epsilon", "2", *STUDY, "january.json").code == 0
    assert document(shoal, "january.json")["automatic"]["rounded"]
    assert shoal("release", "february.csv", "--like", "january.json", "--epsilon", "1", *STUDY, "february.json").code == 0
    assert shoal("compare", "january.json", "february.json").code == 0


def test_values_that_are_rounded_later_do_not_become_clusters_on_the_finer_grid_of_before(shoal):
    rng = random.Random(5)
    ages = [rng.gauss(50, 10) for _ in range(20000)]
    for name, step in {"exact.csv": 0, "rounded.csv": 5}.items():
        (shoal.folder / name).write_text("age\n" + "\n".join(f"{step * round(age / step) if step else age:.5f}" for age in ages) + "\n")
    assert shoal("release", "exact.csv", "--bounds", "age=0:110", "--auto", "--epsilon", "1", *STUDY, "exact.json").code == 0
    done = shoal("release", "rounded.csv", "--like", "exact.json", "--epsilon", "1", *STUDY, "rounded.json")
    assert done.out.startswith("NOT PRIVATE") and "\n1 cluster in column age" in done.out, done.out
    assert "chosen: grid" in done.out and "the two cannot be compared" in done.out
    assert document(shoal, "rounded.json")["axes"][0]["cells"] < document(shoal, "exact.json")["axes"][0]["cells"]


def test_a_private_release_does_not_take_the_grid_that_a_study_chose(shoal, refused, months):
    assert shoal("release", "january.csv", *AUTO, "--epsilon", "1", *STUDY, "study.json").code == 0
    refused(3, "release", "february.csv", "--like", "study.json", "--epsilon", "1", "-o", "b.json", says=["study made with a seed"])


@pytest.mark.parametrize("option", [["--bounds", "x=0:2,y=0:1"], ["--grid", "32"], ["--percentile", "20"], ["--wavelet", "haar"], ["--technique", "privwave"], ["--auto"],
                                    ["--unit", "who", "--contribution", "share"], ["--neighbors", "replace"], ["--adjacency", "face"]])
def test_an_option_that_contradicts_is_refused_in_one_sentence(shoal, refused, months, option):
    assert shoal("release", "january.csv", *FIXED, "--epsilon", "1", "-o", "a.json").code == 0
    refused(2, "release", "february.csv", "--like", "a.json", *option, "--epsilon", "1", "-o", "b.json", says=["--like a.json", "remove one of them"])


def test_options_that_say_the_same_are_taken(shoal, months):
    assert shoal("release", "january.csv", *FIXED, "--epsilon", "1", "-o", "a.json").code == 0
    assert shoal("release", "february.csv", "--like", "a.json", *FIXED, "--unit", "record", "--epsilon", "1", "-o", "b.json").code == 0


def test_what_cannot_be_repeated_is_refused_before_anything_is_spent(shoal, refused, months):
    assert shoal("release", "january.csv", *AUTO, "--epsilon", "1", "-o", "a.json").code == 0
    again = ["release", "february.csv", "--epsilon", "1", "-o", "b.json", "--like"]
    assert shoal("reshape", "a.json", "--percentile", "20", "-o", "reshaped.json").code == 0
    refused(3, *again, "reshaped.json", says=["reshaped later"])
    refused(2, *again, "a.json", "--percentile", "20", says=["remove a threshold"])
    refused(2, *again, "a.json", "--insets", "2", says=["--insets and --like do not go together"])
    refused(2, *again, "a.json", "--columns", "y,x", says=["column 1 is 'y'", "--like"])
    assert shoal("release", "january.csv", *AUTO, "--insets", "2", "--epsilon", "1", "-o", "insets.json").code == 0
    refused(3, *again, "insets.json", says=["insets", "--like needs one without"])
    refused(2, "release", "february.csv", "--epsilon", "1", "--auto", "-o", "b.json", says=["--bounds is required"])


def test_axes_of_every_kind_are_repeated(shoal, refused):
    rng = random.Random(3)
    lines = [f"{rng.randint(0, 100)},2026-{rng.randint(1, 6):02d}-{rng.randint(1, 28):02d},{rng.choice('AB')}" for _ in range(3000)]
    (shoal.folder / "a.csv").write_text("age,day,ward\n" + "\n".join(lines) + "\n")
    for name, bounds in {"int": "age=0:110:int", "odd": "age=0:100:int", "day": "day=2026-01-01:2026-06-30", "both": "age=0:110:int,ward=A|B:category"}.items():
        for more in (["--auto"], ["--grid", "8", "--percentile", "10"]):
            made = shoal("release", "a.csv", "--bounds", bounds, *more, "--epsilon", "1", *STUDY, "a.json", "--force")
            assert made.code == 0, made.err
            done = shoal("release", "a.csv", "--like", "a.json", "--epsilon", "1", *STUDY, "b.json", "--force")
            assert done.code == 0, (name, more, done.err)
            assert document(shoal, "a.json")["axes"] == document(shoal, "b.json")["axes"], (name, more)


@pytest.mark.parametrize("command", ["cluster", "plan", "synthesize", "evaluate", "check"])
def test_other_commands_say_that_it_is_for_release(refused, months, command):
    words = ["january.csv"] if command != "plan" else []
    refused(2, command, *words, *AUTO[:2], "--like", "earlier.json", says=["--like is for shoal release alone", f"give shoal {command} its options"])
