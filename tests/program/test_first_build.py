"""The first ten minutes: what `make demo` and `make install` install, compile and say."""

from __future__ import annotations

import os
import re
import subprocess

import pytest
from conftest import ROOT, SHOAL


def packages(name: str) -> list[str]:
    lines = (ROOT / "scripts" / name).read_text().splitlines()
    return [line.split("| ")[1] for line in lines if line and not line.startswith("#")]


def test_the_program_needs_a_compiler_and_libraries_alone():
    program, whole = packages("packages-program.txt"), packages("packages.txt")
    assert not set(program) & set(whole)
    for name in program:
        assert name in ("g++", "cmake", "ninja-build", "ccache") or name.endswith("-dev"), name
        assert "gtest" not in name and "python" not in name, name
    assert {"emscripten", "nodejs", "npm", "chromium", "python3", "libgtest-dev"} <= set(whole) | set(packages("packages-page.txt"))
    assert "emscripten" not in whole  # the kept page serves


def test_sources_that_are_joined_apart_are_there():
    text = re.sub(r"#.*", "", (ROOT / "cmake/joined.cmake").read_text())
    listed = [source for names in re.findall(r"set\((?:apart_\d|alone)\s([^)]*)\)", text) for source in names.split()]
    listed += [guest.split(":")[0] for guest in re.search(r"set\(guests\s([^)]*)\)", text).group(1).split()]
    assert len(listed) > 20 and len(listed) == len(set(listed))
    for source in listed:
        paths = [f"src/{source}.cpp", f"{source}.cpp", source.replace("python/", "python/src/") + ".cpp", f"python/{source}.cpp"]
        assert any((ROOT / path).exists() for path in paths), f"cmake/joined.cmake names {source}, which is gone"


def test_the_demo_ends_with_the_picture_the_page_and_the_next_command(tmp_path):
    done = subprocess.run([ROOT / "scripts/demo", SHOAL], cwd=tmp_path, capture_output=True, text=True, check=True)
    last = done.stdout[done.stdout.index("The picture:") :]
    for name in ("out/clusters.svg", "out/clusters.html", "out/owner.html"):
        assert name in last and (tmp_path / name).stat().st_size > 1000
    assert 'id="shoal-app"' in (tmp_path / "out/clusters.html").read_text()
    command = re.search(r"^Next: +(.*?) +\(free", last, re.M).group(1)
    subprocess.run(command, shell=True, cwd=tmp_path, capture_output=True, check=True)
    assert (tmp_path / "out/denser.html").exists()


@pytest.mark.parametrize("known", [False, True])
def test_install_says_how_the_shell_finds_the_program(tmp_path, known):
    """With a cmake that only notes what it is asked."""
    fake = tmp_path / "tools/cmake"
    fake.parent.mkdir()
    fake.write_text(f'#!/bin/sh\necho "$@" >> {tmp_path}/asked\nmkdir -p {tmp_path}/prefix/bin\n')
    fake.chmod(0o755)
    path = f"{fake.parent}:{os.environ['PATH']}" + (f":{tmp_path}/prefix/bin" if known else "")
    done = subprocess.run([ROOT / "scripts/install", f"{tmp_path}/prefix"], capture_output=True, text=True, env={**os.environ, "PATH": path}, check=True)
    assert f"--prefix {tmp_path}/prefix" in (tmp_path / "asked").read_text()
    assert f"Installed {tmp_path}/prefix/bin/shoal" in done.stdout
    assert (f'export PATH="{tmp_path}/prefix/bin:$PATH"' in done.stdout) != known
