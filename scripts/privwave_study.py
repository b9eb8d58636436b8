#!/usr/bin/env python3
"""privwave beside the paper's techniques, by `shoal evaluate`: the figures of docs/studies.

  scripts/privwave_study.py DATA paper     DS1, DS2, DS3, 400 runs
  scripts/privwave_study.py DATA general   other shapes enlarged to about 30,000 points, check-ins, pick-ups, count grids
  scripts/privwave_study.py DATA heldout   sets that no constant was chosen by: --half choose (to compare ideas by), --half final
  scripts/privwave_study.py DATA few       generated sets of a few thousand records, at low percentiles
  scripts/privwave_study.py DATA classes   OCM and 2CE
  scripts/privwave_study.py DATA thresholds   rules of the threshold that pick the same true clusters: which is steadiest

DATA: a folder with shapes/ and geo/ as published. At every point the rival is the smallest mean DSG_C of privthr and privthr-em, in
their private and in the paper's literal form. "half": privwave at half the budget over the rival at the full one.
"""

from __future__ import annotations

import argparse
import collections
import csv
import math
import pathlib
import subprocess
import tempfile

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[1]
EPSILONS = [0.1, 0.25, 0.5, 1, 2]
PRIVATE = ["privthr", "privthr-em"]
RIVALS = [*PRIVATE, "privthr-literal-not-private", "privthr-em-literal-not-private"]
LEAST = 1e-4  # means below are taken as this, in ratios

PAPER = {  # the authors' bounds, grids and percentiles
    "paper_ds1": ("20406:963766,51397:972357", 64, 58),
    "paper_ds2": ("90045:964445,87019:955419", 40, 10),
    "paper_ds3": ("100504:1097128,58503:875127", 36, 23),
}
SHAPES = {  # grids and percentiles at which WaveCluster agrees best with the published labels, and the next best grid
    "s1": [(64, 55), (40, 65)], "s2": [(40, 70), (48, 70)], "s3": [(40, 75), (48, 75)], "s4": [(48, 75), (40, 75)],
    "spiral": [(64, 5), (48, 5)], "pathbased": [(64, 5), (40, 40)], "aggregation": [(48, 30), (64, 5)],
    "jain": [(48, 5), (64, 5)], "flame": [(64, 10), (48, 35)], "compound": [(64, 10), (32, 55)], "r15": [(64, 40), (48, 55)],
    "d31": [(128, 35), (96, 55)], "unbalance": [(64, 15), (48, 55)], "birch1": [(128, 60), (96, 60)],
    "chameleon_t4_8k": [(64, 55), (40, 65)], "chameleon_t7_10k": [(64, 60), (48, 65)],
}
NEW_YORK = "-74.26:-73.70,40.48:40.92"
PLACES = {
    "gowalla_world": ("-180:180,-90:90", [(80, 31), (128, 50), (256, 60)]),
    "gowalla_nyc": (NEW_YORK, [(64, 50), (128, 60), (64, 80)]),
    "uber_nyc": (NEW_YORK, [(64, 50), (128, 60), (64, 80)]),
}
COUNT_GRIDS = {"dpbench_gowalla_256": [50, 80], "dpbench_sf_cabs_s_256": [50, 80]}


