"""Cost against rows, cells, dimensions, units, clusters and threads: whole private releases, measured, fitted and drawn beside their limit.

  make bench TASKS=scaling                 the curves alone, on small sizes
  make bench TASKS=scaling SIZE=full       also writes them into docs/performance.md
Rows come in batches that are in memory and are handed over again and again, as a stream would: memory does not grow with them.
Each measurement has seconds by the clock, processor seconds, the memory that the release took at its peak beyond what was there before
(VmHWM of a new process), and the limit: the time in which one thread can sum the rows, set a counter and draw a random word for every cell.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import pathlib
import resource
import sys
import time

import numpy as np

from shoal import _core

sys.path.append(str(pathlib.Path(__file__).resolve().parent))
import machine

BATCH = 2_000_000
ROWS = {"tiny": [10**3, 10**4], "small": [10**k for k in range(4, 8)], "full": [10**k for k in range(5, 10)]}
CELLS = {"tiny": [2**10, 2**12], "small": [2**k for k in range(12, 23, 2)], "full": [2**k for k in range(12, 27, 2)]}
# Techniques that go on past the dense limit: just below it, and sparse.
LARGE = {"tiny": [2**28], "small": [2**28], "full": [11584**2, 2**28, 2**30, 2**34, 2**40]}
ROWS_FOR_CELLS = {"tiny": 10_000, "small": 1_000_000, "full": 1_000_000}
EXTENTS = {1: 65536, 2: 256, 3: 40, 4: 16, 5: 9, 6: 6, 7: 5, 8: 4}  # an axis: about 2^16 cells in all
ROWS_FOR_DIMENSIONS = {"tiny": 10_000, "small": 2_000_000, "full": 2_000_000}
UNITS = {"tiny": [10, 1000], "small": [10**k for k in range(1, 7)], "full": [10**k for k in range(1, 8)]}
ROWS_FOR_UNITS = {"tiny": 10_000, "small": 1_000_000, "full": 10_000_000}
CLUSTERS = {"tiny": [10, 100], "small": [10**k for k in range(1, 5)], "full": [10**k for k in range(1, 6)]}
SIDE_FOR_CLUSTERS = {"tiny": 64, "small": 1024, "full": 2048}
ROWS_FOR_THREADS = {"tiny": 10_000, "small": 5_000_000, "full": 20_000_000}
SIDE_FOR_THREADS = {"tiny": 64, "small": 1024, "full": 4096}


class Limits:
    """Seconds that one thread of this machine needs at the least."""

    def __init__(self, size: str) -> None:
        values = np.ones(1 << (16 if size == "tiny" else 24))
        words = 1 << (10 if size == "tiny" else 22)
        self.byte = machine.best(lambda: _core.internal.sum(values)) / values.nbytes
        self.word = machine.best(lambda: _core.internal.raw_words(words)) / words

    def release(self, rows: int, dimensions: int, cells: int) -> float:
        drawn = min(cells, 2**27)  # past the dense limit no cell has noise of its own
        return 8 * rows * dimensions * self.byte + (8 * self.byte + self.word) * (drawn if cells == drawn else 0)


def kilobytes(field: str) -> int:
    lines = pathlib.Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(field + ":"))


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


def measured(*what, **how) -> dict:
    """As measured_here, in a process of its own: memory that earlier releases gave back to the allocator would not be seen."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        status = 1
        try:
            os.write(write, json.dumps(measured_here(*what, **how)).encode())
            status = 0
        finally:
            os._exit(status)
    os.close(write)
    with os.fdopen(read, "rb") as pipe:
        result = pipe.read()
    if os.waitpid(child, 0)[1] != 0:
        raise RuntimeError("a measurement failed")
    return json.loads(result)


def measured_here(batches, grid, rounds: int, limit: float, technique: str = "privwave", threads: int = 0, describe: bool = False, top=None, **unit) -> dict:
    """Returns the best times of a release, its largest memory, and how many cells were significant in the last."""
    threshold = {"percentile": 60} if top is None else {"top": top}
    options = _core.PrivateOptions(_core.ClusterOptions(**threshold, threads=threads), **unit)
    result = {"seconds": float("inf"), "cpu": float("inf"), "mb": 0.0, "limit": limit}
    for _ in range(rounds):
        pathlib.Path("/proc/self/clear_refs").write_text("5")  # VmHWM starts again
        before = kilobytes("VmRSS")
        start, start_processor = time.perf_counter(), time.process_time()
        release = _core.release(iter(batches()), grid, technique, "1", options).at("")
        if describe:
            release.describe()
        result["seconds"] = min(result["seconds"], time.perf_counter() - start)
        result["cpu"] = min(result["cpu"], time.process_time() - start_processor)
        result["mb"] = max(result["mb"], (kilobytes("VmHWM") - before) / 1024)
        result["k"], result["clusters"] = release.k, release.n_clusters
        del release
    return result


