"""What is larger than memory: grids, of which the values above a floor are released, and streams of points."""

import csv
import json
import os
import pty
import re
import select
import signal
import subprocess

import pytest
from conftest import SHOAL, validate

SIX = ["--columns", "x1,x2,x3,x4,x5,x6", "--bounds", ",".join(["0:1"] * 6), "--grid", "64"]


@pytest.fixture
def mixture(shoal):
    assert shoal("datasets", "mixture6", "--points", "100000", "-o", "points.csv").code == 0
    return shoal.folder / "points.csv"


def test_six_axes_of_64_cells_are_released_in_every_format(shoal, mixture):
    outcome = shoal("release", mixture, *SIX, "--percentile", "80", "--epsilon", "4", "-o", "r.json", "-o", "r.csv", "-o",
                    "r.html", "-o", "r.svg", "-o", "r.png")
    assert outcome.code == 0, outcome.err
    release = json.loads((shoal.folder / "r.json").read_text())
    validate("release", release)
    sums = release["noisy_sums"]
    assert sums["layout"] == "sparse" and sums["floor"] >= 1 and sums["shape"] == [32] * 6
    assert f"at least {sums['floor']} noisy records" in outcome.out
    assert release["threshold"] >= sums["floor"] / 8  # a sum over 8 is a value of W
    # Five Gaussians of 20,000 points each: their middles stand far above the noise. Noise alone makes a single cell at times.
    large = [cluster for cluster in release["clusters"] if cluster["cells"] > 10]
    assert len(large) == 5
    assert all(10000 < cluster["noisy_size"] < 25000 for cluster in large)
    assert sum(1 for _ in csv.reader(open(shoal.folder / "r.csv"))) == 1 + sum(cluster["cells"] for cluster in release["clusters"])
    assert shoal("predict", "r.json", mixture, "-o", "labels.csv").code == 0
    labels = [row["cluster"] for row in csv.DictReader(open(shoal.folder / "labels.csv"))]
    assert len(labels) == 100000 and sum(label != "0" for label in labels) > 50000
    for following in re.findall(r"Next: shoal (.*?)   \(free", outcome.out):
        assert shoal(*following.replace("POINTS.csv", str(mixture)).split(), "--force").code == 0
    again = shoal("reshape", "r.json", "--percentile", "95", "--adjacency", "face", "--min-cells", "2", "-o", "again.json")
    assert again.code == 0, again.err
    below = shoal("reshape", "r.json", "--density", "0.01", "-o", "below.json")
    assert below.code == 3 and "choose a density of" in below.err and "or more" in below.err


def test_two_axes_of_a_million_cells_have_a_picture_and_outlines(shoal):
    assert shoal("datasets", "ds2", "-o", "spirals.csv").code == 0
    rows = (shoal.folder / "spirals.csv").read_text().splitlines()[1:5001]
    places = [row for row in rows for _ in range(20)]  # places that were visited twenty times
    outcome = shoal("release", "-", "--columns", "1,2", "--bounds", "0:1,0:1", "--grid", str(2**20), "--density", "7.5", "--epsilon", "4",
                    "-o", "r.json", "-o", "r.svg", "-o", "r.html", "-o", "r.geojson", stdin="\n".join(places).encode())
    assert outcome.code == 0, outcome.err
    release = json.loads((shoal.folder / "r.json").read_text())
    assert release["noisy_sums"]["floor"] == 15
    assert 4900 <= len(release["clusters"]) <= 5000
    assert (shoal.folder / "r.svg").stat().st_size < 5_000_000


def test_what_cannot_be_done_is_refused_before_anything_is_spent(refused, shoal, mixture):
    words = ["release", mixture, *SIX, "--epsilon", "1", "-o", "r.json"]
    for technique in ("privqt", "privthr", "privthr-em"):
        refused(3, *words, "--percentile", "50", "--technique", technique, says=["adds noise to every cell", "68719476736 cells", "use privwave"])
    refused(3, *words, "--percentile", "50", "--wavelet", "db2", says=["wavelet haar"])
    refused(3, *words, "--density", "0.25", says=["noise alone would raise about", "choose a density of"])
    words[words.index("64")] = "63"
    refused(3, *words, "--percentile", "50", says=["multiples of 2", "use 64 instead of 63"])


def streamed(folder, points: int) -> int:
    """Peak memory of a release from a pipe, in KiB."""
    maker = subprocess.Popen([SHOAL, "datasets", "mixture2", "--points", str(points)], stdout=subprocess.PIPE)
    words = ["release", "-", "--columns", "x1,x2", "--bounds", "0:1,0:1", "--grid", "256", "--percentile", "50", "--epsilon", "1", "--threads", "2"]
    reader = subprocess.Popen([SHOAL, *words, "-o", f"{points}.json"], stdin=maker.stdout, stdout=subprocess.DEVNULL, cwd=folder)
    maker.stdout.close()
    _, status, usage = os.wait4(reader.pid, 0)
    assert maker.wait() == 0 and os.waitstatus_to_exitcode(status) == 0
    return usage.ru_maxrss


def test_memory_does_not_grow_with_the_rows_of_a_pipe(tmp_path):
    few, many = streamed(tmp_path, 200_000), streamed(tmp_path, 4_000_000)
    assert many < few + 8 * 1024, f"{few} and {many} KiB"  # 3,800,000 kept rows would take 60,000 KiB more


def test_ctrl_c_in_the_middle_of_a_pipe_leaves_nothing(tmp_path):
    words = ["release", "-", "--bounds", "0:1,0:1", "--percentile", "50", "--epsilon", "1", "-o", "r.json"]
    run = subprocess.Popen([SHOAL, *words], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=tmp_path)
    run.stdin.write(b"x,y\n" + b"0.5,0.25\n" * 200_000)
    run.stdin.flush()  # more than a pipe holds: it is reading
    run.send_signal(signal.SIGINT)
    assert run.wait(timeout=60) == 130
    assert list(tmp_path.iterdir()) == []


def test_a_pipe_shows_rows_bytes_and_rate_on_a_terminal(tmp_path):
    words = ["release", "-", "--bounds", "0:1,0:1", "--percentile", "50", "--epsilon", "1", "-o", "r.json"]
    terminal, its_end = pty.openpty()
    run = subprocess.Popen([SHOAL, *words], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=its_end, cwd=tmp_path)
    os.close(its_end)
    run.stdin.write(b"x,y\n" + b"0.5,0.25\n" * 500_000)
    run.stdin.flush()
    shown, line = b"", rb"reading ([\d,]+) rows, [\d.e-]+ GB, \d+ MB/s \d+ s"
    while not re.search(line, shown):
        assert select.select([terminal], [], [], 60)[0], shown
        shown += os.read(terminal, 4096)
    rows = int(re.search(line, shown)[1].replace(b",", b""))
    assert 100_000 < rows <= 500_000  # the last ones still wait in the pipe
    run.send_signal(signal.SIGINT)
    assert run.wait(timeout=60) == 130
    while not shown.endswith(b"\r\033[K"):  # nothing of the line is left
        shown += os.read(terminal, 4096)
    os.close(terminal)
    assert list(tmp_path.iterdir()) == []
