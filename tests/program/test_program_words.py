"""What the program says: empty options, misspelt names, files of another kind, weak promises, empty bounds, what it offers next."""

import json
import os
import pty
import re
import shlex
import subprocess

import pytest
from conftest import ROOT, SHOAL

PUBLIC = ["--columns", "x,y", "--bounds", "0:1,0:1"]
SPIRALS = [*PUBLIC, "--grid", "40", "--percentile", "10"]
COMMANDS = ["cluster", "check", "release", "reshape", "tree", "compare", "explain", "plan", "predict", "synthesize", "ledger", "evaluate", "reproduce", "datasets", "audit"]


def options_of(help_text: str) -> list[str]:
    """The long options of a help text that take a value."""
    return re.findall(r"^\s+(?:-\w,)?(--[\w-]+) (?!\s*$)[A-Z]", help_text, re.M)


@pytest.mark.parametrize("command", COMMANDS)
def test_an_option_that_is_given_and_empty_is_refused_whatever_it_is(shoal, refused, command):
    options = options_of(shoal(command, "--help-all").out)
    assert command == "ledger" or "--json" in options or command == "datasets", options
    for option in options:
        refused(2, command, "x", option, "", says=[option, "empty" if option != "--config" else "needs a file"])
        refused(2, command, "x", f"{option}=", says=[option, "empty" if option != "--config" else "needs a file"])


@pytest.mark.parametrize("words", [["show", "x", "--json", ""], ["create", "x", "--dataset", "", "--cap", "1"], ["create", "", "--dataset", "d", "--cap", "1"],
                                   ["history", "x", "--dataset="]])
def test_ledgers_take_no_empty_words_either(refused, words):
    refused(2, "ledger", *words, says=["empty"])


def test_an_unset_variable_does_not_switch_protection_off(shoal, refused, spirals):
    release = ["release", spirals, *SPIRALS, "--epsilon", "1", "-o", "r.json"]
    refused(2, *release, "--unit", "", says=["--unit is empty"])
    refused(2, *release, "--ledger", "", "--dataset", "", says=["--ledger is empty"])
    refused(2, *release, "--dataset", "d", says=["--ledger FILE and --dataset NAME go together"])
    refused(2, *release, "--ledger", "l.db", says=["--ledger FILE and --dataset NAME go together"])
    refused(2, "release", spirals, "--columns", "x,,y", *SPIRALS[2:], "--epsilon", "1", "-o", "r.json", says=["--columns", "empty item"])
    for line in ['unit = ""', 'ledger = ""', "columns = []"]:
        (shoal.folder / "c.toml").write_text(line + "\n")
        refused(3, *release, "--config", "c.toml", says=["c.toml, line 1", line.split()[0], "empty"])
        (shoal.folder / "c.toml").write_text(f"[release]\n{line}\n")
        refused(3, *release, "--config", "c.toml", says=["c.toml, line 2", line.split()[0], "empty"])


@pytest.mark.parametrize("typed,meant", [("relase", "release"), ("clutser", "cluster"), ("sinthesize", "synthesize"), ("evaluat", "evaluate"), ("Tree", "tree")])
def test_a_misspelt_command_names_the_nearest_and_lists_all(refused, typed, meant):
    refused(2, typed, "x.csv", says=[typed, f"did you mean {meant}?", *COMMANDS])


def test_an_unknown_command_lists_what_there_is(refused):
    outcome = refused(2, "frobnicate", says=["frobnicate", *COMMANDS])
    assert "did you mean" not in outcome.err
    refused(2, says=COMMANDS)
    refused(2, "--epsilon", "1", says=["--epsilon", "shoal COMMAND", *COMMANDS])
    refused(2, "ledger", "shw", "x.db", says=["ledger shw", "did you mean show?", "create, show, history"])
    refused(2, "ledger", says=["create, show, history"])


@pytest.mark.parametrize("typed,meant", [("--epsilom", "--epsilon"), ("--percentle=5", "--percentile"), ("--bound", "--bounds"), ("--leger", "--ledger"),
                                         ("--max-contribution", "--max-contributions"), ("--dryrun", "--dry-run")])
def test_a_misspelt_option_names_the_nearest(refused, typed, meant):
    refused(2, "release", "x.csv", typed, "1", says=[f"shoal release has no option {typed.split('=')[0]}", f"did you mean {meant}?"])


