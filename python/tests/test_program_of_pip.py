"""The program `shoal` as pip installs it: a script that runs the commands in the module."""

import os
import subprocess
import sys

import pyarrow as pa
import pyarrow.parquet
import pytest

import shoal

SCRIPT = "import sys; from shoal._program import main; sys.exit(main())"


def run(folder, *words, **variables):
    clean = {name: value for name, value in os.environ.items() if name not in ("SHOAL_DUCKDB_LIB", "SHOAL_POSTGRES_DRIVER", "SHOAL_PROGRAM")}
    clean["PYTHONPATH"] = os.pathsep.join(filter(None, [os.path.dirname(os.path.dirname(shoal.__file__)), clean.get("PYTHONPATH", "")]))
    return subprocess.run([sys.executable, "-c", SCRIPT, *words], cwd=folder, capture_output=True, text=True, env={**clean, **variables})


def test_it_runs_commands_and_returns_their_exit_codes(tmp_path):
    assert run(tmp_path, "--version").stdout == shoal.__version__ + "\n"
    assert run(tmp_path, "datasets", "ds2", "--seed", "1", "-o", "points.csv").returncode == 0
    words = ["release", "points.csv", "--columns", "x,y", "--bounds", "0:1,0:1", "--grid", "40", "--percentile", "10"]
    done = run(tmp_path, *words, "--epsilon", "1", "-o", "clusters.json")
    assert done.returncode == 0 and "wrote clusters.json" in done.stdout, done.stderr
    assert shoal.Release.load(tmp_path / "clusters.json").n_clusters == 3
    assert run(tmp_path, *words, "-o", "other.json").returncode == 2
    assert run(tmp_path, "cluster", "nothing.csv", *words[2:]).returncode == 3


def test_it_reads_parquet_by_the_driver_that_pip_installed(tmp_path):
    pytest.importorskip("_duckdb")
    points = shoal.datasets.load("ds2").X[:3000]
    pyarrow.parquet.write_table(pa.table({"x": points[:, 0], "y": points[:, 1]}), tmp_path / "points.parquet")
    words = ["cluster", "points.parquet", "--columns", "x,y", "--bounds", "0:1,0:1", "--grid", "16", "--percentile", "10"]
    done = run(tmp_path, *words)
    assert done.returncode == 0 and "3000 points in columns x, y" in done.stdout, done.stderr
    wrong = run(tmp_path, *words, SHOAL_DUCKDB_LIB="/nothing.so")  # what the environment names comes first
    assert wrong.returncode == 3 and "/nothing.so" in wrong.stderr
