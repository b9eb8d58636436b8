"""The workflows of public CI call commands that exist."""

from __future__ import annotations

import re

from conftest import ROOT

WORKFLOWS = sorted((ROOT / ".github/workflows").glob("*.yml"))


def test_workflows_call_targets_and_scripts_that_exist():
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(), re.M))
    called = [word for file in WORKFLOWS for word in re.findall(r"run: make ([a-z]+)", file.read_text())]
    assert {"demo", "test", "sanitize", "lint", "fuzz", "docs", "packages", "wheels"} <= set(called) <= targets
    for file in WORKFLOWS:
        for script in re.findall(r"scripts/[\w-]+", file.read_text()):
            assert (ROOT / script).exists(), f"{file.name} calls {script}"


def test_every_job_starts_from_a_stated_image_and_has_a_limit():
    for file in WORKFLOWS:
        jobs = re.split(r"^  (?=\w+:$)", file.read_text().split("\njobs:\n")[1], flags=re.M)[1:]
        assert jobs
        for job in jobs:
            assert re.search(r"runs-on: (ubuntu-24\.04|\$\{\{ matrix\.runner \}\})$", job, re.M), job
            assert "timeout-minutes:" in job, job