def test_an_option_like_no_other_lists_what_there_is(refused):
    refused(2, "reshape", "r.json", "--frobnicate", says=["--frobnicate", "--percentile", "--json", "--config"])
    refused(2, "ledger", "show", "x.db", "--epsilon", "1", says=["shoal ledger show has no option --epsilon", "--json"])


def test_misspelt_names_and_keys_name_the_nearest(shoal, refused, spirals):
    release = ["release", spirals, *SPIRALS, "--epsilon", "1", "-o", "r.json"]
    refused(3, *release, "--technique", "privwawe", says=["privwawe", "did you mean privwave?", "privthr-em"])
    refused(3, *release, "--wavelet", "haer", says=["haer", "did you mean haar?", "db1 to db20"])
    refused(3, *release, "--wavelet", "bior22", says=["did you mean bior2.2?"])
    refused(3, "synthesize", spirals, *PUBLIC, "--epsilon", "1", "-o", "s.csv", "--publisher", "quadtre", says=["did you mean quadtree?", "kd-tree"])
    refused(3, "datasets", "wrld", "-o", "w.csv", says=["did you mean world?", "ds1"])
    refused(2, *release, "--adjacency", "ful", says=["did you mean full?", "face"])
    refused(3, "evaluate", spirals, *SPIRALS, "--techniques", "privthr-en", says=["did you mean privthr-em?"])
    (shoal.folder / "c.toml").write_text("[release]\nepsilom = 1\n")
    refused(3, *release, "--config", "c.toml", says=["c.toml, line 2", "'epsilom'", "did you mean epsilon?"])
    (shoal.folder / "c.toml").write_text("[relase]\nepsilon = 1\n")
    refused(3, *release, "--config", "c.toml", says=["[relase]", "did you mean release?", "synthesize"])
    (shoal.folder / "c.toml").write_text("config = 'c.toml'\n")
    refused(3, *release, "--config", "c.toml", says=["'config'"])


@pytest.mark.parametrize("command", [[], *([c] for c in COMMANDS), ["ledger", "create"], ["ledger", "show"], ["ledger", "history"]])
def test_the_help_that_errors_point_to_tells_of_config(shoal, command):
    outcome = shoal(*command, "--help")
    assert outcome.code == 0 and "--config FILE" in outcome.out


@pytest.mark.parametrize("command", [[], *([c] for c in COMMANDS), ["ledger", "create"], ["ledger", "show"], ["ledger", "history"], ["ledger", "verify"]])
def test_help_has_short_lines(shoal, command):
    """At most ten words for an option or a command, which start in column 28."""
    for help_option in ("--help", "--help-all"):
        text = shoal(*command, help_option).out.split("\nExample")[0].split("\nStart here:")[0]
        explained = [line[28:] for line in text.splitlines() if line.startswith("  ")]
        assert explained and all(0 < len(words) <= 100 and len(words.split()) <= 10 for words in explained if words), explained


def test_the_help_of_a_release_shows_what_most_people_need_on_one_screen(shoal):
    text = shoal("release", "--help").out
    for option in ["--columns", "--bounds", "--auto", "--epsilon", "--unit", "--contribution", "--ledger", "--dataset", "--output"]:
        assert option in text, option
    assert text.count("\n  shoal release ") == 2 and text.count("\n") <= 30 and "--alpha" not in text
    assert "more options, by topic: shoal release --help-all" in text


@pytest.mark.parametrize("command", [*COMMANDS, "columns", "studio", "serve"])
def test_every_help_fits_one_screen_and_ends_with_two_examples(shoal, command):
    text = shoal(command, "--help").out
    options = re.findall(r"^  (?:-\w,)?(--[\w-]+)", text, re.M)
    assert text.count("\n") <= 26 and "\n\n\n" not in text and len(options) <= 13, text
    assert text.count(f"\n  shoal {command} ") >= 2, text


