#!/usr/bin/env python3
"""--auto beside grids and thresholds that someone chose: the figures of docs/studies/auto.md.

  PYTHONPATH=build/python scripts/auto_study.py DATA [--runs 10]

DATA: a folder with shapes/ and geo/ as published. A figure is the adjusted Rand index between the clusters of all points (those in no
cluster are a class of their own) and the published labels, mean of the runs; for sets without labels, the clusters of plain WaveCluster at the
settings of scripts/privwave_study.py. Every run is seeded: nothing here is a release.
"""

from __future__ import annotations

import argparse
import pathlib
import warnings

import numpy as np
import privwave_study as study

import shoal

EPSILONS = [0.1, 0.5, 1, 2]
OWNER = "owner's"
LOOKED_AT = ["paper_ds1", "paper_ds2", "paper_ds3", "s2", "s4", "spiral", "flame", "compound", "d31", "chameleon_t4_8k"]
HELD_OUT = ["s1", "s3", "pathbased", "aggregation", "jain", "r15", "unbalance", "birch1", "chameleon_t7_10k"]
AS_PUBLISHED = ["s3", "d31", "unbalance", "chameleon_t7_10k"]  # at their own number of points
PLACES = ["gowalla_nyc", "uber_nyc", "gowalla_world"]
WAYS = {
    "auto": None,
    "grid 64, coverage 80": {"grid": 64, "coverage": 80},
    "grid 64, coverage 95": {"grid": 64, "coverage": 95},
    "grid 64, percentile 50": {"grid": 64, "percentile": 50},
    "grid 32, coverage 80": {"grid": 32, "coverage": 80},
    "grid 128, coverage 80": {"grid": 128, "coverage": 80},
}


def rand_index(labels, truth) -> float:
    """Adjusted Rand index, by the table of both."""
    _, a = np.unique(labels, return_inverse=True)
    _, b = np.unique(truth, return_inverse=True)
    table = np.bincount(a * (b.max() + 1) + b).astype(float)
    pairs = lambda counts: (counts * (counts - 1) / 2).sum()  # noqa: E731
    of_a, of_b, n = pairs(np.bincount(a).astype(float)), pairs(np.bincount(b).astype(float)), len(a)
    expected = of_a * of_b / (n * (n - 1) / 2)
    most = (of_a + of_b) / 2
    return 1.0 if most == expected else (pairs(table) - expected) / (most - expected)


def shape_set(data, name, enlarge):
    rows = np.loadtxt(data / f"shapes/{name}.csv", delimiter=",", skiprows=1)
    points, labels = rows[:, :2], rows[:, 2].astype(int)
    if name in study.PAPER:
        text, grid, percentile = study.PAPER[name]
        return points, labels, [tuple(map(float, ends.split(":"))) for ends in text.split(",")], {"grid": grid, "percentile": percentile}
    if enlarge:
        labels = np.repeat(labels, max(1, round(30000 / len(points))))
        points = study.enlarged(points, np.random.default_rng(7))
    low, high = points.min(axis=0), points.max(axis=0)
    pad = (high - low) * 0.01
    grid, percentile = study.SHAPES[name][0]
    return points, labels, list(zip(low - pad, high + pad)), {"grid": grid, "percentile": percentile}


def place_set(data, name):
    import pandas

    points = pandas.read_csv(data / f"geo/{name}.csv.gz")[["lon", "lat"]].to_numpy()
    text, settings = study.PLACES[name]
    bounds = [tuple(map(float, ends.split(":"))) for ends in text.split(",")]
    setting = {"grid": settings[0][0], "percentile": settings[0][1]}
    return points, shoal.WaveCluster(bounds=bounds, **setting).fit(points).labels_, bounds, setting


def made_points(kind, size, rng):
    """Points in the unit box and their labels: blobs of one or of many widths in 1 to 3 dimensions, two moons, two rings; a twentieth is spread anywhere."""
    if kind in ("moons", "rings"):
        turn, label = rng.uniform(0, np.pi if kind == "moons" else 2 * np.pi, size), rng.integers(0, 2, size)
        if kind == "moons":
            points = np.c_[np.where(label, 1 - np.cos(turn), np.cos(turn)), np.where(label, 0.5 - np.sin(turn), np.sin(turn))]
        else:
            points = np.c_[np.cos(turn), np.sin(turn)] * np.where(label, 0.45, 1)[:, None]
        points = points + rng.normal(0, 0.07, points.shape)
    else:
        dimensions = {"line": 1, "space": 3}.get(kind, 2)
        count = int(rng.integers(3, 7 if kind == "line" else 13))
        centres = rng.uniform(0, 1, (count, dimensions))
        widths = rng.uniform(0.01, 0.05, (count, dimensions)) if kind == "uneven" else np.full((count, dimensions), 0.03 if kind != "line" else 0.02)
        label = rng.choice(count, size, p=rng.dirichlet(np.full(count, 3.0)))
        points = centres[label] + rng.normal(0, 1, (size, dimensions)) * widths[label]
    low, high = points.min(axis=0) - 0.05, points.max(axis=0) + 0.05
    points = (points - low) / (high - low)
    stray = rng.uniform(0, 1, size) < 0.05
    points[stray] = rng.uniform(0, 1, (int(stray.sum()), points.shape[1]))
    return points, np.where(stray, -1, label)


