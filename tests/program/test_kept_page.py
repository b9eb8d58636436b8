"""The pages that are kept in web/built are those that scripts/page builds from the sources."""

from __future__ import annotations

import base64
import gzip
import re
import string
import subprocess
import tarfile

import pytest
from conftest import ROOT

BUILT = ROOT / "build/page"
KEPT = ROOT / "web/built"


def kept(archive: str) -> dict[str, bytes]:
    with tarfile.open(KEPT / f"{archive}.tar.xz") as files:
        return {member.name: files.extractfile(member).read() for member in files}


def webassembly(page: str) -> bytes:
    """What web/src/base85.ts reads: a digit, the number of padding bytes at the end, then five characters for four bytes."""
    text = "".join(re.findall(r'R"~\((.*?)\)~"', page.split("const char* const wasm =")[1].split(";\n\n")[0], re.S))
    ours = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?()[]{}@%$#_~`"
    theirs = string.digits + string.ascii_uppercase + string.ascii_lowercase + "!#$%&()*+-;<=>?@^_`{|}~"
    packed = base64.b85decode(text[1:].translate(str.maketrans(ours, theirs)))
    return gzip.decompress(packed[: len(packed) - int(text[0])])


def test_the_kept_page_names_no_folder_of_the_machine_that_built_it():
    binary = webassembly(kept("page")["page_data.cpp"].decode())
    assert binary.startswith(b"\0asm")
    found = re.findall(rb"[\w./-]*/[\w./-]+\.[ch]pp|/(?:home|root|work|tmp|usr)/[\w./-]+", binary)
    assert not found, found


def test_the_kept_pages_were_built_from_these_sources():
    now = subprocess.run([ROOT / "scripts/page", "--digest"], check=True, capture_output=True, text=True).stdout
    assert now == (KEPT / "sources.txt").read_text(), "web/ or the public side has changed: run 'make page' and commit web/built"


def test_the_kept_pages_are_the_built_ones():
    """Runs after 'scripts/page --rebuild'. clang orders a few instructions by addresses in its own memory, so two builds differ there."""
    if not (BUILT / "shoal.wasm").exists():
        pytest.skip("the pages were not built here but unpacked from web/built")
    built = {name: (BUILT / name).read_bytes() for archive in ("page", "coast") for name in kept(archive)}
    texts = {name: content for archive in ("page", "coast") for name, content in kept(archive).items()}
    ours, theirs = (webassembly(files.pop("page_data.cpp").decode()) for files in (texts, built))
    assert len(ours) == len(theirs)
    assert sum(one != other for one, other in zip(ours, theirs, strict=True)) <= len(ours) // 1000
    for name, content in texts.items():
        same = built[name] == content  # no diff of a megabyte
        assert same, f"web/built is not what the sources give ({name} differs): run 'make page' and commit web/built"