def stream(pool: list[list[np.ndarray]], points: int):
    """`points` rows, batch after batch of the pool."""
    for batch in itertools.cycle(pool):
        some = min(points, len(batch[0]))
        yield [column[:some] for column in batch], None
        points -= some
        if points == 0:
            return


def square(side: int):
    return _core.Grid([(0, 1)] * 2, [side] * 2)


def over_rows(size: str, limits: Limits) -> list[dict]:
    rng = np.random.default_rng(7)
    pool = [blobs(rng, min(BATCH, ROWS[size][-1]), 2) for _ in range(4)]
    return [
        {"x": n, **measured(lambda n=n: stream(pool, n), square(256), 9 if n < 10**7 else 3 if n < 10**9 else 1, limits.release(n, 2, 2**16))}
        for n in ROWS[size]
    ]


def over_cells(size: str, limits: Limits, technique: str) -> list[dict]:
    columns = blobs(np.random.default_rng(7), ROWS_FOR_CELLS[size], 2)
    result = []
    for cells in CELLS[size] + (LARGE[size] if technique == "privwave" else []):
        side = round(cells**0.5)
        limit = limits.release(ROWS_FOR_CELLS[size], 2, side * side)
        result.append({"x": side * side, **measured(lambda: [(columns, None)], square(side), 5 if cells < 2**22 else 2, limit, technique)})
    return result


def over_dimensions(size: str, limits: Limits) -> list[dict]:
    rng = np.random.default_rng(7)
    result = []
    for dimensions, extent in EXTENTS.items():
        columns = blobs(rng, ROWS_FOR_DIMENSIONS[size], dimensions)
        grid = _core.Grid([(0, 1)] * dimensions, [extent] * dimensions)
        limit = limits.release(ROWS_FOR_DIMENSIONS[size], dimensions, extent**dimensions)
        result.append({"x": dimensions, **measured(lambda c=columns: [(c, None)], grid, 5, limit)})
    return result


def over_units(size: str, limits: Limits) -> list[dict]:
    """At most 5 rows of each unit. A unit is a number of 8 bytes, read like a column."""
    rng = np.random.default_rng(7)
    rows = ROWS_FOR_UNITS[size]
    columns = blobs(rng, rows, 2)
    result = []
    for units in UNITS[size]:
        keys = rng.integers(0, units, rows)
        batches = lambda keys=keys: [(columns, _core.Units.of_numbers(keys))]
        result.append({"x": units, **measured(batches, square(256), 2, limits.release(rows, 3, 2**16), unit="unit", max_contributions=5)})
    return result


