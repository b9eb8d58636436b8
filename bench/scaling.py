"""Cost against points, cells and dimensions: whole private releases, timed, fitted and drawn.

  PYTHONPATH=build/python python bench/scaling.py --size full --plots docs/images
Points come in batches that are in memory and are handed over again and again, as a stream would: memory does not grow with them.
"""

from __future__ import annotations

import argparse
import itertools
import json
import pathlib
import resource
import time

import numpy as np

from shoal import _core

BATCH = 2_000_000
POINTS = {"tiny": [10**3, 10**4], "small": [10**k for k in range(4, 8)], "full": [10**k for k in range(4, 10)]}
CELLS = {"tiny": [2**10, 2**12], "small": [2**k for k in range(10, 23, 2)], "full": [2**k for k in range(10, 27, 2)]}
# Techniques that go on past the dense limit: just below it, and sparse.
LARGE = {"tiny": [2**28], "small": [2**28], "full": [11584**2, 2**28, 2**30, 2**34, 2**40]}
ROWS_FOR_CELLS = {"tiny": 10_000, "small": 1_000_000, "full": 1_000_000}
EXTENTS = {1: 65536, 2: 256, 3: 40, 4: 16, 5: 9, 6: 6, 7: 5, 8: 4}  # an axis: about 2^16 cells in all
ROWS_FOR_DIMENSIONS = {"tiny": 10_000, "small": 2_000_000, "full": 2_000_000}


def blobs(rng, rows: int, dimensions: int) -> list[np.ndarray]:
    """A few blobs on an even background."""
    centres = rng.uniform(0.2, 0.8, (dimensions, 8))
    which = rng.integers(0, 8, rows)
    columns = []
    for centre in centres:
        column = rng.random(rows)
        column[: rows * 4 // 5] = np.clip(rng.normal(centre[which[: rows * 4 // 5]], 0.03), 0, 1)
        columns.append(column)
    return columns


def seconds(batches, grid, technique: str, rounds: int) -> float:
    return timed(batches, grid, technique, rounds)[0]


def timed(batches, grid, technique: str, rounds: int) -> tuple[float, float, int]:
    """The best times of a release, by the clock and of all processors, and how many cells were significant in the last."""
    options = _core.PrivateOptions(_core.ClusterOptions(percentile=60))
    best = processor = float("inf")
    for _ in range(rounds):
        start, start_processor = time.perf_counter(), time.process_time()
        release = _core.release(iter(batches()), grid, technique, "1", options)
        best = min(best, time.perf_counter() - start)
        processor = min(processor, time.process_time() - start_processor)
        k = release.k
        del release
    return best, processor, k


def stream(pool: list[list[np.ndarray]], points: int):
    """`points` rows, batch after batch of the pool."""
    for batch in itertools.cycle(pool):
        some = min(points, len(batch[0]))
        yield [column[:some] for column in batch], None
        points -= some
        if points == 0:
            return


def over_points(size: str) -> list[tuple[float, float]]:
    rng = np.random.default_rng(7)
    pool = [blobs(rng, min(BATCH, POINTS[size][-1]), 2) for _ in range(4)]
    grid = _core.Grid([(0, 1)] * 2, [256] * 2)
    return [(n, seconds(lambda n=n: stream(pool, n), grid, "privwave", 9 if n < 10**7 else 3 if n < 10**9 else 1)) for n in POINTS[size]]


def over_cells(size: str, technique: str) -> tuple[list[tuple[float, float]], list[tuple[float, int, float]]]:
    """Also cells, k and processor seconds of each."""
    columns = blobs(np.random.default_rng(7), ROWS_FOR_CELLS[size], 2)
    result, costs = [], []
    for cells in CELLS[size] + (LARGE[size] if technique == "privwave" else []):
        side = round(cells**0.5)
        grid = _core.Grid([(0, 1)] * 2, [side] * 2)
        best, processor, k = timed(lambda: [(columns, None)], grid, technique, 5 if cells < 2**22 else 2)
        result.append((side * side, best))
        costs.append((side * side, k, processor))
    return result, costs


def shares(costs: list[tuple[float, int, float]], least: float, most: float) -> str:
    """What a cell and what a significant cell cost: a + b cells + c k, by least squares of relative errors."""
    rows = [(x, k, y) for x, k, y in costs if least <= x <= most]
    parts = np.array([[1 / y, x / y, k / y] for x, k, y in rows])
    a, b, c = np.linalg.lstsq(parts, np.ones(len(rows)), rcond=None)[0]
    off = max(abs(parts @ [a, b, c] - 1))
    listed = ", ".join(f"{k:,} of {x:,}" for x, k, _ in rows)
    return f"significant are {listed}; processor time is {a * 1e3:.1f} ms + {b * 1e9:.0f} ns a cell + {c * 1e9:.0f} ns a significant cell, within {100 * off:.0f} %"


def over_dimensions(size: str) -> list[tuple[float, float]]:
    rng = np.random.default_rng(7)
    result: list[tuple[float, float]] = []
    for dimensions, extent in EXTENTS.items():
        columns = blobs(rng, ROWS_FOR_DIMENSIONS[size], dimensions)
        grid = _core.Grid([(0, 1)] * dimensions, [extent] * dimensions)
        result.append((dimensions, seconds(lambda c=columns: [(c, None)], grid, "privwave", 5)))
    return result


def exponent(pairs: list[tuple[float, float]], least: float, most: float = float("inf")) -> float:
    """Exponent of time over size, by least squares on logarithms, over sizes from `least` to `most`; NaN if fewer than two."""
    chosen = [pair for pair in pairs if least <= pair[0] <= most]
    if len(chosen) < 2:
        return float("nan")
    x, y = np.log(chosen).T
    return float(np.polyfit(x, y, 1)[0])


def draw(folder: pathlib.Path, name: str, title: str, label: str, series: dict[str, list], log: bool) -> None:
    import matplotlib

    matplotlib.use("svg")
    matplotlib.rcParams["svg.hashsalt"] = "shoal"
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(5, 3.2), layout="constrained")
    for who, pairs in series.items():
        axes.plot(*zip(*pairs), marker="o", label=who)
    axes.set(xlabel=label, ylabel="seconds", title=title, yscale="log", xscale="log" if log else "linear")
    if not log:
        axes.set_ylim(bottom=min(pair[1] for pairs in series.values() for pair in pairs) / 3)
    axes.grid(alpha=0.3)
    axes.legend()
    folder.mkdir(parents=True, exist_ok=True)
    figure.savefig(folder / f"performance-{name}.svg", metadata={"Date": None})


