#!/usr/bin/env python3
"""Is what a release says of its clusters true of the population? Seeded releases of samples of known densities.

  scripts/confidence_study.py calibration   what is said against what is true, by technique
  scripts/confidence_study.py nothing       densities without structure: what is called a cluster at a fixed percentile and by --auto
  scripts/confidence_study.py intervals     how often the interval of a size holds the number of records in the cluster
  scripts/confidence_study.py times         what confidence costs, in processor time

A density is constant on the cells of a fine grid, so that the expected number of records in every cell of a release is known exactly. Not private.
"""

from __future__ import annotations

import argparse
import collections
import time
import warnings

import numpy as np
from scipy import ndimage

import shoal
from shoal import _core

EDGES = [0, 0.2, 0.4, 0.6, 0.8, 0.95, 1.001]
FINE = {1: 2048, 2: 256, 3: 64}
GRIDS = {1: [64, 128, 256], 2: [32, 64, 128], 3: [16, 32]}


def centres(dimensions: int) -> np.ndarray:
    axis = (np.arange(FINE[dimensions]) + 0.5) / FINE[dimensions]
    return np.stack(np.meshgrid(*[axis] * dimensions, indexing="ij"))


def blob(x, centre, width):
    return np.exp(-sum(((x[i] - centre[i]) / width) ** 2 for i in range(len(x))) / 2)


def blobs(rng, x):
    count = int(rng.integers(2, 20))
    return sum(rng.uniform(0.3, 1) * blob(x, rng.uniform(0.05, 0.95, len(x)), w) / w ** len(x) for w in rng.uniform(0.015, 0.08, count))


def lattice(rng, x):
    count = int(rng.integers(2, 6))
    return np.prod([1 + rng.uniform(0.3, 1) * np.cos(2 * np.pi * count * axis) for axis in x], axis=0)


def discs(rng, x):
    field = np.zeros(x.shape[1:])
    for _ in range(int(rng.integers(2, 12))):
        centre, radius = rng.uniform(0.1, 0.9, len(x)), rng.uniform(0.03, 0.15)
        field[sum((x[i] - centre[i]) ** 2 for i in range(len(x))) < radius**2] = rng.uniform(0.3, 1)
    return field


def rings(rng, x):
    field = np.zeros(x.shape[1:])
    for _ in range(int(rng.integers(1, 4))):
        centre, radius, width = rng.uniform(0.3, 0.7, len(x)), rng.uniform(0.1, 0.3), rng.uniform(0.01, 0.04)
        distance = np.sqrt(sum((x[i] - centre[i]) ** 2 for i in range(len(x))))
        field += rng.uniform(0.3, 1) * np.exp(-(((distance - radius) / width) ** 2) / 2)
    return field


def blocks(rng, x):
    count = int(rng.integers(4, 10))
    levels = rng.choice([0, 0, 0.2, 0.5, 1], (count,) * len(x))
    return levels[tuple(np.minimum((axis * count).astype(int), count - 1) for axis in x)]


def paths(rng, x):
    field = np.zeros(x.shape[1:])
    for _ in range(int(rng.integers(2, 5))):
        steps = np.cumsum(rng.normal(0, 1, (400, len(x))), axis=0)
        line = np.clip(0.5 + 0.4 * (steps - steps.mean(axis=0)) / np.abs(steps - steps.mean(axis=0)).max(), 0, 0.999)
        np.add.at(field, tuple((line * FINE[len(x)]).astype(int).T), 1)
    return ndimage.gaussian_filter(field, FINE[len(x)] * rng.uniform(0.008, 0.02))


def smooth(rng, x):
    field = ndimage.gaussian_filter(rng.normal(0, 1, x.shape[1:]), FINE[len(x)] * rng.uniform(0.02, 0.08), mode="nearest")
    return np.exp(rng.uniform(0.5, 2) * field / field.std())


def uniform(rng, x):
    return np.ones(x.shape[1:])


def ramp(rng, x):
    return x[0].copy()


def normal(rng, x):
    return blob(x, [0.5] * len(x), 0.15)


def disc(rng, x):
    return (sum((axis - 0.5) ** 2 for axis in x) < 0.16).astype(float)


FAMILIES = [blobs, lattice, discs, rings, blocks, paths, smooth]
WITHOUT_STRUCTURE = [uniform, ramp, normal, disc]


def population(family, rng, dimensions):
    """Shares of the fine cells; they add up to 1."""
    field = family(rng, centres(dimensions)) + 1e-12
    field /= field.sum()
    background = rng.choice([0, 0.05, 0.3]) if family in FAMILIES else 0
    return (1 - background) * field + background / field.size


def sample(rng, shares, size):
    counts = rng.multinomial(rng.poisson(size), shares.ravel())
    cells = np.repeat(np.arange(shares.size), counts)
    at = np.stack(np.unravel_index(cells, shares.shape), axis=1)
    return (at + rng.random(at.shape)) / shares.shape


