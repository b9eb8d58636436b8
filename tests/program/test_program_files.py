"""No output replaces an input, or another file unless told to; all of it is settled before anything is read or charged."""

import os
import subprocess
import threading

import pytest
from conftest import SHOAL

GRID = ["--columns", "x,y", "--bounds", "0:1,0:1", "--grid", "40", "--percentile", "10"]
RELEASE = ["release", "{input}", *GRID, "--epsilon", "1"]

# Command lines that write {output}, and read {input} and, where they name it, {release}.
WRITERS = {
    "release -o": [*RELEASE, "-o", "{output}"],
    "release --json": [*RELEASE, "--json", "{output}"],
    "release --dry-run": [*RELEASE, "--dry-run", "--json", "{output}"],
    "synthesize -o": ["synthesize", "{input}", *GRID[:4], "--epsilon", "1", "-o", "{output}"],
    "synthesize --json": ["synthesize", "{input}", *GRID[:4], "--epsilon", "1", "-o", "points.csv", "--json", "{output}"],
    "cluster -o": ["cluster", "{input}", *GRID, "-o", "{output}"],
    "cluster --labels": ["cluster", "{input}", *GRID, "--labels", "{output}"],
    "cluster --json": ["cluster", "{input}", *GRID, "--json", "{output}"],
    "evaluate --csv": ["evaluate", "{input}", *GRID, "--runs", "1", "--techniques", "privqt", "--no-classifier", "--csv", "{output}"],
    "evaluate --html": ["evaluate", "{input}", *GRID, "--runs", "1", "--techniques", "privqt", "--no-classifier", "--html", "{output}"],
    "evaluate --json": ["evaluate", "{input}", *GRID, "--runs", "1", "--techniques", "privqt", "--no-classifier", "--json", "{output}"],
    "predict -o": ["predict", "{release}", "{input}", "--columns", "x,y", "-o", "{output}"],
    "predict --json": ["predict", "{release}", "{input}", "--columns", "x,y", "-o", "labels.csv", "--json", "{output}"],
    "reshape -o": ["reshape", "{release}", "--percentile", "40", "-o", "{output}"],
    "reshape --json": ["reshape", "{release}", "--percentile", "40", "--json", "{output}"],
    "tree -o": ["tree", "{release}", "-o", "{output}"],
    "tree --json": ["tree", "{release}", "--json", "{output}"],
    "compare -o": ["compare", "{release}", "{release}", "-o", "{output}"],
    "compare --json": ["compare", "{release}", "{release}", "--json", "{output}"],
    "datasets -o": ["datasets", "ds2", "-o", "{output}"],
    "ledger show --json": ["ledger", "show", "{ledger}", "--json", "{output}"],
    "ledger history --json": ["ledger", "history", "{ledger}", "--json", "{output}"],
    "audit --json": ["audit", "--technique", "privqt", "--runs", "1000", "--json", "{output}"],
}
# A name that the command could write to: one of a format is asked for one.
SUFFIX = {name: ".json" if name.endswith(("-o", "--json")) and not name.startswith(("synthesize", "predict", "datasets")) else ".csv" for name in WRITERS}
READERS = {name: ["release", "input"] if name.startswith("predict") else ["release"] if "{release}" in words else ["ledger"] if "{ledger}" in words
           else ["input"] for name, words in WRITERS.items() if name not in ("datasets -o", "audit --json")}


@pytest.fixture
def files(shoal, spirals):
    """input, release and ledger, under names that every command could take for an output."""
    assert shoal(*[word.format(input=spirals) for word in RELEASE], "-o", "made.json").code == 0
    assert shoal("ledger", "create", "made.db", "--dataset", "d", "--cap", "9").code == 0
    return {"input": spirals, "release": shoal.folder / "made.json", "ledger": shoal.folder / "made.db"}


def words_of(name, files, output):
    return [word.format(output=output, **files) for word in WRITERS[name]]