def main() -> None:
    parser = argparse.ArgumentParser(description="Cost against points, cells and dimensions.")
    parser.add_argument("--size", default="small", choices=["tiny", "small", "full"])
    parser.add_argument("--json", help="write the results here")
    parser.add_argument("--curves", nargs="+", default=["points", "cells", "dimensions"], choices=["points", "cells", "dimensions"])
    parser.add_argument("--plots", type=pathlib.Path, help="draw into this folder")
    options = parser.parse_args()
    series: dict[str, dict[str, list]] = {}
    fits = {}
    if "points" in options.curves:
        points = over_points(options.size)
        series["points"] = {"privwave, 256 x 256": points}
        fits["points from 10^6 on"] = exponent(points, 10**6)
        fits["points from 10^7 on"] = exponent(points, 10**7)
    if "cells" in options.curves:
        found = {technique: over_cells(options.size, technique) for technique in ("privwave", "privqt")}
        cells = {technique: pairs for technique, (pairs, _) in found.items()}
        if options.size == "full":
            print("privwave over cells: " + shares(found["privwave"][1], 2**18, 2**27))
        series["cells"] = {f"{name}, {ROWS_FOR_CELLS[options.size]:,} points": pairs for name, pairs in cells.items()}
        fits |= {f"cells, {name}": exponent(pairs, 2**18, 2**27) for name, pairs in cells.items()}
    if "dimensions" in options.curves:
        series["dimensions"] = {f"privwave, about 2^16 cells, {ROWS_FOR_DIMENSIONS[options.size]:,} points": over_dimensions(options.size)}
    for what, curves in series.items():
        for who, pairs in curves.items():
            print(f"\nwhole release against {what}: {who}\n{what:>14} {'seconds':>10}")
            for x, y in pairs:
                print(f"{x:14,} {y:10.5f}")
    print("\nexponents of time (cells: from 2^18 up to the dense limit): " + ", ".join(f"{name} {fit:.2f}" for name, fit in fits.items()))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    print(f"largest memory of this run: {peak:.2f} GiB")
    if options.plots:
        for what, curves in series.items():
            draw(options.plots, what, f"One release against {what}", what, curves, what != "dimensions")
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps({"series": series, "exponents": fits, "peak": peak}, indent=1) + "\n")


if __name__ == "__main__":
    main()
