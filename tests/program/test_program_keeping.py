"""What is paid for is kept: never a charge without a file that holds what it bought, never a file without a charge."""

import errno
import json
import os
import re
import resource
import signal
import subprocess

import pytest
from conftest import SHOAL

SHIM = SHOAL.parent.parent / "tests" / "libfailing_calls.so"
KILLED = 0

RELEASE = ["release", "p.csv", "--bounds", "0:1,0:1", "--grid", "8", "--percentile", "10", "--epsilon", "1"]
COMMANDS = {
    "release": [*RELEASE, "-o", "r.json", "-o", "r.html"],
    "release without JSON": [*RELEASE, "-o", "r.csv", "-o", "r.svg"],
    "release by force": [*RELEASE, "-o", "r.json", "--force"],
    "release to standard output": [*RELEASE, "--json", "-"],
    "synthesize": ["synthesize", "p.csv", "--bounds", "0:1,0:1", "--epsilon", "1", "-o", "s.csv", "--json", "s.json"],
}
CHARGED = ["--ledger", "budget.db", "--dataset", "d"]


class Run:
    """The program in a folder of its own, with a ledger, and what it left there."""

    def __init__(self, folder, words, **settings):
        self.folder, self.words = folder, words
        (folder / "tmp").mkdir()
        (folder / "p.csv").write_text("x,y\n" + "".join(f"{i % 17 / 17},{i % 13 / 13}\n" for i in range(200)))
        self.outside("ledger", "create", "budget.db", "--dataset", "d", "--cap", "9")
        self.before = set(os.listdir(folder))
        environment = {**os.environ, "TMPDIR": str(folder / "tmp"), "LD_PRELOAD": str(SHIM), "ASAN_OPTIONS": "verify_asan_link_order=0",
                       **{name: str(value) for name, value in settings.items() if name.isupper()}}
        self.done = subprocess.run([SHOAL, *words, *CHARGED], cwd=folder, env=environment, capture_output=True, timeout=120,
                                   preexec_fn=settings.get("preexec_fn"))
        self.code, self.out, self.err = self.done.returncode, self.done.stdout.decode(), self.done.stderr.decode()

    def outside(self, *words):
        return subprocess.run([SHOAL, *words], cwd=self.folder, capture_output=True, text=True, check=True).stdout

    @property
    def charges(self):
        return len(json.loads(self.outside("ledger", "history", "budget.db", "--json", "-"))["history"])

    @property
    def left(self):
        """Files that were not there before, whole ones by their own account; what was put aside and not removed is not counted."""
        found = {}
        for path in [*self.folder.iterdir(), *(self.folder / "tmp").iterdir()]:
            if path.name in self.before or path.name.endswith(".part") or path.name.startswith("budget.db-"):
                continue
            text = path.read_text()
            found[path.name] = text
            if path.suffix == ".json":
                json.loads(text)
            elif path.suffix in (".html", ".svg"):
                assert text.endswith(f"</{path.suffix[1:]}>\n"), path
            else:
                assert text.endswith("\n") and {line.count(",") for line in text.splitlines()} == {text.splitlines()[0].count(",")}, path
        return found

    def holds_what_was_bought(self):
        """Whether it is somewhere, whole: a release that can be reshaped, or the points."""
        texts = [*self.left.values(), self.out, self.err[: self.err.rfind("shoal: ")]]
        if self.words[0] == "synthesize":
            return any(text.startswith("axis 1,axis 2\n") for text in texts)
        if "r.csv" in self.words and {"r.csv", "r.svg"} <= self.left.keys():
            return True
        for text in texts:
            if text.startswith("{") and text.endswith("}\n"):
                (self.folder / "again.json").write_text(text)
                self.outside("reshape", "again.json", "--percentile", "20", "--json", "-")
                return True
        return False


