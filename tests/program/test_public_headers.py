"""The C++ of the documents compiles against the public headers alone, and these do not include the techniques."""

from __future__ import annotations

import re
import shutil
import subprocess

import pytest
from conftest import ROOT

COMPILER = shutil.which("g++") or shutil.which("c++")
pytestmark = pytest.mark.skipif(COMPILER is None, reason="no C++ compiler")
BEFORE = '#include <cstdio>\n#include "shoal/shoal.hpp"\n'


def compiles(text: str) -> tuple[bool, str]:
    done = subprocess.run([COMPILER, "-std=c++20", "-fsyntax-only", "-Wall", "-Wextra", "-I", str(ROOT / "include"), "-x", "c++", "-"],
                          input=BEFORE + text, capture_output=True, text=True)
    return done.returncode == 0, done.stderr


@pytest.mark.parametrize("name", ["README.md", "docs/cpp.md"])
def test_examples_compile(name):
    blocks = re.findall(r"^```cpp\n(.*?)^```", (ROOT / name).read_text(), re.DOTALL | re.MULTILINE)
    assert blocks
    done, message = compiles("void f() {\n" + "".join(blocks) + "}\n")
    assert done, message


@pytest.mark.parametrize("name", ["privqt", "privthr", "privthr_em", "baseline", "privwave", "run_technique", "automatic_release"])
def test_techniques_are_reached_by_private_release_alone(name):
    assert compiles("auto f = static_cast<shoal::ReleaseSet (*)(const shoal::Counts&, const shoal::ReleaseRequest&)>(shoal::private_release);")[0]
    done, message = compiles(f"auto f() {{ return &shoal::{name}; }}")
    assert not done and "is not a member" in message
