"""Modules that only `make test ALL=1` installs. A test that uses an absent one is skipped and says so; all others run."""

import importlib
from typing import Any

import pytest


class Absent:
    """Stands for a module that is not installed. It is false, and skips the test that asks for its content."""

    def __init__(self, name: str):
        self._name = name

    def __bool__(self) -> bool:
        return False

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        pytest.skip(f"{self._name} is not installed: make test ALL=1")


def optional(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError:
        return Absent(name)
