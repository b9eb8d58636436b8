"""Times one task's contenders side by side in one run, after checking their answers.

A task is a folder: task.py says what is done (NAME, UNIT, `setup(size)` -> data, `check(data, answer)`, `work(data)` -> units of
work, optionally SIZES, LIMIT and `limit(data)` -> seconds that the machine needs at the least); every other file is one contender with
`run(data)` -> answer (and optionally `prepare(data)`, NAME, `available()`, and SHARE, the share of the work that a very slow
peer does; its time is scaled up). shoal.py (also shoal_*.py) is ours.
Rounds are interleaved, so that a busy neighbour on the machine hits all contenders alike; the best round counts.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import pathlib
import statistics
import sys
import time

HERE = pathlib.Path(__file__).parent


def load(path: pathlib.Path):
    spec = importlib.util.spec_from_file_location(f"bench_{path.parent.name}_{path.stem}", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def run_task(folder: pathlib.Path, size: str, rounds: int, only: set[str]) -> dict:
    sys.path.append(str(folder))  # last: a contender may be named like the library it runs
    task = load(folder / "task.py")
    data = task.setup(size)
    contenders = {}
    for path in sorted(folder.glob("*.py"), key=lambda p: (not p.stem.startswith("shoal"), p.stem)):
        if path.stem == "task" or (only and not path.stem.startswith("shoal") and path.stem not in only):
            continue
        module = load(path)
        if hasattr(module, "available") and not module.available():
            print(f"  {path.stem}: not installed, left out (scripts/bootstrap bench)")
            continue
        contenders[getattr(module, "NAME", path.stem)] = module
    for name, module in contenders.items():
        if hasattr(module, "prepare"):
            module.prepare(data)
        task.check(data, module.run(data))  # raises when the answer is wrong
    times: dict[str, list[float]] = {name: [] for name in contenders}
    limits: list[float] = []
    for _ in range(rounds):
        if hasattr(task, "limit"):
            limits.append(task.limit(data))
        for name, module in contenders.items():
            if len(times[name]) >= 2 and sum(times[name]) * getattr(module, "SHARE", 1) > 20:
                continue  # a slow contender need not be waited for in every round
            start = time.perf_counter()
            module.run(data)
            times[name].append((time.perf_counter() - start) / getattr(module, "SHARE", 1))
    sys.path.remove(str(folder))
    ours = next(iter(contenders))
    best = {name: min(spent) for name, spent in times.items()}
    work = task.work(data)
    title = f"{task.NAME} ({size})"
    print(f"\n{title}\n{'contender':34} {'best s':>10} {'median s':>10} {task.UNIT + '/s':>16} {'time / ours':>12}")
    rows = []
    for name in contenders:
        row = {"contender": name, "best": best[name], "median": statistics.median(times[name]), "rate": work / best[name],
               "ratio": best[name] / best[ours]}
        rows.append(row)
        print(f"{name:34} {row['best']:10.4f} {row['median']:10.4f} {row['rate']:16.4g} {row['ratio']:12.2f}")
    result = {"task": task.NAME, "size": size, "unit": task.UNIT, "rows": rows}
    if limits:
        result["limit"] = {"what": task.LIMIT, "seconds": min(limits), "of_limit": min(limits) / best[ours]}
        print(f"{'limit: ' + task.LIMIT:34} {min(limits):10.4f} {'':10} {'':16} {result['limit']['of_limit']:11.2f} of the limit reached")
    return result


def main() -> None:
    parser = argparse.ArgumentParser(description="Benchmarks beside peers; answers are checked first.")
    parser.add_argument("tasks", nargs="*", help="folders of bench/ (default: all)")
    parser.add_argument("--size", default="small", choices=["small", "full"])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--only", default="", help="peers to run, by file name, comma-separated")
    parser.add_argument("--json", help="write the results here")
    options = parser.parse_args()
    names = options.tasks or sorted(p.parent.name for p in HERE.glob("*/task.py"))
    only = set(filter(None, options.only.split(",")))
    results = [run_task(HERE / name, options.size, options.rounds, only) for name in names]
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps(results, indent=1) + "\n")


if __name__ == "__main__":
    main()
