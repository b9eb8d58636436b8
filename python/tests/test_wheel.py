"""`pip install .` into an empty environment: the wheel is all that it needs, with NumPy and scikit-learn."""

import importlib.metadata
import os
import pathlib
import re
import subprocess
import sys
import zipfile

import pytest
from conftest import ROOT
from packaging.requirements import Requirement
from test_documents import blocks

import shoal

pytest.importorskip("scikit_build_core")
pytest.importorskip("nanobind")


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    folder = tmp_path_factory.mktemp("wheel")
    # The environment's own build tools: nothing is fetched. Compiler and warnings as in the main build: what ccache kept of
    # it serves here too.
    words = ["wheel", ROOT, "--no-deps", "--no-build-isolation", "--quiet", "-w", folder, "--config-settings=cmake.define.SHOAL_WERROR=ON"]
    clean = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    cache = ROOT / "build/CMakeCache.txt"
    compiler = re.search(r"^CMAKE_CXX_COMPILER:\w+=(.+)$", cache.read_text(), re.M) if cache.exists() else None
    if compiler:
        clean["CXX"] = compiler.group(1)
    done = subprocess.run([sys.executable, "-m", "pip", *words], capture_output=True, text=True, env=clean)
    assert done.returncode == 0, done.stdout + done.stderr
    (built,) = folder.glob("shoal-*.whl")
    return built


def test_a_wheel_holds_the_package_and_nothing_else(wheel):
    names = zipfile.ZipFile(wheel).namelist()
    inside = {pathlib.PurePath(name).name for name in names if name.startswith("shoal/")}
    sources = {path.name for path in (ROOT / "python/shoal").iterdir() if path.suffix in {".py", ".typed"}}
    assert inside == sources | {"py.typed", "_core.pyi", pathlib.Path(shoal._core.__file__).name}
    assert all(name.startswith(("shoal/", "shoal-")) for name in names)


def link_dependencies(wanted: list[str], site: pathlib.Path) -> None:
    """What the wheel depends on, and what that depends on, is linked from here instead of fetched."""
    done = set()
    while wanted:
        name = wanted.pop()
        if name in done:
            continue
        done.add(name)
        found = importlib.metadata.distribution(name)
        for top in {file.parts[0] for file in found.files or [] if not file.parts[0].startswith("..")} - {"__pycache__"}:
            if not (site / top).exists():
                os.symlink(str(found.locate_file(top)), site / top)
        needs = map(Requirement, found.requires or [])
        wanted += [need.name for need in needs if need.marker is None or need.marker.evaluate({"extra": ""})]


def test_the_wheel_says_what_it_needs(wheel):
    text = zipfile.ZipFile(wheel).read(f"shoal-{shoal.__version__}.dist-info/METADATA").decode()
    needs = {Requirement(line).name for line in re.findall(r"^Requires-Dist: (.*)$", text, re.M) if "extra" not in line}
    assert needs == {"numpy", "scikit-learn", "nanobind-backend"}


def test_one_wheel_serves_every_python_from_3_10(wheel):
    assert wheel.name.split("-")[2:4] == ["cp310", "abi3"], wheel.name
    assert any(name.endswith("/_core.abi3.so") for name in zipfile.ZipFile(wheel).namelist())


def test_it_works_in_an_empty_environment(wheel, tmp_path):
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", tmp_path / "empty"], check=True)
    python = tmp_path / "empty/bin/python"
    clean = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    site = subprocess.run([python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"], capture_output=True, text=True, check=True).stdout.strip()
    subprocess.run([sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target", site, wheel], check=True, env=clean)
    link_dependencies(["numpy", "scikit-learn", "nanobind-backend"], pathlib.Path(site))
    (example,) = blocks("README.md")
    script = f"{example}\nimport pathlib\nassert pathlib.Path(shoal.__file__).is_relative_to({site!r}), shoal.__file__\n"
    done = subprocess.run([python, "-c", script], capture_output=True, text=True, cwd=tmp_path, env=clean)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "clusters.json").exists() and (tmp_path / "denser.html").exists()
