"""Finds clusters of any shape and releases them with differential privacy.

>>> import shoal
>>> spirals = shoal.datasets.load("ds2")
>>> model = shoal.PrivateWaveCluster(epsilon=1, bounds=(0, 1), grid=40, percentile=10).fit(spirals.X)
>>> model.release_.private
True
"""

from __future__ import annotations

from . import _core, datasets, metrics
from ._axes import Axis
from ._check import check
from ._compare import Comparison, compare
from ._core import BudgetRefused
from ._counts import counted_axes, release_counts
from ._estimators import PrivateWaveCluster, WaveCluster
from ._evaluation import Evaluation, evaluate
from ._groups import GroupedRelease, release_groups
from ._insets import InsetRelease, release_insets
from ._ledger import Account, Debit, Ledger
from ._options import NotPrivateWarning, PrivacyBudgetWarning, technique_names
from ._plan import Plan, plan
from ._release import Cluster, Release, Share
from ._synthesis import Synthesis, synthesize
from ._where import where

__version__: str = _core.version

__all__ = [
    "Account",
    "Axis",
    "BudgetRefused",
    "Cluster",
    "Comparison",
    "Debit",
    "Evaluation",
    "GroupedRelease",
    "InsetRelease",
    "Ledger",
    "NotPrivateWarning",
    "Plan",
    "PrivacyBudgetWarning",
    "PrivateWaveCluster",
    "Release",
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
    "release_groups",
    "release_insets",
    "synthesize",
    "technique_names",
    "where",
]
