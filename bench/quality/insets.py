#!/usr/bin/env python3
"""Labels with and without insets, for the same epsilon: the tables of docs/insets.md.

Generated planes whose truth is known: cities of several quarters each in a wide country with towns, and the same towns alone. With DATA also the published
sets. All records are scored; those without a cluster are a class of their own."""

import argparse
import pathlib
import warnings

import numpy as np
import sets
from sklearn.metrics import adjusted_rand_score

import shoal

warnings.simplefilter("ignore")
EPSILONS = ("0.1", "0.5", "1")
CITIES = {"cities and towns": 8, "towns alone": 0}
UNIT = [(0.0, 1.0), (0.0, 1.0)]
# Published sets of a few hundred points, each enlarged to many copies with jitter: the copies of a point are a cluster at a finer scale.
COPIES = {"aggregation", "compound", "flame", "jain", "paper_ds2", "paper_ds3", "pathbased", "r15", "spiral"}


def country(rng, records, cities):
    """Points in the unit square and the number of the blob that each comes from; 0: anywhere."""
    blobs = []  # place, deviation, weight
    for _ in range(8):
        blobs.append((rng.uniform(0.1, 0.9, 2), rng.uniform(0.01, 0.03), 0.3 / 8))
    for _ in range(cities):
        middle, radius = rng.uniform(0.08, 0.92, 2), np.exp(rng.uniform(np.log(0.004), np.log(0.03)))
        quarters = rng.integers(3, 7)
        for i in range(quarters):
            angle = 2 * np.pi * (i + rng.uniform(-0.15, 0.15)) / quarters
            place = middle + radius * rng.uniform(0.8, 1.2) * np.array([np.cos(angle), np.sin(angle)])
            blobs.append((place, radius * rng.uniform(0.12, 0.2), 0.6 / cities / quarters))
    weights = np.array([weight for *_, weight in blobs])
    weights = np.append(weights / weights.sum() * 0.93, 0.07)
    blob = rng.choice(len(weights), records, p=weights)
    points = rng.random((records, 2))
    for i, (place, deviation, _) in enumerate(blobs):
        points[blob == i] = rng.normal(place, deviation, ((blob == i).sum(), 2))
    inside = (points >= 0).all(1) & (points <= 1).all(1)
    return points[inside], np.where(blob == len(blobs), 0, blob + 1)[inside], UNIT


def scored(points, truth, bounds, epsilon, insets, seed):
    """The adjusted Rand index, and how many insets there were. insets 0: without."""
    model = shoal.PrivateWaveCluster(epsilon=epsilon, bounds=bounds, grid="auto", random_state=seed, insets=insets or None).fit(points)
    return adjusted_rand_score(truth, model.predict(points)), len(model.release_.insets) if insets else 0


def row(name, records, planes, insets):
    for epsilon in EPSILONS:
        results = [[scored(*plane, epsilon, most, seed) for seed, plane in enumerate(planes)] for most in insets]
        cells = [f"{np.mean([index for index, _ in result]):.2f}" for result in results]
        found = np.mean([count for _, count in results[-1]])
        print(f"| {name} | {records} | {epsilon} | {' | '.join(cells)} | {found:.1f} |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", nargs="?", type=pathlib.Path, help="folder with shapes/*.csv")
    parser.add_argument("--runs", type=int, default=5, help="generated planes, and runs on each published set")
    parser.add_argument("--records", type=int, nargs="*", default=[30_000, 300_000])
    parser.add_argument("--insets", type=int, nargs="+", default=[0, 8, 16])
    arguments = parser.parse_args()
    head = [f"`--insets {most}`" if most else "`--auto`" for most in arguments.insets]
    print(f"| data | records | epsilon | {' | '.join(head)} | insets found |\n| --- | --- | --- |{' --- |' * (len(head) + 1)}")
    for name, cities in CITIES.items():
        for records in arguments.records:
            planes = [country(np.random.default_rng(seed), records, cities) for seed in range(arguments.runs)]
            row(name, f"{records:,}", planes, arguments.insets)
    if arguments.data:
        found = list(sets.all_sets(arguments.data, "uniform"))
        row("published sets", "about 30,000", arguments.runs * [one[1:] for one in found if one[0] not in COPIES], arguments.insets)
        row("published sets of copies", "about 30,000", arguments.runs * [one[1:] for one in found if one[0] in COPIES], arguments.insets)


if __name__ == "__main__":
    main()
