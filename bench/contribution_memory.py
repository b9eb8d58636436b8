"""Peak memory of bounding, beyond the rows themselves: a million units in ten million rows, on 1024 x 1024 cells.

PYTHONPATH=build/python .venv/bin/python bench/contribution_memory.py [THREADS]
"""

import pathlib
import re
import sys
import time

import harness

task = harness.load(harness.HERE / "contributions/task.py")
ours = harness.load(harness.HERE / "contributions/shoal_all.py")


def resident(name: str) -> float:
    """In MB."""
    return int(re.search(rf"{name}:\s+(\d+)", pathlib.Path("/proc/self/status").read_text())[1]) / 1000


def main() -> None:
    threads = int(sys.argv[1]) if len(sys.argv) > 1 else 2
    data = task.setup("full", task.CASES[0])
    before, started = resident("VmRSS"), time.process_time()
    pathlib.Path("/proc/self/clear_refs").write_text("5")  # the peak begins anew
    ours.run(data, threads)
    print(f"{resident('VmHWM') - before:.0f} MB, {time.process_time() - started:.2f} s of processor time, {threads} threads")


main()
