#!/usr/bin/env python3
"""How well --auto finds published labels, and how often it finds clusters where there are none: the figures of docs/quality.md.

  PYTHONPATH=build/python scripts/quality_study.py shapes DATA [--runs 3]
  PYTHONPATH=build/python scripts/quality_study.py nothing [--runs 20]

DATA: a folder with shapes/ as published. Sets of fewer points are enlarged to 30,000: each point several times, with jitter. Bounds are 5 % wider
than the points. A figure is the adjusted Rand index of the labels of all points, where the unclustered ones are a class of their own. Every run
is seeded: nothing here is a release.
"""

from __future__ import annotations

import argparse
import pathlib
import warnings

import numpy as np

import shoal

EPSILONS = [0.1, 0.5, 1, 2]
JITTERS = {
    "uniform, 0.5 % wide": lambda rng, n: rng.uniform(0, 0.005, (n, 2)),
    "normal, 1 %": lambda rng, n: rng.normal(0, 0.01, (n, 2)),
    "normal, 2 %": lambda rng, n: rng.normal(0, 0.02, (n, 2)),
}


def rand_index(labels, truth) -> float:
    """Adjusted Rand index, by the table of both."""
    _, a = np.unique(labels, return_inverse=True)
    _, b = np.unique(truth, return_inverse=True)
    table = np.bincount(a * (b.max() + 1) + b).astype(float)
    pairs = lambda counts: (counts * (counts - 1) / 2).sum()
    of_a, of_b, n = pairs(np.bincount(a).astype(float)), pairs(np.bincount(b).astype(float)), len(a)
    expected = of_a * of_b / (n * (n - 1) / 2)
    most = (of_a + of_b) / 2
    return 1.0 if most == expected else (pairs(table) - expected) / (most - expected)


def shape_set(path, jitter, rng):
    rows = np.loadtxt(path, delimiter=",", skiprows=1)
    points, labels = rows[:, :2], rows[:, 2].astype(int)
    if len(points) < 27000:
        index = np.resize(np.arange(len(points)), 30000)
        points, labels = points[index] + jitter(rng, 30000) * np.ptp(points, axis=0), labels[index]
    low, high = points.min(axis=0), points.max(axis=0)
    pad = (high - low) * 0.025
    return points, labels, list(zip(low - pad, high + pad))


def shapes(data, runs):
    for name, jitter in JITTERS.items():
        print(f"jitter {name:32s} " + " ".join(f"eps {epsilon:<4g}" for epsilon in EPSILONS))
        all_means = []
        for path in sorted(data.glob("shapes/*.csv")):
            points, truth, bounds = shape_set(path, jitter, np.random.default_rng(7))
            means = []
            for epsilon in EPSILONS:
                models = (shoal.PrivateWaveCluster(epsilon=epsilon, bounds=bounds, grid="auto", random_state=run).fit(points) for run in range(runs))
                means.append(np.mean([rand_index(model.labels_, truth) for model in models]))
            all_means.append(means)
            print(f"  {path.stem:37s} " + " ".join(f"{mean:8.3f}" for mean in means), flush=True)
        print(f"  {'mean':37s} " + " ".join(f"{mean:8.3f}" for mean in np.mean(all_means, axis=0)), flush=True)


def without_structure(kind, size, rng):
    if kind.startswith("uniform"):
        return rng.uniform(size=(size, int(kind[-1])))
    if kind == "normal":
        return np.clip(rng.normal(0.5, 0.12, (size, 2)), 0, 1)
    if kind == "ramp":
        return np.c_[np.sqrt(rng.uniform(size=size)), rng.uniform(size=size)]
    radius, turn = 0.49 * np.sqrt(rng.uniform(size=size)), rng.uniform(0, 2 * np.pi, size)
    return 0.5 + np.c_[radius * np.cos(turn), radius * np.sin(turn)]


def nothing(runs):
    epsilons = [0.1, 1, 10, None]
    print(f"{'runs with more than one cluster':40s} " + " ".join(f"eps {epsilon:<6g}" if epsilon else "no noise" for epsilon in epsilons))
    for kind in ("uniform 1", "uniform 2", "uniform 3", "normal", "ramp", "disc"):
        for size in (1000, 10000, 100000, 1000000):
            of = runs if size < 1000000 else max(1, runs // 5)
            more = np.zeros(len(epsilons), int)
            for run in range(of):
                points = without_structure(kind, size, np.random.default_rng(run))
                for i, epsilon in enumerate(epsilons):
                    if epsilon is None:
                        model = shoal.WaveCluster(bounds=(0, 1), grid="auto")
                    else:
                        model = shoal.PrivateWaveCluster(epsilon=epsilon, bounds=(0, 1), grid="auto", random_state=run)
                    more[i] += model.fit(points).n_clusters_ > 1
            print(f"  {kind:12s}{size:>10,d}{'':16s} " + " ".join(f"{count:>3d} of {of:<3d}" for count in more), flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("part", choices=["shapes", "nothing"])
    parser.add_argument("data", type=pathlib.Path, nargs="?")
    parser.add_argument("--runs", type=int, default=3)
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    if arguments.part == "nothing":
        nothing(arguments.runs)
    else:
        shapes(arguments.data, arguments.runs)


if __name__ == "__main__":
    main()
