"""Completions and manual pages hold what --help-all holds, and shells and man read them without a complaint."""

import re
import shutil
import subprocess

import pytest
from test_program_words import COMMANDS


def options(shoal, command):
    return set(re.findall(r"^\s+(?:-\w,\s*)?(--[\w-]+)", shoal(*command.split(), "--help-all").out, re.M)) - {"--help"}


def completed(shoal, script, *words):
    """What bash offers for the last of these words."""
    (shoal.folder / "complete").write_text(script)
    line = " ".join(f"'{word}'" for word in words)
    lines = f"source ./complete; COMP_WORDS=({line}); COMP_CWORD={len(words) - 1}; _shoal; printf '%s\\n' \"${{COMPREPLY[@]}}\""
    done = subprocess.run(["bash", "--norc", "-c", lines], cwd=shoal.folder, capture_output=True, text=True)
    assert done.stderr == "" and done.returncode == 0, done.stderr
    return done.stdout.split()


def test_bash_completes_commands_options_values_and_files(shoal):
    script = shoal("completions", "bash").out
    assert set(COMMANDS) <= set(completed(shoal, script, "shoal", ""))
    assert completed(shoal, script, "shoal", "expl") == ["explain"]
    for command in ("release", "ledger create", "explain", "plan"):
        assert options(shoal, command) <= set(completed(shoal, script, "shoal", *command.split(), "--")), command
    assert completed(shoal, script, "shoal", "release", "x.csv", "--neighbors", "") == ["add-remove", "replace"]
    assert "verify" in completed(shoal, script, "shoal", "ledger", "")
    (shoal.folder / "points.csv").touch()
    assert completed(shoal, script, "shoal", "release", "poi") == ["points.csv"]


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_the_other_shells_get_every_option_too(shoal, shell):
    script = shoal("completions", shell).out
    for command in COMMANDS:
        assert command in script
    for option in options(shoal, "release") | options(shoal, "ledger create"):
        assert (f"-l {option[2:]} " if shell == "fish" else f"'*{option}'") in script, option
    if shutil.which(shell):
        (shoal.folder / "script").write_text(script)
        assert subprocess.run([shell, "-n", "script"], cwd=shoal.folder, capture_output=True).stderr == b""


def test_manual_pages_hold_every_option_and_troff_has_no_complaint(shoal):
    pages = shoal.folder / "man"
    pages.mkdir()
    assert shoal("man", "--folder", "man").code == 0
    assert {f"shoal-{command}.1" for command in COMMANDS} | {"shoal.1"} <= {page.name for page in pages.iterdir()}
    for command in COMMANDS:
        text = (pages / f"shoal-{command}.1").read_text()
        assert text == shoal("man", command).out
        for option in options(shoal, command) - {"--folder"}:
            assert option.replace("-", "\\-") in text, (command, option)
    if shutil.which("groff"):
        for page in pages.iterdir():
            done = subprocess.run(["groff", "-man", "-Tutf8", "-ww", "-z", page], capture_output=True, text=True)
            assert done.stderr == "", (page.name, done.stderr)


def test_they_are_not_listed_and_refuse_what_they_do_not_know(shoal, refused):
    assert "completions" not in shoal("--help").out
    refused(2, "completions", "tcsh", says=["tcsh", "bash"])
    refused(2, "man", "nothing", says=["nothing"])
