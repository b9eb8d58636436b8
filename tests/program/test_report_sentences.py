"""The sentences of the report, tried on releases where they are true and on releases where they are false.

Each sentence has the condition under which it is true, as a function of the release file. It must stand in the report of
a release if and only if the condition holds, and the releases below must hold both cases.
"""

import json
import random

import pytest

PLAIN = ("--columns", "x,y", "--bounds", "x=0:1,y=0:1", "--grid", "32")
AGE = ("--columns", "age", "--bounds", "age=0:110")
EVERYWHERE = ("--columns", "a,b", "--bounds", "a=0:1,b=0:1")

RELEASES = {
    "percentile": (*PLAIN, "--percentile", "30", "--epsilon", "1"),
    "coverage": (*PLAIN, "--coverage", "80", "--epsilon", "1"),
    "sparse": (*PLAIN, "--percentile", "5", "--epsilon", "0.1"),
    "clear": (*PLAIN, "--percentile", "30", "--epsilon", "1000"),
    "least cells": (*PLAIN, "--percentile", "30", "--min-cells", "4", "--epsilon", "1"),
    "top": (*PLAIN, "--top", "40", "--epsilon", "1"),
    "privqt": (*PLAIN, "--percentile", "30", "--technique", "privqt", "--epsilon", "1"),
    "privthr": (*PLAIN, "--percentile", "30", "--technique", "privthr", "--epsilon", "1"),
    "privthr-em": (*PLAIN, "--percentile", "30", "--technique", "privthr-em", "--epsilon", "1"),
    "baseline": (*PLAIN, "--percentile", "30", "--technique", "baseline", "--epsilon", "1"),
    "replace": (*PLAIN, "--percentile", "30", "--neighbors", "replace", "--epsilon", "1"),
    "shares": (*PLAIN, "--percentile", "30", "--unit", "who", "--contribution", "share", "--epsilon", "1"),
    "rows": (*PLAIN, "--percentile", "30", "--unit", "who", "--max-contributions", "2", "--epsilon", "1"),
    "weak": (*PLAIN, "--percentile", "30", "--epsilon", "12"),
    "auto": ("--columns", "x,y", "--bounds", "x=0:1,y=0:1", "--auto", "--epsilon", "1"),
    "auto of whole numbers": (*AGE, "--auto", "--epsilon", "10"),
    "auto of uniform records": (*EVERYWHERE, "--auto", "--epsilon", "1"),
    "whole numbers on a grid": (*AGE, "--grid", "128", "--percentile", "20", "--epsilon", "1"),
    "outside": ("--columns", "x,y", "--bounds", "x=7:8,y=7:8", "--auto", "--epsilon", "1"),
}


@pytest.fixture(scope="module")
def reports(tmp_path_factory):
    import subprocess

    from conftest import SHOAL

    folder = tmp_path_factory.mktemp("reports")
    rng = random.Random(9)
    centres = [(0.25, 0.25), (0.75, 0.3), (0.5, 0.75)]
    rows = [(rng.choice(centres), rng.gauss(0, 0.05), rng.gauss(0, 0.05)) for _ in range(12000)]
    lines = [
        f"u{i // 3},{x + dx:.6f},{y + dy:.6f},{round(rng.gauss(52, 14))},{rng.random():.6f},{rng.random():.6f}" for i, ((x, y), dx, dy) in enumerate(rows)
    ]
    (folder / "data.csv").write_text("who,x,y,age,a,b\n" + "\n".join(lines) + "\n")

    def run(*words):
        done = subprocess.run([str(SHOAL), *words], cwd=folder, capture_output=True, timeout=300, check=False)
        assert done.returncode in (0, 5), done.stderr

    made = {}
    for name, options in RELEASES.items():
        file = name.replace(" ", "-")
        run("release", "data.csv", *options, "-o", f"{file}.json", "-o", f"{file}.html", "--static")
        made[name] = file
    run("reshape", "auto.json", "--percentile", "40", "-o", "reshaped.json", "-o", "reshaped.html", "--static")
    made["auto, reshaped"] = "reshaped"
    run("reshape", "privthr-em.json", "--percentile", "50", "-o", "scaled.json", "-o", "scaled.html", "--static")
    made["privthr-em, reshaped"] = "scaled"
    run("reshape", "privthr.json", "--level", "2", "-o", "negatives.json", "-o", "negatives.html", "--static")
    made["privthr, reshaped"] = "negatives"
    return {name: (json.loads((folder / f"{file}.json").read_text()), (folder / f"{file}.html").read_text()) for name, file in made.items()}