def expected(shares, size, release, wavelet="haar"):
    """Of each cell of W, in the units of its threshold."""
    dimensions = shares.ndim
    coarse = shares
    shape = release.cell_labels.shape if wavelet == "haar" else [2 * cells for cells in release.cell_labels.shape]
    for axis, cells in enumerate(shape):  # what a cell has of a fine one it has in proportion
        fine = FINE[dimensions]
        edges = np.linspace(0, fine, cells + 1)
        low = np.minimum(edges.astype(int), fine - 1)
        below = np.concatenate([np.zeros_like(coarse.take([0], axis)), coarse.cumsum(axis)], axis)
        part = (edges - low).reshape([-1 if i == axis else 1 for i in range(dimensions)])
        coarse = np.diff((1 - part) * below.take(low, axis) + part * below.take(low + 1, axis), axis=axis)
    if wavelet != "haar":
        return _core.average_subband(size * coarse, wavelet)
    return size * coarse * 2.0 ** (-dimensions / 2)  # W of level 1 is the sum of a block over 2^(n/2)


def verdicts(released, dense, clusters):
    """For each released cluster: is it real, connected, separate in the population? As docs/confidence.md defines them."""
    truth, count = ndimage.label(dense, np.ones((3,) * dense.ndim))
    inside = released >= 0
    sizes = np.bincount(released[inside], minlength=clusters)
    pairs, shared = np.unique(released[inside].astype(np.int64) * (count + 1) + truth[inside], return_counts=True)
    of, true = pairs // (count + 1), pairs % (count + 1)
    of, true, shared = of[true > 0], true[true > 0], shared[true > 0]
    all_dense, most, main = np.zeros(clusters, int), np.zeros(clusters, int), np.full(clusters, -1)
    np.add.at(all_dense, of, shared)
    np.maximum.at(most, of, shared)
    largest = shared == most[of]
    main[of[largest][::-1]] = true[largest][::-1]  # of equal ones the first
    real = 2 * all_dense >= sizes
    connected = real & (most >= 0.9 * all_dense)
    separate = np.ones(clusters, bool)
    for same in np.unique(main[real]):
        group = np.flatnonzero(real & (main == same))
        group = group[np.argsort(-sizes[group], kind="stable")]
        for place, cluster in enumerate(group):
            other = group[0 if place else 1] if len(group) > 1 else cluster
            separate[cluster] = other == cluster or sizes[other] < 0.1 * sizes[cluster]
    return real, connected, separate


def true_modes(labels, truth, clusters):
    """For each cluster of --auto: does the population have a mode there? From the highest cell of the cluster no path that stays above
    98 % of it leads to a higher one; of a field that is flat to 2 % there is none."""
    modes = np.zeros(clusters, bool)
    for cluster in range(clusters):
        inside = np.where(labels == cluster, truth, -1)
        peak = np.unravel_index(inside.argmax(), truth.shape)
        around, _ = ndimage.label(truth >= 0.98 * truth[peak], np.ones((3,) * truth.ndim))
        reached = around == around[peak]
        modes[cluster] = truth[reached].max() <= 1.0001 * truth[peak] and truth.mean() < 0.98 * truth[peak]
    return modes


def released(points, epsilon, technique, seed, dimensions, grid, percentile):
    """technique "auto": --auto, on its own grid; "privqt:bior2.2": with another wavelet."""
    name, _, wavelet = technique.partition(":")
    options = {"grid": "auto"} if name == "auto" else {"grid": grid, "percentile": percentile, "technique": name, "wavelet": wavelet or "haar"}
    return shoal.PrivateWaveCluster(epsilon=epsilon, bounds=[(0, 1)] * dimensions, random_state=seed, **options).fit(points).release_


def calibration(techniques, sets, runs, seed):
    found = collections.defaultdict(list)
    for number in range(sets):
        rng = np.random.default_rng([seed, number])
        dimensions = int(rng.choice([1, 2, 2, 2, 3]))
        families = FAMILIES + WITHOUT_STRUCTURE[:1]
        family = families[number % len(families)]
        shares = population(family, rng, dimensions)
        size, grid, percentile = int(rng.choice([1000, 3000, 10000, 30000, 100000])), int(rng.choice(GRIDS[dimensions])), float(rng.choice([20, 40, 60, 80, 90]))
        for run in range(runs):
            points, epsilon = sample(rng, shares, size), float(rng.choice([0.1, 0.3, 1, 3, 10]))
            for technique in techniques:
                release = released(points, epsilon, technique, 1 + run, dimensions, grid, percentile)
                if release.n_clusters == 0:
                    continue
                truth = expected(shares, size, release, technique.partition(":")[2] or "haar")
                if technique == "auto":
                    modes = true_modes(release.cell_labels, truth, release.n_clusters)
                    found["real", technique, epsilon, family.__name__, dimensions, size] += [
                        (cluster.confidence.real, mode) for cluster, mode in zip(release.clusters, modes)
                    ]
                    continue
                real, connected, separate = verdicts(release.cell_labels, truth >= release.threshold, release.n_clusters)
                for i, cluster in enumerate(release.clusters):
                    says, where = cluster.confidence, (technique, epsilon, f"{family.__name__}", dimensions, size)
                    found["real", *where].append((says.real, real[i]))
                    if real[i]:  # the other two are said of real ones
                        found["connected", *where].append((says.connected, connected[i]))
                        found["separate", *where].append((says.separate, separate[i]))
    return found


