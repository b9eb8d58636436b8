"""Axes of each kind, and conversion of text and date columns to coordinates."""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Union

import numpy as np
import numpy.typing as npt

from . import _core

Bound = Union[float, str, datetime.date]


@dataclass(frozen=True)
class Axis:
    """An axis: its name, its public bounds and the meaning of its numbers. docs/axes.md shows each kind.

    Parameters
    ----------
    name : str
        Name of the axis and of its column.
    lower, upper : number, str, date or datetime
        Public bounds. Dates may be strings such as "2026-01-01".
    kind : {"int", "log", "month", "latitude"}, default=None
        "int" for whole numbers, with both bounds included; "log" for cells of equal ratio; "month" for dates in whole months;
        "latitude" for degrees north in cells of equal area.
    step : float, default=None
        Distance between neighbouring values.
    circle : bool, default=False
        If True, the first and the last cell touch.
    names : list of str, default=None
        A public list of names, instead of bounds. Its cells do not touch unless circle is True.
    zone : str, default=None
        Offset from UTC, such as "+02:00", for dates without one.
    epoch : {"s", "ms", "us", "ns"}, default=None
        Unit of dates that are given as numbers.
    unit : str, default=None
        Unit of measurement, such as "cm", which is shown with the name.

    Examples
    --------
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
        """Number of cells of the axis on a grid of at most grid cells per axis."""
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
    """Parse declarations of axes: shoal.Axis, or strings as the program accepts them ("age=0:110:int")."""
    if isinstance(axes, (str, Axis)):
        raise TypeError("axes must be a list of shoal.Axis or texts")
    result = [axis._core() if isinstance(axis, Axis) else _core.DeclaredAxis(axis) for axis in axes]
    names = [axis.name for axis in result]
    if not result or any(not name for name in names) or len(set(names)) != len(names):
        raise ValueError("axes must be named, each by a name of its own")
    return result


def grid_of(axes: Sequence[Axis | str], grid: Any) -> _core.Grid:
    """Grid of these axes with at most grid cells per axis. "auto" gives the finest grid that may be chosen."""
    return _core.grid_of_axes(declared(axes), grid)


_A_SECOND = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}  # ticks per second
_SECONDS = {"m": 60, "h": 3600, "D": 86400, "W": 7 * 86400}  # seconds per tick

# The meanings of a column's type. All batches of one input must have the same meaning.
OBJECTS, WHOLE, NUMBERS, DATES, INSTANTS = "strings or objects", "whole numbers", "numbers", "dates", "dates with a zone"


def is_pandas_column(values: Any) -> bool:
    return hasattr(values, "isna") and hasattr(values, "dtype")


def arrow_stream(values: Any) -> Any:
    """Arrow stream of a column, such as a polars Series or a pyarrow array. None if the column does not support Arrow."""
    if is_pandas_column(values) or isinstance(values, np.ndarray):
        return None  # pandas would convert objects through pyarrow, which gives all of them one type
    if hasattr(values, "__arrow_c_array__") and not hasattr(values, "__arrow_c_stream__"):
        import pyarrow

        values = pyarrow.chunked_array([values])
    return values.__arrow_c_stream__() if hasattr(values, "__arrow_c_stream__") else None


def coordinates(values: Any, axis: _core.Axis) -> npt.NDArray[np.float64]:
    """Coordinates of a column of dates or names. A value that is not valid, or not in the list, becomes NaN and lies in no cell."""
    return typed_coordinates(values, axis)[0]


def typed_coordinates(values: Any, axis: _core.Axis) -> tuple[npt.NDArray[np.float64], str]:
    """Coordinates of a column, and the meaning of its type.

    The column is read in place by the type that its container declares, or else value by value. It is not converted to an array: NumPy
    gives all elements of an array one type, so a missing value or a text would change how other rows are read.
    """
    stream = arrow_stream(values)
    if stream is not None:
        found, meaning = _core.arrow_coordinates(stream, axis)
        return found, NUMBERS if axis.is_time and meaning == WHOLE else meaning
    if is_pandas_column(values):
        return _pandas_coordinates(values, axis)
    if isinstance(values, np.ndarray) or hasattr(values, "__array__"):
        return _array_coordinates(values if isinstance(values, np.ndarray) else np.asarray(values), axis)
    return _core.object_coordinates(values, axis), OBJECTS


def _pandas_coordinates(values: Any, axis: _core.Axis) -> tuple[npt.NDArray[np.float64], str]:
    dtype = values.dtype
    if hasattr(dtype, "categories"):  # codes are indices into a list of values; a missing value has the code -1
        column = values.array if hasattr(values, "array") else values
        listed, meaning = _pandas_coordinates(dtype.categories, axis)
        return np.append(listed, np.nan)[np.asarray(column.codes)], meaning
    if hasattr(dtype, "tz"):
        utc = values.dt.tz_convert(None) if hasattr(values, "dt") else values.tz_convert(None)
        return _array_coordinates(utc.to_numpy(), axis, zoned=True)
    if isinstance(dtype, np.dtype):
        return _array_coordinates(values.to_numpy(), axis)
    return _core.object_coordinates(iter(values), axis), _extension_meaning(dtype, axis)


def _extension_meaning(dtype: Any, axis: _core.Axis) -> str:
    kind = getattr(dtype, "kind", "O")
    if kind in "iu":
        return NUMBERS if axis.is_time else WHOLE
    return {"f": NUMBERS, "M": DATES}.get(kind, OBJECTS)


def _array_coordinates(array: npt.NDArray[Any], axis: _core.Axis, zoned: bool = False) -> tuple[npt.NDArray[np.float64], str]:
    if array.ndim != 1:
        raise ValueError(f"a column must be one-dimensional; this one has {array.ndim} dimensions")
    kind = array.dtype.kind
    if np.ma.isMaskedArray(array) and kind != "M":
        return _core.object_coordinates(array.tolist(), axis), OBJECTS if kind in "OSU" else WHOLE
    if np.ma.isMaskedArray(array):
        array = array.filled(np.datetime64("NaT"))
    array = array.astype(array.dtype.newbyteorder("="), copy=False)
    if kind == "M":
        unit, count = np.datetime_data(array.dtype)
        if unit not in _A_SECOND and unit not in _SECONDS:
            raise TypeError(f"dates are in the unit '{unit}'; convert them to days, seconds or parts of seconds")
        if unit in _A_SECOND and count > 1 and _A_SECOND[unit] % count:
            raise TypeError(f"dates are in steps of {count} {unit}; convert them to '{unit}'")
        a_second, seconds = max(1, _A_SECOND.get(unit, 1) // count), _SECONDS.get(unit, 1) * (count if unit in ("s", *_SECONDS) else 1)
        return _core.time_coordinates(array.view(np.int64), a_second, seconds, zoned, axis), INSTANTS if zoned else DATES
    if (kind in "iuf" and array.dtype.itemsize in (4, 8)) or kind in "iu":
        aligned = array.flags.aligned and array.strides[0] % array.itemsize == 0
        meaning = WHOLE if kind in "iu" and not axis.is_time else NUMBERS
        return _core.number_coordinates(array if aligned else array.copy(), axis), meaning
    return _core.object_coordinates(array.tolist(), axis), OBJECTS


class ColumnTypes:
    """The meanings of the column types over all batches.

    A batch is refused if a column has another type than in the first batch: such a column may have been read in another way.
    """

    def __init__(self) -> None:
        self._meanings: dict[int, str] = {}

    def check(self, place: int, meaning: str, axis: _core.Axis) -> None:
        meaning = NUMBERS if axis.is_time and meaning == WHOLE else meaning
        first = self._meanings.setdefault(place, meaning)
        if first != meaning:
            raise TypeError(f"a batch has {meaning} in the column '{axis.name}', but the first had {first}; give all batches the same type, preferably strings")

    def read(self, place: int, values: Any, axis: _core.Axis) -> npt.NDArray[np.float64]:
        found, meaning = typed_coordinates(values, axis)
        if len(found):
            self.check(place, meaning, axis)
        return found