def calls(tmp_path_factory, words):
    folder = tmp_path_factory.mktemp("counted")
    run = Run(folder, words, FAIL_COUNT=folder / "tmp" / "calls")
    assert run.code == 0, run.err
    number = int((folder / "tmp" / "calls").read_text())
    assert number > 20
    return number


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("error, stays", [(errno.ENOSPC, False), (errno.EIO, False), (errno.ENOSPC, True)], ids=["full once", "broken once", "full from there on"])
def test_whatever_call_fails_a_charge_and_its_file_go_together(tmp_path_factory, command, error, stays):
    words = COMMANDS[command]
    outcomes = set()
    for at in range(1, calls(tmp_path_factory, words) + 1):
        run = Run(tmp_path_factory.mktemp("run"), words, FAIL_AT=at, FAIL_WITH=error, FAIL_ON=int(stays))
        assert run.code in (0, 3), (at, run.code, run.err)
        charged, kept = run.charges, run.holds_what_was_bought()
        assert charged == kept, (at, charged, run.code, run.err, list(run.left))
        assert charged or (run.code == 3 and not run.left), (at, run.err)
        if run.code == 3:
            message = run.err[run.err.rfind("shoal: ") :]
            before = run.err.removesuffix(message)
            assert message.count("\n") == 1, run.err
            assert re.fullmatch(r"(No \.json is written: [^\n]+\n)?", before) or "printed to standard error" in message, run.err
            assert ("is spent" in run.err or "free of budget" in run.err or "were written" in run.err) == bool(charged), (at, run.err)
        outcomes.add((run.code, charged))
    assert {(0, 1), (3, 0), (3, 1)} >= outcomes >= {(3, 0), (3, 1)}, outcomes


@pytest.mark.parametrize("command", COMMANDS)
def test_wherever_it_is_killed_no_file_is_half_there(tmp_path_factory, command):
    words = COMMANDS[command]
    outcomes = set()
    for at in range(1, calls(tmp_path_factory, words) + 1):
        run = Run(tmp_path_factory.mktemp("run"), words, FAIL_AT=at, FAIL_WITH=KILLED)
        assert run.code == -signal.SIGKILL
        charged = run.charges
        left = run.left  # whole, each of them
        assert charged or not left, (at, list(left))
        outcomes.add((charged, bool(left)))
    assert {(0, False), (1, False)} <= outcomes, outcomes


# ---- room ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("command", COMMANDS)
def test_files_that_may_not_grow_cost_nothing(tmp_path_factory, command):
    """By RLIMIT_FSIZE, which needs no rights: room for the outputs is not there, and the ledger stays as it is."""
    for limit in (1 << 10, 1 << 14, 1 << 16):
        run = Run(tmp_path_factory.mktemp("run"), COMMANDS[command], preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)))
        if command == "release to standard output" and run.code == 0:
            assert run.charges == 1  # no file but the ledger's grows
            continue
        assert run.code == 3 and ("reserve" in run.err or "ledger" in run.err), (limit, run.err)
        assert run.charges == 0 and not run.left, run.err


@pytest.fixture
def small_disk(tmp_path):
    disk = tmp_path / "disk"
    disk.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=20m", "tmpfs", disk], capture_output=True, text=True)
    if mounted.returncode != 0:
        pytest.skip(f"a small tmpfs cannot be mounted here ({mounted.stderr.strip()}); the limit on the size of files was tested instead")
    yield disk
    subprocess.run(["umount", disk], check=True)


@pytest.mark.parametrize("command", ["release", "synthesize"])
def test_a_full_disk_costs_nothing(small_disk, command):
    """By a small tmpfs, filled up but for less than the outputs may take."""
    folder = small_disk / "run"
    folder.mkdir()
    (small_disk / "filler").write_bytes(bytes(19 << 20))
    run = Run(folder, COMMANDS[command])
    assert run.code == 3 and "No space left" in run.err and "reserve" in run.err, run.err
    assert run.charges == 0 and not run.left


# ---- elsewhere ---------------------------------------------------------------------------------------------------------


def run_until(tmp_path_factory, words, wanted):
    """Lets call after call fail, and returns the first run whose message says what is wanted."""
    for at in range(1, 200):
        run = Run(tmp_path_factory.mktemp("run"), words, FAIL_AT=at, FAIL_WITH=errno.ENOSPC, FAIL_ON=0)
        if wanted in run.err:
            return run
    raise AssertionError(f"no run says {wanted}")