def spends(mechanism):
    return lambda release: any(share["name"] == mechanism for share in release["spent"])


def kept(release):
    return sum(cluster["cells"] for cluster in release["clusters"])


def is_modes(release):
    return "modes" in release or (release.get("percentile") is None and "automatic" in release and "coverage" not in release)


def is_automatic(release):
    return "automatic" in release


def rounded(release):
    return bool(release.get("automatic", {}).get("rounded"))


def doubtful(release):
    doubted = [c for c in release["clusters"] if "confidence" in c and (c["confidence"]["real"] < 0.8 or c["confidence"].get("plain", 0) >= 0.5)]
    return len(doubted)


def has_confidence(release):
    return any("confidence" in cluster for cluster in release["clusters"])


def asks(release):
    return not is_modes(release)


def k_from(source):
    return lambda release: asks(release) and release["k_from"] == source


SENTENCES = {
    "were not in the data.": lambda r: r["neighbors"] == "add-remove",
    "were a different one.": lambda r: r["neighbors"] == "replace",
    "A person with several records is protected for each record": lambda r: r["unit"] == "record",
    "rounding: to which steps the values are rounded": spends("rounding"),
    "nonpositive: number of empty smoothed cells": spends("nonpositive"),
    "profile: number of smoothed cells by density": spends("profile"),
    "by the threshold rule applied to the noisy values": k_from("rule"),
    "noise makes a known share of them positive": k_from("nonpositive"),
    "from a smoothed noisy profile": k_from("profile"),
    "by a privately selected density threshold close to the percentile": k_from("threshold"),
    "by scaling the result of the density threshold": k_from("scaled"),
    "by subtracting as many cells as noise made negative": k_from("negatives"),
    "cells that tie with the lowest are kept as well": lambda r: asks(r) and kept(r) > r["k"],
    "because a false cell can join two clusters": lambda r: k_from("profile")(r) and kept(r) < r["k"] and r["min_cells"] <= 1,
    "Grid and smoothing were chosen automatically": is_automatic,
    "No smoothed cell is narrower than such a step": rounded,
    "Values of age are whole numbers.": lambda r: r["axes"][0]["name"] == "age" and any(of["share"] >= 0.9 for of in r.get("automatic", {}).get("rounded", [])),
    "The smoothing is one of those under which": lambda r: is_automatic(r) and is_modes(r),
    "The release was reshaped later.": lambda r: is_automatic(r) and not is_modes(r),
    "Confidence is 1 minus the expected share of chance": lambda r: is_modes(r) and has_confidence(r),
    "Confidence is about the population": lambda r: not is_modes(r) and has_confidence(r),
    "Confidence unavailable": lambda r: bool(r["clusters"]) and not has_confidence(r),
    "No cluster stands out from chance and noise": lambda r: len(r["clusters"]) == doubtful(r),
    "They may be noise, chance in the sample or parts of a uniform area": lambda r: doubtful(r) > 0,
    "is a weak guarantee": lambda r: r["epsilon"] >= 10,
    "Values of age seem to be whole numbers": lambda r: not is_automatic(r) and r["axes"][0]["name"] == "age",
    "inside the bounds; check the bounds": lambda r: r["axes"][0]["lo"] == 7,
}


@pytest.mark.parametrize("sentence", SENTENCES)
def test_a_sentence_stands_in_a_report_if_and_only_if_it_is_true(reports, sentence):
    truth = {name: bool(SENTENCES[sentence](release)) for name, (release, _) in reports.items()}
    assert set(truth.values()) == {True, False}, f"no release tries both cases: {truth}"
    said = {name: sentence in page for name, (_, page) in reports.items()}
    assert said == truth, {name: said[name] for name in said if said[name] != truth[name]}
