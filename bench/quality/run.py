#!/usr/bin/env python3
"""How close labels come to the published ones, ours beside peers: the table of docs/quality.md.

  PYTHONPATH=build/python bench/quality/run.py DATA [--jitter uniform] [--epsilons 0.1,0.5,1] [--runs 3] [--only FILE,FILE]

A contender is a file: NAME, PRIVATE, labels(points, bounds, epsilon, seed) -> a label for every point, where less than 0 is unclustered; optionally
NEEDS (modules). None knows the published labels: every parameter follows from epsilon, bounds and number of points. All points are scored, the
unclustered ones as a class of their own. ARI and AMI: means over the sets, with 95 % intervals by 2,000 resamples of the sets. A contender that is
not private runs once.
"""

from __future__ import annotations

import argparse
import pathlib
import sys
import warnings

import numpy as np
from sklearn.metrics import adjusted_mutual_info_score, adjusted_rand_score

HERE = pathlib.Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

import sets  # noqa: E402

import harness  # noqa: E402


def contenders(only: set[str]) -> dict:
    found = {}
    for path in sorted(HERE.glob("*.py"), key=lambda p: (not p.stem.startswith("shoal"), p.stem)):
        if path.stem in ("run", "sampled", "sets") or (only and path.stem not in only):
            continue
        module = harness.load(path)
        if not harness.is_available(module):
            print(f"{path.stem}: not installed, left out (scripts/bootstrap bench)")
            continue
        found[path.stem] = module
    return found


def scores(module, points, truth, bounds, epsilon, runs) -> tuple[float, float]:
    """Means over the runs."""
    each = []
    for seed in range(runs if module.PRIVATE else 1):
        labels = np.asarray(module.labels(points, bounds, epsilon, seed))
        assert labels.shape == truth.shape, "a label for every point"
        labels = np.where(labels < 0, -1, labels)
        each.append((adjusted_rand_score(truth, labels), adjusted_mutual_info_score(truth, labels)))
    return tuple(np.mean(each, axis=0))


def interval(values: np.ndarray) -> str:
    rng = np.random.default_rng(1)
    means = values[rng.integers(0, len(values), (2000, len(values)))].mean(axis=1)
    return f"{values.mean():.3f} [{np.quantile(means, 0.025):.2f}, {np.quantile(means, 0.975):.2f}]"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=pathlib.Path)
    parser.add_argument("--jitter", default="uniform", choices=list(sets.JITTERS))
    parser.add_argument("--epsilons", default="0.1,0.5,1")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--only", default="")
    parser.add_argument("--sets", default="", help="names of sets, comma-separated (default: all)")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    names = set(filter(None, options.sets.split(",")))
    chosen = [one for one in sets.all_sets(options.data, options.jitter) if not names or one[0] in names]
    found = contenders(set(filter(None, options.only.split(","))))
    by_set: dict[str, dict[str, float]] = {}
    print(f"{len(chosen)} sets, jitter {options.jitter}\n{'contender':34} {'epsilon':>8} {'ARI':>20} {'AMI':>20}", flush=True)
    for module in found.values():
        for epsilon in options.epsilons.split(",") if module.PRIVATE else ["none"]:
            value = float(epsilon) if module.PRIVATE else 0.0
            each = np.array([scores(module, points, truth, bounds, value, options.runs) for _, points, truth, bounds in chosen])
            print(f"{module.NAME:34} {epsilon:>8} {interval(each[:, 0]):>20} {interval(each[:, 1]):>20}", flush=True)
            by_set[f"{module.NAME}, {epsilon}"] = dict(zip((one[0] for one in chosen), each[:, 0], strict=True))
    ours = [name for name in by_set if name.startswith("shoal")]
    for name in ours:
        for other, values in by_set.items():
            same = other.split(", ")[-1] in (name.split(", ")[-1], "none")
            lost = [f"{one} {by_set[name][one]:.2f} against {value:.2f}" for one, value in values.items() if value > by_set[name][one] + 0.05]
            if other not in ours and same and lost:
                print(f"{name} loses to {other}: {'; '.join(lost)}")


if __name__ == "__main__":
    main()
