"""What a call from Python costs beyond the C++ work that it does: the estimator against the bare calls of the module.

  PYTHONPATH=build/python python bench/python/overhead.py
"""

from __future__ import annotations

import time

import numpy as np

import shoal
from shoal import _core

X = np.asfortranarray(np.random.default_rng(1).random((200, 2)))
COLUMNS = [X[:, 0], X[:, 1]]


def microseconds(calls, repeats: int = 3000) -> list[float]:
    """Medians, the calls taken in turn: what else runs on the machine hits all of them alike."""
    times = np.empty((repeats, len(calls)))
    for row in times:
        for i, call in enumerate(calls):
            start = time.perf_counter()
            call()
            row[i] = time.perf_counter() - start
    return [float(median * 1e6) for median in np.median(times, axis=0)]


def bare_fit():
    grid = _core.Grid([(0, 1)] * 2, [16, 16])
    counts = _core.quantize(COLUMNS, grid, threads=1)
    options = _core.ClusterOptions(percentile=30, threads=1)
    found = _core.wavecluster(counts, options)
    return _core.ClusterMap(grid, options, found.clusters).label(COLUMNS)


def bare_release():
    grid = _core.Grid([(0, 1)] * 2, [16, 16])
    options = _core.PrivateOptions(_core.ClusterOptions(percentile=30, threads=1))
    release = _core.release(iter([(COLUMNS, None)]), grid, "privqt", "1", options)
    return _core.map_of(release).label(COLUMNS)


def main() -> None:
    plain = shoal.WaveCluster(bounds=(0, 1), grid=16, percentile=30, threads=1).fit(X)
    assert np.array_equal(plain.labels_, bare_fit().astype(np.int64) - 1)
    private = shoal.PrivateWaveCluster(epsilon=1, bounds=(0, 1), grid=16, percentile=30, threads=1).fit(X)
    map_ = _core.map_of(private.release_._core)
    private_qt = shoal.PrivateWaveCluster(epsilon=1, bounds=(0, 1), grid=16, percentile=30, technique="privqt", threads=1)
    label = lambda: map_.label(COLUMNS)  # noqa: E731
    rows = [
        ("WaveCluster.fit", lambda: plain.fit(X), bare_fit),
        ("PrivateWaveCluster.fit", lambda: private_qt.fit(X), bare_release),
        ("WaveCluster.predict", lambda: plain.predict(X), label),
        ("Release.predict", lambda: private.release_.predict(X), label),
    ]
    print(f"{'call':24} {'Python':>10} {'bare':>10} {'overhead':>10}   microseconds, 200 points")
    for name, *calls in rows:
        ours, bare = microseconds(calls)
        print(f"{name:24} {ours:10.1f} {bare:10.1f} {ours - bare:10.1f}")


if __name__ == "__main__":
    main()