@pytest.mark.parametrize("command", [*COMMANDS, "columns", "studio", "serve"])
def test_the_examples_of_a_help_use_options_that_are_there(shoal, command):
    """--help-all and --help may show other examples."""
    known = set(re.findall(r"--[\w-]+", shoal(command, "--help-all").out.split("\nExample")[0])) | {"-o"}
    for option in ("--help", "--help-all"):
        for line in re.findall(rf"^  shoal {command} (.*?)(?:   \(.*)?$", shoal(command, option).out, re.M):
            words = shlex.split(line)
            if command == "ledger":
                known |= set(re.findall(r"--[\w-]+", shoal(command, words[0], "--help").out))
            assert {word for word in words if word.startswith("-")} <= known, line


LONG = ["release", "cluster", "check", "reshape", "predict", "synthesize", "plan", "evaluate", "audit"]


@pytest.mark.parametrize("command", LONG)
def test_short_help_is_a_part_of_the_whole_and_counts_the_rest(shoal, command):
    short, whole = ({*re.findall(r"^  (?:-\w,)?(--[\w-]+)", shoal(command, option).out, re.M)} for option in ("--help", "--help-all"))
    assert short < whole and len(short) <= 12
    assert f"{len(whole) - len(short)} more options, by topic: shoal {command} --help-all" in shoal(command, "--help").out


@pytest.mark.parametrize("command", [c for c in COMMANDS if c not in LONG])
def test_help_that_fits_one_screen_is_the_whole(shoal, command):
    assert shoal(command, "--help").out == shoal(command, "--help-all").out


def test_help_is_a_command_too(shoal, refused):
    assert shoal("help").out == shoal("--help").out and "Subcommands:" in shoal("help").out
    assert shoal("help", "release").out == shoal("release", "--help").out
    assert shoal("help", "ledger", "show").out == shoal("ledger", "show", "--help").out
    refused(2, "help", "relase", says=["relase", "did you mean release?"])


def test_budgets_go_by_the_words_that_people_try(shoal, refused):
    refused(2, "release", "x.csv", "--eps", "1", says=["no option --eps;", "did you mean --epsilon?"])
    refused(2, "release", "x.csv", "-epsilon", "1", says=["one dash", "--epsilon"])
    plan = ["plan", "--bounds", "0:1,0:1", "--grid", "8", "--percentile", "50", "--records", "100", "--runs", "1", "--json", "-"]
    assert shoal(*plan, "--epsilon", "1").json == shoal(*plan, "--epsilons", "1").json


@pytest.mark.parametrize("typed,read", [("x=0-110,y=0:1", "x=0:110,y=0:1"), ("x=13..13.8,y=-5..5", "x=13:13.8,y=-5:5"), ("0-1,0-1", "0:1,0:1"),
                                        ("day=01.01.2026:31.12.2026", "day=2026-01-01:2026-12-31"), ("day=1.2.2026..3.4.2026", "day=2026-02-01:2026-04-03"),
                                        ("day=01/01/2026:31/12/2026", "day=2026-01-01:2026-12-31"), ("day=1/1/2026:12/31/2026", "day=2026-01-01:2026-12-31"),
                                        ("x=0:5;y=0:5", "x=0:5,y=0:5"), ("x=0;5,y=0;5", "x=0:5,y=0:5"), ("x=[0, 5],y=[0, 5]", "x=0:5,y=0:5"),
                                        ("x:0:5,y:0:5", "x=0:5,y=0:5"), ("0,5,0,5", "0:5,0:5"), ("x = 0 - 5, y = 0 to 5", "x=0:5,y=0:5"),
                                        ("x=13,0:13,8,y=52,3:52,7", "x=13.0:13.8,y=52.3:52.7"), ("x=-180--90,y=-5-5", "x=-180:-90,y=-5:5"),
                                        ("day=1.1.26:31.12.26", "day=2026-01-01:2026-12-31"), ("day=2026-01-01-2026-12-31", "day=2026-01-01:2026-12-31"),
                                        ("ward=A|B:category,age=0-110:int", "ward=A|B:category,age=0:110:int")])
def test_bounds_in_another_form_are_refused_with_the_form_that_is_read(shoal, refused, typed, read):
    words = ["release", "x.csv", "--auto", "--epsilon", "1", "--dry-run"]
    refused(2, *words, "--bounds", typed, says=["is not LOWER:UPPER", f"write --bounds {read}\n"])
    assert shoal(*words, "--bounds", read).code == 0