@pytest.mark.parametrize("link", ["itself", "symbolic link", "hard link", "link to a link", "other path"])
@pytest.mark.parametrize("name", READERS)
def test_an_output_that_is_an_input_is_refused(refused, shoal, files, name, link):
    for which in READERS[name]:
        # The file under a name that the command would write to; the output is that name or another of the same file.
        held = shoal.folder / f"held-{which}{SUFFIX[name]}"
        os.rename(files[which], held)
        output = shoal.folder / f"out-{which}{SUFFIX[name]}"
        if link == "symbolic link":
            output.symlink_to(held)
        elif link == "hard link":
            os.link(held, output)
        elif link == "link to a link":
            (shoal.folder / f"middle-{which}").symlink_to(held)
            output.symlink_to(f"middle-{which}")
        elif link == "other path":
            (shoal.folder / "sub").mkdir(exist_ok=True)
            output = f"sub/../{held.name}"
        else:
            output = held
        before = held.read_bytes()
        words = words_of(name, {**files, which: held}, output)
        refused(3, *words, says=["which is an input"])
        refused(3, *words, "--force", says=["which is an input"])
        assert held.read_bytes() == before
        os.rename(held, files[which])


@pytest.mark.parametrize("name", WRITERS)
def test_a_file_that_is_there_is_replaced_only_by_force(refused, shoal, files, name):
    output = shoal.folder / f"there{SUFFIX[name]}"
    output.write_text("paid for")
    refused(3, *words_of(name, files, output), says=["already exists", "--force"])
    assert output.read_text() == "paid for"
    assert shoal(*words_of(name, files, output), "--force").code == 0
    assert output.read_text() != "paid for"
    output.unlink()
    output.symlink_to("nowhere")  # a name that is taken, though it leads nowhere
    refused(3, *words_of(name, files, output), says=["already exists"])


def test_standard_input_is_an_input_too(shoal, spirals):
    before = spirals.read_bytes()
    for words in (["release", "-", *GRID, "--epsilon", "1", "--json", "spirals.csv"], ["cluster", "-", *GRID, "--json", "spirals.csv"],
                  ["predict", "r.json", "-", "-o", "spirals.csv"]):
        with open(spirals) as file:
            done = subprocess.run([SHOAL, *words, "--force"], stdin=file, cwd=shoal.folder, capture_output=True, text=True)
        assert done.returncode == 3 and "standard input, which is an input" in done.stderr, done.stderr
    assert spirals.read_bytes() == before


def test_an_input_is_not_appended_to_through_standard_output(shoal, spirals, files):
    before = spirals.read_bytes()
    for name in ("predict -o", "predict --json", "synthesize -o", "cluster --json"):
        for output in ("-", "/dev/stdout"):
            with open(spirals, "a") as file:
                done = subprocess.run([SHOAL, *words_of(name, files, output)], stdout=file, cwd=shoal.folder, stderr=subprocess.PIPE, text=True)
            assert done.returncode == 3 and "which is an input" in done.stderr, done.stderr
    assert spirals.read_bytes() == before


def test_two_outputs_of_one_name_are_refused(refused, shoal, spirals):
    words = [word.format(input=spirals) for word in RELEASE]
    (shoal.folder / "sub").mkdir()
    refused(3, *words, "-o", "r.json", "-o", "r.json", says=["the same file"])
    refused(3, *words, "-o", "r.json", "-o", "sub/../r.json", says=["the same file"])
    refused(3, *words, "-o", "r.json", "--json", "r.json", says=["the same file"])
    refused(3, "cluster", spirals, *GRID, "-o", "r.csv", "--labels", "r.csv", says=["the same file"])
    refused(3, "evaluate", spirals, *GRID, "--csv", "r.csv", "--html", "r.csv", says=["the same file"])
    (shoal.folder / "a.json").write_text("")
    os.link(shoal.folder / "a.json", shoal.folder / "b.json")
    refused(3, *words, "-o", "a.json", "-o", "b.json", "--force", says=["the same file"])


