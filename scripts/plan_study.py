#!/usr/bin/env python3
"""Is what `shoal plan` says right? Plans beside what `shoal evaluate` measures on real sets.

  scripts/plan_study.py DATA [--runs 4]

DATA: a folder with shapes/ as published. For each set, grid and epsilon: the DSG_C that is planned, its interval, and the mean that is measured.
Not private: the data is looked at.
"""

from __future__ import annotations

import argparse
import csv
import json
import pathlib
import subprocess

SHOAL = pathlib.Path(__file__).resolve().parents[1] / "build/bin/shoal"
SETS = ["paper_ds1", "paper_ds2", "paper_ds3", "s2", "s4", "unbalance", "chameleon_t4_8k", "chameleon_t7_10k", "d31", "birch1"]
SETTINGS = [("--grid", "64", "--percentile", "58"), ("--grid", "32", "--percentile", "40")]
EPSILONS = "0.1,0.5,1"


def facts(*words: str) -> dict:
    return json.loads(subprocess.run([str(SHOAL), *words, "--json", "-"], check=True, capture_output=True, text=True).stdout)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=pathlib.Path)
    parser.add_argument("--runs", type=int, default=4)
    arguments = parser.parse_args()
    within = cases = 0
    for name in SETS:
        path = arguments.data / "shapes" / f"{name}.csv"
        with path.open() as file:
            points = [(float(row["x"]), float(row["y"])) for row in csv.DictReader(file)]
        xs, ys = zip(*points)
        bounds = f"{min(xs)}:{max(xs)},{min(ys)}:{max(ys)}"
        for setting in SETTINGS:
            public = ["--bounds", bounds, *setting, "--epsilons", EPSILONS]
            planned = facts("plan", "--records", str(len(points)), *public)["epsilons"]
            measured = facts("evaluate", str(path), "--columns", "x,y", *public, "--techniques", "privwave", "--runs", str(arguments.runs), "--no-classifier")
            for plan in planned:
                values = [row["dsgc"] for row in measured["rows"] if float(row["epsilon"]) == plan["epsilon"]]
                mean = sum(values) / len(values)
                inside = plan["dsgc"]["low"] <= mean <= plan["dsgc"]["high"]
                cases += 1
                within += inside
                print(f"{name:18} grid {setting[1]} percentile {setting[3]} epsilon {plan['epsilon']:<4} planned {plan['dsgc']['mean']:.3f} "
                      f"({plan['dsgc']['low']:.3f} to {plan['dsgc']['high']:.3f}), measured {mean:.3f}{'' if inside else '  OUTSIDE'}", flush=True)
    print(f"{within} of {cases} within the interval")


if __name__ == "__main__":
    main()
