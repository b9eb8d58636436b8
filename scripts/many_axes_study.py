#!/usr/bin/env python3
"""How well --auto finds clusters in three to eight axes, beside private k-means: the tables of docs/quality.md, "Three axes and more".

  PYTHONPATH=build/python scripts/many_axes_study.py peers [--sets 8] [--records 30000]     eight Gaussians, beside diffprivlib's k-means with k given
  PYTHONPATH=build/python scripts/many_axes_study.py axes [--sets 8]                        clusters in some axes, none in the others
  PYTHONPATH=build/python scripts/many_axes_study.py kinds [--sets 8]                       other clusters
  PYTHONPATH=build/python scripts/many_axes_study.py nothing [--sets 10]                    runs in which data without structure show more than one cluster

A figure is the mean adjusted Rand index of the labels of all points over the sets, where the unclustered points are a class of their own. Every run
is seeded: nothing here is a release. Without diffprivlib, its rows are left out.
"""

from __future__ import annotations

import argparse
import warnings

import numpy as np

from quality_study import rand_index

EPSILONS = [0.1, 0.5, 1]


def gaussians(rng, axes, records, count=8, deviations=None, weights=None):
    centres = rng.uniform(0.15, 0.85, (count, axes))
    truth = rng.choice(count, records, p=weights)
    spread = np.full(count, 0.05) if deviations is None else deviations
    return centres[truth] + rng.normal(0, 1, (records, axes)) * spread[truth, None], truth


def points_of(kind, axes, records, rng):
    if kind == "five Gaussians":
        return gaussians(rng, axes, records, 5)
    if kind == "Gaussians of other sizes":
        weights = 2 ** -(np.arange(8) / 2)
        return gaussians(rng, axes, records, 8, rng.uniform(0.03, 0.08, 8), weights / weights.sum())
    if kind == "Gaussians and a quarter anywhere":
        points, truth = gaussians(rng, axes, records)
        anywhere = rng.uniform(size=records) < 0.25
        points[anywhere], truth[anywhere] = rng.uniform(size=(anywhere.sum(), axes)), 8
        return points, truth
    if kind == "long Gaussians":
        points, truth = gaussians(rng, axes, records, 8, np.full(8, 0.03))
        along = rng.normal(size=(8, axes))
        along /= np.linalg.norm(along, axis=1, keepdims=True)
        return points + along[truth] * rng.normal(0, 0.12, (records, 1)), truth
    if kind == "a ring around a blob":
        truth, turn = rng.integers(0, 2, records), rng.uniform(0, 2 * np.pi, records)
        points = rng.normal(0.5, 0.04, (records, axes))
        points[:, :2] += (0.35 * truth)[:, None] * np.c_[np.cos(turn), np.sin(turn)]
        return points, truth
    if kind == "three sheets":
        truth, points = rng.integers(0, 3, records), rng.uniform(size=(records, axes))
        points[:, 0] = rng.normal(0.2 + 0.3 * truth, 0.04)
        return points, truth
    if kind == "two oblique bars":
        truth = rng.integers(0, 2, records)
        points = rng.uniform(0.1, 0.9, (records, 1)) + rng.normal(0, 0.03, (records, axes))
        points[:, 0] += 0.3 * truth - 0.15
        points[:, 1] -= 0.3 * truth - 0.15
        return points, truth
    if kind == "uniform":
        return rng.uniform(size=(records, axes)), np.zeros(records, int)
    if kind == "one Gaussian":
        return rng.normal(0.5, 0.12, (records, axes)), np.zeros(records, int)
    if kind == "exponential":
        return rng.exponential(1 / 7, (records, axes)), np.zeros(records, int)
    if kind == "correlated":
        return 0.5 + 0.12 * (0.8 * rng.normal(size=(records, 1)) + 0.6 * rng.normal(size=(records, axes))), np.zeros(records, int)
    return gaussians(rng, axes, records)


def with_noise_axes(points, count, rng):
    """Half of them uniform, half of them normal."""
    noise = [rng.uniform(size=len(points)) if i % 2 == 0 else rng.normal(0.5, 0.15, len(points)) for i in range(count)]
    return np.clip(np.column_stack([points, *noise]), 0, 1)


