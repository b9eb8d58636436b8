"""Peak memory of the program over the number of rows, through each engine: it must not grow with the rows.

  PYTHONPATH=build/python .venv/bin/python bench/engine_memory.py [MOST [CELLS]]     MOST: rows of the longest run, 10000000; CELLS: of each axis, 64
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
# Starts the program from a small process: the peak that the system reports includes that of the parent process.
LAUNCH = """import os, sys
done, usage = os.wait4(os.posix_spawn(sys.argv[1], sys.argv[1:], os.environ), 0)[1:]
print(usage.ru_maxrss)
sys.exit(os.waitstatus_to_exitcode(done))"""


def peak(words: list, cells: str) -> float:
    """Peak memory in MB."""
    options = ["--columns", "x,y", "--bounds", "0:1,0:1", "--grid", cells, "--json", os.devnull]
    words = [sys.executable, "-S", "-c", LAUNCH, PROGRAM, "cluster", *words, *options]
    return int(subprocess.run(list(map(str, words)), check=True, stdout=subprocess.PIPE).stdout.split()[-1]) / 1000


def main() -> None:
    most = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000_000
    cells = sys.argv[2] if len(sys.argv) > 2 else "64"
    from engines import Server

    server = Server()
    print(f"{'rows':>12} {'Parquet MB':>12} {'PostgreSQL MB':>14}")
    try:
        with tempfile.TemporaryDirectory() as folder:
            first = pathlib.Path(folder) / "0.parquet"
            task.write(first, task.PART, groups=10)  # the first file alone keeps both threads busy
            server.ask("create view points as select random() as x, random() as y from generate_series(1, 1000) a, generate_series(1, 1000) b")
            rows = task.PART
            while rows <= most:
                for i in range(1, rows // task.PART):  # one file under many names
                    if not (name := first.with_name(f"{i}.parquet")).exists():
                        os.link(first, name)
                many = rows // task.PART
                sql = f"select x, y from points, generate_series(1, {many}) c"
                parquet, postgresql = peak([first.with_name("*.parquet")], cells), peak([server.address, "--sql", sql], cells)
                print(f"{rows:12} {parquet:12.0f} {postgresql:14.0f}", flush=True)
                rows *= 10
    finally:
        server.close()


main()
