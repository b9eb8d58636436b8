#!/usr/bin/env python3
"""How small a change shoal compare finds, and how often it reports one where there is none: the tables of docs/compare.md.

Two seeded releases are made of two samples of four Gaussian blobs (900 to 4,000 records on 64 x 64 cells, as in
tests/release/compare_test.cpp). In the second one blob of 1,500 records has moved or grown.

  scripts/compare_study.py [--pairs 25]
"""

from __future__ import annotations

import argparse
import warnings

import numpy as np

import shoal

SIDE = 64
BLOBS = [(14, 14, 3, 1500), (46, 16, 4, 2500), (18, 46, 2.5, 900), (48, 48, 5, 4000)]
EPSILONS = ["0.05", "0.1", "0.3", "1", "2"]


def sample(rng: np.random.Generator, moved: float = 0, grown: float = 1) -> np.ndarray:
    x, y = np.meshgrid(np.arange(SIDE) + 0.5, np.arange(SIDE) + 0.5, indexing="ij")
    mean = np.full((SIDE, SIDE), 0.1)
    for place, (cx, cy, deviation, records) in enumerate(BLOBS):
        middle = cx + (moved if place == 0 else 0)
        mass = records * (grown if place == 0 else 1)
        mean += mass * np.exp(-((x - middle) ** 2 + (y - cy) ** 2) / (2 * deviation**2)) / (2 * np.pi * deviation**2)
    return rng.poisson(mean)


def release(counts: np.ndarray, epsilon: str, seed: int) -> shoal.Release:
    model = shoal.PrivateWaveCluster(bounds=(0, SIDE), grid=SIDE, percentile=60, epsilon=epsilon, random_state=seed)
    release = shoal.release_counts(model, counts)
    assert isinstance(release, shoal.Release)
    return release


def found(change: str | None, epsilon: str, pairs: int, **changed: float) -> int:
    """Pairs in which the blob's change is reported; with no change, pairs in which any is."""
    count = 0
    for pair in range(pairs):
        rng = np.random.default_rng([pair, round(float(epsilon) * 100)])
        releases = [release(sample(rng), epsilon, 2 * pair + 1), release(sample(rng, **changed), epsilon, 2 * pair + 2)]
        words = {one["change"] for cluster in shoal.compare(releases).changed for one in cluster["found"]}
        count += bool(words) if change is None else change in words
    return count


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--pairs", type=int, default=25)
    pairs = parser.parse_args().pairs
    warnings.simplefilter("ignore")
    print(f"| change, found in so many of {pairs} pairs | " + " | ".join(f"epsilon {epsilon}" for epsilon in EPSILONS) + " |")
    print("| --- |" + " --- |" * len(EPSILONS))
    cases: list[tuple[str, str | None, dict[str, float]]] = [("none: any change reported", None, {})]
    cases += [(f"moved by {cells} cell{'s' if cells > 1 else ''}", "moved", {"moved": cells}) for cells in (1, 2, 4, 6)]
    cases += [(f"grew by {percent} %", "grew", {"grown": 1 + percent / 100}) for percent in (10, 20, 40, 80)]
    for name, change, changed in cases:
        counts = [found(change, epsilon, pairs, **changed) for epsilon in EPSILONS]
        print(f"| {name} | " + " | ".join(map(str, counts)) + " |", flush=True)


if __name__ == "__main__":
    main()
