"""Files and names of code that comments and documents mention are there."""

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


def tree() -> tuple[set[str], dict[str, str]]:
    """All files, and the texts of those that people read."""
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True)
    if listed.returncode != 0:
        folders = [ROOT / name for name in ("src", "include", "cli", "docs")]
        files = {str(path.relative_to(ROOT)) for folder in folders for path in folder.rglob("*.*")}
    else:
        files = set(listed.stdout.split())
    kinds = (".hpp", ".cpp", ".py", ".ts", ".mjs", ".md", ".cmake", ".txt", ".toml", "")
    read = [file for file in sorted(files) if pathlib.PurePath(file).suffix in kinds and (ROOT / file).is_file()]
    assert len(read) > 500
    return files, {file: (ROOT / file).read_text(errors="replace") for file in read if file != "CHANGELOG.md"}


def test_files_that_comments_and_documents_name_are_there():
    files, texts = tree()
    endings = endings_of(files)
    assert not [line for file, text in texts.items() for line in absent(file, text, endings)]


def test_a_file_that_is_gone_would_be_found():
    assert absent("src/a.cpp", "int x;  // see grid/gone.hpp\n", endings_of({"src/a.cpp"})) == [
        "src/a.cpp:1: grid/gone.hpp"
    ]
    assert absent("docs/a.md", "`src/a.cpp` and a.cpp", endings_of({"src/a.cpp"})) == []


# Calls, members, types and names of two words. Paths and options are other things.
NAME = re.compile(
    r"(?<![\w./@\"'-])(?:[a-z]\w*(?=\(\))|\w+(?:::\w+)+|[A-Z][a-z0-9]+(?:[A-Z][a-z0-9]*)+|[a-z][a-z0-9]*(?:_[a-z0-9]+)+)"
    r"(?![\w./-]*[\w/])"
)
# Variables of formulas, such as a_i.
FORMULA = re.compile(r"\w{1,6}_\w|o_ij")
OF_OTHERS = {
    *("PrivQuantization", "WaveletTransform", "ConnCompLabel", "NoisyCountOfNonPosValues", "NoisyDensityThreshold"),  # the paper
    *("ClickHouse", "PyCapsule", "PySpark", "SipHasher13", "SplitMix64"),
    *("batch_size", "credential_chain", "include_dashboard", "n_jobs", "num_cpus", "object_store_memory", "property_finds"),
}


def words_of_code(files: set[str], texts: dict[str, str]) -> set[str]:
    """The words of all files without what is spoken."""
    words = set(re.findall(r"\w+", " ".join(files)))
    for path, text in texts.items():
        if not path.endswith(".md"):
            spoken_lines = spoken(pathlib.PurePath(path), text)
            for line, said in zip(text.splitlines(), spoken_lines):
                words.update(re.findall(r"\w+", line[: len(line) - len(said)]))
    for file in files:
        if file.endswith((".schema.json", ".ipynb")):
            words.update(re.findall(r"\w+", (ROOT / file).read_text()))
    return words


def strange(path: str, text: str, words: set[str]) -> list[str]:
    """Names that no code has. In a document, names stand in backticks, outside of examples."""
    result = []
    is_example = False
    for number, line in enumerate(spoken(pathlib.PurePath(path), text), 1):
        if path.endswith(".md"):
            is_example ^= line.startswith("```")
            line = "" if is_example else " ".join(re.findall(r"`([^`]+)`", line))
        for name in NAME.findall(line):
            if not FORMULA.fullmatch(name) and not set(name.split("::")) <= words | OF_OTHERS:
                result.append(f"{path}:{number}: {name}")
    return result


def test_names_that_comments_and_documents_mention_are_in_the_code():
    files, texts = tree()
    words = words_of_code(files, texts)
    assert not [line for file, text in texts.items() for line in strange(file, text, words)]


def test_a_name_that_is_gone_would_be_found():
    words = words_of_code({"src/a.cpp"}, {"src/a.cpp": "int there = 0;  // gone_one\n"})
    comment = "// As gone_one, GoneTwo, gone(), Gone::there; not there().\n"
    assert strange("src/a.cpp", comment, words) == [f"src/a.cpp:1: {name}" for name in ("gone_one", "GoneTwo", "gone", "Gone::there")]
    assert strange("docs/a.md", "Call `gone()`, never gone().\n```\n`gone()`\n```\n", words) == ["docs/a.md:1: gone"]