def over_clusters(size: str, limits: Limits) -> list[dict]:
    """Clusters of one cell of W each, so many that none touches another, and described: sizes, centroids, outlines."""
    side = SIDE_FOR_CLUSTERS[size]
    result = []
    for wanted in CLUSTERS[size]:
        along = int(np.ceil(wanted**0.5))
        cell = (np.arange(along) * (side // 2 // along) + 0.5) / (side // 2)
        x, y = (part.reshape(-1)[:wanted].repeat(100) for part in np.meshgrid(cell, cell))
        grid, limit = square(side), limits.release(len(x), 2, side * side)
        one = measured(lambda x=x, y=y: [([x, y], None)], grid, 2, limit, technique="privqt", describe=True, top=wanted)
        result.append({"x": wanted, **one})
        assert one["clusters"] == wanted, (one["clusters"], wanted)
    return result


def over_threads(size: str, limits: Limits) -> list[dict]:
    """The limit is that of one thread, divided."""
    columns = blobs(np.random.default_rng(7), ROWS_FOR_THREADS[size], 2)
    cores = os.cpu_count() or 1
    side = SIDE_FOR_THREADS[size]
    limit = limits.release(ROWS_FOR_THREADS[size], 2, side * side)
    return [
        {"x": threads, **measured(lambda: [(columns, None)], square(side), 3, limit / threads, threads=threads, describe=True)}
        for threads in sorted({*(2**k for k in range(11) if 2**k <= cores), cores})
    ]


def shares(rows: list[dict], least: float, most: float) -> str:
    """What a cell and what a significant cell cost: a + b cells + c k, by least squares of relative errors."""
    rows = [row for row in rows if least <= row["x"] <= most]
    parts = np.array([[1 / row["cpu"], row["x"] / row["cpu"], row["k"] / row["cpu"]] for row in rows])
    a, b, c = np.linalg.lstsq(parts, np.ones(len(rows)), rcond=None)[0]
    off = max(abs(parts @ [a, b, c] - 1))
    listed = ", ".join(f"{row['k']:,} of {row['x']:,}" for row in rows)
    return f"significant are {listed}; processor time is {a * 1e3:.1f} ms + {b * 1e9:.0f} ns a cell + {c * 1e9:.0f} ns a significant cell, within {100 * off:.0f} %"


def exponent(rows: list[dict], least: float, most: float = float("inf")) -> float:
    """Exponent of time over size, by least squares on logarithms, over sizes from `least` to `most`; NaN if fewer than two."""
    chosen = [(row["x"], row["seconds"]) for row in rows if least <= row["x"] <= most]
    if len(chosen) < 2:
        return float("nan")
    x, y = np.log(chosen).T
    return float(np.polyfit(x, y, 1)[0])


def draw(folder: pathlib.Path, name: str, curves: dict[str, list[dict]]) -> None:
    """Time with its limit above, memory below."""
    import matplotlib

    matplotlib.use("svg")
    matplotlib.rcParams["svg.hashsalt"] = "shoal"
    from matplotlib import pyplot

    figure, (times, memory) = pyplot.subplots(2, figsize=(5, 5), layout="constrained", sharex=True, height_ratios=(2, 1))
    for number, (who, rows) in enumerate(curves.items()):
        x = [row["x"] for row in rows]
        times.plot(x, [row["seconds"] for row in rows], marker="o", color=f"C{number}", label=who)
        memory.plot(x, [max(row["mb"], 0.1) for row in rows], marker="o", color=f"C{number}")
    longest = max(curves.values(), key=len)
    dense = [row for row in longest if row["x"] <= 2**27 or name != "cells"]
    times.plot([row["x"] for row in dense], [row["limit"] for row in dense], color="gray", linestyle="--", label="limit")
    linear = name in ("dimensions", "threads")
    times.set(ylabel="seconds", title=f"One release against {name}", yscale="log", xscale="linear" if linear else "log")
    memory.set(xlabel=name, ylabel="MB", yscale="log")
    for axes in (times, memory):
        axes.grid(alpha=0.3)
    times.legend()
    folder.mkdir(parents=True, exist_ok=True)
    figure.savefig(folder / f"performance-{name}.svg", metadata={"Date": None})
    pyplot.close(figure)


def curves_of(what: str, size: str, limits: Limits) -> dict[str, list[dict]]:
    if what == "rows":
        return {"privwave, 256 x 256": over_rows(size, limits)}
    if what == "cells":
        return {f"{name}, {ROWS_FOR_CELLS[size]:,} rows": over_cells(size, limits, name) for name in ("privwave", "privqt")}
    if what == "dimensions":
        return {f"privwave, about 2^16 cells, {ROWS_FOR_DIMENSIONS[size]:,} rows": over_dimensions(size, limits)}
    if what == "units":
        return {f"privwave, 256 x 256, {ROWS_FOR_UNITS[size]:,} rows, 5 of each unit": over_units(size, limits)}
    side = {"clusters": SIDE_FOR_CLUSTERS, "threads": SIDE_FOR_THREADS}[what][size]
    if what == "clusters":
        return {f"privqt, {side} x {side}, described": over_clusters(size, limits)}
    return {f"privwave, {side} x {side}, {ROWS_FOR_THREADS[size]:,} rows, described": over_threads(size, limits)}


def main() -> None:
    every = ["rows", "cells", "dimensions", "units", "clusters", "threads"]
    parser = argparse.ArgumentParser(description="Cost against " + ", ".join(every) + ".")
    parser.add_argument("--size", default="small", choices=["tiny", "small", "full"])
    parser.add_argument("--json", help="write the results here")
    parser.add_argument("--curves", nargs="+", default=every, choices=every)
    parser.add_argument("--plots", type=pathlib.Path, help="draw into this folder")
    options = parser.parse_args()
    load, limits = os.getloadavg()[0], Limits(options.size)
    series = {what: curves_of(what, options.size, limits) for what in options.curves}
    fits: dict[str, float] = {}
    for what, least, most in (("rows", 10**6, float("inf")), ("cells", 2**18, 2**27)):
        fits |= {f"{what}, {who.partition(',')[0]}": exponent(rows, least, most) for who, rows in series.get(what, {}).items()}
    if options.size == "full" and "cells" in series:
        print("privwave over cells: " + shares(next(iter(series["cells"].values())), 2**18, 2**27))
    for what, curves in series.items():
        for who, rows in curves.items():
            print(f"\nwhole release against {what}: {who}\n{what:>17} {'seconds':>10} {'cpu s':>10} {'MB':>8} {'limit s':>10}")
            for row in rows:
                print(f"{row['x']:17,} {row['seconds']:10.5f} {row['cpu']:10.5f} {row['mb']:8.1f} {row['limit']:10.5f}")
    print("\nexponents of time (at least 10^6 rows; 2^18 cells up to the dense limit): " + ", ".join(f"{name} {fit:.2f}" for name, fit in fits.items()))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    print(f"largest memory of this run: {peak:.2f} GiB, load when it began: {load:.1f} on {os.cpu_count()} cores")
    if options.plots:
        for what, curves in series.items():
            draw(options.plots, what, curves)
    if options.json:
        about = {"processor": machine.processor(), "cores": os.cpu_count(), "load": load, "size": options.size}
        pathlib.Path(options.json).write_text(json.dumps({"machine": about, "series": series, "exponents": fits, "peak": peak}, indent=1) + "\n")


if __name__ == "__main__":
    main()
