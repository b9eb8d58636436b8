"""The package as data scientists use it: the installed one, or else the one that the build left."""

from __future__ import annotations

import importlib.util
import json
import os
import pathlib
import subprocess
import sys
import warnings

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/support"))
if importlib.util.find_spec("shoal") is None:
    sys.path.insert(0, str(ROOT / "build/python"))
    os.environ["PYTHONPATH"] = os.pathsep.join([str(ROOT / "build/python"), os.environ.get("PYTHONPATH", "")])  # for what tests start

os.environ.setdefault("MPLBACKEND", "agg")

import shoal  # noqa: E402

PROGRAM = pathlib.Path(os.environ.get("SHOAL_PROGRAM", ROOT / "build/bin/shoal"))


def seeded(seed: int = 1, **parameters):
    """A model whose noise can be repeated; its warning is expected."""
    return shoal.PrivateWaveCluster(**{"epsilon": 1, "bounds": (0, 1), "grid": 40, "percentile": 10, "random_state": seed, **parameters})


def quietly(model, *words, **more):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", shoal.NotPrivateWarning)
        return model.fit(*words, **more)


def program(*words) -> dict:
    """What the program prints as JSON."""
    done = subprocess.run([str(PROGRAM), *map(str, words), "--json", "-"], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.fixture(scope="session")
def spirals():
    return shoal.datasets.load("ds2")


@pytest.fixture(scope="session")
def spirals_csv(tmp_path_factory):
    path = tmp_path_factory.mktemp("points") / "spirals.csv"
    subprocess.run([str(PROGRAM), "datasets", "ds2", "--seed", "1", "-o", str(path)], check=True, capture_output=True)
    return path
