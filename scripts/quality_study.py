#!/usr/bin/env python3
"""How well --auto finds published labels, and how often it finds clusters where there are none: the figures of docs/quality.md.

  PYTHONPATH=build/python scripts/quality_study.py shapes DATA [--runs 5]    mean and standard deviation over the runs
  PYTHONPATH=build/python scripts/quality_study.py nothing [--runs 20]    clusters of data without structure
  PYTHONPATH=build/python scripts/quality_study.py rounded [--runs 20] [--sizes 1000000]   clusters of one Gaussian whose values are rounded
  PYTHONPATH=build/python scripts/quality_study.py threads [--runs 5]     rings and threads that are cut into pieces
  PYTHONPATH=build/python scripts/quality_study.py trees [--runs 20]      stable leaves of the trees of such data

DATA: a folder with shapes/ as published. Sets of fewer points are enlarged to 30,000: each point several times, with jitter. Bounds are 5 % wider
than the points. A figure is the adjusted Rand index of the labels of all points, where the unclustered ones are a class of their own. Every run
is seeded: nothing here is a release.
"""

from __future__ import annotations

import argparse
import pathlib
import warnings

import numpy as np
import pandas

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
        print(f"jitter {name:32s} " + " ".join(f"eps {epsilon:<11g}" for epsilon in EPSILONS))
        cells = lambda means, spreads: " ".join(f"{mean:7.3f} ±{spread:.3f} " for mean, spread in zip(means, spreads))
        all_means, all_spreads = [], []
        for path in sorted(data.glob("shapes/*.csv")):
            points, truth, bounds = shape_set(path, jitter, np.random.default_rng(7))
            means, spreads = [], []
            for epsilon in EPSILONS:
                models = (shoal.PrivateWaveCluster(epsilon=epsilon, bounds=bounds, grid="auto", random_state=run).fit(points) for run in range(runs))
                indices = [rand_index(model.labels_, truth) for model in models]
                means.append(np.mean(indices))
                spreads.append(np.std(indices, ddof=1))
            all_means.append(means)
            all_spreads.append(spreads)
            print(f"  {path.stem:37s} " + cells(means, spreads), flush=True)
        print(f"  {'mean':37s} " + cells(np.mean(all_means, axis=0), np.mean(all_spreads, axis=0)), flush=True)


def without_structure(kind, size, rng):
    """Points and their axes: uniform, one slope, one hill, or one disc; then uniform ones on axes of other kinds."""
    if kind.startswith("uniform"):
        points = rng.uniform(size=(size, int(kind[-1])))
    elif kind == "normal":
        points = np.clip(rng.normal(0.5, 0.12, (size, 2)), 0, 1)
    elif kind == "ramp":
        points = np.c_[np.sqrt(rng.uniform(size=size)), rng.uniform(size=size)]
    elif kind == "disc":
        radius, turn = 0.49 * np.sqrt(rng.uniform(size=size)), rng.uniform(0, 2 * np.pi, size)
        points = 0.5 + np.c_[radius * np.cos(turn), radius * np.sin(turn)]
    else:
        first, draw = OTHER_AXES[kind]
        return {"x": draw(rng, size), "y": rng.uniform(size=size)}, ["x=" + first, "y=0:1"]
    return points, [f"{name}=0:1" for name in "xyz"[: points.shape[1]]]


OTHER_AXES = {
    "whole numbers": ("0:110:int", lambda rng, n: rng.integers(0, 111, n)),
    "circle": ("0:24:circle", lambda rng, n: rng.uniform(0, 24, n)),
    "categories": ("A|B|C|D|E:category", lambda rng, n: np.array(list("ABCDE"))[rng.integers(0, 5, n)]),
    "days": ("2026-01-01:2026-12-31", lambda rng, n: np.datetime64("2026-01-01") + rng.integers(0, 365, n)),
    "log": ("1:1000:log", lambda rng, n: 10 ** rng.uniform(0, 3, n)),
}
SHAPES = ["uniform 1", "uniform 2", "uniform 3", "normal", "ramp", "disc"]


