"""Files that comments and documents name are there."""

from __future__ import annotations

import pathlib
import re
import subprocess

from conftest import ROOT

FILE = re.compile(r"(?<![\w./$}:*<-])((?:[\w-]+/)*[a-zA-Z][\w-]*\.(?:hpp|cpp|py|mjs|ts|cmake|css|md))(?![\w/(])")
# Made by a build or a run, or in another project.
ELSEWHERE = {"out/claims.md", "doc/xxhash_spec.md", "page_data.cpp", "coast_data.cpp", "studio_data.cpp"}


def spoken(path: pathlib.PurePath, text: str) -> list[str]:
    """What each line says to people: a comment of a source, or a whole line of a document."""
    if path.suffix == ".md":
        return text.splitlines()
    mark = r"(?<!:)//(.*)" if path.suffix in (".hpp", ".cpp", ".ts", ".mjs") else r"#(.*)"
    return [found.group(1) if (found := re.search(mark, line)) else "" for line in text.splitlines()]


def endings_of(files: set[str]) -> set[str]:
    return {"/".join(file.split("/")[-count:]) for file in files for count in range(1, 6)}


def absent(path: str, text: str, endings: set[str]) -> list[str]:
    lines = enumerate(spoken(pathlib.PurePath(path), text), 1)
    return [
        f"{path}:{number}: {name}"
        for number, line in lines
        for name in FILE.findall(line)
        if name not in endings | ELSEWHERE
    ]


def test_files_that_comments_and_documents_name_are_there():
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True)
    if listed.returncode != 0:
        files = {
            str(path.relative_to(ROOT))
            for folder in ("src", "include", "cli", "docs")
            for path in (ROOT / folder).rglob("*.*")
        }
    else:
        files = set(listed.stdout.split())
    kinds = (".hpp", ".cpp", ".py", ".ts", ".mjs", ".md", ".cmake", "")
    read = [
        file
        for file in sorted(files)
        if pathlib.PurePath(file).suffix in kinds and file != "CHANGELOG.md" and (ROOT / file).is_file()
    ]
    assert len(read) > 500
    endings = endings_of(files)
    assert not [line for file in read for line in absent(file, (ROOT / file).read_text(errors="replace"), endings)]


def test_a_file_that_is_gone_would_be_found():
    assert absent("src/a.cpp", "int x;  // see grid/gone.hpp\n", endings_of({"src/a.cpp"})) == [
        "src/a.cpp:1: grid/gone.hpp"
    ]
    assert absent("docs/a.md", "`src/a.cpp` and a.cpp", endings_of({"src/a.cpp"})) == []
