"""What a release with its files, and labels by it, cost beside plain clusters of the same CSV: the program as people call it.

The first row is `shoal cluster`, so that "time / ours" is what the others cost against it.
"""

import csv
import json
import pathlib
import random
import subprocess
import tempfile

NAME = "the program"
UNIT = "rows"
CASES = ["1024 x 1024", "4096 x 4096"]
ROWS = {
    "1024 x 1024": {"tiny": 20_000, "small": 1_000_000, "full": 10_000_000},
    "4096 x 4096": {"tiny": 20_000, "small": 4_000_000, "full": 10_000_000},
}
PROGRAM = pathlib.Path(__file__).resolve().parents[2] / "build/bin/shoal"
PART = 2_000_000


def rows(count):
    """Four fifths of the rows lie in 40 blobs. Past PART they come again."""
    rng = random.Random(27)
    blobs = [(rng.uniform(0.1, 0.9), rng.uniform(0.1, 0.9), rng.uniform(0.005, 0.03)) for _ in range(40)]

    def row():
        if rng.random() < 0.2:
            return rng.random(), rng.random()
        x, y, width = rng.choice(blobs)
        return rng.gauss(x, width) % 1, rng.gauss(y, width) % 1

    return [f"{x:.17f},{y:.17f}\n" for x, y in (row() for _ in range(min(count, PART)))]


def shoal(*words):
    done = subprocess.run([str(PROGRAM), *map(str, words)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def setup(size, case):
    folder = tempfile.TemporaryDirectory()
    path = pathlib.Path(folder.name)
    count = ROWS[case][size]
    part = rows(count)
    with open(path / "points.csv", "w") as file:
        file.write("x,y\n")
        for first in range(0, count, PART):
            file.writelines(part[: count - first])
    side = int(case.split()[0]) // (16 if size == "tiny" else 1)  # few rows show nothing on a fine grid
    settings = [path / "points.csv", "--columns", "x,y", "--bounds", "0:1,0:1", "--grid", side, "--percentile", "58"]
    shoal("release", *settings, "--epsilon", "1", "-o", path / "by.json")
    return {"folder": folder, "path": path, "rows": count, "settings": settings}


def check(data, answer):
    """answer: the number of rows that the program says it read, or the files of a release."""
    if isinstance(answer, int):
        assert answer == data["rows"], (answer, data["rows"])
        return
    for path in answer:
        if path.suffix == ".csv":
            with open(path) as file:
                head, first = next(csv.reader(file)), next(csv.reader(file))
            assert head[0] == "cluster" and len(first) == len(head), path
            continue
        document = json.loads(path.read_text())
        if path.suffix == ".json":
            assert document["private"] is True and document["clusters"], path
        else:
            assert document["type"] == "FeatureCollection", path


def work(data):
    return data["rows"]
