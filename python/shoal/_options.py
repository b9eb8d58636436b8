"""Parameters of the estimators, converted for the core and checked."""

from __future__ import annotations

import sys
import threading
import warnings
from collections.abc import Mapping, Sequence
from decimal import Decimal
from numbers import Integral, Real
from types import FrameType
from typing import Any, Union

from . import _core

Bounds = Union[tuple[float, float], Sequence[tuple[float, float]], Mapping[str, tuple[float, float]]]
Decimals = Union[float, int, str, Decimal]


class NotPrivateWarning(UserWarning):
    """Warning that random_state determines the noise. The result is not private and is for studies only."""


class PrivacyBudgetWarning(UserWarning):
    """Warning that this process made several releases without a ledger. Their epsilons add up."""


class Spending:
    """The budget that this process spent on releases without a ledger."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._releases, self._epsilon = 0, Decimal(0)

    def add(self, epsilon: Decimal) -> str | None:
        """Count a release. Returns None for the first release, and a warning about all releases for each later one."""
        with self._lock:
            self._releases += 1
            self._epsilon += epsilon
            if self._releases == 1:
                return None
            return (
                f"this process made {self._releases} private releases without a ledger, with a total epsilon of {self._epsilon.normalize():f}; "
                "for the same people the epsilons add up. Give ledger and dataset to enforce a cap. To compare parameters or techniques, "
                "use shoal.evaluate, which releases nothing"
            )


without_ledger = Spending()


def warn(text: str, category: type[Warning]) -> None:
    """Warn at the line that called Shoal."""
    frame: FrameType | None = sys._getframe(1)
    level = 2
    while frame is not None and frame.f_globals.get("__name__", "").partition(".")[0] == __package__:
        frame, level = frame.f_back, level + 1
    warnings.warn(text, category, stacklevel=level)


def technique_names() -> list[str]:
    """Names of the private techniques.

    >>> "privthr" in technique_names()
    True
    """
    return list(_core.technique_names())


# The program has the same default.
DEFAULT_TECHNIQUE = "privwave" if "privwave" in technique_names() else "privthr"


def refuse_empty(parameters: Mapping[str, Any]) -> None:
    """Raise ValueError for empty strings. They are mistakes, such as a variable that was never set, and never switch something off."""
    for name, value in parameters.items():
        if isinstance(value, str) and not value.strip():
            raise ValueError(f"{name} is empty; give a value or remove it")


def decimal_text(value: Decimals, name: str) -> str:
    """Convert a budget to the decimal that the caller wrote."""
    if type(value) is int or type(value) is float:  # much faster than the code below
        return repr(value)
    if isinstance(value, str):
        refuse_empty({name: value})
        return value
    if isinstance(value, Decimal):
        return format(value, "f")
    if isinstance(value, bool) or not isinstance(value, Real):
        raise TypeError(f"{name} must be a number or a decimal string, not {type(value).__name__}")
    return str(int(value)) if isinstance(value, Integral) else repr(float(value))


def cluster_options(estimator: Any) -> _core.ClusterOptions:
    return _core.ClusterOptions(
        percentile=estimator.percentile,
        top=estimator.top,
        density=estimator.density,
        coverage=estimator.coverage,
        wavelet=estimator.wavelet,
        level=estimator.level,
        transform="stationary" if estimator.stationary else "decimated",
        adjacency=estimator.adjacency,
        min_cells=estimator.min_cells,
        threads=estimator.threads,
        modes=getattr(estimator, "modes", False),
    )


class Automatic:
    """Return the estimator with a placeholder threshold. grid="auto" chooses its own threshold and refuses options that it would ignore."""

    def __init__(self, estimator: Any) -> None:
        others = {"percentile": None, "coverage": None, "top": None, "density": None, "wavelet": "haar", "level": 1, "stationary": False, "technique": "privwave"}
        for name, left_out in others.items():
            if getattr(estimator, name, left_out) != left_out:
                raise ValueError(f"grid='auto' chooses the grid and the threshold itself; remove {name}, or give a grid")
        self._estimator, self.modes = estimator, True

    def __getattr__(self, name: str) -> Any:
        return getattr(self._estimator, name)


class WithPercentile:
    """Return an estimator like this one with the given percentile."""

    def __init__(self, estimator: Any, percentile: float) -> None:
        self._estimator, self.percentile = estimator, percentile

    def __getattr__(self, name: str) -> Any:
        return getattr(self._estimator, name)


def is_automatic(grid: Any) -> bool:
    return isinstance(grid, str) and grid == "auto"


def private_options(estimator: Any) -> _core.PrivateOptions:
    return _core.PrivateOptions(
        cluster_options(estimator),
        neighbors=estimator.neighbors,
        unit=estimator.unit,
        max_contributions=estimator.max_contributions,
        contribution=estimator.contribution,
        alpha=estimator.alpha,
        max_density=estimator.max_density,
        base_measure=estimator.base_measure,
        publisher=estimator.publisher,
    )
