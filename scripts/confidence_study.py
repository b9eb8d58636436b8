#!/usr/bin/env python3
"""Is the confidence that a release states right? Seeded releases of known data, beside plain WaveCluster on the data.

  scripts/confidence_study.py DATA                  DS1-3 and ten other sets, epsilon 0.1 to 2, privwave and privthr
  scripts/confidence_study.py DATA --sets paper     DS1-3 alone
  scripts/confidence_study.py DATA --times          what the confidence costs

DATA: a folder with shapes/ and geo/ as published. For each of real, connected and separate the clusters are put into bins by what the
release says; a line gives the mean of it, how often it was so, and the number of clusters. Not private: the truth is looked at.
"""

from __future__ import annotations

import argparse
import collections
import gzip
import pathlib
import sys
import time

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from privwave_study import NEW_YORK, PAPER, SHAPES, enlarged  # noqa: E402

import shoal  # noqa: E402

EPSILONS = [0.1, 0.25, 0.5, 1, 2]
EDGES = [0, 0.2, 0.4, 0.6, 0.8, 0.95, 1.001]
OTHERS = ["s1", "s3", "spiral", "pathbased", "aggregation", "flame", "compound", "r15", "d31", "chameleon_t7_10k"]


def pairs(bounds: str) -> list[tuple[float, float]]:
    return [tuple(float(end) for end in axis.split(":")) for axis in bounds.split(",")]


def sets(data: pathlib.Path, which: str):
    """(name, points, bounds, grid, percentile)"""
    for name, (bounds, grid, percentile) in PAPER.items() if which != "others" else ():
        points = np.loadtxt(data / f"shapes/{name}.csv", delimiter=",", skiprows=1, usecols=(0, 1))
        yield name, points, pairs(bounds), grid, percentile
    if which == "paper":
        return
    rng = np.random.default_rng(7)
    for name in OTHERS:
        points = enlarged(np.loadtxt(data / f"shapes/{name}.csv", delimiter=",", skiprows=1, usecols=(0, 1)), rng)
        low, high = points.min(axis=0), points.max(axis=0)
        pad = (high - low) * 0.01
        for grid, percentile in SHAPES[name][:1]:
            yield f"{name} {grid} {percentile}", points, list(zip(low - pad, high + pad)), grid, percentile
    for name in ("gowalla_nyc", "uber_nyc"):
        with gzip.open(data / f"geo/{name}.csv.gz", "rt") as file:
            header = file.readline().strip().split(",")
            points = np.loadtxt(file, delimiter=",", usecols=(header.index("lon"), header.index("lat")))
        yield f"{name} 64 50", points, pairs(NEW_YORK), 64, 50


def verdicts(released: np.ndarray, truth: np.ndarray, clusters: int):
    """For each released cluster: is it real, connected, separate? As docs/confidence.md defines them."""
    sizes = np.bincount(released[released >= 0], minlength=clusters)
    real, connected, main = np.zeros(clusters, bool), np.zeros(clusters, bool), np.full(clusters, -1)
    for cluster in range(clusters):
        inside = truth[released == cluster]
        dense = np.bincount(inside[inside >= 0])
        if 2 * dense.sum() < sizes[cluster]:
            continue
        real[cluster], main[cluster] = True, dense.argmax()
        connected[cluster] = dense.max() >= 0.9 * dense.sum()
    separate = np.array([not any(main[other] == main[c] and sizes[other] >= 0.1 * sizes[c] for other in range(clusters) if other != c)
                         for c in range(clusters)], bool)
    return real, connected, separate


def study(data: pathlib.Path, which: str, techniques: list[str], runs: int):
    """{(measure, technique, epsilon, set): [(stated, true)]}"""
    found = collections.defaultdict(list)
    for name, points, bounds, grid, percentile in sets(data, which):
        truth = shoal.WaveCluster(bounds=bounds, grid=grid, percentile=percentile).fit(points).cell_labels_
        for technique in techniques:
            for epsilon in EPSILONS:
                for run in range(runs):
                    model = shoal.PrivateWaveCluster(epsilon=epsilon, bounds=bounds, grid=grid, percentile=percentile, technique=technique,
                                                     random_state=1000 + run)
                    release = model.fit(points).release_
                    real, connected, separate = verdicts(release.cell_labels, truth, release.n_clusters)
                    for i, cluster in enumerate(release.clusters):
                        says = cluster.confidence
                        found["real", technique, epsilon, name].append((says.real, real[i]))
                        if real[i]:  # the other two are said of real ones
                            found["connected", technique, epsilon, name].append((says.connected, connected[i]))
                            found["separate", technique, epsilon, name].append((says.separate, separate[i]))
    return found


def table(title: str, found, keep) -> None:
    print(title)
    for measure in ("real", "connected", "separate"):
        cases = np.array([case for key, cases in found.items() if key[0] == measure and keep(key) for case in cases], float).reshape(-1, 2)
        if not len(cases):
            continue
        line = f"  {measure:10s}"
        for low, high in zip(EDGES, EDGES[1:]):
            inside = cases[(cases[:, 0] >= low) & (cases[:, 0] < high)]
            line += f"{inside[:, 0].mean():.2f} {inside[:, 1].mean():.2f} {len(inside):5d} | " if len(inside) else "  - - 0 | "
        brier = ((cases[:, 0] - cases[:, 1]) ** 2).mean()
        print(line + f"all {cases[:, 0].mean():.3f} {cases[:, 1].mean():.3f}, error {brier:.3f} (constant {cases[:, 1].var():.3f})")


def times() -> None:
    for name, grid in (("ds1", 64), ("ds1", 256), ("ds1", 1024)):
        points = shoal.datasets.load(name).X
        for epsilon in (0.1, 1):
            model = shoal.PrivateWaveCluster(epsilon=epsilon, bounds=(0, 1), grid=grid, percentile=58, random_state=1)
            core = model.fit(points).release_._core
            start = time.perf_counter()
            count = len(core.confidence())
            print(f"{name} {grid} x {grid}, epsilon {epsilon}: {count} clusters, {1000 * (time.perf_counter() - start):.1f} ms")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=pathlib.Path)
    parser.add_argument("--sets", choices=["paper", "others", "all"], default="all")
    parser.add_argument("--techniques", default="privwave,privthr")
    parser.add_argument("--runs", type=int, default=10)
    parser.add_argument("--by", choices=["technique", "epsilon", "set"], default="technique")
    parser.add_argument("--times", action="store_true")
    arguments = parser.parse_args()
    if arguments.times:
        return times()
    found = study(arguments.data, arguments.sets, arguments.techniques.split(","), arguments.runs)
    print("bins by what is said: " + ", ".join(f"{low}-{min(high, 1)}" for low, high in zip(EDGES, EDGES[1:])) + "; each: said, true, clusters")
    column = {"technique": 1, "epsilon": 2, "set": 3}[arguments.by]
    for value in sorted({key[column] for key in found}, key=str):
        table(f"{value}:", found, lambda key: key[column] == value)
    table("all:", found, lambda key: True)


if __name__ == "__main__":
    main()