@pytest.mark.parametrize("typed,read", [(["--bounds", "x=13:13.8,", "y=0:1"], "--bounds x=13:13.8,y=0:1"), (["--bounds", "0:1", "-1:1"], "--bounds 0:1,-1:1"),
                                        (["--bounds", "x=0-5", "y=0-5"], "--bounds x=0:5,y=0:5"), (["--bounds", "x=0", ":", "1,y=0:1"], "--bounds x=0:1,y=0:1"),
                                        (["--bounds=0:1", "0:1"], "--bounds=0:1,0:1"),
                                        (["--columns", "x,", "y"], "--columns x,y"), (["--columns", "x", ",y"], "--columns x,y"), (["--columns=x,", "y"], "--columns=x,y")])
def test_a_list_with_a_space_is_refused_with_the_list_without(refused, typed, read):
    refused(2, "release", "x.csv", *typed, "--epsilon", "1", says=["space", f"{read}\n"])


def test_a_date_that_could_mean_two_is_not_guessed(refused):
    done = refused(2, "release", "x.csv", "--auto", "--epsilon", "1", "-o", "r.json", "--bounds", "day=03/04/2026:05/06/2026", says=["03/04/2026", "2026-12-31"])
    assert "write --bounds" not in done.err


@pytest.mark.parametrize("typed,read", [(["--", "epsilon", "1"], "space after --; write --epsilon"), (["--epsilon", "=", "1"], "space around =; write --epsilon 1"),
                                        (["--eps", "1"], "did you mean --epsilon?"), (["--epsilon", "0,5"], "has a comma; write 0.5")])
def test_an_option_that_is_typed_wrongly_is_refused_with_the_right_one(refused, spirals, typed, read):
    refused(3 if "0,5" in typed else 2, "release", spirals, *PUBLIC, "--auto", "-o", "r.json", *typed, says=[read])
    if "--eps" in typed:
        refused(2, "plan", *typed, says=[read])


@pytest.mark.parametrize("missing,example", [("--bounds", "--bounds x=0:100,y=0:50"), ("--epsilon", "--epsilon 1"), ("INPUT", "visits.csv")])
def test_what_is_required_comes_with_an_example(refused, missing, example):
    words = {"INPUT": ["x.csv"], "--bounds": ["--bounds", "0:1,0:1"], "--epsilon": ["--epsilon", "1"]}
    given = [word for name, pair in words.items() if name != missing for word in pair]
    refused(2, "release", *given, "--auto", "-o", "r.json", says=[f"{missing} is required", example])


def test_a_file_of_another_program_is_refused_with_the_command_that_converts_it(shoal, refused):
    words = ["--bounds", "x=0:5,y=0:5", "--auto", "--epsilon", "1", "-o", "r.json"]
    (shoal.folder / "my data.xlsx").write_bytes(b"PK\x03\x04")
    refused(3, "release", "my data.xlsx", *words, says=["workbook", "--convert-to csv 'my data.xlsx'", "'my data.csv'"])
    (shoal.folder / "a.json").write_text('[{"x": 1, "y": 2}]')
    refused(3, "release", "a.json", *words, says=["one object per line", "jq -c '.[]' a.json > a.jsonl"])
    (shoal.folder / "bars.csv").write_text("x|y\n1|2\n")
    refused(3, "release", "bars.csv", *words, says=["no column 'x'", "add --delimiter '|'"])
    assert shoal("release", "bars.csv", *words, "--delimiter", "|").code == 0


@pytest.mark.parametrize("name,says", [("A.XLSX", "soffice --headless --convert-to csv A.XLSX"), ("a.shp", "ogr2ogr -f CSV a.csv a.shp -lco GEOMETRY=AS_XY"),
                                       ("a.geojson", "ogr2ogr -f CSV a.csv a.geojson"), ("a.db", "sqlite3 -header -csv a.db"), ("a.zip", "unzip -p a.zip > a.csv"),
                                       ("a.sav", "statistics program; save the table as CSV"), ("a.feather", "save the table as Parquet or as CSV")])
def test_files_of_other_programs_are_known_by_their_names(shoal, refused, name, says):
    (shoal.folder / name).write_text("x")
    refused(3, "check", name, "--bounds", "x=0:5,y=0:5", says=[says, "then give", ".csv in its place"])


