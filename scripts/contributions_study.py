"""How well clusters are found where people have many records: shares against at most M records.

  PYTHONPATH=build/python .venv/bin/python scripts/contributions_study.py DATA_DIR [--runs 10]

DATA_DIR holds gowalla_nyc.csv.gz and gowalla_world.csv.gz: user,lat,lon. The truth is plain WaveCluster on the same weighting without
noise: shares of one weight, or M records of each user chosen anew. Prints the tables of docs/studies/contributions.md.
"""

import argparse
import csv
import gzip
import math
import pathlib
import warnings

import numpy as np

import shoal
from shoal import _core

SETS = {
    "gowalla_nyc": {"bounds": [(40.48, 40.92), (-74.26, -73.70)], "grid": 64},
    "gowalla_world": {"bounds": [(-60, 80), (-180, 180)], "grid": 128},
}
RULES = [{"coverage": 80}, {"percentile": 70}]
EPSILONS = ["0.1", "0.25", "0.5", "1", "2"]
WAYS = ["share", 1, 5, 20]
PARTS = 65536
STEP = 64  # parts to a point of the truth


def read(path):
    with gzip.open(path, "rt") as file:
        rows = list(csv.reader(file))[1:]
    return np.array([int(row[0]) for row in rows]), np.array([[float(row[1]), float(row[2])] for row in rows])


def truth(points, users, way, settings, rule):
    """WaveCluster on weights: points in the middle of cells, as often as there are steps of weight."""
    n, bounds = settings["grid"], settings["bounds"]
    batches = [([np.ascontiguousarray(column) for column in points.T], _core.Units.of_numbers(users))]
    share = way == "share"
    counts = _core.internal.bounded_counts(batches, _core.Grid(bounds, [n, n]), 1 if share else way, "0" * 32, PARTS if share else 1).values
    if share and "percentile" in rule:  # a cell of W counts by its weight up to one
        blocks = counts.reshape(n // 2, 2, n // 2, 2).sum(axis=(1, 3))
        rule = {"top": math.ceil((1 - rule["percentile"] / 100) * np.minimum(blocks / PARTS, 1).sum())}
    steps = np.rint(counts / (STEP if share else 1)).astype(np.int64).reshape(-1)
    middles = [lo + (hi - lo) * (np.arange(n) + 0.5) / n for lo, hi in bounds]
    at = np.nonzero(steps)[0]
    centres = np.repeat(np.stack([middles[0][at // n], middles[1][at % n]], axis=1), steps[at], axis=0)
    return shoal.WaveCluster(**settings, **rule).fit(centres)


def table(name, settings, rule, users, points, runs):
    truths = {way: truth(points, users, way, settings, rule) for way in WAYS}
    words = ", ".join(f"{key} {value}" for key, value in {"grid": settings["grid"], **rule}.items())
    print(f"\n{name}: {len(points)} records, {len(set(users.tolist()))} users, {words}\n")
    heads = [*("share" if way == "share" else f"M = {way}" for way in WAYS), *(f"M = {way} against shares" for way in WAYS[1:])]
    print("| epsilon | " + " | ".join(heads) + " |\n| --- |" + " --- |" * len(heads))
    for epsilon in EPSILONS:
        own, people = {}, {}
        for way in WAYS:
            unit = {"contribution": "share"} if way == "share" else {"max_contributions": way}
            models = (shoal.PrivateWaveCluster(epsilon=epsilon, unit="user", random_state=run, **unit, **settings, **rule) for run in range(runs))
            found = [model.fit(points, units=users).release_ for model in models]
            own[way] = np.mean([shoal.metrics.dsg_c(truths[way], release) for release in found])
            people[way] = np.mean([shoal.metrics.dsg_c(truths["share"], release) for release in found])
        cells = [*(own[way] for way in WAYS), *(people[way] for way in WAYS[1:])]
        print(f"| {epsilon} | " + " | ".join(f"{cell:.3f}" for cell in cells) + " |", flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("data", type=pathlib.Path)
    parser.add_argument("--runs", type=int, default=10)
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    for name, settings in SETS.items():
        users, points = read(arguments.data / f"{name}.csv.gz")
        for rule in RULES:
            table(name, settings, rule, users, points, arguments.runs)


if __name__ == "__main__":
    main()
