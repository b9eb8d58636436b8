"""The page that is kept in web/built is the page that scripts/page builds from the sources."""

from __future__ import annotations

import base64
import gzip
import re
import string
import tarfile

import pytest
from conftest import ROOT

BUILT = ROOT / "build/page"
KEPT = ROOT / "web/built"


def kept(archive: str) -> dict[str, bytes]:
    with tarfile.open(KEPT / f"{archive}.tar.xz") as files:
        return {member.name: files.extractfile(member).read() for member in files}


@pytest.mark.parametrize(("archive", "names"), [("page", ["page_data.cpp", "studio_data.cpp"]), ("coast", ["coast_data.cpp"])])
def test_the_kept_page_is_the_built_one_byte_by_byte(archive, names):
    if not (BUILT / "tools.txt").exists():
        pytest.skip("the page was not built here (scripts/page needs Node and Emscripten)")
    tools, kept_tools = (BUILT / "tools.txt").read_text(), (KEPT / "tools.txt").read_text()
    if tools != kept_tools:
        pytest.skip(f"the kept page was built by other tools:\n{kept_tools}and here are:\n{tools}")
    files = kept(archive)
    assert sorted(files) == names
    for name, content in files.items():
        same = (BUILT / name).read_bytes() == content  # no diff of a megabyte
        assert same, f"web/built/{archive}.tar.xz is not what the sources give ({name} differs): run 'make page' and commit web/built"


def webassembly(page: str) -> bytes:
    """What web/src/base85.ts reads: a digit, how many bytes at the end are none, then five characters for four bytes."""
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