def test_two_outputs_in_one_name_are_refused(shoal, refused, spirals):
    refused(2, "release", spirals, *SPIRALS, "--epsilon", "1", "-o", "a.html,a.json", says=["-o a.html -o a.json"])
    assert not list(shoal.folder.glob("*.html*"))


@pytest.mark.parametrize("typed,read", [(["--grid", "40x40", "--percentile", "10"], "write --grid 40,40"), (["--percentile", "10%"], "write --percentile 10;"),
                                        (["a.json", "b.json"], "'a.json' is one argument too many")])
def test_values_in_another_form_are_refused_with_the_form_that_is_read(refused, spirals, typed, read):
    refused(2, "release", spirals, *PUBLIC, *typed, "--epsilon", "1", "-o", "r.html", says=[read])


def test_a_file_of_options_works_for_commands_of_commands(shoal):
    (shoal.folder / "c.toml").write_text('[ledger]\ndataset = "trips"\ncap = "1.5"\n')
    outcome = shoal("ledger", "create", "l.db", "--config", "c.toml")
    assert outcome.code == 0 and "'trips' may spend epsilon 1.5" in outcome.out


def test_a_file_of_another_kind_is_no_release_and_the_message_says_what_to_give(shoal, refused, spirals):
    words = ["release", spirals, *SPIRALS, "--epsilon", "1"]
    assert shoal(*words, "-o", "r.json", "-o", "r.geojson", "-o", "r.csv", "-o", "r.html", "-o", "r.svg", "-o", "r.png").code == 0
    assert shoal("tree", "r.json", "-o", "t.json").code == 0
    assert shoal("ledger", "create", "l.db", "--dataset", "d", "--cap", "1").code == 0
    (shoal.folder / "r.json.gz").write_bytes(subprocess.run(["gzip", "-c", shoal.folder / "r.json"], capture_output=True, check=True).stdout)
    (shoal.folder / "empty.json").write_text("")
    (shoal.folder / "list.json").write_text("[1, 2]")
    (shoal.folder / "other.json").write_text('{"a": 1}')
    kinds = {"spirals.csv": "a text or CSV file", "r.csv": "a text or CSV file", "r.geojson": "GeoJSON", "r.html": "an HTML page or a picture",
             "r.svg": "an HTML page or a picture", "r.png": "a PNG picture", "t.json": "a cluster tree", "l.db": "a ledger", "r.json.gz": "a gzip file",
             "empty.json": "an empty file", "list.json": "a text", "other.json": "another kind of JSON"}
    for name, kind in kinds.items():
        says = [f"'{name}' is not a release but {kind}", "give the .json file that shoal release"]
        refused(3, "reshape", name, "--percentile", "40", "-o", "x.html", says=says)
        refused(3, "tree", name, "-o", "x.html", says=says)
        refused(3, "predict", name, spirals, "-o", "x.csv", says=says)
    for name in ("r.geojson", "r.html"):
        assert "\0" not in (shoal.folder / name).read_text()


def on_a_terminal(folder, *words, **environment) -> str:
    """What the program prints when its output is a terminal."""
    leader, follower = pty.openpty()
    done = subprocess.run([str(SHOAL), *map(str, words)], cwd=folder, stdout=follower, stderr=follower, env={**os.environ, **environment})
    os.close(follower)
    text = b""
    while True:
        try:
            part = os.read(leader, 65536)
        except OSError:
            break
        if not part:
            break
        text += part
    os.close(leader)
    assert done.returncode == 0, text
    return text.decode()


AMBER = "\x1b[33m"


