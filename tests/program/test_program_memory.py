"""The bound of the memory of a release that a dry run prints: the release takes no more, and at least a fourth of it."""

import json
import re
import subprocess
import sys

import pytest
from conftest import SHOAL

# A small process starts the program, because the peak of a new process is at least that of the one that it was forked from.
LAUNCHER = "import os,sys; pid=os.posix_spawn(sys.argv[1],sys.argv[1:],os.environ); _,s,u=os.wait4(pid,0); print(s,u.ru_maxrss)"
ON_256 = ["--grid", "256", "--percentile", "50"]
SETTINGS = {
    "small": ["--grid", "32", "--percentile", "50"],
    "sums": ["--grid", "1024", "--percentile", "58"],
    "sums, all that is positive": ["--grid", "1024", "--percentile", "0", "--threads", "4"],
    "counts": ["--grid", "1024", "--percentile", "58", "--technique", "privqt"],
    "counts, one thread": ["--grid", "1024", "--percentile", "0", "--technique", "privqt", "--threads", "1"],
    "stationary": ["--grid", "512", "--percentile", "10", "--technique", "privqt", "--transform", "stationary"],
    "another wavelet": ["--grid", "1024", "--percentile", "0", "--technique", "privqt", "--wavelet", "db2"],
    "top": ["--grid", "1024", "--top", "500"],
    "one long axis": ["--columns", "x", "--bounds", "0:1", "--grid", "600000", "--percentile", "10"],
    "faces": ["--grid", "1024", "--percentile", "50", "--technique", "privqt", "--adjacency", "face"],
    "automatic": ["--auto"],
}


@pytest.fixture(scope="module")
def points(tmp_path_factory):
    path = tmp_path_factory.mktemp("memory") / "points.csv"
    subprocess.run([SHOAL, "datasets", "ds1", "--points", "200000", "-o", path], check=True, capture_output=True)
    return path


def measured(folder, words) -> int:
    """The peak of the program in bytes."""
    files = [part for suffix in ("json", "csv", "geojson") if suffix != "geojson" or "x" not in words for part in ("-o", f"r.{suffix}")]
    command = [sys.executable, "-S", "-c", LAUNCHER, str(SHOAL), *words, "--force", *files]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True)
    status, kilobytes = done.stdout.splitlines()[-1].split()
    assert int(status) in (0, 5 << 8), done.stderr  # 5: nothing to show
    return int(kilobytes) * 1024


@pytest.mark.parametrize("setting", SETTINGS)
def test_a_release_takes_at_most_what_the_dry_run_says(setting, points, tmp_path):
    options = SETTINGS[setting]
    space = [] if "--columns" in options else ["--columns", "x,y", "--bounds", "0:1,0:1"]
    threads = [] if "--threads" in options else ["--threads", "2"]
    words = ["release", str(points), *space, *options, *threads, "--epsilon", "1"]
    done = subprocess.run([SHOAL, *words, "--dry-run", "--json", "-"], capture_output=True, text=True, check=True)
    bound = json.loads(done.stdout)["memory_bytes"]
    peak = measured(tmp_path, words)
    assert peak <= bound <= 4 * peak, f"{peak / 1e6:.1f} MB, bound {bound / 1e6:.1f} MB"


def test_the_dry_run_says_how_the_memory_is_made_up(shoal):
    words = ("release", "none.csv", "--bounds", "0:1,0:1", "--epsilon", "1", "--dry-run", "--threads", "2")
    said = shoal(*words, "--grid", "1024", "--percentile", "50").out
    found = re.search(r"at most (\d+) MB of memory: 24 MB, .* each of 2 threads, 1 bytes? for each of 1048576 cells, .* 262144 values of W", said)
    assert found and int(found[1]) < 120
    assert "8 bytes for each row" in shoal(*words, *ON_256, "--unit", "person", "--max-contributions", "2").out
    assert "depends on the occupied cells" in shoal(*words, "--grid", "65536", "--percentile", "50").out
