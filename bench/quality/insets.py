#!/usr/bin/env python3
"""Clusters of several scales, with and without insets: the tables of docs/insets.md.

Three kinds of generated planes, whose truth is known: cities of several quarters each in a wide country with towns; the same towns alone; uniform points.
All records are scored; those without a cluster are a class of their own."""

import argparse
import time
import warnings

import numpy as np
from sklearn.metrics import adjusted_rand_score

import shoal

warnings.simplefilter("ignore")
EPSILONS = ("0.1", "0.5", "1")


def country(rng, records, cities):
    """Points in [0, 1] x [0, 1] and the number of the blob that each comes from; 0: anywhere."""
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
    return points[inside], np.where(blob == len(blobs), 0, blob + 1)[inside]


def scored(points, truth, epsilon, insets, seed):
    model = shoal.PrivateWaveCluster(epsilon=epsilon, bounds=(0, 1), grid="auto", random_state=seed)
    begin = time.perf_counter()
    release = model.fit(points).release_ if insets == 0 else shoal.release_insets(model, points, insets=insets)
    seconds = time.perf_counter() - begin
    parts = 0 if insets == 0 else len(release.insets)
    return adjusted_rand_score(truth, release.predict(points)), parts, seconds


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--records", type=int, nargs="+", default=[30_000, 300_000])
    parser.add_argument("--insets", type=int, nargs="+", default=[0, 8, 16])
    arguments = parser.parse_args()
    kinds = {"cities and towns": 8, "towns alone": 0}
    head = [f"insets {n}" if n else "without" for n in arguments.insets]
    print(f"| data | records | epsilon | {' | '.join(head)} | insets found |\n| --- | --- | --- |{' --- |' * (len(head) + 1)}")
    for kind, cities in kinds.items():
        for records in arguments.records:
            planes = [country(np.random.default_rng(seed), records, cities) for seed in range(arguments.runs)]
            for epsilon in EPSILONS:
                results = [[scored(*plane, epsilon, n, seed) for seed, plane in enumerate(planes)] for n in arguments.insets]
                cells = [f"{np.mean([of[0] for of in result]):.2f}" for result in results]
                found = np.mean([of[1] for of in results[-1]])
                print(f"| {kind} | {records:,} | {epsilon} | {' | '.join(cells)} | {found:.1f} |", flush=True)


if __name__ == "__main__":
    main()