def table(title, found, keep) -> None:
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


def nothing(runs) -> None:
    """Of densities without structure: clusters that are not doubtful, over all releases, and fragments shown; then the same by --auto."""
    print("clusters called real and no part of a uniform area / shown, all runs; at percentile 60 by technique, then by --auto")
    for family in WITHOUT_STRUCTURE:
        for dimensions in (1, 2, 3) if family is uniform else (2,):
            for size in (1000, 30000, 1000000):
                line = f"  {family.__name__:8s} {dimensions} {size:10,d} "
                for technique in ("privqt", "privthr", "privthr-em", "privwave", "auto"):
                    sure = shown = 0
                    for run in range(runs if size < 1000000 else 1):
                        rng = np.random.default_rng([9, run])
                        points = sample(rng, population(family, rng, dimensions), size)
                        for epsilon in (0.1, 1, 10):
                            clusters = released(points, epsilon, technique, 1 + run, dimensions, GRIDS[dimensions][0], 60).clusters
                            shown += len(clusters)
                            sure += sum(not cluster.doubtful for cluster in clusters)
                    line += f"| {technique} {sure:3d} / {shown:4d} "
                print(line, flush=True)


def records_in(points, release, dimensions):
    """True records in each cluster."""
    shape = release.cell_labels.shape
    at = tuple(np.minimum((points[:, i] * shape[i]).astype(int), shape[i] - 1) for i in range(dimensions))
    labels = release.cell_labels[at]
    return np.bincount(labels[labels >= 0], minlength=release.n_clusters)


def intervals(sets, runs) -> None:
    held = collections.defaultdict(list)
    for number in range(sets):
        rng = np.random.default_rng([3, number])
        dimensions = int(rng.choice([1, 2, 2, 3]))
        shares = population((FAMILIES + WITHOUT_STRUCTURE)[number % (len(FAMILIES) + len(WITHOUT_STRUCTURE))], rng, dimensions)
        size, percentile = int(rng.choice([1000, 10000, 100000])), float(rng.choice([20, 40, 60, 80, 90]))
        for run in range(runs):
            points = sample(rng, shares, size)
            for epsilon in (0.1, 0.3, 1, 3):
                for technique in ("privqt", "privthr", "privthr-em", "privwave", "auto"):
                    release = released(points, epsilon, technique, 1 + run, dimensions, GRIDS[dimensions][1], percentile)
                    records = records_in(points, release, dimensions)
                    for i, cluster in enumerate(release.clusters):
                        inside = cluster.size_95[0] <= records[i] <= cluster.size_95[1]
                        held[technique, "doubtful" if cluster.doubtful else "clusters"].append(inside)
    for key in sorted(held):
        print(f"  {key[0]:10s} {key[1]:8s} {np.mean(held[key]):.3f} of {len(held[key])}")


def times() -> None:
    for name, grid in (("ds1", 64), ("ds1", 256), ("ds1", 1024)):
        points = shoal.datasets.load(name).X
        for epsilon in (0.1, 1):
            model = shoal.PrivateWaveCluster(epsilon=epsilon, bounds=(0, 1), grid=grid, percentile=58, random_state=1)
            release = model.fit(points).release_
            assert isinstance(release, shoal.Release)
            core = release.reshape(percentile=58)._core  # of its own: fit needs it for labels
            start = time.process_time()
            count = len(core.confidence())
            print(f"  {name} {grid} x {grid}, epsilon {epsilon}: {count} clusters, {1000 * (time.process_time() - start):.0f} ms")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["calibration", "nothing", "intervals", "times"])
    parser.add_argument("--techniques", default="privqt,privthr,privthr-em,privwave,auto,privqt:bior2.2,privwave:db2")
    parser.add_argument("--sets", type=int, default=40)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--by", choices=["technique", "epsilon", "family", "dimensions", "size"], default="technique")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    if arguments.what == "nothing":
        return nothing(arguments.runs)
    if arguments.what == "intervals":
        return intervals(arguments.sets, arguments.runs)
    if arguments.what == "times":
        return times()
    found = calibration(arguments.techniques.split(","), arguments.sets, arguments.runs, arguments.seed)
    print("bins by what is said: " + ", ".join(f"{low}-{min(high, 1)}" for low, high in zip(EDGES, EDGES[1:])) + "; each: said, true, clusters")
    column = {"technique": 1, "epsilon": 2, "family": 3, "dimensions": 4, "size": 5}[arguments.by]
    for value in sorted({key[column] for key in found}, key=str):
        table(f"{value}:", found, lambda key, value=value: key[column] == value)
    table("all:", found, lambda key: True)


if __name__ == "__main__":
    main()
