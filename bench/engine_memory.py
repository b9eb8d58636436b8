"""Peak memory of the program over the number of rows, through each engine: it must not grow with the rows.

  PYTHONPATH=build/python .venv/bin/python bench/engine_memory.py [MOST]     MOST: rows of the longest run; 10000000
"""

import importlib.util
import os
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).parent
SPEC = importlib.util.spec_from_file_location("engines_task", HERE / "engines" / "task.py")
task = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(task)
PROGRAM = HERE.parent / "build" / "bin" / "shoal"


def peak(words: list) -> float:
    """Peak memory in MB."""
    options = ["--columns", "x,y", "--bounds", "0:1,0:1", "--grid", "1024", "--json", os.devnull]
    program = subprocess.Popen([PROGRAM, "cluster", *map(str, words), *options], stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(program.pid, 0)
    assert status == 0
    return usage.ru_maxrss / 1000


def main() -> None:
    most = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000_000
    from engines import Server

    server = Server()
    print(f"{'rows':>12} {'Parquet MB':>12} {'PostgreSQL MB':>14}")
    try:
        with tempfile.TemporaryDirectory() as folder:
            rows = 1_000_000
            while rows <= most:
                path = pathlib.Path(folder) / "points.parquet"
                task.write(path, rows)
                server.ask("drop table if exists points")
                server.ask(f"create unlogged table points as select random() as x, random() as y from generate_series(1, {rows})")
                print(f"{rows:12} {peak([path]):12.0f} {peak([server.address, '--table', 'points']):14.0f}", flush=True)
                rows *= 10
    finally:
        server.close()


main()
