"""A release of rows that come through a pipe: time and largest memory of the program against the number of rows.

  python bench/pipe.py --rows 1000000 1000000000
The writer makes 100,000 rows of two columns with 17 decimals and writes them again and again, so that reading is what is measured.
"""

from __future__ import annotations

import argparse
import fcntl
import os
import pathlib
import random
import subprocess
import tempfile
import time

PART = 100_000
F_SETPIPE_SZ = 1031  # Linux; Python names it from 3.10 on
OPTIONS = ["--columns", "x,y", "--bounds", "0:1,0:1", "--grid", "256", "--percentile", "50", "--epsilon", "1"]


def blobs() -> bytes:
    """Rows around eight centres, on an even background."""
    rng = random.Random(17)
    centres = [(rng.uniform(0.2, 0.8), rng.uniform(0.2, 0.8)) for _ in range(8)]
    rows = []
    for i in range(PART):
        x, y = (rng.random(), rng.random()) if i % 5 == 0 else (rng.gauss(c, 0.03) % 1 for c in rng.choice(centres))
        rows.append(f"{x:.17f},{y:.17f}\n")
    return "".join(rows).encode()


def released(program: pathlib.Path, part: bytes, rows: int) -> tuple[float, float, int]:
    """Seconds by the clock and of the processors, and the largest memory in bytes, of the program alone."""
    with tempfile.TemporaryDirectory() as folder:
        start = time.perf_counter()
        process = subprocess.Popen([program, "release", "-", *OPTIONS, "-o", f"{folder}/r.json"], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL)
        fcntl.fcntl(process.stdin, F_SETPIPE_SZ, 1 << 20)
        with process.stdin as pipe:
            pipe.write(b"x,y\n")
            for _ in range(rows // PART):
                pipe.write(part)
        _, status, usage = os.wait4(process.pid, 0)
        if status != 0:
            raise SystemExit(f"the program ended with status {status}")
        return time.perf_counter() - start, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024


def main() -> None:
    parser = argparse.ArgumentParser(description="Rows through a pipe into shoal release -.")
    parser.add_argument("--rows", type=int, nargs="+", default=[10**6, 10**7])
    parser.add_argument("--program", type=pathlib.Path, default=pathlib.Path("build/bin/shoal"))
    options = parser.parse_args()
    part = blobs()
    print(f"{'rows':>14} {'GB':>8} {'seconds':>9} {'processor s':>12} {'rows/s':>11} {'MB largest':>11}")
    for rows in options.rows:
        if rows % PART != 0:
            raise SystemExit(f"--rows {rows}: choose multiples of {PART}")
        seconds, processor, memory = released(options.program, part, rows)
        print(f"{rows:14,} {rows / PART * len(part) / 1e9:8.2f} {seconds:9.1f} {processor:12.1f} {rows / seconds:11.3g} {memory / 1e6:11.1f}", flush=True)


if __name__ == "__main__":
    main()
