import doctest
import importlib
import os
import pathlib
import pickle
import signal
import subprocess
import sys
import textwrap
import threading
import time

import numpy as np
import pytest
from conftest import ROOT

import shoal

PACKAGE = pathlib.Path(shoal.__file__).parent


def run(code: str, *, timeout: float = 120) -> subprocess.CompletedProcess:
    return subprocess.run([sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True, timeout=timeout, env=os.environ)


WITH_EXAMPLES = sorted(file.stem for file in PACKAGE.glob("*.py") if ">>>" in file.read_text())


@pytest.mark.parametrize("module", WITH_EXAMPLES)
def test_the_examples_of_the_docstrings_run(module, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    name = "shoal" if module == "__init__" else f"shoal.{module}"
    found = doctest.testmod(importlib.import_module(name), optionflags=doctest.ELLIPSIS | doctest.IGNORE_EXCEPTION_DETAIL)
    assert found.attempted > 0 and found.failed == 0


def test_scikit_learn_is_imported_on_first_use_of_an_estimator(tmp_path):
    model = shoal.PrivateWaveCluster(epsilon=1, bounds=(0, 1), grid=16, percentile=30).fit(np.random.default_rng(1).random((200, 2)))
    model.release_.save(tmp_path / "r.json")
    (tmp_path / "model.pickle").write_bytes(pickle.dumps(model))
    code = f"""
        import sys
        import numpy as np
        import shoal

        release = shoal.Release.load({str(tmp_path / "r.json")!r})
        labels = release.predict(np.full((3, 2), 0.5))
        assert not any(name.partition(".")[0] == "sklearn" for name in sys.modules), "scikit-learn was imported"
        assert set(shoal.__all__) <= set(dir(shoal))

        import pickle

        model = pickle.load(open({str(tmp_path / "model.pickle")!r}, "rb"))
        assert isinstance(model, shoal.PrivateWaveCluster) and (model.predict(np.full((3, 2), 0.5)) == labels).all()
        from sklearn.base import BaseEstimator

        assert isinstance(model, BaseEstimator)
        everything = {{}}
        exec("from shoal import *", everything)
        assert all(everything[name] is getattr(shoal, name) for name in shoal.__all__)
        assert not hasattr(shoal, "nothing")
        """
    done = run(code)
    assert done.returncode == 0, done.stderr


def test_types_are_strictly_right(tmp_path):
    pytest.importorskip("mypy", reason="mypy is not installed: make test ALL=1")
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--config-file", ROOT / "pyproject.toml", "--cache-dir", tmp_path, "-p", "shoal"],
        capture_output=True, text=True, env={**os.environ, "MYPYPATH": str(PACKAGE.parent)}, cwd=tmp_path,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    assert (PACKAGE / "py.typed").exists() and (PACKAGE / "_core.pyi").exists()


def test_ten_thousand_fits_leave_no_memory_behind():
    code = """
        import resource, warnings, numpy as np, shoal
        warnings.simplefilter("ignore")
        X = np.random.default_rng(1).random((200, 2))

        def fits(n):
            for i in range(n):
                model = shoal.PrivateWaveCluster(epsilon=1, bounds=(0, 1), grid=16, percentile=30, random_state=i, technique="privthr", threads=1).fit(X)
                model.release_.predict(X)
                shoal.WaveCluster(bounds=(0, 1), grid=16, percentile=30, threads=1).fit_batches([X, X])
                try:
                    model.fit(X[:, :0])
                except ValueError:
                    pass

        def kilobytes():
            with open("/proc/self/statm") as file:
                return int(file.read().split()[1]) * resource.getpagesize() // 1024

        fits(500)
        before = kilobytes()
        fits(5_000)  # of two models each
        print(kilobytes() - before)
    """
    done = run(code, timeout=300)
    assert done.returncode == 0, done.stderr
    # A grid of counts has 2 KiB and a row of labels 1.6: one of them lost a fit would be 8 MiB and more.
    assert int(done.stdout) < 4 * 1024, f"{done.stdout} KiB"


@pytest.mark.parametrize("job", ["counting", "evaluating", "reading batches"])
def test_ctrl_c_stops_long_work(job):
    code = {
        "counting": "X = np.broadcast_to(np.float32(0.5), (10**11, 2)); go(); shoal.WaveCluster(bounds=(0, 1), percentile=1)._fit(shoal._input.read(shoal.WaveCluster(), X, reset=True))",
        "evaluating": "X = shoal.datasets.load('ds2').X; go(); shoal.evaluate(X, bounds=(0, 1), percentile=10, runs=10**6)",
        "reading batches": "X = shoal.datasets.load('ds2').X; go(); shoal.WaveCluster(bounds=(0, 1), percentile=1).fit_batches(X for _ in iter(int, 1))",
    }[job]
    script = f"import numpy as np, shoal, shoal._input, sys\ndef go(): print('ready', flush=True)\ntry:\n    {code}\nexcept KeyboardInterrupt:\n    sys.exit(42)\n"
    child = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=os.environ)
    try:
        assert child.stdout.readline() == "ready\n", child.stderr.read()
        time.sleep(0.5)
        assert child.poll() is None, child.stderr.read()
        child.send_signal(signal.SIGINT)
        assert child.wait(timeout=60) == 42, child.stderr.read()
    finally:
        child.kill()
        child.communicate()


def test_other_threads_run_while_points_are_counted():
    X = np.random.default_rng(1).random((20_000_000, 1))
    ticks, done = [], threading.Event()

    def tick():
        while not done.is_set():
            ticks.append(time.perf_counter())
            time.sleep(0.001)

    watcher = threading.Thread(target=tick)
    watcher.start()
    start = time.perf_counter()
    shoal.WaveCluster(bounds=(0, 1), grid=64, percentile=50, threads=1).fit_batches([X])
    end = time.perf_counter()
    done.set()
    watcher.join()
    assert sum(start < t < end for t in ticks) >= 5, "the interpreter's lock was held"