def enlarged(points: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """The paper's way: each point several times, with uniform offsets; 0.5 % of the range here."""
    times = max(1, round(30000 / len(points)))
    result = np.repeat(points, times, axis=0)
    return result if times == 1 else result + rng.uniform(0, 1, result.shape) * np.ptp(points, axis=0) * 0.005


def write(path: pathlib.Path, points: np.ndarray) -> None:
    np.savetxt(path, points, delimiter=",", header="x,y", comments="", fmt="%.9g")


def general_sets(data: pathlib.Path, folder: pathlib.Path):
    """(name, file, columns, bounds, grid, percentile)"""
    rng = np.random.default_rng(7)
    for name, settings in SHAPES.items():
        points = enlarged(np.loadtxt(data / f"shapes/{name}.csv", delimiter=",", skiprows=1, usecols=(0, 1)), rng)
        write(folder / f"{name}.csv", points)
        low, high = points.min(axis=0), points.max(axis=0)
        pad = (high - low) * 0.01
        bounds = ",".join(f"{a:.9g}:{b:.9g}" for a, b in zip(low - pad, high + pad))
        for grid, percentile in settings:
            yield f"{name} {grid} {percentile}", folder / f"{name}.csv", "x,y", bounds, grid, percentile
    for name, (bounds, settings) in PLACES.items():
        for grid, percentile in settings:
            yield f"{name} {grid} {percentile}", data / f"geo/{name}.csv.gz", "lon,lat", bounds, grid, percentile
    for name, percentiles in COUNT_GRIDS.items():
        rows = np.loadtxt(data / f"geo/{name}.csv", delimiter=",", skiprows=1).astype(int)
        with open(folder / f"{name}.csv", "w") as file:
            file.write("x,y\n")
            for row, column, count in rows:
                file.write(f"{row}.5,{column}.5\n" * count)
        for percentile in percentiles:
            yield f"{name} {percentile}", folder / f"{name}.csv", "x,y", "0:256,0:256", 256, percentile


# ---- held-out sets --------------------------------------------------------------------------------------------------

GRIDS = {1: [128, 180, 256, 400], 2: [24, 30, 36, 44, 52, 56, 72, 80, 100], 3: [16, 20, 24]}  # 2-D: none of SHAPES' but a few
TRIED = range(3, 88, 7)  # percentiles; the best by the labels is taken


def mixture(rng, dimensions, size):
    """Normal clouds, from well apart to overlapping, of equal sizes or by a power law."""
    clouds = rng.integers(3, 21)
    spread = rng.choice([0.25, 0.4, 0.6]) / clouds ** (1 / dimensions)
    shares = rng.choice([np.ones(clouds), 1 / np.arange(1, clouds + 1)])
    label = rng.choice(clouds, size, p=shares / shares.sum())
    return rng.uniform(0.1, 0.9, (clouds, dimensions))[label] + rng.normal(0, spread / 2, (size, dimensions)) * rng.uniform(0.5, 1, clouds)[label, None], label


def rings(rng, dimensions, size):
    label = rng.integers(0, rng.integers(2, 5), size)
    way = rng.normal(0, 1, (size, dimensions))
    radius = 0.12 + 0.13 * label + rng.normal(0, rng.uniform(0.008, 0.025), size)
    return 0.5 + way / np.linalg.norm(way, axis=1)[:, None] * radius[:, None], label


def moons(rng, _, size):
    count = rng.integers(2, 5)
    label = rng.integers(0, count, size)
    angle = rng.uniform(0, np.pi, size)
    up = np.where(label % 2 == 0, 1, -1)
    moon = np.column_stack([np.cos(angle) + label, up * np.sin(angle) + 0.5 * (label % 2)])
    return moon + rng.normal(0, rng.uniform(0.06, 0.14), (size, 2)), label


def filaments(rng, _, size):
    """Smooth random curves, as roads or galaxies lie."""
    count = rng.integers(3, 8)
    label = rng.integers(0, count, size)
    along = rng.uniform(0, 1, size)
    start, way, bend = (rng.uniform(low, high, (count, 2)) for low, high in ((0.1, 0.9), (-0.5, 0.5), (-0.4, 0.4)))
    curve = start[label] + along[:, None] * way[label] + (along * (1 - along))[:, None] * bend[label]
    return curve + rng.normal(0, rng.uniform(0.005, 0.015), (size, 2)), label


def bridges(rng, _, size):
    """Clouds on a lattice; some neighbours are joined by thin bridges and are then one cluster."""
    side = rng.integers(3, 6)
    clouds = side * side
    owner = np.arange(clouds)
    spans = [(a, b) for a in range(clouds) for b in (a + 1, a + side) if b < clouds and (b != a + 1 or b % side) and rng.uniform() < 0.3]
    for a, b in spans:
        owner[owner == owner[b]] = owner[a]
    centre = np.column_stack([np.arange(clouds) % side, np.arange(clouds) // side])
    cloud = rng.integers(0, clouds, size)
    points = centre[cloud] + rng.normal(0, 0.13, (size, 2))
    label = owner[cloud]
    if spans:
        on_bridge = rng.uniform(size=size) < 0.02 * len(spans)
        span = np.array(spans)[rng.integers(0, len(spans), size)]
        between = centre[span[:, 0]] + rng.uniform(0, 1, (size, 1)) * (centre[span[:, 1]] - centre[span[:, 0]])
        points = np.where(on_bridge[:, None], between + rng.normal(0, 0.03, (size, 2)), points)
        label = np.where(on_bridge, owner[span[:, 0]], label)
    return points, label


def blocks(rng, _, size):
    """Boxes of even density with sharp edges."""
    count = rng.integers(3, 12)
    label = rng.integers(0, count, size)
    corner, extent = rng.uniform(0, 0.8, (count, 2)), rng.uniform(0.05, 0.25, (count, 2))
    return corner[label] + rng.uniform(0, 1, (size, 2)) * extent[label], label


def repeated(rng, _, size):
    """Few places, each many times, without offsets: many cells hold the very same value."""
    places = rng.integers(150, 600)
    points, label = mixture(rng, 2, places)
    times = max(2, size // places)
    return np.repeat(points, times, axis=0), np.repeat(label, times)


FAMILIES = [(mixture, 2), (rings, 2), (moons, 2), (filaments, 2), (bridges, 2), (blocks, 2), (mixture, 1), (mixture, 3), (rings, 3), (repeated, 2)]


def agreement(points, label, low, high, grid):
    """The percentile of TRIED at which plain WaveCluster (Haar, level 1) agrees best with the labels: adjusted Rand index."""
    from scipy.ndimage import label as connect
    from sklearn.metrics import adjusted_rand_score

    cell = np.minimum(((points - low) / (high - low) * (grid // 2)).astype(int), grid // 2 - 1)
    flat = np.ravel_multi_index(cell.T, [grid // 2] * points.shape[1])
    values = np.bincount(flat, minlength=(grid // 2) ** points.shape[1])
    positive = np.sort(values[values > 0])[::-1]
    some = np.linspace(0, len(points) - 1, min(len(points), 4000)).astype(int)

    def score(percentile):
        least = positive[math.ceil((100 - percentile) * len(positive) / 100) - 1]
        found = connect((values >= least).reshape([grid // 2] * points.shape[1]), np.ones([3] * points.shape[1]))[0].ravel()[flat]
        return adjusted_rand_score(label[some], found[some])

    return max(TRIED, key=score)


def heldout_sets(data: pathlib.Path, folder: pathlib.Path, half: str):
    """(name, file, columns, bounds, grid, percentile, further options). Every draw hangs on its own seed and the half alone."""
    final = half == "final"

    def prepared(name, points, label, rng, options=()):
        points, label = points[keep := rng.permutation(len(points))], label[keep]
        low, high = points.min(axis=0), points.max(axis=0)
        low, high = low - 0.01 * (high - low), high + 0.01 * (high - low)
        grid = int(rng.choice(GRIDS[points.shape[1]]))
        percentile = agreement(points, label, low, high, grid)
        columns = "x,y,z"[: 2 * points.shape[1] - 1]
        file = folder / f"{name.replace(' ', '_')}.csv"
        np.savetxt(file, points, delimiter=",", header=columns, comments="", fmt="%.9g")
        bounds = ",".join(f"{a:.9g}:{b:.9g}" for a, b in zip(low, high))
        return " ".join([name, str(grid), str(percentile), *options]), file, columns, bounds, grid, percentile, list(options)

    for i, name in enumerate(SHAPES):
        rng = np.random.default_rng([1, final, i])
        rows = np.loadtxt(data / f"shapes/{name}.csv", delimiter=",", skiprows=1)
        times = max(1, round(rng.choice([10000, 30000]) / len(rows)))
        points = np.repeat(rows[:, :2], times, axis=0)
        points += rng.uniform(0, 1, points.shape) * np.ptp(points, axis=0) * rng.choice([0.005, 0.01, 0.02]) * (times > 1)
        yield prepared(name, points, np.repeat(rows[:, 2], times).astype(int), rng)
    extra = [["--level", "2"], ["--adjacency", "face"], ["--neighbors", "replace"], ["--wavelet", "bior2.2"]]
    for i, (family, dimensions) in enumerate(FAMILIES):
        for number in range(3 if dimensions == 2 else 1):
            rng = np.random.default_rng([2, final, i, number])
            size = int(rng.choice([3000, 10000, 30000, 100000]))
            points, label = family(rng, dimensions, size)
            background = int(rng.choice([0, 0.05, 0.2]) * size)
            box = rng.uniform(points.min(axis=0), points.max(axis=0), (background, dimensions))
            options = extra[i % len(extra)] if number == 2 else ()
            yield prepared(f"{family.__name__} {dimensions}d {number}", np.vstack([points, box]), np.concatenate([label, np.full(background, -1)]), rng, options)
    for name, (bounds, _) in PLACES.items():
        rng = np.random.default_rng([3, final, len(name)])
        grid, percentile = int(rng.choice(GRIDS[2])) * 2, int(rng.integers(30, 86))
        yield f"{name} {grid} {percentile}", data / f"geo/{name}.csv.gz", "lon,lat", bounds, grid, percentile, []


def rounded(rng, dimensions, size):
    points, label = mixture(rng, dimensions, size)
    return np.round(points * 40) / 40, label


def few_sets(folder: pathlib.Path):
    """Few records: (name, file, columns, bounds, grid, percentile)"""
    rng = np.random.default_rng(12)
    for family in (mixture, repeated, rounded, rings):
        for size in (2000, 5000, 12863):
            file = folder / f"few_{family.__name__}_{size}.csv"
            write(file, family(rng, 2, size)[0])
            for percentile in (0, 5, 20, 40):
                yield f"{family.__name__} {size} {percentile}", file, "x,y", "0:1,0:1", 64, percentile


def rows_of(program, file, columns, bounds, grid, threshold, techniques, epsilons, runs, classes=False, options=()):
    """{(technique, epsilon): {measure: value of every run}}. threshold: a percentile, or the option and its value."""
    rule = threshold if isinstance(threshold, tuple) else ("--percentile", threshold)
    with tempfile.NamedTemporaryFile(suffix=".csv") as rows:
        subprocess.run([program, "evaluate", file, "--columns", columns, f"--bounds={bounds}", "--grid", str(grid), *map(str, rule),
                        "--techniques", ",".join(techniques), "--epsilons", ",".join(map(str, epsilons)), "--runs",
                        str(runs), "--csv", rows.name, "--force", *([] if classes else ["--no-classifier"]), *options], check=True, stdout=subprocess.DEVNULL)
        found = collections.defaultdict(lambda: collections.defaultdict(list))
        with open(rows.name) as lines:
            for row in csv.DictReader(lines):
                point = found[row["technique"], float(row["epsilon"])]
                point["k_error"].append(abs(int(row["k"]) / int(row["k_true"]) - 1))
                for measure in ("dsgc", "ocm", "two_ce"):
                    if row[measure]:
                        point[measure].append(float(row[measure]))
    return found


def evaluate(*arguments, **options):
    """{(technique, epsilon): {measure: mean}}"""
    found = rows_of(*arguments, **options)
    return {point: {measure: float(np.mean(values)) for measure, values in by.items()} for point, by in found.items()}


def rivals(options):
    """The paper's letter knows Haar and sensitivity 1 only."""
    return PRIVATE if "--wavelet" in options or "--neighbors" in options else RIVALS


def compare(program, sets, runs_of):
    """Prints a line a set and returns [(name, ratios, ratios to the private forms, half-budget ratios)]."""
    table = []
    print(f"{'set, grid, percentile':28s}" + "".join(f"{'eps ' + str(e):>14s}" for e in EPSILONS) + "   half")
    for name, file, columns, bounds, grid, percentile, *options in sets:
        where = (program, file, columns, bounds, grid, percentile)
        options = options[0] if options else []
        runs = runs_of(grid)
        ours = evaluate(*where, ["privwave"], sorted({*EPSILONS, *(e / 2 for e in EPSILONS)}), runs, options=options)
        theirs = evaluate(*where, rivals(options), EPSILONS, runs, options=options)

        def mean(epsilon):
            return max(LEAST, ours["privwave", epsilon]["dsgc"])

        def best(of, epsilon):
            return min(max(LEAST, theirs[t, epsilon]["dsgc"]) for t in of)

        ratios = [mean(e) / best(rivals(options), e) for e in EPSILONS]
        half = [mean(e / 2) / best(rivals(options), e) for e in EPSILONS]
        table.append((name, ratios, [mean(e) / best(PRIVATE, e) for e in EPSILONS], half))
        print(f"{name:28s}" + "".join(f"{mean(e):7.4f} ({r:.2f})" for e, r in zip(EPSILONS, ratios)) + "   " +
              " ".join(f"{h:.2f}" for h in half), flush=True)
    return table


def summary(label, ratios):
    ratios = np.array(ratios)
    flat = ratios.ravel()
    print(f"{label}: geometric mean {math.exp(np.log(flat).mean()):.3f}, worst {flat.max():.2f}, above 1: {(flat > 1).sum()} of {flat.size}; "
          "by epsilon " + " ".join(f"{x:.2f}" for x in np.exp(np.log(ratios).mean(axis=0))))


def classes(program, sets, runs):
    worse = points = 0
    for name, file, columns, bounds, grid, percentile in sets:
        found = evaluate(program, file, columns, bounds, grid, percentile, ["privwave", *RIVALS], EPSILONS, runs, True)
        for measure in ("ocm", "two_ce"):
            ours = [found["privwave", e][measure] for e in EPSILONS]
            best = [min(found[t, e][measure] for t in RIVALS) for e in EPSILONS]
            worse += sum(a > b + 0.002 for a, b in zip(ours, best))
            points += len(EPSILONS)
            print(f"{name:28s} {measure:7s} privwave " + " ".join(f"{x:.3f}" for x in ours) + "   best of the paper's " +
                  " ".join(f"{x:.3f}" for x in best), flush=True)
    print(f"worse by more than 0.002: {worse} of {points}")


def sums_of(file, columns, bounds, grid):
    """The Haar sums of a set on its grid, the largest first."""
    names = np.genfromtxt(file, delimiter=",", max_rows=1, dtype=str).tolist()
    points = np.loadtxt(file, delimiter=",", skiprows=1, usecols=[names.index(c) for c in columns.split(",")])
    counts = np.zeros((grid, grid), np.int64)
    cells = []
    for axis, ends in enumerate(bounds.split(",")):
        low, high = map(float, ends.split(":"))
        x = points[:, axis]
        cells.append(np.where((x >= low) & (x <= high), np.minimum((x - low) * grid / (high - low), grid - 1), -1).astype(int))
    inside = (cells[0] >= 0) & (cells[1] >= 0)
    np.add.at(counts, (cells[0][inside], cells[1][inside]), 1)
    return np.sort(counts.reshape(grid // 2, 2, grid // 2, 2).sum(axis=(1, 3)).ravel())[::-1]


def thresholds(program, sets, runs):
    """For each set the percentile, the coverage, the density and the number of cells that have the same k in truth."""
    rules = ["percentile", "coverage", "density", "top"]
    errors, distances = (np.zeros((len(sets), len(rules), len(EPSILONS))) for _ in range(2))
    print(f"{'set, grid, percentile':24s}{'rule':>18s}   |k'/k - 1|, mean: " + " ".join(f"eps {e:<5}" for e in EPSILONS) + "  DSG_C")
    for i, (name, file, columns, bounds, grid, percentile) in enumerate(sets):
        values = sums_of(file, columns, bounds, grid)
        k = math.ceil((100 - percentile) * int((values > 0).sum()) / 100)
        covered = 100 * (values[:k].sum() - values[k - 1] / 2) / values.sum()
        given = [("--percentile", percentile), ("--coverage", round(covered, 6)), ("--density", values[k - 1] / 2), ("--top", k)]
        for j, rule in enumerate(given):
            found = evaluate(program, file, columns, bounds, grid, rule, ["privwave"], EPSILONS, runs)
            errors[i, j] = [found["privwave", e]["k_error"] for e in EPSILONS]
            distances[i, j] = [found["privwave", e]["dsgc"] for e in EPSILONS]
            print(f"{name:24s}{rules[j] + f' {rule[1]:.4g}':>18s}   " + " ".join(f"{x:.4f}" for x in errors[i, j]) + "   " +
                  " ".join(f"{x:.4f}" for x in distances[i, j]), flush=True)
    print("all sets: mean of |k'/k - 1|; geometric mean of DSG_C over that of the percentile; sets where it is larger")
    for j, rule in enumerate(rules):
        ratios = np.maximum(distances[:, j], LEAST) / np.maximum(distances[:, 0], LEAST)
        print(f"{rule:12s}" + " ".join(f"{x:.4f}" for x in errors[:, j].mean(axis=0)) + "   " +
              " ".join(f"{x:.2f}" for x in np.exp(np.log(ratios).mean(axis=0))) + "   " + " ".join(map(str, (ratios > 1.05).sum(axis=0))))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=pathlib.Path)
    parser.add_argument("study", choices=["paper", "general", "heldout", "few", "classes", "thresholds"])
    parser.add_argument("--half", choices=["choose", "final"], default="choose", help="of the held-out sets")
    parser.add_argument("--program", default=str(ROOT / "build/bin/shoal"))
    parser.add_argument("--runs", type=int, help="runs a point (paper 400; general and heldout 100, 40, 16 by size of the grid; classes and thresholds 100)")
    arguments = parser.parse_args()
    paper = [(name, arguments.data / f"shapes/{name}.csv", "x,y", *setting) for name, setting in PAPER.items()]
    with tempfile.TemporaryDirectory() as folder:
        if arguments.study == "paper":
            table = compare(arguments.program, paper, lambda grid: arguments.runs or 400)
        elif arguments.study in ("general", "heldout", "few"):
            sets = {"general": lambda: general_sets(arguments.data, pathlib.Path(folder)),
                    "heldout": lambda: heldout_sets(arguments.data, pathlib.Path(folder), arguments.half),
                    "few": lambda: few_sets(pathlib.Path(folder))}[arguments.study]()
            table = compare(arguments.program, sets, lambda grid: arguments.runs or (100 if grid <= 64 else 40 if grid <= 128 else 16))
        elif arguments.study == "thresholds":
            general = [s for s in general_sets(arguments.data, pathlib.Path(folder)) if s[1].suffix == ".csv" and s[4] <= 128][::2]
            return thresholds(arguments.program, paper + general, arguments.runs or 100)
        else:
            general = [s for s in general_sets(arguments.data, pathlib.Path(folder)) if s[4] <= 80][::3]
            return classes(arguments.program, paper + general, arguments.runs or 100)
    summary("all forms", [ratios for _, ratios, _, _ in table])
    summary("private forms", [ratios for _, _, ratios, _ in table])
    summary("half the budget", [half for _, _, _, half in table])


if __name__ == "__main__":
    main()