def release_of(points, epsilon, seed):
    import shoal  # the peer alone needs no build

    return shoal.PrivateWaveCluster(epsilon=epsilon, bounds=[(0, 1)] * points.shape[1], grid="auto", random_state=seed).fit(points)


def k_means(points, epsilon, seed, k=8):
    from diffprivlib.models import KMeans

    axes = points.shape[1]
    points = np.clip(points, 0, 1)
    return KMeans(n_clusters=k, epsilon=epsilon, bounds=([0.0] * axes, [1.0] * axes), random_state=seed).fit(points).predict(points)


def row(title, sets, make, labels):
    figures = []
    for epsilon in EPSILONS:
        scores = []
        for seed in range(1, sets + 1):
            points, truth = make(np.random.default_rng(seed))
            scores.append(rand_index(labels(points, epsilon, seed), truth))
        figures.append(f"{np.mean(scores):.2f}")
    print(f"{title:52s} " + "   ".join(figures), flush=True)


def ours(points, epsilon, seed):
    return release_of(points, epsilon, seed).labels_


def peers(sets, records):
    print(f"{'eight Gaussians, ' + format(records, ',') + ' records':52s} " + "    ".join(f"{epsilon:g}" for epsilon in EPSILONS))
    for axes in (3, 4, 5, 6, 8):
        make = lambda rng, axes=axes: gaussians(rng, axes, records)
        row(f"  {axes} axes, --auto", sets, make, ours)
        try:
            row(f"  {axes} axes, diffprivlib k-means, k given", sets, make, k_means)
        except ImportError:
            print("  diffprivlib is not installed")


def axes_without_structure(sets, records):
    print(f"{format(records, ',') + ' records':52s} " + "    ".join(f"{epsilon:g}" for epsilon in EPSILONS))
    for kind in ("five Gaussians", "eight Gaussians", "a ring around a blob"):
        for others in (0, 1, 2, 4, 6):

            def make(rng, kind=kind, others=others):
                points, truth = points_of(kind, 2, records, rng)
                return with_noise_axes(points, others, rng), truth

            row(f"  {kind} in 2 of {2 + others} axes", sets, make, ours)


def kinds(sets, records):
    print(f"{format(records, ',') + ' records':52s} " + "    ".join(f"{epsilon:g}" for epsilon in EPSILONS))
    for kind in ("Gaussians of other sizes", "Gaussians and a quarter anywhere", "long Gaussians", "a ring around a blob", "three sheets", "two oblique bars"):
        for axes in (3, 4, 6):
            row(f"  {kind}, {axes} axes", sets, lambda rng, kind=kind, axes=axes: points_of(kind, axes, records, rng), ours)


def nothing(sets):
    print(f"{'runs with more than one cluster':52s} " + " ".join(f"eps {epsilon:<7g}" for epsilon in (0.1, 1, 10)))
    for kind in ("uniform", "one Gaussian", "exponential", "correlated"):
        for axes in (3, 4, 6, 8):
            for records in (1000, 30000):
                counts = []
                for epsilon in (0.1, 1, 10):
                    several = 0
                    for seed in range(sets):
                        points, _ = points_of(kind, axes, records, np.random.default_rng(seed))
                        shown = [one for one in release_of(points, epsilon, seed).release_.clusters if not one.doubtful]
                        several += len(shown) > 1
                    counts.append(f"{several} of {sets}")
                print(f"  {kind}, {axes} axes, {records:,} records".ljust(53) + "    ".join(f"{one:8s}" for one in counts), flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("part", choices=["peers", "axes", "kinds", "nothing"])
    parser.add_argument("--sets", type=int, default=8)
    parser.add_argument("--records", type=int, default=30000)
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    if arguments.part == "peers":
        peers(arguments.sets, arguments.records)
    elif arguments.part == "axes":
        axes_without_structure(arguments.sets, arguments.records)
    elif arguments.part == "kinds":
        kinds(arguments.sets, arguments.records)
    else:
        nothing(arguments.sets)


if __name__ == "__main__":
    main()
