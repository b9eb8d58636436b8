"""Axes by kind, and columns of texts and dates as coordinates."""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Union

import numpy as np
import numpy.typing as npt

from . import _core

_FINEST = 960  # cells of an axis that grid="auto" may choose
Bound = Union[float, str, datetime.date]


@dataclass(frozen=True)
class Axis:
    """One axis: its name, its public bounds and what its numbers mean. docs/axes.md shows each kind.

    lower, upper : numbers; or dates, as texts ("2026-01-01"), date or datetime
    kind : "int" for whole numbers, both bounds among them; "log" for cells of equal ratio; "month" for dates in whole months;
        "latitude" for degrees north in cells of equal area
    step : values are so far apart
    circle : the first and the last cell touch
    names : a public list instead of bounds; its cells touch no others unless circle is given
    zone : offset from UTC ("+02:00") of dates without one; epoch : "s", "ms", "us" or "ns" where dates are numbers
    unit : shown with the name ("cm")

    >>> import shoal
    >>> shoal.Axis("age", 0, 110, kind="int").cells(64)
    56
    >>> shoal.Axis("ward", names=["A", "B", "C"]).cells(64)
    3
    """

    name: str
    lower: Bound | None = None
    upper: Bound | None = None
    kind: str | None = None
    step: float | None = None
    circle: bool = False
    names: Sequence[str] | None = None
    zone: str | None = None
    epoch: str | None = None
    unit: str | None = None

    def __post_init__(self) -> None:
        self._core()

    def cells(self, grid: int) -> int:
        """How many cells it has on a grid of so many."""
        return self._core().fitted(grid).cells

    def _core(self) -> _core.DeclaredAxis:
        if self.kind not in (None, "int", "log", "month", "latitude"):
            raise ValueError(f"the kind of axis '{self.name}' is '{self.kind}'; choose int, log, month, latitude or none")
        if self.names is not None:
            if self.lower is not None or self.upper is not None or self.kind is not None:
                raise ValueError(f"axis '{self.name}' has names, and bounds or a kind too: give one of them")
            return _core.DeclaredAxis.of_names(self.name, [str(name) for name in self.names], self.circle)
        if self.lower is None or self.upper is None:
            raise ValueError(f"axis '{self.name}' needs bounds, or names")
        words = [_text(self.lower), _text(self.upper)]
        words += [self.kind] if self.kind in ("int", "log", "month") else []
        words += ["circle"] if self.circle else []
        words += [f"{word}={getattr(self, word)}" for word in ("step", "zone", "epoch", "unit") if getattr(self, word) is not None]
        return _core.DeclaredAxis(":".join(words), self.name, self.kind == "latitude")


def _text(bound: Bound) -> str:
    if isinstance(bound, (datetime.date, np.datetime64)):
        return str(np.datetime64(bound)) if isinstance(bound, np.datetime64) else bound.isoformat()
    return str(bound)


def declared(axes: Sequence[Axis | str]) -> list[_core.DeclaredAxis]:
    """What the axes are declared to be: Axis, or texts as the program takes them ("age=0:110:int")."""
    if isinstance(axes, (str, Axis)):
        raise TypeError("axes must be a list of shoal.Axis or texts")
    result = [axis._core() if isinstance(axis, Axis) else _core.DeclaredAxis(axis) for axis in axes]
    names = [axis.name for axis in result]
    if not result or any(not name for name in names) or len(set(names)) != len(names):
        raise ValueError("axes must be named, each by a name of its own")
    return result


def grid_of(axes: Sequence[Axis | str], grid: Any) -> _core.Grid:
    """The grid of these axes with at most so many cells; "auto": as fine as may be chosen."""
    return _core.grid_of_axes(declared(axes), _FINEST if isinstance(grid, str) and grid == "auto" else grid)


def _seconds(array: npt.NDArray[Any]) -> npt.NDArray[np.float64]:
    """datetime64 as seconds since 1970; NaT is NaN. Never rounded up to the next whole second."""
    unit, count = np.datetime_data(array.dtype)
    if unit in ("Y", "M", "W", "D", "h", "m", "s"):
        array, a_second = array.astype("M8[s]"), 1
    elif unit in ("ms", "us", "ns") and count == 1:
        a_second = {"ms": 10**3, "us": 10**6, "ns": 10**9}[unit]
    else:
        array, a_second = array.astype("M8[ns]"), 10**9
    ticks = array.view(np.int64)
    whole = (ticks // a_second).astype(np.float64)
    result = np.minimum(whole + (ticks % a_second) / a_second, np.nextafter(whole + 1, 0))
    return np.where(np.isnat(array), np.nan, result)


def _word(value: Any) -> str:
    if value is None or (isinstance(value, float) and np.isnan(value)):
        return ""
    if isinstance(value, (float, np.floating)) and float(value).is_integer():
        return str(int(value))  # whole numbers become floats where another value is missing
    if isinstance(value, datetime.date):
        return "" if value != value else value.isoformat()  # NaT is not itself
    return str(value)


def coordinates(values: Any, axis: _core.Axis) -> npt.NDArray[np.float64]:
    """A column of an axis of dates or names. What is none, or not in the list, is NaN: it lies in no cell."""
    if isinstance(values, tuple):  # Arrow's timestamps with a zone: instants
        return _seconds(values[0])
    zone = getattr(getattr(values, "dt", None), "tz", None)
    if zone is not None:  # pandas, with a zone: instants
        return _seconds(values.dt.tz_convert("UTC").dt.tz_localize(None).to_numpy())
    array = values.to_numpy() if hasattr(values, "to_numpy") else np.asarray(values)
    if axis.is_time and array.dtype.kind == "M":
        return _seconds(array) - axis.offset
    if axis.is_time and array.dtype.kind in "iuf":
        return array.astype(np.float64) / axis.a_second
    return axis.parse([_word(value) for value in array.tolist()])