@pytest.mark.parametrize("command", ["release", "synthesize"])
def test_a_ledger_is_no_output(refused, shoal, spirals, command):
    shoal("ledger", "create", "b.json", "--dataset", "d", "--cap", "9")
    before = (shoal.folder / "b.json").read_bytes()
    more = GRID if command == "release" else [*GRID[:4], "-o", "points.csv"]
    words = [command, spirals, *more, "--epsilon", "1", "--ledger", "b.json", "--dataset", "d", "--force", "--json"]
    refused(3, *words, "b.json", says=["which is an input"])
    refused(3, *words, "b.json-journal", says=["which is an input"])
    assert (shoal.folder / "b.json").read_bytes() == before


def test_a_configuration_is_no_output(refused, shoal, spirals):
    config = shoal.folder / "c.json"
    config.write_text("epsilon = 1\npercentile = 10\n")
    refused(3, "release", spirals, "--bounds", "x=0:1,y=0:1", "--config", config, "-o", "c.json", "--force", says=["which is an input"])
    refused(3, "datasets", "ds2", "--config", config, "-o", "c.json", "--force", says=["which is an input"])
    assert config.read_text().startswith("epsilon")


def test_outputs_are_settled_before_anything_is_read(refused, shoal, files):
    (shoal.folder / "bad.csv").write_text("x,y\n0.5,oops\n")
    (shoal.folder / "bad.json").write_text("{")
    (shoal.folder / "there.csv").write_text("")
    (shoal.folder / "there.json").write_text("")
    bad = {"input": "bad.csv", "release": "bad.json", "ledger": "none.db"}
    for name in READERS:
        refused(3, *words_of(name, bad, f"there{SUFFIX[name]}"), says=["already exists"])
        refused(3, *words_of(name, bad, f"no/such/folder/r{SUFFIX[name]}"), says=["no/such/folder", "No such file"])
    refused(3, "reproduce", "--quick", "-o", "there.csv", says=["there.csv"])


def test_a_folder_is_no_output(refused, shoal, files):
    (shoal.folder / "folder.json").mkdir()
    refused(3, *words_of("release -o", files, "folder.json"), says=["Is a directory"])
    refused(3, *words_of("release -o", files, "folder.json"), "--force", says=["Is a directory"])


def test_devices_and_pipes_are_written_to(shoal, files):
    for name in ("predict -o", "synthesize -o", "cluster --json", "release --json"):
        assert shoal(*words_of(name, files, "/dev/null")).code == 0
        printed = shoal(*words_of(name, files, "/dev/stdout"))
        assert printed.code == 0 and printed.out.count("\n") > 20, printed.err
    assert os.path.islink("/dev/stdout") and os.readlink("/dev/stdout").endswith("fd/1")
    os.mkfifo(shoal.folder / "pipe")
    got = []
    reader = threading.Thread(target=lambda: got.append((shoal.folder / "pipe").read_text()))
    reader.start()
    assert shoal(*words_of("predict -o", files, "pipe")).code == 0
    reader.join()
    assert got[0].startswith("cluster\n") and got[0].count("\n") == 31201


def test_a_redirected_standard_output_is_written_to_from_where_it_is(shoal, files):
    with open(shoal.folder / "log", "w") as file:
        file.write("first\n")
        file.flush()
        for name in ("-", "/dev/stdout"):
            done = subprocess.run([SHOAL, *words_of("predict -o", files, name)], stdout=file, cwd=shoal.folder, stderr=subprocess.PIPE)
            assert done.returncode == 0, done.stderr
    lines = (shoal.folder / "log").read_text().splitlines()
    assert lines[:2] == ["first", "cluster"] and lines[31202] == "cluster"
    assert "31200 rows" in lines[-1] and len(lines) == 1 + 2 * 31201 + 1
