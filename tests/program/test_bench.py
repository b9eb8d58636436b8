"""Every benchmark runs to its end, and its answers are right. Times are never looked at."""

import json
import os
import subprocess
import sys

import pytest
from conftest import ROOT

TASKS = sorted(path.parent.name for path in (ROOT / "bench").glob("*/task.py"))


def bench(script, *words):
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "build/python")}
    done = subprocess.run([sys.executable, ROOT / "bench" / script, "--size", "tiny", *words], env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def results_of(folder, *words):
    bench("harness.py", *words, "--json", folder / "tasks.json")
    results = json.loads((folder / "tasks.json").read_text())["results"]
    for result in results:
        assert result["rows"][0]["contender"].startswith("shoal"), result["task"]
    return results


def test_every_task_runs_and_its_answers_are_checked(tmp_path):
    """All of them in one run: what one task imports must not reach the next. Peers that are not installed are left out."""
    local = [task for task in TASKS if task != "spark"]
    results = results_of(tmp_path, "--rounds", "1", *local)
    assert len(TASKS) >= 12 and len({result["task"] for result in results}) >= len(local)
    assert all(row["seconds"] > 0 for result in results for row in result["rows"])


def test_the_answers_of_spark_are_checked(tmp_path):
    """Nothing is timed: a query takes Spark a second at the least."""
    pytest.importorskip("pyspark", reason="pyspark is not installed: make test ALL=1")
    assert len(results_of(tmp_path, "--rounds", "0", "spark")) == 2


def test_the_curves_run_to_their_end(tmp_path):
    """Each measurement has its time, its memory and its limit; the answers are as many clusters as there are."""
    pytest.importorskip("matplotlib", reason="matplotlib is not installed: make test ALL=1")
    bench("scaling.py", "--json", tmp_path / "scaling.json", "--plots", tmp_path)
    series = json.loads((tmp_path / "scaling.json").read_text())["series"]
    assert set(series) == {"rows", "cells", "dimensions", "units", "clusters", "threads"}
    rows = [row for curves in series.values() for rows in curves.values() for row in rows]
    assert all(row["seconds"] > 0 and row["limit"] > 0 and row["mb"] >= 0 for row in rows) and max(row["mb"] for row in rows) > 0
    assert len(list(tmp_path.glob("performance-*.svg"))) == len(series)
