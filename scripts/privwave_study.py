#!/usr/bin/env python3
"""privwave beside the paper's techniques, by `shoal evaluate`: the figures of docs/privwave.md.

  scripts/privwave_study.py DATA paper     DS1, DS2, DS3, 400 runs
  scripts/privwave_study.py DATA general   other shapes enlarged to about 30,000 points, check-ins, pick-ups, count grids
  scripts/privwave_study.py DATA classes   OCM and 2CE

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
RIVALS = PRIVATE + ["privthr-literal-not-private", "privthr-em-literal-not-private"]
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


def evaluate(program, file, columns, bounds, grid, percentile, techniques, epsilons, runs, classes=False):
    """{(technique, epsilon): {measure: mean}}"""
    with tempfile.NamedTemporaryFile(suffix=".csv") as rows:
        subprocess.run([program, "evaluate", file, "--columns", columns, f"--bounds={bounds}", "--grid", str(grid), "--percentile",
                        str(percentile), "--techniques", ",".join(techniques), "--epsilons", ",".join(map(str, epsilons)), "--runs",
                        str(runs), "--csv", rows.name, *([] if classes else ["--no-classifier"])], check=True, stdout=subprocess.DEVNULL)
        found = collections.defaultdict(lambda: collections.defaultdict(list))
        with open(rows.name) as lines:
            for row in csv.DictReader(lines):
                for measure in ("dsgc", "ocm", "two_ce"):
                    if row[measure]:
                        found[row["technique"], float(row["epsilon"])][measure].append(float(row[measure]))
    return {point: {measure: float(np.mean(values)) for measure, values in by.items()} for point, by in found.items()}


def compare(program, sets, runs_of):
    """Prints a line a set and returns [(name, ratios, ratios to the private forms, half-budget ratios)]."""
    table = []
    print(f"{'set, grid, percentile':28s}" + "".join(f"{'eps ' + str(e):>14s}" for e in EPSILONS) + "   half")
    for name, file, columns, bounds, grid, percentile in sets:
        where = (program, file, columns, bounds, grid, percentile)
        runs = runs_of(grid)
        ours = evaluate(*where, ["privwave"], sorted({*EPSILONS, *(e / 2 for e in EPSILONS)}), runs)
        theirs = evaluate(*where, RIVALS, EPSILONS, runs)

        def mean(epsilon):
            return max(LEAST, ours["privwave", epsilon]["dsgc"])

        def best(of, epsilon):
            return min(max(LEAST, theirs[t, epsilon]["dsgc"]) for t in of)

        ratios = [mean(e) / best(RIVALS, e) for e in EPSILONS]
        half = [mean(e / 2) / best(RIVALS, e) for e in EPSILONS]
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


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=pathlib.Path)
    parser.add_argument("study", choices=["paper", "general", "classes"])
    parser.add_argument("--program", default=str(ROOT / "build/bin/shoal"))
    parser.add_argument("--runs", type=int, help="runs a point (paper 400; general 200, 80, 30 by size of the grid; classes 20)")
    arguments = parser.parse_args()
    paper = [(name, arguments.data / f"shapes/{name}.csv", "x,y", *setting) for name, setting in PAPER.items()]
    with tempfile.TemporaryDirectory() as folder:
        if arguments.study == "paper":
            table = compare(arguments.program, paper, lambda grid: arguments.runs or 400)
        elif arguments.study == "general":
            table = compare(arguments.program, general_sets(arguments.data, pathlib.Path(folder)),
                            lambda grid: arguments.runs or (200 if grid <= 64 else 80 if grid <= 128 else 30))
        else:
            general = [s for s in general_sets(arguments.data, pathlib.Path(folder)) if s[4] <= 80][::3]
            return classes(arguments.program, paper + general, arguments.runs or 20)
    summary("all forms", [ratios for _, ratios, _, _ in table])
    summary("private forms", [ratios for _, _, ratios, _ in table])
    summary("half the budget", [half for _, _, _, half in table])


if __name__ == "__main__":
    main()
