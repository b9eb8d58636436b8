"""Finds clusters of any shape and releases them with differential privacy.

>>> import shoal
>>> spirals = shoal.datasets.load("ds2")
>>> model = shoal.PrivateWaveCluster(epsilon=1, bounds=(0, 1), grid=40, percentile=10).fit(spirals.X)
>>> model.release_.private
True
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from . import _core, datasets, metrics
from ._axes import Axis
from ._check import check
from ._compare import Comparison, compare
from ._core import BudgetRefused
from ._ledger import Account, Debit, Ledger
from ._levels import Holder, Levels
from ._options import NotPrivateWarning, PrivacyBudgetWarning, technique_names
from ._release import Cluster, Release, Share
from ._release_set import ReleaseSet
from ._where import where

if TYPE_CHECKING:
    from ._counts import counted_axes, release_counts
    from ._estimators import PrivateWaveCluster, WaveCluster
    from ._evaluation import Evaluation, evaluate
    from ._plan import Plan, plan
    from ._synthesis import Synthesis, synthesize

__version__: str = _core.version

__all__ = [
    "Account",
    "Axis",
    "BudgetRefused",
    "Cluster",
    "Comparison",
    "Debit",
    "Evaluation",
    "Holder",
    "Ledger",
    "Levels",
    "NotPrivateWarning",
    "Plan",
    "PrivacyBudgetWarning",
    "PrivateWaveCluster",
    "Release",
    "ReleaseSet",
    "Share",
    "Synthesis",
    "WaveCluster",
    "check",
    "compare",
    "counted_axes",
    "datasets",
    "evaluate",
    "metrics",
    "plan",
    "release_counts",
    "synthesize",
    "technique_names",
    "where",
]

# Names whose modules need scikit-learn, which takes longer to import than all the rest. They are imported on first use.
_ON_FIRST_USE = {
    "Evaluation": "_evaluation",
    "Plan": "_plan",
    "PrivateWaveCluster": "_estimators",
    "Synthesis": "_synthesis",
    "WaveCluster": "_estimators",
    "counted_axes": "_counts",
    "evaluate": "_evaluation",
    "plan": "_plan",
    "release_counts": "_counts",
    "synthesize": "_synthesis",
}

if not TYPE_CHECKING:  # type checkers see the imports above instead

    def __getattr__(name: str) -> Any:
        if name not in _ON_FIRST_USE:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        value = getattr(importlib.import_module(f".{_ON_FIRST_USE[name]}", __name__), name)
        globals()[name] = value
        return value

    def __dir__() -> list[str]:
        return sorted({*globals(), *_ON_FIRST_USE})