def frame(points, axes):
    if isinstance(points, dict):
        return pandas.DataFrame(points)
    return pandas.DataFrame(points, columns=[axis.split("=")[0] for axis in axes])


def stable_leaves(release):
    return sum(branch["stable"] and branch["leaf"] for branch in release.tree()["branches"])


def nothing(runs):
    """More than one cluster that is not doubtful, by --auto; and any that is called separate from another."""
    epsilons = [0.1, 0.5, 1, 10, None]
    print(f"{'runs with more than one cluster':32s} " + " ".join(f"eps {epsilon:<6g}" if epsilon else "no noise" for epsilon in epsilons) + "   called separate")
    all_more, all_runs = np.zeros(len(epsilons), int), 0
    for kind in SHAPES + list(OTHER_AXES):
        for size in (1000, 10000, 100000, 1000000) if kind in SHAPES else (1000, 100000):
            of = runs if size < 1000000 else max(1, runs // 5)
            more, separate = np.zeros(len(epsilons), int), 0
            for run in range(of):
                points, axes = without_structure(kind, size, np.random.default_rng(run))
                data = frame(points, axes)
                for i, epsilon in enumerate(epsilons):
                    if epsilon is None:
                        more[i] += shoal.WaveCluster(axes=axes, grid="auto").fit(data).n_clusters_ > 1
                        continue
                    release = shoal.PrivateWaveCluster(epsilon=epsilon, axes=axes, grid="auto", random_state=run).fit(data).release_
                    shown = [cluster for cluster in release.clusters if not cluster.doubtful]
                    more[i] += len(shown) > 1
                    separate += len(shown) > 1 and any(cluster.confidence.separate >= 0.8 for cluster in shown)
            all_more, all_runs = all_more + more, all_runs + of
            print(f"  {kind:14s}{size:>10,d}{'':6s} " + " ".join(f"{count:>3d} of {of:<3d}" for count in more) + f"   {separate:>3d}", flush=True)
    print(f"  {'all, share of runs':30s} " + " ".join(f"{count / all_runs:<10.3f}" for count in all_more))


ROUNDED = {1: 110, 10: 110, 0.5: 50, 0.01: 8, 0.25: 24, 900: 86400}  # step: range


def rounded(runs, sizes):
    """More than one cluster that is not doubtful, of one Gaussian of which all or half of the values are rounded."""
    epsilons = [0.1, 1, 10]
    print(f"{'runs with more than one cluster':32s} " + " ".join(f"eps {epsilon:<6g}" for epsilon in epsilons))
    all_more, all_runs = np.zeros(len(epsilons), int), 0
    for step, width in ROUNDED.items():
        for share in (1, 0.5):
            for size in sizes:
                of = runs if size < 100000 else max(1, runs // 4)
                more = np.zeros((2, len(epsilons)), int)
                for run in range(of):
                    for dimensions in (1, 2):
                        rng = np.random.default_rng(run)
                        points = rng.normal(0.47 * width, width / 8, (size, dimensions))
                        whole = np.round(points / step) * step if step >= 1 else np.round(points / step) / round(1 / step)
                        points = np.where(rng.uniform(size=(size, 1)) < share, whole, points)
                        for i, epsilon in enumerate(epsilons):
                            model = shoal.PrivateWaveCluster(epsilon=epsilon, bounds=(0, width), grid="auto", random_state=run)
                            more[dimensions - 1, i] += sum(not cluster.doubtful for cluster in model.fit(points).release_.clusters) > 1
                all_more, all_runs = all_more + more.sum(axis=0), all_runs + 2 * of
                for dimensions in (1, 2):
                    print(f"  {step:<6g}{share:4.0%} {dimensions}d {size:>10,d}{'':6s} " + " ".join(f"{count:>3d} of {of:<3d}" for count in more[dimensions - 1]), flush=True)
    print(f"  {'all':30s} " + " ".join(f"{count:>3d} of {all_runs:<3d}" for count in all_more))


def trees(runs):
    """More than one stable leaf in the tree of a release; of uniform data also any."""
    makers = {"privwave": {"technique": "privwave"}, "privqt": {"technique": "privqt"}, "--auto": {}}
    print(f"{'runs with a false stable leaf':32s} " + " ".join(f"{name + ', eps ' + format(epsilon, 'g'):18s}" for name in makers for epsilon in (0.1, 1, 10)))
    all_false, all_runs = np.zeros(9, int), 0
    for kind in SHAPES + list(OTHER_AXES):
        for size in (1000, 30000, 1000000) if kind in SHAPES else (30000,):
            of = runs if size < 1000000 else max(1, runs // 5)
            false = []
            for options in makers.values():
                rule = {"grid": {"uniform 1": 256, "uniform 3": 32}.get(kind, 64), "percentile": 60, **options} if options else {"grid": "auto"}
                for epsilon in (0.1, 1, 10):
                    count = 0
                    for run in range(of):
                        points, axes = without_structure(kind, size, np.random.default_rng(run))
                        model = shoal.PrivateWaveCluster(epsilon=epsilon, axes=axes, random_state=run, **rule).fit(frame(points, axes))
                        count += stable_leaves(model.release_) > (1 if kind in ("normal", "ramp", "disc") else 0)
                    false.append(count)
            all_false, all_runs = all_false + false, all_runs + of
            print(f"  {kind:14s}{size:>10,d}{'':6s} " + " ".join(f"{count:>3d} of {of:<11d}" for count in false), flush=True)
    print(f"  {'all, share of runs':30s} " + " ".join(f"{count / all_runs:<18.3f}" for count in all_false))


def thread_points(kind, size, swells, rng):
    """One ring, or one thread of two half circles, whose density varies by a fifth along its length."""
    t = rng.uniform(size=3 * size)
    t = t[rng.uniform(0, 1.1, len(t)) < 1 + 0.1 * np.cos(2 * np.pi * swells * t)][:size]
    turn, width = 2 * np.pi * t, rng.normal(0, 0.02 if kind == "ring" else 0.015, (len(t), 2))
    if kind == "ring":
        return 0.5 + 0.36 * np.c_[np.cos(turn), np.sin(turn)] + width
    side = np.where(t < 0.5, 1, -1)
    return np.c_[0.5 - side * 0.22 * (1 + np.cos(turn)), 0.5 + 0.22 * np.sin(turn)] + width


def threads(runs):
    """Runs in which one ring or one thread is more than one cluster that is not doubtful."""
    epsilons = [0.1, 0.5, 1]
    print(f"{'runs with more than one cluster':32s} " + " ".join(f"eps {epsilon:<7g}" for epsilon in epsilons))
    for kind in ("ring", "thread"):
        for size in (30000, 150000):
            cut = np.zeros(len(epsilons), int)
            for swells in (2, 3, 5):
                for run in range(runs):
                    points = thread_points(kind, size, swells, np.random.default_rng([swells, run]))
                    for i, epsilon in enumerate(epsilons):
                        model = shoal.PrivateWaveCluster(epsilon=epsilon, bounds=(0, 1), grid="auto", random_state=run).fit(points)
                        cut[i] += sum(not cluster.doubtful for cluster in model.release_.clusters) > 1
            print(f"  {kind:14s}{size:>10,d}{'':6s} " + " ".join(f"{count:>3d} of {3 * runs:<4d}" for count in cut), flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("part", choices=["shapes", "nothing", "rounded", "threads", "trees"])
    parser.add_argument("data", type=pathlib.Path, nargs="?")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--sizes", type=int, nargs="+", default=[1000, 10000, 100000, 1000000], help="numbers of records, of the part rounded")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    if arguments.part == "nothing":
        nothing(arguments.runs)
    elif arguments.part == "rounded":
        rounded(arguments.runs, arguments.sizes)
    elif arguments.part == "threads":
        threads(arguments.runs)
    elif arguments.part == "trees":
        trees(arguments.runs)
    else:
        shapes(arguments.data, arguments.runs)


if __name__ == "__main__":
    main()
