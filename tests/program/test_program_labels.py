"""shoal predict: each line is the label of its row, whatever the number of threads, also where there are thousands of clusters."""

import json
import random

import pytest

CELLS = 1 << 16  # of the grid; clusters lie on half as many


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """Rows in an order of their own, and the cell of each."""
    folder = tmp_path_factory.mktemp("labels")
    rng = random.Random(27)
    cells = [rng.randrange(CELLS) for _ in range(100_000)]
    rows = ["x", *(f"{(cell + 0.5) / CELLS!r}" for cell in cells), "-1", "nan"]
    (folder / "rows.csv").write_text("\n".join(rows) + "\n")
    return folder, cells


@pytest.mark.parametrize("seed", [[], ["--seed", "4"]], ids=["private", "study"])
def test_labels_are_those_of_the_runs_in_the_file(shoal, made, seed):
    folder, cells = made
    release = shoal("release", folder / "rows.csv", "--columns", "x", "--bounds", "0:1", "--grid", CELLS, "--technique", "privqt", "--percentile", "50",
                    "--epsilon", "1", *seed, "-o" if not seed else "--json", "r.json", "--force")  # fmt: skip
    assert release.code == 0, release.err
    clusters = json.loads((shoal.folder / "r.json").read_text())["clusters"]
    assert len(clusters) > 5000, "more than the program keeps lines for"
    label = {}
    for cluster in clusters:
        for first, length in zip(cluster["runs"][::2], cluster["runs"][1::2]):
            label |= dict.fromkeys(range(first, first + length), cluster["id"])
    end = ",false" if seed else ""
    wanted = ["cluster,private" if seed else "cluster", *(f"{label.get(cell // 2, 0)}{end}" for cell in cells), f"0{end}", f"0{end}"]
    for threads in (1, 3):
        outcome = shoal("predict", "r.json", folder / "rows.csv", "--doubtful", "--threads", threads, "-o", "labels.csv", "--force")
        assert outcome.code == 0, outcome.err
        assert (shoal.folder / "labels.csv").read_text().splitlines() == wanted, threads
    shoal("predict", "r.json", folder / "rows.csv", "--doubtful", "--strength", "-o", "strong.csv", "--force")
    strong = [line.split(",")[0] for line in (shoal.folder / "strong.csv").read_text().splitlines()]
    assert strong == [line.split(",")[0] for line in wanted]
