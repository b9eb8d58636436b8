"""The program as a user runs it: command lines in, files, messages and exit codes out."""

from __future__ import annotations

import json
import os
import pathlib
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/support"))
SHOAL = pathlib.Path(os.environ.get("SHOAL_PROGRAM", ROOT / "build/bin/shoal"))
DATA = ROOT.parent / "shared" / "data"


class Outcome:
    def __init__(self, done: subprocess.CompletedProcess):
        self.exit_code, self.out, self.err = done.returncode, done.stdout, done.stderr
        # 5: the release is made and kept, but shows nothing. That is so of the few records of most tests.
        self.code = 0 if done.returncode == 5 else done.returncode

    @property
    def json(self):
        return json.loads(self.out)


@pytest.fixture
def shoal(tmp_path):
    """Runs the program in a folder of its own."""

    def run(*words, stdin: bytes | None = None, timeout: float = 120) -> Outcome:
        done = subprocess.run([str(SHOAL), *map(str, words)], cwd=tmp_path, input=stdin, capture_output=True, timeout=timeout)
        decoded = [text.decode(errors="replace") for text in (done.stdout, done.stderr)]
        return Outcome(subprocess.CompletedProcess(done.args, done.returncode, *decoded))

    run.folder = tmp_path
    return run


@pytest.fixture
def refused(shoal):
    """A command line that must fail: one clear line on standard error, the exit code, nothing printed, no file left."""

    def run(code: int, *words, says: list[str], stdin: bytes | None = None) -> Outcome:
        before = sorted(shoal.folder.iterdir())
        outcome = shoal(*words, stdin=stdin)
        assert outcome.code == code, (outcome.code, outcome.err)
        assert outcome.out == ""
        assert outcome.err.startswith("shoal: ") and outcome.err.count("\n") == 1, outcome.err
        for part in says:
            assert part in outcome.err, outcome.err
        assert sorted(shoal.folder.iterdir()) == before, "a file was left behind"
        return outcome

    return run


@pytest.fixture
def spirals(shoal):
    assert shoal("datasets", "ds2", "--seed", "1", "-o", "spirals.csv").code == 0
    return shoal.folder / "spirals.csv"


def published(name: str) -> pathlib.Path:
    path = DATA / name
    if not path.exists():
        pytest.skip(f"{path} is not there; CONTRIBUTING.md says where the published sets come from")
    return path


def validate(name: str, document: dict) -> None:
    """Against docs/NAME.schema.json, which may refer to that of a release."""
    from jsonschema import Draft202012Validator
    from referencing import Registry, Resource

    schemas = {each: json.loads((ROOT / f"docs/{each}.schema.json").read_text()) for each in {"release", name}}
    registry: Registry = Registry().with_resources((schema["$id"], Resource.from_contents(schema)) for schema in schemas.values())
    Draft202012Validator(schemas[name], registry=registry).validate(document)


@pytest.fixture(scope="module")
def server():
    """A PostgreSQL server of the tests' own."""
    from engines import Server

    own = Server()
    yield own
    own.close()
