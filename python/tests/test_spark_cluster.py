"""A cluster of two workers and Spark Connect count what the core counts, also where a worker dies during a shuffle."""

import contextlib
import os
import pathlib
import re
import signal
import subprocess
import sys
import threading

import numpy as np
import pyarrow as pa
import pytest
import spark_table
from conftest import ROOT

pyspark = pytest.importorskip("pyspark")
HOME = pathlib.Path(pyspark.__file__).parent


class Daemon:
    """A part of the cluster, in a process group of its own, from the line that it is to print."""

    def __init__(self, folder, awaited: str, *words: str) -> None:
        env = {**os.environ, "SPARK_LOCAL_IP": "127.0.0.1", "SPARK_DAEMON_MEMORY": "256m", "SPARK_LOCAL_DIRS": str(folder)}
        command = [str(HOME / "bin/spark-class"), *words]
        self._process = subprocess.Popen(command, cwd=folder, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True)
        self.group = self._process.pid
        printed = ""
        for line in self._process.stdout:
            printed += line
            if found := re.search(awaited, line):
                self.found = found.group(0)
                threading.Thread(target=self._process.stdout.read, daemon=True).start()  # what is not read would block it
                return
        raise AssertionError(printed)

    def stop(self) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.group, signal.SIGKILL)
        self._process.wait()


@pytest.fixture
def cluster(tmp_path):
    """(address, its two workers)"""
    daemons = [Daemon(tmp_path, r"spark://127\.0\.0\.1:\d+", "org.apache.spark.deploy.master.Master", "--host", "127.0.0.1", "--port", "0", "--webui-port", "0")]
    address = daemons[0].found
    worker = ["org.apache.spark.deploy.worker.Worker", "--host", "127.0.0.1", "--port", "0", "--webui-port", "0", "--cores", "1", "--memory", "600m", "-d", str(tmp_path)]
    try:
        daemons += [Daemon(tmp_path, "Successfully registered with master", *worker, address) for _ in range(2)]
        yield address, daemons[1:]
    finally:
        for daemon in daemons:
            daemon.stop()


def run(folder, *words) -> list[str]:
    """The last line that spark_table prints, word by word."""
    path = os.pathsep.join([str(ROOT / "build/python"), os.environ.get("PYTHONPATH", "")])
    env = {**os.environ, "PYTHONPATH": path, "SPARK_LOCAL_IP": "127.0.0.1", "SPARK_LOCAL_DIRS": str(folder), "PYSPARK_PYTHON": sys.executable}
    done = subprocess.run([sys.executable, spark_table.__file__, *map(str, words)], cwd=folder, env=env, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr
    return done.stdout.split("\n")[-2].split()


def digests() -> list[str]:
    table = spark_table.table()
    found = [spark_table.truth(table, list(spark_table.AXES)), spark_table.truth_kept(table, 3), spark_table.truth_kept(table, None)]
    return [spark_table.digest(rows) for rows in found]


def test_two_workers_count_alike_and_one_may_die_during_the_shuffle(cluster, tmp_path):
    address, workers = cluster
    *alike, kept, failed = run(tmp_path, "master", address, workers[0].group)
    assert alike == digests()
    a, b, unit = spark_table.many(np.arange(spark_table.MANY))
    assert kept == spark_table.digest(spark_table.truth_kept(pa.table({"a": a, "b": b, "unit": unit}), 3))
    assert int(failed) > 0, "no task was lost: the worker died too late"


def test_spark_connect_counts_alike(tmp_path):
    assert run(tmp_path, "remote", "local[2]") == digests()
