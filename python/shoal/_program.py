"""The program `shoal`, as pip installs it. Its commands are in the module, so the library is installed once."""

from __future__ import annotations

import importlib.util
import os
import sys

from . import _core


def _driver_of_duckdb() -> str | None:
    spec = importlib.util.find_spec("_duckdb")  # the library of DuckDB's own package, which is an ADBC driver too
    return spec.origin if spec else None


def _driver_of_postgresql() -> str | None:
    spec = importlib.util.find_spec("adbc_driver_postgresql")
    folders = list(spec.submodule_search_locations or []) if spec else []
    paths = [os.path.join(folder, "libadbc_driver_postgresql.so") for folder in folders]
    return next(filter(os.path.exists, paths), None)


def name_drivers() -> None:
    """Names the drivers that pip has installed (`shoal[engines]`), where the environment names none."""
    for variable, find in (("SHOAL_DUCKDB_LIB", _driver_of_duckdb), ("SHOAL_POSTGRES_DRIVER", _driver_of_postgresql)):
        path = None if os.environ.get(variable) else find()
        if path:
            os.environ[variable] = path


def main() -> int:
    name_drivers()
    os.environ["SHOAL_PROGRAM"] = os.path.abspath(sys.argv[0])  # what the studio runs
    return _core.run_program(sys.argv)