def made_sets():
    """Sets made from a seed. The owner's setting is the one of 24 at which plain WaveCluster agrees best with the labels."""
    for seed, (kind, size) in enumerate([(k, n) for k in ("blobs", "uneven", "moons", "rings", "line", "space") for n in (3000, 30000, 200000)]):
        points, labels = made_points(kind, size, np.random.default_rng(100 + seed))
        bounds = [(0.0, 1.0)] * points.shape[1]
        settings = [{"grid": g, "percentile": p} for g in ((8, 16, 24, 32) if kind == "space" else (16, 32, 64, 128)) for p in (5, 20, 40, 60, 75, 90)]
        best = max(settings, key=lambda s: rand_index(shoal.WaveCluster(bounds=bounds, **s).fit(points).labels_, labels))
        yield f"{kind} {size}", (points, labels, bounds, best)


def measure(points, truth, bounds, setting, runs):
    """{way: [a mean an epsilon]}, and what auto chose at each epsilon in its first run."""
    ways = {**WAYS, OWNER: setting}
    found = {way: [] for way in ways}
    chosen = []
    for epsilon in EPSILONS:
        for way, options in ways.items():
            indices = []
            for run in range(runs):
                model = shoal.PrivateWaveCluster(epsilon=epsilon, bounds=bounds, random_state=run, **(options or {"grid": "auto"})).fit(points)
                indices.append(rand_index(model.labels_, truth))
                if way == "auto" and run == 0:
                    chosen.append(f"{model.release_.axes[0]['cells']}/{model.release_.parameters['coverage']:g}")
            found[way].append(np.mean(indices))
    return found, chosen


def table(title, sets, runs):
    print(f"{title}\n{'set':26s}{'auto, eps ' + ' '.join(map(str, EPSILONS)):24s} {OWNER:19s} best fixed of {len(WAYS) - 1}    plain, owner's   auto chose grid/coverage")
    all_found = []
    for name, (points, truth, bounds, setting) in sets:
        found, chosen = measure(points, truth, bounds, setting, runs)
        all_found.append(found)
        fixed = np.max([found[way] for way in WAYS if way != "auto"], axis=0)
        plain = rand_index(shoal.WaveCluster(bounds=bounds, **setting).fit(points).labels_, truth)
        show = lambda values: " ".join(f"{x:5.2f}" for x in values)  # noqa: E731
        print(f"{name:24s} {show(found['auto'])}  {show(found[OWNER])}  {show(fixed)}  {plain:6.2f}           {' '.join(chosen)}", flush=True)
    for way in all_found[0]:
        print(f"  mean {way:24s}" + " ".join(f"{x:.3f}" for x in np.mean([found[way] for found in all_found], axis=0)))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=pathlib.Path)
    parser.add_argument("--runs", type=int, default=10)
    parser.add_argument("--part", choices=["looked-at", "held-out", "as-published", "made", "places"])
    arguments = parser.parse_args()
    warnings.simplefilter("ignore", shoal.NotPrivateWarning)
    parts = {
        "looked-at": ("Sets on which the constants were chosen", lambda: [(n, shape_set(arguments.data, n, True)) for n in LOOKED_AT]),
        "held-out": ("Sets that were not looked at", lambda: [(n, shape_set(arguments.data, n, True)) for n in HELD_OUT]),
        "as-published": ("As published, not enlarged", lambda: [(n, shape_set(arguments.data, n, False)) for n in AS_PUBLISHED]),
        "made": ("Made from a seed, never looked at", made_sets),
        "places": ("Places, against plain WaveCluster at the owner's setting", lambda: [(n, place_set(arguments.data, n)) for n in PLACES]),
    }
    for part, (title, sets) in parts.items():
        if arguments.part in (None, part):
            table(title, sets(), arguments.runs)


if __name__ == "__main__":
    main()
