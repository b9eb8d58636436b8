"""C4.5 against Weka's J48: the same predictions on at least 99.9 % of test points.

Weka comes from the Java registry (scripts/fetch-weka) and is driven by its command line. It differs from ours where its
absolute tolerances act (values closer than 1e-5 count as equal, a threshold may exceed the middle of a gap by 1e-6);
these cases use scales at which they do not.
"""
import csv
import os
import pathlib
import shutil
import subprocess

import numpy as np
import pytest
from scipy import ndimage
from shoal._core import internal

ROOT = pathlib.Path(__file__).resolve().parents[2]
SHAPES = ROOT.parent / "shared" / "data" / "shapes"


@pytest.fixture(scope="module")
def class_path():
    if not shutil.which("java"):
        pytest.skip("java is not installed: C4.5 is not compared with Weka's J48 (apt-get install default-jre-headless)")
    if not shutil.which("mvn") and not (ROOT / ".cache" / "weka").exists():
        pytest.skip("mvn is not installed: Weka cannot be fetched (apt-get install maven)")
    done = subprocess.run([ROOT / "scripts" / "fetch-weka"], check=True, stdout=subprocess.PIPE, text=True)
    return done.stdout.strip()


def write_arff(path, points, classes, names):
    with open(path, "w") as file:
        file.write("@relation cells\n")
        for axis in range(points.shape[1]):
            file.write(f"@attribute a{axis} numeric\n")
        file.write("@attribute class {" + ",".join(f"c{n}" for n in names) + "}\n@data\n")
        for point, label in zip(points, classes):
            file.write(",".join(repr(float(v)) for v in point) + f",c{label}\n")


def j48(class_path, folder, train, classes, test, options):
    names = np.unique(classes)
    write_arff(folder / "train.arff", train, classes, names)
    write_arff(folder / "test.arff", test, np.full(len(test), names[0]), names)
    command = ["java", "-XX:TieredStopAtLevel=1", "-cp", class_path, "weka.classifiers.trees.J48", "-t", "train.arff", "-T", "test.arff"]
    command += ["-classifications", "weka.classifiers.evaluation.output.prediction.CSV", *options]
    done = subprocess.run(
        command, cwd=folder, env={**os.environ, "WEKA_HOME": str(folder)}, check=True, capture_output=True, text=True
    )
    lines = done.stdout.splitlines()
    start = next(i for i, line in enumerate(lines) if line.startswith("inst#"))
    rows = csv.DictReader(line for line in lines[start:] if line)
    return np.array([int(row["predicted"].split(":c")[1]) for row in rows], dtype=np.uint32)


VARIANTS = {
    "pruned": ([], {}),
    "unpruned": (["-U"], {"prune": False}),
    "not raised": (["-S"], {"raise_subtrees": False}),
    "pruned hard": (["-C", "0.05", "-M", "4"], {"confidence": 0.05, "least_cases": 4}),
}


def agreement(class_path, folder, train, classes, test, variant):
    options, ours = VARIANTS[variant]
    expected = j48(class_path, folder, train, classes, test, options)
    tree = internal.C45(np.ascontiguousarray(train.T), classes.astype(np.uint32), **ours)
    found = tree.predict(np.ascontiguousarray(test.T))
    assert len(expected) == len(test)
    return np.mean(expected == found)


def significant_cells(name, grid, percentile, noise, epsilon, rng, keep_noise):
    """Plain numpy WaveCluster (Haar, level 1, full adjacency) with continuous noise of scale 1 / epsilon."""
    data = np.loadtxt(SHAPES / f"paper_{name}.csv", delimiter=",", skiprows=1)[:, :2]
    low = data.min(axis=0)
    width = np.floor((data.max(axis=0) - low) / grid) + 1
    index = ((data - low) // width).astype(int)
    counts = np.zeros((grid, grid))
    np.add.at(counts, tuple(index.T), 1)
    if noise:
        counts += rng.laplace(scale=1 / epsilon, size=counts.shape)
    sums = counts.reshape(grid // 2, 2, grid // 2, 2).sum(axis=(1, 3))
    positive = np.sort(sums[sums > 0])[::-1]
    threshold = positive[int(np.ceil((1 - percentile) * len(positive))) - 1]
    labels, _ = ndimage.label(sums >= threshold, structure=np.ones((3, 3)))
    cells = np.argwhere((labels > 0) | keep_noise)
    return low + (2 * cells + 1) * width, labels[tuple(cells.T)], data


@pytest.mark.parametrize("variant", ["pruned", "unpruned"])
@pytest.mark.parametrize("name,grid,percentile", [("ds1", 64, 0.58), ("ds2", 40, 0.10), ("ds3", 36, 0.23)])
def test_cells_of_the_papers_sets(class_path, tmp_path, name, grid, percentile, variant):
    if not SHAPES.exists():
        pytest.skip(f"{SHAPES} is not there")
    rng = np.random.default_rng(5)
    for noise, keep_noise in [(False, False), (True, False), (True, True)]:
        centres, labels, data = significant_cells(name, grid, percentile, noise, 0.5, rng, keep_noise)
        test = data[rng.permutation(len(data))[:3000]]
        assert agreement(class_path, tmp_path, centres, labels, test, variant) >= 0.999


def random_cases(seed):
    """Regions around random centres; many classes are wrong, so that pruning and raising have something to do."""
    rng = np.random.default_rng(100 + seed)
    dimensions = int(rng.integers(1, 6))
    cases = int(rng.integers(300, 2000))
    kinds = int(rng.integers(2, 10)) if seed % 3 else 2
    train = rng.normal(size=(cases, dimensions)) * 1000
    if seed % 2:  # few distinct values: ties everywhere
        train = np.round(train / 300) * 300
    centres = rng.normal(size=(kinds, dimensions)) * 1000
    classes = np.argmin(((train[:, None] - centres) ** 2).sum(axis=2), axis=1)
    wrong = rng.random(cases) < (0.15, 0.3, 0.45)[seed % 3]
    classes[wrong] = rng.integers(0, kinds, wrong.sum())
    return train, classes + 1, rng.normal(size=(4000, dimensions)) * 1000


@pytest.mark.parametrize(
    "variant,seed", [(v, s) for v in VARIANTS for s in range(3)] + [("pruned", s) for s in range(3, 6)]
)
def test_random_data(class_path, tmp_path, variant, seed):
    assert agreement(class_path, tmp_path, *random_cases(seed), variant) >= 0.999
