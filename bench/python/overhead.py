"""What a call from Python costs beyond the C++ work that it does: the estimators against one method each of the module
that does the same work on the same points and hands nothing back. The target: below 50 microseconds.

  PYTHONPATH=build/python python bench/python/overhead.py
"""

from __future__ import annotations

import time
import warnings

import numpy as np

import shoal
from shoal import _core

TARGET = 50.0
warnings.simplefilter("ignore", shoal.PrivacyBudgetWarning)  # the points are generated, so no budget protects anybody
X = np.random.default_rng(1).random((200, 2))


def microseconds(calls, repeats: int = 3000) -> list[float]:
    """Medians, the calls taken in turn: what else runs on the machine hits all of them alike."""
    times = np.empty((repeats, len(calls)))
    for row in times:
        for i, call in enumerate(calls):
            start = time.perf_counter()
            call()
            row[i] = time.perf_counter() - start
    return [float(median * 1e6) for median in np.median(times, axis=0)]


def main() -> None:
    bare = _core.internal.Bare([X[:, 0], X[:, 1]], "privqt")
    plain = shoal.WaveCluster(bounds=(0, 1), grid=16, percentile=30, threads=1).fit(X)
    assert np.array_equal(plain.labels_, np.asarray(bare.labels, np.int64) - 1)
    private = shoal.PrivateWaveCluster(epsilon=1, bounds=(0, 1), grid=16, percentile=30, technique="privqt", threads=1).fit(X)
    assert np.array_equal(private.labels_, private.release_.predict(X))
    release = private.release_
    rows = [
        ("WaveCluster.fit", lambda: plain.fit(X), bare.fit),
        ("PrivateWaveCluster.fit", lambda: private.fit(X), bare.release),
        ("WaveCluster.predict", lambda: plain.predict(X), bare.predict),
        ("PrivateWaveCluster.predict", lambda: private.predict(X), bare.predict),
        ("Release.predict", lambda: release.predict(X), bare.predict),
    ]
    print(f"{'call':26} {'Python':>10} {'C++':>10} {'overhead':>10}   microseconds, 200 points")
    most = 0.0
    for name, *calls in rows:
        ours, alone = microseconds(calls)
        most = max(most, ours - alone)
        print(f"{name:26} {ours:10.1f} {alone:10.1f} {ours - alone:10.1f}")
    print(f"target: below {TARGET:.0f} microseconds of overhead a call: {'met' if most < TARGET else 'MISSED'} (the most is {most:.1f})")


if __name__ == "__main__":
    main()