def test_a_release_that_cannot_be_written_is_kept_beside_the_ledger(tmp_path_factory):
    run = run_until(tmp_path_factory, COMMANDS["release without JSON"], "kept")
    assert "epsilon 1 is spent, and the release is kept in 'budget.db.entry-1.json'" in run.err
    assert "reshape FILE -o NAME" in run.err
    assert run.outside("reshape", "budget.db.entry-1.json", "--percentile", "20", "-o", "again.html")
    run = run_until(tmp_path_factory, COMMANDS["synthesize"], "kept")
    assert "the synthetic data is kept in 'budget.db.entry-1.csv'" in run.err


def test_where_the_first_format_is_written_and_the_second_fails_the_first_stays(tmp_path_factory):
    run = run_until(tmp_path_factory, COMMANDS["release"], "the release was written to 'r.json'")
    assert "r.html" in run.err and set(run.left) == {"r.json"}
    assert run.charges == 1


def test_a_release_that_no_disk_takes_is_printed(tmp_path_factory):
    for at in range(1, 200):
        run = Run(tmp_path_factory.mktemp("run"), COMMANDS["release without JSON"], FAIL_AT=at, FAIL_WITH=errno.ENOSPC, FAIL_ON=1)
        if run.charges:
            break
    assert "was printed to standard output instead" in run.err and json.loads(run.out)["private"] is True


def test_a_reader_that_is_gone_does_not_lose_the_release(tmp_path):
    run = Run(tmp_path, COMMANDS["release to standard output"], preexec_fn=lambda: os.dup2(os.open("/dev/full", os.O_WRONLY), 1))
    assert run.code == 3 and "standard output: No space left" in run.err, run.err
    assert run.charges == 1 and "budget.db.entry-1.json" in run.left


# ---- signals -----------------------------------------------------------------------------------------------------------



@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_from_the_debit_on_signals_wait_until_the_release_is_written(tmp_path, sent):
    """The output is a pipe that nobody empties: the program has paid and waits in its write when the signal comes."""
    folder = tmp_path
    big = [*RELEASE[:4], "--grid", "1024", *RELEASE[6:], "--json", "-", "-o", "r.json"]
    (folder / "p.csv").write_text("x,y\n" + "".join(f"{i % 17 / 17},{i % 13 / 13}\n" for i in range(200)))
    subprocess.run([SHOAL, "ledger", "create", "budget.db", "--dataset", "d", "--cap", "9"], cwd=folder, check=True, capture_output=True)
    heard = lambda: signal.signal(sent, signal.SIG_DFL)  # the caller of the tests may ignore it, as nohup does
    run = subprocess.Popen([SHOAL, *big, *CHARGED], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, preexec_fn=heard)
    first = os.read(run.stdout.fileno(), 1)  # paid, drawn, and more to write than a pipe holds
    run.send_signal(sent)
    said = run.stderr.readline() + run.stderr.readline()
    assert b"is written before the program stops" in said
    rest, _ = run.communicate(timeout=60)
    assert run.returncode == 128 + sent if sent != signal.SIGHUP else run.returncode == -sent
    assert json.loads(first + rest) == json.loads((folder / "r.json").read_text())
    assert sorted(os.listdir(folder)) == ["budget.db", "p.csv", "r.json"]


def test_before_the_debit_signals_end_the_run_and_cost_nothing(tmp_path):
    subprocess.run([SHOAL, "ledger", "create", "budget.db", "--dataset", "d", "--cap", "9"], cwd=tmp_path, check=True, capture_output=True)
    words = ["release", "-", *RELEASE[2:], "-o", "r.json", *CHARGED]
    run = subprocess.Popen([SHOAL, *words], cwd=tmp_path, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    run.stdin.write(b"x,y\n" + b"0.5,0.25\n" * 200_000)
    run.stdin.flush()  # more than a pipe holds: it is reading
    run.send_signal(signal.SIGINT)
    assert run.wait(timeout=60) == 130
    assert os.listdir(tmp_path) == ["budget.db"]
    history = subprocess.run([SHOAL, "ledger", "history", "budget.db", "--json", "-"], cwd=tmp_path, capture_output=True, check=True).stdout
    assert json.loads(history)["history"] == []
