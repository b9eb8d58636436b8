"""What the machine can do at all: the figures that limits are made of."""

from __future__ import annotations

import os
import pathlib
import threading
import time

import numpy as np

from shoal import _core

BYTES = 1 << 28
WORDS = 1 << 24
BUSY = " (busy: other work took most of the cores, so rows of two threads and of whole releases do not show what two free cores give)"


def best(run, rounds: int = 5) -> float:
    seconds = []
    for _ in range(rounds):
        start = time.perf_counter()
        run()
        seconds.append(time.perf_counter() - start)
    return min(seconds)


def twice(run) -> None:
    other = threading.Thread(target=run)
    other.start()
    run()
    other.join()


def processor() -> str:
    for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return "unknown"


def describe() -> dict[str, str]:
    """Name of the processor, its cores, bandwidths and random words a second on one thread, and what a second thread adds."""
    values = np.ones(BYTES // 8)
    other = np.empty_like(values)
    read = best(lambda: _core.internal.sum(values))
    copy = best(lambda: np.copyto(other, values))
    words = best(lambda: _core.internal.raw_words(WORDS))
    two_reads = best(lambda: twice(lambda: _core.internal.sum(values)))
    two_words = best(lambda: twice(lambda: _core.internal.raw_words(WORDS)))
    return {
        "processor": f"{processor()}, {os.cpu_count()} cores",
        "load when the run began": f"{os.getloadavg()[0]:.1f}" + (BUSY if os.getloadavg()[0] >= os.cpu_count() else ""),
        "plain sum": f"{BYTES / read / 1e9:.1f} GB/s",
        "plain copy": f"{BYTES / copy / 1e9:.1f} GB/s copied",
        "AES-256-CTR": f"{WORDS / words / 1e6:.0f} M words/s",
        "two threads": f"{2 * words / two_words:.2f} x one for AES, {2 * read / two_reads:.2f} x for the sum",
    }
