#!/usr/bin/env python3
"""Is the confidence that a release states right? Seeded releases of known data, beside plain WaveCluster on the data.

  scripts/confidence_study.py DATA                  DS1-3 and ten other sets, epsilon 0.1 to 2, privwave and privthr
  scripts/confidence_study.py DATA --sets heldout   27 sets made from a seed that nothing was chosen by; without DATA's files
  scripts/confidence_study.py DATA --sets paper     DS1-3 alone
  scripts/confidence_study.py DATA --sets demo      the spirals of `make demo`, at its epsilon 1; without DATA's files
  scripts/confidence_study.py DATA --times          what the confidence costs, in processor time

DATA: a folder with shapes/ and geo/ as published. For each of real, connected and separate the clusters are put into bins by what the
release says; a line gives the mean of it, how often it was so, and the number of clusters. "brier" is the mean square of said minus true,
"constant" what the best constant would have, "off" the calibration error: |said - true| of the bins, weighted by their clusters. Not private: the truth is
looked at.
"""

from __future__ import annotations

import argparse
import collections
import gzip
import pathlib
import sys
import time
import warnings

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import shoal
from privwave_study import FAMILIES, GRIDS, NEW_YORK, PAPER, SHAPES, agreement, enlarged

EPSILONS = [0.1, 0.25, 0.5, 1, 2]
EDGES = [0, 0.2, 0.4, 0.6, 0.8, 0.95, 1.001]
OTHERS = ["s1", "s3", "spiral", "pathbased", "aggregation", "flame", "compound", "r15", "d31", "chameleon_t7_10k"]


def pairs(bounds: str) -> list[tuple[float, float]]:
    return [(float(low), float(high)) for low, high in (axis.split(":") for axis in bounds.split(","))]


def heldout_sets():
    """Shapes of one to three axes, 3,000 to 100,000 points, with and without a background; percentiles by the labels."""
    for i, (family, dimensions) in enumerate(FAMILIES):
        for number in range(3 if dimensions == 2 else 2):
            rng = np.random.default_rng([77, i, number])
            size = int(rng.choice([3000, 10000, 30000, 100000]))
            points, label = family(rng, dimensions, size)
            background = int(rng.choice([0, 0.05, 0.2]) * size)
            points = np.vstack([points, rng.uniform(points.min(axis=0), points.max(axis=0), (background, dimensions))])
            label = np.concatenate([label, np.full(background, -1)])
            low, high = points.min(axis=0), points.max(axis=0)
            low, high = low - 0.01 * (high - low), high + 0.01 * (high - low)
            grid = int(rng.choice(GRIDS[dimensions]))
            yield f"{family.__name__} {dimensions}d {number}", points, list(zip(low, high)), grid, agreement(points, label, low, high, grid)


def sets(data: pathlib.Path, which: str):
    """(name, points, bounds, grid, percentile)"""
    if which == "heldout":
        yield from heldout_sets()
        return
    if which == "demo":
        yield "demo", shoal.datasets.load("ds2", seed=1).X, [(0, 1), (0, 1)], 40, 10
        return
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


def size_of(cells: int) -> str:
    return "1 cell" if cells == 1 else "2-4 cells" if cells < 5 else "5 cells and more"


def study(data: pathlib.Path, which: str, techniques: list[str], runs: int, wavelet: str):
    """{(measure, technique, epsilon, set, size): [(stated, true)]}"""
    found = collections.defaultdict(list)
    for name, points, bounds, grid, percentile in sets(data, which):
        truth = shoal.WaveCluster(bounds=bounds, grid=grid, percentile=percentile, wavelet=wavelet).fit(points).cell_labels_
        for technique in techniques:
            for epsilon in EPSILONS if which != "demo" else [1]:
                for run in range(runs):
                    model = shoal.PrivateWaveCluster(epsilon=epsilon, bounds=bounds, grid=grid, percentile=percentile, technique=technique,
                                                     wavelet=wavelet, random_state=1000 + run)
                    release = model.fit(points).release_
                    real, connected, separate = verdicts(release.cell_labels, truth, release.n_clusters)
                    for i, cluster in enumerate(release.clusters):
                        says, where = cluster.confidence, (technique, epsilon, name, size_of(cluster.cells))
                        found["real", *where].append((says.real, real[i]))
                        if real[i]:  # the other two are said of real ones
                            found["connected", *where].append((says.connected, connected[i]))
                            found["separate", *where].append((says.separate, separate[i]))
    return found


def table(title: str, found, keep) -> None:
    print(title)
    for measure in ("real", "connected", "separate"):
        cases = np.array([case for key, cases in found.items() if key[0] == measure and keep(key) for case in cases], float).reshape(-1, 2)
        if not len(cases):
            continue
        line, off = f"  {measure:10s}", 0.0
        for low, high in zip(EDGES, EDGES[1:]):
            inside = cases[(cases[:, 0] >= low) & (cases[:, 0] < high)]
            off += abs((inside[:, 0] - inside[:, 1]).sum()) / len(cases)
            line += f"{inside[:, 0].mean():.2f} {inside[:, 1].mean():.2f} {len(inside):5d} | " if len(inside) else "  - - 0 | "
        brier = ((cases[:, 0] - cases[:, 1]) ** 2).mean()
        print(line + f"all {cases[:, 0].mean():.3f} {cases[:, 1].mean():.3f}, brier {brier:.3f} (constant {cases[:, 1].var():.3f}), off {off:.3f}")


def times() -> None:
    for name, grid in (("ds1", 64), ("ds1", 256), ("ds1", 1024)):
        points = shoal.datasets.load(name).X
        for epsilon in (0.1, 1):
            model = shoal.PrivateWaveCluster(epsilon=epsilon, bounds=(0, 1), grid=grid, percentile=58, random_state=1)
            core = model.fit(points).release_._core
            start = time.process_time()
            count = len(core.confidence())
            print(f"{name} {grid} x {grid}, epsilon {epsilon}: {count} clusters, {1000 * (time.process_time() - start):.1f} ms")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=pathlib.Path)
    parser.add_argument("--sets", choices=["paper", "others", "all", "heldout", "demo"], default="all")
    parser.add_argument("--techniques", default="privwave,privthr")
    parser.add_argument("--runs", type=int, default=10)
    parser.add_argument("--wavelet", default="haar")
    parser.add_argument("--by", choices=["technique", "epsilon", "set", "size"], default="technique")
    parser.add_argument("--times", action="store_true")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore", shoal.NotPrivateWarning)
    if arguments.times:
        return times()
    found = study(arguments.data, arguments.sets, arguments.techniques.split(","), arguments.runs, arguments.wavelet)
    print("bins by what is said: " + ", ".join(f"{low}-{min(high, 1)}" for low, high in zip(EDGES, EDGES[1:])) + "; each: said, true, clusters")
    column = {"technique": 1, "epsilon": 2, "set": 3, "size": 4}[arguments.by]
    for value in sorted({key[column] for key in found}, key=str):
        table(f"{value}:", found, lambda key: key[column] == value)
    table("all:", found, lambda key: True)


if __name__ == "__main__":
    main()
