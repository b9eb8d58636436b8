"""Times one task's contenders side by side in one run, after checking their answers.

A task is a folder. task.py says what is done:
  NAME, UNIT, setup(size) -> data, check(data, answer), work(data) -> units of work; optionally
  CASES, names of cases (setup gets one as its second argument, and each is timed by itself);
  LIMIT and limit(data) -> seconds that the machine needs at the least, on one thread;
  SCORE and score(data, answer) -> how good an answer is, where that differs from contender to contender;
  REPEAT, how often a round runs each contender, where one run is too short for the clock.
Every other file is one contender: run(data) -> answer, and optionally prepare(data), NAME, NEEDS (modules), available(), handles(data) and
SHARE, the share of the work that a very slow peer does (its time is scaled up). shoal.py (also shoal_*.py) is ours; the first of them is what the
others are compared with.
Sizes: small takes minutes, full is what docs/performance.md shows, and tiny only checks the answers and that every task runs to its end
(tests/program/test_bench.py): its times say nothing.
Rounds are interleaved, so that a busy neighbour on the machine hits all contenders alike; the best round counts, by the
clock and by processor time.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import pathlib
import resource
import statistics
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
MOST_SECONDS = 15  # a contender that has taken as long need not be waited for in further rounds


def load(path: pathlib.Path):
    spec = importlib.util.spec_from_file_location(f"bench_{path.parent.name}_{path.stem}", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def is_available(module) -> bool:
    """Returns true if what a contender needs is installed."""
    installed = all(importlib.util.find_spec(name) is not None for name in getattr(module, "NEEDS", []))
    return installed and (not hasattr(module, "available") or module.available())


def processor_seconds() -> float:
    """Returns the processor time of this process and of the programs that it ran."""
    usages = [resource.getrusage(whose) for whose in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)


class Clock:
    """Seconds by the clock and of all processors together."""

    def __enter__(self):
        self.wall, self.cpu = time.perf_counter(), processor_seconds()
        return self

    def __exit__(self, *_):
        self.wall, self.cpu = time.perf_counter() - self.wall, processor_seconds() - self.cpu


def contenders_of(folder: pathlib.Path, only: set[str]) -> dict:
    found = {}
    for path in sorted(folder.glob("*.py"), key=lambda p: (not p.stem.startswith("shoal"), p.stem)):
        if path.stem == "task" or (only and not path.stem.startswith("shoal") and path.stem not in only):
            continue
        try:
            module = load(path)
            available = is_available(module)
        except ModuleNotFoundError as missing:
            if path.stem.startswith("shoal"):
                raise
            print(f"  {path.stem} needs {missing.name}")
            available = False
        if not available:
            print(f"  {path.stem}: not installed, left out (scripts/bootstrap bench)")
            continue
        found[getattr(module, "NAME", path.stem)] = module
    return found


def timed(task, contenders: dict, data, rounds: int) -> tuple[dict, dict, list[float]]:
    """Times by contender, by the clock and by processor, and the limits of all rounds."""
    wall: dict[str, list[float]] = {name: [] for name in contenders}
    cpu: dict[str, list[float]] = {name: [] for name in contenders}
    limits: list[float] = []
    repeat = getattr(task, "REPEAT", 1)
    for _ in range(rounds):
        if hasattr(task, "limit"):
            limits.append(task.limit(data))
        for name, module in contenders.items():
            share = getattr(module, "SHARE", 1) * repeat
            if len(wall[name]) >= 2 and sum(wall[name]) * share > MOST_SECONDS:
                continue
            with Clock() as clock:
                for _ in range(repeat):
                    module.run(data)
            wall[name].append(clock.wall / share)
            cpu[name].append(clock.cpu / share)
    return wall, cpu, limits


def run_case(task, contenders: dict, case: str | None, size: str, rounds: int) -> dict:
    data = task.setup(size) if case is None else task.setup(size, case)
    contenders = {name: module for name, module in contenders.items() if getattr(module, "handles", lambda _: True)(data)}
    scores = {}
    for name, module in contenders.items():
        if hasattr(module, "prepare"):
            module.prepare(data)
        answer = module.run(data)
        task.check(data, answer)  # raises when the answer is wrong
        if hasattr(task, "score"):
            scores[name] = float(task.score(data, answer))
        del answer
    result = {"task": task.NAME + ("" if case is None else f", {case}"), "size": size, "unit": task.UNIT}
    if rounds == 0:
        return {**result, "rows": [{"contender": name} for name in contenders]}
    wall, cpu, limits = timed(task, contenders, data, rounds)
    ours = next(iter(contenders))
    work = task.work(data)
    rows = [
        {"contender": name, "seconds": min(wall[name]), "median": statistics.median(wall[name]), "cpu": min(cpu[name]),
         "rate": work / min(wall[name]), "ratio": min(wall[name]) / min(wall[ours]),
         **({"score": scores[name]} if scores else {})}
        for name in contenders
    ]  # fmt: skip
    result["rows"] = rows
    if scores:
        result["score"] = task.SCORE
    if limits:
        result["limit"] = {"what": task.LIMIT, "seconds": min(limits), "of_limit": min(limits) / min(wall[ours])}
    return result


def show(result: dict) -> None:
    print(f"\n{result['task']} ({result['size']})")
    if "seconds" not in result["rows"][0]:
        print("right: " + ", ".join(row["contender"] for row in result["rows"]), flush=True)
        return
    print(f"{'contender':34} {'best s':>10} {'median s':>10} {'cpu s':>10} {result['unit'] + '/s':>12} {'time / ours':>12}"
          + (f" {result['score']:>8}" if "score" in result else ""))  # fmt: skip
    for row in result["rows"]:
        print(f"{row['contender']:34} {row['seconds']:10.4f} {row['median']:10.4f} {row['cpu']:10.4f} {row['rate']:12.4g} {row['ratio']:12.2f}"
              + (f" {row['score']:8.3f}" if "score" in row else ""))  # fmt: skip
    if "limit" in result:
        limit = result["limit"]
        print(f"limit: {limit['what']}: {limit['seconds']:.4f} s; we reach {limit['of_limit']:.2f} of it", flush=True)


def forget_modules_of(folder: pathlib.Path) -> None:
    """The next task has modules of the same names: task, shoal_all."""
    for name, module in list(sys.modules.items()):
        if pathlib.Path(getattr(module, "__file__", None) or "").parent == folder:
            del sys.modules[name]


def run_task(folder: pathlib.Path, size: str, rounds: int, only: set[str]) -> list[dict]:
    sys.path.append(str(folder))  # last: a contender may be named like the library it runs
    try:
        task = load(folder / "task.py")
        contenders = contenders_of(folder, only)
        results: list[dict] = []
        if not contenders:
            return results
        for case in getattr(task, "CASES", [None]):
            results.append(run_case(task, contenders, case, size, rounds))
            show(results[-1])
        return results
    finally:
        sys.path.remove(str(folder))
        forget_modules_of(folder)


def main() -> None:
    parser = argparse.ArgumentParser(description="Benchmarks beside peers; answers are checked first.")
    parser.add_argument("tasks", nargs="*", help="folders of bench/ (default: all)")
    parser.add_argument("--size", default="small", choices=["tiny", "small", "full"])
    parser.add_argument("--rounds", type=int, default=5, help="0: check the answers, time nothing")
    parser.add_argument("--only", default="", help="peers to run, by file name, comma-separated")
    parser.add_argument("--json", help="write the results here")
    options = parser.parse_args()
    sys.path.append(str(HERE))
    import machine

    about = machine.describe() if options.size != "tiny" else {}
    print("\n".join(f"{name}: {value}" for name, value in about.items()))
    names = options.tasks or sorted(p.parent.name for p in HERE.glob("*/task.py"))
    only = set(filter(None, options.only.split(",")))
    results = [result for name in names for result in run_task(HERE / name, options.size, options.rounds, only)]
    if options.json:
        path = pathlib.Path(options.json)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps({"machine": about, "results": results}, indent=1) + "\n")


if __name__ == "__main__":
    main()
