#!/usr/bin/env python3
"""Runs the examples of the documents, so that they stay true.

A block that starts with ```console holds commands behind "$ " and what they print. The commands of a document run in order in one
scratch folder, with the program on the PATH. What they print must be what the document shows; where noise makes it differ from run to run, the
block is opened with ```console varies, and the command must merely succeed. A picture that they write and that the document shows from images/ must be
the same file.

  scripts/docs.py            rewrites what the commands printed
  scripts/docs.py --check    only compares (the tests do this)
"""

from __future__ import annotations

import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
BLOCK = re.compile(r"^```console( varies)?\n(.*?)^```$", re.M | re.S)


def run(command: str, folder: str) -> str:
    path = f"{ROOT / 'build/bin'}:{ROOT / '.venv/bin'}:{os.environ['PATH']}"
    done = subprocess.run(["bash", "-c", command], cwd=folder, env={**os.environ, "PATH": path}, text=True, timeout=300,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if done.returncode != 0 and not command.rstrip().endswith("# refused"):
        raise SystemExit(f"this example fails with {done.returncode}: {command}\n{done.stdout}")
    return done.stdout


def examples(text: str):
    """(block, varies, [(command, shown)])"""
    for block in BLOCK.finditer(text):
        pairs: list[tuple[str, str]] = []
        for line in block.group(2).splitlines(keepends=True):
            if line.startswith("$ "):
                pairs.append((line[2:], ""))
            elif line.startswith("> "):
                pairs[-1] = (pairs[-1][0] + line[2:], "")
            else:
                pairs[-1] = (pairs[-1][0], pairs[-1][1] + line)
        yield block, bool(block.group(1)), pairs


def pictures(path: pathlib.Path, text: str, folder: str, check: bool) -> list[str]:
    faults = []
    for name in re.findall(r"\]\(((?:docs/)?images/[\w.-]+\.svg)\)", text):
        shown, written = path.parent / name, pathlib.Path(folder, pathlib.Path(name).name)
        if not written.exists() or (shown.exists() and shown.read_bytes() == written.read_bytes()):
            continue
        faults.append(f"{path.name}: {name} is not the picture that a command of the document writes")
        if not check:
            shown.write_bytes(written.read_bytes())
    return faults


def document(path: pathlib.Path, check: bool) -> list[str]:
    text, faults, edits = path.read_text(), [], []
    with tempfile.TemporaryDirectory() as folder:
        for block, varies, pairs in examples(text):
            lines = []
            for command, shown in pairs:
                printed = run(command, folder)
                if not varies and printed != shown:
                    faults.append(f"{path.name}: {command.strip()}\n--- shown\n{shown}--- printed\n{printed}")
                keep = shown if varies and shown and check else printed
                lines.append("$ " + command.rstrip("\n").replace("\n", "\n> ") + "\n" + keep)
            edits.append((block.span(2), "".join(lines)))
        faults += pictures(path, text, folder, check)
    if not check:
        for (start, end), new in reversed(edits):
            text = text[:start] + new + text[end:]
        path.write_text(text)
    return faults


def main() -> None:
    check = "--check" in sys.argv
    faults = []
    for path in [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]:
        faults += document(path, check)
    if check and faults:
        raise SystemExit("\n".join(faults) + "\nRun make examples, and read what changed.")


if __name__ == "__main__":
    main()
