"""Which base measure and which default Max suit privthr-em: prints the table of docs/techniques.md.

usage: threshold_base.py DIR [RUNS]      DIR holds paper_ds1.csv, paper_ds2.csv, paper_ds3.csv

A study in numpy on the paper's sets, not private: level 1 Haar, alpha 0.7. A figure is the mean over runs of
|S xor S'| / k, S the significant cells of WaveCluster and S' those of privthr-em, as a geometric mean over the sets and
epsilons; smaller is better.
"""

import math
import pathlib
import sys

import numpy as np

SETS = {  # bounds, cells an axis, percentile
    "paper_ds1": ((20406, 963766), (51397, 972357), 64, 58),
    "paper_ds2": ((90045, 964445), (87019, 955419), 40, 10),
    "paper_ds3": ((100504, 1097128), (58503, 875127), 36, 23),
}
EPSILONS = (0.1, 0.25, 0.5, 1.0, 2.0)
ALPHA = 0.7


def counts_of(folder, name):
    x_bounds, y_bounds, cells, percentile = SETS[name]
    points = np.loadtxt(folder / f"{name}.csv", delimiter=",", skiprows=1, usecols=(0, 1))
    return np.histogram2d(*points.T, bins=cells, range=(x_bounds, y_bounds))[0].astype(np.int64), percentile


def haar(counts):
    return counts[0::2, 0::2] + counts[1::2, 0::2] + counts[0::2, 1::2] + counts[1::2, 1::2]


def discrete_laplace(rng, epsilon, shape):
    chance = 1 - math.exp(-epsilon)
    return rng.geometric(chance, shape) - rng.geometric(chance, shape)


def thresholds(rng, positives, k, epsilon, largest, shift, draws):
    """Draws by the exponential mechanism on {1, ..., largest}; shift None: uniform base, else 1 / (x + shift)."""
    to_mass = (lambda x: x) if shift is None else (lambda x: np.log(x + shift))
    from_mass = (lambda m: m) if shift is None else (lambda m: np.exp(m) - shift)
    ordered = np.sort(positives)
    ends = np.unique(np.append(np.minimum(ordered, largest), largest)).astype(float)
    starts = np.concatenate([[0.0], ends[:-1]])
    rank = len(ordered) - np.searchsorted(ordered, ends, "left")
    mass = to_mass(ends) - to_mass(starts)
    logarithm = np.log(mass) - epsilon * np.abs(rank - k) / 2
    weight = np.exp(logarithm - logarithm.max())
    run = rng.choice(len(weight), draws, p=weight / weight.sum())
    return np.maximum(1, np.ceil(from_mass(to_mass(starts[run]) + rng.random(draws) * mass[run])))


def main():
    folder = pathlib.Path(sys.argv[1])
    runs = int(sys.argv[2]) if len(sys.argv) > 2 else 400
    rng = np.random.default_rng(1)
    choices = [("uniform, the data's own Max (not private)", None, None)]
    choices += [(f"uniform, Max 2^{e}", None, 2**e) for e in (10, 16, 20)]
    choices += [(f"1/(x + {s}), Max 2^{e}", s, 2**e) for e in (16, 20, 30) for s in (1, 16, 64, 256)]
    figures = {choice: [] for choice in choices}
    for name in SETS:
        counts, percentile = counts_of(folder, name)
        sums = haar(counts)
        positives = sums[sums > 0]
        k = math.ceil((100 - percentile) * len(positives) / 100)
        truth = sums >= np.sort(positives)[-k]
        for epsilon in EPSILONS:
            noisy = [haar(counts + discrete_laplace(rng, ALPHA * epsilon, counts.shape)) for _ in range(runs)]
            for choice in choices:
                largest = int(positives.max()) if choice[2] is None else choice[2]
                drawn = thresholds(rng, positives, k, (1 - ALPHA) * epsilon, largest, choice[1], runs)
                wrong = [((w >= d) ^ truth).sum() / k for w, d in zip(noisy, drawn)]
                figures[choice].append(np.mean(wrong))
    print(f"{'base and Max':44} all   eps " + "  ".join(f"{e:5}" for e in EPSILONS))
    for choice, found in figures.items():
        table = np.log(np.array(found)).reshape(len(SETS), len(EPSILONS))
        print(f"{choice[0]:44} {np.exp(table.mean()):.3f}     " + "  ".join(f"{v:.3f}" for v in np.exp(table.mean(0))))


if __name__ == "__main__":
    main()