def test_an_epsilon_of_ten_or_more_says_in_amber_what_it_promises(shoal, spirals):
    weak = "Epsilon 10 is a weak guarantee: the probability of any result may change by a factor of up to e^10, about 22,100, when one record is added or removed."
    for words in (["release", spirals, *SPIRALS, "-o", "r.json", "-o", "r.html"], ["synthesize", spirals, *PUBLIC, "-o", "s.csv"],
                  ["release", spirals, *SPIRALS, "--dry-run"]):
        plain = shoal(*words, "--epsilon", "10")
        assert plain.code == 0 and weak in plain.out and "\x1b" not in plain.out
        for name in ("r.json", "r.html", "s.csv"):
            (shoal.folder / name).unlink(missing_ok=True)
        assert f"{AMBER}{weak}" in on_a_terminal(shoal.folder, *words, "--epsilon", "10")
        for name in ("r.json", "s.csv"):
            (shoal.folder / name).unlink(missing_ok=True)
        html = shoal.folder / "r.html"
        if html.exists():
            page = html.read_text()
            assert weak in page and 'class="privacy amber"' in page and 'class="privacy good"' not in page
            html.unlink()
        assert AMBER not in on_a_terminal(shoal.folder, *words, "--epsilon", "10", NO_COLOR="1")
        for name in ("r.json", "r.html", "s.csv"):
            (shoal.folder / name).unlink(missing_ok=True)
        usual = on_a_terminal(shoal.folder, *words, "--epsilon", "9.9")
        assert AMBER not in usual and "weak" not in usual
        for name in ("r.json", "r.html", "s.csv"):
            (shoal.folder / name).unlink(missing_ok=True)


def test_nothing_inside_the_bounds_is_said_in_terminal_page_and_beside_json(shoal, spirals):
    few = re.compile(r"About (?:1 record lies|\d+ records lie) inside the bounds; check the bounds\.")
    wrong = ["release", spirals, "--columns", "x,y", "--bounds", "5:6,5:6", "--epsilon", "1"]
    for i, more in enumerate((["--grid", "40", "--percentile", "10"], ["--grid", "40", "--percentile", "10", "--technique", "privthr"], ["--auto"])):
        # Each is missing in fewer than 1 of 100 releases: four of four are not.
        said = [shoal(*wrong, *more, "-o", f"{i}-{run}.json", "-o", f"{i}-{run}.html") for run in range(4)]
        assert any(few.search(outcome.out) for outcome in said)
        for run, outcome in enumerate(said):
            page = (shoal.folder / f"{i}-{run}.html").read_text()
            assert bool(few.search(page)) == bool(few.search(outcome.out))
    beside = shoal(*wrong, "--grid", "40", "--percentile", "10", "--json", "-")
    json.loads(beside.out)
    right = shoal("release", spirals, *SPIRALS, "--epsilon", "1", "-o", "right.json")
    assert right.code == 0 and not few.search(right.out)


def test_what_is_suggested_after_a_release_works_and_shows_what_it_says(shoal, spirals):
    """Which one it is depends on the noise; tests/release/tree_names_test.cpp has every case."""
    releases = [[*SPIRALS, "--epsilon", "2"], [*PUBLIC, "--grid", "40", "--density", "4", "--epsilon", "0.2", "--technique", "privqt"], [*PUBLIC, "--auto", "--epsilon", "1"]]
    for i, options in enumerate(releases):
        made = shoal("release", spirals, *options, "-o", f"{i}.json")
        assert made.code == 0, made.err
        (line,) = re.findall(r"^Next: shoal (.*)$", made.out, re.M)
        words, why = re.fullmatch(r"(.*?)   \(free: (.*)\)", line).groups()
        shown = re.search(r"^(\d+|no) clusters?\b", made.out, re.M)[1]
        following = shoal(*words.replace("POINTS.csv", str(spirals)).split(), "--force")
        assert following.code == 0, (line, following.err)
        if words.startswith("reshape"):
            assert re.fullmatch(r"without the (?:(\d+) clusters|cluster) that may be noise or chance", why)
            assert following.out.split()[0] == shown, (line, following.out)
        else:
            assert words.startswith("predict") and "rows of columns x, y" in following.out


def test_no_labels_are_suggested_where_there_is_no_cluster(shoal, spirals):
    # Noise of epsilon 2 on a sum has a deviation of 0.7: that any of 400 reaches 100 has a chance below 1e-80. The tree may take noise for a cluster.
    outcome = shoal("release", spirals, "--columns", "x,y", "--bounds", "5:6,5:6", "--grid", "40", "--density", "50", "--epsilon", "2", "-o", "none.json")
    assert outcome.code == 0 and re.search(r"^no clusters", outcome.out, re.M) and "Next: shoal predict" not in outcome.out


def test_the_version_is_that_of_the_library(shoal):
    outcome = shoal("--version")
    assert outcome.code == 0 and outcome.err == ""
    header = (ROOT / "include/shoal/version.hpp").read_text()
    assert outcome.out == re.search(r'version = "([0-9.]+)"', header).group(1) + "\n"
