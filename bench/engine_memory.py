"""Peak memory of the program over the number of rows, through each engine: it must not grow with the rows.

  PYTHONPATH=build/python .venv/bin/python bench/engine_memory.py [MOST]     MOST: rows of the longest run; 10000000
"""

import importlib.util
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).parent
SPEC = importlib.util.spec_from_file_location("engines_task", HERE / "engines" / "task.py")
task = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(task)
PROGRAM = HERE.parent / "build" / "bin" / "shoal"


def peak(words: list) -> float:
    """Peak memory in MB."""
    options = ["--columns", "x,y", "--bounds", "0:1,0:1", "--grid", "64", "--json", os.devnull]
    program = subprocess.Popen([PROGRAM, "cluster", *map(str, words), *options], stdout=subprocess.DEVNULL)
    most = 0
    while program.poll() is None:  # what wait4 tells is no less than the memory of this script
        found = re.search(r"VmHWM:\s+(\d+)", pathlib.Path(f"/proc/{program.pid}/status").read_text())
        most = max(most, int(found[1]) if found else 0)
        time.sleep(0.005)
    assert program.returncode == 0
    return most / 1000


def main() -> None:
    most = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000_000
    from engines import Server

    server = Server()
    print(f"{'rows':>12} {'Parquet MB':>12} {'PostgreSQL MB':>14}")
    try:
        with tempfile.TemporaryDirectory() as folder:
            first = pathlib.Path(folder) / "0.parquet"
            task.write(first, task.PART, groups=10)  # work for both threads from the first file on
            server.ask("create view points as select random() as x, random() as y from generate_series(1, 1000) a, generate_series(1, 1000) b")
            rows = task.PART
            while rows <= most:
                for i in range(1, rows // task.PART):  # one file under many names
                    if not (name := first.with_name(f"{i}.parquet")).exists():
                        os.link(first, name)
                many = rows // task.PART
                sql = f"select x, y from points, generate_series(1, {many}) c"
                print(f"{rows:12} {peak([first.with_name('*.parquet')]):12.0f} {peak([server.address, '--sql', sql]):14.0f}", flush=True)
                rows *= 10
    finally:
        server.close()


main()
