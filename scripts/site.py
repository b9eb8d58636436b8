#!/usr/bin/env python3
"""Puts the pages of the documentation site together in build/site, for Sphinx: README.md, docs/, CONTRIBUTING.md and CHANGELOG.md.

Links between them are made to fit the site. A link to a source becomes the name of the source. Sphinx checks every other link.
"""

from __future__ import annotations

import pathlib
import posixpath
import re
import shutil

ROOT = pathlib.Path(__file__).resolve().parents[1]
SITE = ROOT / "build/site"
PLACES = {"README.md": "index.md", "CONTRIBUTING.md": "contributing.md", "CHANGELOG.md": "changelog.md"}
API = {
    "cpp.md": '<p><a href="cpp/index.html">Every header of <code>include/shoal</code></a>, by Doxygen.</p>',
    "python.md": '<p><a href="python/index.html">Every class and function of the package</a>, by pdoc.</p>',
}
CONTENTS = {
    "First": ["tutorial"],
    "How to": [
        "guide",
        "axes",
        "where",
        "plan",
        "groups",
        "compare",
        "insets",
        "studio",
        "engines",
        "spark",
        "publishing",
    ],
    "Reference": ["formats", "python", "cpp", "page"],
    "Explanation": ["privacy", "proofs", "audit", "techniques", "privwave", "quality", "confidence", "reproduction"],
    "Decisions": ["architecture", "studies/*"],
    "Speed and changes": ["performance", "contributing", "changelog"],
}


def place(path: str) -> str | None:
    """Where a file of the project lies in the site; None: it is not part of the site."""
    if path.startswith("docs/") and (ROOT / path).is_file():
        return path.removeprefix("docs/")
    return PLACES.get(path)


def fitted(text: str, source: str, target: str) -> str:
    """The text of a page that moves from source to target, both relative to the project and the site."""

    def link(found: re.Match[str]) -> str:
        whole, mark, words, address, anchor = (text or "" for text in found.group(0, 1, 2, 3, 4))
        if re.match(r"[a-z]+:", address) or not address:
            return whole
        path = posixpath.normpath(posixpath.join(posixpath.dirname(source), address))
        moved = place(path)
        if moved is None:
            return words if "`" in words else f"{words} (`{path}`)"
        return f"{mark}[{words}]({posixpath.relpath(moved, posixpath.dirname(target) or '.')}{anchor})"

    return re.sub(r"(!?)\[([^\]]*)\]\(([^)#\s]*)(#[^)\s]*)?\)", link, text)


def main() -> None:
    shutil.rmtree(SITE, ignore_errors=True)
    pages = [*PLACES, *(str(path.relative_to(ROOT)) for path in sorted((ROOT / "docs").rglob("*.md")))]
    for source in pages:
        target = place(source)
        assert target is not None
        (SITE / target).parent.mkdir(parents=True, exist_ok=True)
        (SITE / target).write_text(fitted((ROOT / source).read_text(), source, target))
    for page, words in API.items():
        with (SITE / page).open("a") as text:
            text.write(f"\n## Reference\n\n{words}\n")
    trees = [
        f"```{{toctree}}\n:hidden:\n:glob:\n:caption: {title}\n\n" + "\n".join(names) + "\n```\n"
        for title, names in CONTENTS.items()
    ]
    with (SITE / "index.md").open("a") as index:
        index.write("\n" + "\n".join(trees))
    shutil.copytree(ROOT / "docs/images", SITE / "images")
    for schema in (ROOT / "docs").glob("*.json"):
        shutil.copyfile(schema, SITE / schema.name)


if __name__ == "__main__":
    main()
